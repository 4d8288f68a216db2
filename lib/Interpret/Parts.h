// What a program consists of, whatever it was made from.
#pragma once

#include "Machine.h"

namespace sdfgc::interpret {

struct Program::Parts {
    virtual ~Parts() = default;
    virtual Machine &machine() = 0;
    /// The register of a symbol or scalar that is an argument; none for other names.
    virtual Operand argument(Name name) = 0;
    /// Runs it once, with the memory of the caller.
    virtual void run() = 0;
    /// Is as it was before the first run; false where it cannot be.
    virtual bool forget() { return false; }

    std::map<Name, void *> memory; // of arguments, as they were bound
    std::set<Name> given;          // symbols and scalars that have been set
};

} // namespace sdfgc::interpret

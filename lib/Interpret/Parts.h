// The parts of a program, independent of its origin.
#pragma once

#include "Machine.h"

namespace sdfgc::interpret {

struct PreparedProgram::Parts {
    virtual ~Parts() = default;
    virtual Machine &machine() = 0;
    /// The register of a symbol or scalar that is an argument; none for other names.
    virtual Operand argument(Name name) = 0;
    /// Runs it once, with the memory of the caller.
    virtual void run() = 0;
    /// Resets it to the state before the first run; false if this is impossible.
    virtual bool forget() { return false; }

    std::map<Name, void *> memory; // of arguments, as bound
    std::set<Name> given;          // symbols and scalars that have a value
};

} // namespace sdfgc::interpret

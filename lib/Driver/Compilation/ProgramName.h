// --name: the name of a program, and of its folder, library and functions.
#pragma once

#include "Driver/Session.h"

namespace sdfgc::driver {

class ProgramName {
public:
    void addTo(CommandLine &line);
    /// Renames the input. Reports an invalid name and returns false.
    bool apply(Session &session, Input &input) const;
    /// Passes that derive another program (differentiate, distribute) append words to its name; a name given by the user is kept.
    void applyAfterPasses(ir::SDFG *graph, tree::Module *module) const;
    bool isGiven() const { return !name_.empty(); }
    const std::string &text() const { return name_; }

private:
    std::string name_; // empty: keep the program's name
};

} // namespace sdfgc::driver

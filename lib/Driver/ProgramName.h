// --name: how a program is called, and with it its folder, its library, and its functions.
#pragma once

#include "Driver/Session.h"

namespace sdfgc::driver {

class ProgramName {
public:
    void addTo(CommandLine &line);
    /// Renames what was read. Reports a name that cannot be one, and returns false.
    bool apply(Session &session, Input &input) const;
    /// Passes that make another program of one (differentiate, distribute) add words to its name; one that the user has given stays.
    void applyAfterPasses(ir::SDFG *graph, tree::Module *module) const;
    bool isGiven() const { return !name_.empty(); }
    const std::string &text() const { return name_; }

private:
    std::string name_; // empty: as the program is called
};

} // namespace sdfgc::driver

// Targets for a certain processor: the table Machines.def.
#pragma once

#include <string_view>

namespace sdfgc::platform {

/// A row of Machines.def, which documents the fields.
struct Machine {
    std::string_view target, architecture, compiler, march;
};

/// Returns the machine of a target by name; null for targets that are for the machine on which sdfgc runs, or for the one that the
/// options name.
const Machine *machine(std::string_view target);

} // namespace sdfgc::platform

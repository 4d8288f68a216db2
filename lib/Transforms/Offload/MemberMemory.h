// Whether members of structures can have memory of their own on a device. For flattenMembers.
#pragma once

#include "Transforms/Offload/FlattenMembers.h"

#include "sdfgc/Analysis/Memory/Memories.h"

#include <set>
#include <string>

namespace sdfgc::transforms {

/// The names that a program is given: arguments, symbols and constants.
std::set<Name> namesGiven(const ir::SDFG &root);

/// Why moved members would differ from the host's memory; empty if they would not. `written`: members that dataflow writes;
/// `memories`: of the program before any change.
std::string sharedMemory(ir::SDFG &root, const std::vector<MovedMember> &moved, const std::set<Name> &written,
                         analysis::Memories &memories);
/// Why the size of a member is unknown to the program; empty if all are known.
std::string unknownSizes(const ir::SDFG &root, const std::vector<MovedMember> &moved, const std::set<Name> &known);

} // namespace sdfgc::transforms

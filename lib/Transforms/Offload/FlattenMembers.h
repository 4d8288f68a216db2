// Gives members of structures containers of their own, which can be on a device.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgc::transforms {

/// A member of a structure that the caller passes, and the container of the root SDFG that dataflow uses instead.
struct MovedMember {
    Name member;           // `P.edges.length`
    Name container;        // `gpu_P_edges_length`; of a scalar: `P_nlev`
    bool isCertain = true; // does the program use it in every call? Otherwise its pointer may be null.
};

/// Control flow of one SDFG outside of maps that reads members which dataflow writes.
struct MemberRead {
    Name name;      // as control flow calls it: a view, or the structure
    Name member;    // its name in that SDFG
    Name container; // likewise
};

struct FlatMembers {
    std::vector<MovedMember> moved;                       // in order of appearance
    std::vector<std::pair<ir::SDFG *, MemberRead>> reads; // by the host
    std::string obstacle; // why the members cannot be moved: the graph is then left half changed. Empty if they can.
};

/// Replaces members of structures in the dataflow of a program. The new containers are transients of the root without any
/// copies, on the host.
FlatMembers flattenMembers(ir::SDFG &root);

/// Does the program have structures?
bool hasStructures(const ir::SDFG &root);

} // namespace sdfgc::transforms

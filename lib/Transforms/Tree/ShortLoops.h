// Short loops around other loops, and what their iterations do (VectoriseShortLoops.cpp says what for).
#pragma once

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/Tree/Tree.h"

#include <map>
#include <set>

namespace sdfgc::transforms {

/// A loop over a constant range, counting by one.
struct ShortLoop {
    tree::VarId var;
    int64_t begin = 0, count = 0;
    tree::Block *body = nullptr;
};

/// An access of an array in the loop.
struct LaneAccess {
    tree::RefId ref;
    int group = 0;
    bool writes = false, inLoop = false;
};

/// What is found in a short loop.
struct LanePlan {
    std::map<Name, int> home;              // the groups of variables that are declared in it
    std::map<Name, tree::VarId> variables; // these variables
    std::set<Name> expanded;               // those that several groups use
    std::set<Name> inHeaders;              // names in headers of inner loops
    std::vector<LaneAccess> accesses;      // of other memory
    int groups = 0;
    bool accumulates = false; // an inner loop changes a floating-point variable of the iteration
    diag::Reason why;         // that it cannot be done
};

/// A statement as a loop over a constant range of nonnegative numbers that nothing else vectorises, unrolls or shares.
std::optional<ShortLoop> shortLoopOf(const tree::Function &f, tree::Node &n);
/// What the statements of a short loop do; with a reason if some are not supported.
LanePlan examine(const tree::Function &f, const ShortLoop &loop);

} // namespace sdfgc::transforms

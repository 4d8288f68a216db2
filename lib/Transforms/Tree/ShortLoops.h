// Loops around other loops, and what their iterations do (VectoriseShortLoops.cpp and VectoriseOuterLoops.cpp say what for).
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
    bool moves = false; // with the variable of a loop inside that is not unrolled
    bool steps = false; // with that of a loop that is unrolled
};

/// What is found in such a loop.
struct LanePlan {
    std::map<Name, int> home;                       // the groups of variables that are declared in it
    std::map<Name, tree::VarId> variables;          // these variables
    std::set<Name> expanded;                        // those that several groups use
    std::set<Name> inHeaders;                       // names in headers of inner loops
    std::vector<LaneAccess> accesses;               // of other memory
    std::map<Name, tree::VarId> counters;           // variables that are declared in it, for headers of loops only
    std::map<const tree::Node *, int64_t> unrolled; // short loops that belong to a group, and their numbers of iterations
    int groups = 0;
    bool accumulates = false; // an inner loop changes a floating-point variable of the iteration
    bool recurs = false;      // and reads its previous value first
    diag::Reason why;         // that it cannot be done
};

/// What iterations may contain, except for arithmetic and loops around it.
struct LaneRules {
    bool arrays = false;    // of a few elements, which are declared there
    bool functions = false; // that compilers compute in vectors without another result, such as square roots
    bool unrolled = false;  // short loops as parts of a group
};

/// A statement as a loop over a constant range of nonnegative numbers that nothing else vectorises, unrolls or shares.
std::optional<ShortLoop> shortLoopOf(tree::Node &n);
/// What the statements of a loop do; with a reason if some are not supported. `count` of the loop is not used.
LanePlan examine(const tree::Function &f, const ShortLoop &loop, const LaneRules &rules = {});

} // namespace sdfgc::transforms

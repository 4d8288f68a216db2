// Puts loops over lanes around the groups of statements in a loop (ShortLoops.h finds them).
#pragma once

#include "ShortLoops.h"

#include "sdfgc/Tree/NameScopes.h"

#include <functional>

namespace sdfgc::transforms {

/// How iterations run side by side.
struct Lanes {
    int64_t count = 0;                  // of elements that an array of lanes has for a variable
    sym::Expr number;                   // of an iteration among them, inside the loop around a group
    std::map<Name, tree::VarId> arrays; // of variables that several groups use
    /// The loop over the lanes, around statements.
    std::function<tree::NodePtr(std::vector<tree::NodePtr>)> loop;
};

/// Adds arrays `NAME_lanes` to a function, one for each variable of a plan that several groups use.
std::map<Name, tree::VarId> laneArrays(tree::Function &f, tree::NameScopes &names, const LanePlan &plan, int64_t count);

/// The statements of a block, with a loop over the lanes around each group. The block is empty afterwards.
std::vector<tree::NodePtr> laneGroups(tree::Function &f, tree::Block &b, const LanePlan &plan, const Lanes &lanes);

} // namespace sdfgc::transforms

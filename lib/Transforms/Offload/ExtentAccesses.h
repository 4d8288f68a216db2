// The accesses of an SDFG to one of its arguments, and what decides about them. For AccessedExtent.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sdfgc::transforms {

/// An access of a state to the argument.
struct ExtentAccess {
    std::vector<const ir::MapEntry *> around; // outermost first
    sym::Expr extent;                         // undefined: found by `nested`
    ir::NestedSDFGNode *nested = nullptr;
};

/// An element that a memlet names, as code: `A[i, 2]`.
std::string elementOf(const ir::Edge &e, const ir::SDFG &g);

struct ExtentAccesses {
    std::string obstacle;                                                 // why they cannot be found; empty if they can
    std::set<const ir::Block *> kept;                                     // blocks that lead to accesses
    std::map<const ir::State *, std::vector<ExtentAccess>> of;            // looked up only
    std::map<const ir::InterstateEdge *, std::vector<sym::Expr>> ofEdges; // extents of elements that edges in kernels read
    std::set<const ir::Tasklet *> tasklets; // outside of scopes, that compute containers which decide; looked up only
    std::set<Name> needed, read;            // symbols and containers that decide
};

/// Turns a nested SDFG into one that finds the extent for one of its arguments, and returns why it cannot. `plain` receives the
/// extents, in terms of its symbols, if there is nothing else to know about them.
using ReduceNested = std::function<std::string(ir::SDFG &, Name argument, std::vector<sym::Expr> &plain)>;

/// Finds them. `members`: containers of the root that stand for what the caller passes.
ExtentAccesses findAccesses(ir::SDFG &g, Name array, std::size_t dimension, const std::set<Name> &members,
                            const ReduceNested &reduce);

} // namespace sdfgc::transforms

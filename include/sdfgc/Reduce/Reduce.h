// Shrinking a graph while it keeps showing a fault: delta debugging (A. Zeller, R. Hildebrandt: Simplifying and Isolating
// Failure-Inducing Input, IEEE TSE 28, 2002) over the elements of SDFGs.
//
// Each kind of removal lists its targets in a fixed order. Ranges of them are removed from a copy, first all, then halves, quarters
// and so on down to single ones; what would be left dangling is removed with them. A copy that the verifier accepts and that still
// shows the fault becomes the graph. The kinds take turns until none finds anything more.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <memory>
#include <string>

namespace sdfgc::reduce {

struct Options {
    bool verify =
        true; // only graphs that break no rule of ir::Level::Loaded are tested, but for those that the graph breaks as it is
    /// Called with every smaller graph that still shows the fault, and what was removed: `12 nodes`.
    std::function<void(const ir::SDFG &, const std::string &)> onSuccess;
    /// Asked between tests; true ends the search with what was found.
    std::function<bool()> stop;
};

struct Summary {
    std::size_t candidates = 0, tests = 0, successes = 0;
};

/// The smallest graph found. `fails` says whether a graph shows the fault; the caller has made sure that `graph` does.
/// Deterministic when `fails` is.
std::unique_ptr<ir::SDFG> shrink(const ir::SDFG &graph, const std::function<bool(const ir::SDFG &)> &fails, const Options &options,
                                 Summary *summary = nullptr);

/// Blocks, nodes, edges and containers of a graph with its nested SDFGs: what people see shrink.
std::size_t elementCount(ir::SDFG &graph);

} // namespace sdfgc::reduce

// Shrinks a graph that shows a fault: delta debugging (A. Zeller, R. Hildebrandt: Simplifying and Isolating
// Failure-Inducing Input, IEEE TSE 28, 2002) over the elements of SDFGs.
//
// Each kind of removal lists its targets in a fixed order. Ranges of them are removed from a copy: first all, then
// halves, quarters and so on down to single ones, along with elements that would be left dangling. A copy that the
// verifier accepts and that still shows the fault becomes the new graph. The kinds alternate until none makes progress.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <memory>
#include <string>

namespace sdfgc::reduce {

struct Options {
    /// Test only graphs that break no rule of ir::Level::Loaded, except rules that the original graph breaks.
    bool verify = true;
    /// Called with every smaller graph that still shows the fault, and what was removed: `12 nodes`.
    std::function<void(const ir::SDFG &, const std::string &)> onSuccess;
    /// Called between tests; returning true ends the search with the best graph so far.
    std::function<bool()> stop;
};

struct Summary {
    std::size_t candidates = 0, tests = 0, successes = 0;
};

/// Returns the smallest graph found. `fails` tells whether a graph shows the fault; `graph` must. Deterministic if
/// `fails` is.
std::unique_ptr<ir::SDFG> shrink(const ir::SDFG &graph, const std::function<bool(const ir::SDFG &)> &fails, const Options &options,
                                 Summary *summary = nullptr);

/// Returns the number of blocks, nodes, edges and containers of a graph, including nested SDFGs: the reported size.
std::size_t elementCount(ir::SDFG &graph);

} // namespace sdfgc::reduce

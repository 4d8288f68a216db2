// Graphviz output of GPU graphs.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <string>
#include <vector>

namespace sdfgc::tree {

/// A GPU graph: a region of statements, or the function that such a region became (outline-gpu-graphs).
struct GraphBody {
    Name name;
    std::string comment;
    const Function *function; // contains its variables
    const Block *body;
    /// The number of its kernels, copies and fills.
    int nodes() const;
};

/// Returns all graphs of a module, in text order.
std::vector<GraphBody> graphsOf(const Module &m);

/// Returns a graph in the language of Graphviz: its operations with the elements that they come from, and their order.
std::string printDot(const Module &m, const GraphBody &graph);
/// Returns all of them in one picture, each as a cluster.
std::string printGraphsDot(const Module &m);

} // namespace sdfgc::tree

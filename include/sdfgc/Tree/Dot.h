// Pictures of the graphs that a GPU launches.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <string>
#include <vector>

namespace sdfgc::tree {

/// One graph of the device: a region of statements, or a function that such a region became (outline-gpu-graphs).
struct GraphBody {
    Name name;
    std::string comment;
    const Function *function; // that has its variables
    const Block *body;
    /// How many kernels, copies and fills it has.
    int nodes() const;
};

/// All graphs of a module, in the order of its text.
std::vector<GraphBody> graphsOf(const Module &m);

/// A graph in the language of Graphviz: its operations with the elements that they come from, and which come before others.
std::string printDot(const Module &m, const GraphBody &graph);
/// All of them in one picture, each a cluster.
std::string printGraphsDot(const Module &m);

} // namespace sdfgc::tree

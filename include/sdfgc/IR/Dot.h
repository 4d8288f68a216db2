// The picture of a graph.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <string>

namespace sdfgc::ir {

/// The graph in the language of Graphviz: states and scopes are clusters, memlets labels of edges.
std::string printDot(const SDFG &g);

} // namespace sdfgc::ir

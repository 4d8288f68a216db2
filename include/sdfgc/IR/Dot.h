// Graphviz output of graphs.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <string>

namespace sdfgc::ir {

/// Returns the graph in the language of Graphviz: states and scopes are clusters, memlets are edge labels.
std::string printDot(const SDFG &g);

} // namespace sdfgc::ir

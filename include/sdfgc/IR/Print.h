// The text form of a graph: readable at a glance, stable names, one element a line. For people and FileCheck tests; not for
// loading.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <optional>

namespace sdfgc::ir {

struct PrintOptions {
    bool debugInfo = false; // source lines
};
std::string print(const SDFG &g, const PrintOptions &o = {});
/// Only what `part` names: SDFGs with this very name, and states with `part` in their element name or in that of one of their nodes
/// or edges, each under a line with its name. Nothing when there is none.
std::optional<std::string> printMatching(const SDFG &g, const std::string &part, const PrintOptions &o = {});
/// The graph in the language of Graphviz: states and scopes are clusters, memlets labels of edges.
std::string printDot(const SDFG &g);

} // namespace sdfgc::ir

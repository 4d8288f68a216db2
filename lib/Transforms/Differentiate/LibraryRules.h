// Finds and applies the derivative rules of library nodes.
#pragma once

#include "Transforms/Differentiate/Items.h"

#include "sdfgc/LibraryNodes/LibraryNodes.h"

namespace sdfgc::transforms::gradient {

struct Rule;
struct TangentRule;

/// The derivative of a node, as defined in LibraryNodes.def.
struct NodeRules {
    libnodes::Gradient kind = libnodes::Gradient::None;
    bool (*reverse)(Rule &) = nullptr;              // for the kind Rule
    void (*tangent)(const TangentRule &) = nullptr; // for the kind Rule
};
/// Returns the kind None for nodes that are not in the table or that it refuses.
NodeRules rulesOf(const ir::LibraryNode &n);

/// A boolean property of a node.
bool isSet(const ir::LibraryNode &n, std::string_view property, bool otherwise);

/// Returns why a factorisation or solver has no derivative. Some of its operands must be matrices with several rows and
/// columns; empty if they are.
std::string obstacleOfMatrices(const ir::LibraryNode &n, const nest::Step &s);

/// Adds the items that propagate the gradients of a node's results to its operands. Reports an error if the node has no
/// derivative.
void reverseLibraryNode(ItemReverser &r, const nest::Step &s, const ir::LibraryNode &n, Body &b, std::vector<nest::Item> &out);

} // namespace sdfgc::transforms::gradient

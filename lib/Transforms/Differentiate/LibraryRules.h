// Derivatives of library nodes: who makes them.
#pragma once

#include "Transforms/Differentiate/Items.h"

#include "sdfgc/LibraryNodes/LibraryNodes.h"

namespace sdfgc::transforms::gradient {

struct Rule;
struct TangentRule;

/// What LibraryNodes.def says of the derivative of a node.
struct NodeRules {
    libnodes::Gradient kind = libnodes::Gradient::None;
    bool (*reverse)(Rule &) = nullptr;              // of the kind Rule
    void (*tangent)(const TangentRule &) = nullptr; // of the kind Rule
};
/// Nothing (the kind None) for nodes that are not in the table or are refused there.
NodeRules rulesOf(const ir::LibraryNode &n);

/// A property of a node that is true or false.
bool isSet(const ir::LibraryNode &n, std::string_view property, bool otherwise);

/// Why a factorisation or solution has no derivative, of whose operands some must be matrices with several rows and columns; empty if they are.
std::string obstacleOfMatrices(const ir::LibraryNode &n, const nest::Step &s);

/// Adds the items that hand the gradients of a node's results to its operands. Reports an error if the node has no derivative.
void reverseLibraryNode(ItemReverser &r, const nest::Step &s, const ir::LibraryNode &n, Body &b, std::vector<nest::Item> &out);

} // namespace sdfgc::transforms::gradient

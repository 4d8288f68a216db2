// Finds and applies the derivative rules of library nodes.
#pragma once

#include "Transforms/Differentiate/Items.h"

#include "sdfgc/Analysis/Indexing.h"
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

/// A library node and the uses of its step.
struct RuleNode {
    const nest::Step &step;
    const ir::LibraryNode &node;

    /// The use at a connector, or null.
    const nest::Use *use(Name connector, bool written) const;
    std::vector<const nest::Use *> uses(bool written) const;
    /// A boolean property.
    bool isSet(std::string_view property, bool otherwise) const;
    /// How the node combines terms.
    analysis::Combination how() const;
};

/// Returns why a factorisation or solver has no derivative. Some of its operands must be matrices with several rows and
/// columns; empty if they are.
std::string obstacleOfMatrices(const ir::LibraryNode &n, const nest::Step &s);

/// Adds the items that propagate the gradients of a node's results to its operands. Reports an error if the node has no
/// derivative.
void reverseLibraryNode(ItemReverser &r, const nest::Step &s, const ir::LibraryNode &n, Body &b, std::vector<nest::Item> &out);

} // namespace sdfgc::transforms::gradient

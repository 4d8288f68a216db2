// Gradient rules of library nodes, and the data they work with. LibraryNodes.def assigns rules to nodes.
#pragma once

#include "Transforms/Differentiate/Items.h"
#include "Transforms/Differentiate/LibraryRules.h"
#include "Transforms/Differentiate/Matrices.h"

namespace sdfgc::transforms::gradient {

/// A node to reverse. A rule adds items to `out` that propagate the gradients of its results to its operands, and
/// returns whether it succeeded.
struct Rule : RuleNode {
    ItemReverser &reverser;
    Body &body;
    std::vector<nest::Item> &out;

    Maker &maker() const { return reverser.maker(); }
    /// Matrix operations that append to `out`.
    Matrices matrices();
    /// Reports that there is no derivative and returns false.
    bool refuse(const std::string &why);
};

// Products.cpp
bool reverseProduct(Rule &r);
// Sparse.cpp
bool reverseSparse(Rule &r);
// Reductions.cpp
bool reverseReduction(Rule &r);
bool reverseTransposition(Rule &r);
// Factorisations.cpp
bool reverseCholesky(Rule &r);
bool reverseSolution(Rule &r);
bool reverseInversion(Rule &r);
bool reverseTriangle(Rule &r);
bool reverseFactorisation(Rule &r);
bool reverseFactoredSolution(Rule &r);

/// Propagates `beta` times the gradient of a result to its addend, which is a separate operand or (null) the old
/// contents of the result, and clears the rest.
bool reverseAddend(Rule &r, const nest::Use *addend, const nest::Use &result);

} // namespace sdfgc::transforms::gradient

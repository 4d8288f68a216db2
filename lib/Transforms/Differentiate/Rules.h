// Rules for gradients of library nodes, and what they work with. LibraryNodes.def says whose rule each is.
#pragma once

#include "Transforms/Differentiate/Items.h"
#include "Transforms/Differentiate/Matrices.h"

namespace sdfgc::transforms::gradient {

/// A node that is reversed. A rule adds items to `out` that hand the gradients of its results to its operands, and returns whether it could.
struct Rule {
    ItemReverser &reverser;
    const nest::Step &step;
    const ir::LibraryNode &node;
    Body &body;
    std::vector<nest::Item> &out;

    Maker &maker() const { return reverser.maker(); }
    /// The use at a connector, or null.
    const nest::Use *use(Name connector, bool written) const;
    std::vector<const nest::Use *> uses(bool written) const;
    /// A property of the node as text.
    std::string text(std::string_view property, std::string_view otherwise = "") const;
    bool isSet(std::string_view property, bool otherwise) const;
    /// Operations on matrices, which are added to `out`.
    Matrices matrices();
    /// Reports that there is no derivative; false.
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

/// Hands `beta` times the gradient of a result to what was added, an operand of its own or (null) what the result held, and clears the rest.
bool reverseAddend(Rule &r, const nest::Use *addend, const nest::Use &result);

} // namespace sdfgc::transforms::gradient

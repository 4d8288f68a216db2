// What rules for library nodes work with.
#pragma once

#include "Transforms/Differentiate/Items.h"

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
    bool flag(std::string_view property) const;
    /// Reports that there is no derivative; false.
    bool refuse(const std::string &why);
};

// One for each kind of nodes.
bool reverseProduct(Rule &r);       // Products.cpp: MatMul, Gemm, Gemv, Dot, Einsum
bool reverseReduction(Rule &r);     // Reductions.cpp: Reduce
bool reverseTransposition(Rule &r); // Reductions.cpp: Transpose, TensorTranspose
bool reverseCholesky(Rule &r);      // Factorisations.cpp
bool reverseSolution(Rule &r);
bool reverseInversion(Rule &r);

} // namespace sdfgc::transforms::gradient

// Contractions: sums of products over labelled dimensions, what all matrix products, einsum and tensordot are.
//
//   result[labels] = alpha * sum over the labels that the result lacks of factor_0[labels] * factor_1[labels] * ...
//                    + beta * addend[labels]
#pragma once

#include "Expansion.h"

namespace sdfgc::libnodes {

/// A container with one label per dimension of the operand's subset. `unit` is a dimension of size one that is left out.
struct Factor {
    static constexpr int unit = -1;
    Name connector;
    Operand operand;
    std::vector<int> labels;

    Factor() = default;
    /// All dimensions unit, until they get labels.
    Factor(Name connector, Operand o);
    sym::Expr size(std::size_t dim) const { return operand.subset.dims[dim].size(); }
    bool isUnit(std::size_t dim) const { return size(dim).isOne(); }
    /// Gives a dimension its label; one of size one stays without (it broadcasts).
    void set(std::size_t dim, int label);
    /// Gives the non-unit dimensions the labels that are not unit, in order. False when their number differs.
    bool setNonUnit(const std::vector<int> &labels);

    bool has(int label) const;
    /// Stride of a label; of a label that occurs twice (a diagonal) the sum of both. Zero when it does not occur.
    sym::Expr stride(int label) const;
};

/// A coefficient: Python text and its symbolic value.
struct Coefficient {
    std::string text = "1";
    sym::Expr value = 1;
    bool isZero() const;
    bool isOne() const;
};
/// Reads a coefficient from a property of the node: a number or symbolic text.
Coefficient coefficient(Expansion &x, const char *property, const char *otherwise);

struct Contraction {
    std::vector<Factor> factors;
    Factor result;
    std::vector<sym::Expr> sizes; // by label
    Coefficient alpha, beta{"0", 0};
    Factor addend; // operand absent: beta applies to the old content of the result

    /// A label for a dimension of this size. Provably one: Factor::unit.
    int label(sym::Expr size);
    /// Labels that the result has / lacks, in order.
    std::vector<int> kept() const;
    std::vector<int> summed() const;
};

/// Builds the nested SDFG for the contraction and puts it in the node's place. A BLAS call when the toolchain has one, the layout
/// and types fit and the product is not provably small; maps otherwise. Reports and returns false when the operands do not fit.
bool expandContraction(Expansion &x, Contraction c);

/// The call that computes target (+)= alpha * product with BLAS, that of the host or that of the device. `overwrite`: beta is zero,
/// else one. Nothing when BLAS cannot; `why` then says why.
std::optional<LibraryCall> blasProduct(Expansion &x, const Contraction &c, const Factor &target, bool overwrite, std::string &why);

/// The same with the device's library for tensors; nothing when it cannot, or the toolchain lacks it.
std::optional<LibraryCall> tensorProduct(Expansion &x, const Contraction &c, const Factor &target, bool overwrite);

/// Why types or the coefficient keep libraries away; empty when they do not.
std::string unfitForLibraries(const Contraction &c, const Factor &target);

} // namespace sdfgc::libnodes

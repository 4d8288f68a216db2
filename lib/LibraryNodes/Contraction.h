// Contractions: sums of products over labelled dimensions (sdfgc/Analysis/Indexing.h). Matrix products, einsum,
// tensordot, transpositions and axpy are expanded as contractions.
#pragma once

#include "Expansion.h"

#include "sdfgc/Analysis/Indexing.h"

namespace sdfgc::libnodes {

/// A container with one label per dimension of the operand's subset. `unit` marks dimensions of one element, which have no loop.
struct Factor {
    static constexpr int unit = -1;
    Name connector;
    Operand operand;
    std::vector<int> labels;

    sym::Expr size(std::size_t dim) const { return operand.subset.dims[dim].size(); }
    bool has(int label) const;
    /// Stride of a label; the sum of both strides if it occurs twice (a diagonal), zero if it does not occur.
    sym::Expr stride(int label) const;
};

/// A coefficient: Python text and its symbolic value.
struct Coefficient {
    std::string text = "1";
    sym::Expr value = 1;
    bool isZero() const;
    bool isOne() const;
};
/// Reads a coefficient of the node (analysis::Combination): a number or symbolic text.
Coefficient coefficient(Expansion &x, std::string text);

struct Contraction {
    std::vector<Factor> factors;
    Factor result;
    std::vector<sym::Expr> sizes; // by label
    Coefficient alpha, beta{"0", 0};
    Factor addend; // operand absent: beta applies to the old content of the result

    /// Labels that the result has / lacks, in order.
    std::vector<int> kept() const;
    std::vector<int> summed() const;
};

/// The call that computes target (+)= alpha * product with the BLAS of the host or the device. Beta is zero with `overwrite`, else
/// one. Returns nothing if BLAS cannot compute it, and sets `why`.
std::optional<LibraryCall> blasProduct(Expansion &x, const Contraction &c, const Factor &target, bool overwrite, std::string &why);

/// The same with the device's tensor library; nothing if it cannot compute it or the toolchain lacks it.
std::optional<LibraryCall> tensorProduct(Expansion &x, const Contraction &c, const Factor &target, bool overwrite);

/// Why the types or the coefficient rule out library calls; empty if they do not.
std::string unfitForLibraries(const Contraction &c, const Factor &target);

} // namespace sdfgc::libnodes

// The meaning of library nodes: which loops run along the dimensions of their operands, and how the terms are combined.
//
//     result[...] = beta * addend[...] + sum over the combined loops of alpha * factor_0[...] * factor_1[...] * ...
//
//     MatMul, Gemm   c[m, n] = beta * c[m, n] + sum over k of alpha * a[m, k] * b[k, n]
//     Einsum         c[i] = sum over j of a[i, j, j]
//     Transpose      out[j, i] = in[i, j]
//     Axpy           res[i] = y[i] + a * x[i]
//     Reduce         out[i] = f over j of in[i, j]              from an initial value, or from the old contents of out
//
// A loop is a label of dimensions: as in MLIR's indexing maps, two dimensions with one label have the same index. The
// loops of a result are parallel, all others are combined. LibraryNodes.def states for each class how its dimensions
// get labels. Passes and expansions ask here what a node means, instead of comparing the names of classes.
//
// Dimensions of one element are optional in operands (docs/user/library-nodes.md). They have a label of one element
// where the operand has them, or none. None means that the index does not vary, as for an operand that is broadcast.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sdfgc::analysis {

/// An operand of a library node: the elements at one connector.
struct IndexedOperand {
    Name connector;
    bool written = false;
    sym::Subset subset;
    std::vector<int> labels; // of each dimension: an index of Indexing::labels, or Indexing::none

    bool has(int label) const;
    sym::Expr size(std::size_t dim) const { return subset.dims[dim].size(); }
    bool isUnit(std::size_t dim) const { return size(dim).isOne(); }
};
/// The operands of a node in a state, without labels. Operands that are not data, such as communicators, are left out.
std::vector<IndexedOperand> operandsOf(const ir::LibraryNode &n);

/// How a node combines terms with each other and with the old contents of its result, independent of shapes.
struct Combination {
    std::string function;                // of two values: Python text of a lambda
    bool isReduction = false;            // the node specifies the function (Reduce); otherwise it is a sum
    std::optional<std::string> start;    // initial value of a reduction, as Python text
    std::string alpha = "1", beta = "0"; // Python text
    Name addend;                         // connector of what `beta` scales; empty: the old contents of the result

    bool isAlpha(int64_t value) const;
    bool isBeta(int64_t value) const;
    /// Does the result depend on its old contents?
    bool keepsOld() const { return isReduction ? !start : !isBeta(0) && addend.empty(); }
};
/// Nothing for nodes that do not combine terms. `operands`: where the addend is looked for.
std::optional<Combination> combinationOf(const ir::LibraryNode &n, const std::vector<IndexedOperand> &operands);
std::optional<Combination> combinationOf(const ir::LibraryNode &n);
/// Does a node reduce its input by a function that it specifies?
bool isReduction(const ir::LibraryNode &n);
/// Does a node have loops (indexingOf), unless its operands do not fit?
bool isIndexed(const ir::LibraryNode &n);

struct Indexing {
    static constexpr int none = -1;
    struct Label {
        sym::Expr size;
        char letter = 0; // in the notation of einsum
    };
    std::vector<Label> labels;
    std::vector<IndexedOperand> factors;
    IndexedOperand result;
    std::optional<IndexedOperand> addend; // broadcast to the result; also if `beta` is zero
    std::vector<Name> others;             // connectors of inputs that the node does not use
    Combination how;
    bool hasOwnNames = false; // the program chooses the connectors (Einsum)

    bool isUnit(int label) const { return label == none || labels[static_cast<std::size_t>(label)].size.isOne(); }
    /// Labels of several elements, in the order of the operand's dimensions.
    std::vector<int> loopsOf(const IndexedOperand &o) const;
    /// Labels that the result lacks, in the order of the factors, including those of one element.
    std::vector<int> combined() const;
    /// For each dimension of a factor with several elements, the dimension of the result with this label, or -1.
    std::vector<int> dimsInResult(const IndexedOperand &factor) const;
};

/// An indexing, or the reason why there is none: the node has no such form, or its operands do not fit.
struct Indexed : std::optional<Indexing> {
    std::string why, hint;
};
Indexed indexingOf(const ir::LibraryNode &n, std::vector<IndexedOperand> operands);
Indexed indexingOf(const ir::LibraryNode &n);

/// What passes ask about a node beyond its indexing.
enum class Trait : uint8_t {
    Product = 1,       // names a product of matrices or vectors and no routine, so passes may choose how it is computed
    HasCode = 2,       // its property `code` holds assignments in Python
    KeepsElements = 4, // leaves some elements of its outputs as they are
    WritesAll = 8,     // writes all elements of its outputs, although its operands do not share loops
    System = 16,       // solves A X = B for each matrix `_ain`
    Inverts = 32,      // a system whose right-hand side is the identity, so there is no `_bin`
    Triangle = 64,     // factorises `_a` and writes one triangle of the result, zeros to the other
};
bool has(const ir::LibraryNode &n, Trait trait);

/// A class that was in another library in earlier versions of DaCe.
struct MovedNode {
    std::string_view className, from, to;
};
const std::vector<MovedNode> &movedNodes();
/// The position of the node's class among the rows SDFGC_LIBRARY_NODE of LibraryNodes.def, or nothing.
std::optional<std::size_t> libraryRow(const ir::LibraryNode &n);

} // namespace sdfgc::analysis

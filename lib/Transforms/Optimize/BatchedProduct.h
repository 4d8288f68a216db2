// A product in the iterations of a loop, as one product over all iterations.
//
//     T[q, p] = sum over k of A[r, q, k] * C[k, p]          T'[r, q, p] = sum over k of A[r, q, k] * C[k, p]
//     T[k] = sum over n of D[n, i] * D[n, i + k]      ->    T'[i, j] = sum over n of D[n, i] * D[n, j]
//
// The loop variable becomes a further label. An operand whose index moves with it has the label in that dimension. A slice
// that gets shorter or longer from one iteration to the next (a triangle) becomes the entire range that any iteration uses;
// element `k` of an iteration is then at `k + shift`.
#pragma once

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/Nest/Nest.h"

#include <map>

namespace sdfgc::transforms {

/// The difference between the values of an expression at a value of a variable and at the one before; nothing unless it is a constant.
std::optional<int64_t> slopeOf(sym::Expr e, Name variable);

/// A container with an element for each iteration of a loop, in place of one that is private to an iteration. Its first
/// dimension is the number of the iteration.
struct PerIteration {
    std::vector<std::size_t> dims;        // of the private container, that are kept: those with several elements
    std::vector<sym::Expr> sizes, shifts; // of these dimensions; an element of an iteration is at its index plus the shift
    bool byColumns = false;               // matrices whose columns are contiguous
    Name made;
    analysis::Memory memory = -1; // of `made`
};
using PrivateContainers = std::map<Name, PerIteration>;

class BatchedProduct {
public:
    /// The loop counts by one. `locals`: containers that will have elements for each iteration. All must outlive this.
    BatchedProduct(const nest::Step &step, const analysis::LoopLevel &loop, const ir::SDFG &g, const sym::Assumptions &facts,
                   const std::set<Name> &locals)
        : step_(step), loop_(loop), g_(g), facts_(facts), locals_(locals) {}

    /// Is a step a sum of products, which have a batched form?
    static bool isProduct(const nest::Step &step);

    /// Why the products have no common form; empty if they have.
    diag::Reason read();

    /// A dimension of the result, with several elements.
    struct Dim {
        std::size_t dim = 0;     // of the container
        int label = 0;           // its position among the labels
        bool triangular = false; // has another size in each iteration
        sym::Expr size, shift;   // in all iterations; the position of its first element in one of them
    };
    /// The result of an iteration; a container, not a view of it.
    const nest::Use &result() const { return result_.use; }
    const std::vector<Dim> &dims() const { return dims_; }
    /// Does each iteration write other elements of the result, at an index that moves with the loop?
    bool isSpread() const;

    /// Does a factor differ between iterations? `locals` may have lost members since `read`.
    bool moves() const;
    /// Is a container a factor?
    bool reads(Name data) const;
    /// Does a vector of each iteration become a row of a matrix, so that a product of matrices replaces those of a matrix and a vector?
    bool gainsDimension() const;

    /// The product with its result in the same container; `isSpread` must hold.
    nest::Item inPlace(const PrivateContainers &containers) const;
    /// The product with its result in another container, whose dimensions are those of `dims`.
    nest::Item into(const PerIteration &container, const PrivateContainers &containers) const;

private:
    struct Operand {
        nest::Use use;
        std::vector<std::size_t> dims;    // with several elements
        std::vector<int> labels;          // of those
        std::optional<std::size_t> along; // the dimension whose index moves with the loop
        sym::Subset all;                  // the elements of all iterations
    };
    struct Label {
        sym::Expr size, shift;
        bool isKnown = false, triangular = false;
    };

    diag::Reason readOperand(const nest::Use &u, std::vector<int> labels, Operand &out) const;
    diag::Reason findAlong(Operand &o) const;
    diag::Reason readRanges(Operand &o);
    diag::Reason readResult();
    std::optional<int64_t> slope(sym::Expr e) const { return slopeOf(e, loop_.variable); }
    bool isSpread(const Operand &o) const { return o.along || locals_.count(o.use.data) != 0; }
    sym::Expr at(sym::Expr e, sym::Expr value) const;
    nest::Use placed(const Operand &o, const PrivateContainers &containers, std::string &letters) const;
    nest::Item made(nest::Use result, const std::string &resultLetters, const PrivateContainers &containers) const;

    const nest::Step &step_;
    const analysis::LoopLevel &loop_;
    const ir::SDFG &g_;
    const sym::Assumptions &facts_;
    const std::set<Name> &locals_;
    std::vector<int> combined_; // labels that the result lacks
    std::vector<Operand> factors_;
    Operand result_;
    std::vector<Dim> dims_;
    std::vector<Label> labels_;
};

} // namespace sdfgc::transforms

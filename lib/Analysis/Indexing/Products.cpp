// Products of matrices and vectors: MatMul, Gemm, BatchedMatMul, Gemv, Dot, Ger (format reference 7.3), and Axpy.
//
// MatMul follows NumPy's `@`:
//
//   [..., m, k] @ [..., k, n] -> [..., m, n]   leading dimensions broadcast
//   [m, k] @ [k] -> [m]     [k] @ [k, n] -> [n]     [k] @ [k] -> []
//
// The shapes are those of the memlets, including unit dimensions. If they do not fit each other, unit dimensions are dropped: a row
// of a matrix is passed as the vector `B[i, 0:K]`.
#include "Analysis/Indexing/Labelling.h"

#include <algorithm>

namespace sdfgc::analysis {

namespace {

using Dims = std::vector<std::size_t>;

Dims allDims(const IndexedOperand &o) {
    Dims d(o.subset.rank());
    for (std::size_t i = 0; i < d.size(); ++i)
        d[i] = i;
    return d;
}

/// The dimensions of an operand that is a matrix (`rank` 2) or a vector (1): all, those of several elements, or the last ones.
std::optional<Dims> dimsOfRank(const IndexedOperand &o, std::size_t rank) {
    const Dims all = allDims(o), loops = o.subset.nonUnitDims();
    if (all.size() == rank)
        return all;
    if (loops.size() == rank)
        return loops;
    if (all.size() < rank || loops.size() > rank)
        return std::nullopt;
    const Dims last(all.end() - static_cast<std::ptrdiff_t>(rank), all.end());
    return loops.empty() || loops.front() >= last.front() ? std::optional(last) : std::nullopt;
}

bool sizesAgree(const IndexedOperand &f, std::size_t i, const IndexedOperand &g, std::size_t j) {
    return f.isUnit(i) == g.isUnit(j) && sym::isEqual(f.size(i), g.size(j)) != sym::Truth::False;
}

/// A product of two factors.
class Product {
public:
    Product(Labelling &l, Name a, Name b, Name c) : l_(l), a_(l.input(a)), b_(l.input(b)), c_(l.output(c)) {}

    /// False, with the reason, if there are no operands.
    bool isComplete() { return (a_ && b_ && c_) || l_.refuse("an operand is missing"); }
    const IndexedOperand &a() const { return *a_; }
    const IndexedOperand &b() const { return *b_; }
    /// NumPy's `@` over these dimensions; false if the shapes do not fit.
    bool matmul(Dims a, Dims b, bool transA, bool transB);
    bool outer();
    bool finish() {
        l_.factors = {a_, b_};
        l_.result = c_;
        return true;
    }
    bool mismatch() {
        return l_.refuse("the shapes of its operands do not match: " + shape(*a_) + ", " + shape(*b_) + " -> " + shape(*c_));
    }

private:
    static std::string shape(const IndexedOperand &o) { return o.connector.str() + "[" + o.subset.str() + "]"; }
    Labelling &l_;
    IndexedOperand *a_, *b_, *c_;
};

bool Product::matmul(Dims a, Dims b, bool transA, bool transB) {
    l_.clear();
    if (a.empty() || b.empty())
        return false;
    if (transA && a.size() > 1)
        std::swap(a.end()[-1], a.end()[-2]);
    if (transB && b.size() > 1)
        std::swap(b.end()[-1], b.end()[-2]);
    const std::size_t ka = a.back(), kb = b.size() > 1 ? b.end()[-2] : b.back();
    if (!sizesAgree(*a_, ka, *b_, kb))
        return false;
    const int k = l_.label(a_->size(ka));
    l_.set(*a_, ka, k);
    l_.set(*b_, kb, k);
    std::vector<int> result;
    const std::size_t batchA = a.size() > 2 ? a.size() - 2 : 0, batchB = b.size() > 2 ? b.size() - 2 : 0,
                      batch = std::max(batchA, batchB);
    for (std::size_t i = 0; i < batch; ++i) {
        const bool inA = i + batchA >= batch, inB = i + batchB >= batch;
        const std::size_t da = inA ? a[i + batchA - batch] : 0, db = inB ? b[i + batchB - batch] : 0;
        const bool fromA = inA && !a_->isUnit(da);
        if (fromA && inB && !b_->isUnit(db) && !sizesAgree(*a_, da, *b_, db))
            return false;
        result.push_back(l_.label(fromA ? a_->size(da) : inB ? b_->size(db) : sym::Expr(1)));
        if (inA)
            l_.set(*a_, da, result.back());
        if (inB)
            l_.set(*b_, db, result.back());
    }
    if (a.size() > 1) {
        result.push_back(l_.label(a_->size(a.end()[-2])));
        l_.set(*a_, a.end()[-2], result.back());
    }
    if (b.size() > 1) {
        result.push_back(l_.label(b_->size(b.back())));
        l_.set(*b_, b.back(), result.back());
    }
    return l_.setAll(*c_, result);
}

bool Product::outer() {
    const auto x = dimsOfRank(*a_, 1), y = dimsOfRank(*b_, 1);
    if (!x || !y)
        return false;
    const int m = l_.label(a_->size(x->front())), n = l_.label(b_->size(y->front()));
    l_.set(*a_, x->front(), m);
    l_.set(*b_, y->front(), n);
    return l_.setAll(*c_, {m, n});
}

} // namespace

bool labelMatMul(Labelling &l) {
    Product p(l, "_a", "_b", "_c");
    if (!p.isComplete())
        return false;
    const bool transA = l.flag("transA"), transB = l.flag("transB");
    const auto a = dimsOfRank(p.a(), 2), b = dimsOfRank(p.b(), 2);
    const bool fits = p.matmul(allDims(p.a()), allDims(p.b()), transA, transB) || (a && b && p.matmul(*a, *b, transA, transB)) ||
                      p.matmul(p.a().subset.nonUnitDims(), p.b().subset.nonUnitDims(), transA, transB);
    return fits ? p.finish() : p.mismatch();
}

bool labelGemv(Labelling &l) {
    Product p(l, "_A", "_x", "_y");
    if (!p.isComplete())
        return false;
    const auto a = dimsOfRank(p.a(), 2), x = dimsOfRank(p.b(), 1);
    return a && x && p.matmul(*a, *x, l.flag("transA"), false) ? p.finish() : p.mismatch();
}

bool labelDot(Labelling &l) {
    Product p(l, "_x", "_y", "_result");
    if (!p.isComplete())
        return false;
    const auto x = dimsOfRank(p.a(), 1), y = dimsOfRank(p.b(), 1);
    return x && y && p.matmul(*x, *y, false, false) ? p.finish() : p.mismatch();
}

bool labelGer(Labelling &l) {
    Product p(l, "_x", "_y", "_res");
    if (!p.isComplete())
        return false;
    if (l.addend.empty())
        return l.refuse("an operand is missing");
    return p.outer() ? p.finish() : p.mismatch();
}

bool labelAxpy(Labelling &l) {
    IndexedOperand *x = l.input("_x"), *y = l.input("_y"), *result = l.output("_res");
    if (!x || !y || !result)
        return l.refuse("an operand is missing");
    for (std::size_t d = 0; d < x->labels.size(); ++d)
        l.set(*x, d, l.label(x->size(d)));
    if (!l.setAll(*y, x->labels) || !l.setAll(*result, x->labels))
        return l.refuse("its vectors have different shapes");
    l.factors = {x};
    l.result = result;
    return true;
}

} // namespace sdfgc::analysis

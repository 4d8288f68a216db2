// Products of matrices and vectors: MatMul, Gemm, BatchedMatMul, Gemv, Dot, Ger (format reference 7.3).
//
// All are contractions; this file gives the dimensions of the operands their labels. MatMul follows NumPy's `@`:
//
//   [..., m, k] @ [..., k, n] -> [..., m, n]   leading dimensions broadcast
//   [m, k] @ [k] -> [m]     [k] @ [k, n] -> [n]     [k] @ [k] -> []
//
// The shapes of the memlets count, unit dimensions included. When those do not fit each other, the shapes without unit dimensions
// do: a row of a matrix is passed as the vector `B[i, 0:K]`.
#include "Contraction.h"
#include "Expanders.h"

#include <algorithm>

namespace sdfgc::libnodes {

using namespace ir;

namespace {

using Dims = std::vector<std::size_t>;

Dims allDims(const Operand &o) {
    Dims d(o.subset.rank());
    for (std::size_t i = 0; i < d.size(); ++i)
        d[i] = i;
    return d;
}

/// The dimensions of an operand that is a matrix (`rank` 2) or a vector (1): as stored, or without unit dimensions, or the last
/// ones.
std::optional<Dims> dimsOfRank(const Operand &o, std::size_t rank) {
    Dims all = allDims(o);
    if (all.size() == rank)
        return all;
    if (o.rank() == rank)
        return o.dims;
    if (all.size() < rank || o.rank() > rank)
        return std::nullopt;
    Dims last(all.end() - static_cast<std::ptrdiff_t>(rank), all.end());
    bool covers = std::all_of(o.dims.begin(), o.dims.end(), [&](std::size_t d) { return d >= last.front(); });
    return covers ? std::optional(last) : std::nullopt;
}

class MatrixProduct {
public:
    MatrixProduct(Expansion &x, Name a, Name b, Name c) : x_(x) {
        a_ = Factor(a, x.input(a));
        b_ = Factor(b, x.input(b));
        c_ = Factor(c, x.output(c));
    }
    bool complete() const { return a_.operand && b_.operand && c_.operand; }
    /// NumPy's `@` over these dimensions; false when the shapes do not fit.
    bool matmul(Dims a, Dims b, bool transA, bool transB);
    bool outer();
    Factor &a() { return a_; }
    Factor &b() { return b_; }
    Factor &c() { return c_; }
    /// Expands with the coefficients of the node (`beta` when it has none of that name) and an addend at `addend`.
    bool expand(Name addend, const char *beta = "0");
    bool mismatch() {
        return x_.refuse("the shapes of its operands do not fit: " + shape(a_) + ", " + shape(b_) + " -> " + shape(c_));
    }

private:
    static std::string shape(const Factor &f) { return f.connector.str() + "[" + f.operand.subset.str() + "]"; }
    bool sizesAgree(const Factor &f, std::size_t i, const Factor &g, std::size_t j) const {
        return f.isUnit(i) == g.isUnit(j) && sym::isEqual(f.size(i), g.size(j)) != sym::Truth::False;
    }
    void clear() {
        for (Factor *f : {&a_, &b_, &c_})
            std::fill(f->labels.begin(), f->labels.end(), Factor::unit);
        k_ = {};
    }
    Expansion &x_;
    Factor a_, b_, c_;
    Contraction k_;
};

bool MatrixProduct::matmul(Dims a, Dims b, bool transA, bool transB) {
    clear();
    if (a.empty() || b.empty())
        return false;
    if (transA && a.size() > 1)
        std::swap(a[a.size() - 1], a[a.size() - 2]);
    if (transB && b.size() > 1)
        std::swap(b[b.size() - 1], b[b.size() - 2]);
    std::size_t ka = a.back(), kb = b.size() > 1 ? b[b.size() - 2] : b.back();
    if (!sizesAgree(a_, ka, b_, kb))
        return false;
    int k = k_.label(a_.size(ka));
    a_.set(ka, k);
    b_.set(kb, k);
    std::vector<int> result;
    std::size_t batchA = a.size() > 2 ? a.size() - 2 : 0, batchB = b.size() > 2 ? b.size() - 2 : 0,
                batch = std::max(batchA, batchB);
    for (std::size_t i = 0; i < batch; ++i) {
        bool inA = i + batchA >= batch, inB = i + batchB >= batch;
        std::size_t da = inA ? a[i + batchA - batch] : 0, db = inB ? b[i + batchB - batch] : 0;
        bool fromA = inA && !a_.isUnit(da);
        if (fromA && inB && !b_.isUnit(db) && !sizesAgree(a_, da, b_, db))
            return false;
        int l = fromA ? k_.label(a_.size(da)) : inB ? k_.label(b_.size(db)) : Factor::unit;
        if (inA)
            a_.set(da, l);
        if (inB)
            b_.set(db, l);
        result.push_back(l);
    }
    if (a.size() > 1) {
        std::size_t m = a[a.size() - 2];
        result.push_back(k_.label(a_.size(m)));
        a_.set(m, result.back());
    }
    if (b.size() > 1) {
        std::size_t n = b.back();
        result.push_back(k_.label(b_.size(n)));
        b_.set(n, result.back());
    }
    return c_.setNonUnit(result);
}

bool MatrixProduct::outer() {
    clear();
    auto x = dimsOfRank(a_.operand, 1), y = dimsOfRank(b_.operand, 1);
    if (!x || !y)
        return false;
    int m = k_.label(a_.size(x->front())), n = k_.label(b_.size(y->front()));
    a_.set(x->front(), m);
    b_.set(y->front(), n);
    return c_.setNonUnit({m, n});
}

/// The operand at the connector `name` with the labels of the result: of equal shape, or broadcast to it.
Factor addendLike(Expansion &x, Name name, const Factor &result) {
    Factor f(name, x.input(name));
    const std::vector<int> &labels = result.labels;
    for (std::size_t i = 1; i <= std::min(labels.size(), f.labels.size()); ++i)
        f.set(f.labels.size() - i, labels[labels.size() - i]);
    return f;
}

bool MatrixProduct::expand(Name addend, const char *beta) {
    for (const Edge *e : x_.node().inEdges()) // streams and handles of a library come by connectors, too
        if (const DataDesc *d = x_.node().state()->sdfg()->desc(e->memlet.data); d && d->dtype.isNumeric() && !e->dstConn.empty() &&
                                                                                 e->dstConn != a_.connector &&
                                                                                 e->dstConn != b_.connector && e->dstConn != addend)
            return x_.refuse("`" + e->dstConn.str() + "` is none of its operands", "factors are properties, `alpha` and `beta`");
    k_.alpha = coefficient(x_, "alpha", "1");
    k_.beta = coefficient(x_, "beta", beta);
    Operand in = addend.empty() ? Operand() : x_.input(addend);
    if (in) {
        bool same = sameMemory(in, c_.operand), conflicts = !c_.operand.edge->memlet.wcr.empty();
        if (addend == c_.connector && (!same || conflicts)) {
            addend = Name("_addend");
            x_.renameInput(c_.connector, addend);
        }
        if (!k_.beta.isZero() && addend != c_.connector)
            k_.addend = addendLike(x_, addend, c_);
    }
    k_.factors = {a_, b_};
    k_.result = c_;
    return expandContraction(x_, std::move(k_));
}

/// A product of the two operands as matrices, of rank 2 in whichever way they are.
bool expandGemmLike(Expansion &x, Name a, Name b, Name c, Name addend) {
    MatrixProduct p(x, a, b, c);
    if (!p.complete())
        return x.refuse("an operand is missing");
    bool transA = x.boolean("transA", false), transB = x.boolean("transB", false);
    if (!p.matmul(allDims(p.a().operand), allDims(p.b().operand), transA, transB)) {
        auto da = dimsOfRank(p.a().operand, 2), db = dimsOfRank(p.b().operand, 2);
        bool fits = da && db && p.matmul(*da, *db, transA, transB);
        if (!fits && !p.matmul(p.a().operand.dims, p.b().operand.dims, transA, transB))
            return p.mismatch();
    }
    return p.expand(addend);
}

} // namespace

bool expandMatMul(State &s, LibraryNode &n, pass::Context &c) {
    Expansion x(s, n, c);
    return expandGemmLike(x, "_a", "_b", "_c", "_cin");
}

bool expandGemm(State &s, LibraryNode &n, pass::Context &c) {
    Expansion x(s, n, c);
    return expandGemmLike(x, "_a", "_b", "_c", n.inEdge("_cin") ? "_cin" : "_c");
}

bool expandGemv(State &s, LibraryNode &n, pass::Context &c) {
    Expansion x(s, n, c);
    MatrixProduct p(x, "_A", "_x", "_y");
    if (!p.complete())
        return x.refuse("an operand is missing");
    auto a = dimsOfRank(p.a().operand, 2), v = dimsOfRank(p.b().operand, 1);
    if (!a || !v || !p.matmul(*a, *v, x.boolean("transA", false), false))
        return p.mismatch();
    return p.expand("_y");
}

bool expandDot(State &s, LibraryNode &n, pass::Context &c) {
    Expansion x(s, n, c);
    MatrixProduct p(x, "_x", "_y", "_result");
    if (!p.complete())
        return x.refuse("an operand is missing");
    auto a = dimsOfRank(p.a().operand, 1), b = dimsOfRank(p.b().operand, 1);
    if (!a || !b || !p.matmul(*a, *b, false, false))
        return p.mismatch();
    return p.expand({});
}

bool expandGer(State &s, LibraryNode &n, pass::Context &c) {
    Expansion x(s, n, c);
    MatrixProduct p(x, "_x", "_y", "_res");
    if (!p.complete() || !x.input("_A"))
        return x.refuse("an operand is missing");
    if (!p.outer())
        return p.mismatch();
    return p.expand("_A", "1");
}

} // namespace sdfgc::libnodes

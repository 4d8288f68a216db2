// Gradients of Cholesky and Potrf nodes. Bars denote gradients.
//
//     A = L L^T      S = L^-T F(L^T Lbar) L^-1, where F keeps the lower triangle, with half of the diagonal
//                    Abar[i, j] += S[i, j] + S[j, i] below the diagonal, S[i, i] on it: only this triangle of A is read
//
// The computation is blocked, so that most of the work is products of half the size:
//
//     L11 = chol(A11)      L21 = A21 L11^-T      L22 = chol(A22 - L21 L21^T)      and backwards
//     A22bar = as above    T = A22bar + A22bar^T, L21bar -= T L21
//     A21bar = L21bar L11^-1      L11bar -= A21bar^T L21      A11bar = as above
//
// The factor of an upper triangle, A = U^T U, is the transpose of the lower factor of the same matrix.
#include "Transforms/Differentiate/Matrices.h"
#include "Transforms/Differentiate/Rules.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Use;
using nest::UseKind;

namespace {

class Cholesky {
public:
    Cholesky(Rule &r, Matrices &m, const Use &a, const Use &l, bool lower)
        : r_(r), m_(m), a_(a), at_(lower ? Matrices::At::Place : Matrices::At::Transposed), lower_(lower) {
        const std::vector<sym::Expr> shape = Matrices::shapeOf(l);
        size_ = shape[0];
        gradient_ = m.make("weights", l, shape);
        m.each("weights", shape, "out = g", {{"g", r.reverser.gradient(l, UseKind::Read, {}, r.body), at_}}, m.whole(gradient_),
               false);
    }

    /// The gradient of the factor is read, and possibly cleared by `clear`, before anything is added to that of A.
    void run(const Use &values, const std::function<void()> &clear) {
        factor_ = m_.make("factor", values, {size_, size_});
        m_.each("factor", {size_, size_}, "out = g if ROW >= COLUMN else 0", {{"g", values, at_}}, m_.whole(factor_), false);
        if (const auto n = size_.asInt(); n && *n < 4) { // blocks of one element would have fewer dimensions
            const Name whole = solved(m_.whole(factor_), m_.whole(gradient_), size_);
            clear();
            return add(whole, 0, size_, 0, size_);
        }
        const sym::Expr h = sym::floorDiv(size_, 2), rest = size_ - h;
        const Use g11 = m_.block(m_.whole(gradient_), 0, h, 0, h), g21 = m_.block(m_.whole(gradient_), h, rest, 0, h);
        const Use l11 = m_.block(m_.whole(factor_), 0, h, 0, h), l21 = m_.block(m_.whole(factor_), h, rest, 0, h);
        const Name a22 =
            solved(m_.block(m_.whole(factor_), h, rest, h, rest), m_.block(m_.whole(gradient_), h, rest, h, rest), rest);
        const Name both = m_.make("symmetric", m_.whole(a22), {rest, rest});
        m_.each("mirror", {rest, rest}, "out = g if ROW > COLUMN else (h if ROW < COLUMN else 2 * g)",
                {{"g", m_.whole(a22)}, {"h", m_.whole(a22), Matrices::At::Transposed}}, m_.whole(both), false);
        m_.product("ij,jk->ik", m_.whole(both), l21, g21, "-1", true);
        const Name a21 = m_.solve(l11, g21, {.left = false});
        m_.product("ki,kj->ij", m_.whole(a21), l21, g11, "-1", true);
        const Name a11 = solved(l11, g11, h);
        clear();
        add(a11, 0, h, 0, h);
        add(a21, h, rest, 0, h);
        add(a22, h, rest, h, rest);
    }

private:
    /// The lower triangle of the gradient of a block on the diagonal, zero above it.
    Name solved(const Use &l, const Use &g, sym::Expr n) {
        const Name p = m_.make("product", l, {n, n}), half = m_.make("halved", l, {n, n}), out = m_.make("block", l, {n, n});
        m_.product("ki,kj->ij", l, g, m_.whole(p), "1", false);
        m_.each("halve", {n, n}, "out = g if ROW > COLUMN else (g / 2 if ROW == COLUMN else 0)", {{"g", m_.whole(p)}},
                m_.whole(half), false);
        const Name x = m_.solve(l, m_.whole(half), {.left = false});
        const Name s = m_.solve(l, m_.whole(x), {.transposed = true});
        m_.each("fold", {n, n}, "out = g + h if ROW > COLUMN else (g if ROW == COLUMN else 0)",
                {{"g", m_.whole(s)}, {"h", m_.whole(s), Matrices::At::Transposed}}, m_.whole(out), false);
        return out;
    }

    void add(Name block, sym::Expr row, sym::Expr rows, sym::Expr column, sym::Expr columns) {
        if (!lower_) {
            std::swap(row, column);
            std::swap(rows, columns);
        }
        const Use all = r_.reverser.gradient(a_, UseKind::Update, {}, r_.body);
        m_.each("add", {rows, columns}, "out = g", {{"g", m_.whole(block), at_}}, m_.block(all, row, rows, column, columns), true);
    }

    Rule &r_;
    Matrices &m_;
    const Use &a_;
    Matrices::At at_;
    bool lower_;
    sym::Expr size_ = 0;
    Name gradient_, factor_; // of the lower triangle
};

} // namespace

bool reverseCholesky(Rule &r) {
    const Use *updated = r.use("_xin", false); // by a node that leaves the other triangle alone
    const bool keepsRest = updated != nullptr, lower = r.isSet("lower", true);
    const Use *a = keepsRest ? updated : r.use("_a", false), *l = r.use(Name(keepsRest ? "_xout" : "_b"), true);
    if (!a || !l)
        return r.refuse("an operand is missing");
    if (!r.reverser.isActive(*a)) {
        r.reverser.clear(*l, r.body, r.out);
        return true;
    }
    const std::optional<Use> v = r.reverser.resultValue(*l, {}, r.body);
    if (!v)
        return false;
    Matrices m = r.matrices();
    const std::vector<sym::Expr> shape = Matrices::shapeOf(*l);
    Cholesky c(r, m, *a, *l, lower);
    Name rest;
    if (keepsRest) {
        rest = m.make("rest", *l, shape);
        m.each("rest", shape, lower ? "out = g if ROW < COLUMN else 0" : "out = g if ROW > COLUMN else 0",
               {{"g", r.reverser.gradient(*l, UseKind::Read, {}, r.body)}}, m.whole(rest), false);
    }
    c.run(*v, [&] { r.reverser.clear(*l, r.body, r.out); });
    if (keepsRest)
        m.each("add", shape, "out = g", {{"g", m.whole(rest)}}, r.reverser.gradient(*a, UseKind::Update, {}, r.body), true);
    return true;
}

} // namespace sdfgc::transforms::gradient

// Gradients of Cholesky, Solve and Inv nodes. Bars are gradients.
//
//     A = L L^T      S = L^-T F(L^T Lbar) L^-1, where F keeps the lower triangle, with half of the diagonal
//                    Abar[i, j] += S[i, j] + S[j, i] below the diagonal, S[i, i] on it: only this triangle of A is read
//     A X = B        G = A^-T Xbar,  Bbar += G,  Abar -= G X^T
//     X = A^-1       Abar -= X^T Xbar X^T
#include "Transforms/Differentiate/Matrices.h"
#include "Transforms/Differentiate/Rules.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Use;
using nest::UseKind;

namespace {

Matrices matricesOf(Rule &r) {
    return {r.maker(), r.node, r.body.inScope(), r.out,
            [&r](std::string_view name, const DataDesc &like, std::vector<sym::Expr> shape) {
                return r.reverser.temporary(name, like, std::move(shape), r.body);
            }};
}

} // namespace

bool reverseCholesky(Rule &r) {
    const Use *a = r.use(Name("_a"), false), *l = r.use(Name("_b"), true);
    if (!a || !l || r.text("lower", "True") == "False" || r.text("lower", "true") == "false")
        return r.refuse("only that of the lower triangle has one");
    if (!r.reverser.isActive(*a)) {
        r.reverser.clear(*l, r.body, r.out);
        return true;
    }
    const std::optional<Use> v = r.reverser.resultValue(*l, {}, r.body);
    if (!v)
        return false;
    Matrices m = matricesOf(r);
    const std::vector<sym::Expr> shape = Matrices::shapeOf(*l);
    const Name p = m.make("weights", *l, shape), half = m.make("halved", *l, shape);
    const Use gradient = r.reverser.gradient(*l, UseKind::Read, {}, r.body);
    const Name lower = m.make("lower", *l, shape);
    m.each("lower", shape, "out = g if ROW >= COLUMN else 0", {{"g", gradient}}, m.whole(lower), false);
    m.product("ki,kj->ij", *v, m.whole(lower), m.whole(p), "1", false);
    m.each("halve", shape, "out = g if ROW > COLUMN else (g / 2 if ROW == COLUMN else 0)", {{"g", m.whole(p)}}, m.whole(half),
           false);
    const Name lt = m.transposed(*v);
    const Name x = m.solve(m.whole(lt), m.whole(half)), st = m.solve(m.whole(lt), m.whole(m.transposed(m.whole(x))));
    r.reverser.clear(*l, r.body, r.out);
    m.each("add", shape, "out = g + h if ROW > COLUMN else (g if ROW == COLUMN else 0)",
           {{"g", m.whole(st)}, {"h", m.whole(st), true}}, r.reverser.gradient(*a, UseKind::Update, {}, r.body), true);
    return true;
}

bool reverseSolution(Rule &r) {
    const Use *a = r.use(Name("_ain"), false), *b = r.use(Name("_bin"), false), *x = r.use(Name("_bout"), true);
    const std::optional<Use> va = a ? r.reverser.value(*a, {}, r.body) : std::nullopt;
    const std::optional<Use> vx = x ? r.reverser.resultValue(*x, {}, r.body) : std::nullopt;
    if (!a || !b || !x)
        return r.refuse("an operand is missing");
    if (!va || !vx)
        return false;
    Matrices m = matricesOf(r);
    const Name g = m.solve(m.whole(m.transposed(*va)), r.reverser.gradient(*x, UseKind::Read, {}, r.body));
    r.reverser.clear(*x, r.body, r.out);
    const bool vector = Matrices::shapeOf(*x).size() < 2;
    if (r.reverser.isActive(*a))
        m.product(vector ? "i,j->ij" : "ik,jk->ij", m.whole(g), *vx, r.reverser.gradient(*a, UseKind::Update, {}, r.body), "-1",
                  true);
    if (r.reverser.isActive(*b))
        m.each("add", Matrices::shapeOf(*x), "out = g", {{"g", m.whole(g)}}, r.reverser.gradient(*b, UseKind::Update, {}, r.body),
               true);
    return true;
}

bool reverseInversion(Rule &r) {
    const Use *a = r.use(Name("_ain"), false), *x = r.use(Name("_aout"), true);
    if (!a || !x)
        return r.refuse("it overwrites its operand");
    const std::optional<Use> v = r.reverser.resultValue(*x, {}, r.body);
    if (!v)
        return false;
    Matrices m = matricesOf(r);
    const Name p = m.make("weights", *x, Matrices::shapeOf(*x));
    m.product("ki,kj->ij", *v, r.reverser.gradient(*x, UseKind::Read, {}, r.body), m.whole(p), "1", false);
    r.reverser.clear(*x, r.body, r.out);
    if (r.reverser.isActive(*a))
        m.product("ik,jk->ij", m.whole(p), *v, r.reverser.gradient(*a, UseKind::Update, {}, r.body), "-1", true);
    return true;
}

} // namespace sdfgc::transforms::gradient

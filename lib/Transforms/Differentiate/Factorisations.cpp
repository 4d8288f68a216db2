// Gradients of nodes that solve systems of equations, and of LU factorisations. Bars denote gradients.
//
//     A X = B             G = A^-T Xbar,  Bbar += G,  Abar -= G X^T        (Trsm: the triangle of Abar)
//     X = A^-1            Abar -= X^T Xbar X^T
//     P A = L U           Abar += P^T L^-T (tril(L^T Lbar) + triu(Ubar U^T)) U^-T, tril without the diagonal
//     L U X = P B         G = U^-T Xbar,  H = L^-T G,  Bbar += P^T H,  Ubar -= triu(G X^T),  Lbar -= tril(H (U X)^T)
//                         (Getrs, Getri)
//
// The row permutation P is constant as long as no pivot changes.
#include "Transforms/Differentiate/Matrices.h"
#include "Transforms/Differentiate/Rules.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Use;
using nest::UseKind;

Matrices Rule::matrices() {
    return {maker(), node, body.inScope(), out, [this](std::string_view name, const DataDesc &like, std::vector<sym::Expr> shape) {
                return reverser.temporary(name, like, std::move(shape), body);
            }};
}

bool reverseSolution(Rule &r) {
    const Use *a = r.use(Name("_ain"), false), *b = r.use(Name("_bin"), false), *x = r.use(Name("_bout"), true);
    const std::optional<Use> va = a ? r.reverser.value(*a, {}, r.body) : std::nullopt;
    const std::optional<Use> vx = x ? r.reverser.resultValue(*x, {}, r.body) : std::nullopt;
    if (!a || !b || !x)
        return r.refuse("an operand is missing");
    if (!va || !vx)
        return false;
    Matrices m = r.matrices();
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
        return r.refuse("an operand is missing");
    const std::optional<Use> v = r.reverser.resultValue(*x, {}, r.body);
    if (!v)
        return false;
    Matrices m = r.matrices();
    const Name p = m.make("weights", *x, Matrices::shapeOf(*x));
    m.product("ki,kj->ij", *v, r.reverser.gradient(*x, UseKind::Read, {}, r.body), m.whole(p), "1", false);
    r.reverser.clear(*x, r.body, r.out);
    if (r.reverser.isActive(*a))
        m.product("ik,jk->ij", m.whole(p), *v, r.reverser.gradient(*a, UseKind::Update, {}, r.body), "-1", true);
    return true;
}

bool reverseTriangle(Rule &r) {
    const Use *a = r.use(Name("_a"), false), *b = r.use(Name("_b"), false), *x = r.use(Name("_c"), true);
    if (!a || !b || !x)
        return r.refuse("an operand is missing");
    const std::optional<Use> va = r.reverser.value(*a, {}, r.body);
    const std::optional<Use> vx = va ? r.reverser.resultValue(*x, {}, r.body) : std::nullopt;
    if (!vx)
        return false;
    Matrices m = r.matrices();
    const Matrices::Triangle t{r.isSet("lower", true), r.isSet("transA", false), r.isSet("unit", false), r.isSet("left", true)};
    Matrices::Triangle back = t;
    back.transposed = !t.transposed;
    const Use g = m.whole(m.solve(*va, r.reverser.gradient(*x, UseKind::Read, {}, r.body), back));
    r.reverser.clear(*x, r.body, r.out);
    if (r.reverser.isActive(*a)) {
        const std::vector<sym::Expr> shape = Matrices::shapeOf(*a);
        const Name p = m.make("product", *a, shape);
        const bool isVector = Matrices::shapeOf(*x).size() < 2, isFirst = t.left != t.transposed; // X B^T, or B X^T
        m.product(isVector ? "i,j->ij"
                  : t.left ? "ik,jk->ij"
                           : "ki,kj->ij",
                  isFirst ? g : *vx, isFirst ? *vx : g, m.whole(p), "-1", false);
        const std::string inside = std::string("ROW ") + (t.lower ? ">" : "<") + (t.unit ? "" : "=") + " COLUMN";
        m.each("add", shape, "out = g if " + inside + " else 0", {{"g", m.whole(p)}},
               r.reverser.gradient(*a, UseKind::Update, {}, r.body), true);
    }
    if (r.reverser.isActive(*b))
        m.each("add", Matrices::shapeOf(*x), "out = g", {{"g", g}}, r.reverser.gradient(*b, UseKind::Update, {}, r.body), true);
    return true;
}

bool reverseFactorisation(Rule &r) {
    const Use *a = r.use(Name("_xin"), false), *lu = r.use(Name("_xout"), true), *pivots = r.use(Name("_ipiv"), true);
    if (!a || !lu || !pivots)
        return r.refuse("an operand is missing");
    const std::optional<Use> v = r.reverser.resultValue(*lu, {}, r.body);
    const std::optional<Use> rows = v ? r.reverser.resultValue(*pivots, {}, r.body) : std::nullopt;
    if (!rows)
        return false;
    Matrices m = r.matrices();
    const std::vector<sym::Expr> shape = Matrices::shapeOf(*lu);
    const Use g = r.reverser.gradient(*lu, UseKind::Read, {}, r.body);
    const Name l = m.make("lower", *lu, shape), u = m.make("upper", *lu, shape), ofL = m.make("of_lower", *lu, shape),
               ofU = m.make("of_upper", *lu, shape), middle = m.make("weights", *lu, shape);
    m.each("lower", shape, "out = f if ROW > COLUMN else (1 if ROW == COLUMN else 0)", {{"f", *v}}, m.whole(l), false);
    m.each("upper", shape, "out = f if ROW <= COLUMN else 0", {{"f", *v}}, m.whole(u), false);
    m.product("ki,kj->ij", m.whole(l), g, m.whole(ofL), "1", false);
    m.product("ik,jk->ij", g, m.whole(u), m.whole(ofU), "1", false);
    m.each("weights", shape, "out = g if ROW > COLUMN else h", {{"g", m.whole(ofL)}, {"h", m.whole(ofU)}}, m.whole(middle), false);
    r.reverser.clear(*lu, r.body, r.out);
    if (!r.reverser.isActive(*a))
        return true;
    const Name left = m.solve(*v, m.whole(middle), {.transposed = true, .unit = true});
    const Name both = m.solve(*v, m.whole(left), {.lower = false, .transposed = true, .left = false});
    m.permute(both, m.places(*rows, shape[0], true), r.reverser.gradient(*a, UseKind::Update, {}, r.body), true);
    return true;
}

bool reverseFactoredSolution(Rule &r) {
    const Use *inverted = r.use("_xin", false);
    const bool isInverse = inverted != nullptr;
    const Use *lu = isInverse ? inverted : r.use("_a", false), *pivots = r.use(Name("_ipiv"), false),
              *b = r.use(Name("_rhs_in"), false), *x = r.use(Name(isInverse ? "_xout" : "_rhs_out"), true);
    if (!lu || !pivots || (!b && !isInverse) || !x)
        return r.refuse("an operand is missing");
    const std::optional<Use> v = r.reverser.value(*lu, {}, r.body);
    const std::optional<Use> rows = v ? r.reverser.value(*pivots, {}, r.body) : std::nullopt;
    const std::optional<Use> vx = rows ? r.reverser.resultValue(*x, {}, r.body) : std::nullopt;
    if (!vx)
        return false;
    Matrices m = r.matrices();
    const std::vector<sym::Expr> shape = Matrices::shapeOf(*lu);
    const bool vector = Matrices::shapeOf(*x).size() < 2;
    const Name g = m.solve(*v, r.reverser.gradient(*x, UseKind::Read, {}, r.body), {.lower = false, .transposed = true});
    const Name h = m.solve(*v, m.whole(g), {.transposed = true, .unit = true});
    r.reverser.clear(*x, r.body, r.out);
    if (r.reverser.isActive(*lu)) {
        const Name u = m.make("upper", *lu, shape), y = m.make("product", *x, Matrices::shapeOf(*x)),
                   ofL = m.make("of_lower", *lu, shape), ofU = m.make("of_upper", *lu, shape);
        m.each("upper", shape, "out = f if ROW <= COLUMN else 0", {{"f", *v}}, m.whole(u), false);
        m.product(vector ? "ij,j->i" : "ij,jk->ik", m.whole(u), *vx, m.whole(y), "1", false);
        m.product(vector ? "i,j->ij" : "ik,jk->ij", m.whole(h), m.whole(y), m.whole(ofL), "-1", false);
        m.product(vector ? "i,j->ij" : "ik,jk->ij", m.whole(g), *vx, m.whole(ofU), "-1", false);
        m.each("add", shape, "out = g if ROW > COLUMN else h", {{"g", m.whole(ofL)}, {"h", m.whole(ofU)}},
               r.reverser.gradient(*lu, UseKind::Update, {}, r.body), true);
    }
    if (b && r.reverser.isActive(*b))
        m.permute(h, m.places(*rows, shape[0], true), r.reverser.gradient(*b, UseKind::Update, {}, r.body), true);
    return true;
}

} // namespace sdfgc::transforms::gradient

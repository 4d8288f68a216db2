// Tangents of factorisations and solvers. Dots denote tangents.
//
//     A = L L^T           Ldot = L F(L^-1 Adot L^-T), where F keeps the lower triangle, with half of the diagonal; only the
//                         lower triangle of Adot is read
//     A X = B             Xdot = A^-1 (Bdot - Adot X)        (Trsm: the triangle of Adot)
//     X = A^-1            Xdot = -X Adot X
//     P A = L U           F = L^-1 P Adot U^-1,  Ldot = L tril(F),  Udot = triu(F) U, tril without the diagonal
//     L U X = P B         Xdot = U^-1 (L^-1 (P Bdot - Ldot U X) - Udot X)      (Getrs, Getri)
#include "Transforms/Differentiate/Matrices.h"
#include "Transforms/Differentiate/TangentRules.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Use;
using nest::UseKind;

namespace {

/// Code after the node: its result exists, and its operands are unchanged.
Matrices matricesAfter(const TangentRule &r) {
    return {r.writer.maker(), r.node, r.site.inScope(), r.site.after,
            [&r](std::string_view name, const DataDesc &like, std::vector<sym::Expr> shape) {
                return r.writer.temporary(name, like, std::move(shape), r.site);
            }};
}

/// A use of the same values, to be read after the node; nothing if they are only visible through a view.
std::optional<Use> valuesOf(const TangentRule &r, const Use &u) {
    Use out = nest::throughView(u, r.writer.maker().sdfg());
    if (!subsetOf(out) || r.writer.desc(out).isView())
        return std::nullopt;
    return r.writer.maker().read(out.data, *subsetOf(out));
}

/// The same for an operand that the result may overwrite: in that case, a copy made before the node.
std::optional<Use> operandValues(const TangentRule &r, const Use &u, const Use &result) {
    const std::optional<Use> there = valuesOf(r, u);
    if (!there || u.memory != result.memory)
        return there;
    Maker &m = r.writer.maker();
    const Name kept = r.writer.temporary("kept", r.writer.desc(u), Matrices::shapeOf(u), r.site);
    r.site.before.push_back(m.copy(*there, m.whole(UseKind::Write, kept)));
    return m.whole(UseKind::Read, kept);
}

/// The tangent of an operand, or zeros if it has none.
Use tangentOrZero(const TangentRule &r, Matrices &m, const Use &u) {
    if (r.writer.isActive(u))
        return r.writer.tangent(u, {});
    const Name zeros = m.make("zeros", u, Matrices::shapeOf(u));
    m.each("zeros", Matrices::shapeOf(u), "out = 0", {}, m.whole(zeros), false);
    return m.whole(zeros);
}

bool refuse(const TangentRule &r) {
    r.refuse("an operand is missing or is a view, or the result is an update");
    return false;
}

} // namespace

void tangentOfCholesky(const TangentRule &r) {
    const Use *updated = r.use("_xin", false); // by a node that leaves the other triangle alone
    const bool keepsRest = updated != nullptr, lower = r.isSet("lower", true);
    const Use *a = keepsRest ? updated : r.use("_a", false), *l = r.use(Name(keepsRest ? "_xout" : "_b"), true);
    const std::optional<Use> values = a && l ? valuesOf(r, *l) : std::nullopt;
    if (!values || l->kind != UseKind::Write)
        return (void)refuse(r);
    Matrices m = matricesAfter(r);
    const auto at = lower ? Matrices::At::Place : Matrices::At::Transposed;
    const std::vector<sym::Expr> shape = Matrices::shapeOf(*l);
    const Use given = r.writer.tangent(*a, {});
    const Name symmetric = m.make("symmetric", *l, shape), half = m.make("halved", *l, shape), factor = m.make("factor", *l, shape),
               out = m.make("tangent", *l, shape);
    m.each("factor", shape, "out = g if ROW >= COLUMN else 0", {{"g", *values, at}}, m.whole(factor), false);
    m.each("mirror", shape, std::string("out = g if ROW ") + (lower ? ">" : "<") + "= COLUMN else h",
           {{"g", given}, {"h", given, Matrices::At::Transposed}}, m.whole(symmetric), false);
    const Name left = m.solve(m.whole(factor), m.whole(symmetric), Matrices::Triangle());
    const Name both = m.solve(m.whole(factor), m.whole(left), {.transposed = true, .left = false});
    m.each("halve", shape, "out = g if ROW > COLUMN else (g / 2 if ROW == COLUMN else 0)", {{"g", m.whole(both)}}, m.whole(half),
           false);
    m.product("ik,kj->ij", m.whole(factor), m.whole(half), m.whole(out), "1", false);
    if (keepsRest)
        m.each("set", shape, std::string("out = g if ROW ") + (lower ? ">" : "<") + "= COLUMN else h",
               {{"g", m.whole(out), at}, {"h", given}}, r.writer.tangent(*l, {}), false);
    else
        m.each("set", shape, "out = g", {{"g", m.whole(out), at}}, r.writer.tangent(*l, {}), false);
}

void tangentOfSolution(const TangentRule &r) {
    const Use *a = r.use(Name("_ain"), false), *b = r.use(Name("_bin"), false), *x = r.use(Name("_bout"), true);
    if (!a || !b || !x || x->kind != UseKind::Write)
        return (void)refuse(r);
    const std::optional<Use> matrix = operandValues(r, *a, *x), values = valuesOf(r, *x);
    if (!matrix || !values)
        return (void)refuse(r);
    Matrices m = matricesAfter(r);
    const std::vector<sym::Expr> shape = Matrices::shapeOf(*x);
    const Name right = m.make("right", *x, shape);
    m.each("begin", shape, "out = g", {{"g", tangentOrZero(r, m, *b)}}, m.whole(right), false);
    if (r.writer.isActive(*a))
        m.product(shape.size() < 2 ? "ij,j->i" : "ij,jk->ik", r.writer.tangent(*a, {}), *values, m.whole(right), "-1", true);
    const Name solved = m.solve(*matrix, m.whole(right));
    m.each("set", shape, "out = g", {{"g", m.whole(solved)}}, r.writer.tangent(*x, {}), false);
}

void tangentOfInversion(const TangentRule &r) {
    const Use *a = r.use(Name("_ain"), false), *x = r.use(Name("_aout"), true);
    const std::optional<Use> values = a && x ? valuesOf(r, *x) : std::nullopt;
    if (!values || x->kind != UseKind::Write)
        return (void)refuse(r);
    Matrices m = matricesAfter(r);
    const Name left = m.make("left", *x, Matrices::shapeOf(*x));
    m.product("ij,jk->ik", *values, r.writer.tangent(*a, {}), m.whole(left), "1", false);
    m.product("ij,jk->ik", m.whole(left), *values, r.writer.tangent(*x, {}), "-1", false);
}

void tangentOfTriangle(const TangentRule &r) {
    const Use *a = r.use(Name("_a"), false), *b = r.use(Name("_b"), false), *x = r.use(Name("_c"), true);
    if (!a || !b || !x || x->kind != UseKind::Write)
        return (void)refuse(r);
    const std::optional<Use> matrix = operandValues(r, *a, *x), values = valuesOf(r, *x);
    if (!matrix || !values)
        return (void)refuse(r);
    Matrices m = matricesAfter(r);
    const Matrices::Triangle t{r.isSet("lower", true), r.isSet("transA", false), r.isSet("unit", false), r.isSet("left", true)};
    const std::vector<sym::Expr> shape = Matrices::shapeOf(*x), square = Matrices::shapeOf(*a);
    const Name right = m.make("right", *x, shape);
    m.each("begin", shape, "out = g", {{"g", tangentOrZero(r, m, *b)}}, m.whole(right), false);
    if (r.writer.isActive(*a)) {
        const Name triangle = m.make("triangle", *a, square);
        const std::string inside = std::string("ROW ") + (t.lower ? ">" : "<") + (t.unit ? "" : "=") + " COLUMN";
        m.each("triangle", square, "out = g if " + inside + " else 0", {{"g", r.writer.tangent(*a, {})}}, m.whole(triangle), false);
        const std::string letters = t.transposed ? "ji" : "ij", vector = letters + ",j->i", left = letters + ",jk->ik",
                          side = letters + ",ki->kj";
        m.product(shape.size() < 2 ? vector : t.left ? left : side, m.whole(triangle), *values, m.whole(right), "-1", true);
    }
    const Name solved = m.solve(*matrix, m.whole(right), t);
    m.each("set", shape, "out = g", {{"g", m.whole(solved)}}, r.writer.tangent(*x, {}), false);
}

void tangentOfFactorisation(const TangentRule &r) {
    const Use *a = r.use(Name("_xin"), false), *lu = r.use(Name("_xout"), true), *pivots = r.use(Name("_ipiv"), true);
    if (!a || !lu || !pivots || lu->kind != UseKind::Write)
        return (void)refuse(r);
    const std::optional<Use> values = valuesOf(r, *lu), rows = valuesOf(r, *pivots);
    if (!values || !rows)
        return (void)refuse(r);
    Matrices m = matricesAfter(r);
    const std::vector<sym::Expr> shape = Matrices::shapeOf(*lu);
    const auto matrix = [&](const char *name) { return m.make(name, *lu, shape); };
    const Name permuted = matrix("permuted"), l = matrix("lower"), u = matrix("upper"), below = matrix("below"),
               above = matrix("above"), ofL = matrix("of_lower"), ofU = matrix("of_upper");
    m.permute(m.copy(r.writer.tangent(*a, {})), m.places(*rows, shape[0], false), m.whole(permuted), false);
    const Name left = m.solve(*values, m.whole(permuted), {.unit = true});
    const Name f = m.solve(*values, m.whole(left), {.lower = false, .left = false});
    m.each("lower", shape, "out = f if ROW > COLUMN else (1 if ROW == COLUMN else 0)", {{"f", *values}}, m.whole(l), false);
    m.each("upper", shape, "out = f if ROW <= COLUMN else 0", {{"f", *values}}, m.whole(u), false);
    m.each("below", shape, "out = f if ROW > COLUMN else 0", {{"f", m.whole(f)}}, m.whole(below), false);
    m.each("above", shape, "out = f if ROW <= COLUMN else 0", {{"f", m.whole(f)}}, m.whole(above), false);
    m.product("ik,kj->ij", m.whole(l), m.whole(below), m.whole(ofL), "1", false);
    m.product("ik,kj->ij", m.whole(above), m.whole(u), m.whole(ofU), "1", false);
    m.each("set", shape, "out = g + h", {{"g", m.whole(ofL)}, {"h", m.whole(ofU)}}, r.writer.tangent(*lu, {}), false);
}

void tangentOfFactoredSolution(const TangentRule &r) {
    const Use *inverted = r.use("_xin", false);
    const bool isInverse = inverted != nullptr;
    const Use *lu = isInverse ? inverted : r.use("_a", false), *pivots = r.use(Name("_ipiv"), false),
              *b = r.use(Name("_rhs_in"), false), *x = r.use(Name(isInverse ? "_xout" : "_rhs_out"), true);
    if (!lu || !pivots || (!b && !isInverse) || !x || x->kind != UseKind::Write)
        return (void)refuse(r);
    const std::optional<Use> factors = operandValues(r, *lu, *x), values = valuesOf(r, *x), rows = valuesOf(r, *pivots);
    if (!factors || !values || !rows)
        return (void)refuse(r);
    Matrices m = matricesAfter(r);
    const std::vector<sym::Expr> square = Matrices::shapeOf(*lu), shape = Matrices::shapeOf(*x);
    const char *times = shape.size() < 2 ? "ij,j->i" : "ij,jk->ik";
    const Name right = m.make("right", *x, shape);
    if (b && r.writer.isActive(*b))
        m.permute(m.copy(r.writer.tangent(*b, {})), m.places(*rows, square[0], false), m.whole(right), false);
    else
        m.each("begin", shape, "out = 0", {}, m.whole(right), false);
    const bool isActive = r.writer.isActive(*lu);
    const Use given = tangentOrZero(r, m, *lu);
    const Name u = m.make("upper", *lu, square), below = m.make("below", *lu, square), above = m.make("above", *lu, square),
               y = m.make("product", *x, shape);
    if (isActive) {
        m.each("upper", square, "out = f if ROW <= COLUMN else 0", {{"f", *factors}}, m.whole(u), false);
        m.each("below", square, "out = f if ROW > COLUMN else 0", {{"f", given}}, m.whole(below), false);
        m.each("above", square, "out = f if ROW <= COLUMN else 0", {{"f", given}}, m.whole(above), false);
        m.product(times, m.whole(u), *values, m.whole(y), "1", false);
        m.product(times, m.whole(below), m.whole(y), m.whole(right), "-1", true);
    }
    const Name left = m.solve(*factors, m.whole(right), {.unit = true});
    if (isActive)
        m.product(times, m.whole(above), *values, m.whole(left), "-1", true);
    const Name solved = m.solve(*factors, m.whole(left), {.lower = false});
    m.each("set", shape, "out = g", {{"g", m.whole(solved)}}, r.writer.tangent(*x, {}), false);
}

} // namespace sdfgc::transforms::gradient

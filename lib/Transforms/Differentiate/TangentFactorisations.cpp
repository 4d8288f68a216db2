// Tangents of Cholesky, Solve and Inv nodes. Dots are tangents.
//
//     A = L L^T      Ldot = L F(L^-1 Adot L^-T), where F keeps the lower triangle, with half of the diagonal; of Adot, too, only the lower
//                    triangle is read
//     A X = B        Xdot = A^-1 (Bdot - Adot X)
//     X = A^-1       Xdot = -X Adot X
#include "Transforms/Differentiate/Matrices.h"
#include "Transforms/Differentiate/TangentRules.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Use;
using nest::UseKind;

namespace {

/// After the node: its result is there, and its operands are as they were.
Matrices matricesAfter(const TangentRule &r) {
    return {r.writer.maker(), r.node, r.site.inScope(), r.site.after,
            [&r](std::string_view name, const DataDesc &like, std::vector<sym::Expr> shape) {
                return r.writer.temporary(name, like, std::move(shape), r.site);
            }};
}

/// The values that a use is of, to be read after the node; nothing where only a view shows them.
std::optional<Use> valuesOf(const TangentRule &r, const Use &u) {
    Use out = nest::throughView(u, r.writer.maker().sdfg());
    if (!subsetOf(out) || r.writer.desc(out).isView())
        return std::nullopt;
    return r.writer.maker().read(out.data, *subsetOf(out));
}

bool keepsOperands(const TangentRule &r, const Use &result) {
    for (const Use *u : r.uses(false))
        if (u->memory == result.memory)
            return false;
    return result.kind == UseKind::Write;
}

} // namespace

void tangentOfCholesky(const TangentRule &r) {
    const Use *a = r.use(Name("_a"), false), *l = r.use(Name("_b"), true);
    if (!a || !l || r.text("lower", "True") == "False" || r.text("lower", "true") == "false")
        return r.refuse("only that of the lower triangle has one");
    const std::optional<Use> values = valuesOf(r, *l);
    if (!values || !keepsOperands(r, *l))
        return r.refuse("it overwrites its operand, or its result is seen through a view");
    Matrices m = matricesAfter(r);
    const std::vector<sym::Expr> shape = Matrices::shapeOf(*l);
    const Use given = r.writer.tangent(*a, {});
    const Name symmetric = m.make("symmetric", *l, shape), half = m.make("halved", *l, shape);
    m.each("mirror", shape, "out = g if ROW >= COLUMN else h", {{"g", given}, {"h", given, true}}, m.whole(symmetric), false);
    const Name left = m.solve(*values, m.whole(symmetric));
    const Name both = m.solve(*values, m.whole(m.transposed(m.whole(left))));
    m.each("halve", shape, "out = g if ROW > COLUMN else (g / 2 if ROW == COLUMN else 0)", {{"g", m.whole(both)}}, m.whole(half),
           false);
    m.product("ik,kj->ij", *values, m.whole(half), r.writer.tangent(*l, {}), "1", false);
}

void tangentOfSolution(const TangentRule &r) {
    const Use *a = r.use(Name("_ain"), false), *b = r.use(Name("_bin"), false), *x = r.use(Name("_bout"), true);
    if (!a || !b || !x)
        return r.refuse("an operand is missing");
    const std::optional<Use> matrix = valuesOf(r, *a), values = valuesOf(r, *x);
    if (!matrix || !values || !keepsOperands(r, *x))
        return r.refuse("it overwrites its operand, or an operand is seen through a view");
    Matrices m = matricesAfter(r);
    const std::vector<sym::Expr> shape = Matrices::shapeOf(*x);
    const Name right = m.make("right", *x, shape);
    if (r.writer.isActive(*b))
        m.each("begin", shape, "out = g", {{"g", r.writer.tangent(*b, {})}}, m.whole(right), false);
    if (r.writer.isActive(*a))
        m.product(shape.size() < 2 ? "ij,j->i" : "ij,jk->ik", r.writer.tangent(*a, {}), *values, m.whole(right), "-1",
                  r.writer.isActive(*b));
    const Name solved = m.solve(*matrix, m.whole(right));
    m.each("set", shape, "out = g", {{"g", m.whole(solved)}}, r.writer.tangent(*x, {}), false);
}

void tangentOfInversion(const TangentRule &r) {
    const Use *a = r.use(Name("_ain"), false), *x = r.use(Name("_aout"), true);
    const std::optional<Use> values = a && x ? valuesOf(r, *x) : std::nullopt;
    if (!values || !keepsOperands(r, *x))
        return r.refuse("it overwrites its operand, or its result is seen through a view");
    Matrices m = matricesAfter(r);
    const Name left = m.make("left", *x, Matrices::shapeOf(*x));
    m.product("ij,jk->ik", *values, r.writer.tangent(*a, {}), m.whole(left), "1", false);
    m.product("ij,jk->ik", m.whole(left), *values, r.writer.tangent(*x, {}), "-1", false);
}

} // namespace sdfgc::transforms::gradient

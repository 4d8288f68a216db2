#include "Tasklet/Derive/Simplify.h"
#include "Tasklet/Infer.h"

namespace sdfgc::py::detail {

namespace {

bool isNegative(const Expr &e) { return e.kind == ExprKind::Unary && e.op == Op::Neg; }

bool is(const Expr &e, double v) { return e.kind != ExprKind::Cast && numberValue(e) == v; }

} // namespace

std::optional<double> numberValue(const Expr &e) {
    if (e.kind != ExprKind::Cast || e.args.size() != 1)
        return literalValue(e);
    const auto value = numberValue(*e.args[0]);
    return value ? keptIn(e.type, *value) : std::nullopt;
}

bool isLiteral(const Expr &e) { return e.kind == ExprKind::Bool || numberValue(e).has_value(); }

bool isZero(const Expr &e) { return is(e, 0); }

ExprRef sum(const ExprRef &a, const ExprRef &b) {
    if (isZero(*a))
        return b;
    if (isZero(*b))
        return a;
    if (a->kind == ExprKind::IfExp && b->kind == ExprKind::IfExp && equal(*a->args[0], *b->args[0]))
        return choice(a->args[0], sum(a->args[1], b->args[1]), sum(a->args[2], b->args[2]));
    if (isNegative(*b) && !isNegative(*a))
        return equal(*a, *b->args[0]) ? intLit(0) : binary(Op::Sub, a, b->args[0]);
    if (isNegative(*a) && !isNegative(*b))
        return binary(Op::Sub, b, a->args[0]);
    if (a->kind == ExprKind::Binary && a->op == Op::Add && equal(*a->args[1], *b))
        return binary(Op::Add, a->args[0], product(intLit(2), b));
    return equal(*a, *b) ? product(intLit(2), a) : binary(Op::Add, a, b);
}

ExprRef negated(const ExprRef &a) {
    if (isZero(*a))
        return a;
    if (isNegative(*a))
        return a->args[0];
    if (a->kind == ExprKind::IfExp)
        return choice(a->args[0], negated(a->args[1]), negated(a->args[2]));
    return unary(Op::Neg, a);
}

ExprRef quotient(const ExprRef &a, const ExprRef &b) {
    if (isZero(*a) || is(*b, 1))
        return a;
    if (isNegative(*a) && !isLiteral(*a))
        return negated(quotient(a->args[0], b));
    return binary(Op::TrueDiv, a, b);
}

ExprRef product(const ExprRef &factor, const ExprRef &g) {
    if (isZero(*factor) || is(*g, 1))
        return factor;
    if (isZero(*g) || is(*factor, 1))
        return g;
    if (factor->kind == ExprKind::IfExp)
        return choice(factor->args[0], product(factor->args[1], g), product(factor->args[2], g));
    if (g->kind == ExprKind::IfExp && isLiteral(*factor))
        return choice(g->args[0], product(factor, g->args[1]), product(factor, g->args[2]));
    if (isNegative(*factor))
        return negated(product(factor->args[0], g));
    if (isNegative(*g))
        return negated(product(factor, g->args[0]));
    if (factor->kind == ExprKind::Binary && factor->op == Op::TrueDiv)
        return quotient(product(factor->args[0], g), factor->args[1]);
    if (isLiteral(*factor) && g->kind == ExprKind::Binary && (g->op == Op::Mul || g->op == Op::TrueDiv) && !isLiteral(*g->args[0]))
        return binary(g->op, product(factor, g->args[0]), g->args[1]);
    return binary(Op::Mul, factor, g);
}

ExprRef signsOutside(const ExprRef &e) {
    if (e->kind == ExprKind::Unary && e->op == Op::Neg && isNegative(*e->args[0]) && !isLiteral(*e->args[0]))
        return e->args[0]->args[0];
    if (e->kind != ExprKind::Binary)
        return e;
    const ExprRef &a = e->args[0], &b = e->args[1];
    const bool minusA = isNegative(*a) && !isLiteral(*a), minusB = isNegative(*b) && !isLiteral(*b);
    if ((e->op == Op::Mul || e->op == Op::TrueDiv) && (minusA || minusB)) {
        const ExprRef plain = binary(e->op, minusA ? a->args[0] : a, minusB ? b->args[0] : b);
        return minusA && minusB ? plain : unary(Op::Neg, plain);
    }
    if ((e->op == Op::Add || e->op == Op::Sub) && minusB)
        return binary(e->op == Op::Add ? Op::Sub : Op::Add, a, b->args[0]);
    return e;
}

ExprRef choice(const ExprRef &condition, const ExprRef &a, const ExprRef &b) {
    if (equal(*a, *b))
        return a;
    Expr e;
    e.kind = ExprKind::IfExp;
    e.args = {condition, a, b};
    return std::make_shared<const Expr>(std::move(e));
}

} // namespace sdfgc::py::detail

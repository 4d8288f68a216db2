// Quotients of integers under rounding functions, in symbolic code (docs/user/semantics.md).
//
//     k = ceiling(N / 3)        k = int_ceil(N, 3)
//
// C would round the quotient before the function sees it. So the operand of a rounding function or operator is written as one
// fraction of integers, and an argument of a function of real numbers uses real division.
#include "Tasklet/Infer.h"

#include <algorithm>

namespace sdfgc::py::detail {

namespace {

/// above / below; without `below` it is an integer.
struct Fraction {
    ExprRef above, below;
};

bool isWhole(const Expr &e) { return isIntegral(e.type) && !e.type.isVector() && !e.type.isPointer(); }

bool isQuotient(const Expr &e) { return e.kind == ExprKind::Binary && e.op == Op::TrueDiv && isWhole(e); }

/// The product; a null factor counts as 1.
ExprRef times(const ExprRef &a, const ExprRef &b) { return !a ? b : !b ? a : binary(Op::Mul, a, b); }

Fraction fractionOf(const ExprRef &e);

Fraction combined(const Expr &e) {
    const Fraction a = fractionOf(e.args[0]), b = fractionOf(e.args[1]);
    if (e.op == Op::TrueDiv)
        return {times(a.above, b.below), times(a.below, b.above)};
    if (e.op == Op::Mul)
        return {times(a.above, b.above), times(a.below, b.below)};
    if (a.below && b.below && equal(*a.below, *b.below))
        return {binary(e.op, a.above, b.above), a.below};
    return {binary(e.op, times(a.above, b.below), times(b.above, a.below)), times(a.below, b.below)};
}

Fraction fractionOf(const ExprRef &e) {
    if (!isWhole(*e))
        return {e, nullptr};
    if (e->kind == ExprKind::Unary && e->op == Op::Neg) {
        const Fraction f = fractionOf(e->args[0]);
        return f.below ? Fraction{unary(Op::Neg, f.above), f.below} : Fraction{e, nullptr};
    }
    if (e->kind == ExprKind::Call && isName(*e->args[0], "abs") && e->args.size() == 2) {
        const Fraction f = fractionOf(e->args[1]);
        return f.below ? Fraction{call("abs", {f.above}), call("abs", {f.below})} : Fraction{e, nullptr};
    }
    if (e->kind != ExprKind::Binary || (e->op != Op::TrueDiv && e->op != Op::Add && e->op != Op::Sub && e->op != Op::Mul))
        return {e, nullptr};
    const Fraction f = combined(*e);
    return f.below ? f : Fraction{e, nullptr};
}

/// Does the value depend on the fractions of its operands? The value of an element, a comparison or a remainder does not.
bool keepsFractions(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Unary:
        return e.op == Op::Neg;
    case ExprKind::Binary:
        return e.op == Op::TrueDiv || e.op == Op::Add || e.op == Op::Sub || e.op == Op::Mul || e.op == Op::Pow;
    case ExprKind::IfExp:
        return true;
    case ExprKind::Call: // functions of the program take integers
        return e.args[0]->kind == ExprKind::Name && !e.args[0]->type.isCallback() && findFunction(e.args[0]->name.view());
    default:
        return false;
    }
}

/// The expression with real quotients instead of integer ones.
ExprRef withRealQuotients(const ExprRef &e) {
    if (!keepsFractions(*e))
        return e;
    const ExprRef real = mapChildren(e, withRealQuotients);
    return isQuotient(*e) ? binary(Op::TrueDiv, castTo(ScalarKind::Float64, real->args[0]), real->args[1]) : real;
}

bool hasQuotient(const ExprRef &e) { return withRealQuotients(e) != e; }

/// A minimum, maximum or choice with each operand rounded by the call; null for other arguments.
ExprRef roundedOperands(const Expr &rounding, const ExprRef &e) {
    const bool extremum = e->kind == ExprKind::Call && (isName(*e->args[0], "min") || isName(*e->args[0], "max"));
    if ((!extremum && e->kind != ExprKind::IfExp) || !hasQuotient(e))
        return nullptr;
    Expr copy = *e;
    for (std::size_t k = 1; k < copy.args.size(); ++k) {
        Expr each = rounding;
        each.args[1] = copy.args[k];
        copy.args[k] = share(std::move(each));
    }
    return share(std::move(copy));
}

/// floor, ceil, ceiling or round of an integer.
ExprRef rounded(const Expr &e, std::string_view name) {
    const ExprRef &of = e.args[1];
    if (ExprRef operands = roundedOperands(e, of))
        return operands;
    const Fraction f = fractionOf(of);
    const auto hidden = [](const ExprRef &part) { return part && hasQuotient(part); }; // such as a term in a minimum
    if (name == "round" || hidden(f.above) || hidden(f.below))
        return hasQuotient(of) ? castTo(ScalarKind::Int64, call(e.args[0]->name, {withRealQuotients(of)})) : of;
    if (!f.below)
        return of;
    if (name == "floor")
        return binary(Op::FloorDiv, f.above, f.below);
    return call("int_ceil", {f.above, f.below});
}

/// A quotient rounded down or up, or a remainder, of the two operands. Null if neither has a fraction.
ExprRef divided(const ExprRef &a, const ExprRef &b, const std::function<ExprRef(ExprRef, ExprRef)> &divide, bool isRemainder) {
    if (!isWhole(*a) || !isWhole(*b))
        return nullptr;
    const Fraction x = fractionOf(a), y = fractionOf(b);
    if (!x.below && !y.below)
        return nullptr;
    const ExprRef result = divide(times(x.above, y.below), times(y.above, x.below));
    return isRemainder ? binary(Op::TrueDiv, result, times(x.below, y.below)) : result;
}

ExprRef exactCall(const Expr &e) {
    const Expr &callee = *e.args[0];
    if (callee.kind != ExprKind::Name || callee.type.isCallback() || e.args.size() < 2 || !e.keywords.empty())
        return nullptr;
    const std::string_view name = callee.name.view();
    const bool rounds = name == "floor" || name == "ceil" || name == "ceiling" || name == "round";
    if (rounds && e.args.size() == 2 && isWhole(*e.args[1]))
        return rounded(e, name);
    const bool divides = name == "int_ceil" || name == "py_floor", isRemainder = name == "py_mod" || name == "cpp_mod";
    if ((divides || isRemainder) && e.args.size() == 3) {
        const auto again = [&](ExprRef a, ExprRef b) { return call(callee.name, {std::move(a), std::move(b)}); };
        if (ExprRef exact = divided(e.args[1], e.args[2], again, isRemainder))
            return exact;
    }
    const Function *f = findFunction(name);
    const bool joins = name == "min" || name == "max" || name == "abs";
    if (!f || joins || (f->rule != Rule::Float && !rounds && !divides && !isRemainder))
        return nullptr;
    Expr copy = e;
    for (std::size_t k = 1; k < copy.args.size(); ++k)
        copy.args[k] = withRealQuotients(copy.args[k]);
    return copy.args == e.args ? nullptr : share(std::move(copy));
}

} // namespace

ExprRef exactQuotients(const Expr &e) {
    if (e.kind == ExprKind::Call)
        return exactCall(e);
    if (e.kind != ExprKind::Binary || (e.op != Op::FloorDiv && e.op != Op::Mod))
        return nullptr;
    const auto again = [&](ExprRef a, ExprRef b) { return binary(e.op, std::move(a), std::move(b)); };
    return divided(e.args[0], e.args[1], again, e.op == Op::Mod);
}

} // namespace sdfgc::py::detail

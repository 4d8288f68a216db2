// Quotients of integers in symbolic code: exact until used (docs/user/semantics.md, *Quotients*).
//
// A value is a pair of integers, above / below, as long as it is part of arithmetic. Uses as an integer truncate it; rounding
// functions see its fraction. This is written for the interpreter alone: it must not rely on how sym::floor and the front end treat
// the same text.
#include "Builder.h"
#include "Lanes.h"

#include <algorithm>

namespace sdfgc::interpret {

using py::ExprKind;
using py::Op;
using sym::SymbolicKind;

Operand Builder::whole(Operand a) { return isWholeType(a.type) ? convert(a, ScalarKind::Int64) : a; }

Operand Builder::real(const Quotient &q) {
    return q.below ? binary(Op::TrueDiv, convert(q.above, ScalarKind::Float64), q.below) : q.above;
}

Operand Builder::truncated(const Quotient &q) { return q.below ? binary(Op::CDiv, q.above, q.below) : q.above; }

Operand Builder::times(Operand a, Operand b) { return !a ? b : !b ? a : binary(Op::Mul, whole(a), whole(b)); }

Builder::Quotient Builder::combined(Op op, const Quotient &a, const Quotient &b) {
    const bool integers = isWholeType(a.above.type) && isWholeType(b.above.type);
    if (!integers || (op != Op::TrueDiv && !a.below && !b.below))
        return {binary(op, real(a), real(b)), {}};
    if (op == Op::TrueDiv)
        return {times(a.above, b.below), times(a.below, b.above)};
    if (op == Op::Mul)
        return {times(a.above, b.above), times(a.below, b.below)};
    return {binary(op, times(a.above, b.below), times(b.above, a.below)), times(a.below, b.below)};
}

Builder::Quotient Builder::divided(Op op, const Quotient &x, const Quotient &y) {
    if ((!x.below && !y.below) || !isWholeType(x.above.type) || !isWholeType(y.above.type))
        return {binary(op, real(x), real(y)), {}};
    const Operand out = binary(op, times(x.above, y.below), times(y.above, x.below));
    return {out, op == Op::FloorDiv ? Operand() : times(x.below, y.below)};
}

Operand Builder::rounded(const std::string &function, const Quotient &q) {
    if (!q.below)
        return isWholeType(q.above.type) ? q.above : callFunction(function, {q.above});
    if (function == "floor")
        return binary(Op::FloorDiv, q.above, q.below);
    if (function == "round")
        return convert(callFunction(function, {real(q)}), ScalarKind::Int64);
    return callFunction("int_ceil", {q.above, q.below});
}

/// The minimum or maximum of two: both sides of the comparison are multiplied by the denominators, so the sign of these matters.
Builder::Quotient Builder::extremum(bool least, const Quotient &a, const Quotient &b) {
    if (!a.below && !b.below)
        return {callFunction(least ? "min" : "max", {a.above, b.above}), {}};
    if (!isWholeType(a.above.type) || !isWholeType(b.above.type))
        return {callFunction(least ? "min" : "max", {real(a), real(b)}), {}};
    const Operand sign = times(a.below, b.below), zero = constant(ScalarKind::Int64, int64_t(0));
    const Operand less = compare(Op::Lt, times(a.above, b.below), times(b.above, a.below));
    const Operand first = binary(Op::BitXor, less, compare(Op::Lt, sign, zero));
    return chosen(
        least ? first : compare(Op::Eq, first, constant(ScalarKind::Bool, false)), [&] { return a; }, [&] { return b; });
}

Builder::Quotient Builder::chosen(Operand condition, const std::function<Quotient()> &yes, const std::function<Quotient()> &no) {
    const Operand above = reserve(ScalarKind::Int64), below = reserve(ScalarKind::Int64);
    const auto take = [&](const Quotient &q) {
        copy(above, convert(q.above, above.type));
        copy(below, q.below ? convert(q.below, below.type) : constant(below.type, int64_t(1)));
    };
    const std::size_t otherwise = jumpLater(condition);
    take(yes());
    const std::size_t done = jumpLater();
    land(otherwise);
    take(no());
    land(done);
    return {above, below};
}

// ---------------------------------------------------------------------------------------------------- Python

namespace {

/// Does the result have a fraction if the operands have one?
bool isArithmetic(Op op) { return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::TrueDiv; }

/// Does the value of a choice depend on an integer quotient?
bool mayHaveFraction(const py::Expr &e) {
    if (e.kind == ExprKind::Binary && (e.op == Op::TrueDiv || e.op == Op::Mod))
        return true;
    const bool passes =
        e.kind == ExprKind::Binary || e.kind == ExprKind::Unary || e.kind == ExprKind::Call || e.kind == ExprKind::IfExp;
    return passes && std::any_of(e.args.begin(), e.args.end(), [](const py::ExprRef &a) { return mayHaveFraction(*a); });
}

} // namespace

bool Builder::seesFractions(const py::Expr &e) const {
    if (e.kind == ExprKind::Binary)
        return e.op == Op::FloorDiv || e.op == Op::Mod || e.op == Op::IntFloor;
    if (e.kind != ExprKind::Call || e.args[0]->kind != ExprKind::Name || functions_.count(e.args[0]->name))
        return false;
    const std::string_view name = e.args[0]->name.view();
    return name != "min" && name != "max" && name != "abs";
}

Builder::Quotient Builder::quotientOf(const py::Expr &e) {
    const auto operand = [&](std::size_t k) { return quotientOf(*e.args[k]); };
    if (e.kind == ExprKind::Binary && (isArithmetic(e.op) || e.op == Op::FloorDiv || e.op == Op::Mod || e.op == Op::IntFloor)) {
        const Quotient a = operand(0), b = operand(1);
        if (isArithmetic(e.op))
            return combined(e.op, a, b);
        const bool integers = isWholeType(a.above.type) && isWholeType(b.above.type);
        return divided(e.op != Op::IntFloor ? e.op : integers ? Op::FloorDiv : Op::TrueDiv, a, b);
    }
    if (e.kind == ExprKind::Unary && e.op == Op::Neg && e.args[0]->kind != ExprKind::Int) {
        const Quotient a = operand(0);
        return a.below ? Quotient{binary(Op::Sub, constant(ScalarKind::Int64, int64_t(0)), a.above), a.below}
                       : Quotient{unary(e), {}};
    }
    if (e.kind == ExprKind::IfExp && mayHaveFraction(e) && isWholeType(typeOf(e)))
        return chosen(
            asBool(expression(*e.args[0])), [&] { return operand(1); }, [&] { return operand(2); });
    if (e.kind == ExprKind::Call && e.args[0]->kind == ExprKind::Name && e.args.size() > 1)
        if (const auto known = quotientOfCall(e))
            return *known;
    return {plainExpression(e), {}};
}

Type Builder::typeOf(const py::Expr &e) {
    const std::size_t start = position();
    const Type t = plainExpression(e).type;
    list_.resize(start);
    return t;
}

std::optional<Builder::Quotient> Builder::quotientOfCall(const py::Expr &e) {
    const std::string name = e.args[0]->name.str();
    if (functions_.count(e.args[0]->name) ||
        !std::any_of(e.args.begin() + 1, e.args.end(), [](const auto &a) { return mayHaveFraction(*a); }))
        return std::nullopt;
    std::vector<Quotient> given;
    for (std::size_t k = 1; k < e.args.size(); ++k)
        given.push_back(quotientOf(*e.args[k]));
    const std::size_t n = given.size();
    if (n == 1 && (name == "floor" || name == "ceil" || name == "ceiling" || name == "round"))
        return Quotient{rounded(name, given[0]), {}};
    if (n == 1 && name == "abs" && given[0].below)
        return Quotient{callFunction(name, {given[0].above}), callFunction(name, {given[0].below})};
    if (n == 2 && (name == "py_mod" || name == "py_floor"))
        return divided(name == "py_mod" ? Op::Mod : Op::FloorDiv, given[0], given[1]);
    if (n == 2 && name == "cpp_mod" && isWholeType(given[0].above.type) && isWholeType(given[1].above.type))
        return divided(Op::CMod, given[0], given[1]);
    if (n == 2 && name == "int_ceil") {
        const Quotient q = combined(Op::TrueDiv, given[0], given[1]);
        return Quotient{rounded("ceil", q), {}};
    }
    if (n > 1 && (name == "min" || name == "max")) { // from the right
        Quotient out = given.back();
        for (std::size_t k = n - 1; k-- > 0;)
            out = extremum(name == "min", given[k], out);
        return out;
    }
    // A function of real numbers sees the fraction; a function of integers, or of the program, does not.
    std::vector<Operand> arguments;
    for (const Quotient &q : given)
        arguments.push_back(functionOperation(name, std::vector<Type>(n, ScalarKind::Int64)).argument.isFloat() ? real(q)
                                                                                                                : truncated(q));
    return Quotient{callFunction(name, arguments), {}};
}

// ---------------------------------------------------------------------------------------------------- symbolic expressions

namespace {

bool isFraction(sym::Expr e) {
    return e.kind() == SymbolicKind::Rational || (e.kind() == SymbolicKind::Pow && e.operands()[1].asInt().value_or(-1) < 0);
}

} // namespace

bool hasFraction(sym::Expr e) {
    const auto operands = e.operands();
    return isFraction(e) || std::any_of(operands.begin(), operands.end(), hasFraction);
}

Builder::Quotient Builder::quotientOf(sym::Expr e) {
    if (!hasFraction(e))
        return {plainSymbolic(e), {}};
    const auto operands = e.operands();
    const auto operand = [&](std::size_t k) { return quotientOf(operands[k]); };
    const auto fold = [&](auto combine) {
        Quotient out = operand(0);
        for (std::size_t k = 1; k < operands.size(); ++k)
            out = combine(out, operand(k));
        return out;
    };
    switch (e.kind()) {
    case SymbolicKind::Rational:
        return {constant(ScalarKind::Int64, e.numerator()), constant(ScalarKind::Int64, e.denominator())};
    case SymbolicKind::Add:
        return fold([&](const Quotient &a, const Quotient &b) { return combined(Op::Add, a, b); });
    case SymbolicKind::Mul:
        return fold([&](const Quotient &a, const Quotient &b) { return combined(Op::Mul, a, b); });
    case SymbolicKind::Min:
    case SymbolicKind::Max:
        return fold([&](const Quotient &a, const Quotient &b) { return extremum(e.kind() == SymbolicKind::Min, a, b); });
    case SymbolicKind::Pow:
        return powerOf(operand(0), operands[1]);
    case SymbolicKind::Floor:
    case SymbolicKind::Ceil:
        return {rounded(e.kind() == SymbolicKind::Floor ? "floor" : "ceil", operand(0)), {}};
    case SymbolicKind::FloorDiv:
    case SymbolicKind::Mod:
        return divided(e.kind() == SymbolicKind::FloorDiv ? Op::FloorDiv : Op::Mod, operand(0), operand(1));
    case SymbolicKind::CeilDiv:
        return {rounded("ceil", combined(Op::TrueDiv, operand(0), operand(1))), {}};
    case SymbolicKind::Abs:
        if (const Quotient a = operand(0); a.below)
            return {callFunction("abs", {a.above}), callFunction("abs", {a.below})};
        return {plainSymbolic(e), {}};
    case SymbolicKind::Select:
        return chosen(
            asBool(symbolic(operands[0])), [&] { return operand(1); }, [&] { return operand(2); });
    case SymbolicKind::Approx:
        return quotientOf(sym::exact(e));
    case SymbolicKind::Call: {
        std::vector<Operand> arguments;
        const Type isReal = functionOperation(e.name().str(), std::vector<Type>(operands.size(), ScalarKind::Int64)).argument;
        for (std::size_t k = 0; k < operands.size(); ++k)
            arguments.push_back(isReal.isFloat() ? real(operand(k)) : symbolic(operands[k]));
        return {callFunction(e.name().str(), arguments), {}};
    }
    default: // its operands are used as integers
        return {plainSymbolic(e), {}};
    }
}

Builder::Quotient Builder::powerOf(const Quotient &base, sym::Expr exponent) {
    const auto n = exponent.asInt();
    if (!n && isWholeType(base.above.type) && !base.below)
        if (const Operand by = symbolic(exponent); isWholeType(by.type)) { // a negative power is a fraction: 8 * 2**-2 is 2
            const Operand zero = constant(ScalarKind::Int64, int64_t(0)), one = constant(ScalarKind::Int64, int64_t(1));
            const auto raised = [&](Operand to) { return binary(Op::Pow, whole(base.above), whole(to)); };
            return chosen(
                compare(Op::Ge, by, zero),
                [&] {
                    return Quotient{raised(by), {}};
                },
                [&] {
                    return Quotient{one, raised(binary(Op::Sub, zero, by))};
                });
        }
    if (!n || std::abs(*n) > INT32_MAX)
        return {binary(Op::Pow, real(base), symbolic(exponent)), {}};
    const auto raised = [&](Operand a) { return a ? wholePower(a, static_cast<uint64_t>(std::abs(*n))) : a; };
    const Operand above = raised(base.above), below = raised(base.below);
    if (*n >= 0)
        return {above, below};
    return combined(Op::TrueDiv, {below ? below : constant(ScalarKind::Int64, int64_t(1)), {}}, {above, {}});
}

const int64_t *Builder::roundedDown(sym::Expr e) {
    const Operand value = convert(rounded("floor", quotientOf(sym::exact(e))), ScalarKind::Int64);
    return &interpret::as<int64_t>(value.at);
}

} // namespace sdfgc::interpret

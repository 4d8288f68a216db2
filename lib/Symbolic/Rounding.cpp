#include "sdfgc/Symbolic/Rounding.h"

#include "Symbolic/Polynomial.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

namespace sdfgc::sym {
namespace {

/// min(a, b) rounded is the minimum of the rounded operands.
Expr roundedExtremum(Expr e) {
    std::vector<Expr> parts;
    for (Expr op : e.operands())
        parts.push_back(roundedDown(op));
    return e.kind() == SymbolicKind::Min ? min(std::move(parts)) : max(std::move(parts));
}

} // namespace

Expr roundedDown(Expr e) {
    if (isIntegerValued(e) || isUndefinedValue(e))
        return e;
    if (const Expr whole = inIntegers(e); !(whole == e))
        return roundedDown(whole);
    if (e.kind() == SymbolicKind::Min || e.kind() == SymbolicKind::Max)
        return roundedExtremum(e);
    SumBuilder whole, rest;
    for (Expr term : termsOf(e))
        (isIntegerValued(term) ? whole : rest).add(term);
    const Expr fraction = rest.finish();
    if (fraction.kind() == SymbolicKind::Min || fraction.kind() == SymbolicKind::Max)
        return whole.finish() + roundedExtremum(fraction);
    const auto [above, below] = asFraction(e);
    return below.isOne() ? e : floorDiv(above, below);
}

// ---------------------------------------------------------------------------------------------------- numbers

namespace {

/// A number as an integer, or as a fraction with numerator 1 or a power of two as denominator; nothing for other numbers.
std::optional<Expr> exactly(double v) {
    constexpr double largest = 0x1p53, finest = 1 << 20;
    if (!(std::fabs(v) < largest))
        return std::nullopt;
    if (std::floor(v) == v)
        return Expr(static_cast<int64_t>(v));
    if (const double scaled = v * finest; std::floor(scaled) == scaled && std::fabs(scaled) < largest)
        return Expr::rational(static_cast<int64_t>(scaled), static_cast<int64_t>(finest));
    const double below = std::round(1 / v);
    return std::fabs(below) < largest && 1 / below == v ? std::optional(Expr::rational(1, static_cast<int64_t>(below)))
                                                        : std::nullopt;
}

} // namespace

Expr inIntegers(Expr e) {
    std::vector<Expr> ops;
    for (const Expr op : e.operands())
        ops.push_back(inIntegers(op));
    if (std::equal(ops.begin(), ops.end(), e.operands().begin()))
        return e.kind() == SymbolicKind::Float ? exactly(e.floatValue()).value_or(e) : e;
    switch (e.kind()) {
    case SymbolicKind::Add:
    case SymbolicKind::Mul:
    case SymbolicKind::Pow:
    case SymbolicKind::FloorDiv:
    case SymbolicKind::CeilDiv:
    case SymbolicKind::Mod:
    case SymbolicKind::Floor:
    case SymbolicKind::Ceil:
    case SymbolicKind::Abs:
    case SymbolicKind::Min:
    case SymbolicKind::Max:
    case SymbolicKind::Approx:
        return rebuilt(e, ops);
    case SymbolicKind::Select:
        return select(e.operands()[0], ops[1], ops[2]);
    default: // comparisons and functions use the numbers as written
        return e;
    }
}

bool isRealFunction(Name function) {
    static const std::set<std::string_view> names = {
        "sqrt",  "cbrt",  "exp",   "exp2",  "expm1", "log",      "log2",  "log10",  "log1p",     "logb",
        "sin",   "cos",   "tan",   "asin",  "acos",  "atan",     "atan2", "sinh",   "cosh",      "tanh",
        "asinh", "acosh", "atanh", "hypot", "pow",   "erf",      "erfc",  "tgamma", "lgamma",    "fabs",
        "fmax",  "fmin",  "fmod",  "fdim",  "fma",   "copysign", "ldexp", "scalbn", "nextafter", "remainder"};
    return names.count(function.view()) != 0;
}

std::optional<Expr> realPart(Expr e, const std::function<bool(Name)> &isReal) {
    const auto among = [&](std::span<const Expr> operands) {
        for (const Expr op : operands)
            if (auto part = realPart(op, isReal))
                return part;
        return std::optional<Expr>();
    };
    switch (e.kind()) {
    case SymbolicKind::Float:
    case SymbolicKind::Complex:
    case SymbolicKind::NaN:
        return e;
    case SymbolicKind::Symbol:
        return isReal && isReal(e.name()) ? std::optional(e) : std::nullopt;
    case SymbolicKind::Pow:
        if (e.operands()[1].kind() == SymbolicKind::Rational)
            return e;
        return among(e.operands());
    case SymbolicKind::Call:
        return isRealFunction(e.name()) ? std::optional(e) : std::nullopt;
    case SymbolicKind::Cast:
        return e.type().isFloat() ? std::optional(e) : std::nullopt;
    case SymbolicKind::Add:
    case SymbolicKind::Mul:
    case SymbolicKind::Mod:
    case SymbolicKind::Abs:
    case SymbolicKind::Min:
    case SymbolicKind::Max:
    case SymbolicKind::Approx:
        return among(e.operands());
    case SymbolicKind::Select:
        return among(e.operands().subspan(1));
    default: // an integer, or of unknown type
        return std::nullopt;
    }
}

std::optional<ScaledPower> scaledPower(Expr product) {
    if (product.kind() != SymbolicKind::Mul || !product.operands()[0].isInteger())
        return std::nullopt;
    const std::span<const Expr> factors = product.operands().subspan(1);
    const auto at = std::find_if(factors.begin(), factors.end(), [](Expr f) {
        return f.kind() == SymbolicKind::Pow && f.operands()[0].isInteger() && f.operands()[0].numerator() > 1 &&
               !f.operands()[1].isInteger();
    });
    if (at == factors.end())
        return std::nullopt;
    ScaledPower out{product.operands()[0].numerator(), at->operands()[0].numerator(), at->operands()[1], product / *at};
    out.rest = out.rest / Expr(out.coefficient);
    int64_t taken = 0;
    for (; out.coefficient != 0 && out.coefficient % out.base == 0; ++taken)
        out.coefficient /= out.base;
    out.exponent += taken;
    return taken ? std::optional(out) : std::nullopt;
}

} // namespace sdfgc::sym

// floor, ceiling, integer division and modulo, over the exact rationals.
//
// The operand of a floor is first written as one fraction. Terms that are certainly integers are moved out, so that (N + 4) // 4 is
// N // 4 + 1, and common factors are cancelled, so that (4*N) // 8 is N // 2. A ceiling with a constant divisor becomes a floor: (N
// + 3) // 4.
#include "Symbolic/Polynomial.h"

#include <algorithm>
#include <cmath>

namespace sdfgc::sym {
namespace {

/// A sum split into an integer part outside of the rounding and the part that stays inside, over the divisor.
struct Split {
    Expr outside;
    Expr inside;
};

/// Moves out the integer-valued terms of `n` whose quotient by `divisor` is certainly an integer.
Split splitSymbolic(Expr n, Expr divisor) {
    SumBuilder outside, inside;
    for (Expr term : termsOf(n)) {
        Expr quotient = term / divisor;
        if (isIntegerValued(quotient))
            outside.add(quotient);
        else
            inside.add(term);
    }
    return {outside.finish(), inside.finish()};
}

/// The same for a positive integer divisor, where parts of a coefficient move out, too: 5*N is N outside and N inside of a division
/// by 4.
Split splitConstant(Expr n, int64_t divisor) {
    SumBuilder outside, inside;
    for (Expr term : termsOf(n)) {
        if (isExactNumber(term)) {
            int64_t quotient = floorExact(exactNumber(term) / Num(divisor));
            outside.add(quotient);
            inside.add(term - Expr(quotient) * Expr(divisor));
            continue;
        }
        Num c = coefficientOf(term);
        Expr bare = c.isInteger() ? scale(term, Num(1) / c) : term;
        if (!c.isInteger() || !isIntegerValued(bare)) {
            inside.add(term);
            continue;
        }
        outside.add(bare, c.n / divisor);
        inside.add(bare, c.n % divisor);
    }
    return {outside.finish(), inside.finish()};
}

/// Integer constant of a sum (0 when there is none), if the constant is an integer.
std::optional<int64_t> constantOf(Expr e) {
    Expr last = termsOf(e).back();
    return isNumber(last) ? last.asInt() : std::optional<int64_t>(0);
}

/// floor((N//m + k) / d) is floor((N + k*m) / (m*d)).
std::optional<Expr> mergeNestedFloor(Expr inside, int64_t divisor) {
    std::span<const Expr> terms = termsOf(inside);
    Expr inner = terms[0];
    std::optional<int64_t> k = constantOf(inside);
    bool onlyInner = terms.size() == 1 || (terms.size() == 2 && isNumber(terms[1]));
    if (!onlyInner || !k || inner.kind() != SymbolicKind::FloorDiv)
        return std::nullopt;
    std::optional<int64_t> m = inner.operands()[1].asInt();
    int64_t both = 0;
    if (!m || *m <= 0 || __builtin_mul_overflow(*m, divisor, &both))
        return std::nullopt;
    Expr numerator = inner.operands()[0] + Expr(*k) * Expr(*m);
    if (isUndefinedValue(numerator))
        return std::nullopt;
    return floorDiv(numerator, Expr(both));
}

/// A rounded number; nothing if `e` is not a number.
std::optional<Expr> roundNumber(Expr e, bool up) {
    std::optional<Num> v = asNumber(e);
    if (!v || v->kind == Num::Kind::Complex)
        return std::nullopt;
    if (v->isExact())
        return up ? -Expr(floorExact(-*v)) : Expr(floorExact(*v));
    return Expr::floating(up ? std::ceil(v->re) : std::floor(v->re));
}

/// floor(n / divisor) for a positive integer; the coefficients of n are integers.
Expr floorByConstant(Expr n, int64_t divisor) {
    auto [outside, inside] = splitConstant(n, divisor);
    if (isUndefinedValue(outside) || isUndefinedValue(inside))
        return isUndefinedValue(outside) ? outside : inside;
    if (std::optional<Expr> rest = roundNumber(inside / Expr(divisor), false))
        return outside + *rest;
    if (std::optional<Expr> merged = mergeNestedFloor(inside, divisor))
        return outside + *merged;
    int64_t common = divisor;
    bool integers = true;
    for (Expr term : termsOf(inside)) {
        if (isExactNumber(term))
            continue;
        Num c = coefficientOf(term);
        common = c.isInteger() ? gcdWith(common, c.n) : 1;
        integers = integers && isIntegerValued(term);
    }
    std::optional<int64_t> k = constantOf(inside);
    if (common > 1 && k && (integers || *k % common == 0)) {
        Expr reduced = scale(inside - Expr(*k), Num(1) / Num(common)) + Expr(*k / common);
        return outside + floorByConstant(reduced, divisor / common);
    }
    return outside + (divisor == 1 ? node(SymbolicKind::Floor, inside) : node(SymbolicKind::FloorDiv, inside, Expr(divisor)));
}

/// floor(n / d) or ceiling for a symbolic d.
Expr roundSymbolic(SymbolicKind kind, Expr n, Expr d) {
    auto [outside, inside] = splitSymbolic(n, d);
    if (inside.isZero())
        return outside;
    if (!outside.isZero()) { // the remaining part may have common factors
        auto [n2, d2] = asFraction(inside / d);
        return outside + (d2 == d ? node(kind, n2, d2) : kind == SymbolicKind::FloorDiv ? floor(n2 / d2) : ceil(n2 / d2));
    }
    return node(kind, inside, d);
}

Expr ceilByConstant(Expr n, int64_t divisor) {
    if (isIntegerValued(n))
        return floorByConstant(n + Expr(divisor - 1), divisor);
    auto [outside, inside] = splitConstant(n, divisor);
    if (isUndefinedValue(outside) || isUndefinedValue(inside))
        return isUndefinedValue(outside) ? outside : inside;
    if (std::optional<Expr> rest = roundNumber(inside / Expr(divisor), true))
        return outside + *rest;
    return outside + (divisor == 1 ? node(SymbolicKind::Ceil, inside) : node(SymbolicKind::CeilDiv, inside, Expr(divisor)));
}

/// Is one of the factors a sum? Such products were too long to multiply out.
bool hasSumAsFactor(const Expr &e) {
    auto inTerm = [](const Expr &term) {
        std::span<const Expr> factors = factorsOf(term);
        return std::any_of(factors.begin(), factors.end(), [](Expr factor) { return baseOf(factor).kind() == SymbolicKind::Add; });
    };
    std::span<const Expr> terms = termsOf(e);
    return std::any_of(terms.begin(), terms.end(), inTerm);
}

/// Numerator and denominator without common factors. Some only show up in the finished denominator, as in (M - 1)**2*x over 3*M -
/// 3; they are cancelled when the quotient is formed again, as when its text is parsed.
std::pair<Expr, Expr> lowestTerms(Expr e) {
    std::pair<Expr, Expr> parts = asFraction(e);
    constexpr int rounds = 8; // each removes one factor
    for (int round = 0; round < rounds && (hasSumAsFactor(parts.first) || hasSumAsFactor(parts.second)); ++round) {
        std::pair<Expr, Expr> again = asFraction(parts.first / parts.second);
        if (again == parts)
            break;
        parts = again;
    }
    return parts;
}

Expr round(Expr e, bool up);

/// The ceiling of max(N/3, 2) is the maximum of the ceilings, and the same holds for max(N/3, 2)/5: quotients in an operand keep
/// their fractions. Nothing unless `n`, over a positive number, is a sum of integers and one minimum or maximum.
std::optional<Expr> roundOperands(Expr n, Expr divisor, bool up) {
    SumBuilder whole, rest;
    for (Expr term : termsOf(n))
        (isIntegerValued(term) ? whole : rest).add(term);
    const Expr extremum = rest.finish(), outside = whole.finish();
    const std::span<const Expr> ops = extremum.operands();
    const auto isQuotient = [](Expr op) { return !asFraction(op).second.isOne(); };
    if ((extremum.kind() != SymbolicKind::Min && extremum.kind() != SymbolicKind::Max) ||
        std::none_of(ops.begin(), ops.end(), isQuotient))
        return std::nullopt;
    std::vector<Expr> parts;
    for (Expr op : ops)
        parts.push_back(round((op + outside) / divisor, up));
    return extremum.kind() == SymbolicKind::Min ? min(std::move(parts)) : max(std::move(parts));
}

Expr round(Expr e, bool up) {
    if (isIntegerValued(e) || isUndefinedValue(e))
        return e;
    if (std::optional<Expr> v = roundNumber(e, up))
        return *v;
    auto [n, d] = lowestTerms(e);
    if (const std::optional<int64_t> c = d.asInt(); c && *c > 0 && !isIntegerValued(n))
        if (const std::optional<Expr> v = roundOperands(n, d, up))
            return *v;
    if (std::optional<int64_t> c = d.asInt())
        return up ? ceilByConstant(n, *c) : floorByConstant(n, *c);
    if (isUndefinedValue(n))
        return n;
    return roundSymbolic(up ? SymbolicKind::CeilDiv : SymbolicKind::FloorDiv, n, d);
}

/// The modulo of two numbers; nothing if one of them is not a number.
std::optional<Expr> moduloNumber(Expr a, Expr b) {
    std::optional<Num> x = asNumber(a), y = asNumber(b);
    if (!x || !y || x->kind == Num::Kind::Complex || y->kind == Num::Kind::Complex)
        return std::nullopt;
    if (!x->isExact() || !y->isExact()) {
        double r = std::fmod(x->toDouble(), y->toDouble());
        return Expr::floating(r != 0 && (r < 0) != (y->toDouble() < 0) ? r + y->toDouble() : r);
    }
    if (x->isInteger() && y->isInteger())
        return Expr(floorModulo(x->n, y->n));
    return a - b * floor(a / b);
}

/// A term modulo the divisor: smaller coefficient, and no inner Mod by a multiple of the divisor.
Expr reduceTerm(Expr term, int64_t divisor) {
    if (isExactNumber(term))
        return *moduloNumber(term, divisor);
    Num c = coefficientOf(term);
    if (!c.isInteger())
        return term;
    Expr bare = scale(term, Num(1) / c);
    if (!isIntegerValued(bare))
        return term;
    int64_t reduced = floorModulo(c.n, divisor);
    if (bare.kind() == SymbolicKind::Mod && reduced != 0) {
        std::optional<int64_t> inner = bare.operands()[1].asInt();
        if (inner && *inner % (divisor / gcdWith(divisor, reduced)) == 0)
            return mod(scale(bare.operands()[0], Num(reduced)), divisor);
    }
    return scale(bare, Num(reduced));
}

/// Is n certainly in [0, divisor), without knowing anything about symbols?
bool isReduced(Expr n, Expr divisor) {
    return isIntegerValued(n) && isNonNegative(n) == Truth::True && isLess(n, divisor) == Truth::True;
}

/// n mod a positive integer; the coefficients of n are integers.
Expr modByConstant(Expr n, int64_t divisor) {
    SumBuilder sum;
    for (Expr term : termsOf(n))
        sum.add(reduceTerm(term, divisor));
    Expr rest = sum.finish();
    if (isUndefinedValue(rest))
        return rest;
    if (std::optional<Expr> v = moduloNumber(rest, divisor))
        return *v;
    if (isReduced(rest, divisor))
        return rest;
    if (rest != n) // a term left a constant behind, or coefficients were combined again
        return modByConstant(rest, divisor);
    int64_t common = divisor;
    for (Expr term : termsOf(rest)) {
        Num c = isExactNumber(term) ? exactNumber(term) : coefficientOf(term);
        common = c.isInteger() ? gcdWith(common, c.n) : 1;
    }
    if (common > 1)
        return scale(modByConstant(scale(rest, Num(1) / Num(common)), divisor / common), Num(common));
    return node(SymbolicKind::Mod, rest, divisor);
}

Expr modSymbolic(Expr a, Expr b) {
    Expr inside = splitSymbolic(a, b).inside;
    if (inside.isZero() || isUndefinedValue(inside))
        return inside;
    Num above = contentOf(inside), below = contentOf(b);
    Num common = Num::ratio(static_cast<__int128>(gcd64(above.n, below.n)), 1);
    if (below.isNegative())
        common = -common;
    if (!above.isInteger() || !below.isInteger() || common.isOne() || common.isOverflow())
        return node(SymbolicKind::Mod, inside, b);
    Expr x = scale(inside, Num(1) / common), y = scale(b, Num(1) / common);
    return scale(node(SymbolicKind::Mod, x, y), common);
}

} // namespace

Expr floor(Expr a) { return round(a, false); }
Expr ceil(Expr a) { return round(a, true); }
Expr floorDiv(Expr a, Expr b) { return floor(a / b); }
Expr ceilDiv(Expr a, Expr b) { return ceil(a / b); }

Expr mod(Expr a, Expr b) {
    a = numeric(a);
    b = numeric(b);
    if (isUndefinedValue(a) || isUndefinedValue(b) || b.isZero())
        return isUndefinedValue(a) ? a : isUndefinedValue(b) ? b : Expr::undefined();
    if (std::optional<Expr> v = moduloNumber(a, b))
        return *v;
    if (a == b || a.isZero())
        return 0;
    std::optional<int64_t> denominator = commonDenominator(a);
    if (!isExactNumber(b) || !denominator)
        return modSymbolic(a, b);
    Num divisor = exactNumber(b), lcm = Num(*denominator) * Num(divisor.d / gcdWith(divisor.d, *denominator));
    Num whole = divisor * lcm;
    if (whole.isOverflow() || whole.n == INT64_MIN)
        return overflow();
    if (whole.n < 0)
        return scale(modByConstant(scale(a, -lcm), -whole.n), Num(-1) / lcm);
    return scale(modByConstant(scale(a, lcm), whole.n), Num(1) / lcm);
}

Expr abs(Expr a) {
    if (isUndefinedValue(a))
        return a;
    if (std::optional<Num> v = asNumber(a)) {
        if (v->kind == Num::Kind::Complex)
            return Expr::floating(std::hypot(v->re, v->im));
        return number(v->isNegative() ? -*v : *v);
    }
    if (isNonNegative(a) == Truth::True)
        return a;
    Num content = contentOf(a), magnitude = content.isNegative() ? -content : content;
    Expr primitive = scale(a, Num(1) / content);
    if (isUndefinedValue(primitive))
        return node(SymbolicKind::Abs, a);
    bool isMagnitude = isNonNegative(primitive) == Truth::True;
    return scale(isMagnitude ? primitive : node(SymbolicKind::Abs, primitive), magnitude);
}

} // namespace sdfgc::sym

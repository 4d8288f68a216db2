#include "Symbolic/Bounds.h"

#include <algorithm>
#include <limits>

namespace sdfgc::sym {
namespace {

using Bound = std::optional<Num>;

/// A bound that overflowed 64 bits carries no information.
Bound usable(const Num &v) { return v.isExact() ? Bound(v) : std::nullopt; }

bool less(const Num &a, const Num &b) { return compareExact(a, b) < 0; }
Num smaller(const Num &a, const Num &b) { return less(b, a) ? b : a; }
Num larger(const Num &a, const Num &b) { return less(a, b) ? b : a; }
bool nonNegative(const Bound &b) { return b && !b->isNegative(); }
bool positive(const Bound &b) { return b && !b->isNegative() && !b->isZero(); }

Bound add(const Bound &a, const Bound &b) { return a && b ? usable(*a + *b) : std::nullopt; }
Interval add(const Interval &a, const Interval &b) { return {add(a.lo, b.lo), add(a.hi, b.hi)}; }
Bound negate(const Bound &a) { return a ? usable(-*a) : std::nullopt; }
Interval negate(const Interval &a) { return {negate(a.hi), negate(a.lo)}; }
Bound floorOf(const Bound &a) { return a ? Bound(Num(floorExact(*a))) : std::nullopt; }
Bound ceilOf(const Bound &a) { return negate(floorOf(negate(a))); }

/// A bound of the product of two nonnegative intervals' ends; zero times unbounded is zero.
Bound times(const Bound &a, const Bound &b) {
    if ((a && a->isZero()) || (b && b->isZero()))
        return Num(0);
    return a && b ? usable(*a * *b) : std::nullopt;
}

Interval multiplyBounded(const Interval &a, const Interval &b) {
    Interval result;
    bool first = true;
    for (const Bound &x : {a.lo, a.hi})
        for (const Bound &y : {b.lo, b.hi}) {
            Num p = *x * *y;
            if (!p.isExact())
                return {};
            result.lo = first ? p : smaller(*result.lo, p);
            result.hi = first ? p : larger(*result.hi, p);
            first = false;
        }
    return result;
}

Interval multiply(const Interval &a, const Interval &b) {
    if (a.lo && a.hi && b.lo && b.hi)
        return multiplyBounded(a, b);
    if (nonNegative(a.lo) && nonNegative(b.lo))
        return {times(a.lo, b.lo), times(a.hi, b.hi)};
    auto negative = [](const Interval &i) { return !nonNegative(i.lo) && i.hi && (i.hi->isNegative() || i.hi->isZero()); };
    if (negative(a))
        return negate(multiply(negate(a), b));
    if (negative(b))
        return negate(multiply(a, negate(b)));
    // One factor is nonnegative and the other may have any sign: the upper end of the first gives both ends.
    if (nonNegative(b.lo))
        return multiply(b, a);
    if (nonNegative(a.lo))
        return {b.lo ? times(a.hi, b.lo) : std::nullopt, b.hi ? times(a.hi, b.hi) : std::nullopt};
    return {};
}

Interval raised(const Interval &base, int64_t n) {
    auto raise = [&](const Bound &b) { return b ? usable(power(*b, n)) : std::nullopt; };
    Bound lo = raise(base.lo), hi = raise(base.hi);
    if (nonNegative(base.lo) || n % 2 != 0)
        return {lo, hi};
    return {Num(0), lo && hi ? Bound(larger(*lo, *hi)) : std::nullopt};
}

Interval unite(const Interval &a, const Interval &b) {
    return {a.lo && b.lo ? Bound(smaller(*a.lo, *b.lo)) : std::nullopt, a.hi && b.hi ? Bound(larger(*a.hi, *b.hi)) : std::nullopt};
}

/// a / b for b >= 1: closer to zero than a, with the same sign.
Interval divideByPositive(const Interval &a, const Interval &b) {
    if (b.lo && b.hi && *b.lo == *b.hi)
        return {a.lo ? usable(*a.lo / *b.lo) : std::nullopt, a.hi ? usable(*a.hi / *b.lo) : std::nullopt};
    return {a.lo ? Bound(smaller(*a.lo, 0)) : std::nullopt, a.hi ? Bound(larger(*a.hi, 0)) : std::nullopt};
}

Interval rangeOf(Type t) {
    if (t.isBool())
        return {Num(0), Num(1)};
    if (!t.isInteger())
        return {};
    int64_t bits = *t.bytes() * 8;
    if (t.isUnsigned())
        return {Num(0), bits == 64 ? std::nullopt : Bound(Num((int64_t(1) << bits) - 1))};
    if (bits == 64)
        return {Num(std::numeric_limits<int64_t>::min()), Num(std::numeric_limits<int64_t>::max())};
    return {Num(-(int64_t(1) << (bits - 1))), Num((int64_t(1) << (bits - 1)) - 1)};
}

} // namespace

Interval Bounds::of(Expr e) {
    if (isExactNumber(e))
        return {exactNumber(e), exactNumber(e)};
    if (e.isSymbol())
        return symbol(e.name());
    if (e.operands().empty())
        return e.kind() == SymbolicKind::Bool ? Interval{Num(0), Num(1)} : Interval{};
    if (auto known = done_.find(e); known != done_.end())
        return known->second;
    Interval result = compute(e);
    done_.emplace(e, result);
    return result;
}

bool Bounds::atLeast(Expr e, int64_t v) {
    Interval i = of(e);
    return i.lo && !less(*i.lo, Num(v));
}

Interval Bounds::compute(Expr e) {
    std::span<const Expr> ops = e.operands();
    switch (e.kind()) {
    case SymbolicKind::Add:
        return sum(e);
    case SymbolicKind::Mul:
        return product(e);
    case SymbolicKind::Pow:
        return power(ops[0], ops[1]);
    case SymbolicKind::FloorDiv:
    case SymbolicKind::CeilDiv:
        return quotient(e);
    case SymbolicKind::Floor: {
        Interval a = of(ops[0]);
        return {floorOf(a.lo), floorOf(a.hi)};
    }
    case SymbolicKind::Ceil: {
        Interval a = of(ops[0]);
        return {ceilOf(a.lo), ceilOf(a.hi)};
    }
    case SymbolicKind::Mod:
        return modulo(ops[0], ops[1]);
    case SymbolicKind::Abs:
        return magnitude(ops[0]);
    case SymbolicKind::Min:
    case SymbolicKind::Max:
        return extremum(e);
    case SymbolicKind::Select:
        return unite(of(ops[1]), of(ops[2]));
    case SymbolicKind::Cast:
        return cast(e);
    case SymbolicKind::Approx:
        return of(ops[0]);
    case SymbolicKind::BitAnd:
    case SymbolicKind::BitOr:
    case SymbolicKind::BitXor:
    case SymbolicKind::Shl:
    case SymbolicKind::Shr:
        return bits(e);
    default:
        return isBooleanValued(e) ? Interval{Num(0), Num(1)} : Interval{};
    }
}

Interval Bounds::symbol(Name name) const {
    auto at = facts_.find(name);
    if (at == facts_.end())
        return {};
    const SymbolFacts &f = at->second;
    Interval range = f.type.isBool() || f.type.isUnsigned() ? rangeOf(f.type) : Interval{};
    bool nonnegative = f.nonnegative || nonNegative(range.lo);
    if (f.positive || (nonnegative && f.nonzero))
        range.lo = Num(1);
    else if (nonnegative)
        range.lo = Num(0);
    return range;
}

Interval Bounds::sum(Expr e) {
    Interval result{Num(0), Num(0)};
    for (Expr term : e.operands())
        result = add(result, of(term));
    return result;
}

Interval Bounds::product(Expr e) {
    Interval result{Num(1), Num(1)};
    for (Expr factor : e.operands())
        result = multiply(result, of(factor));
    return result;
}

Interval Bounds::power(Expr base, Expr exponent) {
    Interval b = of(base), e = of(exponent);
    if (std::optional<int64_t> n = exponent.asInt()) {
        if (*n > 0)
            return raised(b, *n);
        if (!positive(b.lo)) // 1/x is not bounded near zero
            return *n % 2 == 0 || nonNegative(b.lo) ? Interval{Num(0), std::nullopt} : Interval{};
        return {b.hi ? usable(sym::power(*b.hi, *n)) : Bound(Num(0)), usable(sym::power(*b.lo, *n))};
    }
    if (b.lo && !less(*b.lo, 1) && nonNegative(e.lo))
        return {Num(1), std::nullopt};
    return nonNegative(b.lo) ? Interval{Num(0), std::nullopt} : Interval{};
}

Interval Bounds::quotient(Expr e) {
    Interval a = of(e.operands()[0]), b = of(e.operands()[1]);
    if (!b.lo || less(*b.lo, 1))
        return {};
    Interval q = divideByPositive(a, b);
    if (e.kind() == SymbolicKind::FloorDiv)
        return {floorOf(q.lo), floorOf(q.hi)};
    return {ceilOf(q.lo), ceilOf(q.hi)};
}

/// The result is in [0, b), and never larger than a nonnegative a.
Interval Bounds::modulo(Expr a, Expr b) {
    Interval x = of(a), y = of(b);
    if (!positive(y.lo))
        return {};
    Interval result{Num(0), std::nullopt};
    bool integers = isIntegerValued(a) && isIntegerValued(b);
    if (y.hi)
        result.hi = integers ? usable(*y.hi - Num(1)) : y.hi;
    if (nonNegative(x.lo) && x.hi && (!result.hi || less(*x.hi, *result.hi)))
        result.hi = x.hi;
    return result;
}

Interval Bounds::magnitude(Expr a) {
    Interval x = of(a);
    if (nonNegative(x.lo))
        return x;
    Bound hi = x.lo && x.hi ? usable(larger(-*x.lo, *x.hi)) : std::nullopt;
    if (x.hi && x.hi->isNegative())
        return {negate(x.hi), negate(x.lo)};
    return {Num(0), hi};
}

Interval Bounds::extremum(Expr e) {
    bool isMin = e.kind() == SymbolicKind::Min;
    // The interval of a minimum needs every lower end, but only one upper end. A maximum is the mirror image.
    Interval result;
    bool first = true;
    for (Expr op : e.operands()) {
        Interval i = isMin ? of(op) : negate(of(op));
        result.lo = first ? i.lo : result.lo && i.lo ? Bound(smaller(*result.lo, *i.lo)) : std::nullopt;
        if (i.hi)
            result.hi = result.hi ? smaller(*result.hi, *i.hi) : *i.hi;
        first = false;
    }
    return isMin ? result : negate(result);
}

Interval Bounds::cast(Expr e) {
    Interval range = rangeOf(e.type()), value = of(e.operands()[0]);
    bool fits = range.lo && value.lo && value.hi && !less(*value.lo, *range.lo) && (!range.hi || !less(*range.hi, *value.hi));
    return fits && isIntegerValued(e.operands()[0]) ? value : range;
}

Interval Bounds::bits(Expr e) {
    Interval a = of(e.operands()[0]), b = of(e.operands()[1]);
    bool bothNonNegative = nonNegative(a.lo) && nonNegative(b.lo);
    if (e.kind() == SymbolicKind::BitAnd && (nonNegative(a.lo) || nonNegative(b.lo))) {
        Interval result{Num(0), std::nullopt};
        for (const Interval &i : {a, b})
            if (nonNegative(i.lo) && i.hi)
                result.hi = result.hi ? smaller(*result.hi, *i.hi) : *i.hi;
        return result;
    }
    if (e.kind() == SymbolicKind::Shr && bothNonNegative)
        return {Num(0), a.hi};
    return bothNonNegative ? Interval{Num(0), std::nullopt} : Interval{};
}

} // namespace sdfgc::sym

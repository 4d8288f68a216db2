#include "Symbolic/Polynomial.h"

#include <algorithm>

namespace sdfgc::sym {
namespace {

bool sameFactors(const Expr &a, const Expr &b) {
    std::span<const Expr> x = factorsOf(a), y = factorsOf(b);
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin());
}

Num contentOfTerm(const Num &c) { return c.isExact() ? c : Num(1); }

/// gcd of two exact numbers as a positive rational: gcd of numerators over lcm of denominators. Overflow if it does not fit.
Num rationalGcd(const Num &a, const Num &b) {
    uint64_t n = gcd64(a.n, b.n);
    __int128 d = static_cast<__int128>(a.d) / gcdWith(a.d, b.d) * b.d;
    return Num::ratio(static_cast<__int128>(n), d);
}

} // namespace

void SumBuilder::add(Expr e, const Num &scale) {
    if (e.kind() == SymbolicKind::Add) {
        for (Expr term : e.operands())
            add(term, scale);
    } else if (isUndefinedValue(e)) {
        if (!undefined_ || e.overflowed())
            undefined_ = e;
    } else if (std::optional<Num> v = asNumber(e)) {
        constant_ = constant_ + *v * scale;
    } else {
        bool changed = !scale.isOne();
        terms_.push_back({e, changed ? coefficientOf(e) * scale : coefficientOf(e), changed});
    }
}

void SumBuilder::merge(Term &into, const Term &from) {
    into.coefficient = into.coefficient + from.coefficient;
    into.changed = true;
}

void SumBuilder::sortAndMerge() {
    if (terms_.size() < 2)
        return;
    if (terms_.size() == 2 && sameFactors(terms_[0].whole, terms_[1].whole)) {
        merge(terms_[0], terms_[1]);
        terms_.pop_back();
        return;
    }
    auto less = [](const Term &a, const Term &b) { return compareTerms(factorsOf(a.whole), factorsOf(b.whole)) < 0; };
    if (!std::is_sorted(terms_.begin(), terms_.end(), less))
        std::stable_sort(terms_.begin(), terms_.end(), less);
    std::size_t kept = 0;
    for (std::size_t i = 1; i < terms_.size(); ++i) {
        if (sameFactors(terms_[kept].whole, terms_[i].whole))
            merge(terms_[kept], terms_[i]);
        else
            terms_[++kept] = terms_[i];
    }
    terms_.erase(terms_.begin() + kept + 1, terms_.end());
}

Expr SumBuilder::build(const Term &t) {
    if (!t.changed)
        return t.whole;
    std::span<const Expr> factors = factorsOf(t.whole);
    if (t.coefficient.isOne() && factors.size() == 1)
        return factors[0];
    std::vector<Expr> ops;
    ops.reserve(factors.size() + 1);
    if (!t.coefficient.isOne())
        ops.push_back(number(t.coefficient));
    ops.insert(ops.end(), factors.begin(), factors.end());
    return makeNode({.kind = SymbolicKind::Mul, .ops = {ops.data(), ops.size()}});
}

Expr SumBuilder::finish() {
    if (undefined_)
        return *undefined_;
    sortAndMerge();
    std::vector<Expr> ops;
    ops.reserve(terms_.size() + 1);
    for (const Term &t : terms_) {
        if (t.coefficient.isOverflow())
            return overflow();
        if (!t.coefficient.isZero())
            ops.push_back(build(t));
    }
    if (ops.empty() || constant_.isOverflow())
        return number(constant_);
    if (!constant_.isZero())
        ops.push_back(number(constant_));
    return ops.size() == 1 ? ops[0] : makeNode({.kind = SymbolicKind::Add, .ops = {ops.data(), ops.size()}});
}

Num contentOf(Expr e) {
    std::span<const Expr> terms = termsOf(e);
    auto coefficient = [](Expr term) { return isNumber(term) ? *asNumber(term) : coefficientOf(term); };
    Num first = coefficient(terms[0]);
    if (terms.size() == 1)
        return contentOfTerm(first);
    if (!first.isExact())
        return 1;
    Num content = first;
    for (Expr term : terms.subspan(1)) {
        Num c = coefficient(term);
        if (!c.isExact())
            return 1;
        content = rationalGcd(content, c);
        if (content.isOverflow())
            return 1;
    }
    return first.isNegative() == content.isNegative() ? content : -content;
}

int64_t integerContent(Expr e) {
    const Num content = contentOf(e);
    return content.isInteger() && content.n != 0 && content.n != INT64_MIN ? std::abs(content.n) : 1;
}

Expr scale(Expr e, const Num &by) {
    SumBuilder s;
    s.add(e, by);
    return s.finish();
}

std::optional<int64_t> commonDenominator(Expr e) {
    int64_t lcm = 1;
    for (Expr term : termsOf(e)) {
        Num c = isNumber(term) ? *asNumber(term) : coefficientOf(term);
        if (!c.isExact() || __builtin_mul_overflow(lcm, c.d / gcdWith(c.d, lcm), &lcm))
            return std::nullopt;
    }
    return lcm;
}

Expr operator+(Expr a, Expr b) {
    if (b.isZero() && isCommon(a))
        return a;
    if (a.isZero() && isCommon(b))
        return b;
    SumBuilder s;
    s.add(a);
    s.add(b);
    return s.finish();
}

Expr operator-(Expr a, Expr b) {
    if (b.isZero() && isCommon(a))
        return a;
    SumBuilder s;
    s.add(a);
    s.add(b, -1);
    return s.finish();
}

Expr operator-(Expr a) { return scale(a, -1); }

} // namespace sdfgc::sym

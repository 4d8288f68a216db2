#include "Symbolic/Polynomial.h"

#include <algorithm>
#include <cmath>
#include <complex>

namespace sdfgc::sym {
namespace {

/// The number of ways to choose `n` factors from a sum of `k` terms, which is the number of terms of its n-th power. Saturates just
/// above the limit.
std::size_t powerTerms(std::size_t k, int64_t n) {
    std::size_t result = 1;
    for (int64_t i = 1; i <= n; ++i) {
        result = result * (k + static_cast<std::size_t>(i) - 1) / static_cast<std::size_t>(i);
        if (result > maxExpandedTerms)
            return maxExpandedTerms + 1;
    }
    return result;
}

Expr product(Expr a, Expr b) {
    if (isCommon(a) && isCommon(b)) {
        if (a.isZero() || b.isOne())
            return a;
        if (b.isZero() || a.isOne())
            return b;
    }
    ProductBuilder p;
    p.multiply(a);
    p.multiply(b);
    return p.finish();
}

/// The square root of a nonnegative exact number, if it is rational.
std::optional<Num> exactRoot(const Num &v) {
    auto root = [](int64_t x) -> std::optional<int64_t> {
        auto r = static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(x))));
        return r <= 3037000499 && r * r == x ? std::optional(r) : std::nullopt; // floor of the root of 2^63
    };
    if (v.n < 0)
        return std::nullopt;
    std::optional<int64_t> n = root(v.n), d = root(v.d);
    return n && d ? std::optional(Num::ratio(*n, *d)) : std::nullopt;
}

/// A number raised to a non-integer power; nothing if it stays symbolic.
std::optional<Num> numericPower(const Num &base, const Num &exponent) {
    if (base.isExact() && exponent.isExact()) {
        std::optional<Num> root = exponent.d == 2 ? exactRoot(base) : std::nullopt;
        if (!root || (root->isZero() && exponent.n < 0))
            return std::nullopt;
        return power(*root, exponent.n);
    }
    if (base.kind == Num::Kind::Complex || exponent.kind == Num::Kind::Complex || base.toDouble() < 0) {
        std::complex<double> c =
            std::pow(std::complex<double>(base.toDouble(), base.im), std::complex<double>(exponent.toDouble(), exponent.im));
        return Num::complex(c.real(), c.imag());
    }
    return Num::real(std::pow(base.toDouble(), exponent.toDouble()));
}

} // namespace

void ProductBuilder::becomeUndefined(Expr e) {
    if (!undefined_ || e.overflowed())
        undefined_ = e;
}

void ProductBuilder::multiplyNumber(const Num &v, int64_t exponent) {
    if (v.isZero() && exponent < 0)
        becomeUndefined(Expr::undefined()); // a division by zero
    else
        coefficient_ = coefficient_ * (exponent == 1 ? v : power(v, exponent));
}

void ProductBuilder::multiply(Expr e, Expr exponent) {
    if (isUndefinedValue(e) || isUndefinedValue(exponent))
        becomeUndefined(isUndefinedValue(e) ? e : exponent);
    else if (exponent.isInteger())
        multiplyInteger(e, exponent.numerator());
    else if (e.kind() == SymbolicKind::Pow && isIntegerValued(exponent))
        factors_.push_back({baseOf(e), product(exponentOf(e), exponent)});
    else if (!e.isOne())
        factors_.push_back({e, exponent});
}

void ProductBuilder::multiplyInteger(Expr e, int64_t exponent) {
    if (exponent == 0)
        return;
    if (std::optional<Num> v = asNumber(e))
        return multiplyNumber(*v, exponent);
    if (e.kind() == SymbolicKind::Mul) {
        for (Expr factor : e.operands())
            multiplyInteger(factor, exponent);
    } else if (e.kind() == SymbolicKind::Pow) {
        Expr combined = exponent == 1 ? exponentOf(e) : product(exponentOf(e), Expr(exponent));
        if (isUndefinedValue(combined))
            becomeUndefined(combined);
        else
            factors_.push_back({baseOf(e), combined});
    } else if (e.kind() == SymbolicKind::Add) {
        Num content = contentOf(e);
        Expr primitive = content.isOne() ? e : scale(e, Num(1) / content);
        if (isUndefinedValue(primitive)) { // the content could not be taken out within 64 bits
            factors_.push_back({e, Expr(exponent)});
            return;
        }
        multiplyNumber(content, exponent);
        factors_.push_back({primitive, Expr(exponent)});
    } else {
        factors_.push_back({e, Expr(exponent)});
    }
}

/// 2**(i + 3) is 8 * 2**i, and 4**(1/2) is 2.
void ProductBuilder::foldNumericPower(Factor &f) {
    std::optional<Num> base = asNumber(f.base), exponent = asNumber(f.exponent);
    if (!base)
        return;
    if (std::optional<Num> value = exponent && !exponent->isInteger() ? numericPower(*base, *exponent) : std::nullopt) {
        coefficient_ = coefficient_ * *value;
        f.exponent = 0;
    }
    if (base->isZero() || !base->isExact())
        return;
    Expr last = termsOf(f.exponent).back();
    constexpr int64_t limit = 62; // beyond this, the coefficient overflows for every base except 1 and -1
    if (f.exponent.kind() != SymbolicKind::Add || !last.isInteger() || last.numerator() > limit || last.numerator() < -limit)
        return;
    Num taken = power(*base, last.numerator()), combined = coefficient_ * taken;
    if (taken.isOverflow() || combined.isOverflow())
        return;
    coefficient_ = combined;
    f.exponent = f.exponent - last;
}

/// Is there a factor whose merged exponent became an integer, although it was not an integer power before?
bool ProductBuilder::hasFoldableFactor() const {
    return std::any_of(factors_.begin(), factors_.end(), [](const Factor &f) {
        return f.exponent.isInteger() &&
               (isNumber(f.base) || f.base.kind() == SymbolicKind::Mul || f.base.kind() == SymbolicKind::Pow);
    });
}

void ProductBuilder::mergeFactors() {
    auto less = [](const Factor &a, const Factor &b) { return Expr::compare(a.base, b.base) < 0; };
    if (!std::is_sorted(factors_.begin(), factors_.end(), less))
        std::stable_sort(factors_.begin(), factors_.end(), less);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < factors_.size();) {
        Factor f = factors_[i++];
        for (; i < factors_.size() && factors_[i].base == f.base; ++i)
            f.exponent = f.exponent + factors_[i].exponent;
        if (isUndefinedValue(f.exponent))
            return becomeUndefined(f.exponent);
        foldNumericPower(f);
        if (!f.exponent.isZero())
            factors_[kept++] = f;
    }
    factors_.resize(kept, {Expr(1), Expr(1)});
}

bool ProductBuilder::isSumFactor(const Factor &f) const {
    return f.base.kind() == SymbolicKind::Add && f.exponent.isInteger() && f.exponent.numerator() > 0;
}

std::size_t ProductBuilder::expandedTerms() const {
    std::size_t terms = 1;
    for (const Factor &f : factors_)
        if (isSumFactor(f) && terms <= maxExpandedTerms)
            terms *= powerTerms(f.base.operands().size(), f.exponent.numerator());
    return terms;
}

Expr ProductBuilder::keep() const {
    std::vector<Expr> ops;
    ops.reserve(factors_.size() + 1);
    if (!coefficient_.isOne())
        ops.push_back(number(coefficient_));
    for (const Factor &f : factors_) {
        Expr pair[] = {f.base, f.exponent};
        ops.push_back(f.exponent.isOne() ? f.base : makeNode({.kind = SymbolicKind::Pow, .ops = pair}));
    }
    if (ops.empty())
        return Expr(1);
    return ops.size() == 1 ? ops[0] : makeNode({.kind = SymbolicKind::Mul, .ops = {ops.data(), ops.size()}});
}

Expr ProductBuilder::expand() const {
    ProductBuilder rest;
    rest.coefficient_ = coefficient_;
    for (const Factor &f : factors_)
        if (!isSumFactor(f))
            rest.factors_.push_back(f);
    Expr result = rest.keep();
    for (const Factor &f : factors_) {
        for (int64_t n = isSumFactor(f) ? f.exponent.numerator() : 0; n > 0; --n) {
            SumBuilder next;
            for (Expr a : termsOf(result))
                for (Expr b : f.base.operands()) {
                    ExpansionBudget::spend();
                    next.add(product(a, b));
                }
            result = next.finish();
        }
    }
    return result;
}

Expr ProductBuilder::finish() {
    if (!undefined_)
        mergeFactors();
    if (undefined_)
        return *undefined_;
    if (coefficient_.isOverflow())
        return overflow();
    if (coefficient_.isZero() || factors_.empty())
        return number(coefficient_);
    if (hasFoldableFactor()) {
        ProductBuilder again;
        again.coefficient_ = coefficient_;
        for (const Factor &f : factors_)
            again.multiply(f.base, f.exponent);
        return again.finish();
    }
    if (factors_.size() == 1 && isSumFactor(factors_[0]) && factors_[0].exponent.isOne())
        return scale(factors_[0].base, coefficient_);
    std::size_t terms = expandedTerms();
    return terms > 1 && terms <= maxExpandedTerms && !ExpansionBudget::isSpent() ? expand() : keep();
}

Expr operator*(Expr a, Expr b) { return product(a, b); }

Expr operator/(Expr a, Expr b) {
    ProductBuilder p;
    p.multiply(a);
    p.multiply(b, Expr(-1));
    return p.finish();
}

Expr pow(Expr base, Expr exponent) {
    base = numeric(base);
    exponent = numeric(exponent);
    if (exponent.isZero() && !isUndefinedValue(base))
        return Expr(1);
    std::optional<Num> b = asNumber(base), e = asNumber(exponent);
    if (b && e && !e->isInteger())
        if (std::optional<Num> value = numericPower(*b, *e))
            return number(*value);
    ProductBuilder p;
    p.multiply(base, exponent);
    return p.finish();
}

} // namespace sdfgc::sym

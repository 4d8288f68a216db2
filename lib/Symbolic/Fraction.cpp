// Expressions as one quotient, and as affine functions of one symbol.
#include "Symbolic/Polynomial.h"

#include <algorithm>

namespace sdfgc::sym {
namespace {

struct Power {
    Expr base;
    int64_t exponent; // > 0
};

/// numerator / (number * product of powers)
struct Fraction {
    Expr numerator;
    Num number = 1; // a positive integer or overflow
    std::vector<Power> powers;

    void divideBy(Expr base, int64_t exponent) {
        auto at = std::find_if(powers.begin(), powers.end(), [&](const Power &p) { return p.base == base; });
        if (at == powers.end())
            powers.push_back({base, exponent});
        else
            at->exponent += exponent;
    }
    int64_t exponentOf(Expr base) const {
        for (const Power &p : powers)
            if (p.base == base)
                return p.exponent;
        return 0;
    }
    Expr denominator() const {
        ProductBuilder product;
        product.multiply(sym::number(number));
        for (const Power &p : powers)
            product.multiply(p.base, Expr(p.exponent));
        return product.finish();
    }
};

Fraction fractionOf(Expr e);

/// x ** -n: the fraction of x upside down.
Fraction reciprocal(Expr base, int64_t exponent) {
    Fraction below = fractionOf(base), result;
    result.numerator = pow(below.denominator(), Expr(exponent));
    Num content = contentOf(below.numerator);
    if (!content.isExact() || content.isZero())
        content = 1;
    // The content is split: its denominator and sign go to the numerator.
    result.numerator = scale(result.numerator, power(content.n < 0 ? -Num(content.d) : Num(content.d), exponent));
    result.number = power(content.n < 0 ? -Num(content.n) : Num(content.n), exponent);
    Expr primitive = scale(below.numerator, Num(1) / content);
    for (Expr factor : factorsOf(primitive)) {
        Expr e = exponentOf(factor);
        if (e.isInteger() && e.numerator() > 0 && e.numerator() <= INT32_MAX && exponent <= INT32_MAX)
            result.divideBy(baseOf(factor), e.numerator() * exponent);
        else if (!factor.isOne())
            result.divideBy(factor, exponent);
    }
    return result;
}

Fraction fractionOfPower(Expr e) {
    Expr exponent = exponentOf(e);
    if (!exponent.isInteger() || isNumber(baseOf(e)))
        return {e};
    int64_t n = exponent.numerator();
    if (n < 0)
        return n == INT64_MIN ? Fraction{overflow()} : reciprocal(baseOf(e), -n);
    if (isIntegerValued(baseOf(e)))
        return {e};
    Fraction f = fractionOf(baseOf(e));
    f.numerator = pow(f.numerator, exponent);
    f.number = power(f.number, n);
    for (Power &p : f.powers)
        p.exponent = p.exponent <= INT32_MAX && n <= INT32_MAX ? p.exponent * n : INT64_MAX;
    return f;
}

Fraction fractionOfProduct(Expr e) {
    ProductBuilder numerator;
    Fraction result;
    for (Expr factor : e.operands()) {
        Fraction f = fractionOf(factor);
        numerator.multiply(f.numerator);
        result.number = result.number * f.number;
        for (const Power &p : f.powers)
            result.divideBy(p.base, p.exponent);
    }
    result.numerator = numerator.finish();
    return result;
}

Num lcm(const Num &a, const Num &b) {
    if (!a.isInteger() || !b.isInteger())
        return Num::overflow();
    return a * Num(b.n / gcdWith(b.n, a.n));
}

Fraction fractionOfSum(Expr e) {
    std::vector<Fraction> parts;
    Fraction result;
    for (Expr term : e.operands()) {
        const Fraction &f = parts.emplace_back(fractionOf(term));
        result.number = lcm(result.number, f.number);
        for (const Power &p : f.powers)
            if (int64_t has = result.exponentOf(p.base); has < p.exponent)
                result.divideBy(p.base, p.exponent - has);
    }
    if (result.number.isOverflow())
        return {overflow()};
    SumBuilder sum;
    for (const Fraction &f : parts) {
        ProductBuilder product;
        product.multiply(f.numerator);
        product.multiply(number(result.number / f.number));
        for (const Power &p : result.powers)
            product.multiply(p.base, Expr(p.exponent - f.exponentOf(p.base)));
        sum.add(product.finish());
    }
    result.numerator = sum.finish();
    return result;
}

Fraction fractionOf(Expr e) {
    if (isIntegerValued(e))
        return {e};
    switch (e.kind()) {
    case SymbolicKind::Rational:
        return {Expr(e.numerator()), e.denominator()};
    case SymbolicKind::Add:
        return fractionOfSum(e);
    case SymbolicKind::Mul:
        return fractionOfProduct(e);
    case SymbolicKind::Pow:
        return fractionOfPower(e);
    default:
        return {e};
    }
}

} // namespace

std::pair<Expr, Expr> asFraction(Expr e) {
    Fraction f = fractionOf(e);
    Expr numerator = f.numerator, denominator = f.denominator();
    if (isUndefinedValue(numerator) || isUndefinedValue(denominator))
        return {overflow(), 1};
    if (numerator.isZero())
        return {0, 1};
    Num below = contentOf(denominator), above = contentOf(numerator);
    if (!above.isExact() || above.isZero() || below.isZero())
        above = 1;
    Num ratio = above / below;
    bool reduced = above.d == 1 && below.d == 1 && ratio.n == above.n && ratio.d == below.n;
    if (reduced || ratio.isOverflow())
        return {numerator, denominator};
    Expr n = scale(numerator, Num(ratio.n) / above), d = scale(denominator, Num(ratio.d) / below);
    return isUndefinedValue(n) || isUndefinedValue(d) ? std::pair(numerator, denominator) : std::pair(n, d);
}

std::optional<std::pair<Expr, Expr>> affineIn(Expr e, Name symbol) {
    SumBuilder coefficient, rest;
    for (Expr term : termsOf(e)) {
        if (!term.dependsOn(symbol)) {
            rest.add(term);
            continue;
        }
        if (term.isSymbol()) {
            coefficient.add(1);
            continue;
        }
        if (term.kind() != SymbolicKind::Mul)
            return std::nullopt;
        ProductBuilder others;
        std::optional<std::pair<Expr, Expr>> inner; // the one factor that depends on the symbol
        for (Expr factor : term.operands()) {
            if (!factor.dependsOn(symbol)) {
                others.multiply(factor);
                continue;
            }
            if (inner || !(factor.isSymbol() || factor.kind() == SymbolicKind::Add) || !(inner = affineIn(factor, symbol)))
                return std::nullopt;
        }
        Expr scale = others.finish();
        coefficient.add(scale * inner->first);
        rest.add(scale * inner->second);
    }
    return std::pair(coefficient.finish(), rest.finish());
}

} // namespace sdfgc::sym

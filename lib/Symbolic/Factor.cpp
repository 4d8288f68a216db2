// Factors of multivariate polynomials with integer coefficients.
//
// With x a variable of least degree, a polynomial is c_d x^d + ... + c_1 x + c_0, where the c are polynomials in the others.
//
// 1. A factor without x divides every c, so it is found among the factors of c_d.
// 2. If d is 1 there is no other factor (lemma of Gauss).
// 3. In a factor a x + b, `a` divides c_d and `b` divides c_0, so only these few candidates are tried.
//
// Factors whose degree is higher in every variable are not searched for: they do not occur in ranges.
#include "sdfgc/Symbolic/Factor.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>

namespace sdfgc::sym {
namespace {

constexpr std::size_t maxVariables = 8, maxTerms = 48, maxCandidates = 32;
constexpr int maxDegree = 12;

/// Exponents of the variables.
using Monomial = std::array<int8_t, maxVariables>;

/// Terms with the greatest monomial first. Operations return nothing if a coefficient overflows 64 bits.
class Polynomial {
public:
    using Terms = std::map<Monomial, int64_t, std::greater<>>;

    const Terms &terms() const { return terms_; }
    bool isZero() const { return terms_.empty(); }
    bool isConstant() const { return isZero() || terms_.begin()->first == Monomial{}; }
    bool isAffine() const {
        return std::all_of(terms_.begin(), terms_.end(),
                           [](const auto &t) { return std::accumulate(t.first.begin(), t.first.end(), 0) <= 1; });
    }

    /// Adds a term; false if the coefficient overflows 64 bits.
    bool add(const Monomial &m, int64_t coefficient) {
        auto [it, isNew] = terms_.try_emplace(m, coefficient);
        if (!isNew && __builtin_add_overflow(it->second, coefficient, &it->second))
            return false;
        if (it->second == 0)
            terms_.erase(it);
        return true;
    }

    int degree(std::size_t variable) const {
        int d = 0;
        for (const auto &[m, c] : terms_)
            d = std::max<int>(d, m[variable]);
        return d;
    }

    /// The coefficient of variable^power: a polynomial in the other variables.
    Polynomial coefficientOf(std::size_t variable, int power) const {
        Polynomial out;
        for (const auto &[m, c] : terms_)
            if (m[variable] == power) {
                Monomial rest = m;
                rest[variable] = 0;
                out.terms_.emplace(rest, c);
            }
        return out;
    }

    std::optional<Polynomial> times(const Polynomial &o) const {
        Polynomial out;
        for (const auto &[m, c] : terms_)
            if (!out.addMultiple(o, m, c))
                return std::nullopt;
        return out;
    }

    /// The quotient if it is a polynomial with integer coefficients and there is no remainder.
    std::optional<Polynomial> dividedBy(const Polynomial &o) const {
        Polynomial rest = *this, out;
        const auto &[lead, by] = *o.terms_.begin();
        while (!rest.isZero()) {
            const auto [m, c] = *rest.terms_.begin();
            Monomial q{};
            for (std::size_t i = 0; i < maxVariables; ++i)
                q[i] = static_cast<int8_t>(m[i] - lead[i]);
            const bool divides = c != INT64_MIN && c % by == 0 && std::all_of(q.begin(), q.end(), [](int8_t e) { return e >= 0; });
            if (!divides || !out.add(q, c / by) || !rest.addMultiple(o, q, -(c / by)))
                return std::nullopt;
        }
        return out;
    }

private:
    bool addMultiple(const Polynomial &o, const Monomial &m, int64_t coefficient) {
        for (const auto &[other, c] : o.terms_) {
            Monomial product{};
            for (std::size_t i = 0; i < maxVariables; ++i)
                product[i] = static_cast<int8_t>(m[i] + other[i]);
            int64_t value;
            if (__builtin_mul_overflow(c, coefficient, &value) || !add(product, value))
                return false;
        }
        return true;
    }

    Terms terms_;
};

Polynomial constant(int64_t value) {
    Polynomial p;
    if (value != 0)
        p.add(Monomial{}, value);
    return p;
}

Polynomial variable(std::size_t i) {
    Monomial m{};
    m[i] = 1;
    Polynomial p;
    p.add(m, 1);
    return p;
}

/// A factorised polynomial: content * factors.
struct Factored {
    int64_t content = 1;
    std::vector<Polynomial> factors; // none is constant
};

/// The greatest integer that divides every coefficient. Its sign leaves as many coefficients as possible positive, in case of a tie
/// the first one.
int64_t contentOf(const Polynomial &p) {
    int64_t common = 0;
    int positive = 0;
    for (const auto &[m, c] : p.terms()) {
        common = std::gcd(common, c);
        positive += c > 0 ? 1 : -1;
    }
    const bool flip = positive != 0 ? positive < 0 : p.terms().begin()->second < 0;
    return flip ? -common : common;
}

Factored factorise(Polynomial p);

/// All products of subsets of the factors, ignoring signs.
std::vector<Polynomial> divisors(const Polynomial &p) {
    const Factored parts = factorise(p);
    std::vector<Polynomial> out;
    const int64_t content = std::abs(parts.content);
    for (int64_t d = 1; d <= content && d <= 64; ++d)
        if (content % d == 0)
            out.push_back(constant(d));
    for (const Polynomial &f : parts.factors) {
        const std::size_t before = out.size();
        for (std::size_t i = 0; i < before && out.size() < maxCandidates; ++i)
            if (std::optional<Polynomial> product = out[i].times(f))
                out.push_back(std::move(*product));
    }
    return out;
}

/// A factor of lower degree, for a polynomial that has no content and no variable as a factor.
std::optional<Polynomial> properFactor(const Polynomial &p) {
    if (p.terms().size() < 3 || p.isAffine())
        return std::nullopt;
    std::size_t x = 0;
    int degree = 0;
    for (std::size_t i = 0; i < maxVariables; ++i)
        if (const int d = p.degree(i); d > 0 && (degree == 0 || d < degree)) {
            x = i;
            degree = d;
        }
    const Polynomial lead = p.coefficientOf(x, degree);
    const Factored leading = factorise(lead);
    for (const Polynomial &f : leading.factors)
        if (p.dividedBy(f))
            return f;
    if (degree == 1)
        return std::nullopt;
    const std::vector<Polynomial> constants = divisors(p.coefficientOf(x, 0));
    for (const Polynomial &a : divisors(lead))
        for (const Polynomial &b : constants)
            for (const int64_t sign : {1, -1}) {
                std::optional<Polynomial> candidate = a.times(variable(x)), signedB = b.times(constant(sign));
                if (!candidate || !signedB)
                    continue;
                for (const auto &[m, c] : signedB->terms())
                    candidate->add(m, c);
                if (p.dividedBy(*candidate))
                    return candidate;
            }
    return std::nullopt;
}

/// Takes out variables that occur in every term, then factors of lower degree until there are none left.
Factored factorise(Polynomial p) {
    Factored out;
    out.content = contentOf(p);
    p = p.dividedBy(constant(out.content)).value();
    for (std::size_t i = 0; i < maxVariables; ++i)
        while (!p.isConstant() && std::all_of(p.terms().begin(), p.terms().end(), [i](const auto &t) { return t.first[i] > 0; })) {
            out.factors.push_back(variable(i));
            p = p.dividedBy(variable(i)).value();
        }
    while (std::optional<Polynomial> f = properFactor(p)) {
        const int64_t content = contentOf(*f); // -1 where the other sign reads better
        f = f->dividedBy(constant(content)).value();
        p = p.dividedBy(*f).value();
        out.factors.push_back(std::move(*f));
    }
    if (p.isConstant())
        return out;
    const int64_t rest = contentOf(p);
    out.content *= rest;
    out.factors.push_back(p.dividedBy(constant(rest)).value());
    return out;
}

/// Converts sums to polynomials and back. Variables are symbols and opaque terms.
class Translation {
public:
    std::optional<Polynomial> polynomial(Expr sum) {
        Polynomial p;
        for (Expr term : sum.operands())
            if (!addTerm(p, term))
                return std::nullopt;
        return p;
    }

    Expr expr(const Polynomial &p) const {
        Expr sum = 0;
        for (const auto &[m, c] : p.terms()) {
            Expr term = c;
            for (std::size_t i = 0; i < variables_.size(); ++i)
                term *= pow(variables_[i], Expr(static_cast<int64_t>(m[i])));
            sum += term;
        }
        return sum;
    }

private:
    bool addTerm(Polynomial &p, Expr term) {
        Monomial m{};
        int64_t coefficient = 1;
        int degree = 0;
        const std::span<const Expr> parts = term.kind() == SymbolicKind::Mul ? term.operands() : std::span<const Expr>(&term, 1);
        for (Expr part : parts) {
            if (const std::optional<int64_t> value = part.asInt()) {
                coefficient = *value;
                continue;
            }
            const bool isPower = part.kind() == SymbolicKind::Pow;
            const std::optional<int64_t> exponent = isPower ? part.operands()[1].asInt() : 1;
            const Expr base = isPower ? part.operands()[0] : part;
            if (!exponent || *exponent < 1 || *exponent > maxDegree || !isVariable(base))
                return false;
            const std::size_t i = indexOf(base);
            if (i >= maxVariables || (degree += static_cast<int>(*exponent)) > maxDegree)
                return false;
            m[i] = static_cast<int8_t>(m[i] + *exponent);
        }
        return coefficient != INT64_MIN && p.add(m, coefficient);
    }

    static bool isVariable(Expr e) { return !e.freeSymbols().empty() && !e.overflowed() && !e.isUndefined(); }

    std::size_t indexOf(Expr e) {
        const auto known = static_cast<std::size_t>(std::find(variables_.begin(), variables_.end(), e) - variables_.begin());
        if (known == variables_.size())
            variables_.push_back(e);
        return known;
    }

    std::vector<Expr> variables_;
};

/// Does a sum have a term of second degree or higher, as every product of sums does?
bool hasProduct(Expr sum) {
    return std::any_of(sum.operands().begin(), sum.operands().end(), [](Expr term) {
        return term.kind() == SymbolicKind::Pow ||
               (term.kind() == SymbolicKind::Mul && (term.operands().size() > 2 || !term.operands()[0].isInteger()));
    });
}

/// How many more terms of a sum are added than subtracted.
int surplusOfPositive(Expr sum) {
    int surplus = 0;
    for (Expr term : sum.operands()) {
        const Expr first = term.kind() == SymbolicKind::Mul ? term.operands()[0] : term;
        surplus += first.isInteger() && first.numerator() < 0 ? -1 : 1;
    }
    return surplus;
}

} // namespace

std::vector<Expr> factors(Expr e) {
    if (e.kind() != SymbolicKind::Add || e.operands().size() < 3 || e.operands().size() > maxTerms || !hasProduct(e))
        return {e};
    Translation translation;
    const std::optional<Polynomial> p = translation.polynomial(e);
    if (!p)
        return {e};
    Factored parts = factorise(*p);
    std::vector<Expr> out;
    for (const Polynomial &f : parts.factors)
        out.push_back(translation.expr(f));
    std::sort(out.begin(), out.end(), [](Expr a, Expr b) {
        const bool aIsSum = a.kind() == SymbolicKind::Add, bIsSum = b.kind() == SymbolicKind::Add;
        return aIsSum != bIsSum ? bIsSum : Expr::compare(a, b) < 0;
    });
    if (parts.content < 0) { // (M - 2) * (2 - N) rather than -(M - 2) * (N - 2)
        const auto sums = std::find_if(out.begin(), out.end(), [](Expr f) { return f.kind() == SymbolicKind::Add; });
        if (sums != out.end()) {
            // The last one of those that lose the fewest positive terms when their sign flips.
            auto flipped = sums;
            for (auto it = sums; it != out.end(); ++it)
                if (surplusOfPositive(*it) <= surplusOfPositive(*flipped))
                    flipped = it;
            *flipped = -*flipped;
            parts.content = -parts.content;
        }
    }
    if (parts.content != 1)
        out.insert(out.begin(), Expr(parts.content));
    return out;
}

} // namespace sdfgc::sym

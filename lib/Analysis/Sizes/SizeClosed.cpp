// Closed forms of sums and maxima over ranges. Each has the same value as the binder in all cases, including empty ranges.
#include "Analysis/Sizes/SizeBinders.h"

#include <algorithm>

namespace sdfgc::analysis::size {

namespace {

constexpr std::size_t mostPowers = 8; // of a variable in a body

// ---- facts that hold for all values of the variable

struct Direction {
    bool rises = false, falls = false; // both: it is the same for all values
};

/// A variable and its range, which is not empty in the queries below.
class Ranged {
public:
    Ranged(Name variable, sym::Expr begin, sym::Expr end, const sym::Assumptions &facts)
        : variable_(variable), first_(begin), last_(end - 1), facts_(facts) {
        sym::SymbolFacts &own = facts_[variable];
        own = {};
        own.nonnegative = neverNegative(begin, facts);
        own.positive = neverNegative(begin - 1, facts);
    }

    /// Does this hold for all values of the variable?
    bool isNonNegative(sym::Expr e) const {
        if (neverNegative(e, facts_))
            return true;
        if (!e.dependsOn(variable_))
            return false;
        const Direction d = directionOf(e);
        return (d.rises && neverNegative(at(e, first_), facts_)) || (d.falls && neverNegative(at(e, last_), facts_));
    }

    Direction directionOf(sym::Expr e) const {
        if (!e.dependsOn(variable_))
            return {true, true};
        if (e.isSymbol())
            return {true, false};
        const auto o = e.operands();
        switch (e.kind()) {
        case sym::SymbolicKind::Add:
        case sym::SymbolicKind::Min:
        case sym::SymbolicKind::Max:
            return together(o);
        case sym::SymbolicKind::Mul:
            return ofProduct(o);
        case sym::SymbolicKind::Pow:
            return o[1].isInteger() && o[1].numerator() > 0 && neverNegative(o[0], facts_) ? directionOf(o[0]) : Direction{};
        case sym::SymbolicKind::FloorDiv:
        case sym::SymbolicKind::CeilDiv:
            return !o[1].dependsOn(variable_) && sym::isPositive(o[1], facts_) == sym::Truth::True ? directionOf(o[0])
                                                                                                   : Direction{};
        case sym::SymbolicKind::Floor:
        case sym::SymbolicKind::Ceil:
            return directionOf(o[0]);
        default:
            return {};
        }
    }

    sym::Expr at(sym::Expr e, sym::Expr value) const { return sym::substitute(e, {{variable_, value}}); }

    /// The expression simplified with the facts that hold in the range; its value does not change for any value of the variable.
    sym::Expr simplified(sym::Expr e) const {
        return sym::rewrite(e, [this](sym::Expr x) {
            switch (x.kind()) {
            case sym::SymbolicKind::Max:
                return withoutLess(x, false);
            case sym::SymbolicKind::Min:
                return withoutLess(x, true);
            case sym::SymbolicKind::Lt:
            case sym::SymbolicKind::Le:
            case sym::SymbolicKind::Gt:
            case sym::SymbolicKind::Ge:
                return decided(x);
            default:
                return x;
            }
        });
    }

private:
    Direction together(std::span<const sym::Expr> parts) const {
        Direction all{true, true};
        for (sym::Expr p : parts) {
            const Direction d = directionOf(p);
            all = {all.rises && d.rises, all.falls && d.falls};
        }
        return all;
    }

    Direction ofProduct(std::span<const sym::Expr> factors) const {
        sym::Expr fixed = 1;
        std::vector<sym::Expr> moving;
        for (sym::Expr f : factors)
            if (f.dependsOn(variable_))
                moving.push_back(f);
            else
                fixed *= f;
        const bool up = neverNegative(fixed, facts_), down = neverNegative(-fixed, facts_);
        if (!up && !down)
            return {};
        if (moving.size() > 1 && !std::all_of(moving.begin(), moving.end(), [this](sym::Expr f) { return isNonNegative(f); }))
            return {};
        const Direction d = together(moving);
        return up ? d : Direction{d.falls, d.rises};
    }

    /// A maximum without the operands that others always reach; with `least`, a minimum.
    sym::Expr withoutLess(sym::Expr e, bool least) const {
        std::vector<sym::Expr> kept;
        const auto o = e.operands();
        for (std::size_t i = 0; i < o.size(); ++i) {
            const auto reaches = [&](sym::Expr other) { return isNonNegative(least ? o[i] - other : other - o[i]); };
            const bool later = std::any_of(o.begin() + static_cast<std::ptrdiff_t>(i) + 1, o.end(), reaches);
            if (!later && std::none_of(kept.begin(), kept.end(), reaches))
                kept.push_back(o[i]);
        }
        return kept.size() == o.size() ? e : least ? sym::min(kept) : sym::max(kept);
    }

    sym::Expr decided(sym::Expr e) const {
        const auto o = e.operands();
        const bool mirrored = e.kind() == sym::SymbolicKind::Gt || e.kind() == sym::SymbolicKind::Ge;
        const bool strict = e.kind() == sym::SymbolicKind::Lt || e.kind() == sym::SymbolicKind::Gt;
        const sym::Expr difference = mirrored ? o[0] - o[1] : o[1] - o[0]; // positive, or nonnegative
        if (isNonNegative(strict ? difference - 1 : difference))
            return sym::Expr::boolean(true);
        return isNonNegative(strict ? -difference : -difference - 1) ? sym::Expr::boolean(false) : e;
    }

    Name variable_;
    sym::Expr first_, last_;
    sym::Assumptions facts_;
};

// ---- sums

/// Coefficients of the powers of a variable; they do not depend on it.
using Polynomial = std::vector<sym::Expr>;

std::optional<Polynomial> times(const Polynomial &a, const Polynomial &b) {
    Polynomial out(a.size() + b.size() - 1);
    if (out.size() > mostPowers)
        return std::nullopt;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t k = 0; k < b.size(); ++k)
            out[i + k] += a[i] * b[k];
    return out;
}

std::optional<Polynomial> polynomialIn(sym::Expr e, Name v) {
    if (!e.dependsOn(v))
        return Polynomial{e};
    const auto o = e.operands();
    if (e.isSymbol())
        return Polynomial{0, 1};
    if (e.kind() == sym::SymbolicKind::Add) {
        Polynomial sum;
        for (sym::Expr term : o) {
            const auto p = polynomialIn(term, v);
            if (!p)
                return std::nullopt;
            sum.resize(std::max(sum.size(), p->size()));
            for (std::size_t k = 0; k < p->size(); ++k)
                sum[k] += (*p)[k];
        }
        return sum;
    }
    const bool isPower = e.kind() == sym::SymbolicKind::Pow && o[1].isInteger() && o[1].numerator() > 0;
    if (e.kind() != sym::SymbolicKind::Mul && !isPower)
        return std::nullopt;
    std::optional<Polynomial> product = Polynomial{1};
    const std::size_t count = isPower ? static_cast<std::size_t>(std::min<int64_t>(o[1].numerator(), mostPowers)) : o.size();
    for (std::size_t k = 0; product && k < count; ++k) {
        const auto p = polynomialIn(isPower ? o[0] : o[k], v);
        product = p ? times(*product, *p) : std::nullopt;
    }
    return product;
}

/// 0^p + 1^p + ... + (n-1)^p for p = 0 ... powers-1, as polynomials in n: n^(p+1) is the sum of C(p+1, k) times the k-th of them.
std::vector<sym::Expr> powerSums(sym::Expr n, std::size_t powers) {
    std::vector<sym::Expr> sums;
    std::vector<int64_t> row{1, 1}; // of Pascal's triangle
    for (std::size_t p = 0; p < powers; ++p) {
        sym::Expr rest = sym::pow(n, static_cast<int64_t>(p) + 1);
        for (std::size_t k = 0; k < p; ++k)
            rest -= sym::Expr(row[k]) * sums[k];
        sums.push_back(rest * sym::Expr::rational(1, static_cast<int64_t>(p) + 1));
        std::vector<int64_t> next(row.size() + 1, 1);
        for (std::size_t k = 1; k < row.size(); ++k)
            next[k] = row[k - 1] + row[k];
        row = std::move(next);
    }
    return sums;
}

sym::Expr polynomialSum(const Polynomial &p, sym::Expr begin, sym::Expr end) {
    const auto to = powerSums(end, p.size()), from = powerSums(begin, p.size());
    sym::Expr sum;
    for (std::size_t k = 0; k < p.size(); ++k)
        sum += p[k] * (to[k] - from[k]);
    return sum;
}

/// `value` if the range has values, else 0 without evaluating anything that can fail.
sym::Expr unlessEmpty(sym::Expr begin, sym::Expr end, sym::Expr value) {
    return sym::select(sym::compare(sym::SymbolicKind::Gt, end, begin), value, 0);
}

bool isSound(sym::Expr e) { return !e.overflowed() && !e.isUndefined(); }

} // namespace

sym::Expr sumOver(Name variable, sym::Expr begin, sym::Expr end, sym::Expr body, const sym::Assumptions &facts) {
    const Ranged range(variable, begin, end, facts);
    body = range.simplified(body);
    const sym::Expr length = end - begin;
    const bool ordered = neverNegative(length, facts);
    const sym::Expr ends[] = {begin, end};
    if (!body.dependsOn(variable))
        return mayFail(body, ends) ? unlessEmpty(begin, end, body * length)
                                   : body * (ordered ? length : sym::max({sym::Expr(0), length}));
    const auto p = polynomialIn(body, variable);
    const sym::Expr closed = p ? polynomialSum(*p, begin, end) : sym::Expr();
    if (!p || !isSound(closed))
        return bind(true, variable, begin, end, body);
    return ordered && !mayFail(closed, ends) ? closed : unlessEmpty(begin, end, closed);
}

sym::Expr maxOver(Name variable, sym::Expr begin, sym::Expr end, sym::Expr body, const sym::Assumptions &facts) {
    const Ranged range(variable, begin, end, facts);
    body = range.simplified(body);
    const Direction d = range.directionOf(body);
    const bool full = neverNegative(end - begin - 1, facts);
    if (d.falls) {
        const sym::Expr most = range.at(body, begin);
        return full ? most : unlessEmpty(begin, end, most);
    }
    if (!d.rises)
        return bind(false, variable, begin, end, body);
    const sym::Expr most = range.at(body, end - 1);
    if (full)
        return most;
    // An empty range ends at or before its begin, so an increasing line is then at most its value one step before the begin.
    const bool isLine = polynomialIn(body, variable).value_or(Polynomial()).size() == 2;
    const bool clips = isLine && neverNegative(range.at(body, begin), facts) && neverNegative(-range.at(body, begin - 1), facts);
    const sym::Expr ends[] = {begin, end};
    return clips && !mayFail(most, ends) ? sym::max({sym::Expr(0), most}) : unlessEmpty(begin, end, most);
}

} // namespace sdfgc::analysis::size

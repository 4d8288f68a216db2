// Order and sign under assumptions. Values are compared as they are used, with integer quotients truncated; signs are exact.
//
// `d >= 0` is shown by (1) the interval of d, after symbols that are at least one were written as 1 + something nonnegative, so
// that M*N - M has no negative coefficients; (2) replacing a bounded term with its bound: min(a, b) is at most a, c * (x // c) is
// between x - c + 1 and x. All of this is conservative: anything not proven is Unknown.
#include "Symbolic/Bounds.h"

#include <algorithm>
#include <unordered_set>

namespace sdfgc::sym {
namespace {

class Prover {
public:
    explicit Prover(const Assumptions &facts) : facts_(facts), bounds_(facts_) {}

    bool nonNegative(Expr d) { return steps_-- > 0 && (bounds_.isNonNegative(d) || byReplacing(d)); }

private:
    using Choices = std::vector<Expr>;

    /// Replaces one bounded term of the sum; success with one term is enough.
    bool byReplacing(Expr d) {
        std::span<const Expr> terms = termsOf(d);
        for (Expr term : terms)
            for (Expr factor : factorsOf(term))
                if (isBoundedKind(factor.kind()) && replace(d, term, factor))
                    return true;
        return false;
    }

    static bool isBoundedKind(SymbolicKind k) {
        return k == SymbolicKind::Min || k == SymbolicKind::Max || k == SymbolicKind::FloorDiv || k == SymbolicKind::CeilDiv ||
               k == SymbolicKind::Mod || k == SymbolicKind::Abs || k == SymbolicKind::Approx;
    }

    bool replace(Expr d, Expr term, Expr bounded) {
        Expr others = term / bounded;
        bool up = bounds_.isNonNegative(others);
        if (!up && !bounds_.isNonNegative(-others))
            return false;
        Expr rest = d - term;
        auto holdsWith = [&](Expr bound) { return nonNegative(rest + others * bound); };
        auto [needAll, choices] = up ? lowerBounds(bounded) : upperBounds(bounded);
        if (choices.empty())
            return false;
        return needAll ? std::all_of(choices.begin(), choices.end(), holdsWith)
                       : std::any_of(choices.begin(), choices.end(), holdsWith);
    }

    /// Lower bounds of the node: all of them if not `needAll`; otherwise the node equals one of them.
    struct Alternatives {
        bool needAll = false;
        Choices choices;
    };

    bool divisorIsPositive(Expr e) { return bounds_.atLeast(e.operands()[1], 1); }

    Alternatives lowerBounds(Expr e) {
        std::span<const Expr> ops = e.operands();
        switch (e.kind()) {
        case SymbolicKind::Min:
            return {true, {ops.begin(), ops.end()}};
        case SymbolicKind::Max:
            return {false, {ops.begin(), ops.end()}};
        case SymbolicKind::Abs:
            return {false, {ops[0], -ops[0]}};
        case SymbolicKind::Approx:
            return {false, {ops[0]}};
        case SymbolicKind::FloorDiv:
            return {false, divisorIsPositive(e) ? Choices{(ops[0] - slack(e)) / ops[1]} : Choices{}};
        case SymbolicKind::CeilDiv:
            return {false, divisorIsPositive(e) ? Choices{ops[0] / ops[1]} : Choices{}};
        default:
            return {}; // a modulo is at least zero, which its interval already states
        }
    }

    Alternatives upperBounds(Expr e) {
        std::span<const Expr> ops = e.operands();
        switch (e.kind()) {
        case SymbolicKind::Min:
            return {false, {ops.begin(), ops.end()}};
        case SymbolicKind::Max:
            return {true, {ops.begin(), ops.end()}};
        case SymbolicKind::Abs:
            return {true, {ops[0], -ops[0]}};
        case SymbolicKind::Approx:
            return {false, {ops[0]}};
        case SymbolicKind::FloorDiv:
            return {false, divisorIsPositive(e) ? Choices{ops[0] / ops[1]} : Choices{}};
        case SymbolicKind::CeilDiv:
            return {false, divisorIsPositive(e) ? Choices{(ops[0] + slack(e)) / ops[1]} : Choices{}};
        default:
            return {false, moduloUpperBounds(ops[0], ops[1])};
        }
    }

    Choices moduloUpperBounds(Expr a, Expr b) {
        if (!bounds_.atLeast(b, 1))
            return {};
        Choices choices{isIntegerValued(a) && isIntegerValued(b) ? b - 1 : b};
        if (bounds_.isNonNegative(a))
            choices.push_back(a);
        return choices;
    }

    /// The maximum distance by which rounding moves the numerator.
    static Expr slack(Expr e) {
        std::span<const Expr> ops = e.operands();
        return isIntegerValued(ops[0]) && isIntegerValued(ops[1]) ? ops[1] - 1 : ops[1];
    }

    const Assumptions &facts_;
    Bounds bounds_;
    int steps_ = 64; // attempts, so that nested minima do not take exponential time
};

/// Symbols that are at least one, as 1 + n with n nonnegative under the same name.
struct Shifted {
    std::map<Name, Expr> replacements;
    Assumptions facts;

    explicit Shifted(Expr d, const Assumptions &from) : facts(from) {
        for (Name n : d.freeSymbols()) {
            auto at = facts.find(n);
            if (at == facts.end())
                continue;
            SymbolFacts &f = at->second;
            bool atLeastOne = f.positive || (f.nonzero && (f.nonnegative || f.type.isUnsigned()));
            if (!atLeastOne)
                continue;
            replacements.emplace(n, Expr::symbol(n) + 1);
            f = SymbolFacts{.nonnegative = true};
        }
    }
};

bool provesNonNegative(Expr d, const Assumptions &facts) {
    if (d.isUndefined())
        return false;
    if (isExactNumber(d))
        return d.numerator() >= 0;
    if (Prover(facts).nonNegative(d))
        return true;
    Shifted shifted(d, facts);
    return !shifted.replacements.empty() && Prover(shifted.facts).nonNegative(substitute(d, shifted.replacements));
}

/// Facts about the symbols of `d` only: copying and searching a program's whole table would cost more than the proof.
Assumptions relevant(Expr d, const Assumptions &facts) {
    Assumptions result;
    for (Name n : d.freeSymbols())
        if (auto at = facts.find(n); at != facts.end())
            result.insert(*at);
    return result;
}

bool provesPositive(Expr d, const Assumptions &facts) {
    if (isIntegerValued(d))
        return provesNonNegative(d - 1, facts);
    Interval i = Bounds(facts).of(d);
    return i.lo && !i.lo->isNegative() && !i.lo->isZero();
}

/// A product of symbols that are not zero, times a number.
bool isNonZeroProduct(Expr d, const Assumptions &facts) {
    std::span<const Expr> factors = factorsOf(d);
    return !isNumber(d) && std::all_of(factors.begin(), factors.end(), [&](Expr f) {
        auto at = baseOf(f).isSymbol() ? facts.find(baseOf(f).name()) : facts.end();
        return at != facts.end() && (at->second.nonzero || at->second.positive) && exponentOf(f).isInteger();
    });
}

/// 2*i - 2*j + 1 is never zero: the constant is not divisible by the common divisor of the coefficients.
bool isNonZeroByDivisibility(Expr d) {
    Expr last = termsOf(d).back();
    if (d.kind() != SymbolicKind::Add || !last.isInteger() || !isIntegerValued(d))
        return false;
    Num content = contentOf(d - last);
    return content.isInteger() && last.numerator() % content.n != 0;
}

/// Decides differences that are numbers, including floating-point ones.
std::optional<int> signOfNumber(Expr d) {
    std::optional<Num> v = asNumber(d);
    if (!v || v->kind == Num::Kind::Complex || d.kind() == SymbolicKind::NaN)
        return std::nullopt;
    double x = v->isExact() ? static_cast<double>(v->n) : v->re;
    return x < 0 ? -1 : x > 0 ? 1 : 0;
}

/// Infinities against values that are certainly finite.
std::optional<bool> infiniteOrder(Expr a, Expr b) {
    if (isIntegerValued(a) && (b.kind() == SymbolicKind::Infinity || b.kind() == SymbolicKind::NegInfinity))
        return b.kind() == SymbolicKind::Infinity;
    if (isIntegerValued(b) && (a.kind() == SymbolicKind::Infinity || a.kind() == SymbolicKind::NegInfinity))
        return a.kind() == SymbolicKind::NegInfinity;
    return std::nullopt;
}

/// The truth value of a statement that holds exactly if `t` does not.
Truth opposite(Truth t) { return t == Truth::Unknown ? t : t == Truth::True ? Truth::False : Truth::True; }

Truth isExactlyEqual(Expr a, Expr b, const Assumptions &facts) {
    Expr d = b - a;
    if (d.isUndefined())
        return Truth::Unknown;
    if (std::optional<int> sign = signOfNumber(d))
        return *sign == 0 ? Truth::True : Truth::False;
    if (infiniteOrder(a, b))
        return Truth::False;
    Assumptions known = relevant(d, facts);
    if (isNonZeroProduct(d, known) || isNonZeroByDivisibility(d) || provesPositive(d, known) || provesPositive(-d, known))
        return Truth::False;
    return provesNonNegative(d, known) && provesNonNegative(-d, known) ? Truth::True : Truth::Unknown;
}

/// Does the expression use a value that is, or may be, neither an integer nor a quotient of integers?
bool mayBeReal(Expr e, std::unordered_set<Expr> &seen) {
    if (isIntegerValued(e) || isExactNumber(e) || !seen.insert(e).second)
        return false;
    switch (e.kind()) {
    case SymbolicKind::Add:
    case SymbolicKind::Mul:
    case SymbolicKind::Pow:
    case SymbolicKind::Min:
    case SymbolicKind::Max:
    case SymbolicKind::Abs:
    case SymbolicKind::Mod:
        return std::any_of(e.operands().begin(), e.operands().end(), [&](Expr op) { return mayBeReal(op, seen); });
    default:
        return true;
    }
}

/// Truncation preserves order.
std::optional<Expr> truncatedExtremum(Expr e, const Assumptions &facts) {
    std::vector<Expr> parts;
    for (Expr op : e.operands())
        if (std::optional<Expr> part = truncated(op, facts))
            parts.push_back(*part);
        else
            return std::nullopt;
    return e.kind() == SymbolicKind::Min ? min(parts) : max(parts);
}

} // namespace

Truth isExactlyLess(Expr a, Expr b, const Assumptions &facts) {
    if (std::optional<bool> less = infiniteOrder(a, b))
        return *less ? Truth::True : Truth::False;
    Expr d = b - a;
    if (std::optional<int> sign = signOfNumber(d))
        return *sign > 0 ? Truth::True : Truth::False;
    Assumptions known = relevant(d, facts);
    if (provesPositive(d, known))
        return Truth::True;
    return provesNonNegative(-d, known) ? Truth::False : Truth::Unknown;
}

Truth isExactlyLessEqual(Expr a, Expr b, const Assumptions &facts) { return opposite(isExactlyLess(b, a, facts)); }

std::optional<Expr> truncated(Expr e, const Assumptions &facts) {
    const SymbolicKind k = e.kind();
    if (std::unordered_set<Expr> seen; isIntegerValued(e) || mayBeReal(e, seen))
        return e;
    if (k == SymbolicKind::Rational)
        return Expr(truncatedExact(exactNumber(e)));
    if (k == SymbolicKind::Min || k == SymbolicKind::Max)
        return truncatedExtremum(e, facts);
    const auto [above, below] = asFraction(e);
    if (!isIntegerValued(above) || !isIntegerValued(below) || isPositive(below, facts) != Truth::True)
        return std::nullopt;
    if (isNonNegative(above, facts) == Truth::True)
        return floorDiv(above, below);
    return isNonNegative(-above, facts) == Truth::True ? std::optional(-floorDiv(-above, below)) : std::nullopt;
}

Truth isLess(Expr a, Expr b, const Assumptions &facts) {
    const std::optional<Expr> x = truncated(a, facts), y = truncated(b, facts);
    if (x && y)
        return isExactlyLess(*x, *y, facts);
    // Truncation preserves the order of two values but may make them equal, since it moves each by less than one.
    if (isExactlyLess(a, b, facts) == Truth::False)
        return Truth::False;
    const Expr moved = int{!isIntegerValued(a)} + int{!isIntegerValued(b)};
    return isExactlyLessEqual(a + moved, b, facts) == Truth::True ? Truth::True : Truth::Unknown;
}

Truth isLessEqual(Expr a, Expr b, const Assumptions &facts) { return opposite(isLess(b, a, facts)); }

Truth isEqual(Expr a, Expr b, const Assumptions &facts) {
    const std::optional<Expr> x = truncated(a, facts), y = truncated(b, facts);
    if (x && y)
        return isExactlyEqual(*x, *y, facts);
    if (isLess(a, b, facts) == Truth::True || isLess(b, a, facts) == Truth::True)
        return Truth::False;
    return isExactlyEqual(a, b, facts) == Truth::True ? Truth::True : Truth::Unknown;
}

Truth isNonNegative(Expr a, const Assumptions &facts) { return isExactlyLessEqual(0, a, facts); }
Truth isPositive(Expr a, const Assumptions &facts) { return isExactlyLess(0, a, facts); }

} // namespace sdfgc::sym

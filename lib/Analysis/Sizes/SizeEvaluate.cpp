// The value of a size. Intermediate results are fractions of 128 bits: terms of an integer sum may be fractions. The size itself,
// an index, an end of a range and the value of a bound variable have 64 bits.
#include "Analysis/Sizes/SizeBinders.h"

#include <vector>

namespace sdfgc::analysis {

using namespace size;

namespace {

__extension__ using Wide = __int128;

struct Fraction {
    Wide n = 0, d = 1; // reduced, d > 0
};
constexpr Wide most = (Wide(1) << 126) - 1 + (Wide(1) << 126);
using Value = std::optional<Fraction>; // nothing: the evaluation has failed

class Evaluator {
public:
    explicit Evaluator(const SizeValues &values) : values_(values), steps_(values.steps) {}

    Result<int64_t> operator()(sym::Expr e) {
        const auto v = whole(of(e));
        return v ? Result<int64_t>(*v) : Failure{why_};
    }

private:
    /// The first reason is kept.
    std::nullopt_t fail(std::string why) {
        if (why_.empty())
            why_ = std::move(why);
        return std::nullopt;
    }
    std::nullopt_t unsupported(sym::Expr e) { return fail("`" + SizeExpr(e).str() + "` cannot be part of a size"); }
    std::nullopt_t tooLarge() { return fail("a number exceeds 64 bits"); }

    // ---- fractions

    /// The most negative number has no negative.
    std::optional<Wide> checked(bool overflowed, Wide v) { return overflowed || v < -most ? std::optional<Wide>(tooLarge()) : v; }
    std::optional<Wide> multiplied(Wide a, Wide b) {
        Wide out;
        const bool overflowed = __builtin_mul_overflow(a, b, &out);
        return checked(overflowed, out);
    }
    std::optional<Wide> added(Wide a, Wide b) {
        Wide out;
        const bool overflowed = __builtin_add_overflow(a, b, &out);
        return checked(overflowed, out);
    }

    Value reduced(std::optional<Wide> n, std::optional<Wide> d) {
        if (!n || !d)
            return std::nullopt;
        Wide a = *n < 0 ? -*n : *n, b = *d < 0 ? -*d : *d;
        while (b != 0)
            a = std::exchange(b, a % b);
        if (a == 0)
            return Fraction{};
        const Wide sign = *d < 0 ? -1 : 1;
        return Fraction{sign * (*n / a), sign * (*d / a)};
    }

    Value plus(const Fraction &a, const Fraction &b) {
        const auto x = multiplied(a.n, b.d), y = multiplied(b.n, a.d);
        return x && y ? reduced(added(*x, *y), multiplied(a.d, b.d)) : std::nullopt;
    }

    Value times(const Fraction &a, const Fraction &b) { return reduced(multiplied(a.n, b.n), multiplied(a.d, b.d)); }

    static Fraction floored(const Fraction &a) { return {a.n / a.d - (a.n % a.d < 0 ? 1 : 0), 1}; }
    static Fraction negated(const Fraction &a) { return {-a.n, a.d}; }

    /// Negative, 0 or positive if a is less than, equal to or greater than b.
    std::optional<int> order(const Fraction &a, const Fraction &b) {
        const auto x = multiplied(a.n, b.d), y = multiplied(b.n, a.d);
        if (!x || !y)
            return std::nullopt;
        return *x < *y ? -1 : *x > *y ? 1 : 0;
    }

    std::optional<int64_t> whole(const Value &v) {
        if (!v)
            return std::nullopt;
        if (v->d != 1)
            return fail("a size is not an integer");
        if (v->n < INT64_MIN || v->n > INT64_MAX)
            return tooLarge();
        return static_cast<int64_t>(v->n);
    }

    // ---- expressions

    Value of(sym::Expr e) {
        switch (e.kind()) {
        case sym::SymbolicKind::Integer:
        case sym::SymbolicKind::Rational:
            return e.overflowed() ? Value(tooLarge()) : Fraction{e.numerator(), e.denominator()};
        case sym::SymbolicKind::Bool:
            return Fraction{e.boolValue() ? 1 : 0, 1};
        case sym::SymbolicKind::Symbol:
            return ofName(e.name());
        case sym::SymbolicKind::Subscript:
            return ofElement(e);
        case sym::SymbolicKind::Add:
            return fold(e, [this](const Fraction &a, const Fraction &b) { return plus(a, b); });
        case sym::SymbolicKind::Mul:
            return fold(e, [this](const Fraction &a, const Fraction &b) { return times(a, b); });
        case sym::SymbolicKind::Min:
            return fold(e, [this](const Fraction &a, const Fraction &b) { return chosen(a, b, false); });
        case sym::SymbolicKind::Max:
            return fold(e, [this](const Fraction &a, const Fraction &b) { return chosen(a, b, true); });
        case sym::SymbolicKind::And:
            return junction(e, true);
        case sym::SymbolicKind::Or:
            return junction(e, false);
        case sym::SymbolicKind::Select: {
            const Value c = of(e.operands()[0]);
            return c ? of(e.operands()[c->n != 0 ? 1 : 2]) : std::nullopt;
        }
        case sym::SymbolicKind::Call:
            return isBinder(e) ? binder(analysis::partsOf(e)) : Value(unsupported(e));
        default:
            return ofOperands(e);
        }
    }

    Value ofName(Name n) {
        if (const auto bound = bound_.find(n); bound != bound_.end())
            return Fraction{bound->second, 1};
        if (const auto known = values_.symbols.find(n); known != values_.symbols.end())
            return Fraction{known->second, 1};
        const auto scalar = values_.read ? values_.read(n, {}) : std::nullopt;
        return scalar ? Value(Fraction{*scalar, 1}) : fail("`" + n.str() + "` has no value");
    }

    Value ofElement(sym::Expr e) {
        std::vector<int64_t> indices;
        for (sym::Expr o : e.operands()) {
            const auto i = whole(of(o));
            if (!i)
                return std::nullopt;
            indices.push_back(*i);
        }
        if (const auto v = values_.read ? values_.read(e.name(), indices) : std::nullopt)
            return Fraction{*v, 1};
        std::string text;
        for (int64_t i : indices)
            text += (text.empty() ? "" : ", ") + std::to_string(i);
        return fail("there is no element `" + e.name().str() + "[" + text + "]`");
    }

    template <class Combine> Value fold(sym::Expr e, Combine combine) {
        const auto o = e.operands();
        Value v = of(o[0]);
        for (std::size_t i = 1; v && i < o.size(); ++i) {
            const Value next = of(o[i]);
            v = next ? combine(*v, *next) : std::nullopt;
        }
        return v;
    }

    Value chosen(const Fraction &a, const Fraction &b, bool greater) {
        const auto o = order(a, b);
        return o ? Value((*o < 0) == greater ? b : a) : std::nullopt;
    }

    /// `and` and `or` stop at the first operand that decides.
    Value junction(sym::Expr e, bool all) {
        for (sym::Expr o : e.operands()) {
            const Value v = of(o);
            if (!v)
                return std::nullopt;
            if ((v->n != 0) != all)
                return Fraction{all ? 0 : 1, 1};
        }
        return Fraction{all ? 1 : 0, 1};
    }

    Value binder(const Parts &p) {
        const auto begin = whole(of(p.begin)), end = whole(of(p.end));
        if (!begin || !end)
            return std::nullopt;
        const Name variable = p.variable.name();
        const auto outer = bound_.find(variable);
        const auto kept = outer == bound_.end() ? std::nullopt : std::optional(outer->second);
        Value result = Fraction{};
        for (int64_t i = *begin; result && i < *end; ++i) {
            if (steps_-- <= 0)
                return fail("the sums and maxima have too many terms");
            bound_[variable] = i;
            const Value v = of(p.body);
            result = !v ? std::nullopt : p.isSum ? plus(*result, *v) : i == *begin ? v : chosen(*result, *v, true);
        }
        if (kept)
            bound_[variable] = *kept;
        else
            bound_.erase(variable);
        return result;
    }

    Value ofOperands(sym::Expr e) {
        const auto o = e.operands();
        if (o.empty() || o.size() > 2)
            return unsupported(e);
        const Value a = of(o[0]);
        if (!a)
            return std::nullopt;
        if (o.size() == 1)
            return unary(e, *a);
        const Value b = of(o[1]);
        return b ? binary(e, *a, *b) : std::nullopt;
    }

    Value unary(sym::Expr e, const Fraction &a) {
        switch (e.kind()) {
        case sym::SymbolicKind::Floor:
            return floored(a);
        case sym::SymbolicKind::Ceil:
            return negated(floored(negated(a)));
        case sym::SymbolicKind::Abs:
            return a.n < 0 ? negated(a) : a;
        case sym::SymbolicKind::Not:
            return Fraction{a.n == 0 ? 1 : 0, 1};
        default:
            return unsupported(e);
        }
    }

    Value binary(sym::Expr e, const Fraction &a, const Fraction &b) {
        switch (e.kind()) {
        case sym::SymbolicKind::Pow:
            return power(a, b);
        case sym::SymbolicKind::FloorDiv:
        case sym::SymbolicKind::CeilDiv:
        case sym::SymbolicKind::Mod:
            return quotient(e.kind(), a, b);
        case sym::SymbolicKind::Eq:
        case sym::SymbolicKind::Ne:
        case sym::SymbolicKind::Lt:
        case sym::SymbolicKind::Le:
        case sym::SymbolicKind::Gt:
        case sym::SymbolicKind::Ge:
            return compared(e.kind(), a, b);
        default:
            return unsupported(e);
        }
    }

    Value power(const Fraction &base, const Fraction &exponent) {
        if (exponent.d != 1 || exponent.n < 0)
            return fail("a power is not an integer");
        if (base.d == 1 && (base.n == 0 || base.n == 1))
            return exponent.n == 0 ? Fraction{1, 1} : base;
        Value v = Fraction{1, 1};
        for (Wide k = 0; v && k < exponent.n; ++k) {
            if (k > 128) // more than 128 bits, except for -1
                return base.n == -1 && base.d == 1 ? Value(Fraction{exponent.n % 2 == 0 ? 1 : -1, 1}) : Value(tooLarge());
            v = times(*v, base);
        }
        return v;
    }

    Value quotient(sym::SymbolicKind kind, const Fraction &a, const Fraction &b) {
        if (b.n == 0)
            return fail("a divisor is 0");
        const Value q = reduced(multiplied(a.n, b.d), multiplied(a.d, b.n));
        if (!q)
            return std::nullopt;
        if (kind == sym::SymbolicKind::CeilDiv)
            return negated(floored(negated(*q)));
        if (kind == sym::SymbolicKind::FloorDiv)
            return floored(*q);
        const Value part = times(b, floored(*q));
        return part ? plus(a, negated(*part)) : std::nullopt;
    }

    Value compared(sym::SymbolicKind kind, const Fraction &a, const Fraction &b) {
        const auto o = order(a, b);
        if (!o)
            return std::nullopt;
        const bool holds = kind == sym::SymbolicKind::Eq   ? *o == 0
                           : kind == sym::SymbolicKind::Ne ? *o != 0
                           : kind == sym::SymbolicKind::Lt ? *o < 0
                           : kind == sym::SymbolicKind::Le ? *o <= 0
                           : kind == sym::SymbolicKind::Gt ? *o > 0
                                                           : *o >= 0;
        return Fraction{holds ? 1 : 0, 1};
    }

    const SizeValues &values_;
    int64_t steps_;
    std::map<Name, int64_t> bound_;
    std::string why_;
};

} // namespace

Result<int64_t> evaluate(const SizeExpr &e, const SizeValues &values) { return Evaluator(values)(e.tree()); }

} // namespace sdfgc::analysis

// Evaluation under a full binding of the symbols: exact, but quotients are truncated where they are compared or tested.
#include "Symbolic/Node.h"
#include "sdfgc/Symbolic/Rounding.h"

#include <unordered_map>

namespace sdfgc::sym {
namespace {

using Value = std::optional<Num>;

class Evaluator {
public:
    explicit Evaluator(const std::map<Name, int64_t> &values) : values_(values) {}

    Value of(Expr e) {
        if (e.operands().empty())
            return leaf(e);
        if (e.node()->depth < memoFrom)
            return checked(inner(e));
        if (auto known = done_.find(e); known != done_.end())
            return known->second;
        Value v = checked(inner(e));
        done_.emplace(e, v);
        return v;
    }

private:
    static constexpr unsigned memoFrom = 8; // shared parts of deep expressions are evaluated once

    static Value checked(Value v) { return v && v->isExact() ? v : std::nullopt; }

    Value leaf(Expr e) {
        if (e.isSymbol()) {
            auto at = values_.find(e.name());
            return at == values_.end() ? std::nullopt : Value(at->second);
        }
        const Expr whole = inIntegers(e); // 2.0 is 2
        return checked(asNumber(whole.isInteger() ? whole : e));
    }

    Value inner(Expr e) {
        switch (e.kind()) {
        case SymbolicKind::Add:
            return fold(e, [](const Num &a, const Num &b) { return a + b; });
        case SymbolicKind::Mul:
            return fold(e, [](const Num &a, const Num &b) { return a * b; });
        case SymbolicKind::Min:
            return fold(e, [](const Num &a, const Num &b) { return compareExact(b, a) < 0 ? b : a; });
        case SymbolicKind::Max:
            return fold(e, [](const Num &a, const Num &b) { return compareExact(b, a) > 0 ? b : a; });
        case SymbolicKind::And:
            return junction(e, true);
        case SymbolicKind::Or:
            return junction(e, false);
        case SymbolicKind::Select: {
            Value c = operand(e, 0);
            return c ? operand(e, truncatedExact(*c) == 0 ? 2 : 1) : std::nullopt;
        }
        case SymbolicKind::Approx:
            return operand(e, 0);
        case SymbolicKind::Attr:
        case SymbolicKind::Subscript:
        case SymbolicKind::Call:
            return std::nullopt;
        default:
            break;
        }
        Value a = operand(e, 0);
        if (!a)
            return std::nullopt;
        if (e.operands().size() == 1)
            return unary(e, *a);
        Value b = operand(e, 1);
        return b ? binary(e.kind(), *a, *b) : std::nullopt;
    }

    Value operand(Expr e, std::size_t i) { return of(e.operands()[i]); }

    template <class Combine> Value fold(Expr e, Combine combine) {
        Value result = operand(e, 0);
        for (std::size_t i = 1; result && i < e.operands().size(); ++i) {
            Value next = operand(e, i);
            result = next ? checked(combine(*result, *next)) : std::nullopt;
        }
        return result;
    }

    /// `and` and `or` stop at the first operand that decides.
    Value junction(Expr e, bool neutral) {
        for (Expr op : e.operands()) {
            Value v = of(op);
            if (!v)
                return std::nullopt;
            if ((truncatedExact(*v) == 0) == neutral)
                return Num(!neutral);
        }
        return Num(neutral);
    }

    static Value unary(Expr e, const Num &a) {
        switch (e.kind()) {
        case SymbolicKind::Floor:
            return Num(floorExact(a));
        case SymbolicKind::Ceil:
            return -Num(floorExact(-a));
        case SymbolicKind::Abs:
            return a.isNegative() ? -a : a;
        case SymbolicKind::Not:
            return Num(truncatedExact(a) == 0);
        case SymbolicKind::BitNot:
            return a.isInteger() ? Value(Num(~a.n)) : std::nullopt;
        case SymbolicKind::Cast:
            return cast(e.type(), a);
        default:
            return std::nullopt;
        }
    }

    /// A conversion that keeps the value; there is no exact result if it would change it.
    static Value cast(Type t, const Num &a) {
        if (t.isBool())
            return Num(truncatedExact(a) != 0);
        Expr constant = sym::cast(t, number(a));
        return t.isInteger() && isExactNumber(constant) ? Value(a) : std::nullopt;
    }

    static Value binary(SymbolicKind kind, const Num &a, const Num &b) {
        switch (kind) {
        case SymbolicKind::Pow:
            if (!b.isInteger() || (a.isZero() && b.n < 0))
                return std::nullopt;
            return power(a, b.n);
        case SymbolicKind::FloorDiv:
        case SymbolicKind::CeilDiv:
        case SymbolicKind::Mod:
            return b.isZero() ? std::nullopt : quotient(kind, a, b);
        case SymbolicKind::Eq:
        case SymbolicKind::Is:
            return Num(truncatedExact(a) == truncatedExact(b));
        case SymbolicKind::Ne:
        case SymbolicKind::IsNot:
            return Num(truncatedExact(a) != truncatedExact(b));
        case SymbolicKind::Lt:
            return Num(truncatedExact(a) < truncatedExact(b));
        case SymbolicKind::Le:
            return Num(truncatedExact(a) <= truncatedExact(b));
        case SymbolicKind::Gt:
            return Num(truncatedExact(a) > truncatedExact(b));
        case SymbolicKind::Ge:
            return Num(truncatedExact(a) >= truncatedExact(b));
        default:
            return a.isInteger() && b.isInteger() ? bits(kind, a.n, b.n) : std::nullopt;
        }
    }

    static Value quotient(SymbolicKind kind, const Num &a, const Num &b) {
        Num q = a / b;
        if (q.isOverflow())
            return std::nullopt;
        if (kind == SymbolicKind::CeilDiv)
            return -Num(floorExact(-q));
        Num floor(floorExact(q));
        return kind == SymbolicKind::FloorDiv ? floor : a - b * floor;
    }

    static Value bits(SymbolicKind kind, int64_t a, int64_t b) {
        Expr e = bitwise(kind, Expr(a), Expr(b));
        return checked(asNumber(e));
    }

    const std::map<Name, int64_t> &values_;
    std::unordered_map<Expr, Value> done_;
};

} // namespace

std::optional<int64_t> evaluate(Expr e, const std::map<Name, int64_t> &values) {
    Value v = Evaluator(values).of(e);
    return v ? std::optional(truncatedExact(*v)) : std::nullopt;
}

} // namespace sdfgc::sym

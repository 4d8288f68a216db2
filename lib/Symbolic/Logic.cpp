// Comparisons, logic, selection, bit operations, minimum and maximum.
#include "Symbolic/Bounds.h"
#include "Symbolic/Polynomial.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace sdfgc::sym {
namespace {

bool isComparison(SymbolicKind k) { return k >= SymbolicKind::Eq && k <= SymbolicKind::Ge; }

/// The first undefined operand; an overflow wins.
std::optional<Expr> undefinedAmong(std::span<const Expr> ops) {
    std::optional<Expr> found;
    for (Expr e : ops)
        if (isUndefinedValue(e) && (!found || e.overflowed()))
            found = e;
    return found;
}

template <class T> bool holds(SymbolicKind op, const T &a, const T &b) {
    switch (op) {
    case SymbolicKind::Eq:
        return a == b;
    case SymbolicKind::Ne:
        return a != b;
    case SymbolicKind::Lt:
        return a < b;
    case SymbolicKind::Le:
        return a <= b;
    case SymbolicKind::Gt:
        return a > b;
    default:
        return a >= b;
    }
}

std::optional<bool> compareNumbers(SymbolicKind op, Expr a, Expr b) {
    std::optional<Num> x = asNumber(a), y = asNumber(b);
    if (!x || !y)
        return std::nullopt;
    if (x->isExact() && y->isExact())
        return holds(op, truncatedExact(*x), truncatedExact(*y));
    for (std::optional<Num> *v : {&x, &y})
        if ((*v)->isExact())
            *v = Num(truncatedExact(**v));
    if (x->kind != Num::Kind::Complex && y->kind != Num::Kind::Complex)
        return holds(op, x->toDouble(), y->toDouble());
    if (op != SymbolicKind::Eq && op != SymbolicKind::Ne)
        return std::nullopt; // complex numbers have no order
    return (x->toDouble() == y->toDouble() && x->im == y->im) == (op == SymbolicKind::Eq);
}

std::optional<bool> known(Truth t, bool whenTrue = true) {
    return t == Truth::Unknown ? std::nullopt : std::optional((t == Truth::True) == whenTrue);
}

std::optional<bool> foldComparison(SymbolicKind op, Expr a, Expr b) {
    if (std::optional<bool> v = compareNumbers(op, a, b))
        return v;
    if (a == b)
        return op == SymbolicKind::Eq || op == SymbolicKind::Le || op == SymbolicKind::Ge;
    switch (op) {
    case SymbolicKind::Eq:
        return known(isEqual(a, b));
    case SymbolicKind::Ne:
        return known(isEqual(a, b), false);
    case SymbolicKind::Lt:
        return known(isLess(a, b));
    case SymbolicKind::Le:
        return known(isLessEqual(a, b));
    case SymbolicKind::Gt:
        return known(isLess(b, a));
    default:
        return known(isLessEqual(b, a));
    }
}

/// `is`: decided for None against a number, and for identical expressions; a value of unknown type may be None.
Expr identity(SymbolicKind op, Expr a, Expr b) {
    bool oneNone = (a.kind() == SymbolicKind::None) != (b.kind() == SymbolicKind::None);
    bool other = isNumber(a) || isNumber(b) || a.kind() == SymbolicKind::Bool || b.kind() == SymbolicKind::Bool;
    if (a == b || (oneNone && other))
        return Expr::boolean((a == b) == (op == SymbolicKind::Is));
    return node(op, a, b);
}

/// Equality of a truth value with a constant.
std::optional<Expr> equalityOfTruth(SymbolicKind op, Expr a, Expr b) {
    if (!isBooleanValued(a) || b.kind() != SymbolicKind::Bool)
        return std::nullopt;
    return b.boolValue() == (op == SymbolicKind::Eq) ? a : logicalNot(a);
}

/// Truth of a constant.
std::optional<bool> constantTruth(Expr e) {
    if (e.kind() == SymbolicKind::None)
        return false;
    std::optional<Num> v = asNumber(e);
    if (!v)
        return std::nullopt;
    return v->isExact() ? truncatedExact(*v) != 0 : v->re != 0 || v->im != 0;
}

/// The truth value of an expression: `N and True` simplifies to 0 or 1, not to N.
Expr truthOf(Expr e) { return isBooleanValued(e) || isUndefinedValue(e) ? e : compare(SymbolicKind::Ne, e, Expr(0)); }

/// `and` (neutral true) and `or` (neutral false), in the written order: an operand may guard later ones.
Expr junction(SymbolicKind op, std::vector<Expr> args, bool neutral) {
    std::vector<Expr> kept;
    std::unordered_set<Expr> seen; // truth values
    auto add = [&](Expr e) {
        if (seen.insert(truthOf(e)).second)
            kept.push_back(e);
    };
    for (Expr e : args) {
        std::optional<bool> constant = constantTruth(e);
        if (constant && *constant != neutral)
            return Expr::boolean(!neutral);
        if (constant)
            continue;
        if (e.kind() == op)
            std::for_each(e.operands().begin(), e.operands().end(), add);
        else
            add(e);
    }
    for (Expr e : kept)
        if (e.kind() == SymbolicKind::Not && seen.count(truthOf(e.operands()[0])))
            return Expr::boolean(!neutral);
    if (kept.empty())
        return Expr::boolean(neutral);
    return kept.size() == 1 ? truthOf(kept[0]) : node(op, kept);
}

SymbolicKind negated(SymbolicKind k) {
    switch (k) {
    case SymbolicKind::Eq:
        return SymbolicKind::Ne;
    case SymbolicKind::Ne:
        return SymbolicKind::Eq;
    case SymbolicKind::Lt:
        return SymbolicKind::Ge;
    case SymbolicKind::Ge:
        return SymbolicKind::Lt;
    case SymbolicKind::Gt:
        return SymbolicKind::Le;
    case SymbolicKind::Le:
        return SymbolicKind::Gt;
    case SymbolicKind::Is:
        return SymbolicKind::IsNot;
    default:
        return SymbolicKind::Is;
    }
}

Expr shift(SymbolicKind op, Expr a, Expr by) {
    a = numeric(a);
    by = numeric(by);
    std::optional<int64_t> n = by.asInt();
    if (n && *n < 0)
        return Expr::undefined();
    if (a.isZero() || (n && *n == 0))
        return a;
    constexpr int64_t limit = 62;
    if (op == SymbolicKind::Shl && n)
        return *n <= limit ? scale(a, Num(int64_t(1) << *n)) : overflow();
    if (op == SymbolicKind::Shr && n && *n <= limit && isIntegerValued(a))
        return floorDiv(a, Expr(int64_t(1) << *n));
    return node(op, a, by);
}

std::optional<Expr> bitConstant(SymbolicKind op, Expr a, Expr b) {
    std::optional<int64_t> x = a.asInt(), y = b.asInt();
    if (x && y)
        return Expr(op == SymbolicKind::BitAnd ? *x & *y : op == SymbolicKind::BitOr ? *x | *y : *x ^ *y);
    if (y == 0)
        return op == SymbolicKind::BitAnd ? Expr(0) : a;
    if (y == -1 && op != SymbolicKind::BitXor)
        return op == SymbolicKind::BitAnd ? a : Expr(-1);
    if (a == b)
        return op == SymbolicKind::BitXor ? Expr(0) : a;
    return std::nullopt;
}

/// Minimum and maximum in one: `sign` is 1 for the minimum.
class Extremum {
public:
    explicit Extremum(SymbolicKind kind) : kind_(kind) {}

    Expr operator()(std::vector<Expr> args) {
        for (Expr e : args)
            add(e);
        sort();
        dropDominated();
        Num shift = takeCommonShift();
        std::vector<Expr> ops;
        for (const Family &f : families_)
            ops.push_back(valueOf(f));
        return (ops.size() == 1 ? ops[0] : node(kind_, ops)) + number(shift);
    }

private:
    /// Arguments that differ only by a constant: one of them is always the extremum.
    struct Family {
        Expr base;
        Num constant;
    };

    bool better(const Num &a, const Num &b) const {
        bool less = a.isExact() && b.isExact() ? compareExact(a, b) < 0 : a.toDouble() < b.toDouble();
        return kind_ == SymbolicKind::Min ? less : !less && !(a == b);
    }

    void add(Expr e) {
        e = numeric(e);
        Expr last = termsOf(e).back();
        std::optional<Num> constant = isNumber(last) && last.kind() != SymbolicKind::Complex ? asNumber(last) : std::nullopt;
        Family f{e, 0};
        if (constant && e == last)
            f = {0, *constant};
        else if (constant && constant->isExact()) // a floating constant inside a sum is rounded, not moved
            f = {e - last, *constant};
        if (f.base.kind() == kind_) { // min(min(a, b) + 1, c) has three arguments
            for (Expr inner : f.base.operands())
                add(inner + number(f.constant));
            return;
        }
        auto [at, isNew] = index_.try_emplace(f.base, families_.size());
        if (isNew)
            families_.push_back(f);
        else if (Family &known = families_[at->second]; better(f.constant, known.constant))
            known.constant = f.constant;
    }

    /// In canonical order, a number last.
    void sort() {
        std::sort(families_.begin(), families_.end(), [](const Family &a, const Family &b) {
            return a.base.isZero() != b.base.isZero() ? b.base.isZero() : Expr::compare(a.base, b.base) < 0;
        });
    }

    /// Moves the constant of the first argument out: min(N - 1, M - 1) is min(N, M) - 1.
    Num takeCommonShift() {
        Num shift = families_[0].constant;
        bool exact = std::all_of(families_.begin(), families_.end(), [](const Family &f) { return f.constant.isExact(); });
        if (!exact || shift.isZero() || families_[0].base.isZero())
            return 0;
        for (const Family &f : families_)
            if ((f.constant - shift).isOverflow())
                return 0;
        for (Family &f : families_)
            f.constant = f.constant - shift;
        return shift;
    }

    static Expr valueOf(const Family &f) { return f.base.isZero() ? number(f.constant) : f.base + number(f.constant); }

    /// Drops arguments that are provably bounded by another one. This is quadratic, so it is only done for few arguments, which is
    /// the usual case.
    void dropDominated() {
        constexpr std::size_t few = 8;
        if (families_.size() > few)
            return;
        for (std::size_t i = 0; i < families_.size();) {
            Expr value = valueOf(families_[i]);
            bool dominated = std::any_of(families_.begin(), families_.end(), [&](const Family &f) {
                Expr other = valueOf(f);
                return other != value && (kind_ == SymbolicKind::Min ? isExactlyLessEqual(other, value)
                                                                     : isExactlyLessEqual(value, other)) == Truth::True;
            });
            if (dominated)
                families_.erase(families_.begin() + static_cast<std::ptrdiff_t>(i));
            else
                ++i;
        }
    }

    SymbolicKind kind_;
    std::vector<Family> families_;
    std::unordered_map<Expr, std::size_t> index_; // by base
};

Expr extremum(SymbolicKind kind, std::vector<Expr> args) {
    if (args.empty())
        return Expr::undefined();
    if (std::optional<Expr> undefined = undefinedAmong(args))
        return *undefined;
    if (std::any_of(args.begin(), args.end(), [](Expr e) { return e.kind() == SymbolicKind::NaN; }))
        return Expr::nan();
    return Extremum(kind)(std::move(args));
}

} // namespace

Expr compare(SymbolicKind op, Expr a, Expr b) {
    if (op == SymbolicKind::Is || op == SymbolicKind::IsNot)
        return identity(op, a, b);
    if (isUndefinedValue(a) || isUndefinedValue(b))
        return node(op, a, b);
    if (std::optional<bool> v = foldComparison(op, a, b))
        return Expr::boolean(*v);
    if (op != SymbolicKind::Eq && op != SymbolicKind::Ne)
        return node(op, a, b);
    // Equality is symmetric: a constant goes to the right, otherwise operands are in canonical order.
    auto isConstant = [](Expr e) { return e.kind() < SymbolicKind::Symbol; };
    if (isConstant(a) != isConstant(b) ? isConstant(a) : Expr::compare(a, b) > 0)
        std::swap(a, b);
    if (std::optional<Expr> truth = equalityOfTruth(op, a, b))
        return *truth;
    return node(op, a, b);
}

Expr logicalAnd(std::vector<Expr> args) { return junction(SymbolicKind::And, std::move(args), true); }
Expr logicalOr(std::vector<Expr> args) { return junction(SymbolicKind::Or, std::move(args), false); }

Expr logicalNot(Expr a) {
    if (std::optional<bool> v = constantTruth(a))
        return Expr::boolean(!*v);
    SymbolicKind k = a.kind();
    if (k == SymbolicKind::Not && isBooleanValued(a.operands()[0]))
        return a.operands()[0];
    // An ordering of values that may be NaN cannot be negated; an ordering of integers can.
    bool hasOpposite = k == SymbolicKind::Eq || k == SymbolicKind::Ne || k == SymbolicKind::Is || k == SymbolicKind::IsNot ||
                       (isComparison(k) && isIntegerValued(a.operands()[0]) && isIntegerValued(a.operands()[1]));
    if (hasOpposite)
        return compare(negated(k), a.operands()[0], a.operands()[1]);
    Expr ops[] = {a};
    return node(SymbolicKind::Not, ops);
}

Expr select(Expr c, Expr t, Expr f) {
    if (std::optional<bool> v = constantTruth(c))
        return *v ? t : f;
    if (t == f)
        return t;
    Expr ops[] = {c, t, f};
    return isUndefinedValue(c) ? c : node(SymbolicKind::Select, ops);
}

Expr bitwise(SymbolicKind op, Expr a, Expr b) {
    if (isUndefinedValue(a) || isUndefinedValue(b))
        return node(op, a, b);
    if (op == SymbolicKind::Shl || op == SymbolicKind::Shr)
        return shift(op, a, b);
    if (a.isInteger() != b.isInteger() ? a.isInteger() : Expr::compare(a, b) > 0)
        std::swap(a, b);
    if (std::optional<Expr> v = bitConstant(op, a, b))
        return *v;
    return node(op, a, b);
}

Expr bitNot(Expr a) {
    if (isBooleanValued(a)) // some writers spell logical not this way
        return logicalNot(a);
    if (std::optional<int64_t> v = a.asInt())
        return Expr(~*v);
    if (a.kind() == SymbolicKind::BitNot)
        return a.operands()[0];
    Expr ops[] = {a};
    return node(SymbolicKind::BitNot, ops);
}

Expr min(std::vector<Expr> args) { return extremum(SymbolicKind::Min, std::move(args)); }
Expr max(std::vector<Expr> args) { return extremum(SymbolicKind::Max, std::move(args)); }

} // namespace sdfgc::sym

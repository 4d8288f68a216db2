// Memlet propagation: the union of a subset over the values of one map parameter.
#include "sdfgc/Symbolic/Subset.h"

#include "Symbolic/Polynomial.h"

#include <algorithm>

namespace sdfgc::sym {
namespace {

enum class Direction : uint8_t { Constant, Up, Down, Unknown };

Direction flip(Direction d) { return d == Direction::Up ? Direction::Down : d == Direction::Down ? Direction::Up : d; }

Direction join(Direction a, Direction b) {
    if (a == Direction::Constant)
        return b;
    return b == Direction::Constant || a == b ? a : Direction::Unknown;
}

/// The direction in which an expression changes when the parameter grows. Sums, products with factors of known sign, minima, maxima
/// and roundings of expressions that change in one direction change in that direction, too.
class Monotonicity {
public:
    Monotonicity(Name parameter, const Assumptions &facts) : parameter_(parameter), facts_(facts) {}

    Direction of(Expr e) const {
        if (!e.dependsOn(parameter_))
            return Direction::Constant;
        switch (e.kind()) {
        case SymbolicKind::Symbol:
            return Direction::Up;
        case SymbolicKind::Mul:
            return product(e);
        case SymbolicKind::FloorDiv:
        case SymbolicKind::CeilDiv:
            return quotient(e);
        case SymbolicKind::Add:
        case SymbolicKind::Min:
        case SymbolicKind::Max:
        case SymbolicKind::Floor:
        case SymbolicKind::Ceil:
            return all(e.operands());
        case SymbolicKind::Approx:
            return of(e.operands()[0]);
        default:
            return Direction::Unknown;
        }
    }

private:
    Direction all(std::span<const Expr> ops) const {
        Direction result = Direction::Constant;
        for (Expr e : ops)
            result = join(result, of(e));
        return result;
    }

    Direction withFactor(Direction d, Expr factor) const {
        if (isNonNegative(factor, facts_) == Truth::True)
            return d;
        return isNonNegative(-factor, facts_) == Truth::True ? flip(d) : Direction::Unknown;
    }

    Direction product(Expr e) const {
        ProductBuilder others;
        std::optional<Expr> moving;
        for (Expr factor : e.operands()) {
            if (!factor.dependsOn(parameter_))
                others.multiply(factor);
            else if (moving)
                return Direction::Unknown;
            else
                moving = factor;
        }
        return withFactor(of(*moving), others.finish());
    }

    Direction quotient(Expr e) const {
        Expr divisor = e.operands()[1];
        return divisor.dependsOn(parameter_) ? Direction::Unknown : withFactor(of(e.operands()[0]), divisor);
    }

    Name parameter_;
    const Assumptions &facts_;
};

/// Least and greatest value of the parameter, and the distance between its values.
struct Values {
    Expr least, greatest, step;

    explicit Values(const Range &r) : least(r.begin), greatest(r.end), step(r.step) {
        if (!step.isOne() && !step.isConstant(-1))
            greatest = r.begin + (r.steps() - 1) * r.step; // the last value may be before the end
        if (step.isInteger() && step.numerator() < 0) {
            std::swap(least, greatest);
            step = -step;
            if (step.isOne())
                least = r.end;
        }
    }
};

class Propagation {
public:
    Propagation(Name parameter, const Range &range, const Assumptions &facts)
        : parameter_(parameter), values_(range), facts_(facts), motion_(parameter, facts) {}

    /// Nothing if the union is not known.
    std::optional<Range> of(const Range &r) const {
        auto depends = [&](Expr e) { return e.dependsOn(parameter_); };
        if (depends(r.step) || depends(r.tile))
            return std::nullopt;
        if (!depends(r.begin) && !depends(r.end))
            return r;
        bool down = r.step.isInteger() && r.step.numerator() < 0;
        std::optional<Expr> lo = extremum(down ? r.end : r.begin, false), hi = extremum(down ? r.begin : r.end, true);
        if (!lo || !hi)
            return std::nullopt;
        return Range{*lo, *hi, stepOf(r, down), r.tile};
    }

private:
    Expr at(Expr e, Expr value) const { return substitute(e, {{parameter_, value}}); }

    std::optional<Expr> extremum(Expr e, bool greatest) const {
        Direction d = motion_.of(e);
        if (d == Direction::Constant)
            return e;
        if (d != Direction::Unknown)
            return at(e, (d == Direction::Up) == greatest ? values_.greatest : values_.least);
        if (!affineIn(e, parameter_))
            return std::nullopt;
        std::vector<Expr> ends{at(e, values_.least), at(e, values_.greatest)};
        return greatest ? max(ends) : min(ends);
    }

    /// Distance between elements of the union; 1 (a superset) if the shifted ranges are not on a common grid.
    Expr stepOf(const Range &r, bool down) const {
        std::optional<std::pair<Expr, Expr>> begin = affineIn(r.begin, parameter_), end = affineIn(r.end, parameter_);
        if (!begin || !end || begin->first != end->first)
            return 1;
        Expr shift = abs(begin->first * values_.step), own = down ? -r.step : r.step;
        if (isNonNegative(begin->first * values_.step, facts_) == Truth::True)
            shift = begin->first * values_.step;
        if (r.begin == r.end)
            return isPositive(shift, facts_) == Truth::True ? shift : Expr(1);
        bool anchoredAtLeast = !down || own.isOne(); // a descending range contains its begin, but not always its end
        return anchoredAtLeast && mod(shift, own).isZero() ? own : Expr(1);
    }

    Name parameter_;
    Values values_;
    const Assumptions &facts_;
    Monotonicity motion_;
};

} // namespace

Subset propagate(const Subset &s, Name parameter, const Range &range, const Subset &whole, const Assumptions &facts) {
    Propagation propagation(parameter, range, facts);
    Subset result;
    for (std::size_t d = 0; d < s.dims.size(); ++d) {
        if (std::optional<Range> r = propagation.of(s.dims[d]))
            result.dims.push_back(*r);
        else
            result.dims.push_back(d < whole.rank() ? whole.dims[d] : Range{0, Expr::undefined()});
    }
    return result;
}

} // namespace sdfgc::sym

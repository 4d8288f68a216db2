// Containment, intersection and union of subsets.
#include "sdfgc/Symbolic/Subset.h"

#include "Symbolic/Node.h"

namespace sdfgc::sym {
namespace {

/// The extent of one dimension, from its least to its greatest element.
struct Extent {
    Expr lo, hi;
    bool dense;    // every element in between is in the range
    bool hiIsReal; // `hi` is an element (if there is any), not just a bound
};

bool isNegativeStep(const Range &r) { return r.step.isInteger() && r.step.numerator() < 0; }

Extent extentOf(const Range &r) {
    bool down = isNegativeStep(r), unit = r.step.isConstant(1) || r.step.isConstant(-1);
    if (r.isPoint())
        return {r.begin, r.end, true, true};
    if (r.tile.isOne())
        return {down ? r.end : r.begin, down ? r.begin : r.end, unit, unit};
    Expr lastStep = r.begin + (r.steps() - 1) * r.step;
    Expr least = down ? lastStep : r.begin, greatest = down ? r.begin : lastStep;
    return {least, greatest + r.tile - 1, unit || r.tile == r.step, true};
}

Truth both(Truth a, Truth b) {
    if (a == Truth::False || b == Truth::False)
        return Truth::False;
    return a == Truth::True && b == Truth::True ? Truth::True : Truth::Unknown;
}

Truth isNonEmpty(const Range &r, const Assumptions &facts) { return r.isPoint() ? Truth::True : isPositive(r.steps(), facts); }

/// Is every position of `b` a position of the strided `a`?
bool onGrid(const Range &a, const Range &b) {
    return a.tile.isOne() && b.tile.isOne() && mod(b.begin - a.begin, a.step).isZero() &&
           (b.isPoint() || mod(b.step, a.step).isZero());
}

Truth coversRange(const Range &a, const Range &b, const Assumptions &facts) {
    if (a == b)
        return Truth::True;
    Extent x = extentOf(a), y = extentOf(b);
    Truth low = isLessEqual(x.lo, y.lo, facts), high = isLessEqual(y.hi, x.hi, facts);
    // Something is certainly out of bounds only if it is certainly an element.
    bool loIsReal = !isNegativeStep(b) || y.hiIsReal;
    bool outside = (low == Truth::False && loIsReal) || (high == Truth::False && y.hiIsReal);
    if (outside)
        return isNonEmpty(b, facts) == Truth::True ? Truth::False : Truth::Unknown;
    bool inside = low == Truth::True && high == Truth::True && (x.dense || onGrid(a, b));
    return inside ? Truth::True : Truth::Unknown;
}

/// Two strided ranges whose positions never meet, such as 0:N:2 and 1:N:2.
bool onDisjointGrids(const Range &a, const Range &b) {
    if (!a.tile.isOne() || !b.tile.isOne())
        return false;
    Expr step = a.isPoint() ? b.step : a.step;
    bool sameStep = a.isPoint() || b.isPoint() || a.step == b.step;
    if (!sameStep || !step.isInteger() || (a.isPoint() && b.isPoint()))
        return false;
    Expr remainder = mod(b.begin - a.begin, step);
    return remainder.isInteger() && !remainder.isZero();
}

Truth intersectsRange(const Range &a, const Range &b, const Assumptions &facts) {
    if (a.isPoint() && b.isPoint())
        return isEqual(a.begin, b.begin, facts);
    Extent x = extentOf(a), y = extentOf(b);
    if (isLess(x.hi, y.lo, facts) == Truth::True || isLess(y.hi, x.lo, facts) == Truth::True || onDisjointGrids(a, b))
        return Truth::False;
    if (a == b)
        return isNonEmpty(a, facts);
    bool meet =
        x.dense && y.dense && isLessEqual(x.lo, y.hi, facts) == Truth::True && isLessEqual(y.lo, x.hi, facts) == Truth::True;
    Truth elements = both(isNonEmpty(a, facts), isNonEmpty(b, facts));
    if (elements == Truth::False)
        return Truth::False;
    return meet ? elements : Truth::Unknown;
}

Range unite(const Range &a, const Range &b) {
    if (a == b)
        return a;
    Extent x = extentOf(a), y = extentOf(b);
    Range r{min({x.lo, y.lo}), max({x.hi, y.hi})};
    bool sameGrid = a.step == b.step && !isNegativeStep(a) && onGrid(a, b);
    if (sameGrid && !a.isPoint())
        r.step = a.step;
    return r;
}

} // namespace

Truth covers(const Subset &a, const Subset &b, const Assumptions &facts) {
    if (a.rank() != b.rank())
        return Truth::Unknown;
    Truth all = Truth::True, nonEmpty = Truth::True;
    for (std::size_t d = 0; d < a.rank(); ++d) {
        all = both(all, coversRange(a.dims[d], b.dims[d], facts));
        nonEmpty = both(nonEmpty, isNonEmpty(b.dims[d], facts));
    }
    if (nonEmpty == Truth::False) // there is nothing to cover
        return Truth::True;
    return all == Truth::False && nonEmpty != Truth::True ? Truth::Unknown : all;
}

Truth intersects(const Subset &a, const Subset &b, const Assumptions &facts) {
    if (a.rank() != b.rank())
        return Truth::Unknown;
    Truth result = Truth::True;
    for (std::size_t d = 0; d < a.rank(); ++d)
        result = both(result, intersectsRange(a.dims[d], b.dims[d], facts));
    return result;
}

Subset boundingBox(const Subset &a, const Subset &b) {
    Subset result;
    for (std::size_t d = 0; d < a.rank() && d < b.rank(); ++d)
        result.dims.push_back(unite(a.dims[d], b.dims[d]));
    return result;
}

} // namespace sdfgc::sym

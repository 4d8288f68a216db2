#include "sdfgc/Analysis/Flow/LoopHeader.h"

#include "sdfgc/Analysis/Flow/TripCount.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

namespace {

/// Is a value a whole number if all symbols are? `sqrt(N)` and `0.5 * N` need not be: a loop up to them has one iteration more than they
/// say, rounded down.
bool isWhole(sym::Expr e) {
    switch (e.kind()) {
    case sym::Kind::Float:
    case sym::Kind::Complex:
    case sym::Kind::None:
    case sym::Kind::Infinity:
    case sym::Kind::NegInfinity:
    case sym::Kind::NaN:
    case sym::Kind::Call:
        return false;
    case sym::Kind::Floor:
    case sym::Kind::Ceil:
    case sym::Kind::Subscript:
        return true;
    case sym::Kind::Cast:
        return e.type().isInteger();
    case sym::Kind::Select:
        return isWhole(e.operands()[1]) && isWhole(e.operands()[2]);
    default:
        return std::all_of(e.operands().begin(), e.operands().end(), isWhole);
    }
}

} // namespace

std::optional<LoopHeader> headerOf(const LoopRegion &l) {
    const Progression p = progressionOf(l);
    if (l.inverted || l.unroll || p.why != Uncounted::No || !p.whole || p.tests.size() != 1)
        return std::nullopt;
    const auto by = p.step.asInt();
    const auto [relation, end] = p.tests[0];
    if (!isWhole(p.first) || !isWhole(end))
        return std::nullopt;
    if (by && *by >= 1 && (relation == sym::Kind::Lt || relation == sym::Kind::Le))
        return LoopHeader{{p.first, relation == sym::Kind::Lt ? end - 1 : end, p.step, 1}, false};
    if (!by || *by >= 0 || (relation != sym::Kind::Gt && relation != sym::Kind::Ge))
        return std::nullopt;
    const sym::Expr bound = relation == sym::Kind::Gt ? end + 1 : end;
    const sym::Expr lowest = *by == -1 ? bound : p.first + p.step * sym::floorDiv(p.first - bound, -p.step);
    return LoopHeader{{lowest, p.first, -p.step, 1}, true};
}

sym::Range LoopHeader::walk() const { return descending ? sym::Range{range.end, range.begin, -range.step, 1} : range; }

sym::Expr LoopHeader::last() const {
    if (range.step.isOne())
        return descending ? sym::min({range.end, range.begin - 1}) : sym::max({range.begin, range.end + 1});
    const sym::Range w = walk();
    return w.begin + w.step * sym::max({sym::Expr(0), range.steps()});
}

bool isOfIntegers(const sym::Range &r, const SDFG &g) {
    const auto isInteger = [&g](Name n) {
        const Type *t = g.symbols.find(n);
        return !g.desc(n) && (!t || t->isInteger());
    };
    const auto fits = [&](sym::Expr e) {
        const auto names = e.freeSymbols();
        return std::all_of(names.begin(), names.end(), isInteger);
    };
    return fits(r.begin) && fits(r.end) && isWhole(r.begin) && isWhole(r.end);
}

} // namespace sdfgc::analysis

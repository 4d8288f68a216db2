// The values of a loop's variable, from its header.
#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Support/Casting.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

bool LoopTest::bounds(bool down) const {
    return down ? relation == sym::SymbolicKind::Gt || relation == sym::SymbolicKind::Ge
                : relation == sym::SymbolicKind::Lt || relation == sym::SymbolicKind::Le;
}

sym::Expr LoopTest::end() const {
    return relation == sym::SymbolicKind::Lt ? bound - 1 : relation == sym::SymbolicKind::Gt ? bound + 1 : bound;
}

sym::Expr LoopHeader::tripsTo(sym::Expr last) const {
    const sym::Expr values = (down ? first - last : last - first) + 1;
    return isUnit() ? values : sym::ceilDiv(values, down ? -step : step);
}

sym::Expr LoopHeader::number() const {
    const sym::Expr distance = sym::Expr::symbol(variable) - first;
    return !isUnit() ? sym::floorDiv(distance, step) : down ? -distance : distance;
}

sym::Expr LoopHeader::last() const { return isUnit() ? end : valueIn(trips() - 1); }

sym::Expr LoopHeader::after() const {
    if (!isUnit())
        return valueIn(sym::max({sym::Expr(0), trips()}));
    return down ? sym::min({first, end - 1}) : sym::max({first, end + 1});
}

sym::Range LoopHeader::walk() const { return {first, down && hasEnd() ? last() : end, step, 1}; }

sym::Range LoopHeader::range() const {
    const sym::Range w = walk();
    return down ? sym::Range{w.end, w.begin, -step, 1} : w;
}

namespace {

/// A constant that an expression does not exceed in its present form: min(T, 10*s + 10) - 10*s is at most 10.
std::optional<int64_t> constantBound(sym::Expr e) {
    const auto least = [](std::span<const sym::Expr> of, sym::Expr more) {
        std::optional<int64_t> out;
        for (const sym::Expr each : of)
            if (const auto bound = constantBound(each + more); bound && (!out || *bound < *out))
                out = bound;
        return out;
    };
    if (const auto value = e.asInt())
        return value;
    const std::span<const sym::Expr> operands = e.operands();
    if (e.kind() == sym::SymbolicKind::Min)
        return least(operands, 0);
    if (e.kind() == sym::SymbolicKind::FloorDiv) {
        const auto above = constantBound(operands[0]), below = operands[1].asInt();
        return above && below && *below > 0 ? sym::floorDiv(*above, *below).asInt() : std::nullopt;
    }
    if (e.kind() != sym::SymbolicKind::Add)
        return std::nullopt;
    for (const sym::Expr term : operands) {
        if (term.kind() == sym::SymbolicKind::Min)
            return least(term.operands(), e - term);
        if (term.kind() == sym::SymbolicKind::FloorDiv)
            if (const auto below = term.operands()[1].asInt(); below && *below > 0)
                if (const auto above = constantBound(term.operands()[0] + (e - term) * *below))
                    return sym::floorDiv(*above, *below).asInt();
    }
    return std::nullopt;
}

/// Is a value an integer if all symbols and elements are? A power with a symbolic exponent is assumed to be one.
bool isWhole(sym::Expr e) {
    switch (e.kind()) {
    case sym::SymbolicKind::Float:
    case sym::SymbolicKind::Complex:
    case sym::SymbolicKind::None:
    case sym::SymbolicKind::Infinity:
    case sym::SymbolicKind::NegInfinity:
    case sym::SymbolicKind::NaN:
    case sym::SymbolicKind::Call:
        return false;
    case sym::SymbolicKind::Floor:
    case sym::SymbolicKind::Ceil:
    case sym::SymbolicKind::Subscript:
        return true;
    case sym::SymbolicKind::Cast:
        return e.type().isInteger();
    case sym::SymbolicKind::Select:
        return isWhole(e.operands()[1]) && isWhole(e.operands()[2]);
    case sym::SymbolicKind::Pow:
        if (const auto by = e.operands()[1].asInt(); by && *by < 0)
            return false;
        [[fallthrough]];
    default:
        return std::all_of(e.operands().begin(), e.operands().end(), isWhole);
    }
}

} // namespace

sym::Expr LoopHeader::room() const {
    const auto bound = constantBound(trips());
    return bound && *bound >= 0 ? sym::Expr(*bound) : trips();
}

std::set<Name> LoopHeader::names() const {
    std::set<Name> out{variable};
    for (const sym::Expr e : {first, step, end})
        out.insert(e.freeSymbols().begin(), e.freeSymbols().end());
    return out;
}

bool LoopHeader::isOfIntegers(const SDFG &g) const {
    const std::set<Name> all = names();
    return std::none_of(all.begin(), all.end(), [&g](Name n) { return g.desc(n); }) && isInteger(first, &g) &&
           isInteger(step, &g) && isInteger(end, &g);
}

bool isInteger(sym::Expr e, const SDFG *g) {
    const auto &names = e.freeSymbols();
    return isWhole(e) && std::all_of(names.begin(), names.end(), [g](Name n) {
               const DataDesc *d = g ? g->desc(n) : nullptr;
               const Type *t = d ? &d->dtype : g ? g->symbols.find(n) : nullptr;
               return !t || t->isInteger();
           });
}

namespace {

bool isChangedIn(const LoopRegion &l, const LoopHeader &h) {
    const std::set<Name> names = h.names(), assigned = assignedInside(l);
    return std::any_of(names.begin(), names.end(), [&assigned](Name n) { return assigned.count(n) != 0; });
}

} // namespace

std::optional<CountedLoop> countedLoop(LoopRegion &l) {
    if (l.variable.empty())
        return std::nullopt;
    const SDFG &g = *l.sdfg();
    const auto isFixed = [&](const LoopHeader &h) { return h.isOfIntegers(g) && !isChangedIn(l, h); };
    LoopHeader header = headerOf(l);
    if (header.hasEnd() && isFixed(header))
        return CountedLoop{std::move(header), &l};
    // Inverted loops, `!=`, symbolic steps, and conditions that do more than bound the variable.
    const sym::Assumptions facts = factsOf(g);
    LoopHeader byBody = header.hasEnd() ? LoopHeader() : tripCountOf(l, facts);
    if (byBody.counted() && byBody.changing.empty() && byBody.variable == l.variable && isFixed(byBody))
        return CountedLoop{std::move(byBody), &l};
    header.end = sym::Expr::undefined();
    header.exact = false;
    header.down = sym::isPositive(-header.step, facts) == sym::Truth::True;
    if (header.why != Uncounted::No || !isFixed(header) ||
        (!header.down && sym::isPositive(header.step, facts) != sym::Truth::True))
        return std::nullopt;
    return CountedLoop{std::move(header), &l};
}

std::optional<std::vector<CountedLoop>> countedLoopsAround(Region &r) {
    std::vector<CountedLoop> out;
    for (Region *at = &r; at && !isa<SDFG>(at); at = at->parent())
        if (auto *l = dyn_cast<LoopRegion>(at)) {
            const std::optional<CountedLoop> counted = countedLoop(*l);
            if (!counted)
                return std::nullopt;
            out.push_back(*counted);
        }
    std::reverse(out.begin(), out.end());
    return out;
}

std::vector<LoopLevel> loopsAround(const Region &r) {
    std::vector<LoopLevel> out;
    for (const Region *at = &r; at; at = at->parent()) {
        const auto *l = dyn_cast<LoopRegion>(at);
        const LoopHeader header = l ? headerOf(*l) : LoopHeader();
        if (header.hasEnd() && header.isOfIntegers(*l->sdfg()) && !isChangedIn(*l, header))
            out.push_back({l->variable, header.range()});
    }
    std::reverse(out.begin(), out.end());
    return out;
}

} // namespace sdfgc::analysis

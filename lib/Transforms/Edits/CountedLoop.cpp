#include "Transforms/Edits/CountedLoop.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Flow/TripCount.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

sym::Expr CountedLoop::number() const {
    const sym::Expr distance = sym::Expr::symbol(region->variable) - walk.begin;
    return walk.step.isOne() ? distance : walk.step.isConstant(-1) ? -distance : sym::floorDiv(distance, walk.step);
}

sym::Expr CountedLoop::trips() const { return count ? *count : sym::floorDiv(walk.end - walk.begin, walk.step) + 1; }

namespace {

/// A constant that an expression does not exceed, as it stands: min(T, 10*s + 10) - 10*s is 10 at most.
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
    if (e.kind() == sym::Kind::Min)
        return least(operands, 0);
    if (e.kind() == sym::Kind::FloorDiv) {
        const auto above = constantBound(operands[0]), below = operands[1].asInt();
        return above && below && *below > 0 ? sym::floorDiv(*above, *below).asInt() : std::nullopt;
    }
    if (e.kind() != sym::Kind::Add)
        return std::nullopt;
    for (const sym::Expr term : operands) {
        if (term.kind() == sym::Kind::Min)
            return least(term.operands(), e - term);
        if (term.kind() == sym::Kind::FloorDiv)
            if (const auto below = term.operands()[1].asInt(); below && *below > 0)
                if (const auto above = constantBound(term.operands()[0] + (e - term) * *below))
                    return sym::floorDiv(*above, *below).asInt();
    }
    return std::nullopt;
}

} // namespace

sym::Expr CountedLoop::room() const {
    const auto bound = constantBound(trips());
    return bound && *bound >= 0 ? sym::Expr(*bound) : trips();
}

sym::Expr CountedLoop::last() const {
    return count || walk.step.isOne() || walk.step.isConstant(-1) ? walk.end : walk.begin + walk.step * (trips() - 1);
}

namespace {

/// Are expressions of integers, and nothing in the loop gives their symbols, or its variable, other values?
bool areFixed(std::initializer_list<sym::Expr> expressions, LoopRegion &l) {
    std::set<Name> fixed{l.variable};
    for (const sym::Expr e : expressions) {
        if (!analysis::isOfIntegers({0, e, 1, 1}, *l.sdfg()))
            return false;
        fixed.insert(e.freeSymbols().begin(), e.freeSymbols().end());
    }
    for (const Region *inside : allRegions(l)) {
        for (const auto &e : inside->edges())
            for (const auto &[symbol, value] : e->assignments)
                if (fixed.count(symbol))
                    return false;
        if (const auto *inner = dyn_cast<LoopRegion>(inside); inner && inner != &l && fixed.count(inner->variable))
            return false;
    }
    return true;
}

/// Handles loops that the header alone does not describe: inverted loops, `!=`, symbolic steps, and conditions with
/// more than a bound of the variable.
std::optional<CountedLoop> countedByFormula(LoopRegion &l, const sym::Assumptions &facts) {
    const analysis::TripCount t = analysis::tripCountOf(l, facts);
    if (!t.counted() || !t.changing.empty() || t.variable != l.variable)
        return std::nullopt;
    return CountedLoop{&l, {t.first, t.first + t.step * (t.count - 1), t.step, 1}, t.count, !t.exact};
}

/// A loop whose variable counts, though to no end that is known.
std::optional<CountedLoop> openLoop(LoopRegion &l, const sym::Assumptions &facts) {
    const analysis::Progression p = analysis::progressionOf(l);
    if (p.why != analysis::Uncounted::No || !areFixed({p.first, p.step}, l) ||
        (sym::isPositive(p.step, facts) != sym::Truth::True && sym::isPositive(-p.step, facts) != sym::Truth::True))
        return std::nullopt;
    return CountedLoop{&l, {p.first, sym::Expr::undefined(), p.step, 1}, std::nullopt, true, true};
}

} // namespace

std::optional<CountedLoop> countedLoop(LoopRegion &l) {
    if (l.variable.empty())
        return std::nullopt;
    std::optional<CountedLoop> out;
    if (const std::optional<analysis::LoopHeader> header = analysis::headerOf(l))
        out = CountedLoop{&l, header->walk(), std::nullopt, false};
    const sym::Assumptions facts = out ? sym::Assumptions() : analysis::factsOf(*l.sdfg());
    if (!out)
        out = countedByFormula(l, facts);
    if (out && areFixed({out->walk.begin, out->walk.end, out->walk.step}, l))
        return out;
    return openLoop(l, facts);
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

bool hasPlainHeader(const LoopRegion &l) {
    const analysis::Progression p = analysis::progressionOf(l);
    return !l.inverted && p.why == analysis::Uncounted::No && p.whole && p.tests.size() == 1;
}

Block *outermost(Region &r) {
    Block *b = &r;
    while (true) {
        if (ConditionalBlock *c = b->conditional())
            b = c;
        if (isa<SDFG>(b->parent()))
            return b;
        b = b->parent();
    }
}

} // namespace sdfgc::transforms

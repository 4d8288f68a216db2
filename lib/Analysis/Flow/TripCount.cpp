// Trip counts of loops, from their headers and bodies.
#include "sdfgc/Analysis/Flow/LoopHeader.h"

#include "sdfgc/Analysis/Sizes/SizeExpr.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Support/Casting.h"

#include <algorithm>
#include <set>

namespace sdfgc::analysis {

using namespace ir;

std::string_view text(Uncounted why) {
    switch (why) {
    case Uncounted::No:
        break;
    case Uncounted::NoVariable:
        return "it has no variable with an initial value, an update and a condition";
    case Uncounted::OtherLanguage:
        return "its header is not Python";
    case Uncounted::First:
        return "the initial value of its variable cannot be read as an expression";
    case Uncounted::Step:
        return "its update does not add a step to its variable";
    case Uncounted::StepZero:
        return "its step is 0";
    case Uncounted::StepSign:
        return "the sign of its step is not known";
    case Uncounted::StepChanges:
        return "its step changes while it runs";
    case Uncounted::VariableChanges:
        return "its variable is assigned in it";
    case Uncounted::NoTest:
        return "its condition does not compare its variable with a bound";
    case Uncounted::BoundChanges:
        return "the bound in its condition changes while it runs";
    case Uncounted::Direction:
        return "its step leads away from the bound in its condition";
    case Uncounted::MissesEnd:
        return "it is not known that its variable ever equals the bound in its condition";
    case Uncounted::NoIntegers:
        return "the values in its header are not known to be integers";
    }
    return "it can be counted";
}

namespace {

/// What the iterations of a loop change, and how they end it.
struct Body {
    std::set<Name> changed;
    bool all = false; // writes unknown memory, so possibly anything
    bool exits = false;

    bool changes(Name n, const SDFG *g) const { return changed.contains(n) || (all && g && g->desc(n)); }
    bool changes(sym::Expr e, const SDFG *g) const {
        const auto &names = e.freeSymbols();
        return std::any_of(names.begin(), names.end(), [&](Name n) { return changes(n, g); });
    }
};

void addState(const State &s, Body &b) {
    for (const auto &n : s.nodes()) {
        if (const auto *t = dyn_cast<Tasklet>(n.get())) {
            b.changed.merge(changedSymbols(*t));
            continue;
        }
        const auto *written = dyn_cast<AccessNode>(n.get());
        const auto &in = n->inEdges();
        if (!written || std::all_of(in.begin(), in.end(), [](const Edge *e) { return e->memlet.isEmpty(); }))
            continue;
        const AccessNode *behind = nodeBehindViews(written);
        const DataDesc *d = behind ? s.sdfg()->desc(behind->data) : nullptr;
        b.all = b.all || !d || d->alias == AliasKind::Reference;
        b.changed.insert(written->data);
        if (behind)
            b.changed.insert(behind->data);
    }
}

void addRegion(const Region &r, bool inner, Body &b) {
    for (const auto &e : r.edges())
        for (const auto &[symbol, value] : e->assignments)
            b.changed.insert(symbol);
    for (const auto &block : r.blocks()) {
        if (const auto *s = dyn_cast<State>(block.get()))
            addState(*s, b);
        else if (const auto *c = dyn_cast<ConditionalBlock>(block.get()))
            for (const auto &branch : c->branches())
                addRegion(*branch.region, inner, b);
        else if (const auto *l = dyn_cast<LoopRegion>(block.get()))
            b.changed.insert(l->variable);
        b.exits = b.exits || block->kind() == BlockKind::Return || (block->kind() == BlockKind::Break && !inner);
        if (const auto *nested = dyn_cast<Region>(block.get()))
            addRegion(*nested, inner || isa<LoopRegion>(nested), b);
    }
}

struct Counted {
    Uncounted why = Uncounted::No;
    sym::Expr count;
};

/// Counts the values of a variable whose step has a known sign.
class Counter {
public:
    Counter(const LoopRegion &l, const LoopHeader &h, const sym::Assumptions &facts) : loop_(l), h_(h), facts_(facts) {}

    Counted of(const LoopTest &t) const {
        if (t.relation == sym::SymbolicKind::Ne)
            return ofUnequal(t.bound);
        return t.bounds(h_.down) ? Counted{Uncounted::No, inverted(notNegative(h_.tripsTo(t.end())))} : ofEndless(t);
    }

private:
    /// The update of a while loop is in its body.
    bool updatesFirst() const { return loop_.inverted && (loop_.updateBeforeCondition || !loop_.update); }

    /// Clamps the count at zero: a loop over an empty range has no iterations.
    sym::Expr notNegative(sym::Expr n) const {
        return analysis::isNonNegative(SizeExpr(n), facts_) ? n : sym::max({sym::Expr(0), n});
    }

    sym::Expr inverted(sym::Expr n) const {
        if (!loop_.inverted)
            return n;
        return updatesFirst() ? sym::max({sym::Expr(1), n}) : n + 1;
    }

    /// A test that stays true once it is true. It gives a count only if it certainly fails the first time.
    Counted ofEndless(const LoopTest &t) const {
        const sym::Expr tested = updatesFirst() ? h_.valueIn(1) : h_.first;
        const bool below = t.bounds(false);
        const sym::Expr low = below ? t.bound : tested, high = below ? tested : t.bound;
        const bool strict = t.relation == sym::SymbolicKind::Le || t.relation == sym::SymbolicKind::Ge;
        const sym::Truth fails = strict ? sym::isLess(low, high, facts_) : sym::isLessEqual(low, high, facts_);
        if (fails != sym::Truth::True)
            return {Uncounted::Direction, {}};
        return {Uncounted::No, loop_.inverted ? 1 : 0};
    }

    Counted ofUnequal(sym::Expr bound) const {
        const auto whole = wholeQuotient(h_.down ? h_.first - bound : bound - h_.first, h_.down ? -h_.step : h_.step);
        const auto inRange = [&] {
            return updatesFirst() ? sym::isLessEqual(1, *whole, facts_) : sym::isNonNegative(*whole, facts_);
        };
        if (!whole || inRange() != sym::Truth::True)
            return {Uncounted::MissesEnd, {}};
        return {Uncounted::No, loop_.inverted && !updatesFirst() ? *whole + 1 : *whole};
    }

    static std::optional<sym::Expr> wholeQuotient(sym::Expr distance, sym::Expr by) {
        if (by.isOne())
            return distance;
        const auto number = by.asInt();
        if (!number)
            return distance == by ? std::optional(sym::Expr(1)) : std::nullopt;
        return distance.isZero() || sym::integerContent(distance) % *number == 0 ? std::optional(sym::floorDiv(distance, by))
                                                                                 : std::nullopt;
    }

    const LoopRegion &loop_;
    const LoopHeader &h_;
    const sym::Assumptions &facts_;
};

/// The names in an expression that the body changes.
std::vector<Name> changedNames(sym::Expr e, const Body &b, const SDFG *g) {
    std::vector<Name> out;
    for (Name n : e.freeSymbols())
        if (b.changes(n, g))
            out.push_back(n);
    return out;
}

LoopHeader uncounted(LoopHeader h, Uncounted why) {
    h.why = why;
    return h;
}

LoopHeader counted(const LoopRegion &l, LoopHeader h, const Body &body, const sym::Assumptions &facts) {
    const SDFG *g = l.sdfg();
    if (h.step.isZero())
        return uncounted(h, Uncounted::StepZero);
    if (!isInteger(sym::Expr::symbol(h.variable), g) || !isInteger(h.first, g) || !isInteger(h.step, g))
        return uncounted(h, Uncounted::NoIntegers);
    if (body.changed.contains(h.variable))
        return uncounted(h, Uncounted::VariableChanges);
    if (body.changes(h.step, g))
        return uncounted(h, Uncounted::StepChanges);
    h.down = sym::isPositive(-h.step, facts) == sym::Truth::True;
    if (!h.down && sym::isPositive(h.step, facts) != sym::Truth::True)
        return uncounted(h, Uncounted::StepSign);

    h.exact = h.whole && !body.exits;
    h.changing = changedNames(h.first, body, g);
    const Counter counter(l, h, facts);
    std::vector<sym::Expr> counts;
    Uncounted why = Uncounted::NoTest;
    for (const LoopTest &t : h.tests) {
        const Counted c = !isInteger(t.bound, g)     ? Counted{Uncounted::NoIntegers, {}}
                          : body.changes(t.bound, g) ? Counted{Uncounted::BoundChanges, {}}
                                                     : counter.of(t);
        if (c.why == Uncounted::No) {
            counts.push_back(c.count);
            continue;
        }
        why = why == Uncounted::NoTest ? c.why : why;
        h.exact = false;
    }
    if (counts.empty())
        return uncounted(h, why);
    h.count = sym::min(std::move(counts));
    return h;
}

/// A while loop: the minimum of the counts of its variables. The header is that of the first one.
LoopHeader countedInside(const LoopRegion &l, const Body &body, const sym::Assumptions &facts) {
    LoopHeader found = uncounted({}, Uncounted::NoVariable);
    for (const LoopHeader &h : headersInside(l)) {
        Body others = body;
        others.changed.erase(h.variable);
        LoopHeader by = counted(l, h, others, facts);
        if (!by.counted())
            continue;
        by.changing = {h.variable};
        if (found.counted())
            found.count = sym::min({found.count, by.count});
        else
            found = std::move(by);
    }
    return found;
}

} // namespace

LoopHeader tripCountOf(const LoopRegion &l, const sym::Assumptions &facts) {
    Body body;
    addRegion(l, false, body);
    LoopHeader h = headerOf(l);
    if (h.why == Uncounted::No)
        h = counted(l, std::move(h), body, facts);
    else if (h.why == Uncounted::NoVariable)
        h = countedInside(l, body, facts);
    if (h.counted() && !h.hasEnd())
        h.end = h.valueIn(h.count - 1);
    return h;
}

} // namespace sdfgc::analysis

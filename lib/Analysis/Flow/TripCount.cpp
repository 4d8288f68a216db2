// Formulas for the number of iterations of a loop.
#include "sdfgc/Analysis/Flow/TripCount.h"

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
        return "its variable starts with no value that can be read as an expression";
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
        return "what its header computes with is not known to be integers";
    }
    return "it can be counted";
}

namespace {

/// What the iterations of a loop change, and how they end it.
struct Body {
    std::set<Name> changed;
    bool all = false; // memory that is not known, so anything
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

/// Arithmetic of integers: of symbols, and of what containers hold?
bool isOfIntegers(sym::Expr e, const SDFG *g) {
    const auto isInteger = [g](Name n) {
        if (!g)
            return true;
        const DataDesc *d = g->desc(n);
        const Type *t = d ? &d->dtype : g->symbols.find(n);
        return !t || t->isInteger();
    };
    switch (e.kind()) {
    case sym::Kind::Integer:
        return true;
    case sym::Kind::Symbol:
        return isInteger(e.name());
    case sym::Kind::Subscript:
        if (!isInteger(e.name()))
            return false;
        break;
    case sym::Kind::Rational: // of a product: a sum of them may be whole
    case sym::Kind::Add:
    case sym::Kind::Mul:
    case sym::Kind::FloorDiv:
    case sym::Kind::CeilDiv:
    case sym::Kind::Mod:
    case sym::Kind::Abs:
    case sym::Kind::Min:
    case sym::Kind::Max:
        break;
    case sym::Kind::Pow:
        if (const auto by = e.operands()[1].asInt(); !by || *by < 0)
            return false;
        break;
    default:
        return false;
    }
    return std::all_of(e.operands().begin(), e.operands().end(), [g](sym::Expr o) { return isOfIntegers(o, g); });
}

struct Counted {
    Uncounted why = Uncounted::No;
    sym::Expr count;
};

class Counter {
public:
    Counter(const LoopRegion &l, const Progression &p, const sym::Assumptions &facts)
        : loop_(l), p_(p), facts_(facts), up_(sym::isPositive(p.step, facts) == sym::Truth::True),
          down_(sym::isPositive(-p.step, facts) == sym::Truth::True) {}

    bool hasSign() const { return up_ || down_; }

    Counted of(const LoopTest &t) const {
        if (t.relation == sym::Kind::Ne)
            return ofUnequal(t.bound);
        const bool towards = t.relation == sym::Kind::Lt || t.relation == sym::Kind::Le ? up_ : down_;
        return towards ? Counted{Uncounted::No, inverted(ahead(t))} : ofEndless(t);
    }

private:
    /// The update of a while loop is in its body.
    bool updatesFirst() const { return loop_.inverted && (loop_.updateBeforeCondition || !loop_.update); }

    /// For how many values from the first on a test holds.
    sym::Expr ahead(const LoopTest &t) const {
        const sym::Expr distance = up_ ? t.bound - p_.first : p_.first - t.bound, by = up_ ? p_.step : -p_.step;
        const bool open = t.relation == sym::Kind::Lt || t.relation == sym::Kind::Gt;
        const sym::Expr last = by.isOne() ? distance : open ? sym::ceilDiv(distance, by) : sym::floorDiv(distance, by);
        return notNegative(open ? last : last + 1);
    }

    /// Of a loop over what is empty there are no iterations, not fewer.
    sym::Expr notNegative(sym::Expr n) const {
        return analysis::isNonNegative(SizeExpr(n), {facts_, {}}) ? n : sym::max({sym::Expr(0), n});
    }

    sym::Expr inverted(sym::Expr n) const {
        if (!loop_.inverted)
            return n;
        return updatesFirst() ? sym::max({sym::Expr(1), n}) : n + 1;
    }

    /// A test that holds for ever once it holds: it counts where it is certain to fail the first time.
    Counted ofEndless(const LoopTest &t) const {
        const sym::Expr tested = updatesFirst() ? p_.first + p_.step : p_.first;
        const bool below = t.relation == sym::Kind::Lt || t.relation == sym::Kind::Le;
        const sym::Expr low = below ? t.bound : tested, high = below ? tested : t.bound;
        const bool strict = t.relation == sym::Kind::Le || t.relation == sym::Kind::Ge;
        const sym::Truth fails = strict ? sym::isLess(low, high, facts_) : sym::isLessEqual(low, high, facts_);
        if (fails != sym::Truth::True)
            return {Uncounted::Direction, {}};
        return {Uncounted::No, loop_.inverted ? 1 : 0};
    }

    Counted ofUnequal(sym::Expr bound) const {
        const sym::Expr distance = up_ ? bound - p_.first : p_.first - bound, by = up_ ? p_.step : -p_.step;
        const auto whole = wholeQuotient(distance, by);
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
    const Progression &p_;
    const sym::Assumptions &facts_;
    bool up_, down_;
};

TripCount uncounted(Uncounted why) {
    TripCount t;
    t.why = why;
    return t;
}

/// Names in an expression that the body changes.
std::vector<Name> changedNames(sym::Expr e, const Body &b, const SDFG *g) {
    std::vector<Name> out;
    for (Name n : e.freeSymbols())
        if (b.changes(n, g))
            out.push_back(n);
    return out;
}

TripCount countOf(const LoopRegion &l, const Progression &p, const Body &body, const sym::Assumptions &facts) {
    const SDFG *g = l.sdfg();
    if (p.step.isZero())
        return uncounted(Uncounted::StepZero);
    if (!isOfIntegers(sym::Expr::symbol(p.variable), g) || !isOfIntegers(p.first, g) || !isOfIntegers(p.step, g))
        return uncounted(Uncounted::NoIntegers);
    if (body.changed.contains(p.variable))
        return uncounted(Uncounted::VariableChanges);
    if (body.changes(p.step, g))
        return uncounted(Uncounted::StepChanges);
    const Counter counter(l, p, facts);
    if (!counter.hasSign())
        return uncounted(Uncounted::StepSign);

    TripCount out{.variable = p.variable,
                  .first = p.first,
                  .step = p.step,
                  .exact = p.whole && !body.exits,
                  .changing = changedNames(p.first, body, g)};
    std::vector<sym::Expr> counts;
    Uncounted why = Uncounted::NoTest;
    for (const LoopTest &t : p.tests) {
        const Counted c = !isOfIntegers(t.bound, g)  ? Counted{Uncounted::NoIntegers, {}}
                          : body.changes(t.bound, g) ? Counted{Uncounted::BoundChanges, {}}
                                                     : counter.of(t);
        if (c.why == Uncounted::No) {
            counts.push_back(c.count);
            continue;
        }
        why = why == Uncounted::NoTest ? c.why : why;
        out.exact = false;
    }
    if (counts.empty())
        return uncounted(why);
    out.count = sym::min(std::move(counts));
    return out;
}

/// A while loop: the least of what its variables say. What they count is that of the first.
TripCount countInside(const LoopRegion &l, const Body &body, const sym::Assumptions &facts) {
    TripCount found = uncounted(Uncounted::NoVariable);
    for (const Progression &p : progressionsInside(l)) {
        Body others = body;
        others.changed.erase(p.variable);
        TripCount t = countOf(l, p, others, facts);
        if (!t.counted())
            continue;
        t.changing = {p.variable};
        if (found.counted())
            found.count = sym::min({found.count, t.count});
        else
            found = std::move(t);
    }
    return found;
}

} // namespace

TripCount tripCountOf(const LoopRegion &l, const sym::Assumptions &facts) {
    Body body;
    addRegion(l, false, body);
    const Progression p = progressionOf(l);
    if (p.why == Uncounted::No)
        return countOf(l, p, body, facts);
    return p.why == Uncounted::NoVariable ? countInside(l, body, facts) : uncounted(p.why);
}

} // namespace sdfgc::analysis

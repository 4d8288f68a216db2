#include "sdfgc/Analysis/Flow/FlowFacts.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/EdgeValues.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

/// Symbols that a region's edges assign, and variables of the loops in it.
FactWalk::FactWalk(SDFG &g) : g_(g), changedByCode_(changedSymbols(g)) {}

void FactWalk::walk() {
    FlowFacts facts;
    region(g_, facts);
}

std::optional<sym::Expr> FactWalk::valueOf(const std::string &text) const {
    if (hasQuotient(text) || callsFunctions(text))
        return std::nullopt;
    const std::optional<sym::Expr> value = sym::parse(text).expr;
    if (!value || value->isUndefined() || value->overflowed())
        return std::nullopt;
    const auto isFixed = [this](Name n) {
        const Type *t = g_.symbols.find(n);
        return t && t->isInteger() && !g_.desc(n) && !changedByCode_.count(n);
    };
    const std::set<Name> names = namesInCode({text, Language::Python}, g_); // including names that cancel out
    return std::all_of(names.begin(), names.end(), isFixed) ? value : std::nullopt;
}

void FactWalk::region(Region &r, FlowFacts &facts) {
    const std::vector<Block *> order = sequenceOf(r);
    if (order.empty())
        return anyOrder(r, facts);
    for (Block *b : order) {
        block(*b, facts);
        for (InterstateEdge *e : b->outEdges())
            edge(*e, r, facts);
    }
}

/// The order is unknown, so only facts that nothing in the region changes hold.
void FactWalk::anyOrder(Region &r, FlowFacts &facts) {
    facts.forget(assignedInside(r));
    for (const auto &b : r.blocks()) {
        FlowFacts inside = facts;
        block(*b, inside);
    }
    for (const auto &e : r.edges()) {
        FlowFacts inside = facts;
        readIn(e->condition, inside, r);
        edge(*e, r, inside);
    }
}

void FactWalk::block(Block &b, FlowFacts &facts) {
    if (auto *s = dyn_cast<State>(&b))
        readIn(*s, facts);
    else if (auto *c = dyn_cast<ConditionalBlock>(&b))
        conditional(*c, facts);
    else if (auto *l = dyn_cast<LoopRegion>(&b))
        loop(*l, facts);
    else if (auto *r = dyn_cast<Region>(&b))
        region(*r, facts);
}

void FactWalk::conditional(ConditionalBlock &c, FlowFacts &facts) {
    std::optional<FlowFacts> after;
    bool complete = false;
    for (auto &branch : c.branches()) {
        complete |= !branch.condition;
        if (branch.condition)
            readIn(*branch.condition, facts, *c.parent());
        FlowFacts inside = facts;
        region(*branch.region, inside);
        if (after)
            after->meet(inside);
        else
            after = std::move(inside);
    }
    if (after && complete)
        facts = std::move(*after);
    else if (after)
        facts.meet(*after);
}

void FactWalk::loop(LoopRegion &l, FlowFacts &facts) {
    around_.push_back(l.variable);
    if (l.init)
        readIn(*l.init, facts, l);
    facts.forget(assignedIn(l));
    for (std::optional<Code> *c : {&l.condition, &l.update})
        if (*c)
            readIn(**c, facts, l);
    FlowFacts inside = facts;
    region(l, inside);
    around_.pop_back();
}

namespace {

/// The symbols that an edge assigns, except `symbol`: the value of `symbol` must not mention them.
std::set<Name> othersOf(const InterstateEdge &e, Name symbol) {
    std::set<Name> out;
    for (const auto &[other, value] : e.assignments)
        if (other != symbol)
            out.insert(other);
    return out;
}

} // namespace

void FactWalk::edge(InterstateEdge &e, const Region &r, FlowFacts &facts) {
    std::vector<std::pair<Name, std::optional<sym::Expr>>> values;
    std::set<Name> assigned;
    std::erase_if(e.assignments, [&](auto &assignment) {
        auto &[symbol, text] = assignment;
        std::optional<sym::Expr> value = valueOf(text);
        Code c{text, Language::Python};
        readIn(c, facts, r, othersOf(e, symbol));
        text = c.text();
        if (value)
            value = resolved(*value, facts);
        const sym::Expr *known = value ? facts.of(symbol) : nullptr;
        const bool isKnown = known && *known == *value;
        if (!isKnown) {
            assigned.insert(symbol);
            values.emplace_back(symbol, value);
        }
        return drops(e, r, symbol, isKnown);
    });
    facts.forget(assigned);
    for (const auto &[symbol, value] : values) {
        const auto mentions = [&](Name n) { return assigned.count(n) != 0; };
        if (value && !changedByCode_.count(symbol) &&
            std::none_of(value->freeSymbols().begin(), value->freeSymbols().end(), mentions))
            facts.add(symbol, *value);
    }
}

} // namespace sdfgc::analysis

#include "Transforms/Optimize/Loops.h"

#include "Transforms/Optimize/SymbolFacts.h"

#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// Does something outside of a loop read its variable, without a loop around it that sets it?
class ReadsOutside {
public:
    ReadsOutside(const SDFG &g, const LoopRegion &l) : g_(g), loop_(l) {}
    bool any() { return region(g_); }

private:
    bool in(const Code &c) const { return analysis::namesInCode(c, g_).count(loop_.variable) != 0; }
    bool in(const std::optional<Code> &c) const { return c && in(*c); }

    bool region(const Region &r) {
        for (const auto &b : r.blocks())
            if (block(*b))
                return true;
        return std::any_of(r.edges().begin(), r.edges().end(), [this](const auto &e) {
            return in(e->condition) || std::any_of(e->assignments.begin(), e->assignments.end(), [this](const auto &a) {
                       return a.first == loop_.variable || in(Code{a.second, Language::Python});
                   });
        });
    }

    bool block(const Block &b) {
        if (&b == &loop_)
            return false;
        if (const auto *s = dyn_cast<State>(&b))
            return state(*s);
        if (const auto *c = dyn_cast<ConditionalBlock>(&b))
            return std::any_of(c->branches().begin(), c->branches().end(),
                               [this](const auto &branch) { return in(branch.condition) || region(*branch.region); });
        if (const auto *l = dyn_cast<LoopRegion>(&b)) {
            if (l->variable == loop_.variable) // sets it
                return in(l->init);
            if (in(l->init) || in(l->condition) || in(l->update))
                return true;
        }
        const auto *r = dyn_cast<Region>(&b);
        return r && region(*r);
    }

    bool state(const State &s) const {
        const ScopeTree scopes(s);
        const auto mentions = [this](const std::optional<sym::Subset> &subset) {
            return subset && subset->freeSymbols().count(loop_.variable) != 0;
        };
        return std::any_of(
                   s.nodes().begin(), s.nodes().end(),
                   [&](const auto &n) { return analysis::freeSymbols(*n).count(loop_.variable) && !isParameterAt(*n, scopes); }) ||
               std::any_of(s.edges().begin(), s.edges().end(), [&](const auto &e) {
                   return (mentions(e->memlet.subset) || mentions(e->memlet.otherSubset)) && !isParameterAt(*e->src, scopes);
               });
    }

    /// Is the name a parameter of a map there, or of the map that begins there?
    bool isParameterAt(const Node &n, const ScopeTree &scopes) const {
        const auto sets = [this](const Node *scope) {
            const auto *m = dyn_cast<MapEntry>(scope);
            return m && std::find(m->params.begin(), m->params.end(), loop_.variable) != m->params.end();
        };
        const std::vector<Node *> around = scopes.enclosing(&n);
        return sets(&n) || std::any_of(around.begin(), around.end(), sets);
    }

    const SDFG &g_;
    const LoopRegion &loop_;
};

} // namespace

bool isVariableReadOutside(const LoopRegion &l) { return ReadsOutside(*l.sdfg(), l).any(); }

std::vector<analysis::LoopLevel> loopsAround(const Region &r) {
    std::vector<analysis::LoopLevel> out;
    for (const Region *at = &r; at; at = at->parent()) {
        const auto *l = dyn_cast<LoopRegion>(at);
        const std::optional<LoopHeader> header = l ? headerOf(*l) : std::nullopt;
        if (!header || !isOfIntegers(header->range, *l->sdfg()))
            continue;
        std::set<Name> fixed{l->variable}, assigned;
        for (const sym::Expr e : {header->range.begin, header->range.end})
            fixed.insert(e.freeSymbols().begin(), e.freeSymbols().end());
        assignedIn(*l, assigned);
        if (std::none_of(fixed.begin(), fixed.end(), [&](Name n) { return assigned.count(n) != 0; }))
            out.push_back({l->variable, header->range});
    }
    std::reverse(out.begin(), out.end());
    return out;
}

void forgetVariable(SDFG &g, Name variable) {
    const std::vector<Region *> left = allRegions(g);
    if (std::none_of(left.begin(), left.end(), [variable](const Region *other) {
            const auto *l = dyn_cast<LoopRegion>(other);
            return l && l->variable == variable;
        }))
        g.symbols.erase(variable);
}

State &stateInPlaceOf(LoopRegion &l) {
    Region &r = *l.parent();
    const bool starts = r.start() == &l;
    auto *s = r.add<State>();
    s->label = l.label;
    s->debugInfo = l.debugInfo;
    for (InterstateEdge *e : r.inEdges(&l))
        e->dst = s;
    for (InterstateEdge *e : r.outEdges(&l))
        e->src = s;
    if (starts)
        r.setStart(s);
    return *s;
}

std::vector<Block *> sequenceOf(Region &r) {
    std::map<const Block *, Block *> next;
    if (r.kind() == BlockKind::Unstructured)
        return {};
    for (const auto &e : r.edges())
        if (!e->isUnconditional() || !next.emplace(e->src, e->dst).second)
            return {};
    std::vector<Block *> order;
    for (Block *b = r.start(); b && order.size() <= r.blocks().size();) {
        order.push_back(b);
        const auto following = next.find(b);
        b = following == next.end() ? nullptr : following->second;
    }
    return order.size() == r.blocks().size() ? order : std::vector<Block *>();
}

bool isInScope(const SDFG &g) {
    for (const SDFG *at = &g; at->parentNode; at = at->parentSDFG())
        if (ScopeTree(*at->parentNode->state()).scopeOf(at->parentNode))
            return true;
    return false;
}

} // namespace sdfgc::transforms

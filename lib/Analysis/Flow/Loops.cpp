#include "sdfgc/Analysis/Flow/Loops.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>
#include <array>

namespace sdfgc::analysis {

using namespace ir;

VariableReads::VariableReads(const SDFG &g) : g_(g) {
    for (const Region *r : allRegions(g))
        if (const auto *l = dyn_cast<LoopRegion>(r))
            variables_.insert(l->variable);
    if (!variables_.empty())
        region(g);
}

bool VariableReads::isReadOutside(const LoopRegion &l) const {
    for (const Region *r = l.parent(); r; r = r->parent())
        if (const auto *around = dyn_cast<LoopRegion>(r); around && around->variable == l.variable)
            return true;
    return read_.count(l.variable) != 0;
}

template <class Names> void VariableReads::addNames(const Names &names) {
    for (const Name n : names)
        if (variables_.count(n) && !set_.count(n))
            read_.insert(n);
}

void VariableReads::add(const std::optional<Code> &c) {
    if (c)
        addNames(namesInCode(*c, g_));
}

void VariableReads::region(const Region &r) {
    for (const auto &b : r.blocks())
        block(*b);
    for (const auto &e : r.edges()) {
        add(e->condition);
        for (const auto &[variable, value] : e->assignments) {
            addNames(std::array{variable});
            add(Code{value, Language::Python});
        }
    }
}

void VariableReads::block(const Block &b) {
    if (const auto *s = dyn_cast<State>(&b)) {
        state(*s);
    } else if (const auto *c = dyn_cast<ConditionalBlock>(&b)) {
        for (const auto &branch : c->branches()) {
            add(branch.condition);
            region(*branch.region);
        }
    } else if (const auto *l = dyn_cast<LoopRegion>(&b)) {
        add(l->init);
        const bool sets = set_.insert(l->variable).second;
        add(l->condition);
        add(l->update);
        region(*l);
        if (sets)
            set_.erase(l->variable);
    } else if (const auto *inner = dyn_cast<Region>(&b)) {
        region(*inner);
    }
}

void VariableReads::state(const State &s) {
    const ScopeTree scopes(s);
    // Parameters of the maps around a node, or of the map that begins there, are other variables.
    const auto addAt = [&](const Node &n, const std::set<Name> &names) {
        std::set<Name> left;
        for (const Name name : names)
            if (variables_.count(name) && !set_.count(name) && !read_.count(name))
                left.insert(name);
        if (left.empty())
            return;
        std::vector<Node *> around = scopes.enclosing(&n);
        if (const auto *m = dyn_cast<MapEntry>(&n))
            for (const Name param : m->params)
                left.erase(param);
        for (const Node *scope : around)
            if (const auto *m = dyn_cast<MapEntry>(scope))
                for (const Name param : m->params)
                    left.erase(param);
        read_.merge(left);
    };
    for (const auto &n : s.nodes())
        addAt(*n, freeSymbols(*n));
    for (const auto &e : s.edges())
        for (const auto *subset : {&e->memlet.subset, &e->memlet.otherSubset})
            if (*subset)
                addAt(*e->src, (*subset)->freeSymbols());
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
    const Block *const start = r.start();
    auto *s = r.add<State>();
    s->label = l.label;
    s->debugInfo = l.debugInfo;
    r.moveInEdges(&l, s);
    r.moveOutEdges(&l, s);
    if (start == &l)
        r.setStart(s);
    return *s;
}

std::vector<Block *> sequenceOf(Region &r) {
    if (r.kind() == BlockKind::Unstructured)
        return {};
    std::vector<Block *> order;
    for (Block *b = r.start(); b && order.size() <= r.blocks().size();) {
        const std::vector<InterstateEdge *> &out = b->outEdges();
        if (out.size() > 1 || (!out.empty() && !out.front()->isUnconditional()))
            return {};
        order.push_back(b);
        b = out.empty() ? nullptr : out.front()->dst;
    }
    return order.size() == r.blocks().size() ? order : std::vector<Block *>();
}

bool hasJump(const Region &r) {
    const std::vector<const Block *> blocks = allBlocks(r);
    return std::any_of(blocks.begin(), blocks.end(), [](const Block *b) { return isJump(b->kind()); });
}

const LoopRegion *loopAround(const Region *r) {
    while (r && !isa<LoopRegion>(r))
        r = r->parent();
    return dyn_cast<LoopRegion>(r);
}

LoopRegion *loopAround(Region *r) { return const_cast<LoopRegion *>(loopAround(static_cast<const Region *>(r))); }

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

bool isInScope(const SDFG &g) {
    for (const SDFG *at = &g; at->parentNode; at = at->parentSDFG())
        if (ScopeTree(*at->parentNode->state()).scopeOf(at->parentNode))
            return true;
    return false;
}

} // namespace sdfgc::analysis

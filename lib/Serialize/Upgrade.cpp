#include "Upgrade.h"

#include <algorithm>
#include <set>

namespace sdfgc::serialize {
namespace {

/// Calls `f(name)` for every name that is assigned in the graph (not in nested ones).
template <class F> void forEachAssigned(ir::SDFG &g, const F &f) {
    for (const ir::InterstateEdge *e : ir::allInterstateEdges(g))
        for (const auto &[name, text] : e->assignments)
            f(name);
    for (ir::Block *b : ir::allBlocks(g)) {
        if (auto *loop = dyn_cast<ir::LoopRegion>(b)) {
            f(loop->variable);
        } else if (auto *state = dyn_cast<ir::State>(b)) {
            for (const auto &n : state->nodes()) {
                if (auto *m = dyn_cast<ir::MapEntry>(n.get()))
                    for (Name p : m->params)
                        f(p);
                else if (auto *c = dyn_cast<ir::ConsumeEntry>(n.get()))
                    f(c->peIndex);
                if (n->isEntry())
                    for (const ir::Connector &c : n->inConnectors)
                        f(c.name);
            }
        }
    }
}

/// Identifiers in a text of any language.
void addWords(std::string_view text, std::set<Name> &words) {
    auto inWord = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && inWord(text[end]))
            ++end;
        if (end > i && (text[i] < '0' || text[i] > '9'))
            words.insert(Name(text.substr(i, end - i)));
        i = end + 1;
    }
}

void addSymbols(sym::Expr e, std::set<Name> &names) { names.insert(e.freeSymbols().begin(), e.freeSymbols().end()); }

void addSymbols(const std::vector<sym::Range> &ranges, std::set<Name> &names) {
    for (const sym::Range &r : ranges)
        for (sym::Expr e : {r.begin, r.end, r.step, r.tile})
            addSymbols(e, names);
}

/// Names that the graph itself mentions: `symbolic` in sizes, ranges and memlets, `words` in any text.
struct Mentions {
    std::set<Name> symbolic, words;

    explicit Mentions(ir::SDFG &g) {
        for (const auto &[name, d] : g.arrays)
            symbolic.merge(d.freeSymbols());
        for (const ir::InterstateEdge *e : ir::allInterstateEdges(g)) {
            addWords(e->condition.text(), words);
            for (const auto &[name, text] : e->assignments)
                addWords(text, words);
        }
        for (ir::State *s : ir::allStates(g)) {
            for (const auto &n : s->nodes())
                addNode(*n);
            for (const auto &e : s->edges())
                for (const auto *subset : {&e->memlet.subset, &e->memlet.otherSubset})
                    if (*subset)
                        addSymbols((*subset)->dims, symbolic);
        }
        words.insert(symbolic.begin(), symbolic.end());
    }

private:
    void addNode(const ir::Node &n) {
        if (auto *t = dyn_cast<ir::Tasklet>(&n))
            addWords(t->code.text(), words);
        else if (auto *m = dyn_cast<ir::MapEntry>(&n))
            addSymbols(m->ranges, symbolic);
        else if (auto *c = dyn_cast<ir::ConsumeEntry>(&n))
            addSymbols(c->numPes, symbolic);
    }
};

std::set<Name> assignedNames(ir::SDFG &g) {
    std::set<Name> names;
    forEachAssigned(g, [&](Name n) { names.insert(n); });
    return names;
}

bool isOwn(const ir::SDFG &g, Name n) { return g.arrays.contains(n) || g.constants.contains(n); }

/// Maps symbols into a nested SDFG, under the same name, if it mentions them and the surrounding graph knows them.
void mapSymbols(ir::SDFG &outer, ir::NestedSDFGNode &node, const std::set<Name> &visible) {
    ir::SDFG &inner = *node.sdfg;
    const Mentions mentioned(inner);
    const std::set<Name> assigned = assignedNames(inner);
    for (Name n : visible) {
        if (!mentioned.words.count(n) || isOwn(inner, n) || assigned.count(n) || node.mapped(n))
            continue;
        node.symbolMapping.emplace_back(n, sym::Expr::symbol(n));
        const Type *declared = outer.symbols.find(n);
        inner.symbols.set(n, declared ? *declared : Type(ScalarKind::Int64));
    }
}

} // namespace

void settleHints(ir::SDFG &g) {
    if (g.symbolHints.empty())
        return;
    forEachAssigned(g, [&](Name n) {
        if (auto it = g.symbolHints.find(n); it != g.symbolHints.end())
            it->second = {it->second.type, false, false, false, {}};
    });
    for (auto it = g.symbolHints.begin(); it != g.symbolHints.end();) {
        sym::SymbolFacts &f = it->second;
        if (g.symbols.contains(it->first))
            f.type = Type();
        const bool says = f.type || f.nonnegative || f.positive || f.nonzero || !f.other.empty();
        it = says ? std::next(it) : g.symbolHints.erase(it);
    }
}

bool declaresNoSymbols(Json root) {
    Json attributes = root.find("attributes"), version = root.find("dace_version");
    if (!attributes || attributes.find("symbols"))
        return false;
    return attributes.find("arg_types") || (version && version.text().substr(0, 3) < std::string_view("0.9")) ||
           (version && version.text().substr(0, 3) == "0.9");
}

void declareSymbols(ir::SDFG &root) {
    const std::set<Name> assigned = assignedNames(root);
    for (Name n : Mentions(root).symbolic)
        if (!isOwn(root, n) && !assigned.count(n))
            root.symbols.set(n, ScalarKind::Int32);
    // Outer graphs first: symbols mapped into a graph are then visible to those inside it.
    for (ir::SDFG *g : ir::allSDFGs(root)) {
        std::set<Name> visible = assignedNames(*g);
        for (const auto &[name, type] : g->symbols)
            visible.insert(name);
        for (ir::State *s : ir::allStates(*g))
            for (const auto &n : s->nodes())
                if (auto *nested = dyn_cast<ir::NestedSDFGNode>(n.get()); nested && nested->sdfg)
                    mapSymbols(*g, *nested, visible);
    }
}

} // namespace sdfgc::serialize

// Removals in dataflow.
#include "Reduce/Removals.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>
#include <set>

namespace sdfgc::reduce {
namespace {

using namespace ir;

std::vector<State *> statesOf(SDFG &root) {
    std::vector<State *> states;
    for (SDFG *g : allSDFGs(root))
        for (State *s : allStates(*g))
            states.push_back(s);
    return states;
}

template <class Visit> void forEachNode(SDFG &root, Visit visit) {
    for (State *s : statesOf(root))
        for (const auto &n : s->nodes())
            visit(*n);
}
template <class Visit> void forEachEdge(SDFG &root, Visit visit) {
    for (State *s : statesOf(root))
        for (const auto &e : s->edges())
            visit(*s, *e);
}

/// `a = 0` for every output: the minimum that a tasklet can do.
std::string leastCode(const Tasklet &t) {
    std::string out;
    for (const Connector &c : t.outConnectors)
        out += (out.empty() ? "" : "\n") + c.name.str() + " = 0";
    return out.empty() ? "pass" : out;
}

void removeAll(const std::vector<std::pair<State *, Node *>> &dead) {
    for (std::size_t i = 0; i < dead.size();) { // those of one state are adjacent
        std::vector<Node *> ofState;
        State *s = dead[i].first;
        for (; i < dead.size() && dead[i].first == s; ++i)
            ofState.push_back(dead[i].second);
        s->removeNodes(ofState);
    }
}

/// Is the state itself part of a graph that is being removed?
bool isInside(const State *s, const std::set<const Node *> &dead) {
    for (const SDFG *g = s->sdfg(); g && g->parentNode; g = g->parentSDFG())
        if (dead.count(g->parentNode))
            return true;
    return false;
}

/// Removes the chosen nodes; those in nested SDFGs that are removed anyway are skipped.
void removeChosen(const std::vector<std::pair<State *, Node *>> &chosen) {
    std::set<const Node *> dead;
    for (const auto &[s, n] : chosen)
        dead.insert(n);
    std::vector<std::pair<State *, Node *>> outermost;
    for (const auto &[s, n] : chosen)
        if (!isInside(s, dead))
            outermost.emplace_back(s, n);
    removeAll(outermost);
}

} // namespace

std::size_t removeScopes(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    std::vector<std::pair<State *, Node *>> chosen;
    for (State *s : statesOf(root)) {
        const ScopeTree scopes(*s);
        std::set<const Node *> taken;
        for (const auto &n : s->nodes()) {
            if (!n->isEntry() || !isSelected(count++, from, to))
                continue;
            for (const auto &inner : s->nodes())
                if ((inner == n || scopes.encloses(n.get(), inner.get()) || inner.get() == scopes.exitOf(n.get())) &&
                    taken.insert(inner.get()).second)
                    chosen.emplace_back(s, inner.get());
        }
    }
    removeChosen(chosen);
    return count;
}

std::size_t removeNodes(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    std::vector<std::pair<State *, Node *>> chosen;
    for (State *s : statesOf(root))
        for (const auto &n : s->nodes())
            if (!n->isEntry() && !n->isExit() && isSelected(count++, from, to))
                chosen.emplace_back(s, n.get());
    removeChosen(chosen);
    return count;
}

std::size_t removeEdges(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    std::vector<std::pair<State *, Edge *>> chosen;
    forEachEdge(root, [&](State &s, Edge &e) {
        if (isSelected(count++, from, to))
            chosen.emplace_back(&s, &e);
    });
    for (const auto &[s, e] : chosen)
        s->removeEdge(e);
    return count;
}

std::size_t simplifyMemlets(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    forEachEdge(root, [&](State &, Edge &e) {
        Memlet &m = e.memlet;
        if ((m.wcr.empty() && !m.dynamic && !m.wcrNonatomic) || !isSelected(count++, from, to))
            return;
        m.wcr.clear();
        m.dynamic = m.wcrNonatomic = false;
    });
    return count;
}

std::size_t simplifyTasklets(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    forEachNode(root, [&](Node &n) {
        auto *t = dyn_cast<Tasklet>(&n);
        if (!t || (t->code.text() == leastCode(*t) && t->codeGlobal.empty() && t->codeInit.empty() && t->codeExit.empty()))
            return;
        if (!isSelected(count++, from, to))
            return;
        t->code = {leastCode(*t), Language::Python};
        for (Code *c : {&t->codeGlobal, &t->codeInit, &t->codeExit})
            *c = {"", c->language()};
        t->stateFields.clear();
    });
    return count;
}

std::size_t shrinkRanges(SDFG &root, std::size_t from, std::size_t to) {
    std::size_t count = 0;
    forEachNode(root, [&](Node &n) {
        auto *map = dyn_cast<MapEntry>(&n);
        for (std::size_t d = 0; map && d < map->ranges.size(); ++d) {
            sym::Range &r = map->ranges[d];
            if ((r.begin == sym::Expr(0) && r.end == sym::Expr(0)) || !isSelected(count++, from, to))
                continue;
            r.begin = r.end = 0;
            r.step = r.tile = 1;
        }
    });
    return count;
}

// ---- clean-up after removals

namespace {

bool hasEdge(const Node &n, Name connector, bool in) { return (in ? n.inEdge(connector) : n.outEdge(connector)) != nullptr; }

/// Removes scope connectors without edges, together with the paired connector and its edges. Returns whether anything changed.
bool cleanScopeNode(State &s, Node &n) {
    bool changed = false;
    for (const bool in : {true, false}) {
        const std::vector<Connector> list = in ? n.inConnectors : n.outConnectors;
        for (const Connector &c : list) {
            if (hasEdge(n, c.name, in))
                continue;
            changed = true;
            in ? n.removeIn(c.name) : n.removeOut(c.name);
            const Name other = pairedConnector(c.name);
            if (other.empty())
                continue;
            while (Edge *e = in ? n.outEdge(other) : n.inEdge(other))
                s.removeEdge(e);
            in ? n.removeOut(other) : n.removeIn(other);
        }
    }
    return changed;
}

/// Removes connectors of code nodes that have lost their edge. A former argument of a nested SDFG becomes a local container.
void cleanCodeNode(Node &n) {
    auto *nested = dyn_cast<NestedSDFGNode>(&n);
    for (const bool in : {true, false}) {
        const std::vector<Connector> list = in ? n.inConnectors : n.outConnectors;
        for (const Connector &c : list) {
            if (hasEdge(n, c.name, in))
                continue;
            in ? n.removeIn(c.name) : n.removeOut(c.name);
            if (DataDesc *d = nested && nested->sdfg ? nested->sdfg->desc(c.name) : nullptr)
                if (!n.inConnector(c.name) && !n.outConnector(c.name))
                    d->transient = true;
        }
    }
}

/// Removes entries directly followed by their exits, and nodes without edges that are useless without any.
void removeEmpty(State &s) {
    pairScopes(s);
    std::vector<Node *> dead;
    for (const auto &n : s.nodes()) {
        const bool lonely = n->inEdges().empty() && n->outEdges().empty();
        Node *exit = n->kind() == NodeKind::MapEntry       ? static_cast<Node *>(static_cast<MapEntry &>(*n).exit)
                     : n->kind() == NodeKind::ConsumeEntry ? static_cast<Node *>(static_cast<ConsumeEntry &>(*n).exit)
                                                           : nullptr;
        const bool empty =
            exit && std::all_of(n->outEdges().begin(), n->outEdges().end(), [&](const Edge *e) { return e->dst == exit; });
        if (empty) {
            dead.push_back(n.get());
            dead.push_back(exit);
        } else if (lonely && n->kind() == NodeKind::Access) {
            dead.push_back(n.get());
        }
    }
    s.removeNodes(dead);
}

} // namespace

void cleanUp(SDFG &root) {
    for (State *s : statesOf(root)) {
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto &n : s->nodes())
                if (n->isEntry() || n->isExit())
                    changed = cleanScopeNode(*s, *n) || changed;
        }
        for (const auto &n : s->nodes())
            if (n->isCode())
                cleanCodeNode(*n);
    }
    root.renumber();
    for (State *s : statesOf(root))
        removeEmpty(*s);
    root.renumber();
    for (State *s : statesOf(root))
        pairScopes(*s);
}

} // namespace sdfgc::reduce

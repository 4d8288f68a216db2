#include "sdfgc/IR/Scopes.h"

#include <algorithm>

namespace sdfgc::ir {
namespace {

/// Nodes in topological order; fewer than the state has if there is a cycle.
std::vector<Node *> topologicalOrder(const State &s) {
    std::vector<std::size_t> waiting(s.nodes().size());
    std::vector<Node *> order;
    order.reserve(s.nodes().size());
    for (const auto &n : s.nodes())
        if ((waiting[n->id()] = n->inEdges().size()) == 0)
            order.push_back(n.get());
    for (std::size_t i = 0; i < order.size(); ++i)
        for (const Edge *e : order[i]->outEdges())
            if (--waiting[e->dst->id()] == 0)
                order.push_back(e->dst);
    return order;
}

bool closes(const Node &exit, const Node &entry) {
    return (exit.kind() == NodeKind::MapExit) == (entry.kind() == NodeKind::MapEntry);
}

class ScopeFinder {
public:
    explicit ScopeFinder(const State &s) : state_(s), depth_(s.nodes().size(), 0) {
        map_.entry.assign(s.nodes().size(), nullptr);
        map_.exit.assign(s.nodes().size(), nullptr);
    }

    ScopeMap run() {
        const std::vector<Node *> order = topologicalOrder(state_);
        for (Node *n : order) {
            place(*n);
            if (n->isExit())
                close(*n);
        }
        if (order.size() < state_.nodes().size())
            reportCycle(order);
        for (const auto &n : state_.nodes())
            if (n->isEntry() && !map_.exit[n->id()])
                problem(*n, "no exit closes this scope");
        std::stable_sort(map_.problems.begin(), map_.problems.end(),
                         [](const ScopeProblem &a, const ScopeProblem &b) { return a.node->id() < b.node->id(); });
        return std::move(map_);
    }

private:
    /// The scope of edges that leave `n`.
    Node *scopeAfter(Node &n) const {
        if (n.isEntry())
            return &n;
        Node *around = map_.entry[n.id()];
        return n.isExit() && around ? map_.entry[around->id()] : around;
    }
    void place(Node &n) {
        uint32_t deepest = 0;
        Node *scope = nullptr;
        bool crossed = false;
        for (const Edge *e : n.inEdges()) {
            Node *from = scopeAfter(*e->src);
            const uint32_t depth = from ? depth_[from->id()] + 1 : 0;
            if (depth > deepest) {
                deepest = depth;
                scope = from;
                crossed = false;
            } else if (depth == deepest && from != scope) {
                crossed = true;
            }
        }
        if (crossed)
            problem(n, "edges from two separate scopes meet here");
        map_.entry[n.id()] = scope;
        depth_[n.id()] = deepest;
    }
    void close(Node &exit) {
        map_.exit[exit.id()] = &exit;
        Node *entry = map_.entry[exit.id()];
        if (!entry)
            return problem(exit, "this exit is in no scope");
        if (!closes(exit, *entry))
            return problem(exit, "this exit and the entry of the scope that it is in are of different kinds");
        if (map_.exit[entry->id()])
            return problem(exit, "a second exit closes this scope");
        map_.exit[entry->id()] = &exit;
        if (std::any_of(exit.inEdges().begin(), exit.inEdges().end(), [&](const Edge *e) { return scopeAfter(*e->src) != entry; }))
            problem(exit, "an edge from outside of the scope ends at its exit");
    }
    void reportCycle(const std::vector<Node *> &order) {
        std::vector<bool> ordered(state_.nodes().size(), false);
        for (const Node *n : order)
            ordered[n->id()] = true;
        // Follow unordered predecessors among the remaining nodes until one is repeated: that node is on a cycle.
        const Node *at = nullptr;
        for (const auto &n : state_.nodes())
            if (!ordered[n->id()]) {
                at = n.get();
                break;
            }
        std::vector<bool> seen(state_.nodes().size(), false);
        while (!seen[at->id()]) {
            seen[at->id()] = true;
            for (const Edge *e : at->inEdges())
                if (!ordered[e->src->id()]) {
                    at = e->src;
                    break;
                }
        }
        problem(*at, "this node depends on itself: the edges form a cycle");
    }
    void problem(const Node &n, std::string what) { map_.problems.push_back({&n, std::move(what)}); }

    const State &state_;
    ScopeMap map_;
    std::vector<uint32_t> depth_; // by node id: number of surrounding scopes
};

} // namespace

ScopeMap findScopes(const State &s) { return ScopeFinder(s).run(); }

ScopeMap pairScopes(State &s) {
    ScopeMap map = findScopes(s);
    auto entryOf = [&](const Node &exit) -> Node * {
        Node *entry = map.entry[exit.id()];
        return entry && map.exit[entry->id()] == &exit ? entry : nullptr;
    };
    for (const auto &n : s.nodes()) {
        if (auto *m = dyn_cast<MapEntry>(n.get()))
            m->exit = dyn_cast<MapExit>(map.exit[n->id()]);
        else if (auto *x = dyn_cast<MapExit>(n.get()))
            x->entry = dyn_cast<MapEntry>(entryOf(*n));
        else if (auto *c = dyn_cast<ConsumeEntry>(n.get()))
            c->exit = dyn_cast<ConsumeExit>(map.exit[n->id()]);
        else if (auto *y = dyn_cast<ConsumeExit>(n.get()))
            y->entry = dyn_cast<ConsumeEntry>(entryOf(*n));
    }
    return map;
}

} // namespace sdfgc::ir

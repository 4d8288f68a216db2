// Memlet paths and trees (format reference 6.9) and which end owns which subset (6.8).
#include "sdfgc/IR/StateGraph.h"

#include "sdfgc/IR/ScopeConnectors.h"

#include <algorithm>

namespace sdfgc::ir {

Name pairedConnector(Name conn) {
    if (isScopeInput(conn))
        return scopeOutput(conn.view().substr(scopeInputPrefix.size()));
    if (isScopeOutput(conn))
        return scopeInput(conn.view().substr(scopeOutputPrefix.size()));
    return {};
}

bool isDynamicRange(Name conn) { return conn && !isScopeInput(conn); }

bool hasDynamicRange(const Node &entry) {
    return std::any_of(entry.inConnectors.begin(), entry.inConnectors.end(),
                       [](const Connector &c) { return isDynamicRange(c.name); });
}

namespace {

bool isScopeNode(const Node *n) { return n->isEntry() || n->isExit(); }

/// Name of the in-connector that feeds an out-connector of a scope node, empty if it passes nothing through.
Name feeding(Name outConn) { return isScopeOutput(outConn) ? pairedConnector(outConn) : Name(); }
Name fedBy(Name inConn) { return isScopeInput(inConn) ? pairedConnector(inConn) : Name(); }

/// The edge before / after `e` on its path, or null at the end.
Edge *previous(const Edge *e) {
    Name conn = isScopeNode(e->src) ? feeding(e->srcConn) : Name();
    return conn ? e->src->inEdge(conn) : nullptr;
}
Edge *next(const Edge *e) {
    Name conn = isScopeNode(e->dst) ? fedBy(e->dstConn) : Name();
    return conn ? e->dst->outEdge(conn) : nullptr;
}

/// Paths of acyclic states are shorter than their node lists; a cycle ends there.
std::size_t longestPath(const Edge *e) { return e->src->state() ? e->src->state()->nodes().size() : 1; }

bool ownsData(const Node *n, Name data) {
    auto *access = dyn_cast<AccessNode>(n);
    if (!access || data.empty())
        return false;
    if (access->data == data)
        return true;
    std::string_view root = access->data.view(), text = data.view();
    return text.size() > root.size() && text[root.size()] == '.' && text.substr(0, root.size()) == root;
}

} // namespace

std::vector<Edge *> memletPath(const Edge *e) {
    const std::size_t limit = longestPath(e);
    std::vector<Edge *> path{const_cast<Edge *>(e)};
    while (Edge *p = path.size() <= limit ? previous(path.back()) : nullptr)
        path.push_back(p);
    std::reverse(path.begin(), path.end());
    while (Edge *p = path.size() <= 2 * limit ? next(path.back()) : nullptr)
        path.push_back(p);
    return path;
}

bool setsReference(const Edge *e) { return memletPath(e).back()->dstConn == Name("set"); }

Node *pathSource(const Edge *e) { return memletPath(e).front()->src; }
Node *pathDestination(const Edge *e) { return memletPath(e).back()->dst; }

std::vector<Edge *> memletLeaves(const Edge *e) {
    // At the root the tree is one edge: outwards of entries that is the source side, outwards of exits the destination side.
    auto crossesEntry = [](const Edge *x) {
        return (x->src->isEntry() && feeding(x->srcConn)) || (x->dst->isEntry() && fedBy(x->dstConn));
    };
    const bool forward = crossesEntry(e);
    auto *root = const_cast<Edge *>(e);
    std::size_t steps = longestPath(e);
    for (Edge *up; steps-- > 0 && (up = forward ? previous(root) : next(root));)
        root = up;

    std::vector<Edge *> leaves, pending{root};
    std::size_t budget = root->src->state() ? root->src->state()->edges().size() : 1;
    while (!pending.empty()) {
        Edge *at = pending.back();
        pending.pop_back();
        Node *through = forward ? at->dst : at->src;
        Name conn;
        if (forward ? through->isEntry() : through->isExit())
            conn = forward ? fedBy(at->dstConn) : feeding(at->srcConn);
        if (!conn) {
            leaves.push_back(at);
            continue;
        }
        if (budget-- == 0) // more edges than the state has: a cycle
            break;
        const auto &branches = forward ? through->outEdges() : through->inEdges();
        for (auto it = branches.rbegin(); it != branches.rend(); ++it) // reversed onto the stack: list order in the result
            if ((forward ? (*it)->srcConn : (*it)->dstConn) == conn)
                pending.push_back(*it);
    }
    return leaves;
}

PathEnds::PathEnds(const State &s, const ScopeTree &scopes) {
    ends_.reserve(s.edges().size());
    const auto &order = scopes.order();
    for (const Node *n : order) { // sources: in order, so that the in-edges of a scope node are known before its out-edges
        std::unordered_map<Name, Node *> sources;
        if (isScopeNode(n))
            for (const Edge *e : n->inEdges())
                sources.try_emplace(e->dstConn, ends_[e].source);
        for (const Edge *e : n->outEdges()) {
            auto it = isScopeNode(n) && feeding(e->srcConn) ? sources.find(feeding(e->srcConn)) : sources.end();
            ends_[e].source = it != sources.end() && it->second ? it->second : e->src;
        }
    }
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const Node *n = *it;
        std::unordered_map<Name, Node *> destinations;
        if (isScopeNode(n))
            for (const Edge *e : n->outEdges())
                destinations.try_emplace(e->srcConn, ends_[e].destination);
        for (const Edge *e : n->inEdges()) {
            auto to = isScopeNode(n) && fedBy(e->dstConn) ? destinations.find(fedBy(e->dstConn)) : destinations.end();
            ends_[e].destination = to != destinations.end() && to->second ? to->second : e->dst;
        }
    }
}

Node *PathEnds::source(const Edge *e) const {
    auto it = ends_.find(e);
    return it == ends_.end() ? e->src : it->second.source;
}

Node *PathEnds::destination(const Edge *e) const {
    auto it = ends_.find(e);
    return it == ends_.end() ? e->dst : it->second.destination;
}

bool dataIsSource(const Memlet &m, const Node *source, const Node *destination) {
    bool atSource = ownsData(source, m.data), atDestination = ownsData(destination, m.data);
    return atSource && atDestination ? m.isDataSrc.value_or(true) : atSource;
}

bool dataIsSource(const Edge *e) {
    auto path = memletPath(e);
    return dataIsSource(e->memlet, path.front()->src, path.back()->dst);
}

namespace {

/// Subset of the side that `data` names, or of the other one.
std::optional<sym::Subset> sideSubset(const Edge *e, bool dataSide) {
    if (!dataSide)
        return e->memlet.otherSubset;
    if (e->memlet.subset)
        return e->memlet.subset;
    const SDFG *g = e->src->state() ? e->src->state()->sdfg() : nullptr;
    const DataDesc *d = g ? g->desc(e->memlet.data) : nullptr;
    return d ? std::optional(d->fullSubset()) : std::nullopt;
}

} // namespace

std::optional<sym::Subset> sourceSubset(const Edge *e) {
    auto path = memletPath(e);
    const Node *source = path.front()->src;
    if (e->memlet.isEmpty() || !isa<AccessNode>(source))
        return std::nullopt;
    return sideSubset(e, dataIsSource(e->memlet, source, path.back()->dst));
}

std::optional<sym::Subset> destinationSubset(const Edge *e) {
    auto path = memletPath(e);
    const Node *destination = path.back()->dst;
    if (e->memlet.isEmpty() || !isa<AccessNode>(destination))
        return std::nullopt;
    return sideSubset(e, !dataIsSource(e->memlet, path.front()->src, destination));
}

} // namespace sdfgc::ir

#include "sdfgc/IR/Sdfg.h"

#include <algorithm>
#include <unordered_set>

namespace sdfgc::ir {

Memlet Memlet::simple(Name data, sym::Subset s) {
    Memlet m;
    m.data = data;
    m.volume = s.numElements();
    m.subset = std::move(s);
    return m;
}

Node::~Node() = default;
Node::Node(const Node &o)
    : label(o.label), inConnectors(o.inConnectors), outConnectors(o.outConnectors), environments(o.environments),
      instrument(o.instrument), debugInfo(o.debugInfo), extra(o.extra), kind_(o.kind_) {}

NestedSDFGNode::NestedSDFGNode() : Node(NodeKind::NestedSDFG) {}
NestedSDFGNode::NestedSDFGNode(const NestedSDFGNode &o)
    : Node(o), sdfg(o.sdfg ? clone(*o.sdfg) : nullptr), externalPath(o.externalPath), symbolMapping(o.symbolMapping),
      noInline(o.noInline), uniqueName(o.uniqueName) {}
NestedSDFGNode::~NestedSDFGNode() = default;

const sym::Expr *NestedSDFGNode::mapped(Name innerSymbol) const {
    for (const auto &[n, e] : symbolMapping)
        if (n == innerSymbol)
            return &e;
    return nullptr;
}

namespace {

Connector *findConnector(std::vector<Connector> &list, Name n) {
    for (Connector &c : list)
        if (c.name == n)
            return &c;
    return nullptr;
}

Connector &addConnector(std::vector<Connector> &list, Name n, Type t) {
    if (Connector *c = findConnector(list, n)) {
        if (t)
            c->type = t;
        return *c;
    }
    return list.emplace_back(Connector{n, t});
}

void removeConnector(std::vector<Connector> &list, Name n) {
    std::erase_if(list, [&](const Connector &c) { return c.name == n; });
}

Edge *findEdge(const std::vector<Edge *> &list, Name Edge::*conn, Name n) {
    for (Edge *e : list)
        if (e->*conn == n)
            return e;
    return nullptr;
}

} // namespace

Connector *Node::inConnector(Name n) { return findConnector(inConnectors, n); }
Connector *Node::outConnector(Name n) { return findConnector(outConnectors, n); }
Connector &Node::addIn(Name n, Type t) { return addConnector(inConnectors, n, t); }
Connector &Node::addOut(Name n, Type t) { return addConnector(outConnectors, n, t); }
void Node::removeIn(Name n) { removeConnector(inConnectors, n); }
void Node::removeOut(Name n) { removeConnector(outConnectors, n); }
Edge *Node::inEdge(Name conn) const { return findEdge(in_, &Edge::dstConn, conn); }
Edge *Node::outEdge(Name conn) const { return findEdge(out_, &Edge::srcConn, conn); }

std::string LibraryNode::className() const { return classPath.substr(classPath.rfind('.') + 1); }

std::string LibraryNode::libraryName() const {
    constexpr std::string_view prefix = "dace.libraries.";
    if (classPath.rfind(prefix, 0) != 0)
        return "";
    return classPath.substr(prefix.size(), classPath.find('.', prefix.size()) - prefix.size());
}

State::~State() = default;

Node *State::adopt(std::unique_ptr<Node> n) {
    scopes_.reset();
    n->state_ = this;
    n->id_ = static_cast<uint32_t>(nodes_.size());
    if (auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg)
        nested->sdfg->parentNode = nested;
    nodes_.push_back(std::move(n));
    return nodes_.back().get();
}

MapEntry *State::addMap(std::string label, std::vector<Name> params, std::vector<sym::Range> ranges, Schedule schedule,
                        const DebugInfo &where) {
    auto *entry = add<MapEntry>();
    auto *exit = add<MapExit>();
    entry->exit = exit;
    exit->entry = entry;
    entry->label = exit->label = std::move(label);
    entry->params = std::move(params);
    entry->ranges = std::move(ranges);
    entry->schedule = schedule;
    entry->debugInfo = exit->debugInfo = where;
    return entry;
}

Tasklet *State::addTasklet(std::string label, Code code) {
    auto *t = add<Tasklet>();
    t->label = std::move(label);
    t->code = std::move(code);
    return t;
}

Edge *State::copyAll(AccessNode *from, AccessNode *to) {
    Memlet m = Memlet::simple(from->data, sdfg()->desc(from->data)->fullSubset());
    m.otherSubset = sdfg()->desc(to->data)->fullSubset();
    return connect(from, {}, to, {}, std::move(m));
}

Edge *State::copyAll(Name from, Name to) {
    auto *end = add<AccessNode>(to);
    return copyAll(add<AccessNode>(from), end);
}

Edge *State::connect(Node *src, Name srcConn, Node *dst, Name dstConn, Memlet m) {
    if (srcConn)
        src->addOut(srcConn);
    if (dstConn)
        dst->addIn(dstConn);
    return connectListed(src, srcConn, dst, dstConn, std::move(m));
}

Edge *State::connectListed(Node *src, Name srcConn, Node *dst, Name dstConn, Memlet m) {
    scopes_.reset();
    auto e = std::make_unique<Edge>();
    e->src = src;
    e->dst = dst;
    e->srcConn = srcConn;
    e->dstConn = dstConn;
    e->memlet = std::move(m);
    src->out_.push_back(e.get());
    dst->in_.push_back(e.get());
    edges_.push_back(std::move(e));
    return edges_.back().get();
}

void State::removeEdge(Edge *e) {
    scopes_.reset();
    std::erase(e->src->out_, e);
    std::erase(e->dst->in_, e);
    std::erase_if(edges_, [&](const auto &p) { return p.get() == e; });
}

void State::setSource(Edge *e, Node *src, Name conn) {
    scopes_.reset();
    std::erase(e->src->out_, e);
    e->src = src;
    e->srcConn = conn;
    if (conn)
        src->addOut(conn);
    src->out_.push_back(e);
}

void State::setDestination(Edge *e, Node *dst, Name conn) {
    scopes_.reset();
    std::erase(e->dst->in_, e);
    e->dst = dst;
    e->dstConn = conn;
    if (conn)
        dst->addIn(conn);
    dst->in_.push_back(e);
}

void State::removeNode(Node *n) { removeNodes({n}); }

void State::removeNodes(const std::vector<Node *> &dead) {
    scopes_.reset();
    std::unordered_set<const Node *> gone(dead.begin(), dead.end());
    auto dying = [&](const Edge *e) { return gone.count(e->src) || gone.count(e->dst); };
    for (const Node *n : dead) {
        for (Edge *e : n->in_)
            if (!gone.count(e->src))
                std::erase(e->src->out_, e);
        for (Edge *e : n->out_)
            if (!gone.count(e->dst))
                std::erase(e->dst->in_, e);
    }
    std::erase_if(edges_, [&](const auto &e) { return dying(e.get()); });
    std::erase_if(nodes_, [&](const auto &n) { return gone.count(n.get()) != 0; });
    renumber();
}

std::unique_ptr<Node> State::detachNode(Node *n) {
    scopes_.reset();
    auto it = std::find_if(nodes_.begin(), nodes_.end(), [&](const auto &p) { return p.get() == n; });
    if (it == nodes_.end())
        return nullptr;
    std::unique_ptr<Node> out = std::move(*it);
    nodes_.erase(it);
    out->state_ = nullptr;
    renumber();
    return out;
}

void State::renumber() {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        nodes_[i]->id_ = static_cast<uint32_t>(i);
}

} // namespace sdfgc::ir

#include "Transforms/Offload/QueuePushes.h"

#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/PassSymbols.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;

namespace {

bool runsOnDevice(const Node &n) { return analysis::executorOf(n) != analysis::Executor::Host; }

/// `q = v` becomes `count = 1` and `q[count] = v`: reading a dynamic update back gives the old value.
std::vector<py::StmtRef> appended(const std::vector<py::StmtRef> &block, Name queue, Name count) {
    std::vector<py::StmtRef> out;
    for (const py::StmtRef &s : block) {
        auto copy = std::make_shared<py::Stmt>(*s);
        copy->body = appended(s->body, queue, count);
        copy->orelse = appended(s->orelse, queue, count);
        for (py::ExprRef &target : copy->targets)
            if (target->kind == py::ExprKind::Name && target->name == queue) {
                out.push_back(py::assign(py::name(count), py::intLit(1)));
                target = *py::parseExpr(queue.str() + "[" + count.str() + "]").value;
            }
        out.push_back(std::move(copy));
    }
    return out;
}

/// The name, with a suffix if a container of the SDFG has it or `taken` rejects it.
template <class Taken> Name connectorFor(std::string name, const SDFG &g, const Taken &taken) {
    while (g.desc(Name(name)) || taken(Name(name)))
        name += "_";
    return Name(name);
}

/// Rewrites the code; returns the connector of the counter.
Name append(Tasklet &t, Name queue, Type element) {
    const std::vector<py::StmtRef> code = *t.code.block();
    const py::BlockNames names = py::blockNames(code);
    const Name count = connectorFor(queue.str() + "_count", *t.state()->sdfg(), [&](Name n) {
        return names.read.count(n) || names.written.count(n) || t.inConnector(n) || t.outConnector(n);
    });
    t.code = Code(appended(code, queue, count));
    t.outConnector(queue)->type = Type::pointer(element);
    t.outConnectors.push_back({count, ScalarKind::Int64});
    return count;
}

/// The elements that a copy pushes to a queue: the entire container if the memlet only refers to the queue.
sym::Subset copied(const Edge &copy, const DataDesc &from) {
    const auto subset = analysis::sourceSubset(&copy);
    return subset ? *subset : from.fullSubset();
}

/// Turns a copy of an element into a tasklet that pushes it; returns its push.
Edge *pushByTasklet(Edge &copy) {
    State &s = *copy.src->state();
    auto *t = s.add<Tasklet>();
    const SDFG &g = *s.sdfg();
    const Name value = connectorFor("v", g, [](Name) { return false; }), queue = connectorFor("q", g, [](Name) { return false; });
    t->label = "push";
    t->code = queue.str() + " = " + value.str();
    const auto *from = cast<AccessNode>(copy.src);
    s.connect(copy.src, copy.srcConn, t, value, Memlet::simple(from->data, copied(copy, *g.desc(from->data))));
    t->inConnector(value)->type = g.desc(from->data)->dtype;
    Edge *push = s.connect(t, queue, copy.dst, copy.dstConn, copy.memlet);
    s.removeEdge(&copy);
    return push;
}

/// From a position to the end: only the kernel knows which element is written.
Memlet someOf(const QueueArray &to) {
    Memlet m = Memlet::simple(to.elements, sym::Subset{{sym::Range{to.begin, to.end, 1, 1}}});
    m.dynamic = true;
    return m;
}

/// A nested SDFG updates the counter itself, so its edges only name it.
Memlet counting(Name counter, bool updates) {
    Memlet m = Memlet::simple(counter, sym::Subset{{sym::Range{0, 0, 1, 1}}});
    if (updates)
        m.wcr = "lambda a, b: a + b";
    m.dynamic = true;
    return m;
}

Node *outermost(Node &n) {
    const std::vector<Node *> around = analysis::ScopeTree(*n.state()).enclosing(&n);
    return around.empty() ? &n : around.back();
}

} // namespace

std::vector<AccessNode *> QueuePushes::nodes() const {
    std::vector<AccessNode *> out;
    for (State *s : allStates(g_))
        for (AccessNode *a : nodesOf<AccessNode>(*s))
            if (a->data == stream_)
                out.push_back(a);
    return out;
}

std::vector<Edge *> QueuePushes::at(const AccessNode &queue) const {
    std::vector<Edge *> out;
    for (Edge *e : queue.inEdges())
        if (!e->memlet.isEmpty())
            for (Edge *leaf : analysis::memletLeaves(e))
                out.push_back(leaf);
    return out;
}

bool QueuePushes::areOnDevice(const AccessNode &queue) const {
    const std::vector<Edge *> pushes = at(queue);
    return std::any_of(pushes.begin(), pushes.end(), [](const Edge *push) {
        const auto *nested = dyn_cast<NestedSDFGNode>(push->src);
        if (!nested || !nested->sdfg)
            return runsOnDevice(*push->src);
        const QueuePushes inside(*nested->sdfg, push->srcConn);
        const std::vector<AccessNode *> nodes = inside.nodes();
        return std::any_of(nodes.begin(), nodes.end(), [&](const AccessNode *a) { return inside.areOnDevice(*a); });
    });
}

Reason QueuePushes::obstacle(const AccessNode &queue) const {
    if (analysis::ScopeTree(*queue.state()).scopeOf(&queue))
        return {Why::Container, "it is used inside of a scope"};
    for (const Edge *push : at(queue))
        if (Reason why = obstacle(*push))
            return why;
    return {};
}

Reason QueuePushes::obstacle(const Edge &push) const {
    if (const auto *n = dyn_cast<NestedSDFGNode>(push.src))
        return nestedObstacle(*n, push.srcConn);
    if (!runsOnDevice(*push.src))
        return {Why::Host, "the host also pushes to it"};
    if (const auto *a = dyn_cast<AccessNode>(push.src)) {
        const DataDesc *d = g_.desc(a->data);
        if (!d || d->isStream() || !copied(push, *d).isOneElement())
            return {Why::Opaque, "more than one element is copied to it"};
        return {};
    }
    const auto *t = dyn_cast<Tasklet>(push.src);
    if (!t || !t->code.isPython() || !t->code.block())
        return {Why::Opaque, "something other than a Python tasklet pushes to it"};
    return {};
}

Reason QueuePushes::nestedObstacle(const NestedSDFGNode &n, Name stream) const {
    const DataDesc *d = n.sdfg ? n.sdfg->desc(stream) : nullptr;
    if (!d || !d->isStream() || d->transient || !d->numElements().isOne() || n.inEdge(stream))
        return {Why::Opaque, "a nested SDFG does not only push to it"};
    const QueuePushes inside(*n.sdfg, stream);
    for (const AccessNode *a : inside.nodes()) {
        if (std::any_of(a->outEdges().begin(), a->outEdges().end(), [](const Edge *e) { return !e->memlet.isEmpty(); }))
            return {Why::Opaque, "a nested SDFG does not only push to it"};
        if (Reason why = inside.obstacle(*a))
            return why;
    }
    return {};
}

/// Passes the array, under the stream's name, and the counter to the nested SDFG; returns the counter's connector.
Name QueuePushes::enter(NestedSDFGNode &n, Name stream, const QueueArray &to) const {
    SDFG &inner = *n.sdfg;
    std::string size = stream.str() + "_size";
    while (inner.symbols.find(Name(size)) || inner.desc(Name(size)))
        size += "_";
    analysis::passSymbol(n, Name(size), to.end - to.begin + 1, ScalarKind::Int64);
    const DataDesc *outer = g_.desc(to.elements);
    DataDesc array = DataDesc::array(outer->dtype, {sym::Expr::symbol(Name(size))});
    array.storage = outer->storage;
    inner.arrays.set(stream, std::move(array));
    const Name counter = inner.freshName(stream.str() + "_count");
    DataDesc count = DataDesc::array(ScalarKind::Int64, {1});
    count.storage = Storage::GPU_Global;
    inner.arrays.set(counter, std::move(count));
    n.outConnectors.push_back({counter, Type::pointer(ScalarKind::Int64)});
    n.outConnector(stream)->type = Type::pointer(outer->dtype);

    const QueueArray inside{stream, counter, 0, sym::Expr::symbol(Name(size)) - 1};
    const QueuePushes pushes(inner, stream);
    for (AccessNode *queue : pushes.nodes())
        if (!pushes.at(*queue).empty())
            pushes.lower(*queue, inside, *queue, *queue->state()->add<AccessNode>(counter), nullptr);
    return counter;
}

/// Extends a push, and its counter, out of the surrounding scopes.
void QueuePushes::lead(Edge &push, Name count, bool counts, const QueueArray &to, AccessNode &elements, AccessNode &total) const {
    State &s = *push.src->state();
    const Memlet some = someOf(to), number = counting(to.counter, counts);
    Node *from = push.src;
    Name conn = count;
    for (Edge *e : analysis::memletPath(&push)) {
        const bool last = !e->dst->isExit();
        if (last) {
            if (!from->outEdge(conn))
                s.connect(from, conn, &total, {}, number);
        } else {
            const std::string stem = e->dstConn.str().substr(3); // after IN_
            const std::string through = to.counter.str() + (stem == stream_.str() ? "" : "_" + stem);
            if (!from->isExit() || !e->dst->inEdge(scopeInput(through)))
                s.connect(from, conn, e->dst, scopeInput(through), number);
            conn = scopeOutput(through);
        }
        from = e->dst;
        if (e->memlet.data == to.elements && e->memlet.dynamic && e->memlet.subset == some.subset)
            continue; // another push already uses this path
        e->memlet = some;
        if (last && e->dst != &elements) {
            s.connect(e->src, e->srcConn, &elements, {}, some);
            s.removeEdge(e);
        }
    }
}

void QueuePushes::lower(AccessNode &queue, const QueueArray &to, AccessNode &elements, AccessNode &total, Node *zero) const {
    State &s = *queue.state();
    const Type element = g_.desc(to.elements)->dtype;
    for (Edge *push : at(queue)) {
        if (isa<AccessNode>(push->src))
            push = pushByTasklet(*push);
        auto *nested = dyn_cast<NestedSDFGNode>(push->src);
        const Name count =
            nested ? enter(*nested, push->srcConn, to) : append(static_cast<Tasklet &>(*push->src), push->srcConn, element);
        if (zero)
            tie(s, zero, outermost(*push->src));
        lead(*push, count, !nested, to, elements, total);
    }
}

} // namespace sdfgc::transforms

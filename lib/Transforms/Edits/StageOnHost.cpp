#include "Transforms/Edits/StageOnHost.h"

#include <set>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// A host container like `device`, with the lifetime of the state.
Name hostLike(SDFG &g, Name device) {
    DataDesc d = *g.desc(device);
    d.kind = d.isScalar() ? DataKind::Scalar : DataKind::Array;
    d.alias = AliasKind::None;
    d.className = Name();
    d.extra = Extra();
    d.transient = true;
    d.storage = d.isScalar() ? Storage::Register : Storage::CPU_Heap;
    d.lifetime = Lifetime::Scope;
    Name host = g.freshName("host_" + device.str());
    g.arrays.set(host, std::move(d));
    return host;
}

Memlet copyOf(const Memlet &used, Name data) {
    Memlet m = Memlet::simple(data, *used.subset);
    m.otherSubset = used.subset;
    return m;
}

/// The node of the container that code before `n` uses, or a new one.
AccessNode *contentBefore(Node &n, Name data) {
    std::vector<const Node *> open{&n};
    std::set<const Node *> seen{&n};
    while (!open.empty()) {
        const Node *at = open.back();
        open.pop_back();
        for (const Edge *e : at->inEdges()) {
            if (auto *a = dyn_cast<AccessNode>(e->src); a && a->data == data)
                return a;
            if (seen.insert(e->src).second)
                open.push_back(e->src);
        }
    }
    return n.state()->add<AccessNode>(data);
}

/// Conflict resolution requires the container's old content, and so does code that may write only a part.
void fetchContent(Node &n, const Edge &written, Name host) {
    State &s = *n.state();
    auto *a = s.add<AccessNode>(host);
    s.connect(contentBefore(n, written.memlet.data), {}, a, {}, copyOf(written.memlet, written.memlet.data));
    s.connect(a, {}, &n, {}, Memlet::empty());
}

void stage(Node &n, const std::function<bool(const DataDesc &)> &isStaged, const std::function<bool(const Edge &)> &needsContent) {
    State &s = *n.state();
    SDFG &g = *s.sdfg();
    auto staged = [&](const Edge *e) {
        const DataDesc *d = e->memlet.data ? g.desc(e->memlet.data) : nullptr;
        return d && e->memlet.subset && isStaged(*d);
    };
    const std::vector<Edge *> in(n.inEdges().begin(), n.inEdges().end()), out(n.outEdges().begin(), n.outEdges().end());
    for (Edge *e : in)
        if (staged(e)) {
            Name device = e->memlet.data, host = hostLike(g, device);
            auto *a = s.add<AccessNode>(host);
            s.connect(e->src, e->srcConn, a, {}, copyOf(e->memlet, device));
            Memlet read = e->memlet;
            read.data = host;
            s.connect(a, {}, &n, e->dstConn, std::move(read));
            s.removeEdge(e);
        }
    for (Edge *e : out)
        if (staged(e)) {
            Name device = e->memlet.data, host = hostLike(g, device);
            if (needsContent(*e))
                fetchContent(n, *e, host);
            auto *a = s.add<AccessNode>(host);
            Memlet written = e->memlet;
            written.data = host;
            s.connect(&n, e->srcConn, a, {}, std::move(written));
            s.connect(a, {}, e->dst, e->dstConn, copyOf(e->memlet, host));
            s.removeEdge(e);
        }
}

} // namespace

void stageOnHost(LibraryNode &n) {
    stage(
        n, [](const DataDesc &d) { return d.storage == Storage::GPU_Global; }, [](const Edge &e) { return !e.memlet.wcr.empty(); });
    n.schedule = Schedule::Sequential;
}

void stageOnHost(Tasklet &t, const std::function<bool(const DataDesc &)> &isStaged) {
    stage(t, isStaged, [](const Edge &e) { return !e.memlet.wcr.empty() || e.memlet.dynamic || !e.memlet.subset->isOneElement(); });
}

} // namespace sdfgc::transforms

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
AccessNode *contentBefore(LibraryNode &n, Name data) {
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

/// Conflict resolution requires the container's old content.
void fetchContent(LibraryNode &n, const Edge &written, Name host) {
    State &s = *n.state();
    auto *a = s.add<AccessNode>(host);
    s.connect(contentBefore(n, written.memlet.data), {}, a, {}, copyOf(written.memlet, written.memlet.data));
    s.connect(a, {}, &n, {}, Memlet::empty());
}

} // namespace

void stageOnHost(LibraryNode &n) {
    State &s = *n.state();
    SDFG &g = *s.sdfg();
    auto onDevice = [&](const Edge *e) {
        const DataDesc *d = e->memlet.data ? g.desc(e->memlet.data) : nullptr;
        return d && d->storage == Storage::GPU_Global && e->memlet.subset;
    };
    const std::vector<Edge *> in(n.inEdges().begin(), n.inEdges().end()), out(n.outEdges().begin(), n.outEdges().end());
    for (Edge *e : in)
        if (onDevice(e)) {
            Name device = e->memlet.data, host = hostLike(g, device);
            auto *a = s.add<AccessNode>(host);
            s.connect(e->src, e->srcConn, a, {}, copyOf(e->memlet, device));
            Memlet read = e->memlet;
            read.data = host;
            s.connect(a, {}, &n, e->dstConn, std::move(read));
            s.removeEdge(e);
        }
    for (Edge *e : out)
        if (onDevice(e)) {
            Name device = e->memlet.data, host = hostLike(g, device);
            if (!e->memlet.wcr.empty())
                fetchContent(n, *e, host);
            auto *a = s.add<AccessNode>(host);
            Memlet written = e->memlet;
            written.data = host;
            s.connect(&n, e->srcConn, a, {}, std::move(written));
            s.connect(a, {}, e->dst, e->dstConn, copyOf(e->memlet, host));
            s.removeEdge(e);
        }
    n.schedule = Schedule::Sequential;
}

} // namespace sdfgc::transforms

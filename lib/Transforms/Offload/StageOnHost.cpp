#include "Transforms/Offload/StageOnHost.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sdfgc::transforms {

using namespace ir;

bool belongsOnHost(const LibraryNode &n) {
    static constexpr std::array<std::string_view, 11> classes = {"CSRMM", "CSRMV", "Cholesky", "FFT", "Getrf", "Getri", "Getrs", "IFFT", "Inv", "Potrf", "Solve"};
    return std::find(classes.begin(), classes.end(), n.className()) != classes.end();
}

namespace {

/// A host container like `device`, for the time of the state.
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

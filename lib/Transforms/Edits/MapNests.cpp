#include "Transforms/Edits/MapNests.h"

#include "sdfgc/IR/StateGraph.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// The union of an inner edge's subset over all iterations of a map; nothing if the memlet does not determine it.
std::optional<Memlet> overMap(const Edge &e, const MapEntry &m, const SDFG &g) {
    const DataDesc *d = g.desc(e.memlet.data);
    if (e.memlet.isEmpty() || !e.memlet.subset || e.memlet.otherSubset || !d || e.memlet.subset->rank() != d->rank())
        return std::nullopt;
    Memlet out = e.memlet;
    for (std::size_t k = m.params.size(); k-- > 0;) {
        out.subset = sym::propagate(*out.subset, m.params[k], m.ranges[k], d->fullSubset());
        out.volume *= m.ranges[k].steps();
    }
    return out;
}

/// If several edges share a connector of a scope, together they have the subset of the outer edge.
Memlet between(const std::vector<const Edge *> &inside, const Edge *outside, const MapEntry &m, const SDFG &g) {
    if (inside.size() == 1)
        if (auto exact = overMap(*inside.front(), m, g))
            return *exact;
    return outside ? outside->memlet : Memlet::empty();
}

std::vector<const Edge *> edgesAt(const std::vector<Edge *> &edges, Name Edge::*connector, Name name) {
    std::vector<const Edge *> out;
    for (const Edge *e : edges)
        if (e->*connector == name)
            out.push_back(e);
    return out;
}

/// `IN_` for `OUT_` and vice versa; an empty name stays empty.
Name paired(Name connector) { return connector ? pairedConnector(connector) : Name(); }

} // namespace

MapEntry *splitMap(MapEntry &m, const std::vector<std::size_t> &dims, Schedule schedule) {
    State &s = *m.state();
    const SDFG &g = *s.sdfg();
    MapEntry *entry = s.addMap(m.label, {}, {}, schedule, m.debugInfo);
    MapExit *exit = entry->exit;
    for (std::size_t d : dims) {
        entry->params.push_back(m.params[d]);
        entry->ranges.push_back(m.ranges[d]);
    }
    for (std::size_t k = dims.size(); k-- > 0;) {
        m.params.erase(m.params.begin() + static_cast<std::ptrdiff_t>(dims[k]));
        m.ranges.erase(m.ranges.begin() + static_cast<std::ptrdiff_t>(dims[k]));
    }
    const std::vector<Edge *> begins = m.outEdges(), ends = m.exit->inEdges();
    std::set<Name> connected;
    for (Edge *e : begins) {
        const Name conn = e->srcConn;
        if (connected.insert(conn).second) {
            const Edge *outside = conn ? m.inEdge(paired(conn)) : nullptr;
            s.connect(&m, conn, entry, paired(conn), between(edgesAt(begins, &Edge::srcConn, conn), outside, *entry, g));
        }
    }
    for (Edge *e : begins)
        s.setSource(e, entry, e->srcConn);
    connected.clear();
    for (Edge *e : ends) {
        const Name conn = e->dstConn;
        if (connected.insert(conn).second) {
            const Edge *outside = conn ? m.exit->outEdge(paired(conn)) : nullptr;
            s.connect(exit, paired(conn), m.exit, conn, between(edgesAt(ends, &Edge::dstConn, conn), outside, *entry, g));
        }
    }
    for (Edge *e : ends)
        s.setDestination(e, exit, e->dstConn);
    return entry;
}

void mergeMaps(MapEntry &outer, MapEntry &inner) {
    State &s = *outer.state();
    for (std::size_t d = 0; d < inner.params.size(); ++d) {
        outer.params.push_back(inner.params[d]);
        outer.ranges.push_back(inner.ranges[d]);
    }
    auto beyond = [](const Edge *e, Name Edge::*connector) { return e ? e->*connector : Name(); };
    for (Edge *e : std::vector<Edge *>(inner.outEdges()))
        s.setSource(e, &outer, e->srcConn ? beyond(inner.inEdge(paired(e->srcConn)), &Edge::srcConn) : Name());
    for (Edge *e : std::vector<Edge *>(inner.exit->inEdges()))
        s.setDestination(e, outer.exit, e->dstConn ? beyond(inner.exit->outEdge(paired(e->dstConn)), &Edge::dstConn) : Name());
}

bool saysHowShared(const MapEntry &m) {
    return !m.ompNumThreads.isZero() || m.ompSchedule != OmpSchedule::Default || m.ompChunkSize != 0 || m.collapse > 1;
}

Name threadLocalMemory(SDFG &root) {
    for (SDFG *g : allSDFGs(root))
        for (const auto &[name, d] : g->arrays)
            if (d.storage == Storage::CPU_ThreadLocal)
                return name;
    return {};
}

} // namespace sdfgc::transforms

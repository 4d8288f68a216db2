#include "Transforms/Distribute/Make.h"

namespace sdfgc::transforms::distribution {

using namespace ir;

MapEntry *wrap(State &s, Tasklet &t, Name parameter, const sym::Range &range) {
    MapEntry *entry = emptyMap(s, t.label, {parameter}, {range});
    int number = 0;
    for (Edge *e : std::vector<Edge *>(t.inEdges())) {
        const std::string name = std::to_string(number++);
        const bool isOrder = e->memlet.isEmpty();
        s.connect(e->src, e->srcConn, entry, isOrder ? Name() : Name("IN_" + name), e->memlet);
        s.setSource(e, entry, isOrder ? Name() : Name("OUT_" + name));
        if (!isOrder)
            entry->addOut(Name("OUT_" + name));
    }
    if (t.inEdges().empty())
        s.connect(entry, {}, &t, {}, Memlet::empty());
    for (Edge *e : std::vector<Edge *>(t.outEdges())) {
        const std::string name = std::to_string(number++);
        const bool isOrder = e->memlet.isEmpty();
        s.connect(entry->exit, isOrder ? Name() : Name("OUT_" + name), e->dst, e->dstConn, e->memlet);
        s.setDestination(e, entry->exit, isOrder ? Name() : Name("IN_" + name));
        if (!isOrder)
            entry->exit->addIn(Name("IN_" + name));
    }
    return entry;
}

} // namespace sdfgc::transforms::distribution

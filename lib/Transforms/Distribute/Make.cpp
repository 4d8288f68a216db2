#include "Transforms/Distribute/Make.h"

#include "sdfgc/IR/ScopeConnectors.h"

namespace sdfgc::transforms::distribution {

using namespace ir;

MapEntry *wrap(State &s, Tasklet &t, Name parameter, const sym::Range &range) {
    MapEntry *entry = s.addMap(t.label, {parameter}, {range});
    int number = 0;
    for (Edge *e : std::vector<Edge *>(t.inEdges())) {
        const std::string name = std::to_string(number++);
        const bool isOrder = e->memlet.isEmpty();
        s.connect(e->src, e->srcConn, entry, isOrder ? Name() : scopeInput(name), e->memlet);
        s.setSource(e, entry, isOrder ? Name() : scopeOutput(name));
        if (!isOrder)
            entry->addOut(scopeOutput(name));
    }
    if (t.inEdges().empty())
        s.connect(entry, {}, &t, {}, Memlet::empty());
    for (Edge *e : std::vector<Edge *>(t.outEdges())) {
        const std::string name = std::to_string(number++);
        const bool isOrder = e->memlet.isEmpty();
        s.connect(entry->exit, isOrder ? Name() : scopeOutput(name), e->dst, e->dstConn, e->memlet);
        s.setDestination(e, entry->exit, isOrder ? Name() : scopeInput(name));
        if (!isOrder)
            entry->exit->addIn(scopeInput(name));
    }
    return entry;
}

} // namespace sdfgc::transforms::distribution

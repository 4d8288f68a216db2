#include "sdfgc/Analysis/Footprint.h"

namespace sdfgc::analysis {

using namespace ir;

sym::Expr bytesOfTransients(const SDFG &g) {
    sym::Expr all = 0;
    for (const auto &[name, d] : g.arrays)
        if (d.transient && d.alias == AliasKind::None)
            all = all + d.totalSize * d.dtype.bytes().value_or(0);
    for (const State *s : allStates(g))
        for (const auto &n : s->nodes())
            if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg) {
                const std::map<Name, sym::Expr> meaning(nested->symbolMapping.begin(), nested->symbolMapping.end());
                all = all + sym::substitute(bytesOfTransients(*nested->sdfg), meaning);
            }
    return all;
}

void addAssignedValues(const SDFG &g, std::map<Name, int64_t> &values) {
    for (const InterstateEdge *e : allInterstateEdges(g))
        for (const auto &[symbol, value] : e->assignments)
            if (const auto given = values.find(Name(value)); given != values.end())
                values.emplace(symbol, given->second);
}

} // namespace sdfgc::analysis

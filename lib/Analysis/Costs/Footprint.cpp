#include "sdfgc/Analysis/Costs/Footprint.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Memory/Bounds.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>
#include <set>

namespace sdfgc::analysis {

using namespace ir;

namespace {

/// The largest value of a size over the iterations of the loops around a state. The size itself if this is not known.
sym::Expr mostAround(const State &s, sym::Expr size) {
    std::vector<const LoopRegion *> around; // outermost first
    for (const Region *r = s.parent(); r; r = r->parent())
        if (const auto *l = dyn_cast<LoopRegion>(r))
            around.insert(around.begin(), l);
    if (std::none_of(around.begin(), around.end(), [size](const LoopRegion *l) { return size.dependsOn(l->variable); }))
        return size;
    const sym::Assumptions facts = factsOf(*s.sdfg());
    std::vector<LoopLevel> loops;
    for (const LoopRegion *l : around)
        if (const LoopHeader header = tripCountOf(*l, facts); header.counted())
            loops.push_back(header.level());
    return largestOf(size, loops, facts).value_or(size);
}

/// The states that use each container.
std::map<Name, std::vector<const State *>> usesIn(const SDFG &g) {
    std::map<Name, std::vector<const State *>> out;
    for (const State *s : allStates(g)) {
        std::set<Name> names;
        for (const auto &n : s->nodes())
            if (const auto *access = dyn_cast<AccessNode>(n.get()); access && names.insert(access->data).second)
                out[access->data].push_back(s);
    }
    return out;
}

/// The maximum of the values, each of which is used once.
sym::Expr largest(std::vector<sym::Expr> sizes) {
    std::vector<sym::Expr> each;
    for (const sym::Expr e : sizes)
        if (std::find(each.begin(), each.end(), e) == each.end())
            each.push_back(e);
    return each.size() == 1 ? each.front() : sym::max(each);
}

} // namespace

sym::Expr bytesOfTransients(const SDFG &g) {
    const std::map<Name, std::vector<const State *>> uses = usesIn(g);
    sym::Expr all = 0;
    for (const auto &[name, d] : g.arrays) {
        if (!d.transient || d.alias != AliasKind::None)
            continue;
        std::vector<sym::Expr> sizes;
        if (const auto used = uses.find(name); used != uses.end())
            for (const State *s : used->second)
                sizes.push_back(mostAround(*s, d.totalSize));
        all = all + (sizes.empty() ? d.totalSize : largest(std::move(sizes))) * d.dtype.bytes().value_or(0);
    }
    for (const State *s : allStates(g))
        for (const auto &n : s->nodes())
            if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg) {
                const std::map<Name, sym::Expr> meaning(nested->symbolMapping.begin(), nested->symbolMapping.end());
                all = all + mostAround(*s, sym::substitute(bytesOfTransients(*nested->sdfg), meaning));
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

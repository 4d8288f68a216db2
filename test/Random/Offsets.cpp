#include "Offsets.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <map>

namespace sdfgc::random {
namespace {

using namespace ir;

using Shifts = std::map<Name, std::vector<sym::Expr>>; // of the indices, in every dimension

/// Arrays whose subsets occur only in memlets.
Shifts randomShifts(SDFG &g, test::RandomNumbers &random) {
    Shifts out;
    const std::set<Name> named = analysis::containersReadByControlFlow(g);
    for (auto &[name, d] : g.arrays) {
        if (!d.isArray() || d.alias != AliasKind::None || named.count(name) || !random.oneIn(3))
            continue;
        for (sym::Expr &offset : d.offset) {
            const sym::Expr shift = random.oneIn(4) ? 0 : random.between(-2, 3);
            offset = offset - shift;
            out[name].push_back(shift);
        }
    }
    return out;
}

void shift(std::optional<sym::Subset> &subset, Name container, const Shifts &shifts) {
    if (const auto found = shifts.find(container); subset && found != shifts.end())
        subset = subset->offsetBy(found->second);
}

/// The container to which the other subset of a memlet belongs; empty if there is none.
Name otherContainer(const Edge &e) {
    const std::vector<Edge *> path = memletPath(&e);
    const auto *from = dyn_cast<AccessNode>(path.front()->src);
    const auto *to = dyn_cast<AccessNode>(path.back()->dst);
    if (!from || !to)
        return Name();
    return from->data == e.memlet.data ? to->data : from->data;
}

} // namespace

void shiftIndices(SDFG &root, test::RandomNumbers &random) {
    for (SDFG *g : allSDFGs(root)) {
        const Shifts shifts = randomShifts(*g, random);
        for (State *s : allStates(*g))
            for (const auto &e : s->edges()) {
                shift(e->memlet.otherSubset, otherContainer(*e), shifts);
                shift(e->memlet.subset, e->memlet.data, shifts);
            }
    }
}

} // namespace sdfgc::random

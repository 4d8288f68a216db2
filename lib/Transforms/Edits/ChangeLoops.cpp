#include "Transforms/Edits/ChangeLoops.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

bool changeLoops(SDFG &root, const std::function<bool(LoopRegion &, const LoopsOf &)> &change, LoopOrder order, LoopPlace place) {
    analysis::Memories memories(root);
    bool changed = false;
    std::vector<SDFG *> all = allSDFGs(root);
    for (auto g = all.rbegin(); g != all.rend(); ++g) {
        std::vector<Region *> regions = allRegions(**g);
        const bool hasLoops = std::any_of(regions.begin(), regions.end(), [](const Region *r) { return isa<LoopRegion>(r); });
        if (!hasLoops || analysis::isInScope(**g) || mentionsGpu(**g) != (place == LoopPlace::Device))
            continue;
        const nest::Conflicts items(**g, memories);
        nest::LoopItems loops(**g, memories);
        ValuesAfterLoops after(**g, memories);
        if (order == LoopOrder::InnerFirst)
            std::reverse(regions.begin(), regions.end());
        std::set<const Region *> gone;
        for (Region *r : regions) {
            auto *l = gone.count(r) ? nullptr : dyn_cast<LoopRegion>(r);
            if (!l || (l->optimize && nest::isKept(*l)))
                continue;
            const std::vector<Region *> inside = order == LoopOrder::OuterFirst ? allRegions(*l) : std::vector<Region *>();
            if (change(*l, {**g, memories, items, loops, after})) {
                changed = true;
                gone.insert(inside.begin(), inside.end());
            }
        }
    }
    if (changed)
        root.renumber();
    return changed;
}

} // namespace sdfgc::transforms

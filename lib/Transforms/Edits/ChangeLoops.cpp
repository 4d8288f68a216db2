#include "Transforms/Edits/ChangeLoops.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

bool changeLoops(SDFG &root, const pass::Context &context, const std::function<bool(LoopRegion &, const LoopsOf &)> &change) {
    if (context.options.gpu())
        return false;
    analysis::Memories memories(root);
    bool changed = false;
    std::vector<SDFG *> all = allSDFGs(root);
    for (auto g = all.rbegin(); g != all.rend(); ++g) {
        std::vector<Region *> regions = allRegions(**g);
        const bool hasLoops = std::any_of(regions.begin(), regions.end(), [](const Region *r) { return isa<LoopRegion>(r); });
        if (!hasLoops || analysis::isInScope(**g) || mentionsGpu(**g))
            continue;
        const nest::Conflicts items(**g, memories);
        nest::LoopItems loops(**g, memories);
        for (auto r = regions.rbegin(); r != regions.rend(); ++r)
            if (auto *l = dyn_cast<LoopRegion>(*r); l && (!l->optimize || !nest::isKept(*l)))
                changed |= change(*l, {**g, memories, items, loops});
    }
    if (changed)
        root.renumber();
    return changed;
}

} // namespace sdfgc::transforms

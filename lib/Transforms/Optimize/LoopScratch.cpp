#include "Transforms/Optimize/LoopScratch.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Outside;

namespace {

/// Does nothing repeat the loop within one run of its SDFG?
bool runsOnce(const LoopRegion &l) {
    for (const Region *r = l.parent(); r; r = r->parent())
        if (isa<LoopRegion>(r) || analysis::sequenceOf(const_cast<Region &>(*r)).empty())
            return false;
    return true;
}

bool hasLoops(const LoopRegion &l) {
    const std::vector<const Block *> blocks = allBlocks(l);
    return std::any_of(blocks.begin(), blocks.end(), [](const Block *b) {
        const auto *s = dyn_cast<State>(b);
        return isa<LoopRegion>(b) || (s && !nodesOf<MapEntry>(*s).empty());
    });
}

/// The container, if each run of its SDFG had its own.
DataDesc ofOneRun(DataDesc d) {
    if (d.lifetime == Lifetime::Persistent)
        d.lifetime = Lifetime::Scope;
    return d;
}

} // namespace

LoopScratch::LoopScratch(LoopRegion &l, const nest::LoopItems &loops, nest::LiveAfter &containers)
    : loop_(l), g_(*l.sdfg()), loops_(loops), containers_(containers), hasLoops_(hasLoops(l)) {}

bool LoopScratch::mayBePrivate(const DataDesc &d) const {
    return hasLoops_ ? nest::isScratch(ofOneRun(d)) : nest::isSmallLocal(ofOneRun(d));
}

Outside LoopScratch::outside(Name container) const {
    const DataDesc *d = g_.desc(container);
    if (!d || ownerOf(container) != container || !mayBePrivate(*d))
        return Outside::Needed;
    const bool isKept = d->lifetime == Lifetime::Persistent; // it has the values of the run before
    if (loops_.isOnlyInside(container, loop_))
        return runsOnce(loop_) && !isKept ? Outside::Nothing : Outside::Dead;
    return isKept || containers_.isLive(loop_, container) ? Outside::Needed : Outside::Dead;
}

std::string LoopScratch::whyNeeded(Name container) const {
    const DataDesc *d = g_.desc(container);
    if (!d || ownerOf(container) != container || outside(container) != Outside::Needed)
        return {};
    if (!d->transient)
        return "it is an argument of the SDFG";
    if (!nest::isScratch(ofOneRun(*d)))
        return "of its lifetime, storage or kind";
    if (!mayBePrivate(*d))
        return "it has more than 64 elements or an unknown number of them, and the body has no loops";
    const Block *user = loops_.userOutside(container, loop_);
    return "its values may be read after the iteration" + (user ? ": " + nest::blockText(*user) + " uses it as well" : "");
}

} // namespace sdfgc::transforms

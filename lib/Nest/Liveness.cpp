// The walk from the end of an SDFG to its beginning.
#include "sdfgc/Nest/Liveness.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;
using analysis::AccessInstance;

namespace {

/// Does a container keep its values after the SDFG is left?
bool outlives(const DataDesc &d) {
    return !d.transient || d.pool ||
           (d.lifetime != Lifetime::Scope && d.lifetime != Lifetime::State && d.lifetime != Lifetime::SDFG);
}

} // namespace

LivenessWalk::LivenessWalk(SDFG &g, analysis::Memories &memories, std::vector<Run> &runs) : g_(g), summaries_(g, memories, runs) {
    for (Run &run : runs)
        runs_[run.states.front()] = &run;
    for (const auto &[m, facts] : summaries_.tracked())
        if (const DataDesc &d = *memories.desc(m); outlives(d))
            live_.add(m, {d.fullSubset(), {}}, true);
}

void LivenessWalk::walk() {
    do {
        again_ = false;
        const Mark end = mark();
        walk(g_);
        restore(end);
    } while (again_);
}

bool LivenessWalk::isLive(const PlacedUse &use) const {
    if (!summaries_.isTracked(use.use->memory))
        return true;
    AccessInstance written = summaries_.instanceOf(*use.use);
    written.loops = use.instance.loops;
    const sym::Assumptions &facts = summaries_.factsOf(use.use->memory);
    const std::vector<AccessInstance> live = live_.of(use.use->memory), overwritten = overwritten_.of(use.use->memory);
    return std::any_of(live.begin(), live.end(),
                       [&](const AccessInstance &a) {
                           return !a.subset || !written.subset || analysis::conflictOf(a, written, 0, facts);
                       }) &&
           std::none_of(overwritten.begin(), overwritten.end(),
                        [&](const AccessInstance &a) { return analysis::isCovered(written, a, 0, facts); });
}

void LivenessWalk::restore(const Mark &m) {
    live_.restore(m.live);
    overwritten_.restore(m.overwritten);
}

void LivenessWalk::assigned(Name symbol) {
    live_.assigned(symbol);
    overwritten_.assigned(symbol);
}

void LivenessWalk::pass(const Summary &s) {
    for (const Name n : s.assigned)
        assigned(n);
    if (s.assignsUnknown) {
        live_.assignedAny();
        overwritten_.assignedAny();
    }
    for (const auto &[m, instances] : s.written)
        for (const AccessInstance &a : instances) {
            live_.overwrite(m, a, summaries_.wholeOf(m), summaries_.factsOf(m));
            overwritten_.add(m, a, false);
        }
    for (const auto &[m, instances] : s.exposed)
        for (const AccessInstance &a : instances) {
            live_.add(m, a, true);
            overwritten_.read(m, a, summaries_.factsOf(m));
        }
}

void LivenessWalk::walk(Region &r) {
    const BlockChain chain = summaries_.chainOf(r);
    if (!chain.ordered) {
        pass(summaries_.ofContent(r));
        ++repeated_;
        for (auto b = chain.blocks.rbegin(); b != chain.blocks.rend(); ++b) {
            const Mark before = mark();
            inside(**b);
            restore(before);
        }
        --repeated_;
        return;
    }
    for (auto b = chain.blocks.rbegin(); b != chain.blocks.rend(); ++b) {
        const Mark after = mark();
        inside(**b);
        restore(after);
        pass(summaries_.of(**b));
        for (const InterstateEdge *e : (*b)->inEdges())
            pass(summaries_.of(*e));
    }
}

void LivenessWalk::inside(Block &b) {
    if (const auto run = runs_.find(&b); run != runs_.end())
        walk(run->second->items, *run->second);
    else if (auto *c = dyn_cast<ConditionalBlock>(&b))
        for (const auto &branch : c->branches()) {
            const Mark after = mark();
            walk(*branch.region);
            restore(after);
            summaries_.changed(*branch.region);
        }
    else if (auto *l = dyn_cast<LoopRegion>(&b)) {
        pass(Summary{
            summaries_.of(b).exposed, {}, summaries_.of(b).assigned, summaries_.of(b).assignsUnknown}); // by later iterations
        ++repeated_;
        walk(*l);
        --repeated_;
    } else if (auto *r = dyn_cast<Region>(&b))
        walk(*r);
    summaries_.changed(b);
}

void LivenessWalk::walk(std::vector<Item> &items, Run &run) {
    std::vector<Item> kept; // last one first
    for (auto i = items.rbegin(); i != items.rend(); ++i) {
        if (takesOut(*i)) {
            run.changed = true;
            again_ |= repeated_ > 0;
            continue;
        }
        if (i->map && !isGpuSchedule(i->map->entry->schedule)) { // threads may share more than iterations do
            inside(*i, run);
            if (i->map->body.empty())
                continue;
        }
        pass(summaries_.of(*i));
        kept.push_back(std::move(*i));
    }
    std::reverse(kept.begin(), kept.end());
    items = std::move(kept);
}

void LivenessWalk::inside(Item &item, Run &run) {
    Map &m = *item.map;
    const Mark after = mark();
    for (const Name p : m.params)
        assigned(p);
    pass({summaries_.of(item).exposed, {}, {}, false}); // by other iterations
    for (const Name local : m.locals)
        live_.forget(summaries_.memoryOf(local));
    ++repeated_;
    walk(m.body, run);
    --repeated_;
    restore(after);
}

} // namespace sdfgc::nest

// What the walk over the program finds (sdfgc/Analysis/Streams.h).
#include "sdfgc/Analysis/Streams.h"

#include "sdfgc/Analysis/Allocation.h"
#include "sdfgc/Analysis/Symbols.h"

#include <algorithm>
#include <utility>

namespace sdfgc::analysis {

using namespace ir;

namespace {

bool conflict(MemoryUse a, MemoryUse b) { return a.memory == b.memory && (a.write || b.write); }

} // namespace

bool releasesDeviceMemory(const SDFG &g) {
    if (g.isRoot())
        return true;
    if (!becomesFunction(g))
        return false;
    const std::vector<SDFG *> inside = allSDFGs(const_cast<SDFG &>(g));
    return std::any_of(inside.begin(), inside.end(), [](const SDFG *one) {
        return std::any_of(one->arrays.begin(), one->arrays.end(), [](const auto &entry) {
            const MemoryKind kind = entry.second.memory;
            return kind == MemoryKind::Device || kind == MemoryKind::Pinned || kind == MemoryKind::Slices ||
                   kind == MemoryKind::Grid;
        });
    });
}

// ---------------------------------------------------------------------------------------------------- states

/// Is the program, or a function that releases memory, over after this state: nothing follows it, or a return does?
bool StreamOrder::endsProgram(const State &s) const {
    const Region &r = *s.parent();
    const SDFG &g = *s.sdfg();
    bool last = true, returns = false;
    for (const InterstateEdge *e : r.outEdges(&s)) {
        returns |= e->dst->kind() == BlockKind::Return;
        last = false;
    }
    return (returns || (last && &r == &g)) && (&g == &root_ || releasesDeviceMemory(g));
}

/// Tells about a conflict; true: start over. Otherwise the earlier access counts as over.
bool StreamOrder::repaired(StreamKnowledge &now, StreamConflict c) {
    if (found_(c)) {
        cache_.erase(c.state);
        return true;
    }
    now.pending.erase(c.earlier);
    return false;
}

bool StreamOrder::check(State &s, const std::vector<StreamStep> &steps, std::size_t i, StreamKnowledge &now) {
    const StreamStep &step = steps[i];
    const std::map<StreamKnowledge::Key, PendingAccess> pending = now.pending;
    for (const auto &[key, access] : pending) {
        auto hits = [&use = key.use](MemoryUse u) { return conflict(u, use); };
        if (std::any_of(step.host.begin(), step.host.end(), hits)) {
            if (repaired(now, {&s, i, &steps, key, access, true, false}))
                return true;
        } else if (step.kind == StreamStep::Operation && !(access.covered >> step.stream & 1) &&
                   std::any_of(step.uses.begin(), step.uses.end(), hits)) {
            if (repaired(now, {&s, i, &steps, key, access, false, false}))
                return true;
        }
    }
    return false;
}

bool StreamOrder::atEnd(State &s, const std::vector<StreamStep> &steps, StreamKnowledge &now) {
    const bool ends = endsProgram(s);
    const std::map<StreamKnowledge::Key, PendingAccess> pending = now.pending;
    for (const auto &[key, access] : pending)
        if ((ends || steps_.endsWithState(key.use)) && repaired(now, {&s, steps.size(), &steps, key, access, true, ends}))
            return true;
    return false;
}

StreamKnowledge StreamOrder::state(State &s, const StreamKnowledge &in) {
    for (;;) {
        auto [cached, isNew] = cache_.try_emplace(&s);
        if (isNew)
            cached->second = steps_.of(s);
        const std::vector<StreamStep> steps = cached->second;
        StreamKnowledge now = in;
        bool again = false;
        for (std::size_t i = 0; i < steps.size() && !again; ++i) {
            const StreamStep &step = steps[i];
            if (step.kind == StreamStep::Async)
                now.order(step.async);
            else if (step.kind == StreamStep::Nested)
                now = whole(*static_cast<NestedSDFGNode *>(step.node)->sdfg, std::move(now));
            else if (!(again = check(s, steps, i, now)) && step.kind == StreamStep::Operation)
                now.operation(step);
        }
        if (!again && !atEnd(s, steps, now))
            return now;
    }
}

} // namespace sdfgc::analysis

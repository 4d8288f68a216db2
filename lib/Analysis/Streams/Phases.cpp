// The walk over the phases of kernels (sdfgc/Analysis/Barriers.h).
#include "sdfgc/Analysis/Barriers.h"

#include "sdfgc/Analysis/Copies.h"
#include "sdfgc/Analysis/Scopes.h"

namespace sdfgc::analysis {

using namespace ir;

bool PhaseKnowledge::sameAs(const PhaseKnowledge &other) const {
    return std::equal(pending.begin(), pending.end(), other.pending.begin(), other.pending.end(),
                      [](const auto &a, const auto &b) { return a.first == b.first; });
}

bool blocksRepeat(const MapEntry &kernel) {
    if (kernel.schedule == Schedule::GPU_Persistent)
        return true;
    constexpr int64_t maxBlocks = 65535; // along y and z; the last parameter is along x, where there is no such limit
    for (std::size_t d = 0; d + 1 < kernel.ranges.size(); ++d) {
        auto steps = kernel.ranges[d].steps().asInt();
        if (!steps || *steps > maxBlocks || kernel.ranges.size() > 3)
            return true;
    }
    return false;
}

void PhaseOrder::run() {
    for (SDFG *g : allSDFGs(root_))
        for (State *s : allStates(*g)) {
            if (s->sdfg()->parentNode && executorOf(*s->sdfg()->parentNode) != Executor::Host)
                continue;
            std::vector<MapEntry *> kernels;
            for (const auto &n : s->nodes())
                if (auto *m = dyn_cast<MapEntry>(n.get()); m && (m->schedule == Schedule::GPU_Device || m->schedule == Schedule::GPU_Persistent))
                    kernels.push_back(m);
            for (MapEntry *m : kernels) {
                if (!runByBlocks(*m) || executorOf(*m) != Executor::Host)
                    continue;
                if (blocksRepeat(*m))
                    iterated({}, [&](const PhaseKnowledge &head) { return scope(*s, m, head); });
                else
                    scope(*s, m, {});
            }
        }
}

const std::vector<StreamStep> &PhaseOrder::phases(State &s, Node *entry) {
    auto &steps = cache_[{&s, entry}];
    if (!steps)
        steps = std::make_shared<std::vector<StreamStep>>(steps_.phasesOf(s, entry));
    return *steps;
}

/// True when a barrier was put in front of the phase.
bool PhaseOrder::check(State &s, Node *entry, std::size_t i, PhaseKnowledge &now) {
    const std::vector<StreamStep> &steps = phases(s, entry);
    for (const MemoryUse &u : steps[i].uses)
        for (const bool write : {false, true}) {
            auto earlier = u.write || write ? now.pending.find({u.memory, write}) : now.pending.end();
            if (earlier == now.pending.end())
                continue;
            if (found_({&s, entry, i, &steps, earlier->second, earlier->first})) {
                auto &cached = cache_[{&s, entry}];
                old_.push_back(std::move(cached));
                cached = nullptr;
                return true;
            }
            now.pending.clear();
            return false;
        }
    return false;
}

PhaseKnowledge PhaseOrder::scope(State &s, Node *entry, const PhaseKnowledge &in) {
    for (;;) {
        PhaseKnowledge now = in;
        bool again = false;
        const std::size_t count = phases(s, entry).size();
        for (std::size_t i = 0; i < count && !again; ++i) {
            const StreamStep &step = phases(s, entry)[i];
            if (step.kind == StreamStep::Async) {
                now.pending.clear();
            } else if (step.kind == StreamStep::Nested) {
                now = whole(*static_cast<NestedSDFGNode *>(step.node)->sdfg, std::move(now));
            } else if (step.kind == StreamStep::Loop) {
                now = iterated(std::move(now), [&](const PhaseKnowledge &head) { return scope(s, step.node, head); });
            } else if (!(again = check(s, entry, i, now))) {
                for (MemoryUse u : phases(s, entry)[i].uses)
                    now.pending[u] = &phases(s, entry)[i];
            }
        }
        if (!again)
            return now;
    }
}

} // namespace sdfgc::analysis

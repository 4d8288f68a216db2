// The walk over the phases of kernels (sdfgc/Analysis/Streams/Barriers.h).
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Streams/Barriers.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

bool PhaseKnowledge::sameAs(const PhaseKnowledge &other) const {
    return std::equal(pending.begin(), pending.end(), other.pending.begin(), other.pending.end(),
                      [](const auto &a, const auto &b) { return a.first == b.first; });
}

void PhaseKnowledge::passBlockBarrier() {
    for (auto it = pending.begin(); it != pending.end();)
        if (it->first.second == PhaseWait::FirstBlock) {
            pending.emplace(std::pair(it->first.first, PhaseWait::OtherBlocks), it->second);
            it = pending.erase(it);
        } else {
            ++it;
        }
}

std::string PhaseConflict::laterName() const {
    if (step == steps->size())
        return "the end of " + elementName(*state);
    const StreamStep &later = (*steps)[step];
    return later.edge ? elementName(*later.edge) : elementName(*later.node);
}

std::string PhaseConflict::earlierName() const {
    return earlier->edge   ? elementName(*earlier->edge)
           : earlier->node ? elementName(*earlier->node)
                           : "a condition of " + elementName(*state->sdfg());
}

bool blocksRepeat(const MapEntry &kernel) {
    constexpr int64_t maxBlocks = 65535; // along y and z; the last parameter is along x, where there is no such limit
    for (std::size_t d = 0; d + 1 < kernel.ranges.size(); ++d) {
        auto steps = kernel.ranges[d].steps().asInt();
        if (!steps || *steps > maxBlocks || kernel.ranges.size() > 3)
            return true;
    }
    return false;
}

void PhaseOrder::run(const Found &found) {
    found_ = &found;
    for (SDFG *g : allSDFGs(root_))
        for (State *s : allStates(*g)) {
            if (s->sdfg()->parentNode && executorOf(*s->sdfg()->parentNode) != Executor::Host)
                continue;
            for (MapEntry *m : nodesOf<MapEntry>(*s)) {
                if (!isKernelSchedule(m->schedule) || executorOf(*m) != Executor::Host)
                    continue;
                if (m->schedule == Schedule::GPU_Persistent)
                    grid(*s, *m);
                else if (runByBlocks(*m))
                    blocks(*s, *m);
            }
        }
}

/// The phases of each block, in a kernel or in one iteration of a persistent kernel's loop over blocks.
void PhaseOrder::blocks(State &s, MapEntry &kernel) {
    executor_ = Executor::Block;
    const bool once =
        std::all_of(kernel.ranges.begin(), kernel.ranges.end(), [](const sym::Range &r) { return r.steps().isOne(); });
    if ((executorOf(kernel) == Executor::Grid && !once) || blocksRepeat(kernel))
        iterated({}, [&](const PhaseKnowledge &head) { return scope(s, &kernel, head); });
    else
        scope(s, &kernel, {});
}

void PhaseOrder::grid(State &s, MapEntry &kernel) {
    executor_ = Executor::Grid;
    manyBlocks_ = kernel.gpuGridLimit.empty();
    scope(s, &kernel, {});
    std::vector<MapEntry *> inside;
    kernelsOfGrid(s, &kernel, inside);
    for (MapEntry *m : inside)
        if (runByBlocks(*m))
            blocks(*m->state(), *m);
}

/// The device-wide maps inside a persistent kernel, including those in nested SDFGs.
void PhaseOrder::kernelsOfGrid(State &s, Node *entry, std::vector<MapEntry *> &out) {
    const ScopeTree scopes(s);
    for (Node *n : scopes.children(entry)) {
        auto *m = dyn_cast<MapEntry>(n);
        if (m && m->schedule == Schedule::GPU_Device)
            out.push_back(m);
        else if (m)
            kernelsOfGrid(s, m, out);
        else if (auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg)
            for (State *inner : allStates(*nested->sdfg))
                kernelsOfGrid(*inner, nullptr, out);
    }
}

const std::vector<StreamStep> &PhaseOrder::phases(State &s, Node *entry) {
    auto &steps = cache_[{&s, entry}];
    if (!steps)
        steps = std::make_shared<std::vector<StreamStep>>(steps_.phasesOf(s, entry, executor_));
    return *steps;
}

/// Returns true if a barrier was inserted before the phase.
bool PhaseOrder::found(const PhaseConflict &c) {
    if (!(*found_)(c))
        return false;
    auto &cached = cache_[{c.state, c.scope}];
    old_.push_back(std::move(cached));
    cached = nullptr;
    return true;
}

PhaseWait PhaseOrder::waitFor(const StreamStep &phase) const {
    return executor_ == Executor::Grid && manyBlocks_ && phase.ofFirstBlock ? PhaseWait::FirstBlock : PhaseWait::AllBlocks;
}

/// Looks for conflicts that a barrier of all threads resolves before those for which one of the first block is enough.
bool PhaseOrder::check(State &s, Node *entry, std::size_t i, PhaseKnowledge &now) {
    const std::vector<StreamStep> &steps = phases(s, entry);
    const bool isFirst = waitFor(steps[i]) == PhaseWait::FirstBlock;
    for (const PhaseWait wait : {PhaseWait::AllBlocks, PhaseWait::OtherBlocks, PhaseWait::FirstBlock}) {
        if (isFirst && wait == PhaseWait::OtherBlocks)
            continue;
        const bool inBlock = isFirst && wait == PhaseWait::FirstBlock;
        for (const MemoryUse &u : steps[i].uses)
            for (const bool write : {false, true}) {
                auto earlier = u.write || write ? now.pending.find({{u.memory, write}, wait}) : now.pending.end();
                if (earlier == now.pending.end())
                    continue;
                if (found({&s, entry, i, &steps, earlier->second, earlier->first.first, inBlock ? Executor::Block : executor_}))
                    return true;
                if (inBlock)
                    now.passBlockBarrier();
                else
                    now.pending.clear();
                return false;
            }
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
                if (executor_ == Executor::Block || step.async.kind == AsyncOp::GridBarrier)
                    now.pending.clear();
                else if (step.async.kind == AsyncOp::Barrier)
                    now.passBlockBarrier();
                continue;
            }
            if ((again = check(s, entry, i, now)))
                break;
            if (step.kind == StreamStep::Nested)
                now = whole(*static_cast<NestedSDFGNode *>(step.node)->sdfg, std::move(now));
            for (MemoryUse u : step.uses) // a nested SDFG may read its conditions last; a loop reads its bounds first
                now.pending[{u, waitFor(step)}] = &step;
            if (step.kind == StreamStep::Loop)
                now = iterated(std::move(now), [&](const PhaseKnowledge &head) { return scope(s, step.node, head); });
        }
        if (!again)
            return now;
    }
}

/// Before a state, the SDFG's conditions may have been read, unless execution starts there; after it they may be read.
PhaseKnowledge PhaseOrder::state(State &s, PhaseKnowledge head) {
    const std::vector<MemoryUse> conditions = steps_.conditionsOf(*s.sdfg());
    const bool first = s.parent() == s.sdfg() && s.sdfg()->start() == &s && s.inEdges().empty();
    if (!first)
        for (MemoryUse u : conditions)
            head.pending.emplace(std::pair(u, PhaseWait::AllBlocks), &condition_);
    for (;;) {
        PhaseKnowledge now = scope(s, nullptr, head);
        auto written = std::find_if(now.pending.begin(), now.pending.end(), [&](const auto &access) {
            const MemoryUse use = access.first.first;
            return use.write && std::find(conditions.begin(), conditions.end(), MemoryUse{use.memory, false}) != conditions.end();
        });
        if (written == now.pending.end())
            return now;
        const std::vector<StreamStep> &steps = phases(s, nullptr);
        if (!found({&s, nullptr, steps.size(), &steps, written->second, written->first.first, executor_})) {
            now.pending.clear();
            return now;
        }
    }
}

} // namespace sdfgc::analysis

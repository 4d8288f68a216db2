// What the walk over the program finds (sdfgc/Analysis/Streams/Streams.h).
#include "sdfgc/Analysis/Device/GraphRegions.h"
#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>
#include <utility>

namespace sdfgc::analysis {

using namespace ir;

namespace {

bool conflict(MemoryUse a, MemoryUse b) { return a.memory == b.memory && (a.write || b.write); }

/// What a step touches, sorted.
std::vector<Memory> memoriesOf(const StreamStep &step) {
    std::vector<Memory> out;
    for (const auto *list : {&step.uses, &step.host})
        for (const MemoryUse &u : *list)
            out.push_back(u.memory);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// The events of a program that several states record or wait for.
std::set<int> lastingEvents(SDFG &root) {
    std::set<int> out;
    std::map<int, const State *> seen;
    for (SDFG *g : allSDFGs(root))
        for (State *s : allStates(*g))
            for (const LibraryNode *n : nodesOf<LibraryNode>(*s))
                if (const auto op = asyncOp(*n); op && seen.try_emplace(op->event, s).first->second != s)
                    out.insert(op->event);
    return out;
}

} // namespace

bool releasesDeviceMemory(const SDFG &g) {
    if (g.isRoot())
        return true;
    if (!becomesFunction(g))
        return false;
    const std::vector<const SDFG *> inside = allSDFGs(g);
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
    for (const InterstateEdge *e : s.outEdges()) {
        returns |= e->dst->kind() == BlockKind::Return;
        last = false;
    }
    return (returns || (last && &r == &g)) && (&g == &root_ || releasesDeviceMemory(g));
}

StreamOrder::StreamOrder(SDFG &root, StreamSteps &steps)
    : root_(root), steps_(steps), loops_(root), lasting_(lastingEvents(root)) {}

void StreamOrder::run(const Found &found) {
    found_ = &found;
    repairs_ = true;
    whole(root_, {});
    found_ = nullptr;
    repairs_ = false;
}

void StreamOrder::look(const std::function<void(const StreamConflict &)> &found) {
    const Found tells = [&found](const StreamConflict &c) {
        found(c);
        return false;
    };
    found_ = &tells;
    whole(root_, {});
    found_ = nullptr;
}

/// After a state, what its events come after says nothing any more, if no other state waits for them: when it comes by again, they are recorded
/// again first, or joining what is known has dropped them. Otherwise a program of n states would know of n events everywhere.
void StreamOrder::forget(const std::vector<StreamStep> &steps, StreamKnowledge &now) const {
    for (const StreamStep &step : steps)
        if (step.kind == StreamStep::Async && step.async.kind == AsyncOp::Record && !lasting_.contains(step.async.event))
            now.events.erase(step.async.event);
}

/// Tells about a conflict; true: start over. Otherwise the earlier access counts as over.
bool StreamOrder::repaired(StreamKnowledge &now, StreamConflict c) {
    if ((*found_)(c)) {
        changed(*c.state);
        return true;
    }
    now.pending.erase(c.earlier);
    return false;
}

bool StreamOrder::check(State &s, const std::vector<StreamStep> &steps, std::size_t i, StreamKnowledge &now) {
    const StreamStep &step = steps[i];
    for (const auto &[key, access] : now.pendingOn(memoriesOf(step))) {
        auto hits = [&use = key.use](MemoryUse u) { return conflict(u, use); };
        if (std::any_of(step.host.begin(), step.host.end(), hits)) {
            if (repaired(now, {&s, i, &steps, key, access, true}))
                return true;
        } else if (step.kind == StreamStep::Operation && !(access.covered >> step.stream & 1) &&
                   std::any_of(step.uses.begin(), step.uses.end(), hits)) {
            if (repaired(now, {&s, i, &steps, key, access, false, false, nullptr, step.stream}))
                return true;
        }
    }
    return false;
}

bool StreamOrder::atEnd(State &s, const std::vector<StreamStep> &steps, StreamKnowledge &now) {
    const bool ends = endsProgram(s);
    std::vector<std::pair<StreamKnowledge::Key, PendingAccess>> over; // by the end of the state
    if (ends)
        over.assign(now.pending.begin(), now.pending.end());
    else
        for (const StreamKnowledge::Key &key : now.endingWithState)
            if (const auto p = now.pending.find(key); p != now.pending.end())
                over.push_back(*p);
    for (const auto &[key, access] : over)
        if (repaired(now, {&s, steps.size(), &steps, key, access, true, ends}))
            return true;
    now.endingWithState.clear();
    return false;
}

namespace {

/// The operations in an operation of a graph, each by itself. The flag of a loop is read by the first one in it, as far as anyone is told.
void addParts(const GraphOperation &x, std::vector<StreamStep> &out) {
    if (x.inside.empty())
        return out.push_back(x.step);
    const std::size_t first = out.size();
    for (const GraphOperation &inner : x.inside)
        addParts(inner, out);
    if (x.loop) {
        StreamStep look = out[first];
        look.uses = {x.step.uses.back()};
        look.host.clear();
        out.push_back(std::move(look));
    }
}

} // namespace

const StreamOrder::Graph &StreamOrder::graph(Region &formed) {
    auto [at, isNew] = graphs_.try_emplace(&formed);
    if (!isNew)
        return at->second;
    at->second.gate = gateOf(formed);
    StreamStep &whole = at->second.whole;
    whole.kind = StreamStep::Operation;
    const GraphOperations operations(formed, steps_, loops_);
    for (const GraphOperation &x : operations.all()) {
        addParts(x, at->second.parts);
        whole.stream = x.step.stream;
        whole.uses.insert(whole.uses.end(), x.step.uses.begin(), x.step.uses.end());
        whole.host.insert(whole.host.end(), x.step.host.begin(), x.step.host.end());
    }
    for (auto *list : {&whole.uses, &whole.host}) {
        std::sort(list->begin(), list->end());
        list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    return at->second;
}

/// What a formed region must wait for, its gate does.
void StreamOrder::entering(Block &b, StreamKnowledge &now) {
    auto *formed = dyn_cast<Region>(&b);
    if (!formed || formed->graph != GraphMark::Formed)
        return;
    const auto &[whole, parts, gate] = graph(*formed);
    if (!gate)
        return;
    for (const auto &[key, before] : now.pendingOn(memoriesOf(whole))) {
        const auto hits = [&use = key.use](MemoryUse u) { return conflict(u, use); };
        const bool host = std::any_of(whole.host.begin(), whole.host.end(), hits);
        const auto at = now.pending.find(key);
        if (at == now.pending.end() ||
            (!host && ((at->second.covered >> whole.stream & 1) || std::none_of(whole.uses.begin(), whole.uses.end(), hits))))
            continue;
        const std::vector<StreamStep> steps = steps_.of(*gate);
        if (repaired(now, {gate, steps.size(), &steps, key, before, host, false, formed, whole.stream}))
            waited(now, key.stream, host, whole.stream);
    }
}

/// Where the host looks at flags of loops inside, it waits on the host path only: the operations of a graph may still run.
void StreamOrder::leaving(Block &b, StreamKnowledge &now) {
    if (auto *formed = dyn_cast<Region>(&b); formed && formed->graph == GraphMark::Formed)
        for (const StreamStep &part : graph(*formed).parts)
            now.operation(part, steps_);
}

/// What the gate has been given now: the host, or a stream, waits for all that another stream comes after.
void StreamOrder::waited(StreamKnowledge &now, int forStream, bool host, int stream) {
    if (host)
        return now.order({AsyncOp::Synchronise, forStream, -1, {}});
    for (auto &[key, access] : now.pending)
        if (access.covered >> forStream & 1)
            access.covered |= uint64_t(1) << stream;
}

/// False: the state has been changed.
bool StreamOrder::walkThrough(State &s, StreamKnowledge &now) {
    auto [cached, isNew] = cache_.try_emplace(&s);
    if (isNew)
        cached->second = steps_.of(s);
    const std::vector<StreamStep> steps = cached->second; // the cache forgets what is changed
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const StreamStep &step = steps[i];
        if (step.kind == StreamStep::Async) {
            now.order(step.async);
        } else if (step.kind == StreamStep::Nested) {
            now = whole(*static_cast<NestedSDFGNode *>(step.node)->sdfg, std::move(now));
        } else {
            if (check(s, steps, i, now))
                return false;
            if (step.kind == StreamStep::Operation)
                now.operation(step, steps_);
        }
    }
    if (atEnd(s, steps, now))
        return false;
    forget(steps, now);
    return true;
}

StreamKnowledge StreamOrder::state(State &s, StreamKnowledge in) {
    if (!repairs_) {
        walkThrough(s, in);
        return in;
    }
    StreamKnowledge now = in;
    while (!walkThrough(s, now))
        now = in;
    return now;
}

} // namespace sdfgc::analysis

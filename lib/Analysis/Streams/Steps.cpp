// The steps of a state and the memory that they access.
#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

namespace {

bool isKernel(const Node &n) {
    const auto *m = dyn_cast<MapEntry>(&n);
    return m && isGpuSchedule(m->schedule);
}

/// The access node at the far end of an edge's path, if there is one.
const AccessNode *end(const Edge *e, bool source) { return dyn_cast<AccessNode>(source ? pathSource(e) : pathDestination(e)); }

} // namespace

bool copiesAtDestination(const Node &destination) { return destination.inEdges().size() > 1; }

StreamSteps::StreamSteps(SDFG &root) : memories_(root) {
    for (SDFG *g : allSDFGs(root))
        for (Name n : containersReadByControlFlow(*g))
            controlled_.insert(memory(*g, n));
}

bool StreamSteps::isShared(SDFG &g, Name data) {
    auto [it, isNew] = shared_.try_emplace(&g);
    if (isNew)
        it->second = sharedContainers(g);
    return it->second.count(data) != 0;
}

bool StreamSteps::isDevice(Memory m) const {
    const DataDesc *d = memories_.desc(m);
    return d && d->storage == Storage::GPU_Global;
}

bool StreamSteps::isSeenByThreads(Memory m) const {
    const DataDesc *d = memories_.desc(m);
    return !d || d->storage != Storage::Register;
}

bool StreamSteps::endsWithState(MemoryUse use) const {
    if (isDevice(use.memory))
        return false;
    const DataDesc *d = memories_.desc(use.memory);
    return !d || d->transient || (use.write && controlled_.count(use.memory));
}

// ---------------------------------------------------------------------------------------------------- one state

class StreamSteps::StepCollector {
public:
    StepCollector(StreamSteps &all, State &s, Executor executor) : all_(all), state_(s), scopes_(s), executor_(executor) {}

    std::vector<StreamStep> run() {
        for (Node *n : scopes_.children(nullptr))
            node(*n);
        return std::move(steps_);
    }

    std::vector<StreamStep> phases(Node *entry) {
        for (Node *n : scopes_.children(entry))
            phase(*n);
        return std::move(steps_);
    }

private:
    void use(std::vector<MemoryUse> &list, const AccessNode *a, bool write) {
        if (!a)
            return;
        MemoryUse u{all_.memory(*a), write};
        if (std::find(list.begin(), list.end(), u) == list.end())
            list.push_back(u);
    }
    bool touchesDevice(const std::vector<MemoryUse> &uses) const {
        return std::any_of(uses.begin(), uses.end(), [this](MemoryUse u) { return all_.isDevice(u.memory); });
    }
    /// All accesses by the edges of a node (for a scope: of its entry and exit).
    std::vector<MemoryUse> around(const Node &entry, const Node &exit) {
        std::vector<MemoryUse> out;
        for (const Edge *e : entry.inEdges())
            if (!e->memlet.isEmpty())
                use(out, end(e, true), false);
        for (const Edge *e : exit.outEdges())
            if (!e->memlet.isEmpty()) {
                use(out, end(e, false), true);
                if (!e->memlet.wcr.empty())
                    use(out, end(e, false), false);
            }
        return out;
    }

    void node(Node &n) {
        switch (n.kind()) {
        case NodeKind::Access:
            return accessNode(static_cast<AccessNode &>(n));
        case NodeKind::MapEntry:
            return scope(n, *static_cast<MapEntry &>(n).exit);
        case NodeKind::ConsumeEntry:
            return scope(n, *static_cast<ConsumeEntry &>(n).exit);
        case NodeKind::NestedSDFG:
            if (static_cast<NestedSDFGNode &>(n).sdfg)
                add(StreamStep::Nested, n);
            return;
        case NodeKind::Library:
            return library(static_cast<LibraryNode &>(n));
        case NodeKind::Tasklet:
            return code(n);
        default:
            return;
        }
    }
    StreamStep &add(StreamStep::Kind kind, Node &n) {
        StreamStep s;
        s.kind = kind;
        s.node = &n;
        s.stream = streamOf(n);
        steps_.push_back(std::move(s));
        return steps_.back();
    }
    void library(LibraryNode &n) {
        if (&n == all_.ignored)
            return;
        auto op = asyncOp(n);
        if (op && op->usesPool())
            add(StreamStep::Operation, n).uses = {{all_.memory(*state_.sdfg(), op->data), true}};
        else if (op)
            add(StreamStep::Async, n).async = *op;
        else
            code(n);
    }
    /// A tasklet or library call: an operation on its stream if it gets device memory, otherwise on the host.
    void code(Node &n) {
        std::vector<MemoryUse> uses = around(n, n);
        if (uses.empty())
            return;
        const bool device = touchesDevice(uses);
        StreamStep &s = add(device ? StreamStep::Operation : StreamStep::Host, n);
        for (MemoryUse u : uses)
            (device && all_.isDevice(u.memory) ? s.uses : s.host).push_back(u);
        // A copy or fill node also passes host memory to the device.
        if (device && isa<LibraryNode>(&n))
            s.uses.insert(s.uses.end(), s.host.begin(), s.host.end()), s.host.clear();
    }
    /// A kernel, or a map on the host, which is an operation if it contains kernels.
    void scope(Node &entry, Node &exit) {
        std::vector<MemoryUse> uses = around(entry, exit);
        inside(entry, uses);
        const bool device = isKernel(entry) || touchesDevice(uses);
        StreamStep &s = add(device ? StreamStep::Operation : StreamStep::Host, entry);
        for (MemoryUse u : uses) {
            const bool byDevice = all_.isDevice(u.memory) || (device && (isPinned(u.memory) || u.write));
            if (device && byDevice)
                s.uses.push_back(u);
            if (!byDevice || !isKernel(entry))
                s.host.push_back(u);
        }
    }
    /// Containers that a scope uses without an edge through its entry or exit.
    void inside(const Node &entry, std::vector<MemoryUse> &out) { inside(entry, entry, out); }
    void inside(const Node &scope, const Node &entry, std::vector<MemoryUse> &out) {
        for (const Node *n : scopes_.children(&scope)) {
            const auto *a = dyn_cast<AccessNode>(n);
            if (a && isShared(entry, a->data)) {
                if (!a->outEdges().empty())
                    use(out, a, false);
                if (!a->inEdges().empty())
                    use(out, a, true);
            } else if (n->isEntry()) {
                inside(*n, entry, out);
            }
        }
    }
    /// Is the container shared, rather than private to each iteration of the scope?
    bool isShared(const Node &entry, Name data) const {
        if (all_.isShared(*state_.sdfg(), data))
            return true;
        return executor_ == Executor::Grid && std::any_of(state_.nodes().begin(), state_.nodes().end(), [&](const auto &n) {
                   const auto *a = dyn_cast<AccessNode>(n.get());
                   const std::vector<Node *> around = a && a->data == data ? scopes_.enclosing(a) : std::vector<Node *>();
                   return a && a->data == data && std::find(around.begin(), around.end(), &entry) == around.end();
               });
    }
    bool isPinned(Memory m) const {
        const DataDesc *d = all_.memories_.desc(m);
        return d && d->storage == Storage::CPU_Pinned;
    }

    /// Copies, at the point where they are performed.
    void accessNode(AccessNode &n) {
        for (Edge *e : n.inEdges())
            if (isa<AccessNode>(e->src) && copiesAtDestination(n) && isTransfer(*e))
                copy(*e);
        for (Edge *e : n.outEdges())
            if (isa<AccessNode>(e->dst) && !copiesAtDestination(*e->dst) && isTransfer(*e))
                copy(*e);
    }
    void copy(Edge &e) {
        std::vector<MemoryUse> uses;
        use(uses, static_cast<AccessNode *>(e.src), false);
        use(uses, static_cast<AccessNode *>(e.dst), true);
        if (!e.memlet.wcr.empty())
            use(uses, static_cast<AccessNode *>(e.dst), false);
        const bool device = touchesDevice(uses);
        StreamStep &s = add(device ? StreamStep::Operation : StreamStep::Host, *e.dst);
        s.edge = &e;
        s.stream = e.memlet.stream.value_or(0);
        (device ? s.uses : s.host) = std::move(uses);
    }

    // ---- inside of kernels
    void phase(Node &n) {
        switch (n.kind()) {
        case NodeKind::Access:
            return phaseOfAccess(static_cast<AccessNode &>(n));
        case NodeKind::NestedSDFG:
            if (SDFG *g = static_cast<NestedSDFGNode &>(n).sdfg.get())
                add(StreamStep::Nested, n).uses = all_.conditionsOf(*g);
            return;
        case NodeKind::MapEntry: {
            auto &m = static_cast<MapEntry &>(n);
            const bool spread = isThreadBlock(m.schedule) || (executor_ == Executor::Grid && m.schedule == Schedule::GPU_Device);
            if (!spread) {
                StreamStep &loop = add(StreamStep::Loop, n);
                for (const Edge *e : n.inEdges())
                    if (isDynamicRange(e->dstConn))
                        use(loop.uses, end(e, true), false); // a bound
                return;
            }
            std::vector<MemoryUse> uses = around(m, *m.exit);
            inside(m, uses);
            return phaseOf(n, nullptr, uses);
        }
        case NodeKind::Library:
            if (const auto op = asyncOp(static_cast<LibraryNode &>(n)); !op)
                phaseOf(n, nullptr, around(n, n));
            else if (&n != all_.ignored)
                add(StreamStep::Async, n).async = *op;
            return;
        case NodeKind::Tasklet:
            return phaseOf(n, nullptr, around(n, n));
        default:
            return;
        }
    }
    void phaseOf(Node &n, Edge *edge, const std::vector<MemoryUse> &uses) {
        StreamStep &s = add(StreamStep::Operation, n);
        s.edge = edge;
        s.ofFirstBlock = executor_ == Executor::Grid && (edge ? isOfFirstBlock(*edge) : isOfFirstBlock(n));
        for (MemoryUse u : uses)
            if (all_.isSeenByThreads(u.memory))
                s.uses.push_back(u);
    }
    /// As lowered (lib/Lower/Kernels): iterations are distributed from the first block on, and the first thread runs tasklets; but all
    /// threads run those that only write registers, and one of each block those that write shared memory.
    bool isOfFirstBlock(const Node &n) const {
        if (const auto *m = dyn_cast<MapEntry>(&n))
            return m->schedule == Schedule::GPU_Device &&
                   (!m->gpuGridLimit.empty() ||
                    std::all_of(m->ranges.begin(), m->ranges.end(), [](const sym::Range &r) { return r.steps().isOne(); }));
        const auto isOfGrid = [&](const Edge *e) {
            const AccessNode *a = end(e, false);
            const DataDesc *d = a ? state_.sdfg()->desc(a->data) : nullptr;
            return a && (!d || (d->storage != Storage::Register && d->storage != Storage::GPU_Shared));
        };
        return isa<Tasklet>(&n) && std::any_of(n.outEdges().begin(), n.outEdges().end(), isOfGrid);
    }
    /// A copy of one element.
    bool isOfFirstBlock(const Edge &copy) const {
        const AccessNode *to = end(&copy, false);
        const DataDesc *d = to ? state_.sdfg()->desc(to->data) : nullptr;
        const auto read = sourceSubset(&copy), written = destinationSubset(&copy);
        return d && d->storage != Storage::Register && d->storage != Storage::GPU_Shared &&
               ((read && read->isOneElement()) || (written && written->isOneElement()));
    }
    /// Copies, where the lowered program performs them (lib/Lower/Flow/States.cpp, lowerAccess).
    void phaseOfAccess(AccessNode &n) {
        auto copied = [&](Edge *e) {
            if (setsReference(e))
                return; // each thread has its own reference, and takes an address
            std::vector<MemoryUse> uses;
            use(uses, end(e, true), false);
            use(uses, end(e, false), true);
            phaseOf(n, e, uses);
        };
        for (Edge *e : n.inEdges())
            if ((e->src->isEntry() || copiesAtDestination(n)) && isTransfer(*e))
                copied(e);
        for (Edge *e : n.outEdges())
            if ((e->dst->isExit() || !copiesAtDestination(*e->dst)) && isTransfer(*e))
                copied(e);
    }

    StreamSteps &all_;
    State &state_;
    ScopeTree scopes_;
    Executor executor_;
    std::vector<StreamStep> steps_;
};

std::vector<StreamStep> StreamSteps::of(State &s) { return StepCollector(*this, s, Executor::Host).run(); }
std::vector<StreamStep> StreamSteps::phasesOf(State &s, Node *entry, Executor executor) {
    return StepCollector(*this, s, executor).phases(entry);
}

std::vector<MemoryUse> StreamSteps::conditionsOf(SDFG &g) {
    std::vector<MemoryUse> out;
    for (Name n : containersReadByControlFlow(g))
        if (const Memory m = memory(g, n); isSeenByThreads(m))
            out.push_back({m, false});
    return out;
}

} // namespace sdfgc::analysis

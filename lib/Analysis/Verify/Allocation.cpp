// The level `allocated`: every container is declared exactly once, in permitted memory, and its memory is available on every path
// to a use (sdfgc/Analysis/Memory/Allocation.h, sdfgc/Analysis/Device/Async.h). Memory of the device's pool is available between
// Allocate and Free; Streams.cpp checks that streams respect this order, since both nodes write the container.
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Analysis/Streams/Streams.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

namespace {

/// Containers allocated by nodes that may have no memory at this point.
struct Missing {
    std::set<Memory> memories;
    void join(const Missing &other) { memories.insert(other.memories.begin(), other.memories.end()); }
    bool sameAs(const Missing &other) const { return memories == other.memories; }
};

class MemoryWalk : private FlowWalk<Missing> {
public:
    using Found = std::function<void(const StreamStep &, Memory)>;
    MemoryWalk(SDFG &root, StreamSteps &steps, Found found) : root_(root), steps_(steps), found_(std::move(found)) {}

    void run() {
        Missing none;
        for (SDFG *g : allSDFGs(root_))
            for (const std::set<Name> &names : {pooledContainers(*g), reservedContainers(*g)})
                for (Name data : names)
                    none.memories.insert(steps_.memory(*g, data));
        if (!none.memories.empty())
            whole(root_, std::move(none));
    }

private:
    static std::optional<AsyncOp> operation(const StreamStep &step) {
        const auto *l = dyn_cast<LibraryNode>(step.node);
        return l ? asyncOp(*l) : std::nullopt;
    }

    Missing state(State &s, Missing now) override {
        for (const StreamStep &step : steps_.of(s)) {
            const std::optional<AsyncOp> op = operation(step);
            if (op && (op->kind == AsyncOp::Reserve || op->kind == AsyncOp::Allocate)) {
                now.memories.erase(steps_.memory(*s.sdfg(), op->data));
                continue;
            }
            for (const auto *list : {&step.uses, &step.host})
                for (MemoryUse u : *list)
                    if (now.memories.erase(u.memory) && reported_.insert({step.node, u.memory}).second)
                        found_(step, u.memory);
            if (step.kind == StreamStep::Nested)
                now = whole(*static_cast<NestedSDFGNode *>(step.node)->sdfg, std::move(now));
            if (op && op->kind == AsyncOp::Free)
                now.memories.insert(steps_.memory(*s.sdfg(), op->data));
        }
        return now;
    }

    SDFG &root_;
    StreamSteps &steps_;
    Found found_;
    std::set<std::pair<const Node *, Memory>> reported_;
};

/// The problem with the arena of a container in a kernel, or with an arena; empty if there is none.
std::string arenaProblem(const SDFG &g, const DataDesc &d, const State *s, const Node *scope) {
    if (!isInArena(d))
        return d.arena ? "it has memory of its own, but names `" + d.arena.str() + "`" : "";
    const MapEntry *kernel = kernelAround(g, s, scope);
    if (!kernel) // the arena itself
        return d.arena || d.storage != Storage::GPU_Global ? "it is outside of kernels" : "";
    const DataDesc *arena = kernel->state()->sdfg()->arrays.find(d.arena);
    return arena && arena->transient && arena->memory == d.memory && arena->dtype == d.dtype
               ? ""
               : "the SDFG that starts the kernel has no such container `" + d.arena.str() + "`";
}

} // namespace

/// Checks that the memory is available, and not yet released, on every path to a use.
void Verifier::memoryOnPaths(const SDFG &constRoot) {
    SDFG &root = unchanged(constRoot);
    const std::vector<SDFG *> all = allSDFGs(root);
    if (std::all_of(all.begin(), all.end(),
                    [](const SDFG *g) { return pooledContainers(*g).empty() && reservedContainers(*g).empty(); }))
        return;
    StreamSteps steps(root);
    MemoryWalk(root, steps, [&](const StreamStep &step, Memory m) {
        if (step.edge)
            report(diag::Id::MemoryMissing, *step.edge, steps.name(m));
        else
            report(diag::Id::MemoryMissing, *step.node, steps.name(m));
    }).run();
}

/// Checks that every container in use has one declaration that encloses its uses, a size that is known there, and suitable memory.
void Verifier::declarations(const SDFG &constRoot) {
    SDFG &root = unchanged(constRoot);
    MemoryTable table(true); // the target only affects choices
    OuterValues values;
    for (const SDFG *g : allSDFGs(root)) {
        const Declarations places = declarationsOf(*g);
        for (Name n : places.top)
            if (const DataDesc &d = *g->arrays.find(n); d.lifetime == Lifetime::Scope || d.lifetime == Lifetime::State)
                report(diag::Id::UsedBeyondLifetime, placeOf(*g, d, n), n.str(), std::string(name(d.lifetime)));
        forEachDeclaration(*g, places, [&](Name n, const DataDesc &d, const State *s, const Node *scope) {
            const MemoryFacts facts = table.facts(*g, n, d, s, scope);
            const std::string problem = memoryProblem(d, facts, d.memory);
            if (d.memory == MemoryKind::Undecided)
                report(diag::Id::UndecidedMemory, placeOf(*g, d, n), n.str());
            else if (const std::string wrong = arenaProblem(*g, d, s, scope); !wrong.empty())
                report(diag::Id::UnsuitableMemory, placeOf(*g, d, n), n.str(), std::string(name(d.memory)), wrong);
            else if (!problem.empty())
                report(diag::Id::UnsuitableMemory, placeOf(*g, d, n), n.str(), std::string(name(d.memory)), problem);
            // An arena is reserved in front of its kernel.
            if (facts.reserved || facts.pooled || s || d.memory == MemoryKind::Field || isInArena(d))
                return;
            if (values.isSizeAssigned(*g, d) || (d.lifetime == Lifetime::Global && values.of(*g, d.totalSize).computed))
                report(diag::Id::SizeNotKnown, placeOf(*g, d, n), n.str(), d.totalSize.str());
        });
    }
}

} // namespace sdfgc::analysis

// pool-memory: allocate transient device memory from the device's pool and release it to the pool, in stream order.
//
//   before:  A -> gA -> map GPU_Device -> gB -> B        after:  Allocate gA; Allocate gB
//            (gA, gB: GPU_Global, pool)                          A -> gA -> map GPU_Device -> gB -> B
//                                                                Free gA after the map; Free gB after the copy
//
// Allocate and Free are operations that write the container (sdfgc/Analysis/Device/Async.h). assign-streams therefore gives
// them streams, order-streams adds events between them and uses in other streams, and the verifier checks that nothing
// uses the memory before Allocate or after Free.
//
// Legal when:
//   1. the container has the property `pool`, or is a transient in GPU_Global and the option covers all of these; it
//      lives no longer than a call, is used only at the top level of states, not by control flow, and not through
//      references;
//   2. all uses are in one state at the top level of the SDFG, which then contains both nodes; or they are in several
//      blocks of an SDFG that is a sequence. In that case states are added before the first and after the last of these
//      blocks, and the memory keeps its contents in between;
//   3. no GPU graph uses it, because such memory keeps its address from call to call.
//
// All other containers keep their own memory.
#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Device/GraphRegions.h"
#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::AsyncOp;
using analysis::StreamStep;
using diag::Why;

/// The block in the SDFG's top region that contains a state.
Block *topBlock(State &s, const SDFG &g) {
    Block *b = &s;
    while (b && (b->conditional() || b->parent() != &g)) // the parent of a branch's region is that of its conditional
        b = b->conditional() ? static_cast<Block *>(b->conditional()) : b->parent();
    return b;
}

bool isSequence(const SDFG &g) {
    return std::all_of(g.blocks().begin(), g.blocks().end(),
                       [&](const auto &b) { return b->inEdges().size() <= 1 && b->outEdges().size() <= 1; });
}

/// The uses of a container, or why the pool cannot serve it.
struct Uses {
    std::vector<Block *> blocks; // at the top level, in no particular order
    diag::Reason obstacle;
};

Uses usesOf(const SDFG &g, const analysis::ContainerUses &u) {
    Uses out;
    for (const AccessNode *a : u.nodes) {
        State *s = a->state();
        if (analysis::ScopeTree(*s).scopeOf(a))
            out.obstacle = {Why::Container, "it is used inside of a scope"};
        for (const Edge *e : a->outEdges())
            if (e->dstConn == Name("set"))
                out.obstacle = {Why::MayAlias, "a reference points to it"};
        if (analysis::graphAround(*s))
            out.obstacle = {Why::Allocation, "a GPU graph uses it, so its address must not change"};
        Block *top = topBlock(*s, g);
        if (std::find(out.blocks.begin(), out.blocks.end(), top) == out.blocks.end())
            out.blocks.push_back(top);
    }
    return out;
}

class Pools {
public:
    Pools(SDFG &root, bool all, pass::Context &context) : root_(root), all_(all), context_(context) {}

    bool run() {
        for (SDFG *g : allSDFGs(root_)) {
            if (g->parentNode && analysis::executorOf(*g->parentNode) != analysis::Executor::Host)
                continue;
            for (const auto &[name, uses] : wantedUses(*g))
                changed_ |= serve(*g, name, uses);
        }
        return changed_;
    }

private:
    bool wanted(const DataDesc &d) const {
        const bool shortLived = d.lifetime == Lifetime::Scope || d.lifetime == Lifetime::State || d.lifetime == Lifetime::SDFG;
        return d.transient && d.storage == Storage::GPU_Global && (d.pool || all_) && shortLived && d.alias == AliasKind::None &&
               (d.isArray() || d.isScalar());
    }
    /// The uses of the containers that the pool should serve, in the order of the SDFG's list, before any of them changes.
    std::vector<std::pair<Name, Uses>> wantedUses(const SDFG &g) const {
        std::vector<std::pair<Name, Uses>> out;
        const std::set<Name> served = analysis::pooledContainers(g);
        for (const auto &[name, d] : g.arrays)
            if (wanted(d) && !served.count(name))
                out.emplace_back(name, Uses());
        if (out.empty())
            return out;
        const std::map<Name, analysis::ContainerUses> all = analysis::usesOfContainers(g);
        const std::set<Name> controlled = analysis::containersReadByControlFlow(g);
        for (auto &[name, uses] : out) {
            if (auto found = all.find(name); found != all.end())
                uses = usesOf(g, found->second);
            if (!uses.obstacle && controlled.count(name))
                uses.obstacle = {Why::LiveOut, "control flow reads it"};
        }
        return out;
    }
    bool serve(SDFG &g, Name name, const Uses &uses) {
        const pass::Element element(elementName(g) + ", container " + name.str(), pass::Element(g, name).source);
        if (uses.blocks.empty())
            return false;
        State *only = uses.blocks.size() == 1 ? dyn_cast<State>(uses.blocks.front()) : nullptr;
        diag::Reason obstacle = uses.obstacle;
        if (!obstacle && !only && !isSequence(g))
            obstacle = {Why::ControlFlow, "the SDFG is not a sequence of states"};
        if (obstacle) {
            context_.missed(element, "separate memory", obstacle);
            return false;
        }
        if (only)
            inState(*only, g, name);
        else
            around(g, name, uses.blocks);
        context_.done(element, "memory from the pool");
        return true;
    }

    /// Allocate before every step that uses the memory, Free after all of them.
    void inState(State &s, SDFG &g, Name name) {
        analysis::StreamSteps &all = streamSteps();
        const analysis::Memory memory = all.memory(g, name);
        const std::vector<StreamStep> &steps = stepsOf(s);
        LibraryNode *allocate = analysis::addAsyncOp(s, {AsyncOp::Allocate, 0, -1, name});
        LibraryNode *release = analysis::addAsyncOp(s, {AsyncOp::Free, 0, -1, name});
        for (const StreamStep &step : steps)
            if (touches(all, step, memory)) {
                tie(s, allocate, step.node);
                tie(s, exitOf(step.node), release);
            }
        tie(s, allocate, release);
    }
    analysis::StreamSteps &streamSteps() {
        if (!streamSteps_)
            streamSteps_ = std::make_unique<analysis::StreamSteps>(root_);
        return *streamSteps_;
    }
    /// The steps before pool nodes were added to the state, since these are not uses.
    const std::vector<StreamStep> &stepsOf(State &s) {
        auto [at, isNew] = steps_.try_emplace(&s);
        if (isNew)
            at->second = streamSteps().of(s);
        return at->second;
    }
    static bool touches(analysis::StreamSteps &all, const StreamStep &step, analysis::Memory memory) {
        auto is = [memory](analysis::MemoryUse u) { return u.memory == memory; };
        if (std::any_of(step.uses.begin(), step.uses.end(), is) || std::any_of(step.host.begin(), step.host.end(), is))
            return true;
        if (step.kind != StreamStep::Nested)
            return false;
        auto at = [&](const Node *n) { return isa<AccessNode>(n) && all.memory(*static_cast<const AccessNode *>(n)) == memory; };
        return std::any_of(step.node->inEdges().begin(), step.node->inEdges().end(), [&](const Edge *e) { return at(e->src); }) ||
               std::any_of(step.node->outEdges().begin(), step.node->outEdges().end(), [&](const Edge *e) { return at(e->dst); });
    }

    void around(SDFG &g, Name name, const std::vector<Block *> &used) {
        std::vector<Block *> order = analysis::blocksInOrder(g);
        std::erase_if(order, [&](Block *b) { return std::find(used.begin(), used.end(), b) == used.end(); });
        if (order.empty())
            return; // unreachable
        State *front = g.addStateBefore(order.front(), g.freshLabel("allocate_" + name.str()));
        State *back = g.addStateAfter(order.back(), g.freshLabel("free_" + name.str()));
        analysis::addAsyncOp(*front,
                             {AsyncOp::Allocate, 0, -1, name}); // after the assignments on the edge, which sizes may depend on
        analysis::addAsyncOp(*back, {AsyncOp::Free, 0, -1, name});
    }

    SDFG &root_;
    bool all_;
    pass::Context &context_;
    std::unique_ptr<analysis::StreamSteps> streamSteps_; // once the pool serves a container
    std::map<const State *, std::vector<StreamStep>> steps_;
    bool changed_ = false;
};

class PoolMemory : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        const bool changed = Pools(root, option<bool>("all"), context).run();
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createPoolMemory() { return std::make_unique<PoolMemory>(); }

} // namespace sdfgc::transforms

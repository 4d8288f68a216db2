// place-barriers: insert barriers between dependent phases of a kernel, for the threads of a block or of the grid.
//
//   before:  map[b = 0:N:32] GPU_Device {                      after:  map[b = 0:N:32] GPU_Device {
//              map[t = 0:32] GPU_ThreadBlock { s[t] = A[b + t] }          map[t = 0:32] GPU_ThreadBlock { s[t] = A[b + t] }
//                                                                         Barrier
//              map[t = 0:32] GPU_ThreadBlock { B[b + t] = s[31 - t] }     map[t = 0:32] GPU_ThreadBlock { B[b + t] = s[31 - t] }
//            }                                                          }
//
// The walk of sdfgc/Analysis/Streams/Barriers.h reports where threads could run too early: where a phase reads or writes elements
// that an earlier one writes or reads, in the same iteration or, in loops, in the previous one. A node `Barrier` is inserted before
// that phase and tied to the phases around it. Phases that only the list order keeps apart are tied first. Existing barriers count.
// In persistent kernels, phases of the grid get `GridBarrier` nodes. If a condition inside a kernel reads a container, a barrier is
// added at the end of the state that writes it.
//
// A barrier of a grid of many blocks takes a hundred times as long as one of a block. So each one that was added is removed again if
// others turn out to be enough, or becomes a `Barrier` if only the first block depends on it:
//
//     for k {                                       the walk needs a barrier after the fill, and one before `sum` that the
//       map sum[_ = 0:1] {...}                      loop needs, after which the first block alone uses `r`
//       r = ...
//     }
#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Streams/Barriers.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <tuple>
#include <utility>
#include <vector>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::StreamStep;

/// The first node of a step: a copy is made at its source, unless other edges end at its destination.
Node *beginOf(const StreamStep &step) {
    const bool atSource =
        step.edge && step.node == step.edge->dst && !step.edge->src->isEntry() && !analysis::copiesAtDestination(*step.edge->dst);
    return atSource ? step.edge->src : step.node;
}

/// Inserts a barrier before the phase that would run too early: everything before the phase precedes the barrier, and the phase and
/// all later steps follow it. All copies from one node are performed together.
LibraryNode *insert(const analysis::PhaseConflict &c) {
    State &s = *c.state;
    const bool grid = c.executor == analysis::Executor::Grid;
    LibraryNode *barrier = analysis::addAsyncOp(s, {grid ? analysis::AsyncOp::GridBarrier : analysis::AsyncOp::Barrier, 0, -1});
    const std::vector<StreamStep> &steps = *c.steps;
    std::size_t at = c.step;
    while (at > 0 && at < steps.size() && beginOf(steps[at - 1]) == beginOf(steps[at]))
        --at;
    if (c.scope)
        tie(s, c.scope, barrier);
    for (std::size_t i = 0; i < at; ++i)
        tie(s, exitOf(steps[i].node), barrier);
    for (std::size_t i = at; i < steps.size(); ++i)
        tie(s, barrier, beginOf(steps[i]));
    if (c.scope && barrier->outEdges().empty())
        tie(s, barrier, exitOf(c.scope));
    return barrier;
}

/// Are the threads of a conflict those of a kernel with as many blocks as run at once?
bool haveManyBlocks(const analysis::PhaseConflict &c) {
    const auto isMany = [](const Node *n, bool &many) {
        const auto *m = dyn_cast<MapEntry>(n);
        const bool found = m && m->schedule == Schedule::GPU_Persistent;
        many = found && m->gpuGridLimit.empty();
        return found;
    };
    bool many = false;
    for (const Node *n = c.scope ? c.scope : c.state->sdfg()->parentNode; n; n = n->state()->sdfg()->parentNode) {
        if (isMany(n, many))
            return many;
        for (const Node *around : analysis::ScopeTree(*n->state()).enclosing(n))
            if (isMany(around, many))
                return many;
    }
    return false;
}

/// The barriers of grids that were inserted, which others may make superfluous.
class GridBarriers {
public:
    GridBarriers(SDFG &root, analysis::StreamSteps &steps) : root_(root), steps_(steps) {}

    void add(LibraryNode &n) { all_.push_back(&n); }

    void relax() {
        for (LibraryNode *n : all_) {
            if (isOrderedWithout(n))
                remove(*n);
            else
                weaken(*n);
        }
    }

private:
    bool isOrderedWithout(const Node *ignored) {
        steps_.ignored = ignored;
        bool ordered = true;
        analysis::PhaseOrder(root_, steps_).run([&](const analysis::PhaseConflict &) { return ordered = false; });
        steps_.ignored = nullptr;
        return ordered;
    }

    static void remove(LibraryNode &n) {
        State &s = *n.state();
        for (const Edge *before : n.inEdges())
            for (const Edge *after : n.outEdges())
                if (!(before->src->isEntry() && after->dst->isExit()))
                    tie(s, before->src, after->dst);
        s.removeNodes({&n});
    }

    void weaken(LibraryNode &n) {
        State &s = *n.state();
        LibraryNode *block = analysis::addAsyncOp(s, {analysis::AsyncOp::Barrier, 0, -1});
        for (const Edge *before : n.inEdges())
            tie(s, before->src, block);
        for (const Edge *after : n.outEdges())
            tie(s, block, after->dst);
        s.removeNodes({isOrderedWithout(&n) ? &n : block});
    }

    SDFG &root_;
    analysis::StreamSteps &steps_;
    std::vector<LibraryNode *> all_;
};

class PlaceBarriers : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        analysis::StreamSteps steps(root);
        GridBarriers inserted(root, steps);
        bool changed = false;
        // A barrier that does not help must not be inserted again and again; the verifier will report the conflict.
        std::tuple<const Node *, const Edge *, const State *, analysis::MemoryUse> last;
        analysis::PhaseOrder(root, steps).run([&](const analysis::PhaseConflict &c) {
            const StreamStep *later = c.step < c.steps->size() ? &(*c.steps)[c.step] : nullptr;
            const std::tuple now(later ? later->node : nullptr, later ? later->edge : nullptr, c.state, c.use);
            if (std::exchange(last, now) == now)
                return false;
            const diag::SourceLoc source = later && later->node   ? pass::Element(*later->node).source
                                           : later && later->edge ? pass::Element(*later->edge).source
                                                                  : pass::Element(*c.state).source;
            context.done({c.laterName(), source}, "threads wait before it: `" + steps.name(c.use.memory) + "`");
            LibraryNode *barrier = insert(c);
            if (c.executor == analysis::Executor::Grid && haveManyBlocks(c))
                inserted.add(*barrier);
            return changed = true;
        });
        inserted.relax();
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createPlaceBarriers() { return std::make_unique<PlaceBarriers>(); }

} // namespace sdfgc::transforms

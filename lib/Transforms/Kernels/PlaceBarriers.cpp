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
#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Streams/Barriers.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <tuple>
#include <utility>

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
void insert(const analysis::PhaseConflict &c) {
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
}

class PlaceBarriers : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        analysis::StreamSteps steps(root);
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
            insert(c);
            return changed = true;
        });
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createPlaceBarriers() { return std::make_unique<PlaceBarriers>(); }

} // namespace sdfgc::transforms

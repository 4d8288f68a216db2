// place-barriers: the threads of a block, or of a grid, wait for each other where the phases of a kernel depend on each other.
//
//   before:  map[b = 0:N:32] GPU_Device {                      after:  map[b = 0:N:32] GPU_Device {
//              map[t = 0:32] GPU_ThreadBlock { s[t] = A[b + t] }          map[t = 0:32] GPU_ThreadBlock { s[t] = A[b + t] }
//                                                                         Barrier
//              map[t = 0:32] GPU_ThreadBlock { B[b + t] = s[31 - t] }     map[t = 0:32] GPU_ThreadBlock { B[b + t] = s[31 - t] }
//            }                                                          }
//
// The walk of sdfgc/Analysis/Barriers.h tells where threads could be too early: a phase reads or writes what an earlier one writes
// or reads, in the same iteration or, in loops, in the one before. In front of that phase a node `Barrier` is put, tied to the
// phases around it. Phases that only list order keeps apart are tied first. Barriers that are there already count. In persistent
// kernels, phases of the grid get nodes `GridBarrier`; what conditions inside of a kernel read gets one at the end of the state
// that writes it.
#include "Transforms/Nodes.h"

#include "sdfgc/Analysis/Barriers.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::StreamStep;

/// A barrier in front of the phase that comes too early: after all before it, before all from it on.
void insert(const analysis::PhaseConflict &c) {
    State &s = *c.state;
    const bool grid = c.executor == analysis::Executor::Grid;
    LibraryNode *barrier = analysis::addAsyncOp(s, {grid ? analysis::AsyncOp::GridBarrier : analysis::AsyncOp::Barrier, 0, -1});
    const std::vector<StreamStep> &steps = *c.steps;
    if (c.scope)
        tie(s, c.scope, barrier);
    for (std::size_t i = 0; i < c.step; ++i)
        tie(s, exitOf(steps[i].node), barrier);
    for (std::size_t i = c.step; i < steps.size(); ++i)
        tie(s, barrier, steps[i].node);
    if (c.scope && barrier->outEdges().empty())
        tie(s, barrier, exitOf(c.scope));
}

class PlaceBarriers : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        analysis::StreamSteps steps(root);
        bool changed = false;
        analysis::PhaseOrder(root, steps, [&](const analysis::PhaseConflict &c) {
            context.done(c.laterName(), "threads wait in front of it: `" + steps.name(c.use.memory) + "`");
            insert(c);
            return changed = true;
        }).run();
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createPlaceBarriers() { return std::make_unique<PlaceBarriers>(); }

} // namespace sdfgc::transforms

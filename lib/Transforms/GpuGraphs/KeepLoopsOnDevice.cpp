// keep-loops-on-device: let the device control loops whose conditions depend on its results.
//
//   before:  state copy { gpu_err -> err }        after:  state arm { kernel: gpu_it = 0; go = gpu_err > tol and gpu_it < most }
//            it = 0                                       state look { go -> host_go }
//            while err > tol and it < most {              while host_go {
//                state body { kernels -> gpu_err }            state body { kernels -> gpu_err }
//                it = it + 1                                  state assign { kernel: gpu_it = gpu_it + 1 }
//                state copy { gpu_err -> err }                state step { kernel: go = gpu_err > tol and gpu_it < most }
//            }                                                state look_1 { go -> host_go }
//                                                         }
//
// On the host, such a loop waits for the device in every iteration. In the new form it can be part of a GPU graph
// (form-gpu-graphs): the device reads the flag `go` itself, and the host launches all iterations as one operation.
// Without graphs, or without loops in graphs, the same kernels run on the same memory, and the host reads the flag,
// which is one byte.
//
// Legal when:
//   1. all loops inside the loop can be moved as well, including counted ones: a graph cannot return to the host in
//      between. Graphs have no jumps either, so break and continue become conditions (LoopJumps.h);
//   2. a kernel of one thread can compute everything that controls the loops (conditions, initial values, steps,
//      assignments on inner edges): from symbols, elements in device memory, and host scalars that nothing inside
//      changes. A host copy of device memory that was made just before (offload-to-gpu) stands for that memory;
//   3. sizes of kernels, copies and containers do not depend on symbols that are assigned inside. These symbols become
//      elements in device memory, which kernels read;
//   4. everything else inside can be part of a graph (sdfgc/Analysis/Device/GraphRegions.h).
//
// Kernels after the loop that need its symbols also read them from device memory and join the graph. Symbols and copies
// that the host reads later, or with which the loop begins again, are copied back after it; what only the caller receives is
// copied at the end of the program.
//
// Not handled: loops that do not depend on the device. The host runs them without waiting, unless the option `counted`
// asks to move them: then all iterations are one launch.
#include "Transforms/GpuGraphs/GraphWishes.h"
#include "Transforms/GpuGraphs/LoopJumps.h"
#include "Transforms/GpuGraphs/LoopNest.h"

#include "sdfgc/Transforms/Passes.h"

#include <optional>

namespace sdfgc::transforms {
namespace {

using namespace ir;

class Keeper {
public:
    Keeper(SDFG &root, const GraphWishes &wishes, bool counted, pass::Context &context)
        : root_(root), wishes_(wishes), counted_(counted), context_(context) {}

    bool run() {
        region(root_, wishes_.general());
        return changed_;
    }

private:
    void region(Region &r, const GraphWish &around) {
        const GraphWish wish = wishes_.inside(r, around);
        std::vector<State *> states;
        std::vector<Block *> others;
        for (const auto &b : r.blocks()) {
            if (auto *s = dyn_cast<State>(b.get()))
                states.push_back(s);
            else
                others.push_back(b.get());
        }
        for (State *s : states) // before loops move: states with nothing but copies for one move with it
            for (NestedSDFGNode *n : nodesOf<NestedSDFGNode>(*s))
                if (n->sdfg && blockers().onHost(*n->sdfg))
                    region(*n->sdfg, wish);
        for (Block *b : others)
            block(*b, wish);
    }
    void block(Block &b, const GraphWish &wish) {
        if (auto *l = dyn_cast<LoopRegion>(&b); l && !wishes_.inside(*l, wish).isOff() && !GraphWishes::saysOff(*l) && loop(*l))
            return;
        if (auto *c = dyn_cast<ConditionalBlock>(&b)) {
            for (const auto &branch : c->branches())
                region(*branch.region, wish);
        } else if (auto *inner = dyn_cast<Region>(&b)) {
            region(*inner, wish);
        }
    }

    /// Returns true if the loop moved to the device.
    bool loop(LoopRegion &l) {
        if (blockers().isDecided(l))
            return true;
        DeviceLoopNest nest(l, blockers(), context_.options.hasDaceMeaning());
        if (!nest.readsDevice() && !counted_)
            return false;
        if (LoopJumps jumps(l); jumps.canReplace())
            return withJumps(l, jumps);
        return moves(l, nest);
    }
    /// The same for a loop with jumps, which is left alone if it does not move.
    bool withJumps(LoopRegion &l, LoopJumps &jumps) {
        jumps.replace();
        blockers_.reset(); // these describe the original program
        DeviceLoopNest nest(l, blockers(), context_.options.hasDaceMeaning(), jumps.guards());
        nest.readsDevice();
        if (moves(l, nest, &jumps))
            return true;
        jumps.undo();
        root_.renumber();
        blockers_.reset();
        return false;
    }
    bool moves(LoopRegion &l, DeviceLoopNest &nest, LoopJumps *jumps = nullptr) {
        const pass::Element element(l);
        if (const diag::Reason why = nest.plan()) {
            context_.missed(element, "its number of iterations is determined on the host", why);
            return false;
        }
        if (jumps)
            jumps->enter();
        nest.move();
        root_.renumber();
        context_.done(element, "its number of iterations is determined on the device" + nest.moved());
        blockers_.reset();
        return changed_ = true;
    }
    analysis::GraphBlockers &blockers() {
        if (!blockers_)
            blockers_.emplace(root_);
        return *blockers_;
    }

    SDFG &root_;
    const GraphWishes &wishes_;
    const bool counted_;
    pass::Context &context_;
    std::optional<analysis::GraphBlockers> blockers_;
    bool changed_ = false;
};

class KeepLoopsOnDevice : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        const auto wishes = GraphWishes::of(root, option<std::optional<pass::GpuGraphMode>>("mode"), context);
        return wishes && Keeper(root, *wishes, option<bool>("counted"), context).run();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createKeepLoopsOnDevice() { return std::make_unique<KeepLoopsOnDevice>(); }

} // namespace sdfgc::transforms

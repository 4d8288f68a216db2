// loops-to-maps: turn loops with independent iterations into maps.
//
//     for i = 0; i < N; i = i + 1 {                     map[i = 0:N] {
//         state { map[j = 0:M] { B[i, j] = ... } }  ->      map[j = 0:M] { B[i, j] = ... }
//         state { s[i] = ... }                              s[i] = ...
//     }                                                 }
//
// Legal when (docs/user/optimiser.md, *Loops with conditions*):
//   1. the loop counts by a constant to a bound that its body does not change. The map counts up in either case. If the
//      last value of the loop variable is needed, it is assigned after the map;
//   2. the body has no effects beyond its accesses of containers, no jump out of the loop, and each symbol that it
//      assigns is assigned before it is read, on every path of an iteration, and not read after the loop; or iterations
//      only update it, in any order (BodyReductions.h).
//      A body that is a sequence of states and loops becomes the content of the map; an inner loop whose iterations
//      depend on each other becomes an ordered map (LoopItems.h). Any other body (conditions, symbols assigned on edges,
//      views of parts that move) becomes a nested SDFG in the map, as it is (LoopBody.h, CallBlocks.h);
//   3. no two conflicting accesses of a container are in different iterations. Four kinds of containers are exempt:
//      - scratch: each iteration writes the elements that it reads before it reads them (BodyCover.h), and nothing reads
//        values of the loop after it (LoopScratch.h). Each iteration gets a private copy. Containers of more than 64 elements
//        are allocated again in each iteration, so it must have loops of its own;
//      - an integer element that all iterations only add to, or update in a similar way (RaiseReductions.h): it is
//        updated with conflict resolution, in any order;
//      - single elements that iterations of a body with control flow only update (BodyReductions.h): counters, flags,
//        minima and maxima under conditions;
//      - sums of array elements that are already updates with conflict resolution. The order of the sums is then free
//        (class F1), but one thread runs the map, and teams run its inner maps as before; otherwise threads would need
//        atomic updates;
//   4. the body calls no library, since libraries have threads of their own. Sums of products are exempt if their
//      operand is a column, next to the column of the next iteration: they are faster as maps, because jam-maps can
//      make them walk along the rows;
//   5. the loop is not known to have only a few iterations.
//
// Parallel maps in the body become sequential: one level of teams is enough, and the outermost is the cheapest. Reduce
// nodes in the body become maps. Results are bitwise identical, with two exceptions of class F1: sums of library nodes
// then follow the order of the loops, and a minimum or maximum of real numbers may differ if some of them are NaN, or
// zeros of both signs. With --reductions ordered, Reduce nodes use that order anyway, products stay calls, and such
// loops stay loops.
//
// Inner loops are converted first, so that a loop nest becomes a map nest.
//
// For a GPU, threads must not become fewer (DeviceLoops.h). If the body is a single map or copy, its parameters join that of the loop
// in one map, so that a perfect nest becomes one kernel. Loops that several maps in the body have in common become parameters
// as well (LaneParameters.h), and the threads of a block may share what remains (BlockRows.h). Otherwise the parts of the body may
// become maps of their own (RowParts.h), or the loop stays, and launches kernels. Loops whose sums are ordered stay, and so do loops
// whose scratch is large, because all threads of a kernel would need it at once. Products of matrices and vectors in the body become
// maps as well. Reads that must come before writes of later iterations read a copy of the array (OldValues.h), since one copy is
// cheaper than a launch in each iteration.
//
// Not handled: loops in scopes, where nothing is gained.
#include "Transforms/Edits/Completion.h"
#include "Transforms/Optimize/LoopConversion.h"

#include "sdfgc/Analysis/Costs/Work.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/CallBlocks.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;

class LoopsToMaps : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu() && !option<bool>("device"))
            return false;
        SDFG *current = nullptr; // nested SDFGs come first, and may be gone when the SDFG around them is finished
        std::set<Name> madePrivate;
        const auto finish = [&] {
            if (current)
                nest::forgetSymbols(*current, madePrivate);
            madePrivate.clear();
        };
        bool moved = false;
        std::map<Why, int64_t> stay;
        const bool changed = changeLoops(root, [&](LoopRegion &l, const LoopsOf &known) {
            if (current != &known.g) {
                finish();
                current = &known.g;
            }
            const pass::Element where(l);
            LoopConversion conversion(l, known, context);
            if (const Reason why = conversion.obstacle()) {
                context.missed(where, "remains a loop", why);
                ++stay[why.code];
                return false;
            }
            if (!context.mayChange(where, "becomes a map: " + conversion.relation()))
                return false;
            known.after.containers().forget(l);
            conversion.replace();
            ++context.loops.maps;
            moved |= conversion.moves();
            if (conversion.seesThrough())
                nest::removeUnusedViews(known.g);
            madePrivate.insert(conversion.privateSymbols().begin(), conversion.privateSymbols().end());
            return true;
        });
        finish();
        if (moved)
            inferTypes(root, context); // of arguments of nested SDFGs
        context.loops.stay = std::move(stay);
        context.loops.outside.clear();
        if (context.explains)
            findLargest(root, context);
        return changed;
    }

    /// The work of loops that are neither in a map nor in another loop.
    static void findLargest(const SDFG &root, pass::Context &context) {
        for (const SDFG *g : allSDFGs(root))
            if (!analysis::isInScope(*g))
                for (const Region *r : allRegions(*g))
                    if (const auto *l = dyn_cast<LoopRegion>(r); l && !isInLoop(*l))
                        if (const auto work = analysis::workOf(*l)) {
                            const pass::Element where(*l);
                            context.loops.outside.push_back({where.name, where.source, *work});
                        }
    }

    static bool isInLoop(const Block &b) {
        const NestedSDFGNode *node = b.sdfg()->parentNode;
        return analysis::loopAround(b.parent()) || (node && isInLoop(*node->state()));
    }
};

} // namespace

std::unique_ptr<pass::Pass> createLoopsToMaps() { return std::make_unique<LoopsToMaps>(); }

} // namespace sdfgc::transforms

// tile-time: execute several steps of stencils over time in one kernel.
//
//   before:  for t = 1; t < T; t = t + 1 {                      after:  for t = 1; t < T; t = t + 128 {
//              map[i = 1:N - 1] { B[i] = f(A[i - 1], A[i], A[i + 1]) }      map[first = 0:N:768] { ... }    from A to A_next
//              map[i = 1:N - 1] { A[i] = f(B[i - 1], B[i], B[i + 1]) } }    map[first = 0:N:768] { ... } }  from A_next to A
//
//   a kernel:  map[first = 0:N:768] GPU_Device {                          the block of a tile of 768 elements
//                map[thread = 0:512] GPU_ThreadBlock {
//                    for x: a[x] = A[first - 128 + x], and the ends of B  the tile and a halo of 128 elements on each side
//                }
//                for step = 0:min(64, T - t) {
//                    map[thread = 0:512] GPU_ThreadBlock { for x: b[x] = f(a[x - 1], a[x], a[x + 1]) }
//                    map[thread = 0:512] GPU_ThreadBlock { for x: a[x] = f(b[x - 1], b[x], b[x + 1]) }
//                }
//                map[thread = 0:512] GPU_ThreadBlock { for x in the tile: A_next[...] = a[x], B[...] = b[x] }
//              }
//
// The original launches a kernel for each stencil, and each reads and writes arrays in device memory. In the result, a block keeps
// its tile and a halo around it in shared memory for several steps. Each stencil computes fewer elements of the halo than the one
// before, so all that later ones read are those of this point of time. place-barriers lets the threads wait between them.
//
// Other blocks read the halo of a tile while its block stores it. So arrays that carry values from one step to the next get a
// second array each, and the loop launches two kernels: there and back. An array that each step writes before it reads it (B)
// carries none. Only its elements that the loop never writes enter a block, and the others are stored in place.
//
// The number of steps of a kernel is at most that of the steps that are left. The second kernel of the last iteration may have none;
// it then only copies. So no step remains after the loop, and elements that no step writes keep their values.
//
// Legal as described in TimeTiles.h. Each element is computed from the same values by the same operations, some of them by several
// blocks.
//
// Profitable if the elements that are computed several times are few (`redundant`), for the most steps with which they are. Stencils
// in three dimensions have halos that are too large in 48 KiB. Not if a stencil has so many operations that they, and not memory,
// take its time.
//
// Not handled: reductions and other steps beside the stencils, such as boundaries that wrap around.
#include "Transforms/Edits/ChangeLoops.h"
#include "Transforms/Edits/Nodes.h"
#include "Transforms/Offload/TileKernels.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <charconv>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;

/// Reads `32x64`; nothing if it is not a list of positive numbers.
std::optional<std::vector<int64_t>> numbersIn(std::string_view text) {
    std::vector<int64_t> out;
    const char *at = text.data(), *const end = at + text.size();
    while (at != end) {
        int64_t n = 0;
        const auto [next, error] = std::from_chars(at, end, n);
        if (error != std::errc() || n <= 0 || (next != end && (*next != 'x' || next + 1 == end)))
            return std::nullopt;
        out.push_back(n);
        at = next == end ? next : next + 1;
    }
    return out;
}

class TileTime : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        const std::optional<std::vector<int64_t>> cells = numbersIn(option<std::string>("cells"));
        if (!cells) {
            context.diags.report(diag::Id::PassOptionType, diag::Location{context.options.file}, "cells", "tile-time",
                                 "numbers of elements such as `32x64`", option<std::string>("cells"));
            return false;
        }
        const TileLimits limits{option<int64_t>("steps"),     *cells,
                                option<int64_t>("redundant"), option<int64_t>("sweeps"),
                                option<int64_t>("shared"),    option<int64_t>("operations")};
        return changeLoops(
            root, [&](LoopRegion &l, const LoopsOf &known) { return tile(l, known, limits, context); }, LoopOrder::InnerFirst,
            LoopPlace::Device);
    }

    static bool isKernel(const nest::Item &i) { return i.map && i.map->entry->schedule == Schedule::GPU_Device; }

    static bool tile(LoopRegion &l, const LoopsOf &known, const TileLimits &limits, pass::Context &context) {
        std::optional<nest::Run> body = l.optimize ? known.loops.runOf(l) : std::nullopt;
        if (!body || std::none_of(body->items.begin(), body->items.end(), isKernel))
            return false;
        const analysis::LoopHeader header = analysis::headerOf(l);
        if (!header.hasEnd() || !header.isOfIntegers(known.g)) // rule 1; no remark, because it does not count steps of time
            return false;
        const TimeLoop time(body->items, header, known.memories, known.g);
        Reason why = time.why();
        const std::optional<TileShape> shape = why ? std::nullopt : time.shape(limits, why);
        if (!shape) {
            context.missed(l, "each of its steps is a kernel", why);
            return false;
        }
        if (!context.mayChange(l, "a kernel executes " + std::to_string(shape->steps) + " steps in tiles of " +
                                      product(*shape, time) + " elements and " + std::to_string(shape->bytes) +
                                      " bytes of shared memory, and " + std::to_string(shape->redundant) +
                                      " % more elements than the loop"))
            return false;
        replace(l, header, tileKernels(time, *shape, header, known.g, known.memories), *shape, known);
        return true;
    }

    static std::string product(const TileShape &shape, const TimeLoop &time) {
        std::string out;
        for (const std::size_t k : time.order())
            out += (out.empty() ? "" : " x ") + std::to_string(shape.width[k]);
        return out;
    }

    static void replace(LoopRegion &l, const analysis::LoopHeader &header, std::vector<nest::Item> kernels, const TileShape &shape,
                        const LoopsOf &known) {
        Region &r = *l.parent();
        const Block *const start = r.start();
        auto *tiled = cast<LoopRegion>(r.adopt(ir::clone(static_cast<const Block &>(l))));
        tiled->label = known.g.freshLabel(l.label + "_tiled");
        std::vector<Block *> old;
        for (const auto &b : tiled->blocks())
            old.push_back(b.get());
        auto *s = tiled->add<State>();
        s->label = known.g.freshLabel(l.label + "_steps");
        s->debugInfo = l.debugInfo;
        for (Block *b : old)
            tiled->removeBlock(b);
        tiled->setStart(s);
        const std::string t = l.variable.str();
        tiled->update = Code{t + " = " + t + " + " + (header.step * (2 * shape.steps)).str(), Language::Python};
        nest::Run run;
        run.region = tiled;
        run.memories = &known.memories;
        run.states = {s};
        run.items = std::move(kernels);
        nest::write(run);
        takePlace(r, start, l, l, *tiled, *tiled);
        if (known.loops.isReadOutside(l)) { // as for the remaining iteration of alternate-buffers
            State *after = r.addStateAfter(tiled, known.g.freshLabel(l.label + "_end"));
            r.removeEdge(tiled->outEdges().front());
            r.connect(tiled, after, {"1", Language::Python}, {{l.variable, header.after().str()}});
        }
        r.removeBlock(&l);
        known.loops.changed();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createTileTime() { return std::make_unique<TileTime>(); }

} // namespace sdfgc::transforms

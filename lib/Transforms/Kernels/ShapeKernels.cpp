// shape-kernels: choose block sizes, grid limits and launch bounds of kernels.
//
//   before:  map a[i = 0:N] GPU_Device                        after:  block [256, 1, 1], launch bounds 256
//            map b[i = 0:N, j = 0:M] GPU_Device                       block [32, 8, 1], at most [0, 65535, 65535] blocks, ...
//            map c[b = 0:N] GPU_Device {                              block [64, 1, 1], ...
//                map[t = 0:64] GPU_ThreadBlock { ... } }
//            map d[i = 0:N] GPU_Device { s += A[i] }                  block [256, 1, 1], at most [2048, 1, 1] blocks, ...
//
// The parameters of a kernel's map are spread over the grid, the last one along x; those beyond the third share z.
// Block sizes:
//
//     no thread-block map inside      iteration = thread of the grid; blocks have the size that the map requests
//                                     (`gpu_block_size`), otherwise as many threads as the option `threads`: in one row for
//                                     one parameter, otherwise in rows of 32, with shorter rows if there are known to be
//                                     fewer iterations along x, longer rows if there are fewer along y, and the remaining
//                                     threads along z
//     thread-block maps inside        iteration = block; their parameters are spread over the threads of the block, whose
//                                     size along each axis is the largest of theirs, bounded from above if it varies
//                                     between blocks
//     dynamic thread-block maps       iteration = block of 128 threads, which take turns
//     persistent                      as many blocks as run at once, with the size of the thread-block maps inside,
//                                     otherwise the size that the map requests, or the first device map in it that does
//
// The grid has as many blocks along each axis as the iterations need, and at most
//
//     65535                           along y and z, on every device (CUDA programming guide, compute capabilities)
//     2048, or 32 x 64                for kernels that reduce (resolve-wcr), in which each block ends with an atomic
//                                     update: this many blocks fill any device. Not if an iteration is a block
//
// The limit is 0 if the number of blocks is a constant below it; the other axes become grid-stride loops. Launch bounds
// are the threads of a block if that number is constant, unless the graph specifies others. The results are stored in
// MapEntry::gpuBlockSize, gpuGridLimit and gpuLaunchBounds. Every kernel has them from the scheduled level on (SD2137),
// and the lowering follows them.
//
// A map that does not get the blocks that it requests causes a warning (SD6018). Blocks with more threads than devices
// support (SD6008), or whose size is known only inside the kernel (SD6009), are errors.
//
// Not handled: maps inside kernels.
//
// Runs after the passes that create kernels and after resolve-wcr.
#include "sdfgc/Analysis/Device/BlockSizes.h"

#include "sdfgc/Analysis/Device/KernelBlocks.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using Sizes = analysis::BlockSizes;

constexpr int64_t maxBlocksYZ = 65535;
constexpr int64_t maxThreads = 1024;                                  // in a block
constexpr int64_t reducingBlocks[2][3] = {{2048, 1, 1}, {32, 64, 1}}; // for maps with one parameter, and with more

class Shaper {
public:
    Shaper(pass::Context &context, int64_t threads) : context_(context), threads_(threads) {}

    bool sdfg(SDFG &g) {
        bool changed = false;
        for (State *s : allStates(g)) {
            const analysis::ScopeTree scopes(*s);
            std::vector<const Node *> kernels; // around the current node
            for (Node *n : scopes.order()) {
                if (!kernels.empty() && n == exitOf(kernels.back()))
                    kernels.pop_back();
                auto *m = dyn_cast<MapEntry>(n);
                const bool kernel = m && isKernelSchedule(m->schedule);
                if (kernel && kernels.empty())
                    changed |= shape(*m, scopes);
                if (kernel)
                    kernels.push_back(m);
                if (auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg && kernels.empty())
                    changed |= sdfg(*nested->sdfg);
            }
        }
        return changed;
    }

private:
    static const Node *exitOf(const Node *entry) { return static_cast<const MapEntry *>(entry)->exit; }

    bool shape(MapEntry &m, const analysis::ScopeTree &scopes) {
        const analysis::KernelContent content(m, scopes);
        const Sizes block = analysis::blockSizes(m, content, threads_);
        const sym::Expr threads = analysis::product(block);
        if (threads.asInt() && *threads.asInt() > maxThreads)
            context_.diags.report(diag::Id::KernelShape, analysis::placeOf(m), m.label, threads.str(), maxThreads);
        for (Name n : threads.freeSymbols())
            if (content.defined.count(n)) {
                context_.diags.report(diag::Id::KernelSize, analysis::placeOf(m), m.label, threads.str(), n.str());
                break;
            }
        if (m.gpuBlockSize)
            compare(m, analysis::askedSizes(*m.gpuBlockSize), threads);
        for (const auto &[inner, asked] : content.asked)
            compare(*inner, asked, threads);

        const auto before = std::tuple(m.gpuBlockSize, m.gpuGridLimit, m.gpuLaunchBounds);
        m.gpuBlockSize = std::vector<sym::Expr>(block.begin(), block.end());
        if (m.schedule != Schedule::GPU_Persistent) // one block, or as many as run at once
            m.gpuGridLimit = gridLimit(m, block, content);
        if (m.gpuLaunchBounds.empty() || m.gpuLaunchBounds == "0")
            m.gpuLaunchBounds = threads.asInt() ? threads.str() : "-1";
        return before != std::tuple(m.gpuBlockSize, m.gpuGridLimit, m.gpuLaunchBounds);
    }

    /// The maximum number of blocks along x, y and z; 0: as many as the iterations need.
    static std::vector<sym::Expr> gridLimit(const MapEntry &m, const Sizes &block, const analysis::KernelContent &content) {
        const bool byBlocks = content.byBlocks();
        const std::size_t rank = m.params.size();
        std::vector<sym::Expr> limit;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            int64_t most = axis > 0 ? maxBlocksYZ : 0;
            if (analysis::reducesInBlocks(m) && !byBlocks)
                most = reducingBlocks[rank > 1][axis];
            sym::Expr steps = 1;
            for (std::size_t d = 0; d < rank; ++d)
                if (std::min<std::size_t>(rank - 1 - d, 2) == axis)
                    steps *= m.ranges[d].steps();
            const std::optional<int64_t> blocks = (byBlocks ? steps : sym::ceilDiv(steps, block[axis])).asInt();
            limit.push_back(axis >= rank || (blocks && *blocks <= most) ? 0 : most);
        }
        return limit;
    }

    /// Compares the number of threads, not their arrangement.
    void compare(const MapEntry &m, const Sizes &asked, sym::Expr threads) {
        if (sym::isEqual(analysis::product(asked), threads) != sym::Truth::True)
            context_.diags.report(diag::Id::BlockSizeIgnored, analysis::placeOf(m), m.label, analysis::product(asked).str(),
                                  threads.str());
    }
    pass::Context &context_;
    int64_t threads_;
};

class ShapeKernels : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override { return Shaper(context, option<int64_t>("threads")).sdfg(root); }
};

} // namespace

std::unique_ptr<pass::Pass> createShapeKernels() { return std::make_unique<ShapeKernels>(); }

} // namespace sdfgc::transforms

// version-indices: compile kernels for indices of 32 and of 64 bits, and choose when they are launched.
//
//     __global__ void k(const double *A, int64_t N)              template <class Index>
//         const int64_t i = int64_t(blockIdx.x) * ...;           __global__ void k(const double *A, Index N)
//         if (i < N)                                      ->         const Index i = Index(blockIdx.x) * ...;
//             ... A[N * i + 1] ...                                   if (i < N)
//                                                                        ... A[N * i + 1] ...
//     launch<k>(...)                                             launch<k<int32_t>, k<int64_t>>(..., k_range(N), ...)
//
// An index of 64 bits takes two registers and several instructions for each operation: hdiff takes 54 registers with them and 40
// without. Sizes and offsets are 64-bit integers all the same, since an array may have more than 2^31 elements.
//
// The function k_range bounds the magnitude of every integer that the kernel computes for sizes, bounds and offsets, and of
// every part of them, in parameters of the kernel. The launch computes it with real numbers, which do not overflow, and chooses
// 32 bits if it is at most 2^30: the other half of the range pays for terms that the printer of expressions groups in another
// way. Loops over threads end a step of the grid after their last iteration, so the launch tests the number of threads as well.
//
// Indices are: parameters that occur in sizes, variables of loops, numbers of threads, and constants computed from these.
// Elsewhere they have 64 bits as before: in a value (`A[i] = i * i`), each is converted first. So every result is the same: class F0. An index that is an element of an array (`A[col[k]]`) keeps its type; what
// is computed from it has 64 bits.
//
// If the bound is a number, and so are the sizes of all launches, the kernel has indices of 32 bits only.
//
// Legal when all integers in sizes are bounded or have 64 bits anyway; profitable when an index is left.
//
// Not handled: names that C++ tasklets mention, powers with exponents that are sizes, persistent kernels (their grid asks for the
// kernel itself), functions that kernels call, and kernels in another source than their launches.
#include "FunctionNames.h"
#include "IndexTypes.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Walk.h"

namespace sdfgc::transforms {
namespace {

using namespace tree;

class VersionIndices : public pass::TreePass {
    bool run(Module &m, pass::Context &context) override {
        const std::set<FunctionId> apart = launchedElsewhere(m);
        bool changed = false;
        for (const FunctionId id : m.functions.ids()) {
            Function &f = *m.functions[id];
            if (!f.kernel || f.kernel->persistent || f.kernel->index || apart.count(id))
                continue;
            std::set<Name> inSizes;
            if (IndexTypes first(f); first.analyse(nullptr))
                inSizes = first.inSizes();
            else
                continue;
            IndexTypes indices(f);
            if (!indices.analyse(&inSizes) || !indices.isWorthwhile())
                continue;
            const pass::Element kernel("kernel " + f.name.str());
            if (indices.alwaysFit() && alwaysFit(m, id, indices.stride())) {
                indices.applyNarrow();
                context.done(kernel, "has indices of 32 bits");
            } else {
                NameScopes names = namesOf(m, f, effectsOf(f));
                indices.apply(names.declare("Index"));
                context.done(kernel, "has versions for indices of 32 and 64 bits");
            }
            changed = true;
        }
        return changed;
    }

    /// Do all launches of a kernel have a known number of threads that indices of 32 bits suffice for?
    static bool alwaysFit(const Module &m, FunctionId kernel, int64_t stride) {
        bool fit = true;
        for (const auto &f : m.functions)
            launches(f->body, [&](const Launch &l) {
                if (l.function != kernel)
                    return;
                int64_t left = IndexTypes::mostNarrow / stride;
                for (const auto &sizes : {l.grid, l.block})
                    for (const sym::Expr size : sizes)
                        left = size.isInteger() && size.numerator() > 0 ? left / size.numerator() : 0;
                fit = fit && left > 0;
            });
        return fit;
    }
    /// Kernels with a launch in another source, which cannot make the template's instances.
    static std::set<FunctionId> launchedElsewhere(const Module &m) {
        std::set<FunctionId> apart;
        for (const auto &f : m.functions)
            launches(f->body, [&](const Launch &l) {
                if (m.functions[l.function]->source != f->source)
                    apart.insert(l.function);
            });
        return apart;
    }
    static void launches(const Block &b, const std::function<void(const Launch &)> &use) {
        for (const NodePtr &n : b.body) {
            if (const auto *l = dyn_cast<Launch>(n.get()))
                use(*l);
            forEachBlock(std::as_const(*n), [&](const Block &inner) { launches(inner, use); });
        }
    }
};

} // namespace

std::unique_ptr<pass::Pass> createVersionIndices() { return std::make_unique<VersionIndices>(); }

} // namespace sdfgc::transforms

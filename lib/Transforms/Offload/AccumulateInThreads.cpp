// accumulate-in-threads: turn the accumulating dimensions of a kernel's map into a loop in each thread.
//
//   before:  map[i = 0:N, k = 0:N, j = 0:N] GPU_Device { C[i, j] (+)= A[i, k] * B[k, j] }
//   after:   map[i = 0:N, j = 0:N] GPU_Device { map[k = 0:N] Sequential { C[i, j] (+)= A[i, k] * B[k, j] } }
//
// Threads of the grid that update the same element would need an atomic operation per value. A thread that handles all
// of these values keeps the sum in a register and always adds in the same order, so results do not differ from run to
// run.
//
// Legal when:
//   1. all writes of the map are resolved, some parameters appear in none of the written subsets, and at least one
//      parameter remains;
//   2. ranges of the remaining parameters do not depend on the moved ones;
//   3. the graph does not specify what threads do: no inner maps over threads, no block size.
//
// Profitable when the remaining iterations are not known to be too few to fill a device, unless the accumulated
// dimensions are known to be short, too.
#include "Transforms/Edits/BlockRows.h"
#include "Transforms/Edits/MapNests.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

constexpr int64_t isLittle = 64; // number of accumulated values

class MapSplit {
public:
    explicit MapSplit(MapEntry &m) : m_(m) {}

    bool run() {
        if (m_.schedule != Schedule::GPU_Device || m_.gpuBlockSize || hasDynamicRange(m_) || !findAccumulated() || !worthIt() ||
            !hasGrid() || analysis::runByBlocks(m_))
            return false;
        splitMap(m_, accumulated_, Schedule::Sequential);
        return true;
    }

private:
    /// Does the grid share its iterations: is it a kernel, or in a persistent one?
    bool hasGrid() const {
        const analysis::Executor around = analysis::executorOf(m_);
        return around == analysis::Executor::Host || around == analysis::Executor::Grid;
    }
    /// Rules 1 and 2.
    bool findAccumulated() {
        std::set<Name> written;
        for (const Edge *e : m_.exit->inEdges()) {
            if (e->memlet.isEmpty())
                continue;
            if (e->memlet.wcr.empty() || !e->memlet.subset || e->memlet.dynamic)
                return false;
            for (const sym::Range &r : e->memlet.subset->dims)
                for (sym::Expr x : {r.begin, r.end, r.step})
                    for (Name n : x.freeSymbols())
                        written.insert(n);
        }
        for (std::size_t d = 0; d < m_.params.size(); ++d)
            (written.count(m_.params[d]) ? kept_ : accumulated_).push_back(d);
        if (kept_.empty() || accumulated_.empty())
            return false;
        for (std::size_t d : kept_)
            for (sym::Expr x : {m_.ranges[d].begin, m_.ranges[d].end, m_.ranges[d].step})
                for (Name n : x.freeSymbols())
                    if (std::any_of(accumulated_.begin(), accumulated_.end(), [&](std::size_t a) { return m_.params[a] == n; }))
                        return false;
        return true;
    }
    std::optional<int64_t> size(const std::vector<std::size_t> &dims) const {
        sym::Expr n = 1;
        for (std::size_t d : dims)
            n *= m_.ranges[d].steps();
        return n.asInt();
    }
    bool worthIt() const {
        const auto kept = size(kept_), accumulated = size(accumulated_);
        return !kept || *kept >= fewThreads || (accumulated && *accumulated <= isLittle);
    }

    MapEntry &m_;
    std::vector<std::size_t> kept_, accumulated_; // dimensions
};

class AccumulateInThreads : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g))
                for (MapEntry *m : nodesOf<MapEntry>(*s)) {
                    const pass::Element element(*m);
                    if (!MapSplit(*m).run())
                        continue;
                    context.done(element, "each thread accumulates, without atomic operations");
                    changed = true;
                }
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createAccumulateInThreads() { return std::make_unique<AccumulateInThreads>(); }

} // namespace sdfgc::transforms

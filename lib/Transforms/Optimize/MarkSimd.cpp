// mark-simd: print innermost loops with independent iterations with `#pragma omp simd`.
//
//     map[i = 0:N, j = 0:M] (CPU_Multicore) { B[i, j] = A[i, j] + A[i + 1, j] + ... }     ->     the same, simd
//
// Compilers vectorise most such loops unaided, but need a run-time check that writes do not overlap reads. A loop that
// was outlined for a thread team has lost its restrict qualifiers, and GCC gives up beyond ten pairs to check, which
// fused stencils easily have.
//
// Legal when:
//   1. the map contains only Python tasklets and copies of elements, without conflict resolution, also in short loops that are
//      unrolled (small-loops-into-maps);
//   2. its last parameter moves every array access by one element or not at all, and moves at least one write;
//   3. no iteration of its last loop uses an element that another one writes (rule A9.7 of docs/user/optimiser.md).
//
// Profitable when there are more pairs of a write and another access than compilers check (option `pairs`). Accesses a
// constant distance apart count once. Below that limit the compiler proves independence itself, and also recognises
// loops that are not worth vectorising because they have few iterations. Loops around short loops are always marked.
//
// No sum is reordered, so results are bitwise identical.
//
// Not handled: parallel maps with a single parameter, whose only loop belongs to the team; programs for a GPU.
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::Use;

class Marking {
public:
    Marking(const SDFG &g, const analysis::Memories &memories, std::size_t pairs, pass::Context &context)
        : g_(g), items_(g, memories), pairs_(pairs), context_(context) {}

    /// Returns whether a map was marked.
    bool in(std::vector<Item> &list) {
        bool changed = false;
        for (Item &i : list) {
            if (!i.map)
                continue;
            changed |= in(i.map->body);
            Map &m = *i.map;
            if (!m.entry->simd && !m.entry->ordered && nest::canSplit(m) && isInner(m) && isRegular(m) && isIndependent(m) &&
                context_.mayChange(elementOfItem(m, g_), "its innermost loop may run in vectors")) {
                nest::setSimd(m, true);
                changed = true;
            }
        }
        return changed;
    }

private:
    /// Does the map have a sequential innermost loop that contains only simple steps?
    static bool isInner(const Map &m) {
        return (m.params.size() > 1 || m.entry->schedule == Schedule::Sequential) && m.ranges.back().step.isOne() &&
               m.ranges.back().tile.isOne() && !m.ranges.back().isPoint() && isSimple(m);
    }

    static bool isSimple(const Map &m) {
        return std::all_of(m.body.begin(), m.body.end(), [](const Item &i) {
            if (i.map)
                return i.map->entry->ordered && i.map->entry->unroll && isSimple(*i.map);
            return !i.step->effects && (i.step->isCopy() || nest::isPythonTasklet(*i.step));
        });
    }

    static bool hasLoops(const Map &m) {
        return std::any_of(m.body.begin(), m.body.end(), [](const Item &i) { return i.map != nullptr; });
    }

    /// Do accesses move along memory or stay in place, and are there many of them?
    bool isRegular(const Map &m) const {
        std::vector<std::pair<Name, sym::Subset>> written, all;
        const auto add = [&](auto &list, const Use &u) {
            if (const std::pair access(u.data, placeOf(*u.subset, m.params.back()));
                std::find(list.begin(), list.end(), access) == list.end())
                list.push_back(access);
        };
        const std::set<Name> locals = nest::localsOf(m);
        for (const nest::PlacedUse &placed : nest::aligned(m, m, {}, m.params.size())) {
            const Use &u = *placed.use;
            const DataDesc *d = g_.desc(u.data);
            if (locals.count(u.data) && d->totalSize.isOne())
                continue;
            if (u.kind == nest::UseKind::Update || !u.subset || !u.subset->isOneElement() || !analysis::isPlain(d) ||
                !analysis::isOnHost(d))
                return false;
            const bool moves = nest::isNextTo(*u.subset, *d, m.params.back());
            if (!moves && (u.writes() || nest::mentions(*u.subset, {m.params.back()})))
                return false;
            if (moves)
                add(all, u);
            if (u.writes())
                add(written, u);
        }
        return hasLoops(m) || written.size() * all.size() > pairs_ + written.size();
    }

    /// Compilers check only one of several accesses at constant distances along the loop.
    static sym::Subset placeOf(sym::Subset s, Name variable) {
        for (sym::Range &r : s.dims)
            if (r.begin.dependsOn(variable) && r.begin.kind() == sym::SymbolicKind::Add)
                for (const sym::Expr term : r.begin.operands())
                    if (term.isInteger())
                        r.begin = r.end = r.begin - term;
        return s;
    }

    bool isIndependent(const Map &m) const {
        const std::vector<nest::PlacedUse> uses = nest::aligned(m, m, {}, m.params.size());
        const std::set<Name> locals = nest::localsOf(m);
        for (const nest::PlacedUse &u : uses)
            for (const nest::PlacedUse &v : uses) {
                if (!u.use->writes() || !items_.meet(*u.use, *v.use) || locals.count(u.use->data))
                    continue;
                const auto c = items_.conflict(u, v, m.params.size());
                if (c && (u.use->data != v.use->data || analysis::isCarriedBy(*c, m.params.size() - 1)))
                    return false;
            }
        return true;
    }

    const SDFG &g_;
    const nest::Conflicts items_;
    const std::size_t pairs_;
    pass::Context &context_;
};

class MarkSimd : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu())
            return false;
        return rewriteRuns(root, context, [&](SDFG &g, const analysis::Memories &memories, std::vector<nest::Run> &runs) {
            Marking marking(g, memories, static_cast<std::size_t>(std::max<int64_t>(option<int64_t>("pairs"), 0)), context);
            for (nest::Run &run : runs)
                run.changed |= marking.in(run.items);
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createMarkSimd() { return std::make_unique<MarkSimd>(); }

} // namespace sdfgc::transforms

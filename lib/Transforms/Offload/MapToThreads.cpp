// map-to-threads: let the threads of a block share an iteration of a kernel's map.
//
//   before:  map[i = 0:N] GPU_Device {                       after:  map[i = 0:N] GPU_Device {
//              s = 0                                                   map[t = 0:256] GPU_ThreadBlock {
//              map[j = 0:M] { s += A[i, j] }                             p = 0
//              map[j = 0:M] { B[i, j] = A[i, j] / s }                    map[j = t:M:256] { p += A[i, j] }
//            }                                                           s = blockReduceAll(p)
//                                                                        map[j = t:M:256] { B[i, j] = A[i, j] / s }
//                                                                      } }
//
// In the original, each thread has a row of its own, and neighbouring threads access elements that are a row apart. In
// the result, neighbouring threads access neighbouring elements. Rows with several inner maps, such as a softmax or a
// normalisation, stay a single kernel.
//
// If neighbouring rows have neighbouring elements instead, such as the columns of a matrix, a block shares several of them:
//
//     map[j = 0:M] { s = 0                                map[first = 0:M:16] GPU_Device {
//                    map[i = 0:N] { s += A[i, j] }   ->     map[t = 0:32, j = first:first + 16] GPU_ThreadBlock {
//                    B[j] = s }                                p = 0
//                                                              if j < M:  map[i = t:N:32] { p += A[i, j] }
//                                                              s = columnReduceAll(p)
//                                                              if j < M:  B[j] = s
//                                                            } }
//
// The branches are maps with at most one iteration, because all threads have to combine their values, even those beyond the
// last column.
//
// Legal as described in BlockRows.h, where the words row and lane loop are defined. Sums get a new order (class F1), which does
// not depend on the device.
//
// Profitable when most accesses in lane loops move to a neighbour with the lane loop and not with one of the map's
// parameters, or if there are known to be too few rows to give each thread one; but not if lane loops are known to be
// short (RowSharing::pays). Columns: most such accesses move to a neighbour with the last of the map's parameters, and there may
// be too few of them to give each a thread (RowSharing::paysAsColumns).
//
// If nothing is combined, and the range of all lane loops is the same one in each row, the lane loop becomes a parameter of the
// kernel instead:
//
//     map[i = 0:N] { map[j = 0:M] { B[i, j] = 0 }             map[i = 0:N, j = 0:M] {
//                    map[k = 0:K, j = 0:M] { B[i, j] += ... } }  ->    B[i, j] = 0;  map[k = 0:K] { B[i, j] += ... } }
//
// A map that accumulates over some of its parameters is treated as a map of rows whose inner map has these parameters. If
// rows are not shared, it is left to accumulate-in-threads.
//
// An element that is the same one throughout a row, such as a sum in an array, is kept in a variable of each thread;
// the first thread stores it at the end of the row.
//
// In a persistent kernel, sums are shared: a map that accumulates all of its iterations into one element becomes a row, with the
// step before it that sets this element. If the kernel has many blocks, columns are shared as well. Its blocks have one dimension: the
// thread t has column t % 16, and every sixteenth element of it, beginning with t / 16. Its other maps have the threads of the grid
// already.
//
// Not handled: kernels that specify how their threads are arranged; rows that need more than one thread to see what
// another one has written (which would take shared memory and barriers); maps in nested SDFGs that the kernel calls.
#include "Transforms/Edits/BlockRows.h"
#include "Transforms/Edits/LaneParameters.h"
#include "Transforms/Edits/NestRemarks.h"
#include "Transforms/Offload/SharedRow.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::UseKind;

class MapToThreads : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        const bool anyOrder = context.allows(pass::FloatClass::F1);
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            const bool isOfGrid = g.parentNode && analysis::executorOf(*g.parentNode) == analysis::Executor::Grid;
            if (analysis::isInScope(g) && !isOfGrid) // what a kernel calls
                return;
            const nest::Conflicts items(g, memories);
            const std::set<Name> connectors = nest::connectorsOf(g);
            for (nest::Run &run : runs) {
                if (isOfGrid) {
                    run.changed |= shareSums(run.items, items, g, memories, connectors, anyOrder, context);
                    if (!hasManyBlocks(g))
                        continue;
                }
                for (Item &i : run.items)
                    if (i.map && isOpen(*i.map->entry) && !hasThreads(i.map->body))
                        run.changed |= share(i.map, items, g, memories, connectors, anyOrder, context, isOfGrid);
            }
        });
    }

    /// Is an SDFG in a persistent kernel with as many blocks as run at once?
    static bool hasManyBlocks(const SDFG &g) {
        for (const Node *n = g.parentNode; n; n = n->state()->sdfg()->parentNode)
            for (const Node *around : analysis::ScopeTree(*n->state()).enclosing(n))
                if (const auto *m = dyn_cast<MapEntry>(around); m && m->schedule == Schedule::GPU_Persistent)
                    return m->gpuGridLimit.empty();
        return false;
    }

    /// A kernel whose threads the graph leaves to us.
    static bool isOpen(const MapEntry &m) { return m.schedule == Schedule::GPU_Device && !m.gpuBlockSize && !m.ordered; }

    /// Does the graph arrange threads in these items?
    static bool hasThreads(const std::vector<Item> &list) {
        return std::any_of(list.begin(), list.end(), [](const Item &i) {
            return i.map && (isGpuSchedule(i.map->entry->schedule) || hasThreads(i.map->body));
        });
    }

    /// The only element that a map changes, if all of its iterations update it.
    static const nest::Use *sumOf(const Map &m) {
        const nest::Use *sum = nullptr;
        for (const Item &i : m.body) {
            if (i.map)
                return nullptr;
            for (const nest::Use &u : i.step->uses) {
                if (!u.writes() || m.locals.count(u.data))
                    continue;
                if (sum || u.kind != UseKind::Update || !u.subset || !u.subset->isOneElement() ||
                    nest::mentions(*u.subset, m.params))
                    return nullptr;
                sum = &u;
            }
        }
        return sum;
    }

    /// Does a step only set the element to a number?
    static bool sets(const Item &i, const nest::Use &element) {
        const Step *s = i.step.get();
        return s && s->uses.size() == 1 && s->uses.front().certain && s->uses.front().data == element.data &&
               s->uses.front().subset == element.subset && isa<Tasklet>(s->nodes.front());
    }

    /// Sums of a persistent kernel.
    static bool shareSums(std::vector<Item> &list, const nest::Conflicts &items, SDFG &g, analysis::Memories &memories,
                          const std::set<Name> &connectors, bool anyOrder, pass::Context &context) {
        bool changed = false;
        for (std::size_t k = 0; k < list.size(); ++k) {
            const Map *m = list[k].map.get();
            const nest::Use *sum = m && isOpen(*m->entry) ? sumOf(*m) : nullptr;
            if (!sum)
                continue;
            const bool isSet = k > 0 && sets(list[k - 1], *sum);
            Map row = nest::mapLike(*m->entry, "row", {g.freshName("row")}, {{0, 0, 1, 1}});
            Map lanes = nest::loopLike(*m->entry, m->entry->label, m->params, m->ranges);
            Map copy = nest::copyOf(*m);
            lanes.body = std::move(copy.body);
            lanes.locals = std::move(copy.locals);
            if (isSet)
                row.body.push_back({nullptr, std::make_unique<Step>(*list[k - 1].step)});
            row.body.push_back({std::make_unique<Map>(std::move(lanes)), nullptr});
            const pass::Element where = elementOfItem(*m, g);
            const RowSharing plan(row, items, g, anyOrder);
            if (plan.why() || plan.lanes().empty()) {
                context.missed(where, "the threads update a sum one after the other", plan.why());
                continue;
            }
            if (!context.mayChange(where, "the threads of a block share a sum"))
                continue;
            shareRow(row, plan, g, memories, connectors);
            list[k].map = std::make_unique<Map>(std::move(row));
            if (isSet)
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(--k));
            changed = true;
        }
        return changed;
    }

    static bool share(std::unique_ptr<Map> &m, const nest::Conflicts &items, SDFG &g, analysis::Memories &memories,
                      const std::set<Name> &connectors, bool anyOrder, pass::Context &context, bool inGrid) {
        auto rows = std::make_unique<Map>(nest::copyOf(*m)); // splitting may be in vain
        splitAccumulated(*rows);
        const RowSharing plan(*rows, items, g, anyOrder);
        if (plan.lanes().empty() || !(plan.paysAsColumns() || (plan.paysAsParameter() && !inGrid)))
            return false;
        const pass::Element where = elementOfItem(*m, g);
        if (plan.why()) {
            context.missed(where, "each thread has a row of its own", plan.why());
            return false;
        }
        if (!inGrid && spreadLanes(*rows, items, g, anyOrder)) {
            if (!context.mayChange(where, "each element of a row has a thread of its own"))
                return false;
            m = std::move(rows);
            return true;
        }
        if (!plan.pays() && !plan.paysAsColumns())
            return false;
        if (!context.mayChange(where, plan.paysAsColumns() ? "the threads of a block share several columns"
                                                           : "the threads of a block share a row"))
            return false;
        shareRow(*rows, plan, g, memories, connectors, inGrid);
        m = std::move(rows);
        return true;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createMapToThreads() { return std::make_unique<MapToThreads>(); }

} // namespace sdfgc::transforms

// unite-maps: execute maps over different ranges in one kernel.
//
//     map[i = 0:N - 2, j = 0:M - 2] { u[i + 1, j + 1] = ... }        map[i = 0:N, j = 0:M] {
//     map[j = 0:M] { u[0, j] = 0 }                            ->         if 1 <= i < N - 1 and 1 <= j < M - 1: u[i, j] = ...
//     copy v to w                                                        if i == 0: u[0, j] = 0
//                                                                        w[i, j] = v[i, j]
//                                                                    }
//
// fuse-nests fuses maps of the same shape. A stencil and its boundary conditions have different shapes, and each of the
// boundaries is a kernel of few elements, whose launch takes longer than its work. In the result, a thread executes what belongs
// to its element, under conditions, which are loops with at most one iteration (sym::onlyValueOf).
//
// The map with the most parameters decides about the threads. Another map joins it, from before or after it, if both use the
// same elements, or elements with the same indices of arrays with the same layout: a loop of the map corresponds to each
// dimension of the threads, up to an offset, or one coordinate of the threads executes all of it (ThreadSpace.h). Maps that use
// no common memory only join if one of them has few elements, or one parameter less, or only fills or copies elements.
//
// A tasklet outside of maps that uses what kernels compute would be a kernel of one thread. It joins as a map without parameters
// does: the thread of its element executes it, or the first one. Such tasklets also join each other.
//
// Legal when:
//   1. the maps are parallel maps of tasklets, or copies, in the same run. Their ranges are boxes, in steps of one, and they
//      update nothing with conflict resolution;
//   2. any two conflicting accesses of different maps are to the same element within the same thread;
//   3. the two can be made adjacent: no item between them conflicts with the one that moves.
//
// Each element is computed from the same values by the same operations, in the same order.
//
// Profitable when the threads are hardly more than the iterations of the largest map, and neighbouring threads still access
// neighbouring elements.
//
// In a loop of the host, which may move into the result (loops-into-maps), inner maps may add to variables of an iteration. A map
// with ordered loops, which its threads execute, is united with maps that only fill or copy elements: two such maps in one kernel
// would need the registers of both.
//
// Not handled: other maps with inner maps, whose threads may still be shared by blocks; nested SDFGs; maps in maps.
#include "Transforms/Edits/NestRemarks.h"
#include "Transforms/Optimize/DeviceSteps.h"
#include "Transforms/Optimize/StepGraph.h"
#include "Transforms/Optimize/ThreadSpace.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Serialize/SameMap.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;

constexpr int64_t smallMap = 4096;

struct UniteLimits {
    std::size_t containers, steps, window;
};

/// Unites the maps of one run.
class Union {
public:
    /// `computed`: by kernels (DeviceSteps.h).
    Union(nest::Run &run, SDFG &g, const nest::Conflicts &items, const std::set<Name> &computed, const NodeLabels &labels,
          const UniteLimits &limits, pass::Context &context)
        : list_(run.items), g_(g), items_(items), computed_(computed), labels_(labels), limits_(limits), context_(context),
          inLoop_(analysis::loopAround(run.region) != nullptr) {}

    bool run() {
        for (const Item &i : list_) {
            facts_.push_back(items_.factsOf(i));
            maps_.push_back(mapOf(i));
        }
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < list_.size(); ++i)
            if (maps_[i] && (list_[i].map || !list_[i].step->isCopy()))
                order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return isBefore(a, b); });
        bool changed = false;
        for (const std::size_t base : order)
            changed |= maps_[base] && gather(base);
        std::erase_if(list_, [](const Item &i) { return !i.map && !i.step; });
        return changed;
    }

private:
    /// Which map decides first: the one with more parameters, or else with more elements.
    bool isBefore(std::size_t a, std::size_t b) const {
        const Map &x = *maps_[a], &y = *maps_[b];
        if (x.params.size() != y.params.size())
            return x.params.size() > y.params.size();
        return elements(x) > elements(y);
    }
    static int64_t elements(const Map &m) {
        sym::Expr out = 1;
        for (const sym::Range &r : m.ranges)
            out *= r.steps();
        return estimate(out);
    }

    /// A map that may join others, or a copy or a tasklet as a map; null for other items.
    std::shared_ptr<Map> mapOf(const Item &i) const {
        if (i.step)
            return i.step->isCopy() ? copyOf(*i.step) : isThread(i, computed_) ? threadOf(i) : nullptr;
        const Map &m = *i.map;
        if (m.entry->schedule != Schedule::CPU_Multicore || m.entry->ordered || !nest::canSplit(m) || m.params.empty())
            return nullptr;
        for (const sym::Range &r : m.ranges)
            if (!r.step.isOne() || !r.tile.isOne() || nest::mentions({{r}}, m.params))
                return nullptr;
        const auto isPlain = [&](const Item &inner) {
            return isPlainStep(inner, {}) || isThreadLoop(inner) || (inLoop_ && isSum(inner, m.locals));
        };
        return std::all_of(m.body.begin(), m.body.end(), isPlain) ? std::make_shared<Map>(nest::copyOf(m)) : nullptr;
    }

    /// Is it a tasklet or a copy, which only updates some variables?
    static bool isPlainStep(const Item &i, const std::set<Name> &sums) {
        return i.step && !i.step->effects && i.step->nodes.size() <= 1 &&
               (i.step->isCopy() || isa<Tasklet>(i.step->nodes.front())) &&
               std::none_of(i.step->uses.begin(), i.step->uses.end(), [&](const nest::Use &u) {
                   return u.kind == nest::UseKind::Update ? !sums.count(u.data) : !sums.empty() && u.writes();
               });
    }

    /// Is it a loop that the thread executes, because its order counts?
    static bool isThreadLoop(const Item &i) {
        return i.map && i.map->entry->ordered && nest::canSplit(*i.map) &&
               std::all_of(i.map->body.begin(), i.map->body.end(),
                           [](const Item &inner) { return isPlainStep(inner, {}) || isThreadLoop(inner); });
    }

    /// Does it only fill or copy elements? Such work costs another kernel hardly a register.
    static bool isLight(const Map &m) {
        return std::all_of(m.body.begin(), m.body.end(), [](const Item &inner) {
            return inner.step && (inner.step->isCopy() || (operationsOf(*inner.step) == 0 &&
                                                           std::count_if(inner.step->uses.begin(), inner.step->uses.end(),
                                                                         [](const nest::Use &u) { return !u.writes(); }) <= 1));
        });
    }

    /// Arguments are not joined this way: behind a condition, passes cannot prove that all of an argument is written, so it would be
    /// copied in.
    bool writesTransients(const std::vector<Item> &body) const {
        const auto isApart = [this](const nest::Use &u) {
            const DataDesc *d = g_.desc(u.data);
            return !u.writes() || (d && d->transient);
        };
        return std::all_of(body.begin(), body.end(), [&](const Item &i) {
            return i.map ? writesTransients(i.map->body) : std::all_of(i.step->uses.begin(), i.step->uses.end(), isApart);
        });
    }

    static bool hasLoops(const Map &m) {
        return std::any_of(m.body.begin(), m.body.end(), [](const Item &inner) { return inner.map && inner.map->entry->ordered; });
    }

    /// Is it an inner map that only adds to variables of an iteration?
    static bool isSum(const Item &i, const std::set<Name> &locals) {
        return i.map && !locals.empty() && nest::canSplit(*i.map) && i.map->locals.empty() &&
               std::all_of(i.map->body.begin(), i.map->body.end(), [&](const Item &inner) { return isPlainStep(inner, locals); });
    }

    /// A tasklet as a map without parameters.
    static std::shared_ptr<Map> threadOf(const Item &i) {
        if (!isPlainStep(i, {}))
            return nullptr;
        auto out = std::make_shared<Map>(nest::mapLike(nest::parallelEntry(), i.step->nodes.front()->label, {}, {}));
        out->body.push_back({nullptr, std::make_unique<nest::Step>(*i.step)});
        return out;
    }

    /// A map as the first one of a kernel: with a parameter for its only thread if it has none.
    Map threadsOf(const Map &m) const {
        Map out = nest::copyOf(m);
        if (out.params.empty()) {
            auto entry = nest::entryLike(*m.entry, m.entry->label);
            if (!inLoop_) // a block of this size keeps kernels out of loops
                entry->gpuBlockSize = {1, 1, 1};
            out.entry = entry.get();
            out.made = std::move(entry);
            out.params = {g_.freshName("thread")};
            out.ranges = {{0, 0}};
        }
        return out;
    }

    /// A copy of elements as a map. If the graph leaves the source out, and all of an array is written, it is all of another one.
    std::shared_ptr<Map> copyOf(nest::Step copy) const {
        nest::Use &from = copy.uses.front(), &to = copy.uses.back();
        const DataDesc *source = g_.desc(from.data), *target = g_.desc(to.data);
        if (!from.subset && to.subset && source->isArray() && target->isArray() && source->shape == target->shape &&
            *to.subset == target->fullSubset())
            from.subset = source->fullSubset();
        if (!from.subset || !to.subset || to.subset->nonUnitDims().empty())
            return nullptr;
        if (items_.meet(from, to) && items_.conflict({&from, &copy, {from.subset, {}}}, {&to, &copy, {to.subset, {}}}, 0))
            return nullptr; // it reads what it writes
        std::vector<Name> params;
        std::vector<sym::Range> ranges;
        for (const std::size_t d : to.subset->nonUnitDims()) {
            params.push_back(g_.freshName("__i" + std::to_string(params.size())));
            ranges.push_back({0, to.subset->dims[d].steps() - 1});
        }
        const Map like = nest::mapLike(nest::parallelEntry(), "copy_" + from.data.str() + "_to_" + to.data.str(), params, ranges);
        std::shared_ptr<Map> out = nest::copyAsMap(copy, like, g_);
        if (out)
            out->made = like.made;
        return out;
    }

    /// Lets maps join one of them, which decides about the threads.
    bool gather(std::size_t base) {
        ThreadSpace space(base, threadsOf(*maps_[base]), items_, g_);
        members_ = {base};
        place_ = base;
        facts_[base] = items_.factsOf(list_[base]);
        for (bool more = true; more;) {
            more = false;
            for (const int direction : {1, -1}) {
                std::size_t seen = 0;
                for (std::size_t i = base + static_cast<std::size_t>(direction); i < list_.size() && seen < limits_.window;
                     i += static_cast<std::size_t>(direction), ++seen)
                    more |= maps_[i] && !members_.count(i) && join(space, base, i);
            }
        }
        if (members_.size() == 1)
            return false;
        auto united = std::make_unique<Map>(space.unite());
        for (const std::size_t i : members_) {
            list_[i] = {};
            maps_[i].reset();
        }
        list_[place_].map = std::move(united);
        for (const std::size_t i : members_)
            facts_[i] = i == place_ ? items_.factsOf(list_[place_]) : nest::ItemFacts();
        return true;
    }

    bool join(ThreadSpace &space, std::size_t base, std::size_t i) {
        const Map &m = *maps_[i];
        if (m.params.size() > maps_[base]->params.size() ||
            !serialize::sameBut(*maps_[base]->entry, *m.entry, {"label", "params", "range", "debuginfo"}))
            return false;
        const bool shares = std::any_of(members_.begin(), members_.end(),
                                        [&](std::size_t other) { return items_.shares(facts_[other], facts_[i]); });
        const bool isSmall = m.params.size() < maps_[base]->params.size() || elements(m) <= smallMap;
        const auto isLightOne = [this](std::size_t member) { return isLight(*maps_[member]); };
        const bool areOthersLight = std::all_of(members_.begin(), members_.end(), isLightOne);
        if (!shares && !isSmall &&
            !((isLight(m) || areOthersLight) && writesTransients(m.body) && writesTransients(maps_[base]->body)))
            return false;
        const auto hasLoop = [this](std::size_t member) { return hasLoops(*maps_[member]); };
        if (hasLoops(m) ? !areOthersLight : !isLight(m) && std::any_of(members_.begin(), members_.end(), hasLoop))
            return false;
        Reason why = excess(i);
        std::size_t meeting = place_;
        if (!why && !canMove(i, place_)) {
            meeting = i;
            if (std::any_of(members_.begin(), members_.end(), [&](std::size_t k) { return !canMove(k, i); }))
                why = {Why::Order, "an item between them must stay there"};
        }
        const std::size_t before = space.parts().size();
        if (!why)
            why = place(space, i, m);
        const pass::Element where = elementOfItem(list_[base], g_);
        if (why) {
            if (shares)
                context_.missed(where, "another kernel than " + nameOf(i), why);
            return false;
        }
        if (!context_.mayChange(where, nameOf(i) + " joins it")) {
            space.shrinkTo(before);
            return false;
        }
        members_.insert(i);
        place_ = meeting;
        return true;
    }

    /// Adds a map to the threads: its tasklets one by one if they belong to different threads.
    Reason place(ThreadSpace &space, std::size_t i, const Map &m) const {
        const std::size_t before = space.parts().size();
        bool isOne = m.body.size() < 2 || !m.locals.empty() ||
                     std::any_of(m.body.begin(), m.body.end(), [](const Item &inner) { return inner.map != nullptr; });
        for (std::size_t k = 0; k < m.body.size() && !isOne; ++k) {
            Map single = nest::copyOf(m);
            nest::Step only = *m.body[k].step;
            single.body.clear();
            single.body.push_back({nullptr, std::make_unique<nest::Step>(std::move(only))});
            isOne = static_cast<bool>(placeOne(space, i, single));
        }
        const auto first = space.parts().begin() + static_cast<std::ptrdiff_t>(before);
        if (!isOne && std::any_of(first, space.parts().end(), [&](const Part &p) { return !(p.threads == first->threads); }))
            return {};
        space.shrinkTo(before);
        return placeOne(space, i, m);
    }

    static Reason placeOne(ThreadSpace &space, std::size_t i, const Map &m) {
        Reason first{Why::Shape, "no elements that both use have the same indices"};
        bool isFirst = true;
        for (const Placement &p : space.placements(m)) {
            const std::size_t before = space.parts().size();
            Reason why = space.add(i, m, p);
            if (!why && !space.isFilled()) {
                space.shrinkTo(before);
                why = {Why::Shape, "many threads would have nothing to do"};
            }
            if (!why)
                return {};
            if (std::exchange(isFirst, false))
                first = std::move(why);
        }
        return first;
    }

    Reason excess(std::size_t i) const {
        std::size_t steps = facts_[i].steps;
        nest::ItemFacts all;
        for (const std::size_t other : members_) {
            steps += facts_[other].steps;
            all.memories.insert(facts_[other].memories.begin(), facts_[other].memories.end());
        }
        if (steps > limits_.steps)
            return {Why::Budget, "together they have more than " + std::to_string(limits_.steps) + " steps"};
        if (items_.streamsOf(all, facts_[i]) > limits_.containers)
            return {Why::Budget, "together they use more than " + std::to_string(limits_.containers) + " containers"};
        return {};
    }

    /// Can an item move to the position of another one, past all that do not become part of the kernel?
    bool canMove(std::size_t i, std::size_t to) const {
        for (std::size_t k = std::min(i, to) + 1; k < std::max(i, to); ++k)
            if (!members_.count(k) && (list_[k].map || list_[k].step) && items_.ordered(list_[i], facts_[i], list_[k], facts_[k]))
                return false;
        return true;
    }

    std::string nameOf(std::size_t i) const {
        const Item &item = list_[i];
        if (item.map)
            return labels_.of(*item.map->entry);
        if (!item.step->isCopy())
            return "`" + item.step->nodes.front()->label + "`";
        return "the copy of `" + item.step->uses.front().data.str() + "` to `" + item.step->uses.back().data.str() + "`";
    }

    std::vector<Item> &list_;
    SDFG &g_;
    const nest::Conflicts &items_;
    const std::set<Name> &computed_;
    const NodeLabels &labels_;
    const UniteLimits limits_;
    pass::Context &context_;
    const bool inLoop_; // is the run in a loop of the host?
    std::vector<nest::ItemFacts> facts_;
    std::vector<std::shared_ptr<Map>> maps_; // those of items that may be united
    std::set<std::size_t> members_;          // of the current kernel
    std::size_t place_ = 0;                  // where it will be
};

class UniteMaps : public pass::GraphPass {
    std::size_t limit(const std::string &name) const {
        return static_cast<std::size_t>(std::max<int64_t>(option<int64_t>(name), 0));
    }

    bool run(SDFG &root, pass::Context &context) override {
        if (!context.options.gpu())
            return false;
        const NodeLabels labels(root);
        const UniteLimits limits{limit("containers"), limit("steps"), limit("window")};
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            if (analysis::isInScope(g))
                return;
            const nest::Conflicts items(g, memories);
            const std::set<Name> computed = computedByKernels(runs), none;
            const bool alsoInLoops = option<bool>("tasklets-in-loops");
            for (nest::Run &run : runs) {
                const bool mayJoin = alsoInLoops || !analysis::loopAround(run.region);
                run.changed = Union(run, g, items, mayJoin ? computed : none, labels, limits, context).run();
            }
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createUniteMaps() { return std::make_unique<UniteMaps>(); }

} // namespace sdfgc::transforms

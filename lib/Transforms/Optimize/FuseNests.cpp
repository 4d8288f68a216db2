// fuse-nests: fuse maps over the same iterations, so that values passed between them stay in registers and caches.
//
//     map[i = 0:N] { t[i] = A[i] + 1 }               map[i = 0:N] {
//     map[j = 1:N + 1] { B[j] = 2 * t[j - 1] }   ->      t[i] = A[i] + 1;  B[i + 1] = 2 * t[i]
//                                                    }
//
// The pass works on items of runs of states (sdfgc/Nest/Nest.h), so the states that contain the maps and the access
// nodes that connect them do not matter. Starting with the second item, each map looks for an earlier map to join,
// nearest first.
//
// Legal when:
//   1. both have the same shape: the same number of parameters, ranges of the same sizes and steps in the same order,
//      and the same schedule. The parameters of the later map become those of the earlier one, shifted where the ranges
//      start at different values. If one passes a transient to the other, it is enough that their outer loops match
//      (option `partial`): these are shared, the rest of each map becomes an inner map, and inner maps are fused in the
//      same way;
//   2. they share a container, so that there is something to gain. Maps that pass transients to each other are fused
//      first, since these transients may then need no memory. Maps that only read the same array, or that continue with
//      a result, are fused afterwards. A Reduce node is fused if it reads the same array as a map, or as another Reduce
//      node, in loops of the same shape;
//   3. any two conflicting accesses are to the same element only within the same iteration (rule A9.1 of
//      docs/user/optimiser.md). Within an iteration the earlier map's body still comes first; all other iterations
//      remain independent. If the only conflict is that the later map overwrites elements that other iterations of the
//      earlier one still read, and these are few, a row or a column of the written array, they are saved before the
//      fused map (SavedReads.h):
//
//          map[i, j] { t[i, j] = A[i, j] - A[k, j] }           map[j] { A_saved[j] = A[k, j] }
//          copy t to A                                  ->     map[i, j] { A[i, j] = A[i, j] - A_saved[j] }
//
//   4. the two can be made adjacent: either the later map can be hoisted above everything between them, or the earlier
//      one can be sunk below it.
//
// Each element is computed from the same values by the same operations. contract-arrays then decides about containers
// that only one map still uses.
//
// Steps that could be maps are treated as maps, and are restored if they join nothing (MakeMaps.h). These are copies
// between two containers and, with the option `partial`, Reduce nodes and matrix-vector products: one map initialises
// each output with the identity, another updates it. Sums then follow the order of the loops, which library nodes leave
// open; all other results are bitwise identical. Products join only the maps that compute their operands or, on a GPU,
// use their results. This is class F1: with --reductions ordered, products and sums of all elements stay library nodes,
// while other Reduce nodes sum in index order in either form.
//
// With the option `handed`, maps are fused only through transients that one of them produces for the other, and neither
// may write anything that the other reads or writes. Such maps keep what differentiate relies on: no value is
// overwritten in the map that reads it.
//
// On a GPU, maps are kernels. They share only their first loops if a thread for each shared iteration is enough to fill
// the device and neighbouring threads access neighbouring elements, or if the threads of a block can share an iteration
// (map-to-threads). Products always need the latter. A thread that runs loops along a row may compute elements of this row as well,
// for which no other threads have to wait then.
//
// Not handled:
//   - bodies with effects of their own (C++ code, callbacks);
//   - maps that push to or pop from streams, if sharing a read is the only gain; updates of one element by both maps,
//     because the order of the sums would change;
//   - on a GPU, products of vectors, and sums of all elements: libraries and the expansions of Reduce nodes compute them without
//     atomic updates. Exempt are vectors whose length a loop around them changes, such as the rows of a sparse matrix;
//   - maps that together use more containers than the option `containers`: each container is a memory stream that the
//     processor has to follow.
//
// To keep the time linear in the size of the program, a map looks back over at most `window` items, and a fused map has
// at most `steps` steps.
#include "Transforms/Edits/NestRemarks.h"
#include "Transforms/Optimize/DeviceFusion.h"
#include "Transforms/Optimize/MapAlignment.h"
#include "Transforms/Optimize/SavedReads.h"

#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <utility>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;

/// The program being changed.
struct FusedProgram {
    SDFG &g;
    analysis::Memories &memories;
    const nest::Conflicts &items;
    const std::set<Name> &connectors; // of all nodes
    const NodeLabels &labels;
    /// Transients that one step writes and only one run uses, if maps may be fused only through these; null if other
    /// containers count, too.
    const std::set<analysis::Memory> *handed = nullptr;
};

/// Limits on the size of a fused map and on how far a map looks back, and whether maps of different shapes and reductions may join.
struct FusionLimits {
    std::size_t containers, steps, window;
    bool partial, device;
    std::set<Name> varying = {}; // symbols that loops around the maps change (DeviceFusion.h)
};

/// An item that is treated as a map.
struct MapOrStep {
    Map *map = nullptr; // null: this is impossible
    std::unique_ptr<Map> made;
    std::optional<Item> before; // code that must run before the map
    void take(std::unique_ptr<Map> better) {
        if (!better)
            return;
        made = std::move(better);
        map = made.get();
    }
};

/// Fuses maps in the same list: in a run, or in the body of a map, whose parameters are symbols there.
class Fusion {
public:
    Fusion(std::vector<Item> &list, bool inMap, const FusedProgram &program, const FusionLimits &limits, pass::Context &context)
        : list_(list), inMap_(inMap), program_(program), g_(program.g), items_(program.items), limits_(limits), context_(context) {}

    bool fuse() {
        for (std::size_t i = 0; i < list_.size(); ++i) {
            if (list_[i].map && limits_.partial)
                nest::dropSingleTrips(*list_[i].map);
            facts_.push_back(items_.factsOf(list_[i]));
            before_.push_back(i - 1);
            after_.push_back(i + 1);
        }
        end_ = list_.size();
        bool changed = false;
        for (const auto gain : {&nest::Conflicts::handsOn, &nest::Conflicts::shares}) {
            lastRound_ = gain == &nest::Conflicts::shares;
            if (lastRound_ && program_.handed)
                break;
            for (std::size_t later = first_; later != end_;) {
                const std::optional<std::size_t> joined = joinEarlier(later, gain);
                changed |= joined.has_value();
                later = joined.value_or(after_[later]); // the fused map may be fused again
            }
        }
        takeOrder();
        for (Item &i : list_)
            if (i.map && limits_.partial)
                changed |= Fusion(i.map->body, true, program_, limits_, context_).fuse();
        return changed;
    }

private:
    // ---- the list during changes: positions stay, neighbours are linked

    /// The new position of the item if it joined an earlier one.
    std::optional<std::size_t> joinEarlier(std::size_t later,
                                           bool (nest::Conflicts::*gain)(const nest::ItemFacts &, const nest::ItemFacts &) const) {
        if (!canJoin(later))
            return std::nullopt;
        hasExcess_ = false;
        std::size_t earlier = before_[later];
        for (std::size_t seen = 0; earlier != none && seen < limits_.window; ++seen, earlier = before_[earlier])
            if (canJoin(earlier) && (items_.*gain)(facts_[earlier], facts_[later]))
                if (const auto at = join(earlier, later))
                    return at;
        return std::nullopt;
    }

    void remove(std::size_t gone) {
        list_[gone] = {};
        (before_[gone] == none ? first_ : after_[before_[gone]]) = after_[gone];
        if (after_[gone] != end_)
            before_[after_[gone]] = before_[gone];
    }

    void insertBefore(std::size_t at, Item item) {
        const std::size_t place = std::max(list_.size(), end_ + 1); // `end_` is not a position
        list_.resize(place + 1);
        facts_.resize(place + 1);
        before_.resize(place + 1);
        after_.resize(place + 1);
        facts_[place] = items_.factsOf(item);
        list_[place] = std::move(item);
        before_[place] = before_[at];
        after_[place] = at;
        (before_[at] == none ? first_ : after_[before_[at]]) = place;
        before_[at] = place;
    }

    /// The first position before `at` where the step may be placed, so that it does not keep later items from moving up.
    std::size_t highest(std::size_t at, const Item &step) const {
        const nest::ItemFacts facts = items_.factsOf(step);
        for (std::size_t seen = 0; before_[at] != none && seen < limits_.window; ++seen, at = before_[at])
            if (items_.ordered(list_[before_[at]], facts_[before_[at]], step, facts))
                break;
        return at;
    }

    void takeOrder() {
        std::vector<Item> ordered;
        for (std::size_t i = first_; i != end_; i = after_[i])
            ordered.push_back(std::move(list_[i]));
        list_ = std::move(ordered);
    }

    /// May an item be exchanged with all items between two positions?
    bool canMove(std::size_t item, std::size_t first, std::size_t last) const {
        for (std::size_t i = after_[first]; i != last; i = after_[i])
            if (items_.ordered(list_[item], facts_[item], list_[i], facts_[i]))
                return false;
        return true;
    }

    // ---- two maps

    bool canJoin(std::size_t i) const {
        const Item &item = list_[i];
        // Streams cost more time than sharing a single read saves.
        if (facts_[i].effects || (lastRound_ && facts_[i].queues))
            return false;
        // A product stays a library call if it would only share reads.
        const bool reduces = item.step && (nest::isReduce(*item.step) ||
                                           (nest::isProduct(*item.step) && !lastRound_ &&
                                            (!onDevice() || !limits_.varying.empty() || nest::matrixProductOf(*item.step, g_))));
        return item.map || item.step->isCopy() || (reduces && limits_.partial);
    }

    /// Is sharing reads a gain if one of the items is a reduction, in the last round? Only if they read the array in the same order.
    bool readsTheSame(const Item &a, const Item &b, std::size_t earlier, std::size_t later) const {
        const auto reads = [this](const Item &i, const nest::Use &u) {
            const std::vector<nest::PlacedUse> uses = nest::usesOf(i);
            return std::any_of(uses.begin(), uses.end(), [&](const nest::PlacedUse &v) {
                return v.use->kind == nest::UseKind::Read && v.use->memory == u.memory && !g_.desc(u.data)->totalSize.isOne();
            });
        };
        const Item &reduction = a.step ? a : b, &other = a.step ? b : a;
        return !items_.handsOn(facts_[earlier], facts_[later]) && reads(other, reduction.step->uses.front());
    }

    /// May the sum of a library node become a loop in a map? With --reductions ordered, neither a product, whose order is up to the
    /// library, nor a sum of all elements, which would make the fused map run on one thread.
    bool maySum(const Item &item, const Item &other) const {
        if (!item.step || item.step->isCopy() || (!other.map && other.step->isCopy()) || context_.allows(pass::FloatClass::F1) ||
            !nest::orderCounts(*item.step, g_))
            return true;
        const bool total = !item.step->uses.back().subset || item.step->uses.back().subset->nonUnitDims().empty();
        return nest::isReduce(*item.step) && !total;
    }

    /// Can a copy write elements that it has yet to read? A single copy moves them all correctly, but an element-wise one may not.
    bool mayOverlap(const nest::Step &copy) const {
        const nest::Use &from = copy.uses.front(), &to = copy.uses.back();
        return items_.meet(from, to) && items_.conflict({&from, &copy, {from.subset, {}}}, {&to, &copy, {to.subset, {}}}, 0);
    }

    /// The item as a map that could join `other`.
    MapOrStep candidate(Item &item, const Item &other) const {
        const nest::LoopOrder order = onDevice() ? nest::LoopOrder::Outputs : nest::LoopOrder::Inputs;
        MapOrStep out;
        if (item.map) {
            out.map = item.map.get();
        } else if (other.map && item.step->isCopy()) {
            if (!mayOverlap(*item.step))
                out.made = nest::copyAsMap(*item.step, *other.map, g_);
        } else if (other.map) {
            nest::ReductionMaps maps = nest::reductionAsMaps(*item.step, *other.map, g_, order);
            out.made = std::move(maps.update);
            if (out.made)
                out.before = std::move(maps.init);
        } else if (nest::isReduce(*item.step) && nest::isReduce(*other.step)) {
            if (const std::optional<Map> like = inMap_ ? std::nullopt : mapForReduction(*item.step)) {
                nest::ReductionMaps maps = nest::reductionAsMaps(*item.step, *like, g_, order);
                out.made = std::move(maps.update);
                out.before = std::move(maps.init);
            }
        }
        if (out.made)
            out.map = out.made.get();
        return out;
    }

    static bool isProduct(const Item &i) { return i.step && nest::isProduct(*i.step); }
    std::optional<std::size_t> join(std::size_t earlier, std::size_t later) {
        Item &a = list_[earlier], &b = list_[later];
        if (isProduct(a) && !onDevice()) // joins producers of its operands only: libraries are as good
            return std::nullopt;
        if (!maySum(a, b) || !maySum(b, a)) {
            if (!lastRound_)
                context_.missed(*(a.step ? a : b).step->nodes.front(), nameOf(b) + " does not join " + nameOf(a),
                                {Why::Contract, "the order of its sums must not change"});
            return std::nullopt;
        }
        if (onDevice() && (isSumForBlocks(a, g_) || isSumForBlocks(b, g_)))
            return std::nullopt;
        const bool reduces = (a.step && nest::isReduce(*a.step)) || (b.step && nest::isReduce(*b.step));
        if (reduces && lastRound_ && !readsTheSame(a, b, earlier, later))
            return std::nullopt;
        MapOrStep first = candidate(a, b), second = candidate(b, a);
        if (!first.map || !second.map)
            return std::nullopt;
        if (onDevice()) { // threads have no order
            second.take(reordered(*second.map, *first.map));
            first.take(reordered(*first.map, *second.map));
            second.take(apartFrom(*second.map, *first.map, g_));
        }
        const std::size_t most = alignment(*first.map, *second.map, none).depth;
        const bool isPartly = canJoinPartly(*first.map, *second.map, earlier, later);
        if (most == 0 || (!isAll(most, *first.map, *second.map) && (!isPartly || (reduces && lastRound_))))
            return std::nullopt;
        Reason why = excess(earlier, later);
        if (why && std::exchange(hasExcess_, true)) // already reported for a nearer one
            return std::nullopt;
        Alignment at;
        bool up = false;
        if (!why) {
            up = canMove(later, earlier, later);
            why = {Why::Order, "an item between them must stay there"};
            if ((up || canMove(earlier, earlier, later)) && (!second.before || !hasToPrecede(earlier, *second.before)))
                at = deepest(*first.map, *second.map, most, isPartly, isProduct(a) || isProduct(b), why);
        }
        const pass::Element where = elementOfItem(*first.map, g_);
        if (at.depth == 0) {
            if (lastRound_ || first.before || second.before) // it visits all other pairs again
                context_.missed(where, nameOf(b) + " does not join " + nameOf(a), why,
                                items_.sharedBytes(facts_[earlier], facts_[later]));
            return std::nullopt;
        }
        if (!context_.mayChange(where, nameOf(b) + " joins " + nameOf(a)))
            return std::nullopt;
        std::vector<Item> before = saveReads(*first.map, at.saved, at.depth, program_.g, program_.memories, program_.connectors);
        for (std::optional<Item> *init : {&first.before, &second.before})
            if (*init)
                before.push_back(std::move(**init));
        merge(*first.map, *second.map, at);
        Item fused{first.made ? std::move(first.made) : std::move(a.map), nullptr};
        const std::size_t kept = up ? earlier : later;
        list_[kept] = std::move(fused);
        facts_[kept] = items_.factsOf(list_[kept]);
        remove(up ? later : earlier);
        for (Item &i : before) {
            const std::size_t place = i.step ? highest(kept, i) : kept;
            insertBefore(place, std::move(i));
        }
        return kept;
    }

    static bool isAll(std::size_t depth, const Map &a, const Map &b) {
        return depth == a.params.size() && depth == b.params.size();
    }

    /// Maps of different shapes join if one passes a transient to the other, or initialises what the other completes.
    /// On a device, the later one may also complete an array of the caller.
    bool canJoinPartly(const Map &a, const Map &b, std::size_t earlier, std::size_t later) const {
        const auto &before = facts_[earlier].memories, &after = facts_[later].memories;
        const auto isCompleted = [&](const auto &m) { return m.second.written && after.count(m.first); };
        const bool mayShare = !lastRound_ || a.made || (onDevice() && std::any_of(before.begin(), before.end(), isCompleted));
        return limits_.partial && mayShare && nest::canSplit(a) && nest::canSplit(b);
    }

    /// Must the item at a position run before the one that would be placed before it?
    bool hasToPrecede(std::size_t at, const Item &item) const {
        return items_.ordered(list_[at], facts_[at], item, items_.factsOf(item));
    }

    std::string nameOf(const Item &i) const {
        if (i.map)
            return program_.labels.of(*i.map->entry);
        if (!i.step->isCopy())
            return program_.labels.of(*i.step->nodes.front());
        return "the copy of `" + i.step->uses.front().data.str() + "` to `" + i.step->uses.back().data.str() + "`";
    }

    /// The largest number of loops that both can share; none and a reason otherwise. `multiplies`: is one of them a product?
    Alignment deepest(const Map &a, const Map &b, std::size_t most, bool isPartly, bool multiplies, Reason &why) const {
        Reason first;
        for (std::size_t depth = most; depth > 0; --depth) {
            if (!isAll(depth, a, b) && !isPartly)
                break;
            Alignment at = alignment(a, b, depth);
            Reason obstacle = this->obstacle(a, b, at);
            if (!obstacle && onDevice())
                obstacle = obstacleOnDevice(a, b, at, multiplies);
            if (!obstacle)
                return at;
            if (!first)
                first = obstacle;
        }
        why = first;
        return {};
    }

    /// The limit that two fused items would exceed: checked first, since it rejects most pairs in a large program.
    Reason excess(std::size_t earlier, std::size_t later) const {
        if (facts_[earlier].steps + facts_[later].steps > limits_.steps)
            return {Why::Budget, "together they have more than " + std::to_string(limits_.steps) + " steps"};
        if (items_.streamsOf(facts_[earlier], facts_[later]) > limits_.containers)
            return {Why::Budget, "together they use more than " + std::to_string(limits_.containers) + " containers"};
        return {};
    }

    /// Why two maps cannot share iterations; empty if they can, possibly with some reads saved.
    Reason obstacle(const Map &a, const Map &b, Alignment &at) const {
        if (!nest::canLayOver(b, at.meaning, std::span(a.params).first(at.depth)))
            return {Why::Names, "the names of their parameters conflict"};
        const std::vector<nest::PlacedUse> ofA = nest::aligned(a, a, {}, at.depth), ofB = nest::aligned(b, a, at.meaning, at.depth);
        for (const nest::PlacedUse &u : ofA)
            for (const nest::PlacedUse &v : ofB) {
                if (!items_.meet(*u.use, *v.use))
                    continue;
                const std::optional<analysis::Conflict> c = items_.conflict(u, v, at.depth);
                if (c && program_.handed && (v.use->writes() || !program_.handed->count(u.use->memory)))
                    return {Why::Dependence,
                            "`" + v.use->data.str() + "` is used for more than passing a value from one to the other"};
                if (c && !analysis::isWithinIteration(*c)) {
                    if (!maySave() || !canBeSaved(u, a, at.depth, items_, g_))
                        return nest::conflictReason("iterations depend on others of the other map,", v, u, *c);
                    at.saved.push_back(u.use);
                    continue;
                }
                const int updates = (u.use->kind == nest::UseKind::Update) + (v.use->kind == nest::UseKind::Update);
                if (c && (updates == 2 || (updates == 1 && !nest::canSplit(a)))) // kernel threads would have to wait
                    return {Why::Update, "`" + v.use->data.str() + "` is updated with conflict resolution"};
            }
        return {};
    }

    /// Are the maps kernels of a device, rather than loops of a thread?
    bool onDevice() const { return limits_.device && !inMap_; }
    /// Why a kernel should not share the first loops of two maps; empty if it may.
    Reason obstacleOnDevice(const Map &a, const Map &b, const Alignment &at, bool multiplies) const {
        Map both = nest::copyOf(a), later = nest::copyOf(b);
        merge(both, later, at);
        const bool anyOrder = context_.allows(pass::FloatClass::F1);
        if ((multiplies && isRow(a, limits_.varying) && isAll(at.depth, a, b)) || (!multiplies && sweepRows(a, b, at.depth, g_)))
            return {};
        if (!multiplies && (isAll(at.depth, a, b) || shareThreads(a, b, at.depth, g_)))
            return whyOtherThreads(a, b, both, items_, g_, anyOrder);
        return whyNoBlocks(std::move(both), items_, g_, anyOrder);
    }
    /// Saving reads pays if a transient then needs no memory, but not if every iteration would need memory for the saved values.
    bool maySave() const { return limits_.partial && !lastRound_ && !inMap_ && !limits_.device; }

    static void merge(Map &a, Map &b, const Alignment &at) {
        nest::splitOff(a, at.depth);
        std::vector<Item> more = nest::takeBody(b, at.meaning, at.depth);
        if (a.made && !b.made) { // the user's map determines the name
            a.entry = b.entry;
            a.made.reset();
        }
        std::move(more.begin(), more.end(), std::back_inserter(a.body));
        a.locals.insert(b.locals.begin(), b.locals.end());
    }

    std::vector<Item> &list_;
    const bool inMap_;
    const FusedProgram &program_;
    const SDFG &g_;
    const nest::Conflicts &items_;
    const FusionLimits limits_;
    pass::Context &context_;
    std::vector<nest::ItemFacts> facts_;
    bool lastRound_ = false;
    bool hasExcess_ = false; // the current item would be too large with an earlier one
    static constexpr std::size_t none = ~std::size_t(0);
    std::size_t first_ = 0, end_ = 0;
    std::vector<std::size_t> before_, after_; // the neighbours of each remaining item
};

class FuseNests : public pass::GraphPass {
    std::size_t limit(const std::string &name) const {
        return static_cast<std::size_t>(std::max<int64_t>(option<int64_t>(name), 0));
    }

    bool run(SDFG &root, pass::Context &context) override {
        const bool partial = option<bool>("partial"), device = context.options.gpu();
        const NodeLabels labels(root);
        const FusionLimits limits{limit("containers"), limit("steps"), limit("window"), partial, device};
        const bool changed = rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            const nest::Conflicts items(g, memories);
            const std::set<Name> connectors = nest::connectorsOf(g);
            std::optional<std::set<analysis::Memory>> handed;
            if (option<bool>("handed"))
                handed = nest::handedInRuns(runs, g, memories);
            const FusedProgram program{g, memories, items, connectors, labels, handed ? &*handed : nullptr};
            for (nest::Run &run : runs) {
                FusionLimits ofRun = limits;
                ofRun.varying = device ? symbolsOfLoops(*run.region) : std::set<Name>();
                run.changed = Fusion(run.items, false, program, ofRun, context).fuse();
            }
        });
        for (SDFG *g : changed &&device ? allSDFGs(root) : std::vector<SDFG *>()) // maps do without those of products
            nest::removeUnusedViews(*g);
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createFuseNests() { return std::make_unique<FuseNests>(); }

} // namespace sdfgc::transforms

// fuse-nests: maps over the same iterations become one map, so that what one hands to the next stays in registers and caches.
//
//     map[i = 0:N] { t[i] = A[i] + 1 }               map[i = 0:N] {
//     map[j = 1:N + 1] { B[j] = 2 * t[j - 1] }   ->      t[i] = A[i] + 1;  B[i + 1] = 2 * t[i]
//                                                    }
//
// The pass reads runs of states as items (sdfgc/Nest/Nest.h), so it does not matter in which states maps stand, or through which access
// nodes they are connected. From the second item on, each map looks for an earlier one, nearest first, that
//
//   1. has the same shape: as many parameters, ranges of the same sizes and steps in the same order, the same schedule. The parameters
//      of the later map become those of the earlier one, shifted where ranges begin elsewhere.
//   2. it shares a container with: there is something to gain. Maps that hand transients to each other join first, since these may
//      need no memory then; what only reads the same, or continues with a result, joins what is left.
//   3. it may join (A9.1 of the rules in docs/optimiser.md): every two conflicting accesses of both are of one element in one and the
//      same iteration only. There the earlier map's body comes first, as it did; all other iterations stay independent of each other.
//   4. can be brought next to: either the later map moves up in front of everything between them, or the earlier one down.
//
// Results keep their bits: each element is computed from the same values as before, by the same operations. What becomes of a
// container that only one map uses afterwards, contract-arrays decides.
//
// A copy between two containers that such a map could join is taken for a map itself; it stays a copy where nothing joins it.
//
// Left alone: bodies with effects of their own (C++, callbacks), updates by both maps of one element (the order of sums would change),
// maps that use many containers together (option `containers`): each is a stream of memory that the processor has to follow. So that the
// time is linear in the size of the program, maps look back over so many items (`window`), and have so many steps at most (`steps`).
#include "Transforms/Optimize/NestItems.h"

#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using nest::Item;
using nest::Map;

/// Do the schedules of two maps ask for the same, so that one can stand for both?
bool sameSchedule(const MapEntry &a, const MapEntry &b) {
    return a.schedule == b.schedule && a.collapse == b.collapse && a.unroll == b.unroll && a.unrollFactor == b.unrollFactor &&
           a.ompNumThreads == b.ompNumThreads && a.ompIf == b.ompIf && a.ompSchedule == b.ompSchedule &&
           a.ompChunkSize == b.ompChunkSize && a.gpuBlockSize == b.gpuBlockSize && a.gpuLaunchBounds == b.gpuLaunchBounds &&
           a.gpuGridLimit == b.gpuGridLimit && a.gpuMaxNReg == b.gpuMaxNReg && a.gpuMinWarpsPerEu == b.gpuMinWarpsPerEu &&
           a.gpuForceSyncthreads == b.gpuForceSyncthreads && a.stream == b.stream;
}

/// What the parameters of `later` are in terms of those of `earlier`; nothing where the maps have different shapes.
std::optional<std::map<Name, sym::Expr>> alignment(const Map &earlier, const Map &later) {
    if (earlier.params.size() != later.params.size() || !sameSchedule(*earlier.entry, *later.entry))
        return std::nullopt;
    std::map<Name, sym::Expr> meaning;
    for (std::size_t d = 0; d < earlier.params.size(); ++d) {
        const sym::Range &a = earlier.ranges[d];
        const sym::Range b = {sym::substitute(later.ranges[d].begin, meaning), sym::substitute(later.ranges[d].end, meaning),
                              later.ranges[d].step, later.ranges[d].tile};
        if (!(a.step == b.step) || !a.tile.isOne() || !b.tile.isOne() || !((a.end - a.begin) == (b.end - b.begin)))
            return std::nullopt;
        meaning.emplace(later.params[d], sym::Expr::symbol(earlier.params[d]) + b.begin - a.begin);
    }
    std::erase_if(meaning, [](const auto &m) { return m.second.isSymbol(m.first); });
    return meaning;
}

/// What a fused map has at most, and how far a map looks back.
struct Limits {
    std::size_t containers, steps, window;
};

/// Fuses the maps of one run.
class Fusion {
public:
    Fusion(nest::Run &run, const NestItems &items, const Limits &limits, pass::Context &context)
        : run_(run), items_(items), limits_(limits), context_(context) {}

    bool fuse() {
        for (std::size_t i = 0; i < run_.items.size(); ++i) {
            facts_.push_back(items_.factsOf(run_.items[i]));
            before_.push_back(i - 1);
            after_.push_back(i + 1);
        }
        bool changed = false;
        for (const auto gain : {&NestItems::handsOn, &NestItems::shares}) {
            lastRound_ = gain == &NestItems::shares;
            for (std::size_t later = first(); later < run_.items.size();) {
                const std::optional<std::size_t> joined = joinEarlier(later, gain);
                changed |= joined.has_value();
                later = joined.value_or(after_[later]); // the fused map may join further
            }
        }
        std::erase_if(run_.items, [](const Item &i) { return !i.map && !i.step; });
        return changed;
    }

private:
    /// Where the item is now, if it joined an earlier one.
    std::optional<std::size_t> joinEarlier(std::size_t later, bool (NestItems::*gain)(const ItemFacts &, const ItemFacts &) const) {
        if (!canJoin(later))
            return std::nullopt;
        std::size_t earlier = before_[later];
        for (std::size_t seen = 0; earlier != none && seen < limits_.window; ++seen, earlier = before_[earlier])
            if (canJoin(earlier) && (items_.*gain)(facts_[earlier], facts_[later]))
                if (const auto at = join(earlier, later))
                    return at;
        return std::nullopt;
    }

    /// The first item that is left.
    std::size_t first() const {
        std::size_t i = 0;
        while (i < run_.items.size() && !run_.items[i].map && !run_.items[i].step)
            ++i;
        return i;
    }

    bool canJoin(std::size_t i) const {
        const Item &item = run_.items[i];
        return !facts_[i].effects && (item.map || item.step->isCopy());
    }

    std::optional<std::size_t> join(std::size_t earlier, std::size_t later) {
        Item &a = run_.items[earlier], &b = run_.items[later];
        std::unique_ptr<Map> copied; // of the two, if one is a copy
        if (!a.map && b.map)
            copied = copyAsMap(*a.step, *b.map, *run_.region->sdfg());
        else if (a.map && !b.map)
            copied = copyAsMap(*b.step, *a.map, *run_.region->sdfg());
        Map *first = a.map ? a.map.get() : copied.get(), *second = b.map ? b.map.get() : copied.get();
        if (!first || !second || first == second)
            return std::nullopt;
        const auto meaning = alignment(*first, *second);
        if (!meaning)
            return std::nullopt;
        const std::string what = nameOf(b) + " does not join " + nameOf(a) + ": ", where = elementName(*first->entry);
        const bool up = canMove(later, earlier, later), down = !up && canMove(earlier, earlier, later);
        const std::string why =
            up || down ? obstacle(*first, *second, *meaning, earlier, later) : "something between them has to stay there";
        if (!why.empty()) {
            if (lastRound_) // it looks at all pairs once more
                context_.missed(where, what + why);
            return std::nullopt;
        }
        context_.done(where, nameOf(b) + " joins " + nameOf(a));
        merge(*first, *second, *meaning);
        Item fused{a.map ? std::move(a.map) : std::move(copied), nullptr};
        return replace(earlier, later, up, std::move(fused));
    }

    static std::string nameOf(const Item &i) {
        return i.map ? "`" + i.map->entry->label + "`"
                     : "the copy of `" + i.step->uses.front().data.str() + "` to `" + i.step->uses.back().data.str() + "`";
    }

    /// Puts the fused map where the earlier item was (`up`), or the later one.
    std::size_t replace(std::size_t earlier, std::size_t later, bool up, Item fused) {
        const std::size_t kept = up ? earlier : later, gone = up ? later : earlier;
        run_.items[kept] = std::move(fused);
        facts_[kept] = items_.factsOf(run_.items[kept]);
        run_.items[gone] = {};
        if (before_[gone] != none)
            after_[before_[gone]] = after_[gone];
        if (after_[gone] < run_.items.size())
            before_[after_[gone]] = before_[gone];
        return kept;
    }

    /// May an item change places with all between two positions?
    bool canMove(std::size_t item, std::size_t first, std::size_t last) const {
        for (std::size_t i = after_[first]; i != last; i = after_[i])
            if (items_.ordered(run_.items[item], facts_[item], run_.items[i], facts_[i]))
                return false;
        return true;
    }

    /// Why two maps cannot share iterations; empty if they can.
    std::string obstacle(const Map &a, const Map &b, const std::map<Name, sym::Expr> &meaning, std::size_t earlier,
                         std::size_t later) const {
        if (!meaning.empty() &&
            !std::all_of(b.body.begin(), b.body.end(), [&](const Item &i) { return nest::canRename(i, meaning); }))
            return "the names of their parameters clash";
        if (NestItems::memoriesOf(facts_[earlier], facts_[later]) > limits_.containers)
            return "together they use more than " + std::to_string(limits_.containers) + " containers";
        if (facts_[earlier].steps + facts_[later].steps > limits_.steps)
            return "together they have more than " + std::to_string(limits_.steps) + " steps";
        const std::vector<AlignedUse> ofA = aligned(a, a, {}), ofB = aligned(b, a, meaning);
        for (const AlignedUse &u : ofA)
            for (const AlignedUse &v : ofB) {
                if (!items_.meet(*u.use, *v.use))
                    continue;
                const std::optional<analysis::Conflict> c = items_.conflict(u, v, a.params.size());
                if (c && !analysis::isWithinIteration(*c))
                    return "iterations depend on others of the other map, by `" + v.use->data.str() + "`" +
                           (c->why.empty() ? "" : " (" + c->why + ")");
                if (c && (u.use->kind == nest::UseKind::Update || v.use->kind == nest::UseKind::Update))
                    return "`" + v.use->data.str() + "` is updated with conflict resolution";
            }
        return "";
    }

    static void merge(Map &a, Map &b, const std::map<Name, sym::Expr> &meaning) {
        for (Item &i : b.body) {
            if (!meaning.empty())
                nest::rename(i, meaning);
            a.body.push_back(std::move(i));
        }
        a.locals.insert(b.locals.begin(), b.locals.end());
    }

    nest::Run &run_;
    const NestItems &items_;
    const Limits limits_;
    pass::Context &context_;
    std::vector<ItemFacts> facts_;
    bool lastRound_ = false;
    static constexpr std::size_t none = ~std::size_t(0);
    std::vector<std::size_t> before_, after_; // the neighbours of each item that is left
};

class FuseNests : public pass::GraphPass {
    std::size_t limit(const std::string &name) const {
        return static_cast<std::size_t>(std::max<int64_t>(option<int64_t>(name), 0));
    }

    bool run(SDFG &root, pass::Context &context) override {
        const Limits limits{limit("containers"), limit("steps"), limit("window")};
        analysis::Memories memories(root);
        bool changed = false;
        std::vector<SDFG *> all = allSDFGs(root);
        for (auto g = all.rbegin(); g != all.rend(); ++g) { // writing copies nested SDFGs: these come first
            const NestItems items(**g, memories);
            for (nest::Run &run : nest::readRuns(**g, memories))
                if (Fusion(run, items, limits, context).fuse()) {
                    nest::write(run);
                    changed = true;
                }
        }
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createFuseNests() { return std::make_unique<FuseNests>(); }

} // namespace sdfgc::transforms

// small-loops-into-maps: move short loops of constant length into the maps that they surround.
//
//     for dy = 0; dy < 3; dy = dy + 1 {                          map[i = 1:N - 1, j = 1:M - 1] {
//         for dx = 0; dx < 3; dx = dx + 1 {                          for dy = 0; dy < 3; dy = dy + 1 {     unrolled
//             map[i = 1:N - 1, j = 1:M - 1] {           ->               for dx = 0; dx < 3; dx = dx + 1 {     unrolled
//                 out[i, j] += w[dy, dx] * in[i + dy, ...]                   out[i, j] += w[dy, dx] * in[i + dy, ...]
//             }                                                          }
//         }                                                          }
//     }                                                          }
//
// Front ends write filters, small matrices in batches and the directions of a lattice in this way: as array operations in short
// loops. In the first form, each iteration of the loops walks over entire arrays, and a team starts for each. In the second one,
// an element is loaded once, and stays in registers (hold-elements) while the loops, which are unrolled, use it.
//
// Legal when:
//   - the loops count by constants between constants, or between short sums of the variables of the loops around them;
//   - they contain only each other, maps whose first loops all have the same ranges, and steps that compute scalars private to an
//     iteration;
//   - no two conflicting accesses are in different iterations of the maps. The operations of an iteration keep their order.
//
// Every element is computed from the same values, in the same order, so results are bitwise identical. The scalars are computed in
// each iteration of the maps; they read nothing that the maps write, or there would be a conflict.
//
// Profitable when iterations of the loops meet in an element of an array, which is then in a register or at least in the cache, and
// the unrolled code is short. Loops around elements that lie far apart, as in a copy of a few planes, are left alone.
//
// Not handled: loops with conditions; loops in scopes; programs for a GPU, for which loops-into-maps does the same.
#include "Transforms/Edits/ChangeLoops.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;

constexpr int64_t fewIterations = 16;   // of a loop: more are not unrolled by compilers
constexpr int64_t littleUnrolled = 400; // steps of all iterations

using Values = std::map<Name, sym::Expr>; // of the variables of loops

/// A loop, and those inside it, that may move into maps.
class ShortLoops {
public:
    ShortLoops(LoopRegion &l, const LoopsOf &known) : loop_(l), known_(known) {}

    Reason obstacle() {
        header_ = analysis::headerOf(loop_);
        if (!header_.hasEnd() || !header_.isOfIntegers(known_.g) || !isShort(header_.walk()))
            return {Why::LoopForm, "it does not count between constants, or has more than 16 iterations"};
        std::optional<std::vector<Item>> items = known_.loops.contentOf(loop_);
        if (!items)
            return {Why::ControlFlow, "its body is not a sequence of states and loops"};
        loops_.made = nest::entryFor(loop_);
        loops_.entry = loops_.made.get();
        loops_.params = {loop_.variable};
        loops_.ranges = {header_.walk()};
        loops_.body = std::move(*items);
        findLocals();
        if (Reason why = shape())
            return why;
        const std::optional<int64_t> steps = stepsIn(loops_, {});
        if (!steps || *steps > littleUnrolled)
            return {Why::Budget, "loops in it have other bounds, or it would be too long if it was unrolled"};
        if (!open(loops_))
            return {Why::Names, "the names of parameters conflict"};
        if (Reason why = dependence())
            return why;
        return profit();
    }

    /// Replaces the loop; there must be no obstacle.
    void replace() {
        unroll(loops_);
        for (const Name n : loops_.locals)
            known_.g.desc(n)->storage = Storage::Register;
        shared_.body.push_back({std::make_unique<Map>(std::move(loops_)), nullptr});
        std::vector<Item> items;
        items.push_back({std::make_unique<Map>(std::move(shared_)), nullptr});
        known_.after.containers().forget(loop_);
        known_.after.symbols().liveness.forget(loop_);
        known_.loops.replace(loop_, std::move(items), header_);
    }

private:
    static bool isShort(const sym::Range &r) {
        const auto first = r.begin.asInt(), last = r.end.asInt(), step = r.step.asInt();
        return first && last && step && *step != 0 && (*last - *first) / *step < fewIterations;
    }

    /// Scalars that an iteration of the loop writes first.
    void findLocals() {
        std::set<Name> seen;
        for (const Item &i : loops_.body) {
            const std::set<Name> inner = nest::localsOf(i);
            for (const nest::PlacedUse &u : nest::usesOf(i))
                if (seen.insert(u.use->data).second && !inner.count(u.use->data) && u.instance.loops.empty() &&
                    known_.loops.canBeLocal(*u.use, loop_))
                    loops_.locals.insert(u.use->data);
        }
    }

    // ---- the maps

    /// Finds the loops that the maps share.
    Reason shape() {
        std::vector<const Map *> maps;
        std::set<Name> variables, locals = loops_.locals;
        const bool isRead = read(loops_, maps, variables, locals);
        if (maps.empty())
            return {Why::LoopForm, "it contains no maps"};
        if (!isRead)
            return {Why::Shape, "it contains more than maps of the host, and scalars that it computes for them"};
        const Map &first = *maps.front();
        const std::vector<Name> names(variables.begin(), variables.end());
        depth_ = first.params.size();
        for (const Map *m : maps) {
            std::size_t d = 0;
            while (d < depth_ && d < m->params.size() && m->ranges[d] == first.ranges[d] && m->ranges[d].tile.isOne() &&
                   !nest::mentions({{m->ranges[d]}}, names))
                ++d;
            depth_ = d;
        }
        if (depth_ == 0 || std::any_of(first.params.begin(), first.params.end(), [&](Name p) { return variables.count(p) != 0; }))
            return {Why::Shape, "its maps share no loop"};
        shared_ = nest::mapLike(*first.entry, first.entry->label, {first.params.begin(), first.params.begin() + depth_},
                                {first.ranges.begin(), first.ranges.begin() + depth_});
        return {};
    }

    /// Collects the maps in loops, and the variables of the loops. Returns whether there is nothing else but scalars.
    static bool read(const Map &loop, std::vector<const Map *> &maps, std::set<Name> &variables, std::set<Name> &locals) {
        variables.insert(loop.params.begin(), loop.params.end());
        locals.insert(loop.locals.begin(), loop.locals.end());
        bool readable = true;
        for (const Item &i : loop.body) {
            if (i.step) {
                readable &= !i.step->effects && (i.step->isCopy() || nest::isPythonTasklet(*i.step)) &&
                            std::all_of(i.step->uses.begin(), i.step->uses.end(),
                                        [&](const nest::Use &u) { return !u.writes() || locals.count(u.data); });
            } else if (i.map->entry->ordered) {
                readable &= read(*i.map, maps, variables, locals);
            } else {
                maps.push_back(i.map.get());
                readable &= nest::canSplit(*i.map) && !nest::hasEffects(i) && i.map->entry->schedule == Schedule::CPU_Multicore;
            }
        }
        return readable;
    }

    /// The number of steps in all iterations of a loop; nothing if a range is not constant, or long.
    static std::optional<int64_t> stepsIn(const Map &loop, const Values &around) {
        const sym::Range range = loop.ranges.front().substituted(around);
        const auto first = range.begin.asInt(), last = range.end.asInt(), step = range.step.asInt();
        if (loop.params.size() != 1 || !isShort(range))
            return std::nullopt;
        int64_t sum = 0;
        for (int64_t value = *first; *step > 0 ? value <= *last : value >= *last; value += *step) {
            Values inside = around;
            inside[loop.params.front()] = value;
            for (const Item &i : loop.body) {
                const bool isLoop = i.map && i.map->entry->ordered;
                const std::optional<int64_t> steps = isLoop ? stepsIn(*i.map, inside) : countOf(i);
                if (!steps || (sum += *steps) > littleUnrolled)
                    return std::nullopt;
            }
        }
        return sum;
    }

    static int64_t countOf(const Item &i) {
        if (!i.map)
            return 1;
        int64_t sum = 0;
        for (const Item &inner : i.map->body)
            sum += countOf(inner);
        return sum;
    }

    /// Replaces the maps in a loop by their contents. Returns whether names allow it.
    bool open(Map &loop) {
        std::vector<Item> body;
        for (Item &i : loop.body) {
            if (i.step || i.map->entry->ordered) {
                if (i.map && !open(*i.map))
                    return false;
                body.push_back(std::move(i));
                continue;
            }
            Values meaning;
            for (std::size_t d = 0; d < depth_; ++d)
                if (i.map->params[d] != shared_.params[d])
                    meaning.emplace(i.map->params[d], sym::Expr::symbol(shared_.params[d]));
            if (!nest::canLayOver(*i.map, meaning, std::span(shared_.params).first(depth_)))
                return false;
            const bool isSplit = i.map->params.size() > depth_;
            const std::set<Name> locals = i.map->locals;
            for (Item &inner : nest::takeBody(*i.map, meaning, depth_))
                body.push_back(std::move(inner));
            if (!isSplit)
                loop.locals.insert(locals.begin(), locals.end());
        }
        loop.body = std::move(body);
        return true;
    }

    // ---- legality and profitability, once the loops are in the map

    Reason dependence() {
        Item loops{std::make_unique<Map>(std::move(loops_)), nullptr};
        shared_.body.push_back(std::move(loops));
        Reason why = dependence(nest::aligned(shared_, shared_, {}, depth_), nest::localsOf(shared_));
        loops_ = std::move(*shared_.body.back().map);
        shared_.body.clear();
        return why;
    }

    Reason dependence(std::vector<nest::PlacedUse> uses, const std::set<Name> &locals) {
        std::erase_if(uses, [&](const nest::PlacedUse &u) { return locals.count(u.use->data) != 0; });
        for (const nest::PlacedUse &u : uses)
            if (!analysis::isPlain(known_.g.desc(u.use->data)))
                return {Why::Container, "`" + u.use->data.str() + "` is not a plain array"};
        if (Reason why = known_.items.dependence(uses, depth_, "iterations of its maps depend on each other"))
            return why;
        return {};
    }

    /// Do iterations meet in elements: are there at least two accesses of each element, on average?
    Reason profit() const {
        Accesses accesses;
        count(loops_, {}, accesses);
        if (accesses.number < 2 * static_cast<int64_t>(accesses.elements.size()) || accesses.number == 0)
            return {Why::Unprofitable, "its iterations use few elements of arrays twice"};
        return {};
    }

    struct Accesses {
        int64_t number = 0;
        std::set<std::pair<Name, std::string>> elements;
    };

    /// Counts accesses that move with the maps, in all iterations of a loop.
    void count(const Map &loop, const Values &around, Accesses &out) const {
        const sym::Range range = loop.ranges.front().substituted(around);
        const int64_t step = *range.step.asInt(), last = *range.end.asInt();
        for (int64_t value = *range.begin.asInt(); step > 0 ? value <= last : value >= last; value += step) {
            Values inside = around;
            inside[loop.params.front()] = value;
            for (const Item &i : loop.body) {
                if (i.map && i.map->entry->ordered) {
                    count(*i.map, inside, out);
                    continue;
                }
                for (const nest::PlacedUse &u : nest::usesOf(i))
                    if (u.instance.subset && nest::mentions(*u.instance.subset, shared_.params)) {
                        ++out.number;
                        out.elements.emplace(u.use->data, u.instance.subset->substituted(inside).str());
                    }
            }
        }
    }

    void unroll(Map &loop) {
        auto entry = std::make_shared<MapEntry>(*loop.entry);
        entry->unroll = true;
        loop.made = entry;
        loop.entry = entry.get();
        for (Item &i : loop.body)
            if (i.map && i.map->entry->ordered)
                unroll(*i.map);
    }

    LoopRegion &loop_;
    const LoopsOf &known_;
    analysis::LoopHeader header_;
    Map loops_;  // the loop as an item
    Map shared_; // the first loops of the maps
    std::size_t depth_ = 0;
};

class SmallLoopsIntoMaps : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu())
            return false;
        return changeLoops(
            root,
            [&](LoopRegion &l, const LoopsOf &known) {
                const pass::Element where(l);
                if (!l.optimize)
                    return false;
                ShortLoops loops(l, known);
                if (const Reason why = loops.obstacle()) {
                    if (why.code != Why::LoopForm)
                        context.missed(where, "stays around its maps", why);
                    return false;
                }
                if (!context.mayChange(where, "is moved into its maps and unrolled there"))
                    return false;
                loops.replace();
                return true;
            },
            LoopOrder::OuterFirst);
    }
};

} // namespace

std::unique_ptr<pass::Pass> createSmallLoopsIntoMaps() { return std::make_unique<SmallLoopsIntoMaps>(); }

} // namespace sdfgc::transforms

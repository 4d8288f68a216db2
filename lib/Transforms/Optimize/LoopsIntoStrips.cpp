// loops-into-strips: let each thread run a sequential loop on its own strip of the maps inside it.
//
//     for j = 1; j < M; j = j + 1 {                       strip = ceil(N / threads)
//         map[i = 0:N] {                                  map[s = 0:ceil(N / strip)] {
//             y[j, i] = x[j, i] + c * y[j - 1, i]     ->      for j = 1; j < M; j = j + 1 {
//         }                                                       map[i = s * strip:min((s + 1) * strip, N)] {
//     }                                                               y[j, i] = x[j, i] + c * y[j - 1, i]
//                                                                 }
//                                                             }
//                                                         }
//
// The loop carries values from one iteration to the next, but never from one iteration of its maps to another one. In
// the first form, a team starts and synchronises once per iteration of the loop, which only pays off for long maps. In
// the second form, it does so once. Each strip runs in the order of the loop. With one thread, there is one strip: the
// loop as it was.
//
// Legal when:
//   - the loop counts by a constant;
//   - its body consists of maps, and of such loops around maps. The first loops of all maps have the same range, with
//     step one, which none of the loops around them changes;
//   - any two conflicting accesses are in the same iteration of these maps.
//
// Profitable when the maps run on teams, and neither they nor the loop are known to be short. The outermost loop of a
// nest that qualifies is taken.
//
// Every element is computed from the same values, in the same order, so results are bitwise identical.
//
// Not handled: loops in other loops that stay sequential, since a team would start in each of their iterations; loops in
// scopes; SDFGs with kernels; programs for a GPU, where the loop would run in each thread of a kernel, and kernels need
// more threads than there are strips.
#include "Transforms/Edits/ChangeLoops.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/IR/StateGraph.h"
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

constexpr int64_t fewIterations = 64; // of the maps: threads would write to the same cache lines
constexpr int64_t fewStarts = 4;      // of teams, which the change saves

/// One loop under conversion.
class Strips {
public:
    Strips(LoopRegion &l, const LoopsOf &known) : loop_(l), known_(known) {}

    /// Why the loop stays; empty if it can run in strips.
    Reason obstacle() {
        if (!loop_.optimize)
            return {Why::Kept, "the graph requires it"};
        header_ = analysis::headerOf(loop_);
        if (!header_.hasEnd() || !header_.isOfIntegers(known_.g))
            return {Why::LoopForm, "it does not count to a known end"};
        if (analysis::loopAround(loop_.parent()))
            return {Why::Unprofitable, "another loop around it would start a team in each of its iterations"};
        std::optional<std::vector<Item>> body = known_.loops.contentOf(loop_);
        if (!body)
            return {Why::ControlFlow, "its body is not a sequence of states and loops"};
        body_ = std::move(*body);
        std::vector<analysis::LoopLevel> around{header_.level()};
        if (Reason why = collect(body_, around))
            return why;
        if (!first_)
            return {Why::Shape, "its body contains no maps for teams"};
        if (Reason why = known_.items.dependence(uses_, 1, "iterations of its maps depend on each other"))
            return why;
        const auto length = first_->ranges.front().size().asInt(), starts = header_.trips().asInt();
        if ((length && *length < fewIterations) || (starts && *starts < fewStarts))
            return {Why::Small, "it or its maps have too few iterations"};
        return {};
    }

    /// Replaces the loop; there must be no obstacle.
    void replace() {
        SDFG &g = known_.g;
        const sym::Range whole = first_->ranges.front();
        const Name strip = g.freshName(loop_.label + "_strip"), number = g.freshName(loop_.label + "_part");
        const sym::Expr width = sym::Expr::symbol(strip), begin = whole.begin + sym::Expr::symbol(number) * width;
        g.symbols.set(strip, Type(ScalarKind::Int64));
        auto inner = std::make_unique<Map>();
        inner->made = nest::entryFor(loop_);
        inner->entry = inner->made.get();
        inner->params = {loop_.variable};
        inner->ranges = {header_.walk()};
        Map parts = nest::mapLike(*first_->entry, first_->entry->label, {number}, {{0, sym::ceilDiv(whole.size(), width) - 1, 1}});
        limitTo(body_, {begin, sym::min({begin + width - 1, whole.end}), 1});
        inner->body = std::move(body_);
        parts.body.push_back({std::move(inner), nullptr});
        std::vector<Item> items;
        items.push_back({std::make_unique<Map>(std::move(parts)), nullptr});
        State *before = loop_.parent()->addStateBefore(&loop_, g.freshLabel(loop_.label + "_strips"));
        const std::string threads = "omp_get_max_threads()";
        before->outEdges().front()->assignments.emplace_back(strip,
                                                             "max(1, int_ceil(" + whole.size().str() + ", " + threads + "))");
        known_.loops.replace(loop_, std::move(items), header_);
    }

private:
    /// Visits the maps at any depth of loops, and notes what they access.
    Reason collect(const std::vector<Item> &items, std::vector<analysis::LoopLevel> &around) {
        for (const Item &i : items) {
            if (!i.map || nest::hasEffects(i))
                return {Why::Shape, "its body contains more than maps"};
            const Map &m = *i.map;
            if (m.entry->ordered) {
                analysis::addLoops(around, m);
                if (Reason why = collect(m.body, around))
                    return why;
                around.resize(around.size() - m.params.size());
            } else if (Reason why = add(m, around)) {
                return why;
            }
        }
        return {};
    }

    Reason add(const Map &m, const std::vector<analysis::LoopLevel> &around) {
        const sym::Range &range = m.ranges.front();
        if (!nest::canSplit(m) || m.entry->schedule != Schedule::CPU_Multicore)
            return {Why::Shape, "its body contains more than maps for teams"};
        if (!first_)
            first_ = &m;
        if (!(range == first_->ranges.front()) || !range.step.isOne() || !range.tile.isOne())
            return {Why::Shape, "the ranges of its maps differ, or have steps"};
        for (const analysis::LoopLevel &l : around)
            if (range.begin.dependsOn(l.variable) || range.end.dependsOn(l.variable))
                return {Why::Shape, "the range of its maps depends on `" + l.variable.str() + "`"};
        std::map<Name, sym::Expr> meaning;
        if (m.params.front() != first_->params.front())
            meaning.emplace(m.params.front(), sym::Expr::symbol(first_->params.front()));
        if (!nest::canLayOver(m, meaning, std::span(first_->params).first(1)))
            return {Why::Names, "the names of parameters conflict"};
        const std::set<Name> locals = nest::localsOf(m);
        for (nest::PlacedUse &u : nest::aligned(m, *first_, meaning, 1)) {
            if (locals.count(u.use->data))
                continue;
            u.instance.loops.insert(u.instance.loops.begin() + 1, around.begin(), around.end());
            uses_.push_back(std::move(u));
        }
        return {};
    }

    /// Limits the maps to a strip, for one thread.
    static void limitTo(std::vector<Item> &items, const sym::Range &strip) {
        for (Item &i : items) {
            Map &m = *i.map;
            if (m.entry->ordered) {
                limitTo(m.body, strip);
                continue;
            }
            auto entry = nest::entryLike(*m.entry, m.entry->label);
            entry->schedule = Schedule::Sequential;
            m.entry = entry.get();
            m.made = std::move(entry);
            m.ranges.front() = strip;
        }
    }

    LoopRegion &loop_;
    const LoopsOf &known_;
    analysis::LoopHeader header_;
    std::vector<Item> body_;
    const Map *first_ = nullptr; // of the maps
    std::vector<nest::PlacedUse> uses_;
};

class LoopsIntoStrips : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu()) // a kernel shares its iterations among all threads of the device
            return false;
        return changeLoops(
            root,
            [&](LoopRegion &l, const LoopsOf &known) {
                const pass::Element where(l);
                Strips strips(l, known);
                if (const Reason why = strips.obstacle()) {
                    context.missed(where, "remains around its maps", why);
                    return false;
                }
                if (!context.mayChange(where, "runs on a strip of its maps in each thread"))
                    return false;
                strips.replace();
                return true;
            },
            LoopOrder::OuterFirst);
    }
};

} // namespace

std::unique_ptr<pass::Pass> createLoopsIntoStrips() { return std::make_unique<LoopsIntoStrips>(); }

} // namespace sdfgc::transforms

// distribute-loops: split a loop into a sequential loop for the part that carries a dependence and maps for the rest.
//
//     for i = 1; i < N; i = i + 1 {                    ordered map[i = 1:N] { A[i] = A[i - 1] + B[i] }
//         A[i] = A[i - 1] + B[i]                ->     map[i = 1:N] { C[i] = B[i] * B[i] }
//         C[i] = B[i] * B[i]
//     }
//
// Textbooks call this loop distribution or fission. The steps of the body are the nodes of a graph. An edge leads from
// one step to another that must come after it, in the same iteration or in a later one. Steps on a common cycle stay
// together. The resulting groups run one after the other, in the order of the edges. A group with a loop-carried edge
// inside becomes an ordered map (LoopItems.h), all others become maps. Neighbouring groups are merged if neither loses
// parallelism.
//
// A variable that passes a value from one step to another within an iteration would need storage for all iterations, so
// the two steps are treated as a cycle. If the variable's value depends only on loop invariants, each group recomputes
// it instead.
//
// On a GPU, one thread runs a loop of dependent steps, while all others wait, so memory is cheaper:
//
//     for i = 0; i < N; i = i + 1 {                    map[i = 0:N] { x_all[i] = tanh(A[i]) }
//         x = tanh(A[i])                        ->     for i = 0; i < N; i = i + 1 {
//         s = s + x                                        s = s + x_all[i]
//     }                                                }
//
// There, a loop that would stay and that no loop surrounds is split if its variables only pass values forward within an iteration, and
// the maps save more time of the one thread than a launch takes (DeviceCosts.h).
//
// Splitting makes several parts walk over the same memory. One thread may therefore be faster with one loop, and a team
// with several. DistributionCost.h estimates the cost:
//
//   1. Neighbouring parts are merged as long as that makes one thread faster. The loop is distributed if the remaining
//      parts take at most 80 % of its time: they compute enough for vectorisation to pay.
//   2. Otherwise the same is tried with teams of 2, 4 and 8 threads, which share the maps. The smallest team that is
//      faster gets the parts, and both versions are generated:
//
//          if omp_get_max_threads() >= 4 and N >= 10000 { parts } else { the loop as it was }
//
//      This is done only for loops whose steps are in no other loop and whose variable is not read later, since a
//      conditional stops other passes.
//   3. A loop that cannot have two versions is distributed if one thread loses at most 5 % and a team gains.
//   4. Otherwise the loop stays.
//
// Every element is computed from the same values, in the same order, so results are bitwise identical.
//
// Branches in the body, with the symbols that they need, are steps as well: calls of nested SDFGs (nest::callOf).
//
// Not handled: loops that contain maps for thread teams or library calls; loops that loops-to-maps can convert, which
// are maps by the time this pass runs.
#include "Transforms/Edits/ChangeLoops.h"
#include "Transforms/Edits/Completion.h"
#include "Transforms/Edits/DeviceCosts.h"
#include "Transforms/Edits/Nodes.h"
#include "Transforms/Optimize/DistributionCost.h"
#include "Transforms/Optimize/StepGraph.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
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
using nest::Run;
using nest::Use;

constexpr std::size_t most = 64;         // steps of a body
constexpr int64_t tripsForTeams = 10000; // fewer iterations are finished before a team has started
// In percent of the time of the loop: a gain that is worth the change for one thread, for a team; a loss that is not
// measurable.
constexpr int64_t gainOfOne = 80, gainOfTeam = 90, smallLoss = 105;
/// Merges neighbours as long as that makes this number of threads faster.
void joinByCost(std::vector<Group> &groups, const StepGraph &graph, const DistributionCost &cost, int64_t threads) {
    const auto costOf = [&](const Group &g) { return cost.of(g.steps | graph.neededBy(g.steps), g.ordered, threads); };
    for (;;) {
        std::size_t best = groups.size();
        int64_t most = 0;
        Group joined;
        for (std::size_t k = 0; k + 1 < groups.size(); ++k) {
            Group both{groups[k].steps | groups[k + 1].steps, false};
            both.ordered = graph.carries(both.steps, both.steps);
            const int64_t gain = costOf(groups[k]) + costOf(groups[k + 1]) - costOf(both);
            if (gain > most) {
                most = gain;
                best = k;
                joined = both;
            }
        }
        if (best == groups.size())
            return;
        groups[best] = joined;
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
}

/// The time of the parts with this number of threads, in percent of the loop's.
int64_t percentOf(const std::vector<Group> &groups, const StepGraph &graph, const DistributionCost &cost, int64_t threads) {
    Steps all = graph.copied();
    int64_t apart = 0;
    for (const Group &g : groups) {
        all |= g.steps;
        apart += cost.of(g.steps | graph.neededBy(g.steps), g.ordered, threads);
    }
    return 100 * apart / std::max<int64_t>(1, cost.of(all, true, threads));
}

/// One loop that may be split.
class Distribution {
public:
    Distribution(LoopRegion &l, const LoopsOf &known, bool device)
        : loop_(l), g_(known.g), memories_(known.memories), items_(known.items), loops_(known.loops),
          symbols_(known.after.symbols()), device_(device) {}

    /// Why the loop stays as it is; empty if it can be distributed.
    Reason obstacle() {
        if (!loop_.optimize)
            return {Why::Kept, "the graph requires it"};
        header_ = analysis::headerOf(loop_);
        if (!header_.hasEnd() || !header_.isOfIntegers(g_))
            return {Why::LoopForm, "it does not count to a known end"};
        if (std::optional<std::vector<Item>> body = loops_.contentOf(loop_))
            body_ = std::move(*body);
        else if (Reason why = readWithCalls())
            return why;
        if (body_.size() > most)
            return {Why::Budget, "its body has more than " + std::to_string(most) + " steps"};
        if (!std::all_of(body_.begin(), body_.end(), isSequential))
            return {Why::Shape, "its body contains more than single-threaded steps"};
        if (leavesContainers())
            return {Why::OutOfBounds, "it accesses elements outside of a container"};
        graph_.emplace(body_, header_.level(), loop_, items_, loops_);
        groups_ = groupsOf(*graph_, body_.size());
        if (isOneLoop())
            return device_ && storesVariables() ? Reason()
                                                : Reason{Why::Dependence, "no part of its body is independent of other iterations"};
        return choosesParts(DistributionCost(body_, header_.level(), g_, graph_->variables()))
                   ? Reason()
                   : Reason{Why::Unprofitable, "its parts use the same memory, which one loop traverses only once"};
    }

    /// `1 loop and 2 maps for teams of 4`, for remarks.
    std::string parts() const {
        const auto loops = std::count_if(groups_.begin(), groups_.end(), [](const Group &g) { return g.ordered; });
        const auto maps = static_cast<std::ptrdiff_t>(groups_.size()) - loops;
        const auto counted = [](std::ptrdiff_t n, const char *what) {
            return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
        };
        return (loops ? counted(loops, "loop") + " and " : std::string()) + counted(maps, "map") +
               (team_ ? " for teams of " + std::to_string(team_) : "");
    }

    /// `connectors`: names that no container may have (nest::connectorsOf).
    void distribute(const std::set<Name> &connectors) {
        if (team_) // the original loop keeps its variables
            taken_ = graph_->variables();
        if (!stored_.empty())
            return surroundLoop(connectors);
        std::vector<Item> parts;
        for (const Group &g : groups_)
            parts.push_back({part(g, connectors), nullptr});
        symbols_.liveness.forget(loop_);
        if (team_)
            return addVersion(std::move(parts));
        for (const Name n : graph_->variables())
            if (!taken_.count(n))
                g_.arrays.erase(n);
        loops_.replace(loop_, std::move(parts), header_);
        for (const Name n : moved_)
            g_.arrays.erase(n);
    }

    /// Symbols that only nested SDFGs assign now.
    const std::set<Name> &privateSymbols() const { return private_; }
    /// Are some steps calls of nested SDFGs?
    bool makesCalls() const { return makesCalls_; }

private:
    /// Branches, and other control flow than loops, become calls of nested SDFGs.
    Reason readWithCalls() {
        nest::LoopBody content;
        if (Reason why = nest::readBody(loop_, header_, memories_, loops_.shared(), symbols_, content))
            return why;
        if (!content.calls.empty())
            return {Why::Library, "its body calls libraries in `" + content.calls.front() + "`"};
        std::optional<nest::BodyItems> body = loops_.contentWithCalls(loop_, content, items_);
        if (!body)
            return {Why::ControlFlow, "its body cannot be taken apart"};
        body_ = std::move(body->items);
        moved_ = std::move(body->moved);
        private_ = std::move(content.assigned);
        makesCalls_ = true;
        return {};
    }

    /// Sets the groups into which the loop is split and the size of the smallest team that runs them. Returns false if the loop
    /// remains as it is.
    bool choosesParts(const DistributionCost &cost) {
        const std::vector<Group> apart = groups_;
        joinByCost(groups_, *graph_, cost, 1);
        const std::vector<Group> forOneThread = groups_;
        const int64_t percent = isOneLoop() ? 100 : percentOf(groups_, *graph_, cost, 1);
        if (percent <= gainOfOne)
            return true;
        for (const int64_t threads : {2, 4, 8}) {
            groups_ = apart;
            joinByCost(groups_, *graph_, cost, threads);
            if (isOneLoop() || percentOf(groups_, *graph_, cost, threads) > gainOfTeam)
                continue;
            if (canHaveVersions()) {
                team_ = threads;
                return true;
            }
            groups_ = forOneThread;
            return !isOneLoop() && percent <= smallLoss;
        }
        return false;
    }

    /// Sets groups of which one is the loop, with arrays for variables. Returns false if that gains nothing.
    bool storesVariables() {
        const Costs c;
        const auto isStep = [](const Item &i) { return i.step != nullptr; };
        if (makesCalls_ || analysis::loopAround(loop_.parent()) || !header_.range().step.isOne() ||
            !std::all_of(body_.begin(), body_.end(), isStep))
            return false;
        graph_.emplace(body_, header_.level(), loop_, items_, loops_, static_cast<int64_t>(c.threadStep / c.chained / 4));
        groups_ = groupsOf(*graph_, body_.size());
        if (groups_.size() < 2 || std::count_if(groups_.begin(), groups_.end(), [](const Group &g) { return g.ordered; }) != 1)
            return false;
        double saved = 0;
        std::map<Name, std::size_t> users; // the number of groups
        for (const Group &g : groups_) {
            std::set<Name> used;
            for (std::size_t k = 0; k < body_.size(); ++k)
                if (has(g.steps, k)) {
                    saved += g.ordered ? 0 : c.chained * static_cast<double>(operationsOf(*body_[k].step));
                    for (const Use &u : body_[k].step->uses)
                        used.insert(u.data);
                }
            for (const Name n : used)
                ++users[n];
        }
        for (const Name n : graph_->storedVariables())
            if (users[n] > 1)
                stored_.insert(n);
        const std::optional<Run> rest = loops_.runOf(loop_);
        if (!rest || rest->items.size() != body_.size() || saved * countedTrips() <= c.launch)
            stored_.clear();
        return !stored_.empty();
    }

    double countedTrips() const { return static_cast<double>(header_.trips().asInt().value_or(1000)); }

    /// Puts maps before and after the loop, which keeps its ordered steps.
    void surroundLoop(const std::set<Name> &connectors) {
        const auto at = std::find_if(groups_.begin(), groups_.end(), [](const Group &g) { return g.ordered; });
        const Steps own = at->steps | graph_->neededBy(at->steps);
        Run rest = *loops_.runOf(loop_);
        for (std::size_t k = 0; k < body_.size(); ++k)
            for (const Use &u : body_[k].step->uses)
                if (has(own, k) && graph_->variables().count(u.data))
                    taken_.insert(u.data);
        for (const Name n : stored_) {
            DataDesc d = DataDesc::array(g_.desc(n)->dtype, {sym::max({header_.range().steps(), 1})}, true);
            d.storage = Storage::CPU_Heap;
            arrays_.emplace(n, nest::addContainer(g_, n.str() + "_all", std::move(d), connectors));
        }
        Region &r = *loop_.parent();
        const auto put = [&](auto first, auto last, State *s) {
            Run run{&r, &memories_, {s}};
            for (; first != last; ++first)
                run.items.push_back({part(*first, connectors), nullptr});
            nest::write(run);
        };
        if (at != groups_.begin())
            put(groups_.begin(), at, r.addStateBefore(&loop_, g_.freshLabel(loop_.label + "_before")));
        if (at + 1 != groups_.end())
            put(at + 1, groups_.end(), r.addStateAfter(&loop_, g_.freshLabel(loop_.label + "_after")));
        std::vector<Item> kept;
        for (std::size_t k = 0; k < rest.items.size(); ++k)
            if (has(own, k)) {
                storeIn(rest.items[k]);
                kept.push_back(std::move(rest.items[k]));
            }
        rest.items = std::move(kept);
        nest::write(rest);
        for (const Name n : stored_)
            g_.arrays.erase(n);
        loops_.changed();
    }

    /// The element of the iteration in the arrays replaces the variables.
    void storeIn(Item &i) {
        nest::renameContainers(i, arrays_, g_, memories_);
        const sym::Expr at = sym::Expr::symbol(loop_.variable) - header_.range().begin;
        const sym::Subset element({{at, at, 1, 1}});
        std::vector<Use> &uses = i.step->uses;
        for (const auto &[variable, array] : arrays_)
            for (Use &u : uses) {
                const bool isCopy = i.step->isCopy() && (uses.front().data == array || uses.back().data == array);
                if (u.data == array)
                    u.subset = element;
                if (u.memlet.data == array)
                    u.memlet.subset = element;
                else if (u.data == array || isCopy)
                    u.memlet.otherSubset = element;
            }
    }

    /// Does splitting into the groups gain nothing?
    bool isOneLoop() const {
        return groups_.size() < 2 || std::all_of(groups_.begin(), groups_.end(), [](const Group &g) { return g.ordered; });
    }

    /// Does it run on a single thread, without library calls and further effects?
    static bool isSequential(const Item &i) {
        if (nest::hasEffects(i))
            return false;
        if (i.map)
            return nest::canSplit(*i.map) && i.map->entry->schedule == Schedule::Sequential &&
                   std::all_of(i.map->body.begin(), i.map->body.end(), isSequential);
        return std::all_of(i.step->nodes.begin(), i.step->nodes.end(), [&](const Node *n) {
            return isa<Tasklet>(n) || (isa<NestedSDFGNode>(n) && i.step->made.get() == n); // a call of part of the body
        });
    }

    /// Can the loop be duplicated, with a condition before it?
    bool canHaveVersions() const {
        if (analysis::loopAround(loop_.parent()))
            return false;
        const auto trips = header_.trips().asInt();
        const bool isPlain = std::all_of(body_.begin(), body_.end(), [](const Item &i) { return i.step != nullptr; });
        return isPlain && !(trips && *trips < tripsForTeams) && !loops_.isReadOutside(loop_);
    }

    /// Replaces the loop with a conditional: the parts for teams, otherwise the loop.
    void addVersion(std::vector<Item> parts) {
        Region &r = *loop_.parent();
        const Block *const start = r.start();
        auto *choice = r.add<ConditionalBlock>();
        choice->label = g_.freshLabel(loop_.label + "_choice");
        choice->debugInfo = loop_.debugInfo;
        const std::string trips =
            header_.trips().asInt() ? "" : " and " + header_.trips().str() + " >= " + std::to_string(tripsForTeams);
        Region *team =
            choice->addBranch(Code{"omp_get_max_threads() >= " + std::to_string(team_) + trips}, std::make_unique<Region>());
        team->label = g_.freshLabel(loop_.label + "_team");
        Region *one = choice->addBranch(std::nullopt, std::make_unique<Region>());
        one->label = g_.freshLabel(loop_.label + "_one");
        auto *shared = cast<LoopRegion>(team->adopt(ir::clone(static_cast<const Block &>(loop_))));
        shared->label = g_.freshLabel(loop_.label + "_parts");
        one->adopt(ir::clone(static_cast<const Block &>(loop_)));
        loops_.replace(*shared, std::move(parts), header_);
        takePlace(r, start, loop_, loop_, *choice, *choice);
        r.removeBlock(&loop_);
        loops_.changed();
    }

    bool leavesContainers() {
        Map all;
        all.params = {loop_.variable};
        all.ranges = {header_.walk()}; // the first value of a loop that counts down in steps is known
        std::swap(all.body, body_);
        const bool leaves = items_.leavesContainers(all);
        std::swap(all.body, body_);
        return leaves;
    }

    std::unique_ptr<Map> part(const Group &g, const std::set<Name> &connectors) {
        auto out = std::make_unique<Map>();
        const std::shared_ptr<MapEntry> entry = nest::entryFor(loop_);
        entry->ordered = g.ordered;
        entry->schedule = g.ordered ? Schedule::Sequential : Schedule::CPU_Multicore;
        out->made = entry;
        out->entry = entry.get();
        out->params = {loop_.variable};
        out->ranges = {g.ordered ? header_.walk() : header_.range()};
        const Steps steps = g.steps | graph_->neededBy(g.steps);
        std::map<Name, Name> own; // new names for variables that an earlier group also has
        for (std::size_t k = 0; k < body_.size(); ++k) {
            if (!has(steps, k))
                continue;
            const bool copied = has(graph_->copied(), k);
            out->body.push_back(copied ? Item{nullptr, std::make_unique<nest::Step>(*body_[k].step)} : std::move(body_[k]));
        }
        if (!arrays_.empty())
            for (Item &i : out->body)
                storeIn(i);
        for (const Item &i : out->body)
            for (const nest::PlacedUse &u : nest::usesOf(i))
                if (graph_->variables().count(u.use->data) && !own.count(u.use->data))
                    own.emplace(u.use->data, ownName(u.use->data, connectors));
        for (const auto &[variable, name] : own) {
            out->locals.insert(name);
            g_.desc(name)->storage = Storage::Register;
        }
        for (Item &i : out->body)
            nest::renameContainers(i, own, g_, memories_);
        return out;
    }

    /// The first group keeps the name of a variable.
    Name ownName(Name variable, const std::set<Name> &connectors) {
        return taken_.insert(variable).second ? variable : nest::addContainer(g_, variable.view(), *g_.desc(variable), connectors);
    }

    LoopRegion &loop_;
    SDFG &g_;
    analysis::Memories &memories_;
    const nest::Conflicts &items_;
    nest::LoopItems &loops_;
    nest::BodySymbols &symbols_;
    analysis::LoopHeader header_;
    std::vector<Item> body_;
    std::set<Name> moved_, private_; // containers of calls, and symbols of theirs
    bool makesCalls_ = false;
    std::optional<StepGraph> graph_;
    std::vector<Group> groups_;
    int64_t team_ = 0;     // the smallest team that runs the parts (smaller ones run the original loop), or 0: all run the parts
    std::set<Name> taken_; // variables that groups already have
    const bool device_;
    std::set<Name> stored_;       // variables that become arrays, around the loop
    std::map<Name, Name> arrays_; // by variable
};

class DistributeLoops : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu() && !option<bool>("device"))
            return false;
        std::map<const SDFG *, std::set<Name>> connectors; // of all nodes
        bool makesCalls = false;
        const bool changed = changeLoops(root, [&](LoopRegion &l, const LoopsOf &known) {
            const pass::Element where(l);
            Distribution distribution(l, known, context.options.gpu());
            if (const Reason why = distribution.obstacle()) {
                context.missed(where, "remains one loop", why);
                return false;
            }
            if (!context.mayChange(where, "is " + distribution.parts()))
                return false;
            const auto [names, isNew] = connectors.try_emplace(&known.g);
            if (isNew)
                names->second = nest::connectorsOf(known.g);
            distribution.distribute(names->second);
            nest::forgetSymbols(known.g, distribution.privateSymbols());
            makesCalls |= distribution.makesCalls();
            return true;
        });
        if (makesCalls)
            inferTypes(root, context); // of arguments of nested SDFGs
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createDistributeLoops() { return std::make_unique<DistributeLoops>(); }

} // namespace sdfgc::transforms

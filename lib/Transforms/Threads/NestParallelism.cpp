// nest-parallelism: choose which host maps run on a team of threads, and how many of their loops the team shares.
//
//   before:  map[i = 0:N] CPU_Multicore {                     after:  map[i = 0:N] CPU_Multicore {
//                map[j = 0:M] CPU_Multicore { ... } }                     map[j = 0:M] Sequential { ... } }
//            map[i = 0:2] CPU_Multicore {                             map[i = 0:2] Sequential {
//                map[j = 0:N] CPU_Multicore { ... } }                     map[j = 0:N] CPU_Multicore { ... } }
//            map[i = 0:4, j = 0:N, k = 0:N] CPU_Multicore             map[i = 0:4, j = 0:N, k = 0:N] CPU_Multicore, collapse 2
//            map[i = 0:3, j = 0:N] CPU_Multicore                      map[i = 0:3] Sequential { map[j = 0:N] CPU_Multicore }
//
// OpenMP gives a nested team one thread, so only one team is active at a time (SD2136), and the question is which map
// of a nest should have it. The outer map wakes it least often. But threads share only the iterations of the outermost
// loop. If there are fewer of these than the option `few`, roughly the number of cores, most cores are idle. In that
// case the pass considers the loops of the map and of the maps that are alone in it, one after another:
//
//   1. The team shares the leading loops that together have enough iterations (`collapse`); inner maps that own some of
//      these loops are merged with the outer one. The innermost loop is excluded if it contains only tasklets:
//      compilers vectorise it, but not as part of collapsed loops (2 x 20000 additions: 6 us on two threads; collapsed,
//      38 us with GCC 12 and 1000 us with Clang 14).
//   2. If the innermost loop is needed to reach enough iterations, its map gets the team, and the few iterations around
//      it run one after another.
//   3. If all loops are short, and the map contains maps that are each worth a team and little else, these maps get
//      teams.
//   4. Otherwise the team shares all loops.
//
// A map that is known to have too little work for a team is left to guard-parallel-maps. Rules 2 and 3 are also skipped
// if the work that a team would run each time is unknown or too little (option `work`). Loops are shared only if no two
// iterations write the same element, that is, if all memlets of writes mention their parameters; otherwise plain
// updates would become atomic. In addition:
//
//   5. CPU_Multicore maps that run on a thread of a team become Sequential: those inside parallel maps, consume scopes,
//      sections and kernels, also through nested SDFGs. SDFGs there have no OpenMP sections.
//   6. Maps of one iteration become Sequential as well.
//
// Not handled: maps for which the graph specifies how threads share them (`omp_num_threads`, `omp_schedule`,
// `collapse`) and timed maps keep their team. Parallel maps in CPU_Persistent maps share the team that is already
// awake. In programs with CPU_ThreadLocal memory only rules 5 and 6 apply, because a thread continues with what the
// previous map left there. Sequential maps stay sequential.
//
// Runs before guard-parallel-maps, which weighs the maps that have teams, and before resolve-wcr.
#include "Transforms/Edits/MapNests.h"

#include "sdfgc/Analysis/Costs/Work.h"
#include "sdfgc/Analysis/Memory/Axes.h"
#include "sdfgc/Analysis/Teams.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::ScopeTree;
using analysis::Team;

/// Does the map keep its team?
bool isAsked(const MapEntry &m) { return saysHowShared(m) || m.instrument != Instrumentation::No_Instrumentation; }

/// The loops of a map, and of each parallel map that is alone in the scope of the previous one.
struct Nest {
    struct Loop {
        Name parameter;
        sym::Range range;
        std::size_t map = 0; // index of its map
    };
    std::vector<MapEntry *> maps;
    std::vector<Loop> loops;     // as long as their ranges form a box; without loops of one iteration
    bool isBox = true;           // includes all loops of the last map
    std::vector<Node *> content; // of the last map
    bool onlyTasklets = true;    // in the last map
    MapEntry &last() const { return *maps.back(); }

    Nest(MapEntry &m, const ScopeTree &scopes) {
        for (MapEntry *next = &m; next;) {
            add(*next);
            content.clear();
            for (Node *n : scopes.children(next))
                content.push_back(n);
            auto *only = content.size() == 1 ? dyn_cast<MapEntry>(content.front()) : nullptr;
            next = only && isBox && joins(*only) ? only : nullptr;
        }
        onlyTasklets = std::all_of(content.begin(), content.end(), [](Node *n) { return isa<AccessNode>(n) || isa<Tasklet>(n); });
    }

    /// The number of iterations of the first `count` loops; nothing if it depends on symbols.
    std::optional<int64_t> iterations(std::size_t count) const {
        sym::Expr all = 1;
        for (std::size_t d = 0; d < count; ++d)
            all *= loops[d].range.steps();
        return all.asInt();
    }
    /// Do all writes of the innermost map mention the parameters of the loops [first, end)?
    bool writeApart(std::size_t first, std::size_t end) const {
        for (std::size_t d = first; d < end; ++d)
            for (const Edge *e : last().exit->inEdges())
                if (!e->memlet.isEmpty() &&
                    !(e->memlet.subset && !e->memlet.dynamic && mentions(*e->memlet.subset, loops[d].parameter)))
                    return false;
        return true;
    }

private:
    static bool mentions(const sym::Subset &s, Name parameter) {
        return std::any_of(s.dims.begin(), s.dims.end(), [parameter](const sym::Range &r) { return r.begin.dependsOn(parameter); });
    }
    void add(MapEntry &m) {
        maps.push_back(&m);
        for (std::size_t d = 0; isBox && d < m.params.size(); ++d) {
            isBox = std::none_of(loops.begin(), loops.end(),
                                 [&](const Loop &l) { return analysis::dependOn({m.ranges[d]}, l.parameter); });
            if (isBox && !m.ranges[d].steps().isOne())
                loops.push_back({m.params[d], m.ranges[d], maps.size() - 1});
        }
    }
    bool joins(const MapEntry &inner) const {
        auto taken = [&](Name p) {
            return std::any_of(maps.begin(), maps.end(), [p](const MapEntry *m) {
                return std::find(m->params.begin(), m->params.end(), p) != m->params.end();
            });
        };
        return inner.schedule == Schedule::CPU_Multicore && !isAsked(inner) && !hasDynamicRange(inner) &&
               std::none_of(inner.params.begin(), inner.params.end(), taken);
    }
};

class Teams : public analysis::TeamWalk {
public:
    Teams(pass::Context &context, int64_t few, int64_t work) : context_(context), few_(few), work_(work) {}

    bool changed = false;
    bool restructures = true; // rules 1 to 4 apply

private:
    void enter(SDFG &g, Team around) override {
        if (around == Team::None || !g.openmpSections)
            return;
        g.openmpSections = false;
        changed = true;
    }

    void visit(Node &n, const ScopeTree &scopes, Team around) override {
        auto *m = dyn_cast<MapEntry>(&n);
        if (!m || m->schedule != Schedule::CPU_Multicore || merged_.count(m))
            return;
        if (around == Team::Member)
            sequential(*m, "runs on one thread: it is executed by a single thread of a team");
        else if (around == Team::None && analysis::isOneIteration(m->ranges) && !hasDynamicRange(*m))
            sequential(*m, "runs on one thread: it has one iteration");
        else if (around == Team::None && restructures && !isAsked(*m) && !hasDynamicRange(*m))
            weigh(*m, scopes);
    }

    void sequential(MapEntry &m, const std::string &why) {
        m.schedule = Schedule::Sequential;
        m.ompNumThreads = 0;
        context_.done(m, why);
        changed = true;
    }

    /// Is it known that all iterations together have too little work for a team, or (`each`) that the inner loops do?
    bool isLittle(const std::optional<sym::Expr> &work, int64_t times) const {
        const std::optional<int64_t> known = work ? work->asInt() : std::nullopt;
        return known && *known / times < work_;
    }

    void weigh(MapEntry &m, const ScopeTree &scopes) {
        const Nest nest(m, scopes);
        const std::optional<sym::Expr> work = analysis::workOf(m, scopes);
        if (nest.loops.empty() || nest.iterations(1).value_or(few_) >= few_ || isLittle(work, 1))
            return;
        const std::size_t all = nest.loops.size();
        const bool keepsLast = nest.isBox && nest.onlyTasklets && all > 1;
        std::size_t shared = 1;
        while (shared < all && nest.iterations(shared).value_or(few_) < few_)
            ++shared;
        const bool enough = nest.iterations(shared).value_or(few_) >= few_;
        if (enough && keepsLast && shared == all)
            return giveToLast(m, nest, work);
        if (!enough && teamsInside(nest, scopes))
            return sequential(m, few(nest, m) + "its inner maps have teams");
        if (!enough && keepsLast)
            shared = all - 1;
        if (shared > 1 && nest.writeApart(1, shared))
            share(m, nest, shared);
    }

    std::string few(const Nest &nest, const MapEntry &m) const {
        std::size_t own = 0;
        while (own < nest.loops.size() && nest.maps[nest.loops[own].map] == &m)
            ++own;
        return "its " + std::to_string(nest.iterations(own).value_or(1)) +
               " iterations are too few for a team and run one after another: ";
    }

    /// Rule 1.
    void share(MapEntry &m, const Nest &nest, std::size_t loops) {
        const std::size_t maps = nest.loops[loops - 1].map + 1;
        for (std::size_t i = 1; i < maps; ++i) {
            merged_.insert(nest.maps[i]);
            merges_.emplace_back(&m, nest.maps[i]);
        }
        m.collapse = static_cast<int64_t>(loops);
        context_.done(m, "a team shares the iterations of its first " + std::to_string(loops) + " loops" +
                             (maps > 1 ? ", including those of inner maps" : ""));
        changed = true;
    }

    /// Rule 2.
    void giveToLast(MapEntry &m, const Nest &nest, const std::optional<sym::Expr> &work) {
        const std::size_t last = nest.loops.size() - 1;
        const std::optional<int64_t> times = nest.iterations(last);
        if (!work || !times || isLittle(work, *times))
            return;
        if (nest.maps.size() > 1) // the inner map is considered next
            return sequential(m, few(nest, m) + "its inner map has a team");
        if (!nest.writeApart(last, last + 1))
            return;
        splits_.push_back(&m);
        context_.done(m, "its first " + std::to_string(*times) +
                             " iterations are too few for a team and run one after "
                             "another: a team shares those of `" +
                             nest.loops[last].parameter.str() + "`");
        changed = true;
    }

    /// Rule 3: are there inner maps that are worth a team, with little other work?
    bool teamsInside(const Nest &nest, const ScopeTree &scopes) const {
        bool any = false;
        for (Node *n : nest.content) {
            const auto *m = dyn_cast<MapEntry>(n);
            if (!m && !isa<AccessNode>(n) && !isa<Tasklet>(n))
                return false;
            if (!m)
                continue;
            const std::optional<sym::Expr> work = analysis::workOf(*m, scopes);
            const bool team = m->schedule == Schedule::CPU_Multicore && work && !isLittle(work, 1);
            if (!team && !isLittle(work, 1))
                return false;
            any = any || team;
        }
        return any;
    }

    void leave(State &s) override {
        std::vector<Node *> empty;
        for (auto &[outer, inner] : merges_) {
            mergeMaps(*outer, *inner);
            empty.insert(empty.end(), {inner, inner->exit});
        }
        if (!empty.empty())
            s.removeNodes(empty);
        for (MapEntry *m : splits_) {
            // The innermost loop with several iterations moves, along with those after it.
            std::size_t last = m->params.size() - 1;
            while (m->ranges[last].steps().isOne())
                --last;
            std::vector<std::size_t> inner(m->params.size() - last);
            std::iota(inner.begin(), inner.end(), last);
            splitMap(*m, inner, Schedule::CPU_Multicore);
            m->schedule = Schedule::Sequential;
        }
        if (!splits_.empty())
            s.renumber();
        merges_.clear();
        splits_.clear();
    }

    pass::Context &context_;
    int64_t few_, work_;
    std::unordered_set<const MapEntry *> merged_;           // only used for membership tests
    std::vector<std::pair<MapEntry *, MapEntry *>> merges_; // of the current state
    std::vector<MapEntry *> splits_;
};

class NestParallelism : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        Teams teams(context, option<int64_t>("few"), option<int64_t>("work"));
        teams.restructures = threadLocalMemory(root).empty();
        teams.run(root);
        if (teams.changed)
            root.renumber();
        return teams.changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createNestParallelism() { return std::make_unique<NestParallelism>(); }

} // namespace sdfgc::transforms

// resolve-wcr: choose how each write with conflict resolution is performed (Memlet::wcrMode): plainly, atomically, or
// as a reduction, of OpenMP or of the blocks of a kernel.
//
//   before:  map[i] CPU_Multicore: s += A[i]        after:  Reduction (a clause on the map)
//            map[i] GPU_Device: s += A[i]                   Reduction (each block combines, and updates s once)
//            map[i] CPU_Multicore: B[i] += A[i]             Plain     (each iteration has its own element)
//            map[i] CPU_Multicore: h[k[i]] += 1             Atomic    (unless h is small and constant in size: Reduction)
//            map[t = 0] CPU_Persistent: s += 1              Atomic    (every thread of the team runs it)
//
// Rules: semantics reference 19.2, without the defects listed there.
//
// For each innermost edge with conflict resolution:
//   1. With `wcr_nonatomic`, or without a surrounding parallel scope, the write is plain.
//   2. The write is followed to the memory that it reaches: through scopes, views and boundaries of nested SDFGs, up to
//      a container that is private to an iteration, or to an argument of the root (WcrTargets).
//   3. It is plain if, on each part of that path, no two iterations of the parallel scopes access the same element, and
//      no other write in the same parallel scope accesses in another iteration an element that this one accesses
//      (DisjointIterations).
//   4. It is a reduction in two cases. First, the scope is a CPU_Multicore map that really runs in parallel, the map
//      accesses the container, also in nested SDFGs, only by conflict resolution of one kind that OpenMP supports for
//      the type, and the target is one element or small (Reductions.h). Second, the scope is a kernel with more
//      iterations than a warp has lanes, the kind has a neutral element for the type, and the target is one element
//      that tasklets of the kernel's own SDFG update.
//   5. Otherwise it is atomic.
//
// The order of atomic updates and reductions is unspecified: class F1. With --reductions ordered, updates whose order
// matters (py::orderCounts: sums of floating-point numbers, but not minima or integers) must be ordered first. CPU maps
// whose iterations conflict become sequential, outermost first, until all of them are plain, and parts of a state no
// longer run concurrently. Kernels, consume scopes and persistent maps cannot be ordered (SD4530).
//
// The outer edges of a path get the strongest mode of the writes that pass through them, and those of a reduction its
// resolution.
//
// Not handled: conflict resolution outside scopes, which stays a plain write.
#include "Transforms/Edits/Nodes.h"
#include "sdfgc/Analysis/Dependences/DependentIterations.h"
#include "sdfgc/Analysis/Dependences/DisjointIterations.h"
#include "sdfgc/Analysis/Dependences/WcrReductions.h"
#include "sdfgc/Analysis/Dependences/WcrTargets.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Diag/Reason.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tasklet/Types.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;

/// How many of a map's parameters have iterations that run side by side: threads share the outermost loop, or the `collapse`
/// outermost ones; the others run in sequence inside of it. Loops of one iteration do not count.
std::size_t parallelParameters(const MapEntry &m) {
    if (m.schedule != Schedule::CPU_Multicore)
        return analysis::runsParallel(&m) ? m.params.size() : 0;
    int64_t shared = std::max<int64_t>(m.collapse, 1);
    std::size_t count = 0;
    while (count < m.params.size() && shared > 0)
        shared -= !m.ranges[count++].steps().isOne();
    return count;
}

bool isShared(const Node *scope) {
    const auto *m = dyn_cast<MapEntry>(scope);
    return m && m->schedule == Schedule::CPU_Multicore;
}

/// What the iterations of the scopes (innermost first) depend on, outermost first. A persistent map's own range says nothing: every
/// thread of its team runs the body, and the first parameter is the thread's number; unless a parallel map in it (`shared`: one
/// further inside) has its iterations shared out among the team, each of them run by one thread (reference 21.1).
std::vector<analysis::IterationParameter> parametersOf(const std::vector<Node *> &scopes, bool shared = false) {
    std::vector<analysis::IterationParameter> all;
    for (const Node *scope : scopes) {
        std::vector<analysis::IterationParameter> own;
        const auto *m = dyn_cast<MapEntry>(scope);
        if (m && m->schedule == Schedule::CPU_Persistent) {
            const Name thread = m->params.empty() ? Name("__omp_thread") : m->params[0];
            const sym::Expr team = m->ompNumThreads.isZero() ? sym::Expr::symbol("__omp_num_threads") : m->ompNumThreads;
            if (!shared)
                own.push_back({thread, {0, team - 1, 1, 1}, true});
        } else if (m) {
            for (std::size_t i = 0; i < m->params.size(); ++i)
                own.push_back({m->params[i], m->ranges[i], i < parallelParameters(*m)});
        }
        if (const auto *c = dyn_cast<ConsumeEntry>(scope))
            own.push_back({c->peIndex, {0, c->numPes - 1, 1, 1}, true});
        all.insert(all.begin(), own.begin(), own.end());
        shared = shared || isShared(scope);
    }
    return all;
}

struct Decision {
    WcrMode mode;
    std::string why;
    std::vector<const Edge *> through = {}; // of a reduction: the writes from the innermost one to the map's level
    diag::Why code = diag::Why::None;       // of an atomic update
    const Node *scope = nullptr;            // whose iterations meet; null: other parts of the state do
};

class Resolver {
public:
    Decision decide(const Edge &leaf);

private:
    Reason conflictOn(const analysis::WriteLevel &level, bool shared);
    bool overlapsOtherWrite(const analysis::WriteLevel &level, const Node *parallelScope, const std::set<Name> &varying);
    const sym::Assumptions &facts(const SDFG &g);

    analysis::WriteTracer tracer_;
    std::unordered_map<const SDFG *, sym::Assumptions> facts_;
};

const sym::Assumptions &Resolver::facts(const SDFG &g) {
    auto [it, isNew] = facts_.try_emplace(&g);
    if (isNew)
        it->second = analysis::factsOf(g);
    return it->second;
}

/// Does it run nothing in parallel itself? Then one thread does all of an iteration's part of it.
bool isSequentialInside(const Node &n) {
    const auto *nested = dyn_cast<NestedSDFGNode>(&n);
    if (!nested || !nested->sdfg)
        return true;
    for (SDFG *g : allSDFGs(*nested->sdfg))
        for (const State *s : allStates(*g))
            for (const auto &inner : s->nodes())
                if (scheduleOf(inner.get()) && analysis::runsParallel(inner.get()))
                    return false;
    return true;
}

/// All that one iteration of the parallel map touches by a write in `around`; nothing when threads share an iteration. Not what the
/// edge after the scopes says: it may stand for several writes.
std::optional<sym::Subset> writtenByIteration(const MapEntry &map, const Edge &write, const std::vector<Node *> &around,
                                              const sym::Assumptions &facts) {
    auto touched = analysis::destinationSubset(&write);
    const auto *target = dyn_cast<AccessNode>(analysis::pathDestination(&write));
    const DataDesc *d = target ? target->state()->sdfg()->desc(target->data) : nullptr;
    if (!touched || !d || std::count_if(around.begin(), around.end(), analysis::runsParallel) != 1 ||
        !isSequentialInside(*write.src))
        return std::nullopt;
    return analysis::touchedByIteration(map, *touched, around, d->fullSubset(), facts);
}

/// Another write in the parallel scope that may touch the same elements in another iteration.
bool Resolver::overlapsOtherWrite(const analysis::WriteLevel &level, const Node *parallelScope, const std::set<Name> &varying) {
    const State &state = *level.edge->src->state();
    const auto *map = dyn_cast<MapEntry>(parallelScope);
    const sym::Assumptions &known = facts(*state.sdfg());
    auto areApart = [&](const Edge &other) {
        const std::vector<Node *> around = tracer_.scopes(state).enclosing(other.src);
        auto a = writtenByIteration(*map, *level.edge, level.scopes, known), b = writtenByIteration(*map, other, around, known);
        std::set<Name> ofBoth = varying;
        analysis::addDynamicRanges(around, parallelScope, ofBoth);
        return a && b && a->rank() == b->rank() &&
               analysis::areIterationsApart(*a, *b, parametersOf({const_cast<Node *>(parallelScope)}), ofBoth, known);
    };
    auto touched = analysis::destinationSubset(level.edge);
    for (const Edge *other : tracer_.writesTo(state, analysis::ownerOf(level.target->data))) {
        if (other == level.edge || !tracer_.encloses(parallelScope, other->src))
            continue;
        if (isa<AccessNode>(other->src) && !analysis::isTransfer(*other)) // hands on what another write wrote
            continue;
        auto otherTouched = analysis::destinationSubset(other);
        if (touched && otherTouched && *touched == *otherTouched)
            continue;
        auto a = analysis::destinationSubset(analysis::edgeLeaving(parallelScope, *level.edge));
        auto b = analysis::destinationSubset(analysis::edgeLeaving(parallelScope, *other));
        const bool neverMeet = a && b && a->rank() == b->rank() && sym::intersects(*a, *b, known) == sym::Truth::False;
        if (!neverMeet && !(map && areApart(*other)))
            return true;
    }
    return false;
}

/// Why concurrent writes on this stretch may meet; empty when they cannot. `shared`: a parallel map further inside shares out its
/// iterations.
Reason Resolver::conflictOn(const analysis::WriteLevel &level, bool shared) {
    const Node *parallelScope = analysis::outermostParallel(level.scopes);
    if (!parallelScope)
        return {};
    std::vector<analysis::IterationParameter> parameters = parametersOf(level.scopes, shared);
    std::set<Name> varying = level.varying;
    analysis::addDynamicRanges(level.scopes, parallelScope, varying);
    const sym::Assumptions &known = facts(*level.edge->src->state()->sdfg());
    bool disjoint = std::any_of(level.touched.begin(), level.touched.end(), [&](const sym::Subset &s) {
        return analysis::areIterationsDisjoint(s, parameters, varying, known);
    });
    if (!disjoint)
        return {Why::Dependence,
                "iterations may touch the same element of " + level.target->data.str() + "[" + level.touched.back().str() + "]"};
    if (overlapsOtherWrite(level, parallelScope, varying))
        return {Why::Dependence, "another write in the same scope may touch " + level.target->data.str()};
    return {};
}

Decision Resolver::decide(const Edge &leaf) {
    if (leaf.memlet.wcrNonatomic)
        return {WcrMode::Plain, "declared to need no atomicity"};
    std::vector<Node *> around = tracer_.allScopesAround(leaf.src);
    analysis::WriteTarget target = tracer_.trace(leaf);
    const SDFG &g = *leaf.src->state()->sdfg();
    if (!target.levels.empty() && g.openmpSections &&
        tracer_.writesTo(*leaf.src->state(), analysis::ownerOf(target.levels.front().target->data)).size() > 1)
        return {WcrMode::Atomic, "other parts of the state may run at the same time and write the container", {}, Why::Dependence};
    if (!analysis::outermostParallel(around))
        return {WcrMode::Plain, "no scope around it runs in parallel"};
    if (!target.known)
        return {WcrMode::Atomic, "the memory that it reaches is not known", {}, Why::MayAlias, analysis::outermostParallel(around)};
    Reason conflict;
    const Node *scope = nullptr;
    bool shared = false;
    for (const analysis::WriteLevel &level : target.levels) {
        if (!conflict) {
            conflict = conflictOn(level, shared);
            scope = analysis::outermostParallel(level.scopes);
        }
        shared = shared || std::any_of(level.scopes.begin(), level.scopes.end(), isShared);
    }
    if (!conflict)
        return {WcrMode::Plain, "parallel iterations touch different elements"};
    const analysis::ReductionOrNot reduction = analysis::reductionOf(tracer_, leaf, target, *analysis::outermostParallel(around));
    if (!reduction.level)
        return {WcrMode::Atomic, conflict.text + "; no reduction: " + reduction.why, {}, conflict.code, scope};
    std::vector<const Edge *> through; // borders of nested SDFGs up to the map
    for (const analysis::WriteLevel &level : target.levels) {
        through.push_back(level.edge);
        if (&level == reduction.level)
            break;
    }
    return {WcrMode::Reduction, "every iteration updates " + reduction.level->target->data.str(), std::move(through), Why::None,
            scope};
}

// ---- the pass

int strength(WcrMode m) { return m == WcrMode::Atomic ? 3 : m == WcrMode::Reduction ? 2 : m == WcrMode::Plain ? 1 : 0; }

std::vector<Edge *> updatesOf(SDFG &root) {
    std::vector<Edge *> all;
    for (SDFG *g : allSDFGs(root))
        for (State *s : allStates(*g))
            for (const auto &e : s->edges())
                if (!e->memlet.wcr.empty())
                    all.push_back(e.get());
    return all;
}

/// Calls `take(edge, decision)` for the edges that need a decision: innermost ones, and outer ones if no inner edge has
/// a conflict resolution.
template <class Take> void decideAll(Resolver &resolver, const std::vector<Edge *> &all, Take take) {
    std::unordered_set<const Edge *> decided;
    for (bool inner : {true, false})
        for (Edge *e : all) {
            if (inner == e->src->isExit() || decided.contains(e))
                continue;
            for (const Edge *along : analysis::memletPath(e))
                decided.insert(along);
            const Decision d = resolver.decide(*e);
            for (const Edge *write : d.through)
                for (const Edge *along : analysis::memletPath(write))
                    decided.insert(along);
            take(*e, d);
        }
}

/// For --reductions ordered: takes away what runs side by side and updates one element, where the order counts.
class Ordering {
public:
    Ordering(SDFG &root, pass::Context &context) : root_(root), context_(context) {}

    /// Returns whether the graph was changed; what cannot be put in an order is an error.
    bool run() {
        bool changed = false;
        while (round())
            changed = true;
        return changed;
    }

private:
    /// What is known of a graph holds until it is changed: one round looks at all updates, then changes what is in their way.
    bool round() {
        Resolver resolver;
        const std::size_t errorsBefore = context_.diags.errorCount();
        std::vector<MapEntry *> maps;
        std::vector<SDFG *> sections;
        decideAll(resolver, updatesOf(root_), [&](const Edge &e, const Decision &d) {
            if (d.mode == WcrMode::Plain || !orderCounts(e))
                return;
            if (!d.scope)
                sections.push_back(e.src->state()->sdfg());
            else if (auto *m = dyn_cast<MapEntry>(const_cast<Node *>(d.scope)); m && m->schedule == Schedule::CPU_Multicore)
                maps.push_back(m);
            else
                refuse(e, *d.scope);
        });
        for (SDFG *g : sections)
            g->openmpSections = false;
        for (MapEntry *m : maps) {
            if (m->schedule == Schedule::CPU_Multicore)
                context_.done(*m, "runs on one thread: it sums up in the order of its iterations");
            m->schedule = Schedule::Sequential;
            m->ompNumThreads = 0;
            m->ompIf = sym::Expr::boolean(true);
        }
        return context_.diags.errorCount() == errorsBefore && !(maps.empty() && sections.empty());
    }

    static bool orderCounts(const Edge &e) {
        const auto wcr = py::parseWcr(e.memlet.wcr);
        const DataDesc *d = e.src->state()->sdfg()->desc(e.memlet.data);
        return !wcr.value || !d || py::orderCounts(wcr.value->kind, d->dtype);
    }

    void refuse(const Edge &e, const Node &scope) {
        diag::Location place = analysis::placeOf(*e.src);
        place.file = context_.options.file;
        context_.diags.report(diag::Id::UpdatesUnordered, place, "`" + scope.label + "`", e.memlet.data.str(),
                              context_.options.gpu() ? "compile for the CPU, or leave the order open" : "leave the order open");
    }

    SDFG &root_;
    pass::Context &context_;
};

class ResolveWcr : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = !context.allows(pass::FloatClass::F1) && Ordering(root, context).run();
        Resolver resolver;
        std::unordered_map<const Edge *, WcrMode> modes;
        auto raise = [&](const Edge *e, WcrMode m) {
            WcrMode &mode = modes[e];
            if (strength(m) > strength(mode))
                mode = m;
        };
        std::vector<Edge *> all = updatesOf(root);
        std::vector<std::pair<Edge *, std::string>> reduced;
        decideAll(resolver, all, [&](Edge &e, const Decision &d) {
            remark(context, e, d);
            for (const Edge *along : analysis::memletPath(&e))
                if (!along->memlet.wcr.empty())
                    raise(along, d.mode);
            for (const Edge *write : d.through)
                for (Edge *along : analysis::memletPath(write)) {
                    raise(along, d.mode);
                    reduced.emplace_back(along, e.memlet.wcr);
                }
        });
        for (const auto &[e, wcr] : reduced) // the map reduces by what its outer edges say
            if (e->memlet.wcr.empty()) {
                e->memlet.wcr = wcr;
                all.push_back(e);
            }
        for (Edge *e : all) {
            changed |= e->memlet.wcrMode != modes.at(e);
            e->memlet.wcrMode = modes.at(e);
        }
        return changed;
    }

private:
    static void remark(pass::Context &context, const Edge &e, const Decision &d) {
        if (d.mode == WcrMode::Atomic)
            context.missed(e, "atomic update", {d.code, d.why});
        else
            context.done(e, (d.mode == WcrMode::Plain ? "plain update: " : "reduction: ") + d.why);
    }
};

} // namespace

std::unique_ptr<pass::Pass> createResolveWcr() { return std::make_unique<ResolveWcr>(); }

} // namespace sdfgc::transforms

// split-kernels: turn device maps inside a device map into separate kernels.
//
//   before:  map[i = 0:N] GPU_Device {
//              map[j = 0:M] GPU_Device { tmp[i, j] = A[i, j] * 5 }
//              map[j = 0:M] GPU_Device { B[i, j] = tmp[i, M - 1 - j] }
//            }
//   after:   map[i = 0:N, j = 0:M] GPU_Device { tmp[i, j] = A[i, j] * 5 }
//            map[i = 0:N, j = 0:M] GPU_Device { B[i, j] = tmp[i, M - 1 - j] }
//
// In the original, each thread of the outer map executes the inner maps as loops: few threads with much work. Since
// iterations of a map are independent, all of them may run the first inner map before any runs the second. Dataflow
// still orders the inner maps, and independent ones may run concurrently. Each inner map gets the outer parameters,
// followed by its own.
//
// Legal when:
//   1. the host launches the outer map, which contains only device maps and containers between them;
//   2. the containers are device memory shared by all iterations, and each iteration uses different elements: every
//      outer parameter with more than one iteration is itself an index of each write and each read;
//   3. ranges of the inner maps do not depend on the outer parameters and are not read at run time, parameter names
//      differ, and the graph does not request timing or a block size for the outer map.
//
// Not handled: other nests, and nests in nested SDFGs, which stay loops in each thread. That is always correct. A
// remark names every device map that becomes a loop.
//
// A grid or block has the same number of threads along an axis regardless of the other axes. So if the range of a
// parameter of a device map depends on another parameter (`i = 0:N, j = i:N`), that parameter becomes a loop in each
// thread.
#include "Transforms/Edits/MapNests.h"
#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;

/// The continuation of an edge on the other side of a scope's entry or exit.
Edge *beyond(Node &border, const Edge &e) {
    const Name through = pairedConnector(e.src == &border ? e.srcConn : e.dstConn);
    if (!through)
        return nullptr;
    return e.src == &border ? border.inEdge(through) : border.outEdge(through);
}

class KernelSplit {
public:
    explicit KernelSplit(MapEntry &m) : m_(m), s_(*m.state()), g_(*m.state()->sdfg()) {}

    bool isNest() {
        if (m_.schedule != Schedule::GPU_Device || analysis::executorOf(m_) != analysis::Executor::Host)
            return false;
        const analysis::ScopeTree scopes(s_);
        onlyMaps_ = true;
        for (Node *n : scopes.children(&m_)) {
            auto *inner = dyn_cast<MapEntry>(n);
            if (inner && inner->schedule == Schedule::GPU_Device)
                inner_.push_back(inner);
            else if (auto *a = dyn_cast<AccessNode>(n))
                between_.push_back(a);
            else
                onlyMaps_ &= n == m_.exit;
        }
        return !inner_.empty();
    }

    /// Why the nest stays as it is; empty if it can be split.
    Reason obstacle() const {
        if (!onlyMaps_)
            return {Why::Shape, "it contains more than device maps"};
        if (hasDynamicRange(m_) || m_.gpuBlockSize || m_.instrument != Instrumentation::No_Instrumentation)
            return {Why::Shape, "the graph requests its range, block size or time"};
        for (const MapEntry *m : inner_)
            if (Reason why = obstacleOf(*m))
                return why;
        const std::set<Name> shared = analysis::sharedContainers(g_);
        for (const AccessNode *a : between_) {
            const DataDesc *d = g_.arrays.find(a->data);
            if (!d || !d->isArray() || d->isView() || d->storage != Storage::GPU_Global ||
                (d->lifetime == Lifetime::Scope && !shared.count(a->data)))
                return {Why::Container, "each iteration has `" + a->data.str() + "` as private data"};
            for (const auto &edges : {a->inEdges(), a->outEdges()})
                for (const Edge *e : edges)
                    if (!e->memlet.isEmpty() && (!joins(*e) || !isOwn(*e)))
                        return {Why::Dependence, "iterations may share elements of `" + a->data.str() + "`"};
        }
        return {};
    }

    void run() {
        const std::vector<Edge *> before(m_.inEdges().begin(), m_.inEdges().end()),
            after(m_.exit->outEdges().begin(), m_.exit->outEdges().end());
        for (AccessNode *a : between_)
            for (const auto &edges : {a->inEdges(), a->outEdges()})
                for (Edge *e : edges)
                    if (!e->memlet.isEmpty())
                        e->memlet.subset = overOuter(*e);
        for (MapEntry *inner : inner_) {
            rewire(*inner);
            inner->params.insert(inner->params.begin(), m_.params.begin(), m_.params.end());
            inner->ranges.insert(inner->ranges.begin(), m_.ranges.begin(), m_.ranges.end());
            for (const Edge *e : before) // predecessors and successors of the entire map
                tie(s_, e->src, inner);
            for (const Edge *e : after)
                tie(s_, inner->exit, e->dst);
        }
        s_.removeNodes({&m_, m_.exit});
    }

private:
    Reason obstacleOf(const MapEntry &inner) const {
        if (hasDynamicRange(inner))
            return {Why::Opaque, "the range of `" + inner.label + "` is read at run time"};
        for (Name p : m_.params) {
            if (std::find(inner.params.begin(), inner.params.end(), p) != inner.params.end())
                return {Why::Names, "`" + inner.label + "` has a parameter with the same name"};
            if (analysis::dependOn(inner.ranges, p))
                return {Why::Shape, "the range of `" + inner.label + "` depends on `" + p.str() + "`"};
        }
        return {};
    }
    /// Is it an edge between a container of the scope and an inner map?
    bool joins(const Edge &e) const {
        const Node *other = isa<AccessNode>(e.src) ? e.dst : e.src;
        return e.memlet.subset && !e.memlet.otherSubset && !e.memlet.dynamic &&
               std::any_of(inner_.begin(), inner_.end(), [other](const MapEntry *m) { return other == m || other == m->exit; });
    }
    bool isOwn(const Edge &e) const {
        for (std::size_t d = 0; d < m_.params.size(); ++d) {
            const sym::Expr p = sym::Expr::symbol(m_.params[d]);
            const auto &dims = e.memlet.subset->dims;
            if (!m_.ranges[d].steps().isOne() &&
                std::none_of(dims.begin(), dims.end(), [p](const sym::Range &r) { return r.begin == p && r.end == p; }))
                return false;
        }
        return true;
    }
    sym::Subset overOuter(const Edge &e) const {
        sym::Subset s = *e.memlet.subset;
        const sym::Subset whole = g_.desc(e.memlet.data)->fullSubset();
        for (std::size_t k = m_.params.size(); k-- > 0;)
            s = sym::propagate(s, m_.params[k], m_.ranges[k], whole);
        return s;
    }
    /// Reconnects edges of the outer entry and exit to the ends of the edges beyond them.
    void rewire(MapEntry &inner) {
        for (Edge *e : std::vector<Edge *>(inner.inEdges().begin(), inner.inEdges().end())) {
            if (e->src != &m_)
                continue;
            if (const Edge *outside = beyond(m_, *e))
                s_.connect(outside->src, outside->srcConn, &inner, e->dstConn, outside->memlet);
            s_.removeEdge(e);
        }
        for (Edge *e : std::vector<Edge *>(inner.exit->outEdges().begin(), inner.exit->outEdges().end())) {
            if (e->dst != m_.exit)
                continue;
            if (const Edge *outside = beyond(*m_.exit, *e))
                s_.connect(inner.exit, e->srcConn, outside->dst, outside->dstConn, outside->memlet);
            s_.removeEdge(e);
        }
    }

    MapEntry &m_;
    State &s_;
    SDFG &g_;
    std::vector<MapEntry *> inner_;
    std::vector<AccessNode *> between_;
    bool onlyMaps_ = false;
};

/// Parameters whose ranges depend on others of the map.
std::vector<std::size_t> dependentDimensions(const MapEntry &m) {
    std::vector<std::size_t> out;
    for (std::size_t d = 0; d < m.ranges.size(); ++d) {
        const std::set<Name> free = sym::Subset{{m.ranges[d]}}.freeSymbols();
        if (std::any_of(m.params.begin(), m.params.end(), [&](Name p) { return free.contains(p); }))
            out.push_back(d);
    }
    return out;
}

bool loopOverDependent(MapEntry &m, pass::Context &context) {
    const std::vector<std::size_t> dependent = dependentDimensions(m);
    if (dependent.empty() || dependent.size() == m.params.size())
        return false;
    const pass::Element element(m);
    splitMap(m, dependent, Schedule::Sequential);
    context.done(element, "parameters whose ranges depend on others are a loop of each thread");
    return true;
}

class SplitKernels : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g)) {
                changed |= inState(*s, context);
                changed |= loopsInThreads(*s, context);
                remarkDeeper(*s, context);
            }
        if (changed)
            root.renumber();
        return changed;
    }

private:
    static bool loopsInThreads(State &s, pass::Context &context) {
        bool changed = false;
        for (MapEntry *m : nodesOf<MapEntry>(s))
            if (m->schedule == Schedule::GPU_Device || isThreadBlock(m->schedule))
                changed |= loopOverDependent(*m, context);
        return changed;
    }
    /// Remarks on device maps in kernels that do not belong to a nest of this state: in nested SDFGs, or inside maps with other
    /// schedules.
    static void remarkDeeper(const State &s, pass::Context &context) {
        const analysis::ScopeTree scopes(s);
        for (const auto &n : s.nodes()) {
            const auto *m = dyn_cast<MapEntry>(n.get());
            const analysis::Executor executor =
                m && m->schedule == Schedule::GPU_Device ? analysis::executorOf(*m) : analysis::Executor::Host;
            if (executor != analysis::Executor::Thread && executor != analysis::Executor::Block)
                continue;
            const auto around = scopes.enclosing(m);
            const auto *outer = around.empty() ? nullptr : dyn_cast<MapEntry>(around.front());
            const bool inNest =
                outer && outer->schedule == Schedule::GPU_Device && analysis::executorOf(*outer) == analysis::Executor::Host;
            if (!inNest)
                context.missed(*m, "becomes a loop inside a kernel",
                               {Why::Shape, outer ? "it is not directly below the kernel's map" : "it is in a nested SDFG"});
        }
    }
    /// Repeats until no nest can be split, since inner maps may be nests, too.
    static bool inState(State &s, pass::Context &context) {
        bool changed = false;
        std::set<const Node *> seen;
        for (bool again = true; again;) {
            again = false;
            for (MapEntry *m : nodesOf<MapEntry>(s)) {
                KernelSplit split(*m);
                if (seen.count(m) || !split.isNest())
                    continue;
                const pass::Element element(*m);
                if (const Reason why = split.obstacle()) {
                    context.missed(element, "its device maps are loops of each thread", why);
                    seen.insert(m);
                    continue;
                }
                context.done(element, "its device maps are separate kernels");
                split.run();
                again = changed = true;
                break;
            }
        }
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createSplitKernels() { return std::make_unique<SplitKernels>(); }

} // namespace sdfgc::transforms

// order-streams: enforce the graph's order on streams, with events between streams and waits of the host.
//
//   before:  map (stream 0) -> A                       after:  map (stream 0) -> A -> Record 0 in stream 0
//            map (stream 1) -> B                               map (stream 1) -> B
//            A, B -> map (stream 1) -> C                       A, B -> Wait for 0 in stream 1 -> map (stream 1) -> C
//            C -> (stream 1) c -> tasklet                      C -> (stream 1) c -> Synchronise 1 -> tasklet
//
// The walk of sdfgc/Analysis/Streams/Streams.h reports where an operation or the host could run too early. The pass inserts
// what is missing:
//   1. between streams, an event. It is recorded directly after the operation to wait for, if that is the only one and
//      in the same state, otherwise directly before the wait. Events that are already recorded there are reused;
//   2. for the host, a wait for the stream, before the first access that needs it, as late as possible.
//
// Insertions that later ones imply are removed again. Ordering edges tie new nodes to the steps around them, so that
// steps are lowered in the order in which the walk visited them. They also tie conflicting steps that only the list
// order kept apart.
//
// Before returns, and at the end of programs with several exits, a state is added in which the host waits for
// everything. The same happens at the ends of nested SDFGs that become functions and release device memory.
#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::AsyncOp;
using analysis::StreamConflict;
using analysis::StreamStep;

/// The node after which a step is complete, for a later node `later`: a copy into that very node is made at its source.
Node *nodeAfter(const StreamStep &step, const Node *later) {
    return step.edge && step.node == later ? step.edge->src : exitOf(step.node);
}

/// Inserts an operation node before step `at` and after the previous step. Copies that are made at one node stay together: waits
/// come before all of them; a record comes after all of them if one of them is the recorded operation (`recordsLast`), otherwise
/// before.
LibraryNode *insert(State &s, const std::vector<StreamStep> &steps, std::size_t at, const AsyncOp &op, bool recordsLast = false) {
    auto within = [&] {
        return at > 0 && at < steps.size() && steps[at - 1].node == steps[at].node && steps[at - 1].edge && steps[at].edge &&
               analysis::copiesAtDestination(*steps[at].node);
    };
    while (within())
        at = recordsLast ? at + 1 : at - 1;
    LibraryNode *n = analysis::addAsyncOp(s, op);
    for (std::size_t i = at; i-- > 0;) {
        tie(s, nodeAfter(steps[i], at < steps.size() ? steps[at].node : nullptr), n);
        if (steps[i].kind == StreamStep::Async)
            break;
    }
    for (std::size_t i = at; i < steps.size(); ++i) {
        tie(s, n, steps[i].node);
        if (steps[i].kind == StreamStep::Async)
            break;
    }
    return n;
}

/// Ties conflicting steps (same memory, one of them writing) that no path connects. Also ties nested SDFGs with
/// operations to all steps: if the host waits inside one, later steps rely on that and must not move before it when
/// edges are added.
class Ties {
public:
    Ties(State &s, const std::vector<StreamStep> &steps) : state_(s), steps_(steps) {}

    bool run() {
        std::map<analysis::Memory, std::pair<int, std::vector<int>>> last; // writer, and readers after it
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const int now = static_cast<int>(i);
            for (const auto *list : {&steps_[i].uses, &steps_[i].host})
                for (analysis::MemoryUse u : *list) {
                    auto [it, isNew] = last.try_emplace(u.memory, -1, std::vector<int>());
                    auto &[writer, readers] = it->second;
                    after(writer, now);
                    if (!u.write) {
                        readers.push_back(now);
                        continue;
                    }
                    for (int r : readers)
                        after(r, now);
                    writer = now;
                    readers.clear();
                }
        }
        return changed_;
    }
    /// `fence`: a step that must not move; the next one may also be a fence.
    void fence(int fence, const std::set<int> &fences) {
        for (int i = fence - 1; i >= 0; --i) {
            after(i, fence);
            if (fences.contains(i))
                break;
        }
        for (int i = fence + 1; i < static_cast<int>(steps_.size()) && !fences.contains(i); ++i)
            after(fence, i);
    }

private:
    void after(int earlier, int later) {
        if (earlier < 0 || earlier == later)
            return;
        Node *from = exitOf(steps_[static_cast<std::size_t>(earlier)].node), *to = steps_[static_cast<std::size_t>(later)].node;
        if (from == to || reaches(from, to) || reaches(to, from))
            return;
        tie(state_, from, to);
        changed_ = true;
    }
    static bool reaches(const Node *from, const Node *to) {
        std::set<const Node *> seen{from};
        std::vector<const Node *> stack{from};
        while (!stack.empty()) {
            const Node *n = stack.back();
            stack.pop_back();
            if (n == to)
                return true;
            for (const Edge *e : n->outEdges())
                if (seen.insert(e->dst).second)
                    stack.push_back(e->dst);
        }
        return false;
    }

    State &state_;
    const std::vector<StreamStep> &steps_;
    bool changed_ = false;
};

/// Removes ordering edges at operation nodes that are implied by a longer path.
void dropImplied(State &s) {
    std::vector<Edge *> candidates;
    auto async = [](const Node *n) {
        const auto *l = dyn_cast<LibraryNode>(n);
        return l && analysis::asyncOp(*l);
    };
    for (const auto &e : s.edges())
        if (e->memlet.isEmpty() && (async(e->src) || async(e->dst)))
            candidates.push_back(e.get());
    for (Edge *e : candidates) {
        std::set<const Node *> seen;
        std::vector<const Node *> stack;
        for (const Edge *other : e->src->outEdges())
            if (other != e && other->dst != e->dst && seen.insert(other->dst).second)
                stack.push_back(other->dst);
        bool implied = false;
        while (!stack.empty() && !implied) {
            const Node *n = stack.back();
            stack.pop_back();
            implied = n == e->dst;
            for (const Edge *next : n->outEdges())
                if (seen.insert(next->dst).second)
                    stack.push_back(next->dst);
        }
        if (implied)
            s.removeEdge(e);
    }
}

class Orderer {
public:
    explicit Orderer(SDFG &root) : root_(root), steps_(root) {}

    bool run() {
        if (!prepare(root_))
            return false;
        for (SDFG *g : allSDFGs(root_))
            if (analysis::releasesDeviceMemory(*g))
                ends(*g);
        std::set<State *> changed;
        analysis::StreamOrder order(root_, steps_);
        order.run([&](const StreamConflict &c) {
            changed.insert(c.state);
            return !again(c) && repair(c);
        });
        elide(AsyncOp::Wait, order);
        elide(AsyncOp::Record, order);
        elide(AsyncOp::Synchronise, order);
        for (State *s : changed)
            if (s->nodes().size() < 1000) // takes quadratic time, and only improves readability
                dropImplied(*s);
        root_.renumber();
        return true;
    }

private:
    bool prepare(SDFG &g);
    static void ends(SDFG &g);
    void elide(AsyncOp::Kind kind, analysis::StreamOrder &order);
    static void takeOut(LibraryNode &n);
    bool again(const StreamConflict &c);
    bool repair(const StreamConflict &c);
    using Repaired =
        std::tuple<const Node *, const Edge *, const Node *, const Edge *, analysis::StreamKnowledge::Key, const State *>;

    SDFG &root_;
    analysis::StreamSteps steps_;
    int events_ = 0;
    std::vector<LibraryNode *> inserted_;
    Repaired last_{};
};

/// Predecessors of the node stay before its successors.
void Orderer::takeOut(LibraryNode &n) {
    State &s = *n.state();
    for (Edge *before : std::vector<Edge *>(n.inEdges().begin(), n.inEdges().end()))
        for (Edge *after : std::vector<Edge *>(n.outEdges().begin(), n.outEdges().end()))
            tie(s, before->src, after->dst);
    s.removeNode(&n);
}

/// The approximate number of nodes that a walk visits, since it repeats loops until nothing changes.
std::size_t visitsOf(const SDFG &g) {
    std::size_t out = 0;
    for (const State *s : allStates(g)) {
        std::size_t times = 1, nodes = s->nodes().size();
        for (const Region *r = s->parent(); r; r = r->parent())
            times *= isa<LoopRegion>(r) ? 3 : 1;
        for (const auto &n : s->nodes())
            if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg)
                nodes += visitsOf(*nested->sdfg);
        out += times * nodes;
    }
    return out;
}

/// Removes operations that the walk does not need. Each attempt walks the entire program, so attempts that would take too long are
/// skipped.
void Orderer::elide(AsyncOp::Kind kind, analysis::StreamOrder &order) {
    constexpr std::size_t tries = 300, visits = 300000;
    if (inserted_.size() > tries)
        return;
    std::size_t left = visits / std::max<std::size_t>(visitsOf(root_), 1);
    std::erase_if(inserted_, [&](LibraryNode *n) {
        if (analysis::asyncOp(*n)->kind != kind || left == 0)
            return false;
        --left;
        steps_.ignored = n;
        order.changed(*n->state());
        bool needed = false;
        order.look([&needed](const StreamConflict &) { needed = true; });
        steps_.ignored = nullptr;
        order.changed(*n->state());
        if (!needed)
            takeOut(*n);
        return !needed;
    });
}

/// Ties conflicting steps; returns whether there are any operations. Existing events keep their numbers.
bool Orderer::prepare(SDFG &g) {
    bool any = false;
    for (State *s : allStates(g)) {
        const std::vector<StreamStep> steps = steps_.of(*s);
        bool queues = false;
        std::set<int> nested; // with operations
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const StreamStep &step = steps[i];
            queues |= step.kind == StreamStep::Operation;
            if (step.kind == StreamStep::Async)
                events_ = std::max(events_, step.async.event + 1);
            if (step.kind == StreamStep::Nested && prepare(*static_cast<NestedSDFGNode *>(step.node)->sdfg))
                nested.insert(static_cast<int>(i));
        }
        Ties ties(*s, steps);
        if (queues)
            ties.run();
        for (int i : nested)
            ties.fence(i, nested);
        any |= queues || !nested.empty();
    }
    return any;
}

/// Makes every end of the program, and of a function that releases memory, a state.
void Orderer::ends(SDFG &g) {
    for (Region *r : allRegions(g)) {
        std::vector<Block *> returns;
        for (const auto &b : r->blocks())
            if (b->kind() == BlockKind::Return)
                returns.push_back(b.get());
        for (Block *b : returns)
            r->addStateBefore(b, "finish_before_" + (b->label.empty() ? std::string("return") : b->label));
    }
    std::vector<Block *> last;
    for (const auto &b : g.blocks())
        if (b->outEdges().empty() && b->kind() != BlockKind::Return)
            last.push_back(b.get());
    if (last.empty() || (last.size() == 1 && last.front()->kind() == BlockKind::State))
        return;
    State *s = g.add<State>();
    s->label = "finish";
    for (Block *b : last)
        g.connect(b, s);
}

/// Is it a conflict that has just been repaired? Repairing it again would not help, and the verifier will report it.
bool Orderer::again(const StreamConflict &c) {
    const Repaired now{c.step < c.steps->size() ? (*c.steps)[c.step].node : nullptr,
                       c.step < c.steps->size() ? (*c.steps)[c.step].edge : nullptr,
                       c.what.node,
                       c.what.edge,
                       c.earlier,
                       c.state};
    return std::exchange(last_, now) == now;
}

bool Orderer::repair(const StreamConflict &c) {
    if (c.byHost) {
        inserted_.push_back(insert(*c.state, *c.steps, c.step, {AsyncOp::Synchronise, c.earlier.stream, -1}));
        return true;
    }
    std::size_t record = c.step;
    for (std::size_t i = 0; i < c.step && !c.what.several; ++i)
        if ((*c.steps)[i].node == c.what.node && (*c.steps)[i].edge == c.what.edge)
            record = i + 1;
    for (std::size_t i = record; i < c.step; ++i) // an event that already expresses this
        if (const StreamStep &s = (*c.steps)[i];
            s.kind == StreamStep::Async && s.async.kind == AsyncOp::Record && s.async.stream == c.earlier.stream) {
            inserted_.push_back(insert(*c.state, *c.steps, c.step, {AsyncOp::Wait, c.stream, s.async.event}));
            return true;
        }
    const bool byStepBefore =
        record > 0 && (*c.steps)[record - 1].node == c.what.node && (*c.steps)[record - 1].edge == c.what.edge;
    inserted_.push_back(insert(*c.state, *c.steps, record, {AsyncOp::Record, c.earlier.stream, events_}, byStepBefore));
    std::vector<StreamStep> now = steps_.of(*c.state);
    std::size_t at = now.size();
    for (std::size_t i = 0; i < now.size() && !c.graph; ++i)
        if (now[i].node == (*c.steps)[c.step].node && now[i].edge == (*c.steps)[c.step].edge)
            at = i;
    inserted_.push_back(insert(*c.state, now, at, {AsyncOp::Wait, c.stream, events_}));
    ++events_;
    return true;
}

class OrderStreams : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &) override { return Orderer(root).run(); }
};

} // namespace

std::unique_ptr<pass::Pass> createOrderStreams() { return std::make_unique<OrderStreams>(); }

} // namespace sdfgc::transforms

// The walk over the program (sdfgc/Analysis/Streams.h).
#include "sdfgc/Analysis/Streams.h"

#include "sdfgc/Analysis/Symbols.h"

#include <algorithm>
#include <utility>

namespace sdfgc::analysis {

using namespace ir;

namespace {

bool conflict(MemoryUse a, MemoryUse b) { return a.memory == b.memory && (a.write || b.write); }

/// Blocks so that, without cycles, each comes behind its predecessors.
std::vector<Block *> inOrder(Region &r) {
    std::vector<Block *> out;
    std::vector<bool> seen(r.blocks().size(), false);
    std::map<const Block *, std::vector<Block *>> next;
    for (const auto &e : r.edges())
        next[e->src].push_back(e->dst);
    std::map<const Block *, std::size_t> number;
    for (std::size_t i = 0; i < r.blocks().size(); ++i)
        number[r.blocks()[i].get()] = i;
    std::vector<std::pair<Block *, std::size_t>> stack;
    auto visit = [&](Block *b) {
        if (seen[number[b]])
            return;
        seen[number[b]] = true;
        stack.emplace_back(b, 0);
    };
    if (Block *start = r.start())
        visit(start);
    while (!stack.empty()) {
        auto &[b, k] = stack.back();
        const auto &successors = next[b];
        if (k < successors.size()) {
            visit(successors[k++]);
        } else {
            out.push_back(b);
            stack.pop_back();
        }
    }
    std::reverse(out.begin(), out.end());
    return out;
}

void collectStates(Region &r, std::vector<State *> &out) {
    for (Block *b : inOrder(r)) {
        if (auto *s = dyn_cast<State>(b))
            out.push_back(s);
        else if (auto *c = dyn_cast<ConditionalBlock>(b))
            for (const auto &branch : c->branches())
                collectStates(*branch.region, out);
        else if (auto *inner = dyn_cast<Region>(b))
            collectStates(*inner, out);
    }
}

} // namespace

std::vector<State *> statesInOrder(SDFG &g) {
    std::vector<State *> out;
    collectStates(g, out);
    return out;
}

void StreamOrder::run() { region(root_, {}, nullptr); }

StreamKnowledge StreamOrder::region(Region &r, StreamKnowledge in, Exits *exits) {
    StreamKnowledge out;
    if (r.blocks().empty())
        return in;
    std::map<const Block *, StreamKnowledge> before, after;
    const std::vector<Block *> order = inOrder(r);
    if (order.empty())
        return in;
    before[order.front()] = std::move(in);
    std::set<const Block *> waiting{order.front()};
    while (!waiting.empty()) {
        Block *b = *std::find_if(order.begin(), order.end(), [&](const Block *x) { return waiting.count(x) != 0; });
        waiting.erase(b);
        StreamKnowledge now = block(*b, before[b], exits);
        if (auto old = after.find(b); old != after.end() && old->second.sameAs(now))
            continue;
        for (const InterstateEdge *e : r.outEdges(b)) {
            auto [it, isNew] = before.try_emplace(e->dst, now);
            if (!isNew) {
                StreamKnowledge joined = it->second;
                joined.join(now);
                if (joined.sameAs(it->second))
                    continue;
                it->second = std::move(joined);
            }
            waiting.insert(e->dst);
        }
        after[b] = std::move(now);
    }
    bool first = true;
    for (Block *b : order) {
        const bool leaves = b->kind() == BlockKind::Break || b->kind() == BlockKind::Continue || b->kind() == BlockKind::Return;
        if (leaves || !r.outEdges(b).empty())
            continue;
        if (first)
            out = after[b];
        else
            out.join(after[b]);
        first = false;
    }
    return out;
}

StreamKnowledge StreamOrder::block(Block &b, StreamKnowledge in, Exits *exits) {
    switch (b.kind()) {
    case BlockKind::State: return state(static_cast<State &>(b), in);
    case BlockKind::Loop: return loop(static_cast<LoopRegion &>(b), std::move(in));
    case BlockKind::Conditional: {
        auto &c = static_cast<ConditionalBlock &>(b);
        StreamKnowledge out;
        bool first = true, otherwise = false;
        for (const auto &branch : c.branches()) {
            StreamKnowledge end = region(*branch.region, in, exits);
            if (first)
                out = std::move(end);
            else
                out.join(end);
            first = false;
            otherwise |= !branch.condition;
        }
        if (!otherwise && !first)
            out.join(in);
        return first ? in : out;
    }
    case BlockKind::Break:
        if (exits)
            exits->broken.join(in);
        return {};
    case BlockKind::Continue:
        if (exits)
            exits->continued.join(in);
        return {};
    case BlockKind::Return: returned_.join(in); return {};
    default: return region(static_cast<Region &>(b), std::move(in), exits);
    }
}

StreamKnowledge StreamOrder::loop(LoopRegion &l, StreamKnowledge in) {
    StreamKnowledge head = std::move(in);
    for (;;) {
        Exits exits;
        StreamKnowledge next = region(l, head, &exits);
        next.join(exits.continued);
        next.join(head);
        if (next.sameAs(head)) {
            next.join(exits.broken);
            return next;
        }
        head = std::move(next);
    }
}

// ---------------------------------------------------------------------------------------------------- states

/// Is the program over behind this state: nothing follows it, or a return does?
bool StreamOrder::endsProgram(const State &s) const {
    const Region &r = *s.parent();
    bool last = true;
    for (const InterstateEdge *e : r.outEdges(&s)) {
        if (e->dst->kind() == BlockKind::Return)
            return s.sdfg() == &root_;
        last = false;
    }
    return last && &r == &root_;
}

/// Tells about a conflict; true: start over. Otherwise the earlier access counts as over.
bool StreamOrder::repaired(StreamKnowledge &now, StreamConflict c) {
    if (found_(c)) {
        cache_.erase(c.state);
        return true;
    }
    now.pending.erase(c.earlier);
    return false;
}

bool StreamOrder::check(State &s, const std::vector<StreamStep> &steps, std::size_t i, StreamKnowledge &now) {
    const StreamStep &step = steps[i];
    const std::map<StreamKnowledge::Key, PendingAccess> pending = now.pending;
    for (const auto &[key, access] : pending) {
        auto hits = [&](MemoryUse u) { return conflict(u, key.use); };
        if (std::any_of(step.host.begin(), step.host.end(), hits)) {
            if (repaired(now, {&s, i, &steps, key, access, true, false}))
                return true;
        } else if (step.kind == StreamStep::Operation && !(access.covered >> step.stream & 1) &&
                   std::any_of(step.uses.begin(), step.uses.end(), hits)) {
            if (repaired(now, {&s, i, &steps, key, access, false, false}))
                return true;
        }
    }
    return false;
}

bool StreamOrder::atEnd(State &s, const std::vector<StreamStep> &steps, StreamKnowledge &now) {
    const bool ends = endsProgram(s);
    const std::map<StreamKnowledge::Key, PendingAccess> pending = now.pending;
    for (const auto &[key, access] : pending)
        if ((ends || steps_.endsWithState(key.use)) && repaired(now, {&s, steps.size(), &steps, key, access, true, ends}))
            return true;
    return false;
}

StreamKnowledge StreamOrder::nested(SDFG &g, StreamKnowledge in) {
    StreamKnowledge outer = std::exchange(returned_, {});
    StreamKnowledge out = region(g, std::move(in), nullptr);
    out.join(returned_);
    returned_ = std::move(outer);
    return out;
}

StreamKnowledge StreamOrder::state(State &s, const StreamKnowledge &in) {
    for (;;) {
        auto [cached, isNew] = cache_.try_emplace(&s);
        if (isNew)
            cached->second = steps_.of(s);
        const std::vector<StreamStep> steps = cached->second;
        StreamKnowledge now = in;
        bool again = false;
        for (std::size_t i = 0; i < steps.size() && !again; ++i) {
            const StreamStep &step = steps[i];
            if (step.kind == StreamStep::Async)
                now.order(step.async);
            else if (step.kind == StreamStep::Nested)
                now = nested(*static_cast<NestedSDFGNode *>(step.node)->sdfg, std::move(now));
            else if (!(again = check(s, steps, i, now)) && step.kind == StreamStep::Operation)
                now.operation(step);
        }
        if (!again && !atEnd(s, steps, now))
            return now;
    }
}

} // namespace sdfgc::analysis

// A forward dataflow walk over control flow: it tracks facts at every point, joins them where control flow joins, and
// iterates over loops until they are stable. The derived class defines the facts and the effect of a state on them.
//
//     Knowledge needs: a default with no facts, join(other), sameAs(other). Joining must terminate: finitely many facts,
//     which are only added.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sdfgc::analysis {

/// Returns the reachable blocks of a region, each after its predecessors except on cycles.
std::vector<ir::Block *> blocksInOrder(ir::Region &r);

/// Returns the only block that follows another one, if the edge has neither condition nor assignments; otherwise null.
ir::Block *onlyNext(const ir::Block &b);

/// Does an edge lead backwards? The blocks must be all reachable blocks of one region.
bool comesBack(const std::vector<ir::Block *> &order);

/// Returns the reachable states of one SDFG, each after its predecessors (loops once, branches in list order).
std::vector<ir::State *> statesInOrder(ir::SDFG &g);

template <class Knowledge> class FlowWalk {
public:
    virtual ~FlowWalk() = default;

protected:
    /// Returns the facts after a state.
    virtual Knowledge state(ir::State &s, Knowledge in) = 0;
    /// Called with the facts at a return; several times, with more facts each time, if the walk passes repeatedly.
    virtual void atReturn(ir::Block &, const Knowledge &) {}

    /// Called for each block before it runs (once, at the start, for a loop); may change the facts.
    virtual void entering(ir::Block &, Knowledge &) {}
    /// Called for each block after it has run if something follows; may change the facts.
    virtual void leaving(ir::Block &, Knowledge &) {}
    /// Applies an edge to the facts.
    virtual void along(const ir::InterstateEdge &, Knowledge &) {}

    /// Returns the facts after an SDFG, including those at its returns.
    Knowledge whole(ir::SDFG &g, Knowledge in) {
        Reached outer = std::exchange(returned_, std::nullopt);
        Reached out = region(g, std::move(in), nullptr);
        join(out, returned_);
        returned_ = std::move(outer);
        return out ? std::move(*out) : Knowledge();
    }

    /// Returns the facts after the iterations of a loop: `body` maps the facts before an iteration to those after it.
    template <class Body> static Knowledge iterated(Knowledge head, const Body &body) {
        for (;;) {
            Knowledge next = body(head);
            next.join(head);
            if (next.sameAs(head))
                return next;
            head = std::move(next);
        }
    }

private:
    /// Nothing if no path leads there. (A default Knowledge would be wrong: joining it would lose the facts of other
    /// paths.)
    using Reached = std::optional<Knowledge>;
    struct Exits {
        Reached broken, continued; // in the innermost loop
    };
    static void join(Reached &a, const Reached &b) {
        if (a && b)
            a->join(*b);
        else if (b)
            a = b;
    }

    Reached region(ir::Region &r, Knowledge in, Exits *exits) {
        const std::vector<ir::Block *> order = blocksInOrder(r);
        if (order.empty())
            return in;
        return comesBack(order) ? unstructured(order, std::move(in), exits) : forward(order, std::move(in), exits);
    }

    /// Without backward edges, all predecessors of a block have been walked when it is reached, so facts are passed on
    /// and not stored.
    Reached forward(const std::vector<ir::Block *> &order, Knowledge in, Exits *exits) {
        Reached out;
        std::unordered_map<const ir::Block *, Knowledge> before;
        before.emplace(order.front(), std::move(in));
        for (ir::Block *b : order) {
            auto known = before.extract(b);
            Reached now = known ? block(*b, std::move(known.mapped()), exits) : std::nullopt;
            if (!now)
                continue;
            const auto &edges = b->outEdges();
            if (edges.empty())
                join(out, now);
            for (std::size_t i = 0; i < edges.size(); ++i) {
                Knowledge there = i + 1 < edges.size() ? *now : std::move(*now);
                along(*edges[i], there);
                if (auto at = before.find(edges[i]->dst); at != before.end())
                    at->second.join(there);
                else
                    before.emplace(edges[i]->dst, std::move(there));
            }
        }
        return out;
    }

    Reached unstructured(const std::vector<ir::Block *> &order, Knowledge in, Exits *exits) {
        std::map<const ir::Block *, Knowledge> before;
        std::map<const ir::Block *, Reached> after;
        before[order.front()] = std::move(in);
        std::set<const ir::Block *> waiting{order.front()};
        while (!waiting.empty()) {
            ir::Block *b = *std::find_if(order.begin(), order.end(), [&](const ir::Block *x) { return waiting.count(x) != 0; });
            waiting.erase(b);
            Reached now = block(*b, before[b], exits);
            if (auto old = after.find(b); !now || (old != after.end() && old->second && old->second->sameAs(*now)))
                continue;
            for (const ir::InterstateEdge *e : b->outEdges()) {
                Knowledge there = *now;
                along(*e, there);
                auto [it, isNew] = before.try_emplace(e->dst, there);
                if (!isNew) {
                    Knowledge joined = it->second;
                    joined.join(there);
                    if (joined.sameAs(it->second))
                        continue;
                    it->second = std::move(joined);
                }
                waiting.insert(e->dst);
            }
            after[b] = std::move(now);
        }
        return atEnds(order, after);
    }

    static Reached atEnds(const std::vector<ir::Block *> &order, const std::map<const ir::Block *, Reached> &after) {
        Reached out;
        for (const ir::Block *b : order)
            if (auto it = after.find(b); it != after.end() && b->outEdges().empty())
                join(out, it->second);
        return out;
    }

    Reached block(ir::Block &b, Knowledge in, Exits *exits) {
        entering(b, in);
        Reached out = inside(b, std::move(in), exits);
        if (out)
            leaving(b, *out);
        return out;
    }
    Reached inside(ir::Block &b, Knowledge in, Exits *exits) {
        switch (b.kind()) {
        case ir::BlockKind::State:
            return state(static_cast<ir::State &>(b), std::move(in));
        case ir::BlockKind::Loop:
            return loop(static_cast<ir::LoopRegion &>(b), std::move(in));
        case ir::BlockKind::Conditional:
            return conditional(static_cast<ir::ConditionalBlock &>(b), std::move(in), exits);
        case ir::BlockKind::Break:
            if (exits)
                join(exits->broken, in);
            return std::nullopt;
        case ir::BlockKind::Continue:
            if (exits)
                join(exits->continued, in);
            return std::nullopt;
        case ir::BlockKind::Return:
            atReturn(b, in);
            join(returned_, in);
            return std::nullopt;
        default:
            return region(static_cast<ir::Region &>(b), std::move(in), exits);
        }
    }

    Reached conditional(ir::ConditionalBlock &c, Knowledge in, Exits *exits) {
        Reached out;
        bool otherwise = false;
        for (const auto &branch : c.branches()) {
            join(out, region(*branch.region, in, exits));
            otherwise |= !branch.condition;
        }
        if (!otherwise)
            join(out, in);
        return out;
    }

    /// A loop may end before any iteration, whatever its form.
    Reached loop(ir::LoopRegion &l, Knowledge in) {
        Reached broken;
        Reached end = iterated(std::move(in), [&](const Knowledge &head) {
            Exits exits;
            Reached next = region(l, head, &exits);
            join(next, exits.continued);
            broken = std::move(exits.broken);
            return next ? std::move(*next) : head;
        });
        join(end, broken);
        return end;
    }

    Reached returned_; // at the returns of the current SDFG
};

} // namespace sdfgc::analysis

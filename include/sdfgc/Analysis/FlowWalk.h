// A walk over control flow that knows, at every point, what may hold there: forward, joined where control flow joins, iterated over
// loops until nothing is new. What is known and what a state does to it is the derived class's business.
//
//     Knowledge needs: a default that knows nothing, join(other), sameAs(other); joining must end (finitely many facts, only added).
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

/// Blocks of a region so that, without cycles, each comes after its predecessors; those that cannot be reached are left out.
std::vector<ir::Block *> blocksInOrder(ir::Region &r);

/// The only block that follows another one, without a condition or an assignment on the way; null if there is none.
ir::Block *onlyNext(const ir::Block &b);

/// Does an edge of these blocks of one region, which are all that can be reached, lead to one that comes no later in the order?
bool comesBack(const std::vector<ir::Block *> &order);

/// The states of one SDFG that can be reached, each after those that lead to it (loops once, branches in list order).
std::vector<ir::State *> statesInOrder(ir::SDFG &g);

template <class Knowledge> class FlowWalk {
public:
    virtual ~FlowWalk() = default;

protected:
    /// What holds after a state.
    virtual Knowledge state(ir::State &s, Knowledge in) = 0;
    /// Told what holds in front of a return; more than once where the walk comes by again, each time with more.
    virtual void atReturn(ir::Block &, const Knowledge &) {}

    /// Told of each block that is about to run, where a loop begins once; may change what is known.
    virtual void entering(ir::Block &, Knowledge &) {}
    /// Told of each block that has run and that something follows; may change what is known.
    virtual void leaving(ir::Block &, Knowledge &) {}
    /// What holds after an edge.
    virtual void along(const ir::InterstateEdge &, Knowledge &) {}

    /// What holds after an SDFG, also where it returns.
    Knowledge whole(ir::SDFG &g, Knowledge in) {
        Reached outer = std::exchange(returned_, std::nullopt);
        Reached out = region(g, std::move(in), nullptr);
        join(out, returned_);
        returned_ = std::move(outer);
        return out ? std::move(*out) : Knowledge();
    }

    /// What holds after the iterations of something: `body` maps what holds before one to what holds after it.
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
    /// Nothing: no path leads there. (A default Knowledge would be wrong: joined, it forgets what other paths know.)
    using Reached = std::optional<Knowledge>;
    struct Exits {
        Reached broken, continued; // of the innermost loop
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

    /// Where no edge leads back, all that leads to a block has been walked when it comes: what is known is handed on, and kept nowhere.
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

    /// A loop may end in front of any iteration, whatever its form.
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

    Reached returned_; // at the returns of the SDFG that is being walked
};

} // namespace sdfgc::analysis

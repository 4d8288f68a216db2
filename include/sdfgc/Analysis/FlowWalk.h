// A walk over control flow that knows, at every point, what may hold there: forward, joined where control flow joins, iterated over loops
// until nothing is new. What is known and what a state does to it is the derived class's business.
//
//     Knowledge needs: a default that knows nothing, join(other), sameAs(other); joining must end (finitely many facts, only added).
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace sdfgc::analysis {

/// Blocks of a region so that, without cycles, each comes behind its predecessors; those that cannot be reached are left out.
std::vector<ir::Block *> blocksInOrder(ir::Region &r);

/// The states of one SDFG that can be reached, each behind those that lead to it (loops once, branches in list order).
std::vector<ir::State *> statesInOrder(ir::SDFG &g);

template <class Knowledge> class FlowWalk {
public:
    virtual ~FlowWalk() = default;

protected:
    /// What holds behind a state.
    virtual Knowledge state(ir::State &s, const Knowledge &in) = 0;

    /// What holds behind an SDFG, also where it returns.
    Knowledge whole(ir::SDFG &g, Knowledge in) {
        Knowledge outer = std::exchange(returned_, {});
        Knowledge out = region(g, std::move(in), nullptr);
        out.join(returned_);
        returned_ = std::move(outer);
        return out;
    }

    /// What holds behind the iterations of something: `body` maps what holds in front of one to what holds behind it.
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
    struct Exits {
        Knowledge broken, continued; // of the innermost loop
    };

    Knowledge region(ir::Region &r, Knowledge in, Exits *exits) {
        const std::vector<ir::Block *> order = blocksInOrder(r);
        if (order.empty())
            return in;
        std::map<const ir::Block *, Knowledge> before, after;
        before[order.front()] = std::move(in);
        std::set<const ir::Block *> waiting{order.front()};
        while (!waiting.empty()) {
            ir::Block *b = *std::find_if(order.begin(), order.end(), [&](const ir::Block *x) { return waiting.count(x) != 0; });
            waiting.erase(b);
            Knowledge now = block(*b, before[b], exits);
            if (auto old = after.find(b); old != after.end() && old->second.sameAs(now))
                continue;
            for (const ir::InterstateEdge *e : r.outEdges(b)) {
                auto [it, isNew] = before.try_emplace(e->dst, now);
                if (!isNew) {
                    Knowledge joined = it->second;
                    joined.join(now);
                    if (joined.sameAs(it->second))
                        continue;
                    it->second = std::move(joined);
                }
                waiting.insert(e->dst);
            }
            after[b] = std::move(now);
        }
        return atEnds(r, order, after);
    }

    static Knowledge atEnds(ir::Region &r, const std::vector<ir::Block *> &order, std::map<const ir::Block *, Knowledge> &after) {
        Knowledge out;
        bool first = true;
        for (ir::Block *b : order) {
            const bool leaves = b->kind() == ir::BlockKind::Break || b->kind() == ir::BlockKind::Continue || b->kind() == ir::BlockKind::Return;
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

    Knowledge block(ir::Block &b, Knowledge in, Exits *exits) {
        switch (b.kind()) {
        case ir::BlockKind::State: return state(static_cast<ir::State &>(b), in);
        case ir::BlockKind::Loop: return loop(static_cast<ir::LoopRegion &>(b), std::move(in));
        case ir::BlockKind::Conditional: return conditional(static_cast<ir::ConditionalBlock &>(b), std::move(in), exits);
        case ir::BlockKind::Break:
            if (exits)
                exits->broken.join(in);
            return {};
        case ir::BlockKind::Continue:
            if (exits)
                exits->continued.join(in);
            return {};
        case ir::BlockKind::Return: returned_.join(in); return {};
        default: return region(static_cast<ir::Region &>(b), std::move(in), exits);
        }
    }

    Knowledge conditional(ir::ConditionalBlock &c, Knowledge in, Exits *exits) {
        Knowledge out;
        bool first = true, otherwise = false;
        for (const auto &branch : c.branches()) {
            Knowledge end = region(*branch.region, in, exits);
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

    Knowledge loop(ir::LoopRegion &l, Knowledge in) {
        Knowledge broken;
        Knowledge end = iterated(std::move(in), [&](const Knowledge &head) {
            Exits exits;
            Knowledge next = region(l, head, &exits);
            next.join(exits.continued);
            broken = std::move(exits.broken);
            return next;
        });
        end.join(broken);
        return end;
    }

    Knowledge returned_; // at the returns of the SDFG that is being walked
};

} // namespace sdfgc::analysis

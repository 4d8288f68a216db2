// Out-edges of every block of a region, built once (Region::outEdges scans all edges of the region).
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::analysis {

class Adjacency {
public:
    explicit Adjacency(const ir::Region &r) : region_(r), out_(r.blocks().size()) {
        for (const auto &e : r.edges())
            out_[e->src->id()].push_back(e.get());
    }
    const std::vector<const ir::InterstateEdge *> &edgesFrom(const ir::Block *b) const { return out_[b->id()]; }

    /// Blocks in breadth-first order from the start; all in list order if there is no start.
    std::vector<const ir::Block *> breadthFirst() const {
        std::vector<const ir::Block *> order;
        const ir::Block *start = region_.start();
        if (!start) {
            for (const auto &b : region_.blocks())
                order.push_back(b.get());
            return order;
        }
        std::vector<bool> seen(out_.size(), false);
        order.push_back(start);
        seen[start->id()] = true;
        for (std::size_t i = 0; i < order.size(); ++i)
            for (const ir::InterstateEdge *e : edgesFrom(order[i]))
                if (!seen[e->dst->id()]) {
                    seen[e->dst->id()] = true;
                    order.push_back(e->dst);
                }
        return order;
    }

private:
    const ir::Region &region_;
    std::vector<std::vector<const ir::InterstateEdge *>> out_;
};

} // namespace sdfgc::analysis

// Order and dominators of a control-flow graph: what must have run before a node runs.
//
// Nodes are numbers; BlockDominators answers for the blocks of a region. Dominators are computed by iterative dataflow
// over the reverse postorder (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm).
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <unordered_map>
#include <vector>

namespace sdfgc::analysis {

/// Returns the reachable nodes, each before its successors unless they are on a cycle. `next` lists the successors of
/// each node; the last successor is visited first, so that the first one comes first in the order. A negative `entry`
/// reaches nothing.
std::vector<int> reversePostorder(const std::vector<std::vector<int>> &next, int entry);

class Dominators {
public:
    static constexpr int none = -1;

    /// `next` as for reversePostorder; a successor may be listed several times.
    Dominators(const std::vector<std::vector<int>> &next, int entry);

    /// Reachable nodes in reverse postorder.
    const std::vector<int> &nodes() const { return order_; }
    bool reachable(int n) const { return position_[at(n)] >= 0; }
    int position(int n) const { return position_[at(n)]; } // in nodes(); none if n is unreachable
    /// The nearest node that every path to `n` passes before `n`; none for the entry and for unreachable nodes.
    int idom(int n) const { return idom_[at(n)]; }
    /// Does every path to `b` pass `a`? A reachable node dominates itself.
    bool dominates(int a, int b) const { return enter_[at(a)] <= enter_[at(b)] && leave_[at(b)] <= leave_[at(a)]; }
    /// Returns the nearest node that dominates both, which must be reachable.
    int common(int a, int b) const;
    /// Reachable predecessors of `n`, one entry for each edge.
    const std::vector<int> &predecessors(int n) const { return predecessors_[at(n)]; }

private:
    static std::size_t at(int n) { return static_cast<std::size_t>(n); }
    void computeDominators();
    void numberTree();

    std::vector<int> order_, position_, idom_, enter_, leave_;
    std::vector<std::vector<int>> predecessors_;
};

/// Dominators among the blocks of one region, excluding inner regions. Valid until its blocks or edges change.
class BlockDominators {
public:
    explicit BlockDominators(const ir::Region &r);
    bool reachable(const ir::Block *b) const { return dominators_.reachable(number_.at(b)); }
    /// Does every path through the region to `b` pass `a`?
    bool dominates(const ir::Block *a, const ir::Block *b) const { return dominators_.dominates(number_.at(a), number_.at(b)); }
    /// Returns the nearest block that dominates both. An unreachable block is ignored; null if neither is reachable.
    const ir::Block *common(const ir::Block *a, const ir::Block *b) const;

private:
    const ir::Region &region_;
    std::unordered_map<const ir::Block *, int> number_;
    Dominators dominators_;
};

} // namespace sdfgc::analysis

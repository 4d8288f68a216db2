// Order and dominators of a control-flow graph: one analysis for all who ask what must have run before something runs.
//
// Nodes are numbers; BlockDominators asks about the blocks of a region. Dominators are found by iterative data flow over the
// reverse postorder (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm).
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <unordered_map>
#include <vector>

namespace sdfgc::analysis {

/// Reachable nodes, each before those it leads to unless a cycle leads back. `next` has the successors of every node; the last one
/// is visited first, so that the first one comes first in the order. An `entry` below zero reaches nothing.
std::vector<int> reversePostorder(const std::vector<std::vector<int>> &next, int entry);

class Dominators {
public:
    static constexpr int none = -1;

    /// `next` as for reversePostorder; a successor may be listed several times.
    Dominators(const std::vector<std::vector<int>> &next, int entry);

    /// Reachable nodes in reverse postorder.
    const std::vector<int> &nodes() const { return order_; }
    bool reachable(int n) const { return position_[at(n)] >= 0; }
    int position(int n) const { return position_[at(n)]; } // in nodes(); none if n cannot be reached
    /// The nearest node that every path to `n` goes through before `n`; none for the entry and for what cannot be reached.
    int idom(int n) const { return idom_[at(n)]; }
    /// Does every path to `b` go through `a`? A reachable node dominates itself.
    bool dominates(int a, int b) const { return enter_[at(a)] <= enter_[at(b)] && leave_[at(b)] <= leave_[at(a)]; }
    /// The nearest node that dominates both, which must be reachable.
    int common(int a, int b) const;
    /// Reachable predecessors of `n`, once for each time that they list it.
    const std::vector<int> &predecessors(int n) const { return predecessors_[at(n)]; }

private:
    static std::size_t at(int n) { return static_cast<std::size_t>(n); }
    void computeDominators();
    void numberTree();

    std::vector<int> order_, position_, idom_, enter_, leave_;
    std::vector<std::vector<int>> predecessors_;
};

/// Dominators among the blocks of one region (not of regions inside). Valid until its blocks or edges change.
class BlockDominators {
public:
    explicit BlockDominators(const ir::Region &r);
    bool reachable(const ir::Block *b) const { return dominators_.reachable(number_.at(b)); }
    /// Does every path through the region to `b` go through `a`?
    bool dominates(const ir::Block *a, const ir::Block *b) const { return dominators_.dominates(number_.at(a), number_.at(b)); }
    /// The nearest block that dominates both; a block that cannot be reached asks for nothing. Null if neither can.
    const ir::Block *common(const ir::Block *a, const ir::Block *b) const;

private:
    const ir::Region &region_;
    std::unordered_map<const ir::Block *, int> number_;
    Dominators dominators_;
};

} // namespace sdfgc::analysis

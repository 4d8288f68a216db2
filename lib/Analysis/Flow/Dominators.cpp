#include "sdfgc/Analysis/Flow/Dominators.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

std::vector<int> reversePostorder(const std::vector<std::vector<int>> &next, int entry) {
    std::vector<int> order;
    if (entry < 0)
        return order;
    auto successors = [&](int n) -> const std::vector<int> & { return next[static_cast<std::size_t>(n)]; };
    std::vector<bool> seen(next.size(), false);
    std::vector<std::pair<int, std::size_t>> stack{{entry, successors(entry).size()}}; // and the number of unvisited successors
    seen[static_cast<std::size_t>(entry)] = true;
    while (!stack.empty()) {
        auto &[n, left] = stack.back();
        if (left == 0) {
            order.push_back(n);
            stack.pop_back();
            continue;
        }
        const int s = successors(n)[--left];
        if (!seen[static_cast<std::size_t>(s)]) {
            seen[static_cast<std::size_t>(s)] = true;
            stack.emplace_back(s, successors(s).size());
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

Dominators::Dominators(const std::vector<std::vector<int>> &next, int entry)
    : order_(reversePostorder(next, entry)), position_(next.size(), none), idom_(next.size(), none), predecessors_(next.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i)
        position_[at(order_[i])] = static_cast<int>(i);
    for (int n : order_)
        for (int s : next[at(n)])
            predecessors_[at(s)].push_back(n);
    computeDominators();
    numberTree();
}

int Dominators::common(int a, int b) const {
    while (a != b) {
        while (position(a) > position(b))
            a = idom(a);
        while (position(b) > position(a))
            b = idom(b);
    }
    return a;
}

void Dominators::computeDominators() {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 1; i < order_.size(); ++i) {
            const int n = order_[i];
            int dominator = none;
            for (int p : predecessors(n))
                if (p == order_[0] || idom(p) != none)
                    dominator = dominator == none ? p : common(dominator, p);
            if (dominator != idom(n)) {
                idom_[at(n)] = dominator;
                changed = true;
            }
        }
    }
}

/// Entry and leave numbers of a walk over the dominator tree: `a` dominates `b` when its interval contains that of `b`.
void Dominators::numberTree() {
    enter_.assign(position_.size(), -1);
    leave_.assign(position_.size(), -2);
    std::vector<std::vector<int>> children(position_.size());
    for (std::size_t i = 1; i < order_.size(); ++i)
        children[at(idom(order_[i]))].push_back(order_[i]);
    int clock = 0;
    std::vector<std::pair<int, std::size_t>> stack;
    if (!order_.empty())
        stack.emplace_back(order_[0], 0);
    while (!stack.empty()) {
        auto &[n, visited] = stack.back();
        if (visited == 0)
            enter_[at(n)] = clock++;
        if (visited == children[at(n)].size()) {
            leave_[at(n)] = clock++;
            stack.pop_back();
        } else {
            const int child = children[at(n)][visited++];
            stack.emplace_back(child, 0);
        }
    }
}

// ---------------------------------------------------------------------------------------------------- blocks of a region

namespace {

std::unordered_map<const Block *, int> numbersOf(const Region &r) {
    std::unordered_map<const Block *, int> numbers;
    for (const auto &b : r.blocks())
        numbers.emplace(b.get(), static_cast<int>(numbers.size()));
    return numbers;
}

std::vector<std::vector<int>> successors(const Region &r, const std::unordered_map<const Block *, int> &numbers) {
    std::vector<std::vector<int>> next(r.blocks().size());
    for (const auto &e : r.edges())
        next[static_cast<std::size_t>(numbers.at(e->src))].push_back(numbers.at(e->dst));
    return next;
}

} // namespace

BlockDominators::BlockDominators(const Region &r)
    : region_(r), number_(numbersOf(r)), dominators_(successors(r, number_), r.start() ? number_.at(r.start()) : Dominators::none) {
}

const Block *BlockDominators::common(const Block *a, const Block *b) const {
    if (!reachable(a) || !reachable(b))
        return reachable(a) ? a : reachable(b) ? b : nullptr;
    return region_.blocks()[static_cast<std::size_t>(dominators_.common(number_.at(a), number_.at(b)))].get();
}

} // namespace sdfgc::analysis

// Disjoint sets of the numbers 0, 1, 2, ... (union-find with path halving).
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace sdfgc {

class UnionFind {
public:
    /// Creates `count` numbers, each in its own set.
    explicit UnionFind(std::size_t count = 0) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }

    /// Adds a number in its own set.
    std::size_t add() {
        parent_.push_back(parent_.size());
        return parent_.back();
    }
    /// Returns the representative of the set of `i`.
    std::size_t find(std::size_t i) {
        while (parent_[i] != i)
            i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    /// Merges two sets; the representative of `into` represents both.
    void join(std::size_t into, std::size_t other) { parent_[find(other)] = find(into); }

private:
    std::vector<std::size_t> parent_;
};

} // namespace sdfgc

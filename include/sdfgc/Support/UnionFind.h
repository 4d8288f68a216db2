// Disjoint sets of the numbers 0, 1, 2, ... (union-find with halved paths).
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace sdfgc {

class UnionFind {
public:
    /// `count` numbers, each a set of its own.
    explicit UnionFind(std::size_t count = 0) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }

    /// One number more, in a set of its own.
    std::size_t add() {
        parent_.push_back(parent_.size());
        return parent_.back();
    }
    /// The number that stands for the set of `i`.
    std::size_t find(std::size_t i) {
        while (parent_[i] != i)
            i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    /// Makes one set of two; what stands for the set of `into` stands for both.
    void join(std::size_t into, std::size_t other) { parent_[find(other)] = find(into); }

private:
    std::vector<std::size_t> parent_;
};

} // namespace sdfgc

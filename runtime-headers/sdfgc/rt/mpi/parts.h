// Arrays of which every rank has a part: positions along one dimension, in blocks of equal size in the order of ranks.
//
// Rules: of `whole` positions, rank r of P has r * b to (r + 1) * b with b = ceil(whole / P), as far as there are so many: the last
// parts may be shorter, or empty. An array lies at an offset: its element i is at position i + offset, and not every position need
// have an element. What a rank keeps has an element for each of its positions, and with a halo some more on both sides.
#pragma once

#include "sdfgc/rt/mpi/layout.h"

#include <algorithm>

namespace sdfgc::mpi {

/// Positions from `begin` to `end`, without the last.
struct Interval {
    int64_t begin = 0, end = 0;
    int64_t size() const { return std::max<int64_t>(end - begin, 0); }
    Interval cut(const Interval &o) const { return {std::max(begin, o.begin), std::min(end, o.end)}; }
};

struct Parts {
    int64_t whole, ranks;

    int64_t each() const { return (whole + ranks - 1) / ranks; }
    /// The part of no rank, which is empty.
    Interval of(int64_t rank) const {
        if (rank < 0 || rank >= ranks)
            return {};
        const int64_t begin = std::min(rank * each(), whole);
        return {begin, std::min(begin + each(), whole)};
    }
    /// Positions next to a rank's part; none for a rank with an empty part.
    Interval before(int64_t rank, int64_t width) const {
        const Interval own = of(rank);
        return {own.size() ? std::max<int64_t>(own.begin - width, 0) : own.begin, own.begin};
    }
    Interval after(int64_t rank, int64_t width) const {
        const Interval own = of(rank);
        return {own.end, own.size() ? std::min(own.end + width, whole) : own.end};
    }
};

/// The begin of a rank's part; fails unless it has `here` positions.
inline int64_t beginOfPart(const Caller &c, const Parts &parts, int64_t here) {
    const Interval own = parts.of(c.rank);
    if (own.size() != here)
        fail(c, "of " + std::to_string(parts.whole) + " elements on " + std::to_string(parts.ranks) + " ranks, this one has " +
                    std::to_string(own.size()) + " (" + std::to_string(own.begin) + " to " + std::to_string(own.end) + "), not " +
                    std::to_string(here));
    return own.begin;
}

/// The elements of a block from `begin`, `count` of them along a dimension.
template <class T> Block<T> sliceOf(Block<T> b, int dimension, int64_t begin, int64_t count) {
    b.data += begin * b.strides[static_cast<std::size_t>(dimension)];
    b.extents[static_cast<std::size_t>(dimension)] = count;
    return b;
}

} // namespace sdfgc::mpi

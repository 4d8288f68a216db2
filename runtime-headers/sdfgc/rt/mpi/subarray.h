// Arrays in blocks over a process grid: the part of each rank.
//
// Rules: dimension d of the array goes along dimension `along[d]` of the grid, in blocks of `block[d]` elements; the last block is
// the rest, which may be empty. A rank keeps its block in an array of `block` elements; the last block fills only its beginning.
// The blocks must cover the array. Where the grid has more dimensions, ranks along them hold the same block, and the first of them
// sends it.
#pragma once

#include "sdfgc/rt/mpi/communicator.h"
#include "sdfgc/rt/mpi/layout.h"

#include <algorithm>

namespace sdfgc::mpi {

/// A box of indices: from `begin`, `size` of them in each dimension.
struct Box {
    Dims begin, size;

    int64_t count() const {
        int64_t n = 1;
        for (const int64_t s : size)
            n *= s;
        return n;
    }
    Box cut(const Box &o) const {
        Box out;
        for (std::size_t d = 0; d < begin.size(); ++d) {
            const int64_t from = std::max(begin[d], o.begin[d]), to = std::min(begin[d] + size[d], o.begin[d] + o.size[d]);
            out.begin.push_back(from);
            out.size.push_back(std::max<int64_t>(to - from, 0));
        }
        return out;
    }
    Box relativeTo(const Dims &origin) const {
        Box out = *this;
        for (std::size_t d = 0; d < origin.size(); ++d)
            out.begin[d] -= origin[d];
        return out;
    }
};

struct SubArray {
    Dims shape, block, along;
    int64_t grid; // its number in the program

    /// The block of the rank at these coordinates of the grid.
    Box boxAt(const Dims &coordinates) const {
        Box out;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const int64_t from = std::min(coordinates[static_cast<std::size_t>(along[d])] * block[d], shape[d]);
            out.begin.push_back(from);
            out.size.push_back(std::min(block[d], shape[d] - from));
        }
        return out;
    }
    /// Is the rank at these coordinates the first of those with its block?
    bool isFirst(const Dims &coordinates) const {
        for (std::size_t g = 0; g < coordinates.size(); ++g)
            if (coordinates[g] != 0 && std::find(along.begin(), along.end(), static_cast<int64_t>(g)) == along.end())
                return false;
        return true;
    }
    void verify(const Caller &c, const Dims &gridShape) const {
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const int64_t ranks = gridShape[static_cast<std::size_t>(along[d])];
            if (block[d] * ranks < shape[d])
                fail(c, "blocks of " + text(block) + " on a grid of " + text(gridShape) + " ranks do not cover an array of " +
                            text(shape));
        }
    }
};
inline SubArray subarray(const Dims &shape, const Dims &block, const Dims &along, int64_t grid) {
    return {shape, block, along, grid};
}

/// A part of a block. The block may leave out dimensions of one element, which `whole` has.
template <class T> Block<T> partOf(const Caller &c, const Block<T> &b, const Dims &whole, const Box &part) {
    Block<T> out;
    out.data = b.data;
    int at = 0;
    for (std::size_t d = 0; d < whole.size(); ++d) {
        const bool isThere = at < b.rank && b.extents[static_cast<std::size_t>(at)] == whole[d];
        if (!isThere && whole[d] != 1)
            fail(c, "the buffer does not have the shape " + text(whole) + " of its sub-array");
        const int64_t stride = isThere ? b.strides[static_cast<std::size_t>(at)] : 0;
        out.extents[static_cast<std::size_t>(out.rank)] = part.size[d];
        out.strides[static_cast<std::size_t>(out.rank++)] = stride;
        out.data += part.begin[d] * stride;
        at += isThere;
    }
    return out;
}

} // namespace sdfgc::mpi

// Accesses by index arrays: `A[idx[i]]` and `A[idx[j]]` are different elements if i and j differ and no value occurs twice in idx.
//
//     for b {                                     iterations write different elements if idx[4*b + k] differ:
//         for k = 0:4 { A[idx[4*b + k]] = .. }    for b = 0:n, if the elements 0 to 4*n - 1 of idx do
//     }
//
// The question of a conflict in A then becomes one of a conflict in idx, whose indices are known.
#pragma once

#include "sdfgc/Nest/LoopBody.h"

namespace sdfgc::nest {

/// Two uses of a container with elements of an index array as index, which have these positions in that array.
struct IndexPair {
    sym::Expr first, second;
    DistinctIndex distinct; // what must hold so that different positions mean different elements
};

/// Returns the positions if dimension `d` of both uses is `factor * x + rest`, with an element x of one index array, which has one
/// dimension, and with the same numbers, which do not change in the loop.
std::optional<IndexPair> indexPair(const LoopBody &body, const ir::SDFG &g, const BodyUse &a, const BodyUse &b, std::size_t d);

/// Adds a condition unless there is one about the same index array.
void addDistinct(const DistinctIndex &condition, std::vector<DistinctIndex> &to);

} // namespace sdfgc::nest

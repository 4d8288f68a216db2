// Products of matrices by tiles: a block of 16 x 16 threads computes 64 x 64 elements, 16 in the registers of each thread, from slices of
// depth 16 in shared memory.
#pragma once

#include "by_hand.h"

namespace by_hand {

inline constexpr int tileSize = 64, tileDepth = 16, tileThreads = 16, tilePitch = tileSize + 1;

/// sums[r][c] += the products of left(k, threadIdx.y + 16 r) and right(k, threadIdx.x + 16 c) over all k < depth; both give 0 outside of
/// their matrices. `alongDepth`: neighbours in memory differ in k.
template <bool alongDepth, class Left, class Right>
SDFGC_DEVICE inline void addProducts(double (&sums)[4][4], int64_t depth, Left left, Right right) {
    SDFGC_SHARED(double, a, tileDepth *tilePitch);
    SDFGC_SHARED(double, b, tileDepth *tilePitch);
    const int x = threadIdx.x, y = threadIdx.y, me = y * tileThreads + x;
    for (int64_t begin = 0; begin < depth; begin += tileDepth) {
        for (int at = me; at < tileSize * tileDepth; at += tileThreads * tileThreads) {
            const int k = alongDepth ? at % tileDepth : at / tileSize, place = alongDepth ? at / tileDepth : at % tileSize;
            a[k * tilePitch + place] = begin + k < depth ? left(begin + k, place) : 0;
            b[k * tilePitch + place] = begin + k < depth ? right(begin + k, place) : 0;
        }
        __syncthreads();
        SDFGC_UNROLL(4)
        for (int k = 0; k < tileDepth; ++k) {
            double l[4], r[4];
            for (int n = 0; n < 4; ++n) {
                l[n] = a[k * tilePitch + y + tileThreads * n];
                r[n] = b[k * tilePitch + x + tileThreads * n];
            }
            for (int n = 0; n < 4; ++n)
                for (int m = 0; m < 4; ++m)
                    sums[n][m] += l[n] * r[m];
        }
        __syncthreads();
    }
}

} // namespace by_hand

// As in FlashAttention: a block has 64 queries and passes over all keys, 32 at a time, with running maxima and sums, so that the scores
// never leave the multiprocessor. Heads have 64 dimensions.
#include "by_hand.h"

#include <cmath>

using namespace by_hand;

constexpr int queries = 64, keys = 32, dims = 64, side = 16, pitch = dims + 1, scorePitch = keys + 1;

SDFGC_KERNEL void __launch_bounds__(side *side)
    attentionKernel(const float *__restrict Q, const float *__restrict K, const float *__restrict V, float *__restrict out,
                    int64_t N, int64_t M) {
    SDFGC_SHARED(float, q, queries *pitch);
    SDFGC_SHARED(float, k, keys *pitch);
    SDFGC_SHARED(float, v, keys *dims);
    SDFGC_SHARED(float, p, queries *scorePitch);
    const int x = threadIdx.x, y = threadIdx.y, me = y * side + x;
    const int64_t first = int64_t(blockIdx.x) * queries;
    for (int at = me; at < queries * dims; at += side * side)
        q[at / dims * pitch + at % dims] = first + at / dims < N ? Q[first * dims + at] * 0.125f : 0; // 1 / sqrt(64)

    // The thread's queries are y, y + 16, ...; 16 neighbouring lanes share them.
    float sums[4][4] = {}, most[4], total[4] = {};
    for (float &m : most)
        m = -INFINITY;
    for (int64_t begin = 0; begin < M; begin += keys) {
        __syncthreads();
        for (int at = me; at < keys * dims; at += side * side) {
            const bool isKey = begin + at / dims < M;
            k[at / dims * pitch + at % dims] = isKey ? K[begin * dims + at] : 0;
            v[at] = isKey ? V[begin * dims + at] : 0;
        }
        __syncthreads();
        float scores[4][2] = {};
        SDFGC_UNROLL(8)
        for (int d = 0; d < dims; ++d) {
            const float k0 = k[x * pitch + d], k1 = k[(x + side) * pitch + d];
            for (int r = 0; r < 4; ++r) {
                const float value = q[(y + side * r) * pitch + d];
                scores[r][0] += value * k0;
                scores[r][1] += value * k1;
            }
        }
        for (int r = 0; r < 4; ++r) {
            for (int c = 0; c < 2; ++c)
                if (begin + x + side * c >= M)
                    scores[r][c] = -INFINITY;
            const float larger = fmaxf(most[r], maxOfLanes<side>(fmaxf(scores[r][0], scores[r][1])));
            const float scale = expf(most[r] - larger), p0 = expf(scores[r][0] - larger), p1 = expf(scores[r][1] - larger);
            most[r] = larger;
            total[r] = total[r] * scale + sumOfLanes<side>(p0 + p1);
            for (float &sum : sums[r])
                sum *= scale;
            p[(y + side * r) * scorePitch + x] = p0;
            p[(y + side * r) * scorePitch + x + side] = p1;
        }
        __syncthreads();
        SDFGC_UNROLL(4)
        for (int j = 0; j < keys; ++j)
            for (int r = 0; r < 4; ++r) {
                const float weight = p[(y + side * r) * scorePitch + j];
                for (int c = 0; c < 4; ++c)
                    sums[r][c] += weight * v[j * dims + x + side * c];
            }
    }
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
            if (first + y + side * r < N)
                out[(first + y + side * r) * dims + x + side * c] = sums[r][c] / total[r];
}

BY_HAND attention(const float *Keys, const float *Q, const float *V, float *out, int64_t D, int64_t M, int64_t N) {
    if (D != dims)
        return notSupported;
    Calls calls;
    calls.launch<attentionKernel>({"attention", "", withBarriers}, gpu::blocks(N, queries), {side, side}, Q, Keys, V, out, N, M);
    return calls.finish();
}

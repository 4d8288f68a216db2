// As in FlashAttention: a block has 64 queries and passes over all keys, 32 at a time, with running maxima and sums, so that the
// scores never leave the multiprocessor. Threads read four elements of shared memory at once. Heads have 64 dimensions.
#include "by_hand.h"

#include <cmath>

using namespace by_hand;

constexpr int queries = 64, keys = 32, dims = 64, side = 16;
constexpr int fours = dims / 4, pitch = fours + 1, scorePitch = keys / 4 + 1; // in units of Four

SDFGC_KERNEL void __launch_bounds__(side *side)
    attentionKernel(const Four *__restrict Q, const Four *__restrict K, const Four *__restrict V, Four *__restrict out, int64_t N,
                    int64_t M) {
    SDFGC_SHARED(Four, q, queries * pitch);
    SDFGC_SHARED(Four, k, keys * pitch);
    SDFGC_SHARED(Four, v, keys * fours);
    SDFGC_SHARED(Four, p, queries * scorePitch);
    const int x = threadIdx.x, y = threadIdx.y, me = y * side + x;
    const int64_t first = int64_t(blockIdx.x) * queries;
    const Four zeros = {{0, 0, 0, 0}};
    for (int at = me; at < queries * fours; at += side * side) {
        Four value = first + at / fours < N ? Q[first * fours + at] : zeros;
        for (float &element : value.at)
            element *= 0.125f; // 1 / sqrt(64)
        q[at / fours * pitch + at % fours] = value;
    }

    // The thread has queries y, y + 16, ...; 16 neighbouring lanes share them. Its keys are x and x + 16, its dimensions
    // 4 x to 4 x + 3.
    float sums[4][4] = {}, most[4], total[4] = {};
    for (float &m : most)
        m = -INFINITY;
    for (int64_t begin = 0; begin < M; begin += keys) {
        __syncthreads();
        for (int at = me; at < keys * fours; at += side * side) {
            const bool isKey = begin + at / fours < M;
            k[at / fours * pitch + at % fours] = isKey ? K[begin * fours + at] : zeros;
            v[at] = isKey ? V[begin * fours + at] : zeros;
        }
        __syncthreads();
        float scores[4][2] = {};
        SDFGC_UNROLL(4)
        for (int d = 0; d < fours; ++d) {
            const Four k0 = k[x * pitch + d], k1 = k[(x + side) * pitch + d];
            SDFGC_UNROLL(4)
            for (int r = 0; r < 4; ++r) {
                const Four value = q[(y + side * r) * pitch + d];
                SDFGC_UNROLL(4)
                for (int e = 0; e < 4; ++e) {
                    scores[r][0] += value.at[e] * k0.at[e];
                    scores[r][1] += value.at[e] * k1.at[e];
                }
            }
        }
        SDFGC_UNROLL(4)
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
            float *const weights = p[(y + side * r) * scorePitch].at;
            weights[x] = p0;
            weights[x + side] = p1;
        }
        __syncthreads();
        SDFGC_UNROLL(2)
        for (int j = 0; j < keys; j += 4) {
            Four values[4];
            for (int e = 0; e < 4; ++e)
                values[e] = v[(j + e) * fours + x];
            SDFGC_UNROLL(4)
            for (int r = 0; r < 4; ++r) {
                const Four weights = p[(y + side * r) * scorePitch + j / 4];
                SDFGC_UNROLL(4)
                for (int e = 0; e < 4; ++e)
                    for (int c = 0; c < 4; ++c)
                        sums[r][c] += weights.at[e] * values[e].at[c];
            }
        }
    }
    for (int r = 0; r < 4; ++r) {
        const int64_t query = first + y + side * r;
        if (query < N)
            out[query * fours + x] = {{sums[r][0] / total[r], sums[r][1] / total[r], sums[r][2] / total[r], sums[r][3] / total[r]}};
    }
}

BY_HAND attention(const Four *Keys, const Four *Q, const Four *V, Four *out, int64_t D, int64_t M, int64_t N) {
    if (D != dims)
        return notSupported;
    Calls calls;
    calls.launch<attentionKernel>({"attention", "", withBarriers}, gpu::blocks(N, queries), {side, side}, Q, Keys, V, out, N, M);
    return calls.finish();
}

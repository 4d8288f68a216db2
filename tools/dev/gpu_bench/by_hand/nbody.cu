// A thread per body; tiles of 256 others pass through shared memory.
#include "by_hand.h"

#include <cmath>

using namespace by_hand;

constexpr int tile = 256;

struct alignas(16) Body {
    float x, y, z, m;
};

SDFGC_DEVICE inline float inverseRoot(float x) {
#ifdef SDFGC_GPU_EMULATE
    return 1 / sqrtf(x);
#else
    return rsqrtf(x);
#endif
}

SDFGC_KERNEL void __launch_bounds__(tile)
    nbodyKernel(const float *__restrict m, const float *__restrict x, const float *__restrict y, const float *__restrict z,
                float *__restrict ax, float *__restrict ay, float *__restrict az, int64_t N, float soft) {
    SDFGC_SHARED(Body, others, tile);
    const int me = threadIdx.x;
    const int64_t i = int64_t(blockIdx.x) * tile + me;
    const auto body = [=](int64_t n) { return n < N ? Body{x[n], y[n], z[n], m[n]} : Body{0, 0, 0, 0}; };
    const Body mine = body(i);
    float sx = 0, sy = 0, sz = 0;
    for (int64_t begin = 0; begin < N; begin += tile) {
        others[me] = body(begin + me);
        __syncthreads();
        SDFGC_UNROLL(16)
        for (int j = 0; j < tile; ++j) {
            const Body other = others[j];
            const float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;
            const float over = inverseRoot(dx * dx + dy * dy + dz * dz + soft), f = other.m * over * over * over;
            sx += f * dx;
            sy += f * dy;
            sz += f * dz;
        }
        __syncthreads();
    }
    if (i < N) {
        ax[i] = sx;
        ay[i] = sy;
        az[i] = sz;
    }
}

BY_HAND nbody(float *ax, float *ay, float *az, const float *m, const float *x, const float *y, const float *z, int64_t N,
              float soft) {
    Calls calls;
    calls.launch<nbodyKernel>({"nbody", "", withBarriers}, gpu::blocks(N, tile), tile, m, x, y, z, ax, ay, az, N, soft);
    return calls.finish();
}

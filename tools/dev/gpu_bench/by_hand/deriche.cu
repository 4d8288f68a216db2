// Two kernels. Rows: a thread per row; a warp brings tiles of 32 x 32 to shared memory and so accesses memory along rows. Columns:
// a thread per column. Both load the next tile or elements before they compute, as each step waits for the one before it.
#include "by_hand.h"

#include <cmath>

using namespace by_hand;

constexpr int tile = 32, pitch = tile + 1, ahead = 16;

/// y[n] = p in[n + near] + q in[n + far] + b1 y[n - 1] + b2 y[n - 2], in the direction of the sweep.
struct Filter {
    double p, q, b1, b2;
    double s = 0, t1 = 0, t2 = 0; // the input before, the outputs before
    SDFGC_DEVICE double forward(double in) {
        const double y = p * in + q * s + b1 * t1 + b2 * t2;
        s = in;
        t2 = t1;
        t1 = y;
        return y;
    }
    /// Uses the two inputs before `in`.
    SDFGC_DEVICE double backward(double in) {
        const double y = p * s + q * r + b1 * t1 + b2 * t2;
        r = s;
        s = in;
        t2 = t1;
        t1 = y;
        return y;
    }
    double r = 0;
};

SDFGC_KERNEL void __launch_bounds__(tile)
    dericheRowsKernel(const double *__restrict image, double *__restrict out, int64_t W, int64_t H, Filter right, Filter left) {
    SDFGC_SHARED(double, in, tile *pitch);
    SDFGC_SHARED(double, y, tile *pitch);
    const int me = threadIdx.x;
    const int64_t first = int64_t(blockIdx.x) * tile, tiles = (H + tile - 1) / tile;
    const int rows = int(W - first < tile ? W - first : tile);
    double next[tile];
    const auto load = [&](int64_t begin) {
        for (int r = 0; r < tile; ++r)
            next[r] = r < rows && begin >= 0 && begin + me < H ? image[(first + r) * H + begin + me] : 0;
    };
    const auto store = [&] {
        for (int r = 0; r < tile; ++r)
            in[r * pitch + me] = next[r];
    };
    load(0);
    for (int64_t t = 0; t < tiles; ++t) {
        store();
        __syncthreads();
        load((t + 1) * tile);
        for (int c = 0; c < tile; ++c)
            y[me * pitch + c] = right.forward(in[me * pitch + c]);
        __syncthreads();
        for (int r = 0; r < rows; ++r)
            if (t * tile + me < H)
                out[(first + r) * H + t * tile + me] = y[r * pitch + me];
    }
    load((tiles - 1) * tile);
    for (int64_t t = tiles - 1; t >= 0; --t) {
        __syncthreads();
        store();
        __syncthreads();
        load((t - 1) * tile);
        const int last = int(H - t * tile < tile ? H - t * tile : tile);
        for (int c = last - 1; c >= 0; --c)
            y[me * pitch + c] = left.backward(in[me * pitch + c]);
        __syncthreads();
        for (int r = 0; r < rows; ++r)
            if (me < last)
                out[(first + r) * H + t * tile + me] += y[r * pitch + me];
    }
}

SDFGC_KERNEL void __launch_bounds__(tile)
    dericheColumnsKernel(const double *__restrict image, double *__restrict out, int64_t W, int64_t H, Filter down, Filter up) {
    const int64_t column = int64_t(blockIdx.x) * tile + threadIdx.x;
    if (column >= H)
        return;
    double now[ahead], next[ahead];
    const auto load = [&](int64_t begin) {
        SDFGC_UNROLL(16)
        for (int k = 0; k < ahead; ++k)
            next[k] = begin >= 0 && begin + k < W ? image[(begin + k) * H + column] : 0;
    };
    const auto shift = [&] {
        SDFGC_UNROLL(16)
        for (int k = 0; k < ahead; ++k)
            now[k] = next[k];
    };
    load(0);
    for (int64_t begin = 0; begin < W; begin += ahead) {
        shift();
        load(begin + ahead);
        SDFGC_UNROLL(16)
        for (int k = 0; k < ahead; ++k) {
            const double y = down.forward(now[k]);
            if (begin + k < W)
                out[(begin + k) * H + column] = y;
        }
    }
    const int64_t last = (W - 1) / ahead * ahead;
    load(last);
    for (int64_t begin = last; begin >= 0; begin -= ahead) {
        shift();
        load(begin - ahead);
        SDFGC_UNROLL(16)
        for (int k = ahead - 1; k >= 0; --k)
            if (begin + k < W)
                out[(begin + k) * H + column] += up.backward(now[k]);
    }
}

BY_HAND deriche(const double *image, double *out, int64_t H, int64_t W, double alpha) {
    double *const between = scratch<double>(W * H);
    if (!between)
        return noMemory;
    const double e = std::exp(-alpha), k = (1 - e) * (1 - e) / (1 + 2 * alpha * e - std::exp(2 * alpha));
    const double b1 = std::pow(2.0, -alpha), b2 = -std::exp(-2 * alpha);
    const Filter forward{k, k * e * (alpha - 1), b1, b2}, backward{k * e * (alpha + 1), -k * std::exp(-2 * alpha), b1, b2};
    Calls calls;
    calls.launch<dericheRowsKernel>({"rows", "", withBarriers}, gpu::blocks(W, tile), tile, image, between, W, H, forward,
                                    backward);
    calls.launch<dericheColumnsKernel>({"columns"}, gpu::blocks(H, tile), tile, between, out, W, H, forward, backward);
    return calls.finish();
}

// A thread per column. Columns are contiguous in memory, so that a block brings the levels of its 64 columns to shared memory, 16
// at a time; the intermediate columns lie side by side in scratch memory, where threads of a warp access neighbours.
#include "by_hand.h"

using namespace by_hand;

constexpr int columns = 64, levels = 16, pitch = levels + 1;

SDFGC_KERNEL void __launch_bounds__(columns)
    vadvKernel(double *__restrict utens_stage, const double *__restrict u_stage, const double *__restrict wcon,
               const double *__restrict u_pos, const double *__restrict utens, double *__restrict ccol, double *__restrict dcol,
               int64_t count, int64_t plane, int K, double dtr) {
    SDFGC_SHARED(double, w, columns *pitch);
    SDFGC_SHARED(double, u, columns *pitch);
    SDFGC_SHARED(double, right, columns *pitch);
    const int me = threadIdx.x;
    const int64_t first = int64_t(blockIdx.x) * columns, column = first + me;
    const int64_t mine = columns < count - first ? columns : count - first;

    // Down. Level k is eliminated when the values of level k + 1 are there.
    double wNow = 0, uNow = 0, uBefore = 0, rightNow = 0, c = 0, d = 0;
    for (int begin = 0; begin < K; begin += levels) {
        const int size = levels < K - begin ? levels : K - begin;
        for (int at = me; at < columns * levels; at += columns) {
            const int x = at / levels, k = at % levels;
            if (x >= mine || k >= size)
                continue;
            const int64_t from = (first + x) * K + begin + k;
            w[x * pitch + k] = 0.125 * (wcon[from + plane] + wcon[from]);
            u[x * pitch + k] = u_stage[from];
            right[x * pitch + k] = dtr * u_pos[from] + utens[from] + utens_stage[from];
        }
        __syncthreads();
        for (int k = 0; k < size && me < mine; ++k) {
            const double wNext = w[me * pitch + k], uNext = u[me * pitch + k];
            const int level = begin + k - 1;
            if (level >= 0) {
                const double above = level > 0 ? -wNow : 0.0;
                const double correction = (level > 0 ? -above * (uBefore - uNow) : 0.0) - wNext * (uNext - uNow);
                const double divided = 1.0 / (dtr - above - wNext - c * above);
                d = (rightNow + correction - d * above) * divided;
                c = wNext * divided;
                ccol[level * count + column] = c;
                dcol[level * count + column] = d;
            }
            wNow = wNext;
            uBefore = uNow;
            uNow = uNext;
            rightNow = right[me * pitch + k];
        }
        __syncthreads();
    }
    const double above = -wNow;
    double x = (rightNow - above * (uBefore - uNow) - d * above) / (dtr - above - c * above);

    // Up: `u` now has u_pos, and the results in its place.
    for (int begin = (K - 1) / levels * levels; begin >= 0; begin -= levels) {
        const int size = levels < K - begin ? levels : K - begin;
        for (int at = me; at < columns * levels; at += columns)
            if (at / levels < mine && at % levels < size)
                u[at / levels * pitch + at % levels] = u_pos[(first + at / levels) * K + begin + at % levels];
        __syncthreads();
        for (int k = size - 1; k >= 0 && me < mine; --k) {
            const int level = begin + k;
            if (level < K - 1)
                x = dcol[level * count + column] - ccol[level * count + column] * x;
            u[me * pitch + k] = dtr * (x - u[me * pitch + k]);
        }
        __syncthreads();
        for (int at = me; at < columns * levels; at += columns)
            if (at / levels < mine && at % levels < size)
                utens_stage[(first + at / levels) * K + begin + at % levels] = u[at / levels * pitch + at % levels];
        __syncthreads();
    }
}

BY_HAND vadv(const double *u_pos, const double *u_stage, const double *utens, double *utens_stage, const double *wcon, int64_t I,
             int64_t J, int64_t K, double dtr) {
    double *const ccol = scratch<double>(2 * I * J * K);
    if (!ccol)
        return noMemory;
    Calls calls;
    calls.launch<vadvKernel>({"vadv", "", withBarriers}, gpu::blocks(I * J, columns), columns, utens_stage, u_stage, wcon, u_pos,
                             utens, ccol, ccol + I * J * K, I * J, J * K, int(K), dtr);
    return calls.finish();
}

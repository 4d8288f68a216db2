// Eight lanes per matrix, each with a column in registers; the lane of the pivot's column hands its factors on.
#include "by_hand.h"

using namespace by_hand;

constexpr int size = 8;

SDFGC_KERNEL void __launch_bounds__(256) luKernel(double *__restrict A, int64_t B) {
    const int column = threadIdx.x;
    const int64_t matrix = int64_t(blockIdx.x) * 32 + threadIdx.y;
    double a[size];
    SDFGC_UNROLL(8)
    for (int i = 0; i < size; ++i)
        a[i] = matrix < B ? A[(matrix * size + i) * size + column] : 1;
    SDFGC_UNROLL(8)
    for (int k = 0; k < size - 1; ++k)
        SDFGC_UNROLL(8)
    for (int i = k + 1; i < size; ++i) {
        const double factor = fromLaneOf(a[i] / a[k], k, size);
        a[i] = column == k ? factor : column > k ? a[i] - factor * a[k] : a[i];
    }
    SDFGC_UNROLL(8)
    for (int i = 0; i < size; ++i)
        if (matrix < B)
            A[(matrix * size + i) * size + column] = a[i];
}

BY_HAND batched_lu(double *A, int64_t B) {
    Calls calls;
    calls.launch<luKernel>({"lu", "", withBarriers}, gpu::blocks(B, 32), {8, 32}, A, B);
    return calls.finish();
}

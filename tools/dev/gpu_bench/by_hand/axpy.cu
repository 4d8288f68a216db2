// y = 2.5 x + y: one thread per element.
#include "by_hand.h"

using namespace by_hand;

SDFGC_KERNEL void __launch_bounds__(256) axpyKernel(const double *__restrict x, double *__restrict y, int64_t N) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N)
        y[i] = 2.5 * x[i] + y[i];
}

BY_HAND axpy(const double *x, double *y, int64_t N) {
    return finished(gpu::launch<axpyKernel>({"axpy"}, gpu::blocks(N, 256), 256, 0, nullptr, x, y, N));
}

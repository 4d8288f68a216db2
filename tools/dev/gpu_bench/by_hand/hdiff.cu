// A thread per point, with K along x: nothing is stored in between. Five Laplacians come from thirteen points, which the caches
// hold.
#include "by_hand.h"

using namespace by_hand;

SDFGC_DEVICE inline double limited(double difference, double slope) { return difference * slope > 0 ? 0.0 : difference; }

SDFGC_KERNEL void __launch_bounds__(256)
    hdiffKernel(const double *__restrict field, const double *__restrict coeff, double *__restrict out, int J, int K) {
    const int k = int(blockIdx.x) * 32 + int(threadIdx.x), j = int(blockIdx.y) * 8 + int(threadIdx.y), i = blockIdx.z;
    if (j >= J || k >= K)
        return;
    const int64_t row = int64_t(J + 4) * K;
    const double *const f = field + (i + 2) * row + int64_t(j + 2) * K + k;
    const auto at = [=](int di, int dj) { return f[di * row + int64_t(dj) * K]; };
    const auto laplacian = [=](int di, int dj) {
        return 4.0 * at(di, dj) - (at(di + 1, dj) + at(di - 1, dj) + at(di, dj + 1) + at(di, dj - 1));
    };
    const double here = laplacian(0, 0), value = at(0, 0);
    const double x1 = limited(laplacian(1, 0) - here, at(1, 0) - value), x0 = limited(here - laplacian(-1, 0), value - at(-1, 0));
    const double y1 = limited(laplacian(0, 1) - here, at(0, 1) - value), y0 = limited(here - laplacian(0, -1), value - at(0, -1));
    const int64_t o = (int64_t(i) * J + j) * K + k;
    out[o] = value - coeff[o] * (x1 - x0 + y1 - y0);
}

BY_HAND hdiff(const double *coeff, const double *field, double *out, int64_t I, int64_t J, int64_t K) {
    Calls calls;
    calls.launch<hdiffKernel>({"hdiff"}, {gpu::blocks(K, 32), gpu::blocks(J, 8), I}, {32, 8}, field, coeff, out, int(J), int(K));
    return calls.finish();
}

// A warp per row, which it keeps in registers: one read and one write of memory. Rows have at most 1024 elements.
#include "by_hand.h"

#include <cmath>

using namespace by_hand;

template <int items>
SDFGC_KERNEL void __launch_bounds__(256) softmaxKernel(const float *__restrict x, float *__restrict out, int64_t rows, int length) {
    const int lane = threadIdx.x;
    const int64_t row = int64_t(blockIdx.x) * 8 + threadIdx.y;
    if (row >= rows)
        return;
    x += row * length;
    out += row * length;
    float values[items];
    float most = -INFINITY;
    SDFGC_UNROLL(32)
    for (int k = 0; k < items; ++k) {
        const int j = lane + 32 * k;
        values[k] = j < length ? x[j] : -INFINITY;
        most = fmaxf(most, values[k]);
    }
    most = maxOfLanes<32>(most);
    float sum = 0;
    SDFGC_UNROLL(32)
    for (int k = 0; k < items; ++k) {
        values[k] = expf(values[k] - most);
        sum += values[k];
    }
    sum = sumOfLanes<32>(sum);
    SDFGC_UNROLL(32)
    for (int k = 0; k < items; ++k)
        if (lane + 32 * k < length)
            out[lane + 32 * k] = values[k] / sum;
}

namespace {

template <int items> void queueSoftmax(Calls &calls, const float *x, float *out, int64_t rows, int64_t length) {
    calls.launch<softmaxKernel<items>>({"softmax", "", withBarriers}, gpu::blocks(rows, 8), {32, 8}, x, out, rows, int(length));
}

} // namespace

BY_HAND softmax(float *out, const float *x, int64_t H, int64_t N, int64_t SM) {
    Calls calls;
    const int64_t rows = N * H * SM;
    if (SM <= 128)
        queueSoftmax<4>(calls, x, out, rows, SM);
    else if (SM <= 256)
        queueSoftmax<8>(calls, x, out, rows, SM);
    else if (SM <= 512)
        queueSoftmax<16>(calls, x, out, rows, SM);
    else if (SM <= 1024)
        queueSoftmax<32>(calls, x, out, rows, SM);
    else
        return notSupported;
    return calls.finish();
}

// A block computes 64 pixels of a row for 16 channels: the weights and the window of the image are in shared memory. A thread has four
// neighbouring pixels of one channel, so that it reads each weight once for all of them.
#include "by_hand.h"

using namespace by_hand;

constexpr int channels = 16, groups = 16, pixels = 4;

SDFGC_KERNEL void __launch_bounds__(channels *groups)
    convKernel(const float *__restrict image, const float *__restrict weights, const float *__restrict bias, float *__restrict out,
               int inputs, int outputs, int H, int W, int K) {
    SDFGC_DYNAMIC_SHARED(float, shared);
    const int width = groups * pixels + K - 1, taps = K * K * inputs, rowsOut = H - K + 1, columnsOut = W - K + 1;
    float *const window = shared, *const weight = shared + K * width * inputs;
    const int parts = (outputs + channels - 1) / channels;
    const int first = int(blockIdx.x) / parts * groups * pixels, firstChannel = int(blockIdx.x) % parts * channels;
    const int row = blockIdx.y, d = firstChannel + int(threadIdx.x), me = int(threadIdx.y) * channels + int(threadIdx.x);

    image += (int64_t(blockIdx.z) * H + row) * W * inputs;
    for (int at = me; at < K * width * inputs; at += channels * groups) {
        const int y = at / (width * inputs), rest = at % (width * inputs);
        window[at] = first * inputs + rest < W * inputs ? image[int64_t(y) * W * inputs + first * inputs + rest] : 0;
    }
    for (int at = me; at < taps * channels; at += channels * groups) {
        const int channel = firstChannel + at % channels;
        weight[at] = channel < outputs ? weights[at / channels * outputs + channel] : 0;
    }
    __syncthreads();

    float sums[pixels] = {};
    const float *const mine = window + int(threadIdx.y) * pixels * inputs;
    for (int y = 0; y < K; ++y)
        for (int at = 0; at < K * inputs; ++at) {
            const float w = weight[(y * K * inputs + at) * channels + int(threadIdx.x)];
            SDFGC_UNROLL(4)
            for (int p = 0; p < pixels; ++p)
                sums[p] += w * mine[(y * width + p) * inputs + at];
        }
    for (int p = 0; p < pixels; ++p) {
        const int column = first + int(threadIdx.y) * pixels + p;
        if (column < columnsOut && d < outputs)
            out[((int64_t(blockIdx.z) * rowsOut + row) * columnsOut + column) * outputs + d] = sums[p] + bias[d];
    }
}

BY_HAND conv2d_bias(const float *bias, const float *image, float *out, const float *weights, int64_t C_in, int64_t C_out, int64_t H,
                    int64_t K, int64_t N, int64_t W) {
    const int64_t shared = (K * (groups * pixels + K - 1) * C_in + K * K * C_in * channels) * int64_t(sizeof(float));
    if (shared > 48 * 1024)
        return notSupported;
    const gpu::Dim3 grid(gpu::blocks(W - K + 1, groups * pixels) * gpu::blocks(C_out, channels), H - K + 1, N);
    Calls calls;
    calls.launchWith<convKernel>(size_t(shared), {"conv", "", withBarriers}, grid, {channels, groups}, image, weights, bias, out,
                                 int(C_in), int(C_out), int(H), int(W), int(K));
    return calls.finish();
}

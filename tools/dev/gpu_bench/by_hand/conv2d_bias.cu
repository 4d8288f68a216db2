// A block computes 256 pixels of a row for 16 channels: the weights and the window of the image are in shared memory. A thread has
// four neighbouring pixels of four channels in registers, so that it reads each weight and each element of the window once for four
// products. C_out is a multiple of four.
#include "by_hand.h"

using namespace by_hand;

constexpr int channels = 16, quads = channels / 4, groups = 64, pixels = 4;

SDFGC_KERNEL void __launch_bounds__(quads *groups)
    convKernel(const float *__restrict image, const float *__restrict weights, const float *__restrict bias, float *__restrict out,
               int inputs, int outputs, int H, int W, int K) {
    SDFGC_DYNAMIC_SHARED(Four, weight);
    const int width = groups * pixels + K - 1, taps = K * K * inputs, rowsOut = H - K + 1, columnsOut = W - K + 1;
    float *const weightElements = weight->at, *const window = weightElements + taps * channels;
    const int parts = (outputs + channels - 1) / channels;
    const int first = int(blockIdx.x) / parts * groups * pixels, firstChannel = int(blockIdx.x) % parts * channels;
    const int row = blockIdx.y, quad = threadIdx.x, group = threadIdx.y, me = group * quads + quad;

    image += (int64_t(blockIdx.z) * H + row) * W * inputs;
    for (int at = me; at < K * width * inputs; at += quads * groups) {
        const int y = at / (width * inputs), rest = at % (width * inputs);
        window[at] = first * inputs + rest < W * inputs ? image[int64_t(y) * W * inputs + first * inputs + rest] : 0;
    }
    for (int at = me; at < taps * channels; at += quads * groups) {
        const int channel = firstChannel + at % channels;
        weightElements[at] = channel < outputs ? weights[at / channels * outputs + channel] : 0;
    }
    __syncthreads();

    float sums[pixels][4] = {};
    const float *const mine = window + group * pixels * inputs;
    for (int y = 0; y < K; ++y)
        for (int at = 0; at < K * inputs; ++at) {
            const Four w = weight[(y * K * inputs + at) * quads + quad];
            SDFGC_UNROLL(4)
            for (int p = 0; p < pixels; ++p) {
                const float a = mine[(y * width + p) * inputs + at];
                SDFGC_UNROLL(4)
                for (int d = 0; d < 4; ++d)
                    sums[p][d] += w.at[d] * a;
            }
        }
    SDFGC_UNROLL(4)
    for (int p = 0; p < pixels; ++p) {
        const int column = first + group * pixels + p, channel = firstChannel + 4 * quad;
        if (column >= columnsOut || channel >= outputs)
            continue;
        float *const to = out + ((int64_t(blockIdx.z) * rowsOut + row) * columnsOut + column) * outputs + channel;
        *reinterpret_cast<Four *>(to) = {{sums[p][0] + bias[channel], sums[p][1] + bias[channel + 1],
                                          sums[p][2] + bias[channel + 2], sums[p][3] + bias[channel + 3]}};
    }
}

BY_HAND conv2d_bias(const float *bias, const float *image, float *out, const float *weights, int64_t C_in, int64_t C_out, int64_t H,
                    int64_t K, int64_t N, int64_t W) {
    const int64_t shared = (K * (groups * pixels + K - 1) * C_in + K * K * C_in * channels) * int64_t(sizeof(float));
    if (shared > 48 * 1024 || C_out % 4 != 0)
        return notSupported;
    const gpu::Dim3 grid(gpu::blocks(W - K + 1, groups * pixels) * gpu::blocks(C_out, channels), H - K + 1, N);
    Calls calls;
    calls.launchWith<convKernel>(size_t(shared), {"conv", "", withBarriers}, grid, {quads, groups}, image, weights, bias, out,
                                 int(C_in), int(C_out), int(H), int(W), int(K));
    return calls.finish();
}

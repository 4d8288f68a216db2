// A thread per option: all five arrays pass through once.
#include "by_hand.h"

#include <cmath>

using namespace by_hand;

SDFGC_DEVICE inline float normal(float d) { return 0.5f * (1 + erff(d * 0.70710678f)); }

SDFGC_KERNEL void __launch_bounds__(256)
    optionsKernel(float *__restrict call, const float *__restrict price, float *__restrict put, const float *__restrict strike,
                  const float *__restrict years, int64_t N, float rate, float volatility) {
    const int64_t i = int64_t(blockIdx.x) * 256 + threadIdx.x;
    if (i >= N)
        return;
    const float s = price[i], k = strike[i], t = years[i], root = volatility * sqrtf(t);
    const float d = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / root;
    const float a = normal(d), b = normal(d - root), discounted = k * expf(-rate * t);
    call[i] = s * a - discounted * b;
    put[i] = discounted * (1 - b) - s * (1 - a);
}

BY_HAND black_scholes(float *call, const float *price, float *put, const float *strike, const float *years, int64_t N, float rate,
                      float volatility) {
    Calls calls;
    calls.launch<optionsKernel>({"options"}, gpu::blocks(N, 256), 256, call, price, put, strike, years, N, rate, volatility);
    return calls.finish();
}

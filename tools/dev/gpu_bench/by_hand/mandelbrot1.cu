// A thread per pixel with the loop inside: it stops when the point leaves the horizon, after which nothing changes.
#include "by_hand.h"

using namespace by_hand;

struct alignas(16) Point {
    double re, im;
};

SDFGC_KERNEL void __launch_bounds__(256)
    mandelbrotKernel(Point *__restrict Z, int64_t *__restrict L, int64_t most, int64_t XN, int64_t YN, double horizon, double xmax,
                     double xmin, double ymax, double ymin) {
    const int64_t x = int64_t(blockIdx.x) * 32 + threadIdx.x, y = int64_t(blockIdx.y) * 8 + threadIdx.y;
    if (x >= XN || y >= YN)
        return;
    const double re = xmin + double(x) * (xmax - xmin) / double(XN - 1), im = ymin + double(y) * (ymax - ymin) / double(YN - 1);
    Point z = {0, 0};
    int64_t last = 0;
    for (int64_t n = 0; n < most && z.re * z.re + z.im * z.im < horizon * horizon; ++n) {
        z = {z.re * z.re - z.im * z.im + re, 2 * z.re * z.im + im};
        last = n;
    }
    Z[y * XN + x] = z;
    L[y * XN + x] = last == most - 1 ? 0 : last;
}

BY_HAND mandelbrot1(int64_t *L, Point *Z, int64_t MOST, int64_t XN, int64_t YN, double horizon, double xmax, double xmin,
                    double ymax, double ymin) {
    Calls calls;
    calls.launch<mandelbrotKernel>({"mandelbrot"}, {gpu::blocks(XN, 32), gpu::blocks(YN, 8)}, {32, 8}, Z, L, MOST, XN, YN, horizon,
                                   xmax, xmin, ymax, ymin);
    return calls.finish();
}

// A thread per cell, which pulls the nine populations from its neighbours: reads and writes of a warp are contiguous, one array per
// direction.
#include "by_hand.h"

using namespace by_hand;

SDFGC_KERNEL void __launch_bounds__(256) lbmKernel(const double *__restrict F, double *__restrict G, int NX, int NY, double omega) {
    const int x = int(blockIdx.x) * 64 + int(threadIdx.x), y = int(blockIdx.y) * 4 + int(threadIdx.y);
    if (x >= NX || y >= NY)
        return;
    const int64_t cells = int64_t(NX) * NY;
    const int xs[3] = {x == NX - 1 ? 0 : x + 1, x, x == 0 ? NX - 1 : x - 1}; // where velocities of -1, 0, 1 come from
    const int ys[3] = {y == NY - 1 ? 0 : y + 1, y, y == 0 ? NY - 1 : y - 1};
    const auto pull = [&](int q, int cx, int cy) { return F[q * cells + int64_t(ys[cy + 1]) * NX + xs[cx + 1]]; };
    const double f0 = pull(0, 0, 0), f1 = pull(1, 1, 0), f2 = pull(2, 0, 1), f3 = pull(3, -1, 0), f4 = pull(4, 0, -1),
                 f5 = pull(5, 1, 1), f6 = pull(6, -1, 1), f7 = pull(7, -1, -1), f8 = pull(8, 1, -1);
    const double rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8, over = 1.0 / rho;
    const double ux = (f1 + f5 + f8 - f3 - f6 - f7) * over, uy = (f2 + f5 + f6 - f4 - f7 - f8) * over;
    const double square = 1.5 * (ux * ux + uy * uy);
    double *const g = G + int64_t(y) * NX + x;
    const auto collide = [=](int q, double f, double weight, double along) {
        const double e = 3.0 * along;
        g[q * cells] = f - omega * (f - weight * rho * (1.0 + e + 0.5 * e * e - square));
    };
    constexpr double straight = 1.0 / 9.0, diagonal = 1.0 / 36.0;
    collide(0, f0, 4.0 / 9.0, 0.0);
    collide(1, f1, straight, ux);
    collide(2, f2, straight, uy);
    collide(3, f3, straight, -ux);
    collide(4, f4, straight, -uy);
    collide(5, f5, diagonal, ux + uy);
    collide(6, f6, diagonal, uy - ux);
    collide(7, f7, diagonal, -ux - uy);
    collide(8, f8, diagonal, ux - uy);
}

BY_HAND lbm(double *F, double *G, int64_t NX, int64_t NY, int64_t T, double omega) {
    const gpu::Dim3 grid(gpu::blocks(NX, 64), gpu::blocks(NY, 4));
    Calls calls;
    for (int64_t t = 0; t < T; ++t) {
        calls.launch<lbmKernel>({"lbm"}, grid, {64, 4}, F, G, int(NX), int(NY), omega);
        calls.launch<lbmKernel>({"lbm"}, grid, {64, 4}, G, F, int(NX), int(NY), omega);
    }
    return calls.finish();
}

// A thread per cell, and one kernel per step: the source, each relaxation of the pressure with its boundary, both velocities with
// theirs. A cell of the boundary computes the value of its neighbour inside.
#include "by_hand.h"

#include <utility>

using namespace by_hand;

namespace {

struct Cavity {
    int NX, NY;
    double dt, dx, dy, nu, rho;
};

} // namespace

SDFGC_DEVICE inline int clamped(int i, int least, int most) { return i < least ? least : i > most ? most : i; }

SDFGC_KERNEL void __launch_bounds__(256)
    cavitySourceKernel(const double *__restrict u, const double *__restrict v, double *__restrict b, Cavity f) {
    const int j = int(blockIdx.x) * 32 + int(threadIdx.x), i = int(blockIdx.y) * 8 + int(threadIdx.y);
    if (i < 1 || j < 1 || i >= f.NY - 1 || j >= f.NX - 1)
        return;
    const int at = i * f.NX + j;
    const double ux = (u[at + 1] - u[at - 1]) / (2 * f.dx), uy = (u[at + f.NX] - u[at - f.NX]) / (2 * f.dy);
    const double vx = (v[at + 1] - v[at - 1]) / (2 * f.dx), vy = (v[at + f.NX] - v[at - f.NX]) / (2 * f.dy);
    b[at] = f.rho * (1 / f.dt * (ux + vy) - ux * ux - 2 * (uy * vx) - vy * vy);
}

SDFGC_KERNEL void __launch_bounds__(256)
    cavityRelaxKernel(const double *__restrict p, const double *__restrict b, double *__restrict next, Cavity f) {
    const int x = int(blockIdx.x) * 32 + int(threadIdx.x), y = int(blockIdx.y) * 8 + int(threadIdx.y);
    if (x >= f.NX || y >= f.NY)
        return;
    const double xx = f.dx * f.dx, yy = f.dy * f.dy;
    const int at = clamped(y, 1, f.NY - 2) * f.NX + clamped(x, 1, f.NX - 2);
    const double inside =
        ((p[at + 1] + p[at - 1]) * yy + (p[at + f.NX] + p[at - f.NX]) * xx) / (2 * (xx + yy)) - xx * yy / (2 * (xx + yy)) * b[at];
    next[y * f.NX + x] = y == f.NY - 1 ? 0 : inside;
}

/// The new value of `a`, which is u or v, without the pressure's part.
SDFGC_DEVICE inline double moved(const double *__restrict a, double u, double v, int at, const Cavity &f) {
    const double c = a[at], e = a[at + 1], w = a[at - 1], n = a[at + f.NX], s = a[at - f.NX];
    const double carried = u * f.dt / f.dx * (c - w) + v * f.dt / f.dy * (c - s);
    return c - carried + f.nu * (f.dt / (f.dx * f.dx) * (e - 2 * c + w) + f.dt / (f.dy * f.dy) * (n - 2 * c + s));
}

SDFGC_KERNEL void __launch_bounds__(256)
    cavityMoveKernel(const double *__restrict u, const double *__restrict v, const double *__restrict p, double *__restrict nextU,
                     double *__restrict nextV, Cavity f) {
    const int j = int(blockIdx.x) * 32 + int(threadIdx.x), i = int(blockIdx.y) * 8 + int(threadIdx.y);
    if (j >= f.NX || i >= f.NY)
        return;
    const int at = i * f.NX + j;
    if (i == 0 || j == 0 || i == f.NY - 1 || j == f.NX - 1) {
        nextU[at] = i == f.NY - 1 ? 1 : 0;
        nextV[at] = 0;
        return;
    }
    nextU[at] = moved(u, u[at], v[at], at, f) - f.dt / (2 * f.rho * f.dx) * (p[at + 1] - p[at - 1]);
    nextV[at] = moved(v, u[at], v[at], at, f) - f.dt / (2 * f.rho * f.dy) * (p[at + f.NX] - p[at - f.NX]);
}

BY_HAND cavity_flow(double *p, double *u, double *v, int64_t NIT, int64_t NT, int64_t NX, int64_t NY, double dt, double dx,
                    double dy, double nu, double rho) {
    const int64_t cells = NX * NY, bytes = cells * int64_t(sizeof(double));
    double *const more = scratch<double>(4 * cells);
    if (!more)
        return noMemory;
    double *const b = more, *pNow = p, *pNext = more + cells, *uNow = u, *uNext = more + 2 * cells, *vNow = v,
                  *vNext = more + 3 * cells;
    const Cavity f{int(NX), int(NY), dt, dx, dy, nu, rho};
    const gpu::Dim3 grid(gpu::blocks(NX, 32), gpu::blocks(NY, 8)), block(32, 8);
    Calls calls;
    for (int64_t n = 0; n < NT; ++n) {
        calls.launch<cavitySourceKernel>({"source"}, grid, block, uNow, vNow, b, f);
        for (int64_t q = 0; q < NIT; ++q) {
            calls.launch<cavityRelaxKernel>({"relax"}, grid, block, pNow, b, pNext, f);
            std::swap(pNow, pNext);
        }
        calls.launch<cavityMoveKernel>({"move"}, grid, block, uNow, vNow, pNow, uNext, vNext, f);
        std::swap(uNow, uNext);
        std::swap(vNow, vNext);
    }
    if (pNow != p)
        calls.copy(p, pNow, bytes);
    if (uNow != u) {
        calls.copy(u, uNow, bytes);
        calls.copy(v, vNow, bytes);
    }
    return calls.finish();
}

#!/usr/bin/python3
"""Writes NAME.sdfgt for each program below: the graph that DaCe's front end makes of it, simplified and not optimised otherwise.

  PYTHONPATH=DACE tools/dev/fields/make_graphs.py [--sdfgc build/bin/sdfgc] [--only REGEX]

DACE is a checkout of DaCe. bench_fields.py measures the graphs beside NAME.cpp, and has no need of DaCe.
"""
import argparse
import os
import re
import subprocess
import tempfile

import dace
import numpy as np

F = dace.float64
N, M, K, B = (dace.symbol(s) for s in 'NMKB')


@dace.program
def blur(image: F[N, M], weights: F[3, 3], out: F[N, M]):
    """A 3 x 3 filter, as array operations in two short loops."""
    out[:] = 0.0
    for dy in range(3):
        for dx in range(3):
            out[1:N - 1, 1:M - 1] += weights[dy, dx] * image[dy:N - 2 + dy, dx:M - 2 + dx]


@dace.program
def sobel(image: F[N, M], wx: F[3, 3], wy: F[3, 3], out: F[N, M]):
    """Edges of an image: short loops in a map, with two sums."""
    for i, j in dace.map[1:N - 1, 1:M - 1]:
        gx = 0.0
        gy = 0.0
        for dy in range(3):
            for dx in range(3):
                gx += wx[dy, dx] * image[i + dy - 1, j + dx - 1]
                gy += wy[dy, dx] * image[i + dy - 1, j + dx - 1]
        out[i, j] = np.sqrt(gx * gx + gy * gy)


@dace.program
def dilate(image: F[N, M], out: F[N, M]):
    """The largest of nine neighbours, in place of each element."""
    out[:] = image
    for dy in range(3):
        for dx in range(3):
            out[1:N - 1, 1:M - 1] = np.maximum(out[1:N - 1, 1:M - 1], image[dy:N - 2 + dy, dx:M - 2 + dx])


@dace.program
def batched_lu(A: F[B, 8, 8]):
    """Factors of many small matrices, in place."""
    for b in dace.map[0:B]:
        a = np.empty([8, 8], F)
        for i in range(8):
            for j in range(8):
                a[i, j] = A[b, i, j]
        for k in range(8):
            for i in range(k + 1, 8):
                a[i, k] = a[i, k] / a[k, k]
                for j in range(k + 1, 8):
                    a[i, j] = a[i, j] - a[i, k] * a[k, j]
        for i in range(8):
            for j in range(8):
                A[b, i, j] = a[i, j]


@dace.program
def batched_lu_arrays(A: F[B, 8, 8]):
    """The same, as operations on all matrices at once."""
    for k in range(8):
        for i in range(k + 1, 8):
            A[:, i, k] /= A[:, k, k]
            for j in range(k + 1, 8):
                A[:, i, j] -= A[:, i, k] * A[:, k, j]


@dace.program
def rotate(points: F[N, 3], matrix: F[3, 3], out: F[N, 3]):
    """Points times a matrix: a map around short loops with a sum in memory."""
    for n in dace.map[0:N]:
        for r in range(3):
            out[n, r] = 0.0
            for c in range(3):
                out[n, r] += matrix[r, c] * points[n, c]


@dace.program
def forces(position: F[N, 3], mass: F[N], force: F[N, 3]):
    """Gravity: three coordinates of all pairs."""
    for i in dace.map[0:N]:
        f = np.zeros([3], F)
        d = np.empty([3], F)
        for j in range(N):
            s = 1e-3
            for c in range(3):
                d[c] = position[j, c] - position[i, c]
                s += d[c] * d[c]
            w = mass[j] / (s * np.sqrt(s))
            for c in range(3):
                f[c] += w * d[c]
        for c in range(3):
            force[i, c] = f[c]


@dace.program
def lattice(f: F[9, N, M], g: F[9, N, M], cx: dace.int64[9], cy: dace.int64[9], w: F[9], omega: F):
    """One step of a lattice Boltzmann method: the directions are outermost, the field is periodic."""
    rho = np.zeros([N, M], F)
    ux = np.zeros([N, M], F)
    uy = np.zeros([N, M], F)
    for q in range(9):
        rho += f[q]
        ux += cx[q] * f[q]
        uy += cy[q] * f[q]
    ux /= rho
    uy /= rho
    usq = 1.5 * (ux * ux + uy * uy)
    for q in range(9):
        cu = 3.0 * (cx[q] * ux + cy[q] * uy)
        feq = w[q] * rho * (1.0 + cu + 0.5 * cu * cu - usq)
        for i, j in dace.map[0:N, 0:M]:
            g[q, (i + cy[q] + N) % N, (j + cx[q] + M) % M] = f[q, i, j] + omega * (feq[i, j] - f[q, i, j])


@dace.program
def convolve(image: F[N, N, 4], weights: F[3, 3, 4, 8], out: F[N, N, 8]):
    """A layer of a network with a small filter and few channels."""
    for i, j in dace.map[1:N - 1, 1:N - 1]:
        for o in range(8):
            s = 0.0
            for dy in range(3):
                for dx in range(3):
                    for c in range(4):
                        s += weights[dy, dx, c, o] * image[i + dy - 1, j + dx - 1, c]
            out[i, j, o] = s


@dace.program
def diffuse(u: F[N, M], v: F[N, M], steps: dace.int64):
    """A stencil with a periodic boundary, by the remainder."""
    for t in range(steps):
        for i, j in dace.map[0:N, 0:M]:
            v[i, j] = u[i, j] + 0.1 * (u[(i - 1 + N) % N, j] + u[(i + 1) % N, j] + u[i, (j - 1 + M) % M] + u[i, (j + 1) % M] - 4.0 * u[i, j])
        for i, j in dace.map[0:N, 0:M]:
            u[i, j] = v[i, j] + 0.1 * (v[(i - 1 + N) % N, j] + v[(i + 1) % N, j] + v[i, (j - 1 + M) % M] + v[i, (j + 1) % M] - 4.0 * v[i, j])


@dace.program
def advect(u: F[N], v: F[N], c: F, steps: dace.int64):
    """Upwind differences on a ring: the first element by itself, by assignments to parts of the array."""
    for t in range(steps):
        v[0] = u[0] - c * (u[0] - u[N - 1])
        v[1:] = u[1:] - c * (u[1:] - u[:N - 1])
        u[:] = v


@dace.program
def assemble(corners: F[B, 4, 2], stiffness: F[B, 4, 4], dn: F[4, 4, 2]):
    """Local matrices of bilinear elements with four points of integration."""
    for e in dace.map[0:B]:
        k = np.zeros([4, 4], F)
        g = np.empty([4, 2], F)
        for p in range(4):
            j00 = 0.0
            j01 = 0.0
            j10 = 0.0
            j11 = 0.0
            for a in range(4):
                j00 += dn[p, a, 0] * corners[e, a, 0]
                j01 += dn[p, a, 0] * corners[e, a, 1]
                j10 += dn[p, a, 1] * corners[e, a, 0]
                j11 += dn[p, a, 1] * corners[e, a, 1]
            det = j00 * j11 - j01 * j10
            for a in range(4):
                g[a, 0] = (j11 * dn[p, a, 0] - j01 * dn[p, a, 1]) / det
                g[a, 1] = (j00 * dn[p, a, 1] - j10 * dn[p, a, 0]) / det
            for a in range(4):
                for b in range(4):
                    k[a, b] += det * (g[a, 0] * g[b, 0] + g[a, 1] * g[b, 1])
        for a in range(4):
            for b in range(4):
                stiffness[e, a, b] = k[a, b]


@dace.program
def filter_fir(x: F[N], taps: F[16], y: F[N]):
    """A signal through a filter of 16 taps, one tap at a time."""
    y[:] = 0.0
    for t in range(16):
        y[15:] += taps[t] * x[15 - t:N - t]


PROGRAMS = (blur, sobel, dilate, batched_lu, batched_lu_arrays, rotate, forces, lattice, convolve, diffuse, advect, assemble, filter_fir)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--sdfgc', default='build/bin/sdfgc')
    ap.add_argument('--only', default='')
    o = ap.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    for program in PROGRAMS:
        name = program.f.__name__
        if not re.search(o.only, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name + '.sdfg')
            program.to_sdfg(simplify=True).save(path)
            text = subprocess.run([o.sdfgc, 'print', path], check=True, capture_output=True, text=True).stdout
        with open(os.path.join(here, name + '.sdfgt'), 'w') as f:  # the lines of programs, without the folders of this machine
            f.write(text.replace(here + '/', '').replace(os.path.dirname(os.path.dirname(dace.__file__)) + '/', ''))
        print(name)


if __name__ == '__main__':
    main()

#!/usr/bin/python3
"""How fast are generated programs? Small graphs, compiled by sdfgc, compared with equivalent hand-written C++ loops, compiled with
the same flags. Both compute from the same data; results are compared, then each is timed (best of several runs).

  tools/dev/bench_programs.py [--sdfgc build/bin/sdfgc] [--threads 1,2] [--only REGEX]
"""
import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import bench_maps as maps
import graphs as g
import programs


def dot():
    return maps.total({'x': ('N',), 'y': ('N',), 's': (1,)}, {'a': ('x', 'i'), 'b': ('y', 'i')}, 'o = a * b')


def rowmax():
    shapes = {'A': ('N', 'N'), 'm': ('N',)}
    start = g.map_state('start', {'i': (0, 'N - 1')}, {'a': ('A', 'i', '0')}, {'o': ('m', 'i')}, 'o = a', shapes)
    state = g.map_state('rowmax', {'i': (0, 'N - 1'), 'j': (0, 'N - 1')}, {'a': ('A', 'i', 'j')}, {'o': ('m', 'i')}, 'o = a', shapes,
                        wcr='lambda a, b: max(a, b)')
    return [start, state]


# Name: the graph's blocks, size, the arrays in the order of the call with their numbers of dimensions, the loops as a person writes them.
PROGRAMS = {
    'axpy': (maps.axpy, 4000000, {'x': 1, 'y': 1}, '''
    #pragma omp parallel for
    for (int64_t i = 0; i < N; ++i)
        y[i] = 2.5 * x[i] + y[i];'''),
    'dot': (dot, 4000000, {'s': 0, 'x': 1, 'y': 1}, '''
    double sum = 0;
    #pragma omp parallel for simd reduction(+ : sum)
    for (int64_t i = 0; i < N; ++i)
        sum += x[i] * y[i];
    s[0] = sum;'''),
    'gemm': (lambda: maps.gemm('ikj'), 400, {'A': 2, 'B': 2, 'C': 2}, '''
    #pragma omp parallel for
    for (int64_t i = 0; i < N; ++i) {
        for (int64_t j = 0; j < N; ++j)
            C[i * N + j] = 0;
        for (int64_t k = 0; k < N; ++k)
            for (int64_t j = 0; j < N; ++j)
                C[i * N + j] += A[i * N + k] * B[k * N + j];
    }'''),
    'jacobi2d': (maps.jacobi2d, 1000, {'A': 2, 'B': 2}, '''
    for (int t = 0; t < 10; ++t) {
        #pragma omp parallel for
        for (int64_t i = 1; i < N - 1; ++i)
            for (int64_t j = 1; j < N - 1; ++j)
                B[i * N + j] = 0.2 * (A[i * N + j] + A[(i - 1) * N + j] + A[(i + 1) * N + j] + A[i * N + j - 1] + A[i * N + j + 1]);
        #pragma omp parallel for
        for (int64_t i = 1; i < N - 1; ++i)
            for (int64_t j = 1; j < N - 1; ++j)
                A[i * N + j] = 0.2 * (B[i * N + j] + B[(i - 1) * N + j] + B[(i + 1) * N + j] + B[i * N + j - 1] + B[i * N + j + 1]);
    }'''),
    'rowmax': (rowmax, 2000, {'A': 2, 'm': 1}, '''
    #pragma omp parallel for
    for (int64_t i = 0; i < N; ++i) {
        double best = A[i * N];
        #pragma omp simd reduction(max : best)
        for (int64_t j = 0; j < N; ++j)
            best = A[i * N + j] > best ? A[i * N + j] : best;
        m[i] = best;
    }'''),
}


def graph(name):
    blocks, _, arrays, _ = PROGRAMS[name]
    containers = {a: g.array(*(['N'] * d or [1])) for a, d in arrays.items()}
    return g.sdfg(name, ['N'], containers, blocks())


def by_hand(name, folder):
    """The function with the loops: pointers in the order of the call, then N."""
    _, _, arrays, loops = PROGRAMS[name]
    source = os.path.join(folder, name + '.cpp')
    with open(source, 'w') as f:
        parameters = ', '.join(f'double *__restrict {a}' for a in arrays)
        f.write(f'#include <cstdint>\nextern "C" void by_hand({parameters}, int64_t N) {{{loops}\n}}\n')
    library = os.path.join(folder, name + '_hand.so')
    programs.run(['g++', '-std=c++20', '-O3', '-march=native', '-ffp-contract=off', '-fno-math-errno', '-fopenmp', '-fPIC', '-shared',
                  source, '-o', library])
    return ctypes.CDLL(library).by_hand


def child(name, sdfgc, repeats):
    """Prints `generated seconds, seconds by hand`; the number of threads is that of the environment."""
    _, n, arrays, _ = PROGRAMS[name]
    with tempfile.TemporaryDirectory() as folder:
        program = programs.Program(programs.build(sdfgc, graph(name), folder), {'N': n})
        loops = by_hand(name, folder)
        best, results = [], []
        for caller in (program.caller, lambda at: lambda: loops(*[ctypes.c_void_p(at[a]) for a in arrays], ctypes.c_int64(n))):
            random = np.random.default_rng(1)
            data = {a: random.random((n,) * max(d, 1) if d else (1,)) for a, d in arrays.items()}
            call = caller({a: value.ctypes.data for a, value in data.items()})
            call()
            results.append([a.copy() for a in data.values()])
            best.append(min(programs.seconds(call, repeats)))
    for a, b in zip(*results):
        if not np.allclose(a, b):
            sys.exit(f'{name}: the results differ')
    print(*best)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--sdfgc', default='build/bin/sdfgc')
    ap.add_argument('--threads', default='1,2')
    ap.add_argument('--only', default='')
    ap.add_argument('--repeats', type=int, default=9)
    ap.add_argument('--child', help=argparse.SUPPRESS)
    o = ap.parse_args()
    o.sdfgc = os.path.abspath(o.sdfgc)
    if o.child:
        return child(o.child, o.sdfgc, o.repeats)
    print(f'{"program":10} {"threads":>8} {"generated":>12} {"by hand":>12} {"ratio":>8}')
    for name in PROGRAMS:
        for threads in o.threads.split(','):
            if not re.search(o.only, name):
                continue
            done = subprocess.run([sys.executable, __file__, '--child', name, '--sdfgc', o.sdfgc, '--repeats', str(o.repeats)],
                                  env=dict(os.environ, OMP_NUM_THREADS=threads), stdout=subprocess.PIPE, text=True)
            if done.returncode:
                sys.exit(done.returncode)
            generated, hand = map(float, done.stdout.split())
            print(f'{name:10} {threads:>8} {generated * 1e3:9.2f} ms {hand * 1e3:9.2f} ms {generated / hand:8.2f}', flush=True)


if __name__ == '__main__':
    main()

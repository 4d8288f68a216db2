#!/usr/bin/python3
"""How fast are programs with small constant loops (filters of images, small matrices in batches, coordinates, directions of a lattice, periodic
boundaries), as the front end of DaCe writes them, relative to C++ with OpenMP by hand?

  tools/dev/bench_fields.py [--sdfgc build/bin/sdfgc] [--threads 1,2] [--only REGEX] [--rounds 15] [--options '-O2'] [--other '-O0']
  tools/dev/bench_fields.py --check         # small sizes: do -O0, the given options, the interpreter after each pass, and C++ agree?

fields/NAME.sdfgt is the graph, which fields/make_graphs.py makes; fields/NAME.cpp is the body of a function with the same arguments. All run
alternately in one process, on the same inputs. Medians count: of processor time on one thread, of time on the clock on several. With --other,
there is a column for the program that these options make, and `--other-sdfgc` may name another compiler for it.
"""
import argparse
import ctypes
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import bench_applications as applications
import programs

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'fields')


def matrices(random, n):
    return random.random((n, 8, 8)) + 8 * np.eye(8)


def lattice(random, small):
    n, m = (7, 9) if small else (400, 500)
    return dict(N=n, M=m, f=1 + 0.1 * random.random((9, n, m)), g=np.zeros((9, n, m)), cx=np.array([0, 1, 0, -1, 0, 1, -1, -1, 1]),
                cy=np.array([0, 0, 1, 0, -1, 1, 1, -1, -1]), w=np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36]), omega=0.6)


def corners(random, n):
    return np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]) + 0.2 * random.random((n, 4, 2))


def derivatives():
    points, signs = np.array([-1, 1]) / math.sqrt(3), [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    return np.array([[[sx * (1 + sy * y) / 4, sy * (1 + sx * x) / 4] for sx, sy in signs] for x in points for y in points])


def image(random, small, **others):
    n, m = (7, 12) if small else (1000, 1200)
    return dict(N=n, M=m, image=random.random((n, m)), **others, out=np.zeros((n, m)))


# Name: the arguments, from a source of random numbers and whether they are small.
INPUTS = {
    'blur': lambda r, small: image(r, small, weights=r.random((3, 3))),
    'sobel': lambda r, small: image(r, small, wx=r.random((3, 3)) - 0.5, wy=r.random((3, 3)) - 0.5),
    'dilate': image,
    'batched_lu': lambda r, small: dict(B=5 if small else 20000, A=matrices(r, 5 if small else 20000)),
    'batched_lu_arrays': lambda r, small: dict(B=5 if small else 20000, A=matrices(r, 5 if small else 20000)),
    'rotate': lambda r, small: (lambda n: dict(N=n, points=r.random((n, 3)), matrix=r.random((3, 3)), out=np.zeros((n, 3))))(9 if small else 400000),
    'forces': lambda r, small: (lambda n: dict(N=n, position=r.random((n, 3)), mass=r.random(n), force=np.zeros((n, 3))))(9 if small else 1500),
    'lattice': lattice,
    'convolve': lambda r, small: (lambda n: dict(N=n, image=r.random((n, n, 4)), weights=r.random((3, 3, 4, 8)),
                                                 out=np.zeros((n, n, 8))))(7 if small else 160),
    'diffuse': lambda r, small: (lambda n, m: dict(N=n, M=m, u=r.random((n, m)), v=np.zeros((n, m)), steps=3))(*((5, 8) if small else (400, 500))),
    'advect': lambda r, small: dict(N=11 if small else 40000, u=r.random(11 if small else 40000), v=np.zeros(11 if small else 40000), c=0.3,
                                    steps=4 if small else 100),
    'assemble': lambda r, small: (lambda n: dict(B=n, corners=corners(r, n), stiffness=np.zeros((n, 4, 4)), dn=derivatives()))(3 if small else 20000),
    'filter_fir': lambda r, small: (lambda n: dict(N=n, x=r.random(n), taps=r.random(16), y=np.zeros(n)))(40 if small else 1000000),
}


def inputs(name, small):
    return INPUTS[name](np.random.default_rng(1), small)


def graph(name):
    return os.path.join(HERE, name + '.sdfgt')


def build_hand(name, folder):
    kinds = {'f': 'double *__restrict ', 'i': 'const int64_t *__restrict '}
    values = inputs(name, True)
    parameters = [kinds[v.dtype.kind] + k if isinstance(v, np.ndarray) else f'{"double" if isinstance(v, float) else "int64_t"} {k}'
                  for k, v in values.items()]
    source = os.path.join(folder, 'hand.cpp')
    with open(os.path.join(HERE, name + '.cpp')) as body, open(source, 'w') as f:
        f.write(f'{applications.HEADERS}extern "C" void by_hand({", ".join(parameters)}) {{\n{body.read()}}}\n')
    programs.run(['g++', '-std=c++20', '-O3', '-march=native', '-ffp-contract=off', '-fno-math-errno', '-fopenmp', '-fPIC', '-shared', source, '-o',
                  os.path.join(folder, 'hand.so')])  # flags as for graphs


def hand_caller(folder, values):
    function = ctypes.CDLL(os.path.join(folder, 'hand.so')).by_hand
    given = [ctypes.c_void_p(v.ctypes.data) if isinstance(v, np.ndarray) else (ctypes.c_double if isinstance(v, float) else ctypes.c_int64)(v)
             for v in values.values()]
    return lambda: function(*given)


def child(name, folder, builds, rounds):
    """Prints the seconds of each build and of the loops by hand, which come last."""
    values = inputs(name, False)
    original = applications.copies(values)
    calls = [applications.graph_caller(os.path.join(folder, b, 'program'), values, True) for b in builds] + [hand_caller(folder, values)]
    results = []
    for call in calls:
        applications.restore(values, original)
        call()
        results.append(applications.copies(values))
    for found in results[:-1]:
        if wrong := applications.difference(name, found, results[-1]):
            sys.exit(wrong)
    clock = time.process_time if os.environ.get('OMP_NUM_THREADS') == '1' else time.perf_counter
    times = [[] for _ in calls]
    for k in range(rounds):
        for which in range(len(calls)):
            which = (which + k) % len(calls)
            applications.restore(values, original)
            start = clock()
            calls[which]()
            times[which].append(clock() - start)
    print(json.dumps([statistics.median(t) for t in times]))


def measure(name, compilers, threads, rounds):
    """The times per number of threads; `compilers` are pairs of a compiler and its options."""
    with tempfile.TemporaryDirectory() as folder:
        builds = [str(k) for k in range(len(compilers))]
        for b, (sdfgc, options) in zip(builds, compilers):
            programs.run([sdfgc, 'build', '-q', graph(name), '-o', os.path.join(folder, b, 'program'), *options])
        build_hand(name, folder)
        times = []
        for t in threads:
            environment = dict(os.environ, OMP_NUM_THREADS=t, OMP_WAIT_POLICY='passive', OMP_PROC_BIND='true')
            done = subprocess.run([sys.executable, __file__, '--child', name, folder, ','.join(builds), '--rounds', str(rounds)], env=environment,
                                  stdout=subprocess.PIPE, text=True)
            if done.returncode:
                sys.exit(done.returncode)
            times.append(json.loads(done.stdout))
        return times


def table(names, compilers, threads, rounds):
    heads = ['ms', 'other ms'][:len(compilers)] + ['by hand', 'ratio', 'other'][:len(compilers) + 1]
    print(f'{"":20}' + ''.join(f'{t + " threads":>{10 * len(heads)}}' for t in threads))
    print(f'{"program":20}' + ''.join(f'{h:>10}' for h in heads) * len(threads))
    ratios = []
    for name in names:
        times = measure(name, compilers, threads, rounds)
        row = [[t / one[-1] for t in one[:-1]] for one in times]
        ratios.append(sum(row, []))
        cells = ''.join(''.join(f'{1e3 * t:10.2f}' for t in one) + ''.join(f'{r:10.2f}' for r in rs) for one, rs in zip(times, row))
        print(f'{name:20}{cells}', flush=True)
    means = [math.exp(statistics.mean(map(math.log, column))) for column in zip(*ratios)]
    count, space = len(compilers), ' ' * 10 * (len(compilers) + 1)
    print(f'{"geometric mean":20}' + ''.join(space + ''.join(f'{m:10.2f}' for m in means[k:k + count]) for k in range(0, len(means), count)))


def check(sdfgc, names, options):
    failed = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            values = inputs(name, True)
            original = applications.copies(values)
            build_hand(name, folder)
            hand_caller(folder, values)()
            wanted, wrong = applications.copies(values), None
            for level in ('-O0',), options:
                below = tempfile.mkdtemp(dir=folder)
                out = applications.build_graph(sdfgc, graph(name), below, level)
                applications.restore(values, original)
                applications.graph_caller(out, values, True)()
                wrong = wrong or applications.difference(f'{name} {" ".join(level)}', applications.copies(values), wanted)
            applications.restore(values, original)
            wrong = wrong or applications.validate(sdfgc, graph(name), folder, values, options, True)
        failed += bool(wrong)
        print(f'{name}: {wrong or "agrees"}', flush=True)
    return 1 if failed else 0


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--sdfgc', default='build/bin/sdfgc')
    ap.add_argument('--threads', default='1,2')
    ap.add_argument('--only', default='')
    ap.add_argument('--rounds', type=int, default=15)
    ap.add_argument('--options', default='-O2', help='of sdfgc build')
    ap.add_argument('--other', help='other options of sdfgc build')
    ap.add_argument('--other-sdfgc')
    ap.add_argument('--check', action='store_true')
    ap.add_argument('--child', nargs=3, help=argparse.SUPPRESS)
    o = ap.parse_args()
    if o.child:
        return child(o.child[0], o.child[1], o.child[2].split(','), o.rounds)
    names = [name for name in INPUTS if re.search(o.only, name)]
    sdfgc, options = os.path.abspath(o.sdfgc), shlex.split(o.options)
    if o.check:
        return check(sdfgc, names, options)
    compilers = [(sdfgc, options)]
    if o.other is not None or o.other_sdfgc:
        compilers.append((os.path.abspath(o.other_sdfgc or sdfgc), options if o.other is None else shlex.split(o.other)))
    return table(names, compilers, o.threads.split(','), o.rounds)


if __name__ == '__main__':
    sys.exit(main())

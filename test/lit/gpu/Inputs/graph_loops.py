"""Calls six programs whose loops the device ends (graph_matrix.py says how).

    graph_loops.py GRAPHS STREAMS     in every way
    graph_loops.py GRAPHS looks       to count how often the host looks at what the device decides
    graph_loops.py GRAPHS many        one of them a thousand times
"""
import sys

import numpy as np

import graph_matrix
from graph_matrix import CALLS, Region


def converge(program):
    b, err = np.zeros(10), np.zeros(1)
    for _ in range(CALLS):
        a = np.linspace(0, 1, 10) ** 2
        program(A=a, B=b, err=err, tol=4e-3, most=200, N=10)
    assert 0 < err[0] <= 4e-3
    return [a, b, err]


def conjugate_gradient(program):
    n = 6
    m = np.random.default_rng(1).integers(0, 3, (n, n)).astype(float)
    a, b, x, rs = m @ m.T + n * np.eye(n), np.arange(n, dtype=float), np.zeros(n), np.zeros(1)
    for _ in range(CALLS):
        program(A=a, b=b, x=x, rs=rs, tol=1e-18, most=50, N=n)
    assert np.allclose(a @ x, b)
    return [x, rs]


def kmeans(program):
    points = np.array([i % 5 + 100.0 * (i % 3) for i in range(60)])
    labels, iterations = np.zeros(60, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for _ in range(CALLS):
        centres = np.array([0.0, 60.0, 140.0])
        program(X=points, C=centres, L=labels, iterations=iterations, most=50, N=60)
    assert sorted(centres) == [2.0, 102.0, 202.0] and 1 < iterations[0] < 50
    return [centres, labels, iterations]


def adapt(program):
    target, err, rejected = np.arange(40.0), np.zeros(1), np.zeros(1, dtype=np.int64)
    for _ in range(CALLS):
        x = np.zeros(40)
        program(x=x, target=target, err=err, rejected=rejected, tol=1e-6, most=200, N=40)
    assert err[0] <= 1e-6 and rejected[0] > 0 and np.allclose(x, target)
    return [x, err, rejected]


def until(program):
    a, r, last = np.zeros(16), np.zeros(1), np.zeros(1, dtype=np.int64)
    for _ in range(CALLS):
        a[:] = np.arange(16) + 5.0
        program(A=a, r=r, last=last, tol=0.2, N=16)
    assert r[0] <= 0.2 and last[0] > 2
    return [a, r, last]


def left_by_hand(a, tol, far, most):
    """What leave.sdfgt does, and how often it comes to which place."""
    counts = [0, 0, 0]
    for it in range(most + 1):
        if it == most:
            break
        a *= 0.75
        err = abs(a).max()
        if err < tol:
            break
        if err > far:
            counts[0] += 1
            continue
        counts[1] += it
        for j in range(5):
            a -= 0.001 * j
            if a[1] < 0.5:
                break
            counts[2] += 1
    counts[1] += 100 * it
    return err, counts


def leave(program):
    start = np.linspace(1, 60, 40)
    a, err, counts = start.copy(), np.zeros(1), np.zeros(3, dtype=np.int64)
    for most in (3, 50, 50):
        a[:] = start
        program(A=a, err=err, counts=counts, tol=0.2, far=20.0, most=most, N=40)
        expected = start.copy()
        last, passed = left_by_hand(expected, 0.2, 20.0, most)
        assert np.allclose(a, expected) and np.isclose(err[0], last) and list(counts) == passed, (counts, passed)
    assert 0 < counts[0] and 0 < counts[2] and err[0] < 0.2
    return [a, err, counts]


PROGRAMS = {
    'converge': (converge, {'graph_start': Region(nodes=9, iterations=23)}),
    'conjugate_gradient': (conjugate_gradient, {'graph_start': Region(nodes=13, iterations=6)}),
    'kmeans': (kmeans, {'graph_start': Region(nodes=10, iterations=3)}),
    'adapt': (adapt, {'graph_start': Region(nodes=15, iterations=19)}),
    'until': (until, {'graph_first': Region(nodes=14, iterations=12)}),
    'leave': (leave, {'graph_begin': Region(nodes=35, updates=2, iterations=44)}),  # `most` is an argument of two nodes
}


def looks():
    """How often a call brings device memory to the host: for three results; and on the host path for the flag of each loop, in front of it
    and after each iteration, and for those of branches."""
    flags = {
        'converge': 1 + 23,
        'kmeans': 1 + 3,
        'until': 1 + 3 * (1 + 1 + 3),  # a loop in a loop
        'adapt': 1 + 19 * (1 + 2),  # two branches
    }

    def count(name):
        copies = graph_matrix.library(sys.argv[1], name).sdfgc_emulation_copies_to_host
        with graph_matrix.load(sys.argv[1], name).Program() as program:
            PROGRAMS[name][0](program)
            return copies()

    for seed in graph_matrix.SEEDS:
        for device, (variables, with_loops, _) in graph_matrix.DEVICES.items():
            for name, expected in flags.items():
                found = graph_matrix.in_child({**variables, 'SDFGC_EMULATE_SEED': str(seed)}, lambda: count(name))
                assert found == CALLS * (3 + expected if with_loops else 3), (name, device, seed, found)
    print(*flags, '- the host has looked as often as it must')


def many():
    """A thousand calls that alternate arrays, scalars and two sizes: a graph for each size, changed where something is new."""
    program = graph_matrix.load(sys.argv[1], 'converge').Program()
    pairs = [[np.ones(n) for _ in range(2)] for n in (400, 400, 33)]  # kernels of two blocks, and of one
    err = np.zeros(1)
    for i in range(1000):
        a, b = pairs[i % 3]
        program(A=a, B=b, err=err, tol=0.5 + i % 2, most=2, N=len(a))
    info = program.gpu_graphs()[-1]
    print(f"{info['launches']} launches, {info['builds']} builds, {info['evictions']} evictions, {info['host_path']} on the host path")


{'many': many, 'looks': looks}.get(sys.argv[-1], lambda: graph_matrix.run(PROGRAMS))()

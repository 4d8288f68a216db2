"""Calls three programs with products of BLAS in their graphs (graph_matrix.py says how).

    graph_calls.py GRAPHS STREAMS     in every way
    graph_calls.py GRAPHS keys        what makes another graph
"""
import sys

import numpy as np

import graph_matrix
from graph_matrix import CALLS, Region


def dense(program):
    rng = np.random.default_rng(1)
    x, w, v = (rng.integers(-3, 4, shape).astype(float) for shape in ((20, 30), (30, 25), (25, 30)))
    arrays = {name: program.to_device(a) for name, a in dict(x=x, W=w, V=v, y=np.zeros((20, 30))).items()}
    for _ in range(CALLS):
        program(f=2.0, M=20, K=30, N=25, **arrays)
    result = arrays["y"].get()
    assert np.array_equal(result, np.maximum(2 * x @ w, 0) @ v + 2 * x)
    return [result]


def power(program):
    n = 20
    m = np.random.default_rng(1).integers(0, 3, (n, n)).astype(float)
    a, change = m @ m.T, np.zeros(1)
    for _ in range(CALLS):
        x = np.ones(n)
        program(A=a, x=x, change=change, tol=1e-10, most=200, N=n)
    assert 0 < change[0] <= 1e-10
    assert np.allclose(a @ x, np.linalg.eigvalsh(a)[-1] * x)
    return [x, change]


def algebra(program):
    n, rng = 20, np.random.default_rng(1)
    a, b, x, y, v = (rng.integers(-2, 3, shape).astype(float) for shape in ((n, n), (n, n), (4, n, n), (4, n, n), n))
    c, z, d = np.zeros((n, n)), np.zeros(n), np.zeros(1)
    for _ in range(CALLS):
        program(A=a, B=b, X=x, Y=y, x=v, C=c, z=z, d=d, N=n)
    u = 2 * a.T @ b.T + 3 * b
    assert np.array_equal(c, x[0] @ y[0] + x[3] @ y[3] + u) and np.array_equal(z, a @ u @ v) and d[0] == v @ u @ v
    return [c, z, d]


PROGRAMS = {
    'dense': (dense, {'graph_main': Region(nodes=5)}),
    'power': (power, {'graph_start': Region(nodes=10, iterations=10)}),
    'algebra': (algebra, {'graph_one': Region(nodes=8)}),
}


def keys():
    """What makes another graph: other addresses, sizes and factors of a call, nothing else."""
    program = graph_matrix.load(sys.argv[1], 'dense').Program()
    w, v = (program.to_device(np.ones(shape)) for shape in ((30, 25), (25, 30)))
    inputs = {n: program.to_device(np.ones((n, 30))) for n in (10, 20)}
    first, second, short = (program.to_device(np.zeros((n, 30))) for n in (20, 20, 10))

    def call(y, f):
        n = y.shape[0]
        program(x=inputs[n], W=w, V=v, y=y, f=f, M=n, K=30, N=25)
        info = program.gpu_graphs()[-1]
        assert np.array_equal(y.get(), np.full((n, 30), f * 30 * 25 + f))
        return f"{info['builds']} builds, {info['updates']} updates"

    print("first:", call(first, 2.0))
    print("again:", call(first, 2.0))
    print("argument of a kernel:", call(first, 3.0))
    print("array of a product:", call(second, 3.0))
    print("back:", call(first, 3.0))
    print("size:", call(short, 3.0))


keys() if sys.argv[2:] == ['keys'] else graph_matrix.run(PROGRAMS)

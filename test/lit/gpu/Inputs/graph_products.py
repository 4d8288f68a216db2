"""Calls the programs of graph-products.test, whose graphs have products of matrices between kernels, with other arrays, scalars and sizes,
in every way (graph_matrix.py): GRAPHS STREAMS. `one` keeps a single graph."""
import numpy as np

import graph_matrix
from graph_matrix import Region


def products(program, dtype):
    """Each line: M, K, N, f, alpha, which of two arrays x, W and y, and what it costs `double` and `single`. V, which lies on the host,
    has other values each time. All values are small integers, so that every order of a sum gives the same bits."""
    arrays, results, rng = {}, [], np.random.default_rng(1)
    for m, k, n, f, alpha, which in (
            (8, 5, 6, 2, 2, (0, 0, 0)),   # a build
            (8, 5, 6, 2, 2, (0, 0, 0)),
            (8, 5, 6, 3, 2, (0, 0, 0)),   # an update: a factor of a kernel
            (8, 5, 6, 3, 2, (1, 0, 0)),   # an update: what the first kernel reads
            (8, 5, 6, 3, 2, (1, 0, 1)),   # an update: what the last one writes
            (8, 5, 6, 3, 5, (1, 0, 1)),   # a build: a factor of a product
            (8, 5, 6, 3, 2, (1, 0, 1)),
            (8, 5, 6, 3, 2, (1, 1, 1)),   # a build: a matrix of a product
            (8, 5, 6, 2, 2, (1, 0, 0)),   # two updates
            (3, 5, 6, 2, 2, (0, 0, 0)),   # a build: sizes
            (8, 5, 6, 2, 2, (0, 0, 0)),   # an update
            (0, 5, 6, 2, 2, (0, 0, 0)),   # a build, with products without an element
            (8, 0, 6, 2, 2, (0, 0, 0)),   # a build, with sums without an element
            (40, 35, 30, 2, 2, (0, 0, 0)),  # a build: the buffers grow
            (8, 5, 6, 2, 2, (0, 0, 0)),   # a build: the first product works in other buffers
            (8, 5, 6, 3, 2, (0, 0, 0)),   # an update
    ):
        def array(name, number, shape):
            values = np.random.default_rng(number).integers(-2, 3, shape).astype(dtype)
            return values, arrays.setdefault((name, number, shape), program.to_device(values))

        (x, given), (w, factor), (_, found) = (array(*of) for of in zip('xWy', which, ((m, k), (k, n), (m, n))))
        v = rng.integers(-2, 3, (n, n)).astype(dtype)
        program(x=given, W=factor, V=v, y=found, f=f, alpha=alpha, M=m, K=k, N=n)
        h = f * x @ w
        expected = alpha * (h + 1) @ v + 3 * np.maximum(h, 0) - (h + 1)
        results.append(found.get())
        assert results[-1].dtype == dtype, results[-1].dtype
        assert np.array_equal(results[-1], expected), (m, k, n, f, alpha, which, results[-1], expected)
    return results


def double(program):
    return products(program, np.float64)


def single(program):
    return products(program, np.float32)


COUNTS = {'graph_scale': Region(nodes=6, launches=16, builds=8, updates=7)}
graph_matrix.run({
    'double': (double, COUNTS),
    'single': (single, COUNTS),
    'one': (double, {'graph_scale': Region(nodes=6, launches=16, builds=11, updates=4, evictions=10)}),
})

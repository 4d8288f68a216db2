"""Calls the programs of graph-rows.test, which copy rows and slices, with other places, arrays and sizes, in every way (graph_matrix.py):
GRAPHS STREAMS."""
import numpy as np

import graph_matrix
from graph_exports import Pinned
from graph_matrix import Region


def rows(program):
    """Each line: M, N, k, which of two arrays D, and what it costs."""
    rng, arrays, results = np.random.default_rng(1), {}, []
    for m, n, k, which in (
            (4, 6, 0, 0),  # a build
            (4, 6, 0, 0),
            (4, 6, 1, 0),  # a build: the first copy is of another place
            (4, 6, 0, 0),
            (4, 6, 0, 1),  # a build: the last copy is to another array
            (5, 9, 2, 0),  # a build: all of it is new, and the buffers grow
            (4, 6, 0, 0),  # a build: what the first ones use is gone
            (0, 6, 0, 0),  # nothing to do
            (1, 6, 0, 0),  # a build: single rows, of which those that are not aligned are copied by kernels
            (1, 6, 2, 0),  # an update: the first of them
            (1, 6, 2, 1),  # an update: the last one, which is a copy
            (1, 6, 1, 1),  # a build: the first row is aligned
            (1, 6, 1, 1),
    ):
        a = rng.integers(-9, 10, (m, n + 2)).astype(float)
        d = arrays.setdefault((m, n, which), program.to_device(np.full((m, n + 1), -1.0)))
        found = [np.zeros((m, n)), np.zeros(m)]
        program(A=a, B=found[0], column=found[1], D=d, M=m, N=n, k=k)
        window = a[:, k:k + n]
        found.append(d.get())
        expected = window + window[:, -1:], window[:, -1], np.hstack([2 * window, np.full((m, 1), -1.0)])
        for result, right in zip(found, expected):
            assert np.array_equal(result, right), (m, n, k, which, result, right)
        results += found
    return results


def slices(program):
    """Each line: M, N, f, which of two arrays P, Q, R, and what it costs."""
    memory, arrays, results, width = Pinned(program), {}, [], 7

    def pinned(*of):
        """The same array for the same name, number and shape."""
        if of not in arrays:
            arrays[of] = memory.array(of[-1])
        return arrays[of]

    rng = np.random.default_rng(1)
    for m, n, f, p, q, r in (
            (3, 5, 2.0, 0, 0, 0),  # a build
            (3, 5, 2.0, 0, 0, 0),
            (3, 5, 3.0, 0, 0, 0),  # an update: a kernel
            (3, 5, 3.0, 0, 0, 1),  # an update: a copy of a row
            (3, 5, 3.0, 1, 0, 1),  # a build: slices of another array
            (3, 5, 3.0, 0, 0, 1),
            (3, 5, 3.0, 0, 1, 1),  # a build: slices to another array
            (3, 1, 3.0, 0, 0, 0),  # a build: slices are narrower, and one kernel has nothing to do
            (1, 5, 3.0, 0, 0, 0),  # a build: slices of a row
            (0, 5, 3.0, 0, 0, 0),  # nothing to do
            (4, 5, 3.0, 0, 0, 0),  # a build: the buffers grow
            (4, 5, 2.0, 0, 0, 1),  # two updates
    ):
        given = pinned('P', p, (2, 2 * m, width)), pinned('Q', q, (3, 3 * m, width)), pinned('R', r, (2 * m,))
        given[0][:] = rng.integers(-9, 10, given[0].shape)
        given[1][:] = given[2][:] = -1
        program(**dict(zip('PQR', given)), M=m, N=n, L=width, f=f)
        s, expected = given[0][:, :m, 1:n + 1], np.full((3, 3 * m, width), -1.0)
        expected[1:, :m, 0], expected[1:, :m, 1:n] = f * s[:, :, -1], s[:, :, :-1]
        assert np.array_equal(given[1], expected) and np.array_equal(given[2], s[:, :, 0].ravel()), (m, n, f, p, q, r, *given)
        results += [given[1].copy(), given[2].copy()]
    memory.close()
    return results


graph_matrix.run({
    'rows': (rows, {'graph_window': Region(nodes=6, launches=12, builds=7, updates=2, empty=1)}),
    'slices': (slices, {'graph_in': Region(nodes=6, launches=11, builds=6, updates=4, empty=1)}),
})

"""Calls the program `together`, whose graph has kernels that fill the device, with other arrays, scalars and sizes, in every way
(graph_matrix.py): GRAPHS STREAMS."""
import numpy as np

import graph_matrix
from graph_matrix import Region


def by_hand(x, f, steps):
    a, b = f * x, x
    for _ in range(steps):
        b = a[::-1] + 1
        a = 2 * b
    d = (a + b)[::-1] + steps
    return d - d[::-1] + 3 * d


def together(program):
    """Each line: N, steps, f, which of two arrays A and B, and what it costs."""
    arrays, results = {}, []
    for n, steps, f, a, b in (
            (50, 3, 2.0, 0, 0),  # a build
            (50, 3, 2.0, 0, 0),
            (50, 3, 3.0, 0, 0),  # an update: the first kernel
            (50, 4, 3.0, 0, 0),  # two updates: those that fill the device
            (50, 4, 3.0, 1, 0),  # an update: the first
            (50, 4, 3.0, 1, 1),  # an update: the last
            (17, 4, 3.0, 0, 0),  # all five
            (0, 4, 3.0, 0, 0),   # a build of those that fill the device
            (0, 0, 3.0, 0, 0),   # two updates
            (700, 2, 2.0, 0, 0),  # all five: the buffers grow
            (700, 0, 2.0, 0, 0),  # two updates
            (50, 3, 2.0, 0, 0),  # all five
    ):
        x = np.arange(float(n)) - 7 * a
        given, found = (arrays.setdefault((name, n, which), program.to_device(start))
                        for name, which, start in (('A', a, x), ('B', b, np.zeros(n))))
        program(A=given, B=found, f=f, N=n, steps=steps)
        results.append(found.get())
        assert np.array_equal(results[-1], by_hand(x, f, steps)), (n, steps, f, a, b, results[-1])
    return results


COUNTS = {'graph_first': Region(nodes=5, launches=12, builds=2, updates=24)}
graph_matrix.run({'cuda': (together, COUNTS), 'hip': (together, COUNTS)})

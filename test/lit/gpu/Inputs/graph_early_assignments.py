"""Calls the program `moves` in every way (graph_matrix.py): GRAPHS STREAMS."""
import numpy as np

import graph_matrix
from graph_matrix import Region


def moves(program):
    """Another array in each call, and another size in the last one: all four kernels change."""
    results = []
    for n in (5, 5, 7):
        a = program.to_device(np.arange(float(n)))
        program(A=a, n=np.zeros(1, np.int64), N=n)
        assert np.array_equal(a.get(), np.arange(n) + 1), a.get()
        results.append(a.get())
    return results


graph_matrix.run({'moves': (moves, {'graph_first': Region(nodes=4, updates=2 * 4)})})

"""Calls the programs of graph-loop-elements.test in every way (graph_matrix.py): GRAPHS STREAMS."""
import numpy as np

import graph_matrix
from graph_matrix import Region


def two(program):
    """The tolerance ends the loop after seven iterations, the number of iterations after three and at once. Another array in each call, and
    another tolerance or number, are arguments of two nodes each."""
    results = []
    for most, tol in ((9, 0.01), (0, 0.01), (9, 2.0), (3, 0.01)):
        a = program.to_device(np.ones(4))
        program(A=a, N=4, M=most, tol=tol)
        times = min(7 if tol < 1 else 0, most)
        assert a.get().tolist() == [0.5 ** times] * 4, a.get()
        results.append(a.get())
    return results


def function(program):
    """A function in the loop is called in each iteration, one behind it once."""
    results = []
    for times in (3, 0, 5):
        a, left, last = np.arange(300.0), np.array([times]), np.ones(1)
        program(A=a, left=left, last=last, N=300)
        assert np.array_equal(a, np.arange(300) + times * (times + 1) / 2) and left[0] == 0 and last[0] == 1 + a[-1], (times, a, last)
        results += [a, last]
    return results


graph_matrix.run({
    'two': (two, {'graph_init': Region(nodes=8, launches=4, updates=3 * 4, iterations=3)}),
    'function': (function, {'graph_arm_loop': Region(nodes=8, iterations=5)}),
})

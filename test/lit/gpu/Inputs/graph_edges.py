"""Calls the program `halves` in every way (graph_matrix.py): GRAPHS STREAMS."""
import numpy as np

import graph_matrix
from graph_matrix import CALLS, Region


def halves(program):
    n, k = 8, 3
    c = np.arange(64.0).reshape(n, n)
    device = {name: program.to_device(x) for name, x in dict(A=np.zeros((n, n)), B=np.zeros(n), C=c).items()}
    for _ in range(CALLS):
        program(**device, N=n, k=k)
    a, b = device['A'].get(), device['B'].get()
    expected = c + np.where(np.arange(n) < k, 1, 2)[:, None]
    assert np.array_equal(b, expected[:, 0]), b
    expected[k:, 0] = c[k:, 0] + 3
    assert np.array_equal(a, expected), a
    return [a, b]


def chains(program):
    a, b = np.arange(300.0), np.arange(300.0)
    device = [program.to_device(x) for x in (a, b, np.zeros(300))]
    for _ in range(CALLS):
        a, b = (a + 1) * 3, (b + 2) * 4
        program(**dict(zip('ABC', device)), N=300)
    results = [array.get() for array in device]
    assert np.array_equal(results, [a, b, a + b])
    return results


graph_matrix.run({'halves': (halves, {'graph_first': Region(nodes=4)}), 'chains': (chains, {'graph_one': Region(nodes=5)})})

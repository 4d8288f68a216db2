"""Calls the program `flight`, which launches its graph K times and then waits, in every way (graph_matrix.py): GRAPHS STREAMS. `one` keeps
a single graph."""
import numpy as np

import graph_matrix
from graph_exports import Pinned
from graph_matrix import Region


def flight(program):
    """Each line: K, N, f, which of two arrays P and Q, and the updates of `eight`. Where nothing but the iteration is another one, both
    copies and the first kernel change, and in odd iterations the second kernel."""
    memory, arrays, results, rng = Pinned(program), {}, [], np.random.default_rng(1)
    for times, n, f, which in (
            (5, 300, 2.0, 0),  # 3 + 4 + 3, after two builds
            (5, 300, 2.0, 0),  # 3 + 4 + 3 + 4 + 3
            (1, 300, 2.0, 0),  # 3
            (1, 300, 2.0, 0),  # none
            (0, 300, 2.0, 0),
            (1, 300, 3.0, 0),  # 1: the first kernel
            (1, 300, 3.0, 1),  # 2: both copies
            (3, 17, 3.0, 0),   # 4 + 5 + 3: the size is another one
            (4, 900, 3.0, 1),  # 4 + 5 + 3 + 4: the buffers grow
    ):
        of = times, n, which
        p, q = arrays.get(of) or arrays.setdefault(of, [memory.array((times, n)) for _ in range(2)])
        p[:], q[:] = rng.integers(-9, 10, p.shape), -1
        program(P=p, Q=q, f=f, K=times, N=n)
        k = np.arange(times)[:, None]
        expected = np.cumsum((p * f + k) * np.where(k % 2, 10, 1), axis=0)
        assert np.array_equal(q, expected), (times, n, f, which, q, expected)
        results.append(q.copy())
    memory.close()
    return results


LAUNCHES = 5 + 5 + 1 + 1 + 1 + 1 + 3 + 4
graph_matrix.run({
    'eight': (flight, {'graph_in': Region(nodes=5, launches=LAUNCHES, builds=2, updates=10 + 17 + 3 + 1 + 2 + 12 + 16)}),
    # It changes a graph only where a call begins with the last one's: otherwise the next one is another.
    'one': (flight, {'graph_in': Region(nodes=5, launches=LAUNCHES, builds=5 + 4 + 2 + 3, evictions=4 + 4 + 2 + 3,
                                        updates=3 + 3 + 1 + 2 + 4 + 4)}),
})

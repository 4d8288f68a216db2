"""Calls the program `regions`, once with many streams and once with one, with other factors and arrays, sets it up again, and does the
same: in every way (graph_matrix.py). GRAPHS STREAMS."""
import numpy as np

import graph_matrix
from graph_matrix import Region

N = 300


def expected(first, second, last):
    b = (5 + np.arange(N)) * first
    c = np.append(b[1:] - 1, last)  # which no kernel writes
    c[0] = 2
    return [np.full(N, 2.0 * second), b * b + second, c]


def turn(program):
    arrays = [program.to_device(x) for x in (np.ones(N), np.zeros(N), np.zeros(N))]
    results = []
    for first, second, names, last in ((2, 7, 'ABC', 0), (2, 7, 'ABC', 0), (3, 7, 'ABC', 0), (3, 7, 'CBA', 14), (3, 7, 'ABC', 14)):
        results.append(np.zeros((3, N)))
        program(**dict(zip(names, arrays)), result=results[-1], h=np.array([first, second]), N=N)
        assert np.array_equal(results[-1], expected(first, second, last))
    return results


def regions(program):
    results = turn(program)
    counters = program.gpu_graphs()
    program.close()
    program.initialize(N=N)
    results += turn(program)
    assert program.gpu_graphs() == counters  # they began anew
    return results


# Another factor is an argument of one kernel of the second region; where A and C change places, and back, each kernel that uses one of
# them changes.
COUNTS = {
    'graph_one': Region(nodes=2, launches=5, updates=2 * 2),
    'graph_three': Region(nodes=4, launches=5, updates=1 + 2 * 3),
    'graph_seven': Region(nodes=3, launches=5, updates=2 * 2),
}
graph_matrix.run({'many': (regions, COUNTS), 'one': (regions, COUNTS)})

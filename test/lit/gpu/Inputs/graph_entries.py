"""Calls the program `sized` with arrays of which some are empty, in every way (graph_matrix.py): GRAPHS STREAMS. `eight` keeps as many
graphs as usual, `one` a single one."""
import numpy as np

import graph_matrix
from graph_matrix import Region


def call_with(program, which):
    """Calls with the arrays whose bits are set, and tells what they are in the end."""
    full, none = [program.to_device(np.ones(10)) for _ in range(4)], program.to_device(np.ones(0))
    for bits in which:
        chosen = [full[k] if bits >> k & 1 else none for k in range(4)]
        program(**dict(zip('ABCD', chosen)), **dict(zip('NMKL', (len(array.get()) for array in chosen))))
    results = [array.get() for array in full]
    for k, result in enumerate(results):
        assert (result == 1 + (k + 1) * sum(bits >> k & 1 for bits in which)).all(), (k, result)
    return results


def nine(program):
    """Nine lists of nodes; the first one has made room for the ninth, and takes the second one's place; the ninth is still there."""
    return call_with(program, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 9])


def two(program):
    return call_with(program, [15, 13] * 3)


graph_matrix.run({
    'eight': (nine, {'graph_all': Region(nodes=2, launches=11, builds=10, evictions=2)}),
    'one': (two, {'graph_all': Region(nodes=3, launches=6, builds=6, evictions=5)}),
})

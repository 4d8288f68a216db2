"""Calls the programs of graph-loop-forms.test in every way (graph_matrix.py), and compares with what the loops compute.

    graph_loop_forms.py GRAPHS STREAMS
    graph_loop_forms.py GRAPHS long        ten thousand iterations, in a graph
"""
import sys

import numpy as np

import graph_matrix
from graph_matrix import Region


def forms_with(program, n):
    """Five loops one after the other: n, 3, 4, 7 (20, 17, ..., 2) and 5 (9, 4.5, ..., 0.5625) iterations."""
    a, left, more = np.arange(5.0), np.array([n, 20]), np.array([n > 0])
    few, items, size = np.array([3], np.int8), np.array([0, 0, 0, -4], np.int32), np.array([9.0])
    program(A=a, left=left, more=more, few=few, list=items, size=size, N=5)
    assert np.array_equal(a, np.arange(5.0) + n + 30 + 400 + 7000 + 50000), a
    assert left.tolist() == [0, -1] and few[0] == 0 and items[3] == 0 and not more[0]
    return [a, left, more, few, items, size]


def forms(program):
    return [array for n in (0, 1, 50) for array in forms_with(program, n)]


def nest_with(program, n, k):
    """Three loops in each other, where n is above 1; and one that counts up while its end comes down."""
    a, bounds, end = np.zeros(3), np.array([n, 0, 0]), np.array([k])
    program(A=a, n=bounds, K=end, N=3)
    inner = sum(b for i in range(1, n + 1) for b in range(1, i + 1)) if n > 1 else 0
    i = total = 0
    while i < k:
        total, k, i = total + i, k - 1, i + 2
    assert a.tolist() == [inner + 1000 * total] * 3, (a, inner, total)
    assert end[0] == k
    return [a, bounds, end]


def nest(program):
    return [array for n, k in ((1, 9), (3, 0), (4, 9)) for array in nest_with(program, n, k)]


def parts_with(program, n, rows):
    """A flag in a view; a copy of row k from and to; a check; a body without kernels of its own but the counter's."""
    memory = np.arange(48.0).reshape(8, 6)
    a, flags, end = np.zeros(6), np.array([5, 6, n, 8]), np.array([rows])
    only, checked = np.array([n]), np.array([9.0])
    expected, k = memory.copy(), 0
    while k < rows:
        expected[k + 1] = expected[k] + 10
        rows, k = rows - 1, k + 1
    program(A=a, rows=memory, flags=flags, K=end, only=only, checked=checked, N=6)
    assert np.array_equal(memory, expected), memory
    assert np.array_equal(a, (expected[k] if k else n) / np.full(6, 16)), a
    assert flags.tolist() == [5, 6, 0, 8] and only[0] == 0 and end[0] == rows and checked[0] == 9 / 16
    return [a, memory, flags, end, only, checked]


def parts(program):
    return [array for n, rows in ((0, 0), (3, 7)) for array in parts_with(program, n, rows)]


def long():
    program = graph_matrix.load(sys.argv[1], 'forms').Program()
    forms_with(program, 10000)
    print(*(f"{info['launches']} launch, {info['iterations_last']} iterations" for info in program.gpu_graphs()))


PROGRAMS = {
    'forms': (forms, {'graph_arm_loop': Region(nodes=36, iterations=50 + 3 + 4 + 7 + 5)}),
    # The first one stands in a branch of the host, which one of three calls does not take.
    'nest': (nest, {
        'graph_arm_loop_1': Region(nodes=21, launches=2, iterations=4 + 10 + 20),
        'graph_arm_loop_2': Region(nodes=7, iterations=3),
    }),
    'parts': (parts, {'graph_arm_loop': Region(nodes=27, launches=2, iterations=3 + 4 + 4 + 3)}),
}
long() if sys.argv[2:] == ['long'] else graph_matrix.run(PROGRAMS)

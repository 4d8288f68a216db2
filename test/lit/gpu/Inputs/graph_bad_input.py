"""Calls what is left of graph-bad-input.test, programs whose graphs are not as asked for, and many loops in each other, in every way
(graph_matrix.py): GRAPHS STREAMS."""
import numpy as np

import graph_matrix
from graph_matrix import CALLS, Region

DEPTH = 40


def host(program):
    """The host's own flag is looked at by the host."""
    a = program.to_device(np.zeros(5))
    for _ in range(CALLS):
        program(A=a, f=np.array([4, 0]), N=5)
    assert (a.get() == 4 * CALLS).all()
    return [a.get()]


def moved(program):
    """The variable goes on by f[1] inside of the loop, by 1 at its end, while the end comes down."""
    for step, times in ((0, 5), (2, 3), (3, 2)):
        a, f = np.zeros(5), np.array([9, step])
        program(A=a, f=f, N=5)
        assert (a == times).all() and f[0] == 9 - times, (step, a, f)
    return [a, f]


def inner(program):
    a = program.to_device(np.ones(5))
    expected = 1.0
    for _ in range(CALLS):
        program(A=a, N=5)
        expected += 1
        for _ in range(10):
            expected = ((expected + 1) * 2 - 1) * 0.5
    assert (a.get() == expected).all()
    return [a.get()]


def deep(program):
    """Each loop has a flag that counts down to 0, and stays 0: the innermost runs only while all around are in their first iteration."""
    for start in (1, 3, 2):
        a, f = np.zeros(5), np.full(DEPTH, start)
        program(A=a, f=f, N=5)
        assert (a == start).all() and not f.any(), (a, f)
    return [a, f]


graph_matrix.run({
    'host': (host, {}),
    'moved': (moved, {'graph_arm_loop': Region(nodes=7, iterations=2)}),
    'inner': (inner, {'graph_a': Region(nodes=4, launches=CALLS * 10)}),
    'deep': (deep, {'graph_arm_loop_0': Region(nodes=6 * DEPTH + 1, iterations=2 * DEPTH)}),
})

"""Calls programs that have nothing to launch in every way (graph_matrix.py): they have no graphs, and compute the same. GRAPHS STREAMS."""
import numpy as np

import graph_matrix
from graph_matrix import CALLS, structure


def host(program):
    for _ in range(CALLS):
        a, b = np.array([5.0, 0, 0, 0]), np.zeros(4)
        program(a=a, b=b)
        assert a.tolist() == [0.625, 1.25, 0, 0] and b.tolist() == [0.625, 0, 0, 0], (a, b)
    return [a, b]


def copies(program):
    a, b = program.to_device(np.arange(9.0)), program.to_device(np.zeros(9))
    for _ in range(CALLS):
        program(A=a, B=b, N=9)
    assert np.array_equal(b.get(), np.arange(9.0))
    return [b.get()]


def members(program):
    a = np.zeros(5)
    for times in (3, 0, 2):
        flags = structure(program, 'S')(go=times, y=7)
        program(A=a, s=flags, N=5)
        assert flags.go == 0 and flags.y == 7
    assert a.tolist() == [5] * 5, a
    return [a]


graph_matrix.run({'host': (host, {}), 'copies': (copies, {}), 'members': (members, {})})

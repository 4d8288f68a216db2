"""Calls the program `persistent`, whose kernel is a node of a graph, in every way (graph_matrix.py): GRAPHS STREAMS."""
import numpy as np

import graph_matrix
from graph_matrix import CALLS, Region


def persistent(program):
    for _ in range(CALLS):
        a, s, t = np.arange(5.0), np.zeros(5), np.zeros((8, 5))
        program(A=a, S=s, T=t, N=5, steps=3)
        assert a.tolist() == [2.5, 1.625, 2, 2.375, 1.5] and s.tolist() == [126, 101.5, 112, 122.5, 98], (a, s)
        assert np.array_equal(t, a + np.arange(8.0)[:, None]), t
    return [a, s, t]


graph_matrix.run({'cuda': (persistent, {'graph_main': Region(nodes=1)}), 'hip': (persistent, {'graph_main': Region(nodes=1)})})

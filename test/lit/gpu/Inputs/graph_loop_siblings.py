"""Calls the program `siblings` in every way (graph_matrix.py), and on the CPU: GRAPHS STREAMS CPU."""
import numpy as np

import graph_matrix
from graph_matrix import CALLS, Region


def siblings(program):
    for call in range(CALLS):
        a, left, right, n, counts = np.arange(300.0), np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([6]), np.zeros(3, np.int64)
        program(A=a, left=left, right=right, n=n, counts=counts, N=300)
    assert counts.tolist() == [12, 14, 6]
    return [a, left, right, n, counts]


graph_matrix.run({'siblings': (siblings, {'graph_arm_outer': Region(nodes=25, iterations=12 + 14 + 6)})})

"""Calls the program `kinds` with its flags in other places, and `callers`, whose flags lie in device memory of the caller, with flags in
turn: in every way (graph_matrix.py), and on the CPU.

    graph_loop_kinds.py GRAPHS STREAMS CPU
"""
import numpy as np

import graph_matrix
from graph_matrix import Region


def kinds_by_hand(again, stop):
    """What the program is to compute: element 1 of A, and what it writes to the rest."""
    a = 0
    while True:
        a, again = a + 1, again - 1
        if again <= 0:
            break
    i = 20
    while i > stop:
        a, stop, i = a + 100 * i, stop + 1, i - 3
    j = 0
    while stop > j * j:
        j += 1
    p, q, left = 0, 0, 7
    while p < q + left:
        q = p
        while q < p + 2:
            a, left, q = a + 1e6, left - 1, q + 1
        p += 1
    return a, again, stop, j


def kinds(program):
    results = []
    for (again, stop), once, then in (((0, 30), 1, [-1, 30, 6]), ((1, 0), 1, [0, 5, 3]), ((5, 3), 5, [0, 8, 3]), ((0, 30), 1, [-1, 30, 6])):
        a, result = np.zeros(5), np.zeros(3, np.int64)
        program(A=a, again=np.array([again]), stop=np.array([stop]), left=np.array([7]), result=result, N=5)
        expected = kinds_by_hand(again, stop)
        assert a.tolist() == [expected[0]] * 5 and result.tolist() == list(expected[1:]), (a, result, expected)
        assert expected[0] % 100 == once and list(expected[1:]) == then, expected
        results += [a, result]
    return results


def orders_by_hand(first, second):
    """Both run once at least; the second tests before its variable goes on, which it does only if there is another time."""
    a = i = j = 0
    while True:
        a, first, i = a + i, first - 1, i + 2
        if i >= first:
            break
    while True:
        a, second = a + 100 * j, second - 1
        if j >= second:
            return a, i, j
        j += 2


def orders(program):
    results = []
    for (first, second), then in (((0, 0), (2, 0)), ((9, 9), (6, 6)), ((2, 12), (2, 8))):
        a, result = np.zeros(5), np.zeros(2, np.int64)
        program(A=a, stop=np.array([first, second]), result=result, N=5)
        expected, *last = orders_by_hand(first, second)
        assert a.tolist() == [expected] * 5 and result.tolist() == last == list(then), (a, result, expected, last)
        results += [a, result]
    return results


def callers(program):
    a = program.to_device(np.zeros(5))
    flags = [program.to_device(np.array([n])) for n in (2, 3)]
    for i in range(6):
        program(A=a, flag=flags[i % 2], N=5)
        assert flags[i % 2].get().tolist() == [0]
        flags[i % 2] = program.to_device(np.array([i]))
    assert a.get().tolist() == [2 + 3 + 0 + 1 + 2 + 3] * 5
    return [a.get()]


KINDS = {
    'graph_arm_once': Region(nodes=14, launches=4, iterations=1),
    'graph_arm_nothing': Region(nodes=5, launches=4, iterations=6),
    'graph_arm_outer': Region(nodes=12, launches=4, iterations=4 + 8),
    'graph_end': Region(nodes=3, launches=4, updates=2),  # result[2] is 6, 3, 3 and 6
}
ORDERS = {  # values of i and j behind the loops stay on the device
    'graph_arm_before': Region(nodes=7, iterations=1),
    'graph_between': Region(nodes=8, iterations=5),
    'graph_behind': Region(nodes=1),
}
CALLERS = {'graph_arm_loop': Region(nodes=7, launches=6, updates=5 * 3, iterations=3)}
graph_matrix.run({'kinds': (kinds, KINDS), 'orders': (orders, ORDERS)}, {'callers': (callers, CALLERS)})

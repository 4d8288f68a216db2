"""Calls the program `kinds` with its flags in other places, and `callers` with flags in turn, and prints how often the first one's loops
ran and what the graphs count."""
import sys

import numpy as np


def kinds(again, stop):
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


def call_kinds():
    import kinds as module
    program = module.Program()
    for again, stop in ((0, 30), (1, 0), (5, 3), (0, 30)):
        a, result = np.zeros(5), np.zeros(3, np.int64)
        program(A=a, again=np.array([again]), stop=np.array([stop]), left=np.array([7]), result=result, N=5)
        expected = kinds(again, stop)
        assert a.tolist() == [expected[0]] * 5 and result.tolist() == list(expected[1:]), (a, result, expected)
        print(expected[0] % 100, 'times, then', result.tolist())
    return program


def call_callers():
    import callers as module
    program = module.Program()
    a = program.to_device(np.zeros(5))
    flags = [program.to_device(np.array([n])) for n in (2, 3)]
    for i in range(6):
        program(A=a, flag=flags[i % 2], N=5)
        assert flags[i % 2].get().tolist() == [0]
        flags[i % 2] = program.to_device(np.array([i]))
    assert a.get().tolist() == [2 + 3 + 0 + 1 + 2 + 3] * 5
    return program


program = {'kinds': call_kinds, 'callers': call_callers}[sys.argv[1]]()
for info in program.gpu_graphs():
    print(*(f"{name} {info[name]}" for name in ('entries', 'builds', 'launches', 'host_path')), sep=', ')

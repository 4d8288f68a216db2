"""Calls the gradient of x = sin(x) * a, T times or until x[0] is small, compares it with derivatives by hand, and prints what its graphs
count."""
import importlib
import sys

import numpy as np

N, T, CALLS = 50, 6, 3


def by_hand(x, a, seed, goes_on):
    tape = [x]
    while goes_on(tape):
        tape.append(np.sin(tape[-1]) * a)
    gradient_a = np.zeros(N)
    for before in reversed(tape[:-1]):
        gradient_a += seed * np.sin(before)
        seed = seed * a * np.cos(before)
    return len(tape) - 1, (tape[-1], seed, gradient_a)


name = sys.argv[1]
program = importlib.import_module(name).Program()
for call in range(CALLS):
    x, a = np.linspace(0.5, 1, N), np.linspace(0.25, 1.5, N) + call / 4
    goes_on = (lambda tape: len(tape) <= T) if name == 'power' else (lambda tape: len(tape) == 1 or tape[-1][0] > 0.01)
    times, expected = by_hand(x, a, np.ones(N), goes_on)
    gradient_x, gradient_a = np.ones(N), np.zeros(N)
    program(x=x, a=a, gradient_x=gradient_x, gradient_a=gradient_a, N=N, **({'T': T} if name == 'power' else {}))
    for result, right in zip((x, gradient_x, gradient_a), expected):
        assert np.allclose(result, right, rtol=1e-12), (call, result, right)
    print('iterations', times)
for info in program.gpu_graphs():
    print(*(f"{name} {info[name]}" for name in ('name', 'nodes_last', 'builds', 'launches', 'host_path')), sep=', ')

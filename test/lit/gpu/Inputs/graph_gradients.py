"""Calls gradients of x = sin(x) * a, T times or until x[0] is small, in every way (graph_matrix.py), and compares them with derivatives
by hand: GRAPHS STREAMS. `host` and `device`: who counts the T times."""
import numpy as np

import graph_matrix
from graph_matrix import CALLS, Region

N, T = 50, 6


def by_hand(x, a, seed, goes_on):
    tape = [x]
    while goes_on(tape):
        tape.append(np.sin(tape[-1]) * a)
    gradient_a = np.zeros(N)
    for before in reversed(tape[:-1]):
        gradient_a += seed * np.sin(before)
        seed = seed * a * np.cos(before)
    return len(tape) - 1, (tape[-1], seed, gradient_a)


def gradients(program, goes_on, iterations, **more):
    results = []
    for call in range(CALLS):
        x, a = np.linspace(0.5, 1, N), np.linspace(0.25, 1.5, N) + call / 4
        times, expected = by_hand(x, a, np.ones(N), goes_on)
        assert times == iterations[call], times
        found = [x, np.ones(N), np.zeros(N)]
        program(x=x, a=a, gradient_x=found[1], gradient_a=found[2], N=N, **more)
        for result, right in zip(found, expected):
            assert np.allclose(result, right, rtol=1e-12), (call, result, right)
        results += found
    return results


def power(program):
    return gradients(program, lambda tape: len(tape) <= T, [T] * CALLS, T=T)


def settle(program):
    return gradients(program, lambda tape: len(tape) == 1 or tape[-1][0] > 0.01, [3, 6, 14])


# In each iteration; its place on the tape is another one than before.
IN_LOOP = Region(nodes=1, launches=CALLS * T, updates=CALLS * T - 1)
graph_matrix.run({
    'host': (power, {'graph_step': IN_LOOP, 'graph_step_reversed': IN_LOOP}),
    'device': (power, {'graph_arm_steps': Region(nodes=6, iterations=T), 'graph_arm_steps_reversed': Region(nodes=6, iterations=T)}),
    'settle': (settle, {'graph_arm_steps': Region(nodes=7, iterations=14)}),
})

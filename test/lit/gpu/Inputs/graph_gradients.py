"""Calls the gradient of x = sin(x) * a, T times, compares it with derivatives by hand, and prints what its graphs count."""
import numpy as np
import power

N, T, CALLS = 50, 6, 3


def by_hand(x, a, seed):
    tape = [x]
    for _ in range(T):
        tape.append(np.sin(tape[-1]) * a)
    gradient_a = np.zeros(N)
    for before in reversed(tape[:-1]):
        gradient_a += seed * np.sin(before)
        seed = seed * a * np.cos(before)
    return tape[-1], seed, gradient_a


program = power.Program()
for call in range(CALLS):
    x, a = np.linspace(0.5, 1, N), np.linspace(1, 1.5, N) + call
    expected = by_hand(x, a, np.ones(N))
    gradient_x, gradient_a = np.ones(N), np.zeros(N)
    program(x=x, a=a, gradient_x=gradient_x, gradient_a=gradient_a, N=N, T=T)
    for result, right in zip((x, gradient_x, gradient_a), expected):
        assert np.allclose(result, right, rtol=1e-12), (call, result, right)
for info in program.gpu_graphs():
    print(*(f"{name} {info[name]}" for name in ('name', 'nodes_last', 'builds', 'launches', 'host_path')), sep=', ')

"""Calls gradients of loops that run as often as device memory says, which kernels change behind them, in them, and between forward and
reversed loops, in every way (graph_matrix.py), and compares them with derivatives by hand: GRAPHS STREAMS. `behind`: loops of the host;
`rows`: of each thread of a kernel, in one branch."""
import numpy as np

import graph_matrix
from graph_matrix import Region

N, T = 50, 4


def check(program, by_hand, steps, **more):
    """`steps`: what happened to each element, first to last: `by_hand` gives its new value and two derivatives."""
    x, a, seed = np.linspace(-1, 1.2, N), np.linspace(0.25, 1.5, N), np.linspace(1, 2, N)
    found = x.copy(), seed.copy(), np.zeros(N)
    program(x=found[0], a=a, gradient_x=found[1], gradient_a=found[2], N=N, **more)
    right = x.copy(), seed.copy(), np.zeros(N)
    for i in range(N):
        tape = []
        for kind in steps(i, x[i], a[i]):
            right[0][i], *derivatives = by_hand(kind, right[0][i], a[i])
            tape.append(derivatives)
        for by_x, by_a in reversed(tape):
            right[2][i] += right[1][i] * by_a
            right[1][i] *= by_x
    for one, other in zip(found, right):
        assert np.allclose(one, other, rtol=1e-11, atol=1e-13), (one, other)
    return [*found, *more.values()]


def step(kind, x, a):
    return {'sine': (np.sin(x) * a, np.cos(x) * a, np.sin(x)),
            'cosine': (np.cos(x * a), -np.sin(x * a) * a, -np.sin(x * a) * x),
            'far': (1.5 * np.cos(x * a), -1.5 * np.sin(x * a) * a, -1.5 * np.sin(x * a) * x)}[kind]


def behind(program):
    """K is the sum of n, for the first loop; four times that, and one less after each iteration, for the second one, whose variable
    counts by 2; and a million afterwards."""
    results = []
    for n in ([1, 2, 0, 1], [0, 0, 0, 0], [2, 0, 0, 0]):
        bound, again = 4 * sum(n), 0
        while 2 * again < bound - again:
            again += 1
        results += check(program, step, lambda *_: ['sine'] * sum(n) + ['cosine'] * again, n=np.array(n))
    return results


def rows(program):
    """What a thread does depends on its value: K[i] times something, or something else; K[i] is another number each time."""
    results = []
    for times in (T, 0, 1):
        kinds = set()

        def steps(i, x, a):
            k = i % 4
            for _ in range(times):
                for kind in ['sine'] * k if x > 0.5 else ['far']:
                    kinds.add(kind)
                    yield kind
                    x = step(kind, x, a)[0]
                k = (3 * k + 1) % 5
        results += check(program, step, steps, K=np.arange(N) % 4, T=times)[:-1]
        assert times == 0 or len(kinds) == 2
    return results


graph_matrix.run({
    'behind': (behind, {
        'graph_clear': Region(nodes=2), 'graph_begin': Region(nodes=1), 'graph_arm_steps': Region(nodes=7, iterations=2),
        'graph_change': Region(nodes=1), 'graph_begin_1': Region(nodes=2), 'graph_arm_again': Region(nodes=8, iterations=3),
        'graph_note_iteration_3': Region(nodes=1, launches=9)}),
    'rows': (rows, {'graph_step': Region(nodes=1, launches=T + 1, updates=4),
                    'graph_step_reversed': Region(nodes=1, launches=T + 1, updates=3)}),
})

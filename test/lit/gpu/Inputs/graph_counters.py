"""Calls the program `steps` with arrays, factors and sizes that change.

    graph_counters.py GRAPHS STREAMS     in every way (graph_matrix.py)
    graph_counters.py GRAPHS often       a thousand times each, and prints what its graph says
"""
import sys

import numpy as np

import graph_matrix
from graph_matrix import Region

N = 300


def steps(program):
    """Nothing to do, at first and at last; another array D, used by two nodes, and back; another factor, used by one; a larger and a
    smaller size, for which all four change. The buffers grow with the larger one."""
    some, others = ({n: program.to_device(np.ones(n)) for n in (0, 250, N, 900)} for _ in range(2))
    results = []
    for n, d, f in ((0, some, 2), (N, some, 2), (N, some, 2), (N, others, 2), (N, some, 2), (N, some, 5),
                    (250, some, 5), (900, some, 5), (250, some, 5), (0, some, 5)):
        a = np.arange(float(n))
        expected = 2 * a + a * a + 2 * f
        program(A=a, D=d[n], N=n, f=f)
        assert np.array_equal(a, expected) and np.array_equal(d[n].get(), expected), (n, f)
        results.append(a)
    return results


def changes(program, calls):
    """Updates in each of the calls after the first one."""
    calls(0)
    before = program.gpu_graphs()[0]['updates']
    for i in range(1, 1000):
        calls(i)
    info = program.gpu_graphs()[0]
    return f"{info['builds']} builds, {(info['updates'] - before) // 999} updates in each of 999 calls"


def often():
    program = graph_matrix.load(sys.argv[1], 'steps').Program()
    (a, d), (b, e), short = ((np.ones(n), program.to_device(np.ones(n))) for n in (N, N, 250))
    for _ in range(1000):
        program(A=a, D=d, N=N, f=2.0)
    info = program.gpu_graphs()[0]
    print(f"{info['name']}: {info['builds']} builds, {info['launches']} launches, {info['updates']} updates, {info['nodes_last']} nodes")
    print('alternating arrays:', changes(program, lambda i: program(A=a, D=(d, e)[i % 2], N=N, f=2.0)))
    print('alternating factors:', changes(program, lambda i: program(A=a, D=d, N=N, f=float(i % 2))))
    sizes = (a, d, N), (*short, 250)
    print('alternating sizes:', changes(program, lambda i: program(**dict(zip('ADN', sizes[i % 2])), f=2.0)))

    made = graph_matrix.library(sys.argv[1], 'steps').sdfgc_emulation_resources

    def mixed(i):
        """Arrays, factors and sizes change, each at its own pace."""
        host, device, n = ((a, d, N), (b, e, N), (*short, 250))[i % 3]
        program(A=host, D=device, N=n, f=float(i // 2 % 2))

    for i in range(12):
        mixed(i)
    before, resources = program.gpu_graphs()[0], made()
    for i in range(1000):
        mixed(i)
    info = program.gpu_graphs()[0]
    print(f"all three in 1000 calls: {info['builds'] - before['builds']} builds, {info['updates'] - before['updates']} updates, "
          f"{made() - resources} resources made")


PROGRAMS = {'steps': (steps, {'graph_copy_in_1': Region(nodes=0, launches=8, updates=17, empty=2)})}
often() if sys.argv[2:] == ['often'] else graph_matrix.run(PROGRAMS)

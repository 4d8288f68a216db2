"""Calls the program `regions` with other factors in each call, prints the counters of its graphs, and starts again."""
import numpy as np
import regions

N = 300


def expected(first, second):
    b = (5 + np.arange(N)) * first
    c = np.append(b[1:] - 1, 0.0)
    c[0] = 2
    return [np.full(N, 2.0 * second), b * b + second, c]


def call(program, arrays, first, second):
    result = np.zeros((3, N))
    program(**dict(zip('ABC', arrays)), result=result, h=np.array([first, second]), N=N)
    assert np.array_equal(result, expected(first, second)), result


def counters(program):
    names = ('nodes_last', 'builds', 'launches', 'updates', 'host_path')
    return '; '.join(' '.join(str(info[name]) for name in names) for info in program.gpu_graphs())


program = regions.Program()
for turn in range(2):
    arrays = [program.to_device(x) for x in (np.ones(N), np.zeros(N), np.zeros(N))]
    for i in range(3):
        call(program, arrays, i // 2 + 2, 7)
    print(counters(program))
    program.close()
    program.initialize(N=N)

"""Calls the program `siblings` three times, writes what it computes to a file, and prints how often each loop ran and what its graphs count."""
import sys

import numpy as np
import siblings

program = siblings.Program()
for call in range(3):
    a, left, right, n, counts = np.arange(300.0), np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([6]), np.zeros(3, np.int64)
    program(A=a, left=left, right=right, n=n, counts=counts, N=300)
with open(sys.argv[1], 'wb') as f:
    for array in (a, left, right, n, counts):
        f.write(array.tobytes())
print('iterations', *counts)
for info in program.gpu_graphs():
    print(*(f"{name} {info[name]}" for name in ('name', 'nodes_last', 'builds', 'launches', 'updates', 'iterations_last', 'host_path')), sep=', ')
    print(info['last_reason'] or 'no host path')

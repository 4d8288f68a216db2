"""Calls the programs of tile-time.test on the host and on emulated devices, with arrays of many sizes and many steps."""
import importlib.util
import os
import sys

import numpy as np


def load(folder, name):
    spec = importlib.util.spec_from_file_location('_'.join(folder.split(os.sep)[-2:]).replace('.', '_'), os.path.join(folder, 'python', name + '.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Program()


name, rank = sys.argv[1], int(sys.argv[2])
host, usual, tiny = [load(folder, name) for folder in sys.argv[3:]]
random = np.random.default_rng(1)
small, large = ([*range(4, 71)], [4, 70, 150, 800]) if rank == 1 else ([4, 5, 6, 8, 9, 12, 15, 16, 17, 24, 31, 33, 50], [5, 24, 25, 57, 70])
calls = 0


def compare(device, n, steps):
    global calls
    shape = (n,) * rank
    arrays = {a: random.uniform(-1, 1, shape) for a in 'AB'}
    if rank == 1:
        arrays.update({a: random.uniform(-1, 1, n) for a in 'DE'}, C=random.uniform(-1, 1, n).astype(np.float32),
                      F=random.uniform(-1, 1, steps + 1), G=random.integers(-3, 3, n, dtype=np.int32))
    else:
        arrays.update({a: random.uniform(-1, 1, shape).astype(np.float32) for a in 'CD'})
    wanted = {a: v.copy() for a, v in arrays.items()}
    host(**wanted, N=n, T=steps)
    device(**arrays, N=n, T=steps)
    for a, v in wanted.items():
        assert arrays[a].tobytes() == v.tobytes(), f'{n} elements, {steps} steps: {a}'
    calls += 1


for n in large:
    for steps in 1, 5, 70, 130:
        compare(usual, n, steps)
for n in small:
    for steps in 1, 2, 3, 4, 6, 7, 11:
        compare(tiny, n, steps)
print(calls, 'calls agree')

"""Calls the programs of persist-loops.test on the emulated device and on the host."""
import importlib.util
import os
import sys

import numpy as np


def load(target, name):
    path = os.path.join(sys.argv[1], target, name, 'python', name + '.py')
    spec = importlib.util.spec_from_file_location(target + '_' + name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


random = np.random.default_rng(1)
agree = 0
for name in ('forward', 'relax', 'choose'):
    with load('cpu', name).Program() as on_host, load('cuda', name).Program() as on_device:
        for n in (0, 1, 2, 31, 64, 300):
            numbers = lambda *shape: random.integers(0, 4, shape)
            arguments = {
                'forward': dict(A=numbers(n, n), x=numbers(n)),
                'relax': dict(A=numbers(32, 32), B=numbers(32), r=np.array([n % 5]), x=numbers(n)),
                'choose': dict(x=numbers(n), y=numbers(n)),
            }[name]
            results = []
            for program in (on_host, on_device):
                mine = {key: value.copy() for key, value in arguments.items()}
                program(**mine, N=n)
                results.append(mine)
            for key in arguments:
                np.testing.assert_array_equal(results[0][key], results[1][key], err_msg=f'{name}, {key}, N = {n}')
            agree += 1
print(agree, 'results agree')

"""Calls the program of rows.test on the emulated device and on the host, for rows of many lengths."""
import importlib.util
import os
import sys

import numpy as np


def load(folder):
    path = os.path.join(folder, 'python', 'softmax.py')
    spec = importlib.util.spec_from_file_location('softmax_' + os.path.basename(folder).replace('.', '_'), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


device, host = map(load, sys.argv[1:3])
random = np.random.default_rng(1)
shapes = 0
with device.Program() as on_device, host.Program() as on_host:
    for rows in (1, 2, 5):
        for length in (1, 2, 3, 7, 16, 31, 32, 33, 64, 255, 256, 257, 511, 700, 1025):
            a = random.uniform(-3, 3, (rows, length))
            if length == 33:
                a[0, 5] = np.inf
            results = []
            for program in (on_device, on_host):
                b, y = np.full_like(a, -1), np.full(rows, -1.0)
                program(A=a, B=b, y=y, N=rows, M=length)
                results.append((b, y))
            for found, wanted in zip(*results):
                np.testing.assert_allclose(found, wanted, rtol=1e-12, err_msg=f'{rows} rows of {length}')
            shapes += 1
print(shapes, 'shapes agree')

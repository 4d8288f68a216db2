"""Calls the program of columns.test on the emulated device and on the host, for matrices of many shapes."""
import importlib.util
import os
import sys

import numpy as np


def load(folder):
    path = os.path.join(folder, 'python', 'moments.py')
    spec = importlib.util.spec_from_file_location('moments_' + os.path.basename(folder).replace('.', '_'), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


device, host = map(load, sys.argv[1:3])
random = np.random.default_rng(1)
sizes = (1, 16, 31, 32, 33, 255, 257, 1025)
shapes = 0
with device.Program() as on_device, host.Program() as on_host:
    for rows in sizes:
        for columns in sizes:
            arguments = {name: random.uniform(-1, 1, shape) for name, shape in dict(
                A=(rows, columns), C=(rows, columns), means=columns, x=columns, y=rows, p=columns, q=rows).items()}
            results = []
            for program in (on_device, on_host):
                own = {name: array.copy() for name, array in arguments.items()}
                program(N=rows, M=columns, **own)
                results.append(own)
            for name, wanted in results[1].items():
                np.testing.assert_allclose(results[0][name], wanted, rtol=1e-10, atol=1e-10,
                                           err_msg=f'{name}: {rows} rows, {columns} columns')
            shapes += 1
print(shapes, 'shapes agree')

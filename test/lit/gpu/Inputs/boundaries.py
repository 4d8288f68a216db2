"""Calls the program of boundaries.test on the emulated device and on the host, for arrays of many sizes."""
import importlib.util
import os
import sys

import numpy as np


def load(folder):
    path = os.path.join(folder, 'python', 'boundaries.py')
    spec = importlib.util.spec_from_file_location('boundaries_' + os.path.basename(folder).replace('.', '_'), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


device, host = map(load, sys.argv[1:3])
random = np.random.default_rng(1)
sizes = 0
with device.Program() as on_device, host.Program() as on_host:
    for n in (2, 3, 4, 17, 40):
        for m in (2, 3, 4, 33, 40):
            for steps in (3, 4):
                p, u = random.uniform(-3, 3, (n, m)), random.uniform(-3, 3, (n, m))
                results = []
                for program in (on_device, on_host):
                    results.append((p.copy(), u.copy()))
                    program(p=results[-1][0], u=results[-1][1], N=n, M=m, T=steps)
                for found, wanted in zip(*results):
                    assert found.tobytes() == wanted.tobytes(), f'{n} x {m}, {steps} steps'
                sizes += 1
print(sizes, 'sizes agree')

"""A loop whose end the device decides, as a node of a GPU graph and from the host: test/graphs/converge.sdfgt, a few small kernels an
iteration. The host waits for the device in every iteration, or the device looks at the flag by itself."""
import ctypes
import os
from dataclasses import dataclass

import numpy as np

import programs
from gpu_bench.measure import Device, Placed, check

GRAPH = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'test', 'graphs', 'converge.sdfgt')
MODES = {'graph': ['--gpu-graph', 'require'], 'streams': ['--gpu-graph', 'off']}
COLUMNS = ['N', 'without a graph, µs an iteration', 'host path', 'device', 'times faster']


@dataclass
class Loop:
    size: int
    iterations: int

    @property
    def shape(self):
        return f'loop {self.size}'

    def expected(self, a):
        """What the program does, `iterations` times."""
        for _ in range(self.iterations):
            a[1:-1] = 0.5 * (a[:-2] + a[2:])
        return a


def all_loops(emulated):
    return [Loop(64, 5)] if emulated else [Loop(1 << 10, 1000), Loop(1 << 20, 1000), Loop(1 << 24, 100)]


def opened(out, size, environment):
    """The program, for one size; in a setting of the environment that it reads when it is set up."""
    os.environ.update(environment)
    try:
        return programs.Program(out, {'N': size})
    finally:
        for name in environment:
            del os.environ[name]


def caller(program, addresses, iterations):
    """No change is below -1, so that all iterations run."""
    return program.caller(addresses, ctypes.c_int64(iterations), ctypes.c_double(-1))


def seconds_an_iteration(loop, out, by_hand, repeats, **environment):
    program = opened(out, loop.size, environment)
    a = np.random.default_rng(loop.size).random(loop.size)
    arrays = {'A': a, 'B': a.copy(), 'err': np.zeros(1)}
    with Placed(by_hand, Device(program.library, program.prefix), arrays, set()) as placed:
        call = caller(program, placed.addresses, loop.iterations)
        call()
        check(f'converge, N = {loop.size}', placed, {'A': loop.expected(a.copy())})
        all_of_it = programs.median_seconds(call, repeats)
        none = programs.median_seconds(caller(program, placed.addresses, 0), repeats)
    program.close()
    return (all_of_it - none) / loop.iterations


def row(loop, outs, by_hand, repeats):
    streams = seconds_an_iteration(loop, outs['streams'], by_hand, repeats)
    host = seconds_an_iteration(loop, outs['graph'], by_hand, repeats, SDFGC_GPU_GRAPH='0')
    device = seconds_an_iteration(loop, outs['graph'], by_hand, repeats, SDFGC_GPU_GRAPH='1')
    return [str(loop.size)] + [f'{s * 1e6:.2f}' for s in (streams, host, device)] + [f'{streams / device:.2f}']

"""A loop whose end the device decides, as a node of a GPU graph and from the host: test/graphs/converge.sdfgt, a few small kernels an
iteration. The host waits for the device in every iteration, or the device looks at the flag by itself."""
import ctypes
import os
import sys
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


class Called:
    """The program, for one size; in a setting of the environment that it reads when it is set up."""

    def __init__(self, out, size, **environment):
        os.environ.update(environment)
        self.library = ctypes.CDLL(os.path.join(out, 'lib', 'libconverge.so'))
        self._size = ctypes.c_int64(size)
        handle = programs.function(self.library, 'converge_initialize', ctypes.c_void_p)(self._size)
        for name in environment:
            del os.environ[name]
        if not handle:
            sys.exit('converge: cannot be set up')
        self._handle = ctypes.c_void_p(handle)
        self._program = programs.function(self.library, 'converge_program', None)
        self._error = programs.function(self.library, 'converge_error', ctypes.c_int, ctypes.c_void_p)

    def caller(self, addresses, iterations):
        """No change is below -1, so that all iterations run."""
        arguments = [self._handle] + [ctypes.c_void_p(addresses[a]) for a in ('A', 'B', 'err')]
        arguments += [self._size, ctypes.c_int64(iterations), ctypes.c_double(-1)]

        def call():
            self._program(*arguments)
            if self._error(self._handle):
                sys.exit('converge: an error of the device')
        return call

    def close(self):
        programs.function(self.library, 'converge_finalize', ctypes.c_int, ctypes.c_void_p)(self._handle)


def seconds_an_iteration(loop, out, by_hand, repeats, **environment):
    program = Called(out, loop.size, **environment)
    a = np.random.default_rng(loop.size).random(loop.size)
    arrays = {'A': a, 'B': a.copy(), 'err': np.zeros(1)}
    with Placed(by_hand, Device(program.library, 'converge'), arrays, set()) as placed:
        call = program.caller(placed.addresses, loop.iterations)
        call()
        check(f'converge, N = {loop.size}', placed, {'A': loop.expected(a.copy())})
        all_of_it = programs.median_seconds(call, repeats)
        none = programs.median_seconds(program.caller(placed.addresses, 0), repeats)
    program.close()
    return (all_of_it - none) / loop.iterations


def row(loop, outs, by_hand, repeats):
    streams = seconds_an_iteration(loop, outs['streams'], by_hand, repeats)
    host = seconds_an_iteration(loop, outs['graph'], by_hand, repeats, SDFGC_GPU_GRAPH='0')
    device = seconds_an_iteration(loop, outs['graph'], by_hand, repeats, SDFGC_GPU_GRAPH='1')
    return [str(loop.size)] + [f'{s * 1e6:.2f}' for s in (streams, host, device)] + [f'{streams / device:.2f}']

"""Cases of tools/dev/bench_gpu.py: a graph and its data; placed in memory, called, compared with what NumPy says, timed."""
import ctypes
import sys
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

import programs


@dataclass
class Case:
    """A graph. `data` makes its arguments and what they must be after a call: two dictionaries of arrays; it is called late, as arrays are
    large. Those named in `device` lie in device memory, others in page-locked memory of the host."""
    graph: dict
    data: Callable
    device: set
    symbols: dict = field(default_factory=dict)

    @property
    def name(self):
        return self.graph['attributes']['name']


class Device:
    """The device as a library sees it: emulated, each has its own."""

    def __init__(self, library, prefix):
        self.alloc = programs.function(library, prefix + '_device_alloc', ctypes.c_void_p, ctypes.c_size_t)
        self.free = programs.function(library, prefix + '_device_free', None, ctypes.c_void_p)
        self._copy = programs.function(library, prefix + '_device_copy', ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)

    def copy(self, to, source, size):
        if self._copy(to, source, size):
            sys.exit('a plain copy failed')


class Turn(ctypes.Structure):
    """Arguments of one call; by_hand/calls.cu."""
    _fields_ = [('arrays', ctypes.c_void_p), ('last', ctypes.c_double)]


class ByHand:
    """The library with kernels by hand; it also has the host's page-locked memory."""

    def __init__(self, file):
        self.library = ctypes.CDLL(file)
        self.device = Device(self.library, 'by_hand')
        self.host_alloc = programs.function(self.library, 'by_hand_host_alloc', ctypes.c_void_p, ctypes.c_size_t)
        self.host_free = programs.function(self.library, 'by_hand_host_free', None, ctypes.c_void_p)

    def device_name(self):
        name = ctypes.create_string_buffer(256)
        if self.library.by_hand_device_name(name, ctypes.c_size_t(256)):
            sys.exit('there is no GPU here: see --emulate and --compile-only')
        return name.value.decode()

    def has(self, name):
        return hasattr(self.library, name)

    def kernel(self, name):
        return self.library[name]

    def caller(self, name, size):
        """As Program.caller, for one of the kernels."""
        kernel = self.kernel(name)

        def caller(addresses):
            arguments = [ctypes.c_void_p(addresses[a]) for a in sorted(addresses)] + [ctypes.c_int64(size)]

            def call():
                if status := kernel(*arguments):
                    sys.exit(f'{name}, by hand: status {status} of the device')
            return call
        return caller

    def graph(self, arrays, kernels, size, last):
        """A function that launches the graph of by_hand/graph.cu again and again and returns the seconds of each time, and one that frees it."""
        made = ctypes.c_void_p()
        places = (ctypes.c_void_p * len(arrays))(*arrays)
        numbers = [ctypes.c_int64(n) for n in (len(arrays), kernels, size)]

        def succeeds(status):
            if status:
                sys.exit(f'a graph by hand: status {status} of the device')
        succeeds(self.library.graph_make(ctypes.byref(made), places, *numbers, ctypes.c_double(last)))
        def launch(count):
            seconds = (ctypes.c_double * count)()
            succeeds(self.library.graph_launch(made, seconds, ctypes.c_int64(count)))
            return list(seconds)
        return launch, lambda: self.library.graph_free(made)

    def time_program(self, program, turns, size, calls):
        """Seconds of each call of a program of replay.py, whose calls take turns: each with the addresses of its arrays and a number."""
        places = [(ctypes.c_void_p * len(arrays))(*arrays) for arrays, _ in turns]
        arguments = (Turn * len(turns))(*[Turn(ctypes.addressof(place), last) for place, (_, last) in zip(places, turns)])
        seconds = (ctypes.c_double * calls)()
        numbers = [ctypes.c_int64(n) for n in (len(turns), len(places[0]), size)]
        if self.library.time_program(seconds, ctypes.c_int64(calls), program.entry(), program.handle, arguments, *numbers):
            sys.exit(f'{program.prefix}: not one of the numbers of arrays of by_hand/calls.cu')
        return list(seconds)


class Placed:
    """Arrays in memory that programs and copies use: page-locked, or of a device."""

    def __init__(self, by_hand, device, arrays, on_device):
        self._by_hand, self._device, self._arrays, self._on_device = by_hand, device, arrays, on_device
        self.addresses = {}

    def __enter__(self):
        for name, array in self._arrays.items():
            alloc = self._device.alloc if name in self._on_device else self._by_hand.host_alloc
            address = self.addresses[name] = alloc(array.nbytes)
            if not address:
                sys.exit(f'no memory for `{name}`, {array.nbytes} bytes')
            if name in self._on_device:
                self._device.copy(address, array.ctypes.data, array.nbytes)
            else:
                ctypes.memmove(address, array.ctypes.data, array.nbytes)
        return self

    def __exit__(self, *_):
        for name, address in self.addresses.items():
            (self._device.free if name in self._on_device else self._by_hand.host_free)(address)

    def fetch(self, name):
        array = np.empty_like(self._arrays[name])
        if name in self._on_device:
            self._device.copy(array.ctypes.data, self.addresses[name], array.nbytes)
        else:
            ctypes.memmove(array.ctypes.data, self.addresses[name], array.nbytes)
        return array


def check(what, placed, expected):
    for name, value in expected.items():
        if not np.allclose(placed.fetch(name), value, rtol=1e-9, atol=1e-12):
            sys.exit(f'{what}: `{name}` is not what NumPy computes')


def measured(case, out, by_hand, repeats):
    """Median seconds of a call of the case's program, built in `out`, whose results are checked."""
    program = programs.Program(out, case.symbols)
    seconds = timed(case, case.name, program.caller, Device(program.library, program.prefix), by_hand, repeats)
    program.close()
    return seconds


def timed(case, what, caller, device, by_hand, repeats):
    arrays, expected = case.data()
    with Placed(by_hand, device, arrays, case.device) as placed:
        call = caller(placed.addresses)
        call()  # also warms up
        check(what, placed, expected)
        return programs.median_seconds(call, repeats)

"""Calls the program `captured` while its caller captures streams: GRAPHS STREAMS, in every way (graph_matrix.py).

    graph_capturing_caller.py GRAPHS required      once, as the variables are
"""
import ctypes
import os
import sys

import numpy as np

import graph_matrix
from graph_exports import Streams, library
from graph_matrix import Region, structure

N = 300
TEXT = 'the caller captures a stream of the program, which waits for its streams: call it outside of the capture'
NOT_SUPPORTED = 801


class Caller:
    """A handle, and what it was called with; each call adds to D."""

    def __init__(self, program):
        self.program, self.calls = program, 0
        self.device = program.to_device(np.ones(N))

    def is_right(self):
        a, b = np.arange(float(N)), np.arange(float(N))[::-1] % 5
        total = (a + 1) + 2 * b
        self.calls += 1
        expected = 1 + self.calls * total
        self.program(A=a, B=b, D=self.device, N=N)
        assert np.array_equal(a, np.arange(float(N)) + 1) and np.array_equal(b, total), (a, b)
        assert np.array_equal(self.device.get(), expected), self.device.get()

    def is_refused(self, lib):
        """With nothing done, made, counted or kept as an error of the device."""
        def seen():
            return lib.sdfgc_emulation_resources(), lib.sdfgc_emulation_copies_to_host(), self.program.gpu_graphs()

        a, b, before = np.arange(float(N)), np.ones(N), seen()
        for _ in range(2):
            try:
                self.program(A=a, B=b, D=self.device, N=N)
                raise AssertionError('the call is not refused')
            except structure(self.program, 'Error') as error:
                assert (error.code, str(error)) == (3, TEXT), error
        assert seen() == before, (before, seen())
        assert np.array_equal(a, np.arange(float(N))) and np.array_equal(b, np.ones(N))


def has_none():
    return os.environ.get('SDFGC_EMULATE_GRAPHS') == 'none'


def captures(lib):
    """Ways to begin and to end one. A device without graphs has none, so there the emulation only says that the stream is captured."""
    def really(stream):
        assert lib.begin_capture(stream) == 0
        return lambda: lib.end_capture(stream)

    def pretended(stream):
        lib.pretend_capture(stream, True)
        return lambda: lib.pretend_capture(stream, False) and 0

    return [pretended, pretended] if has_none() else [really, pretended]


def captured(program):
    lib = library(program)
    for function in lib.begin_capture, lib.end_capture:
        function.argtypes = [ctypes.c_void_p]
    lib.pretend_capture.argtypes, lib.pretend_capture.restype = [ctypes.c_void_p, ctypes.c_bool], None
    caller, streams = Caller(program), Streams(program)
    caller.is_right()
    callers = [streams.new() for _ in range(3)]
    if has_none():
        assert lib.begin_capture(callers[0]) == NOT_SUPPORTED

    def while_captured(stream, check):
        for begin in captures(lib):
            end = begin(stream)
            check()
            assert not end(), 'the capture is broken'

    for index, stream in enumerate(callers):  # each of the program's streams in turn
        program.set_stream(stream, index)
        while_captured(stream, lambda: caller.is_refused(lib))
        caller.is_right()
    program.set_stream(callers[0])  # one for all of them
    while_captured(callers[0], lambda: caller.is_refused(lib))
    caller.is_right()
    with type(program)() as fresh:  # which has no memory and no graph yet
        fresh.initialize(**({'N': N} if structure(fresh, 'INTERFACE')['init_arguments'] else {}))
        fresh.set_stream(callers[1])
        other = Caller(fresh)
        while_captured(callers[1], lambda: other.is_refused(lib))
        other.is_right()
    program.set_stream(None)
    for begin in captures(lib):  # of a stream that the program has no more
        end = begin(callers[0])
        caller.is_right()
        assert not end(), 'the capture is broken'
    streams.close()
    caller.is_right()
    return [caller.device.get()]


if sys.argv[2:] == ['required']:
    with graph_matrix.load(sys.argv[1], 'captured').Program() as program:
        captured(program)
        assert program.gpu_graphs()[0]['host_path'] == 0
else:
    graph_matrix.run({'captured': (captured, {'graph_one': Region(nodes=4, launches=8)})})

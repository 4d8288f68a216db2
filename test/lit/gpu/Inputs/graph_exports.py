"""What programs of tests export besides their interface, in C++ code of their own: page-locked memory and streams of the caller."""
import ctypes
import os
import sys
from glob import glob

import numpy as np


def library(program):
    file, = glob(os.path.join(os.path.dirname(sys.modules[type(program).__module__].__file__), '..', 'lib', 'lib*.so'))
    return ctypes.CDLL(file)


class Pinned:
    """Arrays in page-locked memory, from `pin(bytes)` and back by `unpin(memory)`."""

    def __init__(self, program):
        self._library, self._memory = library(program), []
        self._library.pin.restype, self._library.pin.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
        self._library.unpin.argtypes = [ctypes.c_void_p]

    def array(self, shape):
        count = int(np.prod(shape))
        memory = self._library.pin(8 * max(count, 1))
        assert memory
        self._memory.append(memory)
        return np.ctypeslib.as_array((ctypes.c_double * count).from_address(memory)).reshape(shape)

    def close(self):
        while self._memory:
            self._library.unpin(self._memory.pop())


class Streams:
    """Streams of the caller, from `new_stream()` and back by `drop_stream(stream)`."""

    def __init__(self, program):
        self._library, self._made = library(program), []
        self._library.new_stream.restype = ctypes.c_void_p
        self._library.drop_stream.argtypes, self._library.drop_stream.restype = [ctypes.c_void_p], ctypes.c_bool

    def new(self):
        self._made.append(self._library.new_stream())
        assert self._made[-1]
        return self._made[-1]

    def close(self):
        while self._made:
            assert self._library.drop_stream(self._made.pop())

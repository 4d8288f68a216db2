"""Calls a program with a structure, compiled for the CPU and for a device, and compares everything that it may write: NAME CPU GPU."""
import ctypes
import os
import sys

import numpy as np

NAME, FOLDERS = sys.argv[1], sys.argv[2:]
POINTER = ctypes.POINTER(ctypes.c_double)


class Edges(ctypes.Structure):
    _fields_ = [('k', ctypes.c_int64), ('z', POINTER)]


class Fields(ctypes.Structure):
    _fields_ = [('n', ctypes.c_int64), ('s', ctypes.c_double), ('top', ctypes.c_double), ('x', POINTER), ('y', POINTER), ('o', POINTER),
                ('unused', POINTER), ('e', ctypes.POINTER(Edges)), ('q', ctypes.POINTER(Edges))]


def address(array):
    return array.ctypes.data_as(POINTER)


class Program:
    def __init__(self, folder):
        self.lib = ctypes.CDLL(os.path.join(folder, 'lib', f'lib{NAME}.so'))
        self.initialise, self.call = self.lib[f'{NAME}_initialize'], self.lib[f'{NAME}_program']
        self.error, self.message = self.lib[f'{NAME}_error'], self.lib[f'{NAME}_error_message']
        self.initialise.restype, self.message.restype = ctypes.c_void_p, ctypes.c_char_p
        self.handle = ctypes.c_void_p(self.initialise(ctypes.c_int64(4)))

    def __call__(self, m, n, on, sign):
        """The results of a call in which `o` and `q` are null unless they are needed, and `unused` always."""
        random = np.random.default_rng(m + 2 * n + 4 * on)
        x, y, o, z, q, a = (sign * random.random(2 * m) + 1 for _ in range(6))
        edges, more = Edges(1, address(z)), Edges(3, address(q))
        fields = Fields(n, 2.0, 0.5, address(x), address(y), address(o) if on else None, None, ctypes.pointer(edges),
                        ctypes.pointer(more) if on else None)
        self.call(self.handle, a.ctypes.data_as(ctypes.c_void_p), ctypes.byref(fields), ctypes.c_int64(m), ctypes.c_int64(on))
        if self.error(self.handle):
            sys.exit(f'error: {self.message(self.handle).decode()}')
        return [x, y, o, z, q, a, np.array([fields.s, fields.top, fields.n, edges.k])]


programs = [Program(folder) for folder in FOLDERS]
calls = 0
for m, n, on, sign in ((4, 1, 0, 1), (4, 1, 1, 1), (4, 0, 1, 1), (4, 1, 1, -3), (300, 1, 1, 1), (300, 1, 0, 1), (1, 0, 0, 1), (0, 0, 0, 1)):
    found = [program(m, n, on, sign) for program in programs]
    for k, (a, b) in enumerate(zip(*found)):
        assert np.array_equal(a, b), (m, n, on, sign, k, a, b)
    calls += 1
print(calls, 'calls agree')

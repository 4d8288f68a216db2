"""Recorded programs, for the scripts of this folder: found, told apart, called, compared.

A case is a folder with program.sdfg, case.json (name; arguments in the order of the call, each with name, kind and type; names of what the
initialiser takes) and data.npz (in_NAME, out_NAME: memory before and after).
"""
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

SMALL_TEAMS = ['--pass-option', 'guard-parallel-maps.work=0']  # options of sdfgc build: small maps have teams, too
TOLERANCES = {'f2': (1e-2, 1e-3), 'f4': (1e-3, 1e-5), 'f8': (1e-6, 1e-8), 'c8': (1e-3, 1e-5), 'c16': (1e-6, 1e-8)}


def agrees(got, expected):
    """The elements that match the recorded ones, up to the order of sums of real numbers."""
    if got.dtype.kind not in 'fc':
        return got == expected
    rtol, atol = TOLERANCES.get(got.dtype.str[1:], (1e-6, 1e-8))
    return np.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)


def difference(name, got, expected):
    """Describes the first element that differs; none if all agree."""
    same = agrees(got, expected)
    if same.all():
        return None
    i = int(np.argmin(same))
    return f'{name}[{i}] = {got[i]!r}, expected {expected[i]!r}; {int((~same).sum())} of {same.size}'


def found(folders, pattern='', sample=1):
    """Every N-th folder with a case below the given ones whose path the pattern matches, in order."""
    return sorted(root for folder in folders for root, _, files in os.walk(folder)
                  if 'case.json' in files and re.search(pattern, root))[::sample]


def listed(files):
    """The cases that files list, one in a line; lines that begin with # are comments."""
    return {line.strip() for file in files for line in open(file) if line.strip() and not line.startswith('#')}


def is_listed(case, names):
    return any(case.endswith('/' + name) for name in names)


def has_teams(sdfgc, case, options=()):
    """Do several threads execute a part of the case's CPU program, with teams for small maps as well?

    `options` are further ones of `sdfgc emit`."""
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, 'out')
        if subprocess.run([sdfgc, 'emit', '-q', os.path.join(case, 'program.sdfg'), '-o', out, *SMALL_TEAMS, *options],
                          capture_output=True).returncode:
            return False
        for root, _, files in os.walk(os.path.join(out, 'src')):
            for file in files:
                with open(os.path.join(root, file), errors='replace') as f:
                    if re.search(r'^\s*#\s*pragma omp (?!simd\b)', f.read(), re.M):
                        return True
    return False


def sources_of(out):
    """All that a compiler is given for a program in a build folder: the sources, without what comments in lines of their own say of the
    graph, and the CMake project, which holds the options."""
    paths = [os.path.join(root, file) for root, _, files in os.walk(os.path.join(out, 'src')) for file in files]
    texts = []
    for path in [os.path.join(out, 'CMakeLists.txt'), *sorted(paths)]:
        with open(path, errors='replace') as f:
            texts.append(re.sub(r'^ *//.*\n', '', f.read(), flags=re.MULTILINE))
    return '\n'.join(texts)


def library_of(out):
    """The library in a build folder."""
    return next(os.path.join(out, 'lib', f) for f in os.listdir(os.path.join(out, 'lib')) if re.fullmatch(r'lib.*\.so', f))


def run_alone(command, threads, limit):
    """The output of a command in a separate process with this many threads, and a description of errors."""
    try:
        done = subprocess.run(command, text=True, capture_output=True, timeout=limit,
                              env=dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_DYNAMIC='false'))
    except subprocess.TimeoutExpired:
        return '', f'more than {limit} s'
    return done.stdout, f'exit {done.returncode}: {done.stderr.strip()[-300:]}' if done.returncode else ''


class Complex64(ctypes.Structure):
    _fields_ = [('real', ctypes.c_float), ('imag', ctypes.c_float)]


class Complex128(ctypes.Structure):
    _fields_ = [('real', ctypes.c_double), ('imag', ctypes.c_double)]


def by_value(array):
    """A scalar argument as ctypes passes it."""
    x = array.flat[0]
    if array.dtype.kind == 'c':
        return (Complex64 if array.dtype.itemsize == 8 else Complex128)(x.real, x.imag)
    return np.ctypeslib.as_ctypes_type(array.dtype)(x.item())


def aligned(array, bytes=64):
    """A copy in memory of that alignment."""
    room = np.empty(array.nbytes + bytes, np.uint8)
    start = -room.ctypes.data % bytes
    copy = room[start:start + array.nbytes].view(array.dtype)
    copy[...] = array
    return copy


class Case:
    """A case with its program's library: every call initialises the program and passes the recorded inputs."""

    def __init__(self, folder, library):
        with open(os.path.join(folder, 'case.json')) as f:
            meta = json.load(f)
        with np.load(os.path.join(folder, 'data.npz')) as data:
            self._data = {key: data[key] for key in data.files}
        self._arguments, self._init = meta['args'], meta['init']
        name, loaded = meta['name'], ctypes.CDLL(library)
        self._initialize, self._program, self._exit = (loaded[f'__dace_init_{name}'], loaded[f'__program_{name}'],
                                                       loaded[f'__dace_exit_{name}'])
        self._initialize.restype, self._program.restype, self._exit.restype = ctypes.c_void_p, None, ctypes.c_int

    def call(self):
        """Describes an error; none if the results match the recorded ones."""
        memory, why = self._run()
        if why:
            return why
        wrong = (difference(name, got, self._data['out_' + name]) for name, got in memory.items())
        return next((w for w in wrong if w), None)

    def results(self):
        """The contents of the program's arrays after the call, by name. Exits if it fails."""
        memory, why = self._run()
        return sys.exit(why) if why else memory

    def _run(self):
        memory = {a['name']: aligned(self._data['in_' + a['name']]) for a in self._arguments}
        words = {a['name']: ctypes.c_void_p(memory[a['name']].ctypes.data) if a['kind'] == 'array' else by_value(memory[a['name']])
                 for a in self._arguments}
        handle = self._initialize(*[words[name] for name in self._init])
        if not handle:
            return {}, 'it cannot be set up'
        handle = ctypes.c_void_p(handle)
        self._program(handle, *[words[a['name']] for a in self._arguments])
        if status := self._exit(handle):
            return {}, f'its end has status {status}'
        return {a['name']: memory[a['name']] for a in self._arguments if a['kind'] == 'array'}, None

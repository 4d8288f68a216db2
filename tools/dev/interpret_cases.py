#!/usr/bin/python3
"""Runs recorded programs in the interpreter and compares their results.

    tools/dev/interpret_cases.py [--tree TARGET] [--library build/lib/libsdfgc_interpreter.so] [--filter REGEX] [--sample N] [--jobs N]
                                 [--expect FILE]... FOLDER...

With --tree, the schedule tree that the target's pipeline generates is executed instead of the graph. A case is a folder with
program.sdfg, case.json (arguments in the order of the call) and data.npz (in_NAME, out_NAME: memory before and after). Prints a
line for each case that is not passed without a fault, and how many there are of each kind. Exit status: 0 if no case but those that
a FILE lists differs, has faults, takes too long or crashes.
"""
import argparse
import collections
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 120  # seconds for one case


class Library:
    """The functions of sdfgc_interpreter.h."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        self._library.sdfgc_program_read.restype = ctypes.c_void_p
        for name in ('error', 'report'):
            getattr(self._library, f'sdfgc_program_{name}').restype = ctypes.c_char_p

    def read(self, path):
        self._program = ctypes.c_void_p(self._library.sdfgc_program_read(path.encode()))
        return (self._library.sdfgc_program_error(self._program) or b'').decode().strip()

    def bind(self, name, array):
        self._library.sdfgc_program_bind(self._program, name.encode(), ctypes.c_void_p(array.ctypes.data))

    def set(self, name, value):
        if isinstance(value, float):
            self._library.sdfgc_program_set_real(self._program, name.encode(), ctypes.c_double(value))
        else:
            self._library.sdfgc_program_set_integer(self._program, name.encode(), ctypes.c_longlong(int(value)))

    def run(self):
        count = self._library.sdfgc_program_run(self._program)
        return [self._library.sdfgc_program_report(self._program, i).decode() for i in range(count)]


def set_sizes(library, containers, arguments):
    """Sizes that the call does not pass: symbols that are an extent of an array."""
    known = {a['name'] for a in arguments} | set(containers)
    for a in arguments:
        shape = containers.get(a['name'], {}).get('attributes', {}).get('shape', [])
        for extent, size in zip(shape, a.get('shape', [])):
            symbol = re.fullmatch(r'(?:symbol\()?\$?([A-Za-z_]\w*)(?:,.*\))?', str(extent))
            if symbol and symbol.group(1) not in known:
                library.set(symbol.group(1), size)


def read_tree(library, options, path):
    """Reads the schedule tree of a graph; returns why it cannot be executed."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = os.path.join(scratch, 'program.sdfgtree')
        command = [options.sdfgc, 'print', '--tree', '--target', options.tree, '-o', tree, path]
        done = subprocess.run(command, capture_output=True, text=True)
        return library.read(tree) if done.returncode == 0 else 'lowering: ' + done.stderr.strip()


def run_case(options, folder):
    """Runs one case in a separate process, and prints the outcome."""
    library = Library(options.library)
    path = os.path.join(folder, 'program.sdfg')
    refused = read_tree(library, options, path) if options.tree else library.read(path)
    if refused:
        print('refused', refused.split('\n')[0])
        return
    arguments = json.load(open(os.path.join(folder, 'case.json')))['args']
    data = np.load(os.path.join(folder, 'data.npz'))
    containers = json.load(open(path))['attributes'].get('_arrays', {})
    memory = {a['name']: np.array(data['in_' + a['name']]) for a in arguments}
    for name, array in memory.items():
        if name in containers:
            library.bind(name, array)
        else:
            library.set(name, float(array.flat[0]) if array.dtype.kind == 'f' else int(array.flat[0]))
    set_sizes(library, containers, arguments)
    faults = library.run()
    for a in arguments:
        if a['kind'] != 'array':
            continue
        if wrong := cases.difference(a['name'], memory[a['name']], data['out_' + a['name']]):
            print('differs', wrong, '; '.join(faults[:2]))
            return
    print('faults' if faults else 'passed', '; '.join(faults[:2]))


def in_process(options, folder):
    command = [sys.executable, os.path.abspath(__file__), '--one', folder, '--library', options.library]
    if options.tree:
        command += ['--tree', options.tree, '--sdfgc', options.sdfgc]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return 'slow', f'more than {LIMIT} s'
    lines = done.stdout.strip().split('\n')
    if done.returncode or not lines[-1]:
        return 'crashed', f'exit {done.returncode}: {done.stderr.strip()[-200:]}'
    kind, _, rest = lines[-1].partition(' ')
    return kind, rest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--library', default=os.path.join(HERE, '../../build/lib/libsdfgc_interpreter.so'))
    parser.add_argument('--tree', metavar='TARGET', help='execute the schedule tree for a target')
    parser.add_argument('--sdfgc', default=os.path.join(HERE, '../../build/bin/sdfgc'))
    parser.add_argument('--filter', default='')
    parser.add_argument('--sample', type=int, default=1, help='every N-th case only')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--expect', metavar='FILE', action='append', default=[], help='cases that are known to differ or to have faults, one in a line')
    parser.add_argument('--one', help=argparse.SUPPRESS)
    parser.add_argument('folders', nargs='*', metavar='FOLDER')
    options = parser.parse_args()
    if options.one:
        run_case(options, options.one)
        return 0
    expected = cases.listed(options.expect)
    recorded = cases.found(options.folders, options.filter, options.sample)
    counts = collections.Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for case, (kind, rest) in zip(recorded, pool.map(lambda c: in_process(options, c), recorded)):
            if kind not in ('passed', 'refused') and cases.is_listed(case, expected):
                kind = 'as expected'
            counts[kind] += 1
            if kind != 'passed':
                print(f'{kind:11} {case}  {rest}')
    print(', '.join(f'{n} {kind}' for kind, n in sorted(counts.items())))
    return 0 if counts.keys() <= {'passed', 'refused', 'as expected'} else 1


if __name__ == '__main__':
    sys.exit(main())

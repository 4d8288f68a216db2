#!/usr/bin/python3
"""Does the optimiser make programs faster? Recorded programs at larger sizes, at -O2 beside -O0.

    tools/dev/scale_cases.py [--sdfgc build/bin/sdfgc] [--levels 0,2] [--elements N] [--seconds S] [--rounds N] [--threads 1,2] [--cpu-time]
                             [--filter REGEX] [--sample N] [--jobs N] [--options OPTIONS] FOLDER...

The symbols in the shapes of a program's arguments are multiplied by 2, 4, 8, ... until its arrays have N elements or a call takes S
seconds. Real numbers are random then; whole numbers are those that were recorded, over and over, since they may be indices. Both libraries
are loaded into one process, and called in turn with the same inputs. Prints the ratio of the medians of a program, and its sizes; at the end
the geometric mean for each number of threads, and what is slower by more than 5 %. On a busy machine, measure a ratio far from 1
again, alone (--filter).

Skipped, and counted: programs without a symbol in a shape, those with the same code at both levels, those that do not build, and
those that fail or do not end at sizes other than the recorded ones. Also prints and counts programs whose results differ between the
two levels by more than the order of sums allows: at other sizes, a program may read elements that it never wrote.
"""
import argparse
import collections
import ctypes
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 60  # seconds for one program


FUNCTIONS = {'__builtins__': {}, 'min': min, 'Min': min, 'max': max, 'Max': max, 'int_floor': lambda a, b: a // b,
             'int_ceil': lambda a, b: -(-a // b)}


def evaluated(expression, symbols):
    """A size of a file, in which a symbol may be `N`, `$N` or `symbol($N, dtype=...)`."""
    text = re.sub(r'\bsymbol\(\$?(\w+)[^()]*\)', r'\1', str(expression)).replace('$', '')
    return int(eval(text, FUNCTIONS, dict(symbols)))


class Scaled:
    """A recorded program whose sizes are multiplied."""

    def __init__(self, folder):
        with open(os.path.join(folder, 'case.json')) as f:
            self.meta = json.load(f)
        with open(os.path.join(folder, 'program.sdfg')) as f:
            graph = json.load(f)['attributes']
        with np.load(os.path.join(folder, 'data.npz')) as data:
            self.recorded = {a['name']: data['in_' + a['name']] for a in self.meta['args']}
        self.totals = {name: d['attributes']['total_size'] for name, d in graph['_arrays'].items() if 'total_size' in d['attributes']}
        self.scalars = {a['name']: self.recorded[a['name']].flat[0].item() for a in self.meta['args'] if a['kind'] != 'array'}
        arrays = ' '.join(str(self.totals.get(a['name'], '')) for a in self.meta['args'] if a['kind'] == 'array')
        words = set(''.join(c if c.isalnum() or c == '_' else ' ' for c in arrays).split())
        self.sizes = sorted(words & self.scalars.keys())

    def symbols(self, factor):
        return {**self.scalars, **{s: self.scalars[s] * factor for s in self.sizes}}

    def elements(self, factor):
        symbols = self.symbols(factor)
        return {a['name']: evaluated(self.totals[a['name']], symbols) if a['name'] in self.totals else self.recorded[a['name']].size
                for a in self.meta['args'] if a['kind'] == 'array'}

    def inputs(self, factor):
        random, symbols, made = np.random.default_rng(1), self.symbols(factor), {}
        for name, count in self.elements(factor).items():
            recorded = self.recorded[name]
            if recorded.dtype.kind in 'fc' and count != recorded.size:
                made[name] = random.random(count).astype(recorded.dtype)
            else:
                made[name] = np.resize(recorded, count)
        return made, {name: np.array([symbols[name]], self.recorded[name].dtype) for name in self.scalars}


class Library:
    def __init__(self, meta, path, clock):
        loaded, name = ctypes.CDLL(path), meta['name']
        self._meta, self._clock = meta, clock
        self._initialize, self._program, self._exit = (loaded[p + name] for p in ('__dace_init_', '__program_', '__dace_exit_'))
        self._initialize.restype, self._program.restype = ctypes.c_void_p, None

    def call(self, arrays, scalars, times=1):
        """Seconds of each call with these inputs, and the memory after the last one. The program is set up once."""
        words = {name: cases.by_value(value) for name, value in scalars.items()}
        memory = {name: cases.aligned(value) for name, value in arrays.items()}
        words.update((name, ctypes.c_void_p(value.ctypes.data)) for name, value in memory.items())
        handle = ctypes.c_void_p(self._initialize(*[words[name] for name in self._meta['init']]))
        if not handle:
            sys.exit('it cannot be set up')
        arguments, seconds = [handle] + [words[a['name']] for a in self._meta['args']], []
        for _ in range(times):
            for name, value in memory.items():
                value[...] = arrays[name]
            start = self._clock()
            self._program(*arguments)
            seconds.append(self._clock() - start)
        if self._exit(handle):
            sys.exit('its end has a status')
        return seconds, memory


def measure(folder, paths, options):
    """In a separate process: prints the median of each level, the factor, the number of elements, and what differs."""
    case = Scaled(folder)
    libraries = [Library(case.meta, path, time.process_time if options.cpu_time else time.perf_counter) for path in paths]
    factor = 1
    while True:
        seconds = max(min(library.call(*case.inputs(factor), 3)[0]) for library in libraries)
        if seconds >= options.seconds or sum(case.elements(2 * factor).values()) > options.elements or factor >= 1 << 20:
            break
        factor *= 2
    arrays, scalars = case.inputs(factor)
    times, results = [[] for _ in libraries], [None] * len(libraries)
    calls = max(1, int(0.005 / max(seconds, 1e-6)))  # some milliseconds for each turn
    for _ in range(options.rounds):
        for i, library in enumerate(libraries):
            more, results[i] = library.call(arrays, scalars, calls)
            times[i] += more[1:] or more
    differs = [d for d in (cases.difference(n, results[1][n], results[0][n]) for n in arrays) if d]
    print(json.dumps([[statistics.median(t) for t in times], factor, sum(case.elements(factor).values()), differs[:1]]))


def measured(options, folder):
    """The outcome of a program, and the output of `measure` for each number of threads."""
    try:
        if not Scaled(folder).sizes:
            return 'without a symbol in a shape', []
    except (KeyError, ValueError):
        return 'not read', []
    with tempfile.TemporaryDirectory() as scratch:
        paths, results = [], []
        for level in options.levels:
            out = os.path.join(scratch, level)
            if subprocess.run([options.sdfgc, 'build', '-q', os.path.join(folder, 'program.sdfg'), '-o', out, '-O' + level,
                               *shlex.split(options.options)], capture_output=True).returncode:
                return 'not built', []
            paths.append(cases.library_of(out))
        if len({cases.sources_of(os.path.join(scratch, level)) for level in options.levels}) == 1:
            return 'the same code at both levels', []
        command = [sys.executable, os.path.abspath(__file__), '--one', folder, *paths, '--elements', str(options.elements), '--seconds',
                   str(options.seconds), '--rounds', str(options.rounds), *(['--cpu-time'] if options.cpu_time else [])]
        for threads in options.threads:
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=dict(os.environ, OMP_NUM_THREADS=threads))
            except subprocess.TimeoutExpired:
                return 'too slow', []
            if done.returncode:
                return 'fail at other sizes', []
            results.append(json.loads(done.stdout.strip().split('\n')[-1]))
        return 'measured', results


def report(options, recorded, pool):
    kinds, ratios = collections.Counter(), {t: [] for t in options.threads}
    for case, (kind, results) in zip(recorded, pool.map(lambda c: measured(options, c), recorded)):
        kinds[kind] += 1
        for threads, ((first, second), factor, elements, differs) in zip(options.threads, results):
            ratios[threads].append((second / first, case))
            kinds['differ'] += bool(differs)
            print(f'{second / first:6.2f}  {first * 1e3:9.3f} ms {second * 1e3:9.3f} ms  {threads} threads, x{factor}, {elements} elements  '
                  f'{case} {"".join(differs)}', flush=True)
    print(', '.join(f'{n} {kind}' for kind, n in sorted(kinds.items())))
    for threads, found in ratios.items():
        if found:
            slower = sorted((r, c) for r, c in found if r > 1.05)
            mean = math.exp(statistics.mean(math.log(r) for r, _ in found))
            print(f'{threads} threads: geometric mean {mean:.3f} of {len(found)} programs; {len(slower)} slower by more than 5 %')
            for ratio, case in reversed(slower):
                print(f'  {ratio:.2f} {case}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(HERE, '../../build/bin/sdfgc'))
    parser.add_argument('--levels', type=lambda text: text.split(','), default=['0', '2'], help='two of them')
    parser.add_argument('--elements', type=int, default=1000000, help='of all arrays of a program, at most')
    parser.add_argument('--seconds', type=float, default=0.05, help='no larger sizes than those at which a call takes so long')
    parser.add_argument('--cpu-time', action='store_true', help='of all threads, which holds on a busy machine for one thread')
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--threads', type=lambda text: text.split(','), default=['1', '2'])
    parser.add_argument('--filter', default='')
    parser.add_argument('--sample', type=int, default=1, help='every N-th case only')
    parser.add_argument('--jobs', type=int, default=1, help='more than one disturb each other')
    parser.add_argument('--options', default='', help="further options of sdfgc build: '--fp-model fast'")
    parser.add_argument('--one', nargs=3, help=argparse.SUPPRESS)
    parser.add_argument('folders', nargs='*', metavar='FOLDER')
    options = parser.parse_args()
    if options.one:
        return measure(options.one[0], options.one[1:], options)
    options.sdfgc = os.path.abspath(options.sdfgc)
    with ThreadPoolExecutor(options.jobs) as pool:
        report(options, cases.found(options.folders, options.filter, options.sample), pool)


if __name__ == '__main__':
    main()

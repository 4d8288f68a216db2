#!/usr/bin/python3
"""Compares the bits of results of recorded programs between levels of the optimiser, models of floating-point numbers and numbers of threads.

    tools/dev/ordered_cases.py [--sdfgc build/bin/sdfgc] [--levels 1,2,3] [--models strict] [--threads 1,2,3,8] [--filter REGEX]
                               [--sample N] [--jobs N] [--sums] [--verbose] [--expect FILE]... FOLDER...

The expected results are those of -O0 --reductions ordered, on one thread. Every case is built with --reductions ordered at every
level and for every model, with teams for small maps as well, and called once with each number of threads; variants with the same
sources are built and called once. All bits must be the same, those of NaN aside. Prints a line for each build and number of threads
that differs, and a summary. Exit status: 0 if no case but those that a FILE lists does. Programs that call a library are counted
apart, since --reductions ordered says nothing about them; they may differ.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 300  # seconds for a call
SUMS = re.compile(r'lambda (\w+), (\w+): \(?\1 [+*] \2\)?|Reduce|MatMul|Gemv|Gemm|Dot|Einsum')


def call(folder, library, result):
    """In a separate process: writes the contents of the program's arrays after the call."""
    memory = cases.Case(folder, library).results()
    np.savez(result, **memory)


def same_bits(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == 'c':
        part = np.dtype(f'f{a.dtype.itemsize // 2}')
        return same_bits(a.view(part), b.view(part))
    if a.size == 0:
        return True
    equal = np.frombuffer(a.tobytes(), np.uint8).reshape(a.size, -1) == np.frombuffer(b.tobytes(), np.uint8).reshape(b.size, -1)
    nan = np.isnan(a.ravel()) & np.isnan(b.ravel()) if a.dtype.kind == 'f' else np.zeros(a.size, bool)
    return bool((equal.all(axis=1) | nan).all())


class Builds:
    """The builds of one case, in a folder that is removed after the comparison. Variants that give a compiler the same text share a
    build and its results."""

    def __init__(self, options, folder, scratch):
        self._options, self._folder, self._scratch = options, folder, scratch
        self._built, self._results = {}, {}
        self.calls_library = False

    def build(self, level, model):
        """The library, or a description of the error."""
        out = os.path.join(self._scratch, f'{level}-{model}')
        why = self._sdfgc('emit', out, level, model)
        if why:
            return None, why
        sources = cases.sources_of(out)
        if sources not in self._built:
            why = self._sdfgc('build', out, level, model)
            self._built[sources] = (None, why) if why else (cases.library_of(out), '')
        return self._built[sources]

    def results(self, library, threads):
        """The results of the program, or a description of the error."""
        if (library, threads) not in self._results:
            self._results[library, threads] = self._called(library, threads)
        return self._results[library, threads]

    def _sdfgc(self, command, out, level, model):
        done = subprocess.run([self._options.sdfgc, command, os.path.join(self._folder, 'program.sdfg'), '-o', out, '-O', level,
                               '--fp-model', model, '--reductions', 'ordered', *cases.SMALL_TEAMS],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.calls_library = self.calls_library or '[SD5004]' in done.stderr
        return done.stderr.strip()[-300:] if done.returncode else ''

    def _called(self, library, threads):
        file = os.path.join(self._scratch, f'{threads}.npz')
        command = [sys.executable, os.path.abspath(__file__), '--one', self._folder, library, file]
        _, why = cases.run_alone(command, threads, LIMIT)
        if why:
            return None, why
        with np.load(file) as data:
            return {name: data[name] for name in data.files}, ''


def compared(options, folder):
    """The kind of a case, and a text for each build and number of threads with which something is wrong."""
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        builds = Builds(options, folder, scratch)
        library, why = builds.build('0', 'strict')
        if not library:
            return 'not built', [why]
        expected, why = builds.results(library, 1)
        if expected is None:
            return 'not run', [why]
        variants = [('0', 'strict')] + [(level, model) for model in options.models for level in options.levels]
        for level, model in dict.fromkeys(variants):
            library, why = builds.build(level, model)
            if not library:
                wrong.append(f'-O{level} {model}: {why}')
                continue
            for threads in options.threads:
                got, why = builds.results(library, threads)
                differ = [name for name in expected if got is not None and not same_bits(expected[name], got[name])]
                if why or differ:
                    wrong.append(f'-O{level} {model}, {threads} threads: ' + (why or ', '.join(differ) + ' differ'))
    if builds.calls_library:
        return ('differs, with libraries' if wrong else 'same bits, with libraries'), wrong
    return ('differs' if wrong else 'same bits'), wrong


def has_sums(folder):
    with open(os.path.join(folder, 'program.sdfg'), errors='replace') as f:
        return SUMS.search(f.read()) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(HERE, '../../build/bin/sdfgc'))
    parser.add_argument('--levels', type=lambda text: text.split(','), default=['1', '2', '3'])
    parser.add_argument('--models', type=lambda text: text.split(','), default=['strict'],
                        help='strict; with contract, the compiler decides what is fused, so bits may differ')
    parser.add_argument('--threads', type=lambda text: [int(n) for n in text.split(',')], default=[1, 2, 3, 8])
    parser.add_argument('--filter', default='')
    parser.add_argument('--sample', type=int, default=1, help='every N-th case only')
    parser.add_argument('--sums', action='store_true', help='only programs that sum up')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--verbose', action='store_true', help='a line for every case')
    parser.add_argument('--expect', metavar='FILE', action='append', default=[], help='cases that are known to differ, one in a line')
    parser.add_argument('--one', nargs=3, help=argparse.SUPPRESS)
    parser.add_argument('folders', nargs='*', metavar='FOLDER')
    options = parser.parse_args()
    if options.one:
        call(*options.one)
        return 0
    options.sdfgc = os.path.abspath(options.sdfgc)
    expected = cases.listed(options.expect)
    recorded = [c for c in cases.found(options.folders, options.filter) if not options.sums or has_sums(c)][::options.sample]
    counts = collections.Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for case, (kind, texts) in zip(recorded, pool.map(lambda c: compared(options, c), recorded)):
            if kind == 'differs' and cases.is_listed(case, expected):
                kind = 'as expected'
            counts[kind] += 1
            for text in texts or ([''] if options.verbose else []):
                print(f'{kind:11} {case}  {text}'.rstrip(), flush=True)
    print(', '.join(f'{n} {kind}' for kind, n in sorted(counts.items())))
    return 0 if counts['differs'] == 0 else 1


if __name__ == '__main__':
    sys.exit(main())

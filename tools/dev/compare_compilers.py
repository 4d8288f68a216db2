#!/usr/bin/python3
"""Does the C++ compiler change what programs compute? Recorded programs, random programs and random loops in C++, compiled with the flags of
generated code and again with -O1 -fno-tree-vectorize, must give the same results.

    tools/dev/compare_compilers.py [--sdfgc build/bin/sdfgc] [--cc g++] [--sample N] [--filter REGEX] [--random N] [--loops N] [--seed S]
                                   [--levels 0,2] [--jobs N] [--keep DIR] [FOLDER...]

FOLDERs hold recorded cases (every N-th with --sample). --random N makes N random programs by randomPrograms beside sdfgc, --loops N as many nests
of loops, which bypass sdfgc's passes: they find faults of a compiler, not of generated code, and many share one source. Sums are
ordered (--reductions ordered), so all results must be bitwise identical; recorded programs that call libraries may differ by the
order of sums. Prints a line for each difference and keeps its source below DIR; status 1 if a program differs.
"""
import argparse
import ctypes
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN = '-O1 -fno-tree-vectorize'
FLAGS = ['-std=c++20', '-O3', '-march=native', '-fPIC', '-ffp-contract=off', '-fno-math-errno', '-fno-trapping-math', '-fwrapv', '-w', '-shared']
LIMIT = 120  # seconds for one program


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=LIMIT, **more)


# ---- recorded programs

def one(folder, library, out):
    """In a separate process: the results of a recorded program."""
    np.savez(out, **cases.Case(folder, library).results())


def recorded(options, folder, scratch):
    """Describes the differences; none if there are none. A program that does not build or run either way is skipped."""
    left = []
    for kind, flags in (('fast', ''), ('plain', PLAIN)):
        out, results = os.path.join(scratch, kind), os.path.join(scratch, kind + '.npz')
        if run([options.sdfgc, 'build', '-q', os.path.join(folder, 'program.sdfg'), '-o', out, '--cc', options.cc, '--reductions', 'ordered',
                '--cflags', flags]).returncode:
            return None
        done = run([sys.executable, os.path.abspath(__file__), '--one', folder, cases.library_of(out), results])
        if done.returncode:
            return None
        with np.load(results) as data:
            left.append({name: data[name] for name in data.files})
    return next(filter(None, (cases.difference(name, left[0][name], left[1][name]) for name in left[0])), None)


# ---- random programs

def made(options, seed, scratch):
    """The graph of a seed, in text form."""
    path = os.path.join(scratch, 'program.sdfgt')
    tool = os.path.join(os.path.dirname(options.sdfgc), 'randomPrograms')
    done = run([tool, '--seed', str(seed), '--runs', '1', '--print'])
    with open(path, 'w') as f:
        f.write(done.stdout)
    return path


def random_program(options, seed, scratch):
    path, texts = made(options, seed, scratch), []
    for kind, flags in (('fast', ''), ('plain', PLAIN)):
        done = run([options.sdfgc, 'run', path, '--default', 'random', '--seed', str(seed), '-O', random.Random(seed).choice(options.levels),
                    '--cc', options.cc, '--reductions', 'ordered', '--cflags', flags, '-o', os.path.join(scratch, kind)])
        if done.returncode:
            return None
        texts.append(done.stdout.splitlines())
    return next((f'{a} / {b}' for a, b in zip(*texts) if a != b), None)


# ---- random loops

TYPES = {'int64_t': np.int64, 'int32_t': np.int32, 'int16_t': np.int16, 'int8_t': np.int8, 'uint32_t': np.uint32, 'double': np.float64,
         'float': np.float32}
SIZES = ((0, 1), (1, 1), (5, 1), (17, 2), (17, 1), (38, 3), (40, 1))  # N, K
ROOM, MIDDLE = 20000, 9000


class Loops:
    """A nest of loops over arrays A, B, C, D of one type, two values x and y, and indices X."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.type = self.random.choice(list(TYPES))
        self.text = self.nest()

    def index(self, variables):
        r = self.random
        kind = r.random()
        if kind < .1:
            terms = ' + '.join(f'{r.choice([0, 1, 1, -1])} * {v}' for v in variables)
            return f'{MIDDLE} + {r.choice(["N", "K", "40", "(K + 3)"])} * ({terms}) + {r.choice(["0", "1", *variables])}'
        if kind < .15:
            return f'{MIDDLE} + X[{MIDDLE} + {r.choice(variables)}]' + r.choice(['', f' + {r.choice(variables)}'])
        terms = ''.join(f' + {r.choice([-2, -1, -1, 0, 1, 1, 1, 2, "K", "-K", 7])} * {v}' for v in variables)
        if kind < .2:
            return f'{MIDDLE} + (0{terms}) {r.choice(["/ 2", "% 3", "% K"])}'
        return f'{MIDDLE}{terms}'

    def operand(self, variables):
        r = self.random
        kind = r.random()
        if kind < .15:
            return f'({self.type})' + r.choice(variables)
        if kind < .25:
            return f'({self.type})({r.choice(list(TYPES)[:5])})({r.randint(1, 300)} + {r.choice(variables)})'
        if kind < .35:
            return r.choice(['x', 'y', '3'])
        return f'{r.choice("AABCD")}[{self.index(variables)}]'

    def value(self, variables):
        r = self.random
        text = self.operand(variables)
        for _ in range(r.choice([0, 1, 1, 2])):
            other = self.operand(variables)
            text = r.choice([f'({text} + {other})', f'({text} - {other})', f'({text} * {other})', f'({text} < {other} ? {text} : {other})'])
        return text

    def statement(self, variables):
        r = self.random
        target = r.choice('xy') if r.random() < .1 else f'{r.choice("BBC")}[{self.index(variables)}]'
        text = f'{target} {r.choice(["=", "=", "=", "+=", "-="])} {self.value(variables)};'
        kind = r.random()
        if kind < .1:
            return f'if ({self.operand(variables)} > {self.operand(variables)}) {text}'
        if kind < .15:
            return f'if ({self.operand(variables)} > {self.operand(variables)}) {text} else {self.statement(variables)}'
        return text

    def nest(self):
        r, heads = self.random, []
        variables = 'ijk'[:r.choice([1, 2, 2, 2, 3])]
        for v in variables:
            low, high, step = r.choice('0012'), r.choice(['N', 'N', 'N - 1', '16', '32']), r.choice([1, 1, 1, 1, 2, 3])
            heads.append(f'for (int64_t {v} = {low}; {v} < {high}; {v} += {step})' if r.random() < .5 else
                         f'for (int64_t {v} = {high} - 1; {v} >= {low}; {v} -= {step})')
        inner = ' '.join(self.statement(variables) for _ in range(r.choice([1, 1, 1, 2, 2, 3])))
        text = heads[-1] + ' { ' + inner + ' }'
        if len(variables) > 1 and r.random() < .25:
            text = '{ ' + text + ' ' + self.statement(variables[:-1]) + ' }'
        return ' '.join(heads[:-1] + [text])

    def function(self, name):
        t = self.type
        arrays = ', '.join(f'{t} *__restrict {a}' for a in 'ABCD')
        return (f'extern "C" __attribute__((noinline)) void {name}({arrays}, int64_t N, int64_t K, const int64_t *__restrict X, {t} *__restrict xy) '
                f'{{ {t} x = xy[0], y = xy[1]; {self.text} xy[0] = x; xy[1] = y; }}\n')

    def call(self, library, name, n, k):
        data = np.random.default_rng(5)
        memory = [data.integers(-3, 4, ROOM).astype(TYPES[self.type]) for _ in range(4)]
        indices, pair = data.integers(0, 4, ROOM), memory[0][:2].copy()
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*memory, indices, pair)]
        library[name](*pointers[:4], ctypes.c_int64(n), ctypes.c_int64(k), *pointers[4:])
        return memory + [pair]


def loops(options, first, count, scratch):
    """(seed, text) of nests that the compiler gets wrong. All nests of a source are compiled together."""
    nests = {seed: Loops(seed) for seed in range(first, first + count)}
    source = os.path.join(scratch, f'loops{first}.cpp')
    with open(source, 'w') as f:
        f.write('#include <cstdint>\n' + ''.join(nest.function(f'f{seed}') for seed, nest in nests.items()))
    libraries = []
    for kind, flags in (('fast', []), ('plain', PLAIN.split())):
        library = f'{source}.{kind}.so'
        done = subprocess.run([*options.cc.split(), *FLAGS, *flags, source, '-o', library], capture_output=True, text=True)
        if done.returncode:
            return [(first, f'{kind}: does not compile: {done.stderr[:300]}')]
        libraries.append(ctypes.CDLL(library))
    wrong = []
    for seed, nest in nests.items():
        for n, k in SIZES:
            a, b = (nest.call(library, f'f{seed}', n, k) for library in libraries)
            if not all(np.array_equal(p, q, equal_nan=p.dtype.kind == 'f') for p, q in zip(a, b)):
                wrong.append((seed, f'N={n} K={k} {nest.type}: {nest.text}'))
                break
    return wrong


# ---- all of it

def judged(options, kind, subject, judge):
    """A line for a difference; its files are kept."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            what = judge(options, subject, scratch)
        except subprocess.TimeoutExpired:
            return None
        if what and options.keep:
            shutil.copytree(scratch, os.path.join(options.keep, re.sub(r'\W+', '_', f'{kind}_{subject}')[-80:]), dirs_exist_ok=True)
    return f'{kind} {subject}: {what}' if what else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(HERE, '../../build/bin/sdfgc'))
    parser.add_argument('--cc', default='g++')
    parser.add_argument('--sample', type=int, default=1, help='every N-th recorded case only')
    parser.add_argument('--filter', default='')
    parser.add_argument('--random', type=int, default=0, help='so many random programs')
    parser.add_argument('--loops', type=int, default=0, help='so many nests of loops')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--levels', type=lambda text: text.split(','), default=['0', '2'], help='of random programs, one for each')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--keep', metavar='DIR')
    parser.add_argument('--one', nargs=3, help=argparse.SUPPRESS)
    parser.add_argument('folders', nargs='*', metavar='FOLDER')
    options = parser.parse_args()
    if options.one:
        return one(*options.one)
    options.sdfgc = os.path.abspath(options.sdfgc)
    work = [('case', c, recorded) for c in cases.found(options.folders, options.filter, options.sample)]
    work += [('random', s, random_program) for s in range(options.seed, options.seed + options.random)]
    wrong = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for line in pool.map(lambda w: judged(options, *w), work):
            wrong += bool(line)
            if line:
                print(line, flush=True)
    print(f'{len(work)} programs, {wrong} differ', flush=True)
    faults = 0
    for first in range(options.seed, options.seed + options.loops, 200):
        with tempfile.TemporaryDirectory() as scratch:
            for seed, what in loops(options, first, min(200, options.seed + options.loops - first), scratch):
                faults += 1
                print(f'loops {seed}: {what}', flush=True)
    print(f'{options.loops} nests of loops, {faults} differ: faults of the compiler')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

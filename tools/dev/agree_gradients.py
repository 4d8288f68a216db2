#!/usr/bin/python3
"""Do gradients agree between strategies, and between targets?

    tools/dev/agree_gradients.py [--sdfgc build/bin/sdfgc] [--options OPTIONS] [--grad OPTIONS] [--no-device] [--filter REGEX] [--every N]
                                 [--jobs N] [--timeout SECONDS] [--largest N] [--keep DIR] [PATH...]

A PATH (test/graphs by default) is a folder or a file. Programs are graphs and lit tests that hold some, recorded ones (graph_bits.py),
and those with sizes and inputs in a case.json (gradients.py; sizes beyond --largest are reduced). All real outputs of a program are
differentiated with respect to all real inputs, with `--strategy auto`, `store` and `recompute` and seeds from the caller. Inputs
are generated (square matrices are symmetric and positive definite; a line `# with NAME=VALUE ...` of a graph overrides them) until
the program itself runs in the interpreter without a fault. Then

    program       the program without gradients, in the interpreter: what it leaves, those with gradients have to leave as well
    interpreter   each strategy in the interpreter, which reports faults
    compiled      each strategy for the CPU, on one thread; new memory, tapes included, is full of large numbers
    seed 1, 2, 3  `auto` for CUDA, emulated: three orders of operations; memory of the device, tapes included, is full of values that are
                  reported where they arrive

must agree in all arrays, gradients and results. Strategies must agree in gradients of inputs and in results, since the final
gradients of results are unspecified. Real numbers may differ by the tolerance of the narrowest type in the graph (1e-12 of the
largest number of an array with float64), because the order of sums may differ; the output lists such differences. A strategy with
the same graph as `auto` is not run again.

Prints a line for each program: bitwise identical, equal up to the tolerance (with the differences), refused (with the code), or
DIFFERENT (with an element); or that it has no real numbers, or no inputs with which it runs. The line also names rejected
strategies, and runs that prove nothing because the program without gradients fails there or gives other results. Exit status: 1 if
something differs or fails.

--options are those of `sdfgc run` for compiled programs ('-O0 --cflags -O0', with which the order of sums is mostly that of the graph),
--grad further ones of `sdfgc grad`. With `--grad='--init accumulate'` fewer programs are bitwise identical, because loops
accumulate privately before they add to the caller's values. --keep saves graphs, results and command lines in DIR, in a folder for
each program.
"""
import argparse
import collections
import json
import math
import os
import re
import shlex
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

import graph_bits
from gradients import Case, Failure, filled, grad, inputs_in, sdfgc, sparse_rows

HERE = os.path.dirname(os.path.abspath(__file__))
STRATEGIES = ('auto', 'store', 'recompute')
REAL = re.compile(r'float(16|32|64)|bfloat16')
TOLERANCES = (('bfloat16', 5e-2), ('float16', 1e-2), ('float32', 1e-5), ('float64', 1e-12))
SEEDS = (1, 2, 3)
ALONE = {'OMP_NUM_THREADS': '1'}
MODES = {  # options of `sdfgc run`, and the environment
    'interpreter': ('--interpret', {}),
    'compiled': ('{options} -o {build}', {**ALONE, 'MALLOC_PERTURB_': '128'}),  # bytes 0x7f: 1.4e306, 3.4e38
    **{f'seed {n}': ('{options} --target cuda --emulate -o {build}-cuda', {**ALONE, 'SDFGC_EMULATE_SEED': str(n)}) for n in SEEDS},
}


# ---- programs

class Described:
    """A program whose sizes and array contents are in a case.json (Case)."""

    def __init__(self, folder, largest):
        self._case = Case(folder, os.path.basename(folder), largest)
        self.name, self.graph, self.limit = folder, self._case.graph, graph_bits.LIMIT

    def words(self, interface, folder):
        values, fills, rng = self._case.values, self._case.fills, np.random.default_rng(17)
        arrays = {a['name']: filled(Room(a), values, fills.get(a['name'], {}), a['name'], rng) for a in interface if a['kind'] == 'array'}
        if self._case.name == 'spmv':
            arrays.update(sparse_rows(values, arrays))
        for name, array in arrays.items():
            np.save(os.path.join(folder, name + '.npy'), np.ascontiguousarray(array))
        yield {**{name: os.path.join(folder, name + '.npy') for name in arrays}, **{name: str(v) for name, v in values.items()}}


class Room(NamedTuple):
    """Replaces an array of a program's Python module: it makes memory."""
    argument: dict

    def allocate(self, symbols):
        names = {**symbols, 'max': max, 'min': min, 'int_ceil': lambda a, b: -(-a // b), 'int_floor': lambda a, b: a // b}
        return np.zeros([eval(str(s), {}, names) for s in self.argument['shape']], self.argument['type'])


def symbols_of(interface):
    """Symbols among arguments, and others that sizes of arguments name."""
    named = {n for a in interface for s in a.get('shape', ()) for n in re.findall(r'[A-Za-z_]\w*(?!\w|\()', s)}
    return [a['name'] for a in interface if a['kind'] == 'symbol'] + sorted(named - {a['name'] for a in interface})


class Recorded(graph_bits.Recorded):
    def words(self, interface, folder):
        self.arguments(interface, folder)
        with open(os.path.join(folder, 'values')) as f:
            values = dict(line.strip().split('=', 1) for line in f)
        yield {**{file[:-4]: os.path.join(folder, file) for file in os.listdir(folder) if file.endswith('.npy')}, **values}


class Made(graph_bits.Made):
    """Real numbers are not near 0, integers and sizes what graph_bits has."""

    def words(self, interface, folder):
        symbols, given = symbols_of(interface), self._given()
        for integers, size in graph_bits.MADE_UP:
            sizes = {s: int(given.get(s, size(k))) for k, s in enumerate(symbols)}
            words = {a['name']: self._word(a, integers) for a in interface}
            yield {**words, **{s: str(n) for s, n in sizes.items()}, **self._files(interface, sizes, folder), **given}

    @staticmethod
    def _word(argument, integers):
        if argument['access'] == 'out':
            return 'zeros'
        if REAL.search(argument['type']):
            return 'random:0.5:1.5'
        return integers if argument['kind'] == 'array' else 'true' if argument['type'] == 'bool' else '2'

    @staticmethod
    def _files(interface, sizes, folder):
        """Arrays whose sizes are derived from files rather than arguments, and square matrices."""
        names, files = {a['name'] for a in interface}, {}
        for a in (a for a in interface if a['kind'] == 'array'):
            square = len(a['shape']) == 2 and len(set(a['shape'])) == 1 and a['type'] in ('float32', 'float64') and a['access'] != 'out'
            if square or not names.issuperset(symbols_of([a])):
                files[a['name']] = os.path.join(folder, a['name'] + '.npy')
                np.save(files[a['name']], filled(Room(a), sizes, {'fill': 'spd'} if square else {}, a['name'], np.random.default_rng(17)))
        return files

    def _given(self):
        if not self.graph.endswith('.sdfgt'):
            return {}
        with open(self.graph) as f:
            return dict(word.split('=', 1) for line in re.findall(r'^# with (.*)$', f.read(), re.M) for word in line.split())


def programs(options, scratch):
    for p in graph_bits.found(options.paths, scratch):
        if isinstance(p, graph_bits.Made):
            yield Made(p.name, p.graph)
        elif inputs_in(os.path.join(p.name, 'data.npz')):
            yield Recorded(p.name)
        else:
            yield Described(p.name, options.largest)


# ---- distances

class Distance(NamedTuple):
    """Compares two arrays: whether they are bitwise identical; if not, the largest difference relative to the largest number, and
    where."""
    equal: bool
    far: float = 0.0
    where: str = ''


def distance(name, a, b):
    if a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes():
        return Distance(True)
    if a.dtype != b.dtype or a.shape != b.shape:
        return Distance(False, np.inf, f'{name}: {a.dtype}{list(a.shape)} and {b.dtype}{list(b.shape)}')
    differ = (graph_bits.as_bytes(a) != graph_bits.as_bytes(b)).any(axis=1)
    off = differ * np.inf if a.dtype.kind not in 'fc' else parts_of_largest(a.ravel(), b.ravel())
    i = int(np.argmax(off)) if off.any() else int(np.argmax(differ))
    at = ', '.join(map(str, np.unravel_index(i, a.shape)))
    x, y = a.ravel()[i].item(), b.ravel()[i].item()
    return Distance(False, float(off[i]), f'{name}[{at}]: {x!r}, {{}} {y!r}; {int(differ.sum())} of {differ.size}')


def parts_of_largest(a, b):
    """How far each element is from the other one. Infinities and NaNs must be in the same places."""
    wide = np.complex128 if a.dtype.kind == 'c' else np.float64
    a, b = a.astype(wide), b.astype(wide)
    finite = np.isfinite(a) & np.isfinite(b)
    same = (a == b) | np.isnan(a) & np.isnan(b)
    with np.errstate(all='ignore'):
        largest = max(np.abs(a[finite]).max(initial=0), np.abs(b[finite]).max(initial=0), np.finfo(np.float64).tiny)
        return np.where(same, 0, np.where(finite, np.abs(a - b) / largest, np.inf))


# ---- one program

class Different(Exception):
    """Describes an error."""


class Subject:
    """A program and its gradients: `kind` is the outcome, `text` the rest of the line."""

    def __init__(self, options, program):
        self._options, self.program = options, program
        self.kind, self.text, self.notes = '', '', []
        self.compared = collections.Counter()  # (pair of ways, whether to the bit)
        self._farthest = {}  # by pair of ways, where bits differ
        with tempfile.TemporaryDirectory() as scratch:
            self._folder = os.path.join(os.path.abspath(options.keep or scratch), re.sub(r'\W+', '_', program.name))
            os.makedirs(os.path.join(self._folder, 'inputs'), exist_ok=True)
            try:
                self._check()
            except Different as e:
                self.kind, self.text = 'different', str(e)
            except Failure as e:
                self.kind, self.text = e.kind, str(e)

    def line(self):
        notes = ''.join(f'; {n}' for n in self.notes)
        if self.kind == 'same':
            far = max(self._farthest.values(), default=None)
            what = 'bits' if far is None else ', '.join(self._farthest)
            return f'{self.program.name}: the same {f"to {far:.0e} " if far is not None else ""}({what}){notes}'
        shown = {'different': 'DIFFERENT', 'none': 'without:', 'program': 'without: the program itself:'}
        return f'{self.program.name}: {shown.get(self.kind, self.kind)} {self.text}{notes}'

    # -- the steps

    def _check(self):
        self._interface = self._info(self.program.graph)
        real = [a for a in self._interface if a['kind'] in ('array', 'scalar') and REAL.fullmatch(a['type'])]
        self._of = [a['name'] for a in real if a['kind'] == 'array' and a['access'] in ('out', 'inout')]
        self._wrt = [a['name'] for a in real if a['access'] in ('in', 'inout') and not a['name'].startswith('__return')]
        self._results = [a['name'] for a in self._interface if a['kind'] == 'array' and a['access'] in ('out', 'inout')]
        if not self._of or not self._wrt:
            raise Failure('none', 'no real output' if not self._of else 'no real input')
        graphs = self._graphs()
        self._left = self._choose_arguments()
        results = {s: self._strategy(s, graphs[s]) for s in graphs}
        self._agree('program and gradient', 'auto, interpreter', results['auto'], 'the program', self._left, self._results)
        names = self._results + ['gradient_' + w for w in self._wrt]
        for s in results:
            if s != 'auto' and results[s] is not results['auto']:
                self._agree('strategies', f'{s}, interpreter', results[s], 'auto', results['auto'], names)
        if not self._options.no_device:
            for n in SEEDS:
                self._other_way('CPU and device', 'auto', graphs['auto'], f'seed {n}', results['auto'])
        self.kind = 'same'

    def _graphs(self):
        """The graphs of gradients, by strategy; a rejected strategy has none."""
        made = {}
        for s in STRATEGIES:
            try:
                made[s] = grad(self._options, self.program.graph, self._of, self._wrt, os.path.join(self._folder, s + '.sdfgt'),
                               '--seed', 'argument', '--strategy', s, *shlex.split(self._options.grad))
            except Failure as e:
                if e.kind != 'refused' or not re.match('SD47', str(e)):
                    raise Different(f'sdfgc grad --strategy {s}: {e}') from e
                if s == 'auto':
                    raise
                self.notes.append(f'{s}: refused {str(e)[:6]}')
        with open(made['auto']) as f:
            text = f.read()
        self._tolerance = next((t for name, t in TOLERANCES if re.search(rf'\b{name}\b', text)), 1e-12)
        return made

    def _choose_arguments(self):
        """Takes the first arguments with which the program runs in the interpreter without a fault; returns its results."""
        failures = []
        try:
            for self._words in self.program.words(self._interface, os.path.join(self._folder, 'inputs')):
                try:
                    return self._call(self.program.graph, 'program', 'interpreter', self.program.limit)
                except Failure as e:
                    failures.append(e)
        except (KeyError, NameError, TypeError, ValueError) as e:  # sizes that follow from nothing
            failures.append(f'no inputs: {e}')
        raise Failure('program', str(failures[0]))

    def _strategy(self, strategy, graph):
        """The interpreter's results for a strategy; its compiled program must give the same."""
        if strategy != 'auto' and same_text(graph, self._auto):
            return self._auto_left
        try:
            left = self._call(graph, strategy, 'interpreter')
        except Failure as e:
            raise Different(f'{strategy}, interpreter: {e}') from e
        if strategy == 'auto':
            self._auto, self._auto_left = graph, left
        self._other_way('interpreter and compiled', strategy, graph, 'compiled', left)
        return left

    def _other_way(self, pair, strategy, graph, mode, expected):
        """Compares the results of a mode with the interpreter's."""
        try:
            left = self._call(graph, strategy, mode)
            self._agree(pair, f'{strategy}, {mode}', left, 'interpreter', expected, list(expected))
        except (Failure, Different) as e:
            if not (why := self._fault_of_program(mode)):
                raise e if isinstance(e, Different) else Different(f'{strategy}, {mode}: {e}') from e
            if why not in self.notes:
                self.notes.append(why)

    def _fault_of_program(self, mode):
        """Describes an error of the program without gradients in a mode; then a wrong gradient in that mode proves nothing."""
        try:
            left = self._call(self.program.graph, 'program', mode)
        except Failure as e:
            return f'not {mode}: {e}'
        wrong = (d for d in (distance(n, left[n], self._left[n]) for n in self._left) if not d.far <= self._tolerance)
        return next((f'not {mode}, where the program leaves {d.where.format("in the interpreter")}' for d in wrong), None)

    def _agree(self, pair, here, left, there, expected, names):
        for name in names:
            if name not in left:
                raise Different(f'{here}: {name} is no argument')
            d = distance(name, left[name], expected[name])
            self.compared[pair, d.equal] += 1
            if not d.far <= self._tolerance:
                raise Different(f'{here}: {d.where.format(there)}')
            if not d.equal:
                self._farthest[pair] = max(self._farthest.get(pair, 0.0), d.far)

    # -- calls

    def _info(self, graph):
        try:
            return json.loads(self._sdfgc(['info', '--json', graph], {}))['arguments']
        except Failure as e:
            raise Failure('program', str(e)) from e

    def _call(self, graph, label, mode, limit=math.inf):
        """The contents of a graph's arrays after a run."""
        interface = self._info(graph)
        words = {a['name']: self._words.get(a['name'], 'random:-1:1' if a['name'].startswith('gradient_') else '') for a in interface}
        files = {a['name']: os.path.join(self._folder, f'{label}-{mode.replace(" ", "-")}-{a["name"]}.npy') for a in interface
                 if a['kind'] == 'array' and (a['access'] != 'in' or a['name'] in self._results)}  # nothing may write to those any more
        more, environment = MODES[mode]
        report = os.path.join(self._folder, 'reports')
        if mode.startswith('seed'):
            environment = {**environment, 'SDFGC_EMULATE_REPORT': report}
        more = more.format(options=self._options.options, build=shlex.quote(os.path.join(self._folder, label)))
        command = ['run', graph, *shlex.split(more), '--seed', '7', '--timeout', str(min(limit, self._options.timeout))]
        try:
            self._sdfgc([*command, '-q', '--diagnostics', 'json', *(f'--arg={n}={w}' for n, w in words.items() if w),
                         *(f'--out={n}={f}' for n, f in files.items())], environment)
        finally:
            said = graph_bits.reports_in(report)
        if said:
            raise Failure('reported', said[0])
        return {name: np.load(file) for name, file in files.items()}

    def _sdfgc(self, words, environment):
        words = [self._options.sdfgc, *words]
        with open(os.path.join(self._folder, 'commands'), 'a') as f:
            f.write(' '.join([f'{n}={v}' for n, v in environment.items()] + [shlex.quote(w) for w in words]) + '\n')
        return sdfgc(words, words[1], 3 * self._options.timeout, environment)[0]


def same_text(a, b):
    with open(a) as f, open(b) as g:
        return f.read() == g.read()


# ---- all programs

def summary(subjects):
    kinds = collections.Counter(s.kind for s in subjects)
    exact = sum(s.kind == 'same' and not any(n for (_, equal), n in s.compared.items() if not equal) for s in subjects)
    codes = collections.Counter(s.text[:6] for s in subjects if s.kind == 'refused')
    refused = f' ({", ".join(f"{code} {n}" for code, n in codes.most_common())})' if codes else ''
    yield (f'{len(subjects)} programs: {kinds["same"]} the same ({exact} of them to the bit), {kinds["refused"]} refused{refused}, '
           f'{kinds["none"] + kinds["program"]} without, {kinds["different"]} different')
    compared = sum((s.compared for s in subjects), collections.Counter())
    pairs = dict.fromkeys(pair for pair, _ in compared)
    counts = (f'{pair} {compared[pair, True]} of {compared[pair, True] + compared[pair, False]}' for pair in pairs)
    yield f'arrays that are the same to the bit: {", ".join(counts) or "none was compared"}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(HERE, '../../build/bin/sdfgc'))
    parser.add_argument('--options', default='-O0 --cflags -O0', help='of sdfgc run, for compiled programs')
    parser.add_argument('--grad', default='', help='further options of sdfgc grad')
    parser.add_argument('--no-device', action='store_true', help='nothing for the emulated GPU')
    parser.add_argument('--filter', default='', help='only programs whose path matches')
    parser.add_argument('--every', type=int, default=1, help='every N-th program only')
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--timeout', type=int, default=60, help='seconds for one call')
    parser.add_argument('--largest', type=int, default=12, help='sizes of a case.json beyond this become small')
    parser.add_argument('--keep')
    parser.add_argument('paths', nargs='*', default=[os.path.join(HERE, '../../test/graphs')], metavar='PATH')
    options = parser.parse_args()
    options.sdfgc, options.paths = os.path.abspath(options.sdfgc), [os.path.normpath(p) for p in options.paths]
    subjects = []
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        chosen = [p for p in programs(options, scratch) if re.search(options.filter, p.name)][::options.every]
        if not chosen:
            sys.exit('there are no programs')
        for subject in pool.map(lambda p: Subject(options, p), chosen):
            subjects.append(subject)
            print(subject.line(), flush=True)
    print('\n'.join(summary(subjects)))
    return 1 if any(s.kind == 'different' for s in subjects) else 0


if __name__ == '__main__':
    sys.exit(main())

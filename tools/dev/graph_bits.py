#!/usr/bin/python3
"""Do GPU programs compute the same bits on all paths: from streams, from GPU graphs, and on the host path of graphs?

    tools/dev/graph_bits.py [--sdfgc build/bin/sdfgc] [--seed N] [--min-nodes N] [--cflags FLAGS] [--options OPTIONS] [--filter REGEX]
                            [--sample N] [--jobs N] [--device] PATH...

A PATH is a folder or a file. Programs are

- recorded ones: folders with program.sdfg, case.json and data.npz (cases.py), called with what was recorded;
- graphs (.sdfg, .sdfgz, .sdfgt), and those that lit tests (.test) consist of or hold in parts. `sdfgc run` makes up their arguments; symbols
  are tried with one list of sizes after another, until the program runs on streams without a report of the emulation.

Each is built for the emulated CUDA twice, with --gpu-graph off and with auto, in which regions of one operation are graphs, too (--min-nodes).
The device of the emulation decides at run time what becomes of the latter:

    streams   built without graphs
    graph     a device that can do everything: loops and branches are nodes
    flat      one whose graphs have no loops and branches: the host path for regions with them
    host      one without graphs: the host path everywhere

Each path is called three times with the same inputs, so that graphs are launched again, with seed 0 of the emulation and with another one
(--seed); streams and graphs with seed 0 also once. All bytes of all arrays must match the results of streams with seed 0, including
NaN. Reports of the emulation and failures of a path count as differences.

The results of some programs depend on the order of operations: atomic sums of real numbers, for instance. They are detected as
follows: results of streams differ with the other seed or, if only paths differ with it, with one of a few more seeds. With such a
seed the order also differs between paths, so only seed 0, which keeps the order of the graph, is compared. If two runs of streams
with seed 0 differ, nothing can be compared.

With --device the programs run on the GPU of this machine: streams, graph and host, without seeds. Regions for which the driver
cannot make a graph are noted, as in the emulation. On a GPU the order of atomic sums differs in each call, so such programs are not
repeatable.

Prints a line for each difference, for each program that is skipped, with the reason, for each whose results depend on the order, with how much,
and for each region that a device that can do everything refused; then a line of counts:

    programs         all that were found
    with regions     that have a graph with --gpu-graph auto, and how many launched one
    without regions  whose sources are the same with and without graphs: these are not built
    equal, order-dependent (the same with seed 0), not repeatable (not even that), skipped, different

Exit status: 0 if nothing differs.
"""
import argparse
import collections
import json
import os
import re
import shlex
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

import cases
from gradients import Failure, sdfgc
from split_file import parts

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 120  # seconds for the calls of one path
LIMIT_MADE_UP = 10  # with arguments that were made up: loops may not end with them
CALLS = 3
MORE_SEEDS = 10  # the end of those that are tried, on streams, where paths differ with another seed
UNWRITTEN = 'sdfgc emulation: uninitialised value: '
GRAPHS = ('.sdfg', '.sdfgz', '.sdfgt')
# Paths of a program with graphs, and what they find in the environment.
EMULATED = {path: {'SDFGC_EMULATE_GRAPHS': device} for path, device in (('graph', 'full'), ('flat', 'flat'), ('host', 'none'))}
ON_A_DEVICE = {'graph': {}, 'host': {'SDFGC_GPU_GRAPH': '0'}}
# What arrays hold, and the size that the k-th symbol is: numbers of `random` are below 10, so they are indices of arrays of most of these.
MADE_UP = (('random', lambda k: 12 + k), ('random', lambda k: 12), ('random', lambda k: 64), ('range', lambda k: 300), ('random', lambda k: 1),
           ('zeros', lambda k: 12 + k))


# ---- programs

class Recorded:
    """A program with recorded inputs."""
    limit = LIMIT

    def __init__(self, folder):
        self.name, self.graph, self._folder = folder, os.path.join(folder, 'program.sdfg'), folder

    def arguments(self, interface, scratch):
        """Options of `sdfgc run`: lists of which one will do."""
        ranks = {a['name']: len(a['shape']) for a in interface if a['kind'] == 'array'}
        with open(os.path.join(self._folder, 'case.json')) as f:
            described = json.load(f)['args']
        with np.load(os.path.join(self._folder, 'data.npz')) as data, open(os.path.join(scratch, 'values'), 'w') as values:
            for a in described:
                memory = data['in_' + a['name']]
                if a['kind'] == 'array':
                    np.save(os.path.join(scratch, a['name'] + '.npy'), memory if ranks.get(a['name']) == 1 else shaped(memory, a))
                else:
                    values.write(f'{a["name"]}={memory.flat[0].item()}\n')
        return [['--input', scratch]]


class Made:
    """A graph whose arguments are made up."""
    limit = LIMIT_MADE_UP

    def __init__(self, name, graph):
        self.name, self.graph = name, graph

    def arguments(self, interface, _):
        """Options of `sdfgc run`: lists of which one will do."""
        symbols = dict.fromkeys(a['name'] for a in interface if a['kind'] == 'symbol')
        return [['--default', values, *(w for k, s in enumerate(symbols) for w in ('--arg', f'{s}={size(k)}'))] for values, size in MADE_UP]


def shaped(memory, argument):
    """The array in recorded memory, which is flat."""
    strides = [s * memory.dtype.itemsize for s in argument['strides']]
    return np.lib.stride_tricks.as_strided(memory, argument['shape'], strides)


def found(paths, scratch):
    """All programs below the paths, in order. Parts of tests are written below `scratch`."""
    files = sorted({file for path in paths for file in files_below(path)})
    recorded = {os.path.dirname(f) for f in files if os.path.basename(f) == 'case.json'}
    for file in files:
        if os.path.dirname(file) in recorded:
            if file.endswith('case.json'):
                yield Recorded(os.path.dirname(file))
        elif file.endswith(GRAPHS):
            yield Made(file, file)
        elif file.endswith('.test'):
            yield from in_test(file, scratch)


def files_below(path):
    """All files of a folder, or the file itself."""
    if os.path.isfile(path):
        return [path]
    return [os.path.join(root, file) for root, _, files in os.walk(path) for file in files]


def in_test(test, scratch):
    """The graphs of a test: its parts, or itself. Those that require GPU graphs may have them, else streams would be refused."""
    folder = os.path.join(scratch, re.sub(r'\W', '_', test))
    os.makedirs(folder)
    whole = os.path.join(folder, 'whole.sdfgt')
    with open(test) as f, open(whole, 'w') as to:
        text = re.sub(r'\(gpu_graph = require\)', '(gpu_graph = auto)', f.read())
        to.write(text)
    written = parts(whole, folder)
    for part in written:
        if part.endswith(GRAPHS):
            yield Made(f'{test}:{os.path.basename(part)}', part)
    if not written and re.search(r'^sdfg \w', text, re.M):
        yield Made(test, whole)


# ---- calls

class Way(NamedTuple):
    """How a program is called."""
    path: str
    seed: int
    calls: int = CALLS

    def __str__(self):
        return f'{self.path}, seed {self.seed}, {self.calls} call{"s" if self.calls > 1 else ""}'


class Builds:
    """A program with and without graphs, in a folder that goes when all is compared."""

    def __init__(self, options, program, scratch):
        self._options, self._program, self._scratch = options, program, scratch
        self._arguments = []  # options of `sdfgc run`
        self._manifests = {mode: self._emit(mode) for mode in ('auto', 'off')}
        self._interface = self._manifests['off']['arguments'] + self._manifests['off']['init_arguments']
        self._outputs = [a['name'] for a in self._interface if a['kind'] == 'array']
        self._is_partial = False  # leaves elements that nothing has written, which the emulation reports
        self._folder('results')

    def _folder(self, name):
        path = os.path.join(self._scratch, name)
        os.makedirs(path)
        return path

    def _emit(self, mode):
        out = os.path.join(self._scratch, 'emitted', mode)
        self._sdfgc('emit', mode, '-o', out)
        with open(os.path.join(out, 'manifest.json')) as f:
            return json.load(f)

    def _sdfgc(self, command, mode, *more, environment=None):
        o = self._options
        words = [o.sdfgc, command, '-q', '--diagnostics', 'json', self._program.graph, '--target', 'cuda', '--gpu-graph', mode,
                 *([] if o.device else ['--emulate']), '--pass-option', f'form-gpu-graphs.min-nodes={o.min_nodes}', *shlex.split(o.options), *more]
        return sdfgc(words, command, 2 * LIMIT, environment)[0]

    @property
    def regions(self):
        return len(self._manifests['auto'].get('gpu_graphs', []))

    def are_the_same(self):
        """The compiler gets the same sources with and without graphs."""
        texts = [cases.sources_of(os.path.join(self._scratch, 'emitted', mode)) for mode in ('auto', 'off')]
        return self.regions == 0 and texts[0] == texts[1]

    def call(self, way):
        """What arrays hold after the last call, by name, and the counters of the graphs."""
        mode = 'off' if way.path == 'streams' else 'auto'
        files = {name: os.path.join(self._scratch, 'results', name + '.npy') for name in self._outputs}
        report = os.path.join(self._scratch, 'report')
        environment = {'SDFGC_EMULATE_SEED': str(way.seed), 'SDFGC_EMULATE_REPORT': report, **self.paths.get(way.path, {})}
        outputs = [word for name, file in files.items() for word in ('--out', f'{name}={file}')]
        try:
            text = self._sdfgc('run', mode, '-o', os.path.join(self._scratch, mode), '--cflags', self._options.cflags, '--json', '--stats',
                               '--repeat', str(way.calls), '--timeout', str(self._program.limit), *self._arguments, *outputs,
                               environment=environment)
        finally:
            reports = reports_in(report)
        if said := [r for r in reports if not (self._is_partial and UNWRITTEN in r)]:
            raise Failure('reported', said[0])
        printed = '\n' + text  # by the program, and the counters after it
        return {name: np.load(file) for name, file in files.items()}, json.loads(printed[printed.rindex('\n{\n'):])['gpuGraphs']

    @property
    def paths(self):
        return ON_A_DEVICE if self._options.device else EMULATED

    def choose_arguments(self):
        """Takes the first arguments with which the program runs on streams; returns what it leaves."""
        pinned = [a['name'] for a in self._interface if a.get('storage') == 'CPU_Pinned']
        if pinned:
            raise Failure('page-locked', f'the caller has to lock the memory of `{pinned[0]}`, which `sdfgc run` does not')
        failures = []
        choices = list(self._program.arguments(self._interface, self._folder('inputs')))
        for self._is_partial in (False, True):
            for self._arguments in choices:
                try:
                    return self.call(Way('streams', 0))[0]
                except Failure as failure:
                    failures.append(failure)
            if not any(UNWRITTEN in str(f) for f in failures):
                break
        raise failures[0]


def reports_in(path):
    """The reports in a file of the emulation, which is removed."""
    if not os.path.exists(path):
        return []
    with open(path, errors='replace') as f:
        lines = f.read().splitlines()
    os.remove(path)
    return [line for line in lines if line.startswith('sdfgc emulation: ')]


# ---- comparison

def same(a, b):
    return all(a[name].tobytes() == b[name].tobytes() for name in a)


def difference(expected, got):
    """Describes the first element of each array whose bytes differ."""
    for name, e in expected.items():
        g = got[name]
        if e.dtype != g.dtype or e.shape != g.shape:
            yield f'{name}: {g.dtype}{list(g.shape)}, on streams {e.dtype}{list(e.shape)}'
        elif e.tobytes() != g.tobytes():
            wrong = (as_bytes(e) != as_bytes(g)).any(axis=1)
            i = int(np.argmax(wrong))
            at = ', '.join(map(str, np.unravel_index(i, e.shape)))
            yield f'{name}[{at}] = {shown(g, i)}, on streams {shown(e, i)}; {int(wrong.sum())} of {wrong.size}'


def as_bytes(array):
    """A row of bytes for each element."""
    return np.frombuffer(array.tobytes(), np.uint8).reshape(array.size, -1)


def shown(array, i):
    """A value with its bits, which tell NaNs and zeros apart."""
    value = array.ravel()[i]
    return f'{value.item()!r} (0x{value.tobytes()[::-1].hex()})'


def spread(expected, got):
    """Describes how far results in another order are from the first ones."""
    found = []
    for name, e in expected.items():
        if e.tobytes() == got[name].tobytes():
            continue
        wide = np.complex128 if e.dtype.kind == 'c' else np.float64
        with np.errstate(all='ignore'):
            far = np.abs(got[name].astype(wide) - e.astype(wide)) / np.maximum(np.abs(e.astype(wide)), np.finfo(np.float64).tiny)
        found.append(f'{name} by up to {np.nanmax(far, initial=0):.1e} of its values')
    return ', '.join(found)


class Comparison:
    """The outcome of a program: its kind, lines about it, the number of its regions, and whether it launched one."""

    def __init__(self, options, program):
        self._options = options
        self.kind, self.lines, self.notes = 'skipped', [], []
        self.regions, self.launched = 0, False
        with tempfile.TemporaryDirectory() as scratch:
            try:
                self.kind = self._compare(Builds(options, program, scratch))
            except Failure as failure:
                self.lines.append(f'skipped: {failure.kind}: {failure}')

    def _compare(self, builds):
        self.regions = builds.regions
        if builds.are_the_same():
            return 'without regions'
        left = builds.choose_arguments()
        more_seeds = [] if self._options.device else [self._options.seed]
        other = self._other(builds, left, more_seeds)
        seeds = [0] if other else [0, *more_seeds]
        wrong = [w for path in builds.paths for seed in seeds for w in self._differences(builds, Way(path, seed), left)]
        if not other and any(way.seed for way, _ in wrong):  # a sum may come out the same in one other order
            other = self._other(builds, left, range(2, MORE_SEEDS))
        once = self._called(builds, Way('streams', 0, 1))
        if once:
            wrong += self._differences(builds, Way('graph', 0, 1), once)
        self.lines += [f'different: {way}: {text}' for way, text in wrong if not (other and way.seed)]
        return self._judged(builds, left, other) if self.lines or other else 'equal'

    def _judged(self, builds, left, other):
        """Classifies differences."""
        again = self._called(builds, Way('streams', 0))
        if again and not same(left, again):
            self.lines = ['not repeatable: ' + spread(left, again)]
            return 'not repeatable'
        if self.lines:
            return 'different'
        self.lines.append('order-dependent: ' + spread(left, other))
        return 'order-dependent'

    def _other(self, builds, left, seeds):
        """The results on streams with the first seed for which they differ."""
        results = (self._called(builds, Way('streams', seed)) for seed in seeds)
        return next((r for r in results if r and not same(left, r)), None)

    def _called(self, builds, way):
        """The results of a program. Failures count as differences, because the program ran on streams."""
        try:
            left, counters = builds.call(way)
        except Failure as failure:
            self.lines.append(f'different: {way}: {failure.kind}: {failure}')
            return None
        if way == Way('graph', 0):
            self.launched = any(c['launches'] for c in counters)
            self.notes += [f'note: {c["name"]} took the host path: {c["lastReason"]}' for c in counters if c['hostPath']]
        return left

    def _differences(self, builds, way, expected):
        """Pairs of a path and a description of its difference."""
        got = self._called(builds, way)
        return [(way, text) for text in difference(expected, got)] if got else []


def summary(results):
    kinds = collections.Counter(r.kind for r in results)
    regions = [r for r in results if r.regions]
    counts = ', '.join(f'{kinds[kind]} {kind}' for kind in ('without regions', 'equal', 'order-dependent', 'not repeatable', 'skipped', 'different'))
    return f'{len(results)} programs, {len(regions)} with regions ({sum(r.launched for r in regions)} launched one), {counts}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(HERE, '../../build/bin/sdfgc'))
    parser.add_argument('--seed', type=int, default=1, help='of the emulation, beside 0')
    parser.add_argument('--min-nodes', type=int, default=1, help='operations of the smallest graphs; sdfgc has 4')
    parser.add_argument('--cflags', default='-O1', help='of the C++ compiler')
    parser.add_argument('--options', default='', help="further options of sdfgc: '--pass-option keep-loops-on-device.counted=true'")
    parser.add_argument('--filter', default='', help='only programs whose path matches')
    parser.add_argument('--sample', type=int, default=1, help='every N-th program only')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--device', action='store_true', help='on the GPU of this machine, not on the emulated one')
    parser.add_argument('paths', nargs='+', metavar='PATH')
    options = parser.parse_args()
    options.sdfgc = os.path.abspath(options.sdfgc)
    results = []
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        programs = [p for p in found(options.paths, scratch) if re.search(options.filter, p.name)][::options.sample]
        for program, result in zip(programs, pool.map(lambda p: Comparison(options, p), programs)):
            results.append(result)
            for line in result.lines + result.notes:
                print(f'{program.name}: {line}', flush=True)
    print(summary(results))
    return 1 if any(r.kind == 'different' for r in results) else 0


if __name__ == '__main__':
    sys.exit(main())

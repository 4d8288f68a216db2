#!/usr/bin/python3
"""How fast are GPU programs? Graphs compiled by sdfgc, measured on the GPU of this machine; prints tables as docs/user/benchmarks.md has them:

  copies    the bandwidth of each way in which a copy is made, beside a plain copy of as many bytes in the same direction
  kernels   programs beside kernels that a person would write (gpu_bench/by_hand), and beside library nodes
  overlap   independent chains of copies and kernels on 1, 2 and 4 streams

and, asked for by `bench_gpu.py graphs`,

  graphs    many small kernels launched one by one, as one GPU graph of sdfgc, and as one by hand; what changes and a build cost
  loops     a loop whose end the device decides: from the host, and as a node of a GPU graph

and, asked for by `bench_gpu.py programs`,

  programs  24 programs of different fields (gpu_bench/programs), which sdfgc optimises and moves to the device, beside the same by hand:
            times, their ratio, the operations of a call, and what stays on the host

Times are medians of several calls after one that warms up, from the call to its return: programs wait for the device. Data of the host
lies in page-locked memory. Every result is compared with NumPy's (those of `programs` with those by hand, and in the emulation both with the interpreter's), and the
way of every copy with the table of docs/user/gpu.md: a difference ends the script with status 1. No time does.

  tools/dev/bench_gpu.py                         on a machine with an NVIDIA GPU and nvcc; --target hip: an AMD GPU and hipcc
  tools/dev/bench_gpu.py --emulate               the same programs with little data on the emulated GPU; the times mean nothing
  tools/dev/bench_gpu.py graphs                  GPU graphs; the other options hold as well
  tools/dev/bench_gpu.py programs                programs by hand; the other options hold as well
  tools/dev/bench_gpu.py --compile-only --gpu-arch sm_90      does the device's compiler take them? Needs no GPU
  tools/dev/bench_gpu.py ... --folder DIR        builds there, and takes what an earlier run with the same options built
"""
import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import programs
from gpu_bench import beside, copies, loops, overlap, replay
from gpu_bench.kernels import KERNELS
from gpu_bench.measure import ByHand, measured, timed
from gpu_bench.suite import SUITE

HERE = os.path.dirname(os.path.abspath(__file__))
RUNTIME = os.path.join(HERE, '..', '..', 'runtime-headers')
COMPILERS = {
    'cuda': ['nvcc', '-std=c++20', '-O3', '-Xcompiler=-fPIC,-fvisibility=hidden'],
    'hip': ['hipcc', '-std=c++20', '-O3', '-fPIC', '-fvisibility=hidden', '-x', 'hip'],
    'emulated': ['g++', '-std=c++20', '-O0', '-fPIC', '-fvisibility=hidden', '-DSDFGC_GPU_EMULATE', '-x', 'c++'],
}
STREAMS = (1, 2, 4)


class Bench:
    """The measurements, their sizes, and the build folders."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.target = 'emulated' if options.emulate else options.target
        self.elements, self.width = (4096, 16) if options.emulate else (1 << 25, 1024)
        self.flags = ['--target', options.target, '--fp-model', 'contract']
        self.flags += ['--emulate', '--cflags', '-O0'] if options.emulate else ['--gpu-arch', options.gpu_arch] if options.gpu_arch else []
        wanted = lambda text: re.search(options.only, text)
        self.chains_of_graphs = self.loops = self.suite = []
        self.notes, self.left_out = {}, set()
        if options.what == 'programs':
            self.copies = self.kernels = self.streams = []
            self.suite = [b for b in SUITE if wanted(b.name)]
            return
        if options.what == 'graphs':
            self.copies = self.kernels = self.streams = []
            self.chains_of_graphs = [c for c in replay.all_chains(options.emulate) if wanted(f'{c.shape} {c.kernels}')]
            self.loops = [l for l in loops.all_loops(options.emulate) if wanted(l.shape)]
            return
        self.copies = [c for c in copies.copies(self.elements, self.width) if wanted(f'copies {c.what} {c.direction} {c.method}')]
        self.kernels = [k for k in KERNELS if wanted(f'kernels {k.name}')]
        self.streams = [s for s in STREAMS if wanted('overlap')]

    def size(self, kernel):
        return 70 if self.options.emulate else kernel.size

    def variants(self, kernel):
        return ['maps', 'library'] if kernel.library else ['maps']

    def chains(self, streams, rounds):
        return overlap.case(streams, self.elements // 4, rounds)

    def out(self, case):
        return os.path.join(self.folder, case.name)

    def folder_of(self, mode):
        """Different builds of a program are in different folders."""
        folder = os.path.join(self.folder, mode.replace(' ', '_'))
        os.makedirs(folder, exist_ok=True)
        return folder

    def build(self):
        """Builds everything requested, several at a time."""
        jobs = [(copies.case(c), []) for c in self.copies]
        jobs += [(k.case(v, self.size(k)), []) for k in self.kernels for v in self.variants(k)]
        jobs += [(self.chains(s, 1), ['--gpu-streams', s]) for s in self.streams]
        jobs = [(case.graph, self.folder, more) for case, more in jobs]
        jobs += [(c.graph(), self.folder_of(mode), replay.flags(mode)) for c in self.chains_of_graphs for mode in replay.MODES]
        jobs += [(loops.GRAPH, self.folder_of(mode), flags) for mode, flags in loops.MODES.items() if self.loops]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            by_hand = pool.submit(self.build_by_hand)
            builds = [pool.submit(programs.build, self.options.sdfgc, graph, folder, *self.flags, *more) for graph, folder, more in jobs]
            besides = {b.name: pool.submit(beside.build, self.options.sdfgc, b, self.folder, self.flags) for b in self.suite}
            self.notes = {name: build.result() for name, build in besides.items()}
            self.programs = len([build.result() for build in builds]) + len(self.notes)
            return by_hand.result()

    def build_by_hand(self):
        library = os.path.join(self.folder, 'by_hand.so')
        if os.path.exists(library):
            return library
        compiler, *flags = COMPILERS[self.target]
        names = ['device'] + (['graph', 'calls'] if self.options.what == 'graphs' else []) + [k.name for k in self.kernels]
        sources = [os.path.join(HERE, 'gpu_bench', 'by_hand', name + '.cu') for name in names] + [b.source for b in self.suite if not b.library]
        if self.options.emulate:
            sources.append(os.path.join(RUNTIME, 'sdfgc', 'rt', 'gpu_emulate.cpp'))
        elif self.options.gpu_arch:
            flags.append(('--offload-arch=' if self.target == 'hip' else '-arch=') + self.options.gpu_arch)
        found = shutil.which(compiler, path=os.environ['PATH'] + ':/usr/local/cuda/bin:/opt/cuda/bin:/opt/rocm/bin') or compiler
        compile_command = [found, *flags, '-I', RUNTIME]
        more = [beside.available(compile_command, b, self.target, self.folder) for b in self.suite if b.library]
        objects(compile_command, sources, sum(more, []), self.folder, library)
        return library


def objects(compile_command, sources, more, folder, library):
    """Compiles sources, several at a time, and links them and `more`."""
    out = lambda source: os.path.join(folder, os.path.splitext(os.path.basename(source))[0] + '.o')
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda source: programs.run([*compile_command, '-c', source, '-o', out(source)]), sources))
    as_they_are = [word for word in compile_command if word not in ('-x', 'c++', 'hip')]
    programs.run([*as_they_are, '-shared', *map(out, sources), *more, '-o', library])


def table(title, columns, rows):
    line = lambda cells: '| ' + ' | '.join(cells) + ' |'
    print(f'\n{title}\n', line(columns), '|' + '---|' * len(columns), *map(line, rows), sep='\n', flush=True)


def plain_copy(bench, by_hand, copy):
    """Seconds of one plain copy of the same size."""
    case = copies.case(copies.Copy('plain', copy.method, copy.direction, (copy.bytes // 8,), (1,), (1,)))
    move = lambda at: lambda: by_hand.device.copy(at['target'], at['source'], copy.bytes)
    return timed(case, 'a plain copy', move, by_hand.device, by_hand, bench.options.repeats)


def measure_copies(bench, by_hand):
    rows, plain = [], {}
    for copy in bench.copies:
        case = copies.case(copy)
        out = bench.out(case)
        copies.check_method(copy, out)
        seconds = measured(case, out, by_hand, bench.options.repeats)
        size = copy.direction, copy.bytes
        if size not in plain:
            plain[size] = plain_copy(bench, by_hand, copy)
        rows.append([copy.direction, copy.what, copy.method, f'{copy.bytes / seconds / 1e9:.1f}', f'{plain[size] / seconds:.2f}'])
    table('Copies: bandwidth, and its part of a plain copy\'s', ['direction', 'copy', 'method', 'GB/s', 'of a plain copy'], rows)


def measure_kernels(bench, by_hand):
    rows = []
    for kernel in bench.kernels:
        size, repeats = bench.size(kernel), bench.options.repeats
        cases = {v: kernel.case(v, size) for v in bench.variants(kernel)}
        hand = timed(cases['maps'], f'{kernel.name}, by hand', by_hand.caller(kernel.name, size), by_hand.device, by_hand, repeats)
        ratio = {v: f'{measured(case, bench.out(case), by_hand, repeats) / hand:.2f}' for v, case in cases.items()}
        rows.append([f'{kernel.name}, N = {size}', f'{hand * 1e3:.3f}', ratio['maps'], ratio.get('library', '')])
    table('Kernels: times, and their ratios to those by hand', ['program', 'by hand, ms', 'maps', 'library node'], rows)


def balanced_rounds(bench, by_hand):
    """The number of rounds with which kernels on one stream take as long as the copies in one direction."""
    if bench.options.emulate:
        return 3
    time = lambda rounds: measured(bench.chains(1, rounds), bench.out(bench.chains(1, rounds)), by_hand, 3)
    copying, probe = time(0), 256
    return max(1, round(copying / 2 / max((time(probe) - copying) / probe, 1e-9)))


def measure_overlap(bench, by_hand):
    rounds = balanced_rounds(bench, by_hand)
    cases = {s: bench.chains(s, rounds) for s in bench.streams}
    seconds = {s: measured(case, bench.out(case), by_hand, bench.options.repeats) for s, case in cases.items()}
    rows = [[str(s), f'{seconds[s] * 1e3:.2f}', f'{seconds[1] / seconds[s]:.2f}'] for s in seconds]
    table(f'Overlap: {overlap.CHAINS} chains of a copy in, a kernel that takes as long, and a copy out', ['streams', 'ms', 'times faster'], rows)


def measure_graphs(bench, by_hand):
    rows = []
    for chains in bench.chains_of_graphs:
        outs = {mode: os.path.join(bench.folder_of(mode), chains.name) for mode in replay.MODES}
        rows.append(replay.row(chains, outs, by_hand, bench.options.repeats))
    table('Small kernels: launched one by one, and as one graph', replay.COLUMNS, rows)


def measure_programs(bench, by_hand):
    options, rows, ratios = bench.options, [], {}
    results = options.emulate and not options.timed
    for b in bench.suite:
        note, has_hand = bench.notes[b.name], by_hand.has(b.name)
        if not has_hand:
            note = (note + '; ' if note else '') + f'by hand: {b.library} is not installed'
        pair = beside.Pair(b, by_hand, bench.folder, options.emulate, note, has_hand)
        if results:
            rows.append(pair.results_row(options.sdfgc))
        else:
            ratio, row = pair.times_row(options.repeats)
            rows.append(row)
            if ratio:
                ratios[b.name] = ratio
    columns = beside.RESULTS if results else beside.TIMES
    table('Programs beside the same by hand', columns, rows)
    if not results:
        print('\n' + beside.summary(ratios))


def measure_loops(bench, by_hand):
    outs = {mode: os.path.join(bench.folder_of(mode), 'converge') for mode in loops.MODES}
    rows = [loops.row(loop, outs, by_hand, bench.options.repeats) for loop in bench.loops]
    table('A loop whose end the device decides', loops.COLUMNS, rows)


def architecture():
    """The architecture of the first NVIDIA GPU here; nothing without its driver."""
    try:
        asked = subprocess.run(['nvidia-smi', '--query-gpu=compute_cap', '--format=csv,noheader'], stdout=subprocess.PIPE, text=True)
    except OSError:
        return None
    found = re.match(r'(\d+)\.(\d+)', asked.stdout)
    return f'sm_{found[1]}{found[2]}' if found else None


def parsed():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('what', nargs='?', choices=['graphs', 'programs'], help='GPU graphs, or programs by hand; default: copies, kernels and overlap')
    ap.add_argument('--sdfgc', default='build/bin/sdfgc')
    ap.add_argument('--target', choices=('cuda', 'hip'), default='cuda')
    ap.add_argument('--emulate', action='store_true', help='on the emulated GPU')
    ap.add_argument('--compile-only', action='store_true', help='build everything and run nothing')
    ap.add_argument('--gpu-arch', help='the GPU to compile for, sm_90 for example; default: the one that is here')
    ap.add_argument('--only', default='', metavar='REGEX', help='what is measured: copies, kernels, overlap, or names of those')
    ap.add_argument('--timed', action='store_true', help='of programs with --emulate, print times as on a device: a test of that table')
    ap.add_argument('--repeats', type=int, default=9)
    ap.add_argument('--folder', metavar='DIR', help='build there, and take what lies there already')
    o = ap.parse_args()
    if o.what and o.target == 'cuda' and not (o.emulate or o.compile_only) and not architecture():
        sys.exit('there is no GPU here: see --emulate and --compile-only')
    o.sdfgc = os.path.abspath(o.sdfgc)
    if o.target == 'cuda' and not (o.emulate or o.gpu_arch):
        o.gpu_arch = architecture()
    if o.emulate:
        o.repeats = 1
    return o


def main():
    options = parsed()
    with contextlib.nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder, exist_ok=True)
        bench = Bench(options, folder)
        library = bench.build()
        if options.compile_only:
            return print(f'{bench.programs} programs and {len(bench.kernels) + len(bench.suite)} kernels by hand compile for {options.gpu_arch or bench.target}')
        by_hand = ByHand(library)
        print(f'{by_hand.device_name()}, medians of {options.repeats} calls')
        for wanted, measure in ((bench.copies, measure_copies), (bench.kernels, measure_kernels), (bench.streams, measure_overlap),
                                (bench.chains_of_graphs, measure_graphs), (bench.loops, measure_loops), (bench.suite, measure_programs)):
            if wanted:
                measure(bench, by_hand)


if __name__ == '__main__':
    main()

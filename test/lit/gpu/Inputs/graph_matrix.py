"""Runs programs with GPU graphs in every way that there is, and compares results and counters.

    def jacobi(program):            # called with a new `Program`, which is closed behind it
        ...                         # calls it as often as it likes
        return [a, b]               # arrays, of which all bytes must be the same in every run

    graph_matrix.run({'jacobi': (jacobi, {'graph_start': Region(nodes=9, iterations=12)})})

The programs lie in GRAPHS/jacobi/python, ...; GRAPHS is the first argument of the script. A process of its own runs all of them on each of
these devices, with each seed of the emulation: one that can do everything, one without loops in graphs, one without graphs, one that has
no memory for any, and with SDFGC_GPU_GRAPH=0. Further arguments are folders with the same programs built without graphs: on streams, or
for the CPU. `Region` says what a graph counts on the device that can do everything, to the last number; what it has to count elsewhere
follows. Reports of the emulation, and whatever else is written to standard error, are failures.
"""
import ctypes
import hashlib
import importlib.util
import json
import os
import sys
import tempfile
import traceback
from glob import glob
from typing import NamedTuple

SEEDS = range(4)
CALLS = 3  # of most programs
NO_LOOPS, NO_GRAPHS = "the device's driver has no loops or branches in graphs", "the device's driver has no graphs"
NO_MEMORY = 'making the graph executable: out of memory (outOfMemory)'
# The variables, and why regions with loops, and others, take the host path: '' where they do not.
DEVICES = {
    'full': ({'SDFGC_EMULATE_GRAPHS': 'full'}, '', ''),
    'flat': ({'SDFGC_EMULATE_GRAPHS': 'flat'}, NO_LOOPS, ''),
    'none': ({'SDFGC_EMULATE_GRAPHS': 'none'}, NO_GRAPHS, NO_GRAPHS),
    'fail-instantiate': ({'SDFGC_EMULATE_GRAPHS': 'fail-instantiate'}, NO_MEMORY, NO_MEMORY),
    'switched off': ({'SDFGC_GPU_GRAPH': '0'}, 'SDFGC_GPU_GRAPH is 0', 'SDFGC_GPU_GRAPH is 0'),
}


class Region(NamedTuple):
    """What a graph counts where it is used. Regions without loops and branches have no iterations."""
    nodes: int  # of the last call; 0 if that one had nothing to do
    launches: int = CALLS
    builds: int = 1
    updates: int = 0
    iterations: int = -1
    evictions: int = 0
    empty: int = 0  # calls with nothing to do, which launch nothing

    def graph(self):
        return dict(entries=self.builds - self.evictions, builds=self.builds, launches=self.launches, updates=self.updates,
                    nodes_last=self.nodes, used_last=1, host_path=0, iterations_last=self.iterations, evictions=self.evictions,
                    last_reason='')

    def host_path(self, reason):
        """A device that has no memory for graphs comes to know that there is nothing to do; others are not asked."""
        calls, last = self.launches, 0
        if reason != NO_MEMORY:
            calls += self.empty
        elif self.nodes == 0:
            last = 1
        return dict(entries=0, builds=0, launches=0, updates=0, nodes_last=0, used_last=last, host_path=calls, iterations_last=-1,
                    evictions=0, last_reason=reason)

    def on(self, device):
        _, with_loops, without = DEVICES[device]
        reason = without if self.iterations == -1 else with_loops
        return self.host_path(reason) if reason else self.graph()


def load(folder, name):
    """The module of a program: two of the same name are different ones here."""
    file, = glob(os.path.join(folder, name, 'python', '*.py'))
    spec = importlib.util.spec_from_file_location(f'{folder}/{name}', file)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def structure(program, name):
    """A type of the program's module."""
    return getattr(sys.modules[type(program).__module__], name)


def library(folder, name):
    """Of a program, for what the emulation counts."""
    file, = glob(os.path.join(folder, name, 'lib', 'lib*.so'))
    return ctypes.CDLL(file)


def call_all(folder, programs):
    """Digest and counters of each program."""
    found = []
    for name, (call, _) in programs.items():
        with load(folder, name).Program() as program:
            digest = hashlib.sha256()
            for array in call(program):
                digest.update(f'{array.dtype} {array.shape} '.encode() + array.tobytes())
            found.append([digest.hexdigest(), {info.pop('name'): info for info in program.gpu_graphs()}])
    return found


def in_child(environment, work):
    """What `work()` returns, in a process of its own with these variables. A fork is quicker than another Python, and right: no program is
    loaded in this one."""
    with tempfile.TemporaryFile('w+') as answer, tempfile.TemporaryFile('w+') as errors:
        child = os.fork()
        if child == 0:
            os.dup2(errors.fileno(), 2)
            os.environ.update(environment)
            try:
                json.dump(work(), answer)
                answer.flush()
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
                os._exit(1)
        status = os.waitpid(child, 0)[1]
        errors.seek(0)
        written = errors.read()
        assert status == 0 and not written, f'{environment}: status {status}\n{written}'
        answer.seek(0)
        return json.load(answer)


def compare(where, programs, found, expected, bits):
    for (name, (_, regions)), (digest, counters) in zip(programs.items(), found):
        assert bits.setdefault(name, digest) == digest, f'{name} has other results: {where}'
        wanted = expected(regions)
        assert counters == wanted, f'{name}, {where}:\n{counters}, but not\n{wanted}'


def run(programs, graphs_only=None):
    """`graphs_only`: programs that cannot be built without graphs."""
    graphs, *others = sys.argv[1:]
    with_graphs = {**programs, **(graphs_only or {})}
    bits, runs = {}, 0
    for seed in SEEDS:
        order = {'SDFGC_EMULATE_SEED': str(seed)}
        for device, (variables, _, _) in DEVICES.items():
            found = in_child({**variables, **order}, lambda: call_all(graphs, with_graphs))
            compare(f'{device}, seed {seed}', with_graphs, found, lambda regions: {name: r.on(device) for name, r in regions.items()}, bits)
            runs += 1
        for folder in others:
            found = in_child(order, lambda: call_all(folder, programs))
            compare(f'{folder}, seed {seed}', programs, found, lambda regions: {}, bits)
            runs += 1
    print(*with_graphs, f'- the same in {runs} runs')

"""Many small kernels: launched one by one, as one GPU graph that sdfgc makes, and as one that is written by hand.

Kernel k adds 1 to every element of the array of its chain, k % width; the last kernel of all adds `f` instead. A call that follows one with
other arrays changes all nodes of the graph, with another `f` one of them, with the same arguments none."""
import ctypes
import math
import statistics
import sys
import time
from dataclasses import dataclass

import numpy as np

import graphs as g
import programs
from gpu_bench.measure import Device, Placed, check

ELEMENTS = 1024
MODES = ('one stream', 'streams', 'graph')
WIDTHS = {'one chain': 1, '8 chains': 8}


@dataclass
class Chains:
    shape: str
    kernels: int

    @property
    def width(self):
        return min(WIDTHS[self.shape], self.kernels)

    @property
    def arrays(self):
        return [f'A{i}' for i in range(self.width)]

    @property
    def name(self):
        return f'chains_{self.width}_{self.kernels}'

    def graph(self):
        state = g.State('chains')
        whole, at = g.whole(('N',)), {a: state.access(a) for a in self.arrays}
        factor = state.access('f')
        for k in range(self.kernels):
            array, is_last = self.arrays[k % self.width], k == self.kernels - 1
            more = ['f'] if is_last else []
            entry, leave = state.map(f'add_{k}', {'i': (0, 'N - 1')}, [array] + more, [array], 'GPU_Device')
            task = state.tasklet(f'add_{k}', 'o = a + e' if is_last else 'o = a + 1', ['a'] + (['e'] if is_last else []), ['o'], entry)
            state.edge(at[array], None, entry, f'IN_{array}', array, whole)
            state.edge(entry, f'OUT_{array}', task, 'a', array, g.box('i'))
            if is_last:
                state.edge(factor, None, entry, 'IN_f', 'f', g.box('0'))
                state.edge(entry, 'OUT_f', task, 'e', 'f', g.box('0'))
            at[array] = state.access(array)
            state.edge(task, 'o', leave, f'IN_{array}', array, g.box('i'))
            state.edge(leave, f'OUT_{array}', at[array], None, array, whole)
        containers = {a: g.array('N', storage='GPU_Global') for a in self.arrays}
        containers['f'] = {'type': 'Scalar', 'attributes': {'dtype': 'float64', 'shape': ['1'], 'transient': False}}
        return g.sdfg(self.name, ['N'], containers, [state.json()])

    def added(self, array, f):
        """What a call adds to an array."""
        chain = int(array[1:])
        count = len(range(chain, self.kernels, self.width))
        return count if chain != (self.kernels - 1) % self.width else count - 1 + f


def all_chains(emulated):
    return [Chains(shape, n) for shape in WIDTHS for n in ((1, 3, 10) if emulated else (1, 3, 10, 100, 1000)) if shape == 'one chain' or n > 1]


def flags(mode):
    """Without the optimiser, which would make one kernel of a chain."""
    graph = ['--gpu-graph', 'require', '--pass-option', 'form-gpu-graphs.min-nodes=1'] if mode == 'graph' else ['--gpu-graph', 'off']
    return ['-O0', '--gpu-streams', '8' if mode == 'streams' else '1'] + graph


class Info(ctypes.Structure):
    """NAME_graph_info."""
    NUMBERS = ('entries', 'builds', 'launches', 'updates', 'nodes_last', 'used_last', 'host_path', 'iterations_last', 'evictions')
    _fields_ = [('name', ctypes.c_char_p)] + [(n, ctypes.c_int64) for n in NUMBERS] + [('last_reason', ctypes.c_char_p)]


class Called(programs.Program):
    """A program of chains, whose graph has counters."""

    def __init__(self, out):
        super().__init__(out, {'N': ELEMENTS})

    def caller(self, addresses, f):
        return super().caller(addresses, ctypes.c_double(f))

    def median_seconds(self, by_hand, repeats, *turns):
        """Of calls that take turns, `repeats` of each after one: addresses of arrays, and `f`."""
        turns = [([addresses[a] for a in sorted(addresses)], f) for addresses, f in turns]
        return statistics.median(by_hand.time_program(self, turns, ELEMENTS, (repeats + 1) * len(turns))[len(turns):])

    def info(self):
        count = ctypes.c_int()
        graphs = programs.function(self.library, self.prefix + '_gpu_graphs', ctypes.POINTER(Info), ctypes.c_void_p, ctypes.c_void_p)
        found = graphs(self.handle, ctypes.byref(count))
        if count.value != 1:
            sys.exit(f'{self.prefix}: {count.value} graphs')
        return found[0]

    def expect(self, what, **numbers):
        """The figures are those of graphs only if graphs were launched."""
        info = self.info()
        for name, value in numbers.items():
            if getattr(info, name) != value:
                sys.exit(f'{self.prefix}, {what}: {name} is {getattr(info, name)}, not {value}; {info.last_reason.decode()}')


def zeros(chains):
    return {a: np.zeros(ELEMENTS) for a in chains.arrays}


def checked(chains, program, placed, f, what):
    """One call, whose results are NumPy's: what the arrays hold before is read first."""
    before = {a: placed.fetch(a) for a in chains.arrays}
    program.caller(placed.addresses, f)()
    check(f'{chains.name}, {what}', placed, {a: before[a] + chains.added(a, f) for a in chains.arrays})


def measure_streams(chains, out, by_hand, repeats):
    program = Called(out)
    with Placed(by_hand, Device(program.library, chains.name), zeros(chains), set(chains.arrays)) as one:
        checked(chains, program, one, 2.0, 'streams')
        seconds = program.median_seconds(by_hand, repeats, (one.addresses, 1.0))
    program.close()
    return seconds


def measure_graph(chains, out, by_hand, repeats):
    """Seconds: a call with the same arguments, one with another `f`, one with other arrays, one that builds the graph."""
    program = Called(out)
    device, names, n = Device(program.library, chains.name), set(chains.arrays), chains.kernels
    with Placed(by_hand, device, zeros(chains), names) as one, Placed(by_hand, device, zeros(chains), names) as other:
        checked(chains, program, one, 2.0, 'graph')
        same = program.median_seconds(by_hand, repeats, (one.addresses, 2.0))
        program.expect('the same arguments', builds=1, updates=0, launches=2 + repeats, nodes_last=n, used_last=1)
        factors = program.median_seconds(by_hand, repeats, (one.addresses, 2.0), (one.addresses, 3.0))
        program.expect('another factor', builds=1, updates=2 * repeats + 1, used_last=1)
        before = program.info().updates
        arrays = program.median_seconds(by_hand, repeats, (one.addresses, 3.0), (other.addresses, 3.0))
        program.expect('other arrays', builds=1, updates=before + n * (2 * repeats + 1), used_last=1)
        checked(chains, program, other, 3.0, 'graph with other arrays')
        builds = []
        for _ in range(min(repeats, 9)):
            program.close()
            program = Called(out)
            start = time.perf_counter()
            program.caller(one.addresses, 2.0)()
            builds.append(time.perf_counter() - start)
            program.expect('the first call', builds=1, launches=1, nodes_last=n)
    program.close()
    return same, factors, arrays, statistics.median(builds)


def measure_by_hand(chains, by_hand, repeats):
    """Seconds of a launch of a graph of the same kernels that is written by hand, to its end."""
    with Placed(by_hand, by_hand.device, zeros(chains), set(chains.arrays)) as one:
        launch, free = by_hand.graph([one.addresses[a] for a in chains.arrays], chains.kernels, ELEMENTS, 2.0)
        launch(1)
        check(f'{chains.name}, by hand', one, {a: np.full(ELEMENTS, chains.added(a, 2.0)) for a in chains.arrays})
        seconds = statistics.median(launch(repeats))
        free()
    return seconds


def microseconds(seconds):
    return f'{seconds * 1e6:.1f}'


def row(chains, outs, by_hand, repeats):
    streams = measure_streams(chains, outs['streams'], by_hand, repeats)
    one_stream = measure_streams(chains, outs['one stream'], by_hand, repeats)
    same, factors, arrays, build = measure_graph(chains, outs['graph'], by_hand, repeats)
    hand = measure_by_hand(chains, by_hand, repeats)
    best, n = min(streams, one_stream), chains.kernels
    pays = str(max(1, math.ceil((build - same) / (best - same)))) if best > same else 'never'
    return [chains.shape, str(n), microseconds(one_stream), microseconds(streams), microseconds(same), f'{best / same:.2f}', f'{same / hand:.2f}',
            microseconds(factors), microseconds(arrays), microseconds((arrays - same) / n), microseconds((build - same) / n), pays]


COLUMNS = ['kernels', 'count', '1 stream, µs', '8 streams, µs', 'graph, µs', 'times faster', 'of one by hand', 'another factor, µs',
           'other arrays, µs', 'update of a node, µs', 'build per node, µs', 'pays from call']

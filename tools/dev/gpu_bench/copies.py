"""A graph for each way in which a copy is made (the table of docs/user/gpu.md): one copy from `source` to `target`."""
import json
import os
import sys
from dataclasses import dataclass

import numpy as np

import graphs as g
from gpu_bench.measure import Case

TO_DEVICE, TO_HOST, ON_DEVICE = 'host to device', 'device to host', 'on the device'
PLACES = {TO_DEVICE: {'target'}, TO_HOST: {'source'}, ON_DEVICE: {'source', 'target'}}


@dataclass
class Copy:
    """Elements of a shape, at these strides on both sides. `method` is what the table answers."""
    what: str
    method: str
    direction: str
    shape: tuple
    source: tuple
    target: tuple
    types: tuple = ('float64', 'float64')

    @property
    def name(self):
        return f'{self.what} {self.direction}'.replace(' ', '_').replace('-', '_')

    @property
    def bytes(self):
        return int(np.prod(self.shape)) * np.dtype(self.types[0]).itemsize

    def data(self):
        """Arguments and results, each as one run of memory."""
        source = np.arange(g.extent(self.shape, self.source), dtype=self.types[0])
        target = np.full(g.extent(self.shape, self.target), -1, dtype=self.types[1])
        expected = target.copy()
        strided(expected, self.shape, self.target)[...] = strided(source, self.shape, self.source)
        return {'source': source, 'target': target}, {'target': expected}


def strided(array, shape, strides):
    return np.lib.stride_tricks.as_strided(array, shape, [s * array.itemsize for s in strides])


def contiguous(shape):
    return tuple(int(np.prod(shape[d + 1:])) for d in range(len(shape)))


def copies(n, width):
    """Copies of about `n` elements in rows of `width`."""
    rows, gap = n // width, width + 16
    box = (4, rows // 4, width)
    slices = ((box[1] + 1) * gap, gap, 1)
    uneven = ((box[1] + 1) * gap + 3, gap, 1)
    for direction in PLACES:
        yield Copy('one run', 'Linear', direction, (n,), (1,), (1,))
        yield Copy('rows', 'Pitched', direction, (rows, width), (gap, 1), (width, 1))
        yield Copy('single elements', 'Pitched', direction, (n // 16,), (16,), (1,))
        far = direction != ON_DEVICE
        yield Copy('slices of rows', 'Pitched3D' if far else 'Kernel', direction, box, slices, contiguous(box))
        yield Copy('uneven slices', 'Batched' if far else 'Kernel', direction, box, uneven, contiguous(box))
        yield Copy('transposed', 'Staged' if far else 'Kernel', direction, (width, rows), (1, width), (rows, 1))
        yield Copy('converted', 'Staged' if far else 'Kernel', direction, (n,), (1,), (1,), ('float32', 'float64'))
    yield Copy('each thread an element', 'PerThread', ON_DEVICE, (n,), (1,), (1,))
    yield Copy('each block a tile', 'Cooperative', ON_DEVICE, (n,), (1,), (1,))


def case(copy):
    graph = {'PerThread': through_registers, 'Cooperative': through_shared_memory}.get(copy.method, between_containers)(copy)
    return Case(graph, copy.data, PLACES[copy.direction])


def containers(copy, **more):
    place = {name: 'GPU_Global' if name in PLACES[copy.direction] else 'Default' for name in ('source', 'target')}
    return dict({'source': g.array(*copy.shape, strides=copy.source, dtype=copy.types[0], storage=place['source']),
                 'target': g.array(*copy.shape, strides=copy.target, dtype=copy.types[1], storage=place['target'])}, **more)


def between_containers(copy):
    state = g.State('copy')
    whole = g.whole(copy.shape)
    state.edge(state.access('source'), None, state.access('target'), None, 'source', whole, other_subset=whole)
    return g.sdfg(copy.name, [], containers(copy), [state.json()])


def kernel(state, shape, params):
    """A kernel that reads `source` and writes `target`."""
    entry, leave = state.map('copy', params, ['source'], ['target'], 'GPU_Device')
    state.edge(state.access('source'), None, entry, 'IN_source', 'source', g.whole(shape))
    state.edge(leave, 'OUT_target', state.access('target'), None, 'target', g.whole(shape))
    return entry, leave


def through_registers(copy):
    state = g.State('copy')
    entry, leave = kernel(state, copy.shape, {'i': (0, f'{copy.shape[0]} - 1')})
    register = state.access('register', entry)
    state.edge(entry, 'OUT_source', register, None, 'source', g.box('i'), other_subset=g.box('0'))
    state.edge(register, None, leave, 'IN_target', 'target', g.box('i'), other_subset=g.box('0'))
    more = g.array(1, transient=True, storage='Register')
    return g.sdfg(copy.name, [], containers(copy, register=more), [state.json()])


def through_shared_memory(copy, tile=256):
    """The block copies a tile to shared memory; its threads take their elements from there, as only kernels with threads have blocks."""
    state = g.State('copy')
    entry, leave = kernel(state, copy.shape, {'b': (0, f'{copy.shape[0]} // {tile} - 1')})
    block = g.box((f'{tile} * b', f'{tile} * b + {tile - 1}'))
    shared = state.access('tile', entry)
    threads, joined = state.map('threads', {'t': (0, tile - 1)}, ['tile'], ['target'], 'GPU_ThreadBlock', entry)
    task = state.tasklet('take', 'out = value', ['value'], ['out'], threads)
    state.edge(entry, 'OUT_source', shared, None, 'source', block, other_subset=g.whole((tile,)))
    state.edge(shared, None, threads, 'IN_tile', 'tile', g.whole((tile,)))
    state.edge(threads, 'OUT_tile', task, 'value', 'tile', g.box('t'))
    state.edge(task, 'out', joined, 'IN_target', 'target', g.box(f'{tile} * b + t'))
    state.edge(joined, 'OUT_target', leave, 'IN_target', 'target', block)
    more = g.array(tile, transient=True, storage='GPU_Shared')
    return g.sdfg(copy.name, [], containers(copy, tile=more), [state.json()])


def check_method(copy, out):
    """Ends the script unless the program in the build folder `out` copies as the table says."""
    with open(os.path.join(out, 'program.sdfg')) as f:
        found = chosen(json.load(f))
    if found != copy.method:
        sys.exit(f'{copy.name}: made by {found}, not {copy.method}')


def chosen(graph):
    """The methods in a graph that sdfgc has compiled (`program.sdfg` of its build folder)."""
    if any(name.startswith('staged_') for name in graph['attributes']['_arrays']):
        return 'Staged'
    methods = {edge['attributes']['data']['attributes'].get('_meta_sdfgc_copy') for state in graph['nodes'] for edge in state['edges']
               if edge['attributes']['data']} - {None}
    return ', '.join(sorted(methods)) or 'Kernel'

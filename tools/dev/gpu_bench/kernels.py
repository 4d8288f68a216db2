"""Programs that have a kernel by hand (by_hand/NAME.cu): as maps, and as a library node where there is one."""
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np

import bench_maps as maps
import graphs as g
from gpu_bench.measure import Case

@dataclass
class Kernel:
    """`shapes`: its arrays, all in device memory, in terms of N. `compute` changes a dictionary of arrays as the program does."""
    name: str
    size: int  # on a device
    shapes: dict
    compute: Callable
    maps: Callable
    library: Optional[Callable] = None

    def case(self, variant, size):
        blocks = self.maps('GPU_Device') if variant == 'maps' else self.library(self.shapes)
        containers = {name: g.array(*shape, storage='GPU_Global') for name, shape in self.shapes.items()}
        return Case(g.sdfg(f'{self.name}_{variant}', ['N'], containers, blocks), lambda: self.data(size), set(self.shapes), {'N': size})

    def data(self, size):
        random = np.random.default_rng(1)
        arrays = {name: random.random([size if s == 'N' else s for s in shape]) for name, shape in self.shapes.items()}
        after = {name: array.copy() for name, array in arrays.items()}
        self.compute(after)
        return arrays, after


def library_state(shapes, path, reads, writes, **attributes):
    """A state with one library node; reads and writes: {connector: array}, the connector may be empty."""
    state = g.State('call')
    node = state.library(path, [c for c in reads if c], [c for c in writes if c], **attributes)
    for connector, name in reads.items():
        state.edge(state.access(name), None, node, connector or None, name, g.whole(shapes[name]))
    for connector, name in writes.items():
        state.edge(node, connector or None, state.access(name), None, name, g.whole(shapes[name]))
    return [state.json()]


def compute_axpy(a):
    a['y'] += 2.5 * a['x']


def transpose_node(shapes):
    return library_state(shapes, 'dace.libraries.linalg.nodes.transpose.Transpose', {'_inp': 'A'}, {'_out': 'B'}, dtype='float64')


def compute_transpose(a):
    a['B'][...] = a['A'].T


def reduction(schedule):
    return maps.total({'A': ('N',), 's': (1,)}, {'a': ('A', 'i')}, 'o = a', schedule)


def reduction_node(shapes):
    return library_state(shapes, 'dace.libraries.standard.nodes.reduce.Reduce', {'': 'A'}, {'': 's'}, wcr=maps.SUM, axes=[0], identity=0)


def compute_reduction(a):
    a['s'][0] = a['A'].sum()


def compute_jacobi2d(a):
    def step(source, target):
        target[1:-1, 1:-1] = 0.2 * (source[1:-1, 1:-1] + source[:-2, 1:-1] + source[2:, 1:-1] + source[1:-1, :-2] + source[1:-1, 2:])
    for _ in range(10):
        step(a['A'], a['B'])
        step(a['B'], a['A'])


def gemm_node(shapes):
    return library_state(shapes, 'dace.libraries.blas.nodes.matmul.MatMul', {'_a': 'A', '_b': 'B'}, {'_c': 'C'})


def compute_gemm(a):
    np.matmul(a['A'], a['B'], out=a['C'])


SQUARE = ('N', 'N')
KERNELS = [
    Kernel('axpy', 1 << 26, {'x': ('N',), 'y': ('N',)}, compute_axpy, maps.axpy),
    Kernel('transpose', 8192, {'A': SQUARE, 'B': SQUARE}, compute_transpose, maps.transpose, transpose_node),
    Kernel('reduction', 1 << 26, {'A': ('N',), 's': (1,)}, compute_reduction, reduction, reduction_node),
    Kernel('jacobi2d', 8192, {'A': SQUARE, 'B': SQUARE}, compute_jacobi2d, maps.jacobi2d),
    Kernel('gemm', 2048, {'A': SQUARE, 'B': SQUARE, 'C': SQUARE}, compute_gemm, lambda schedule: maps.gemm('ijk', schedule), gemm_node),
]

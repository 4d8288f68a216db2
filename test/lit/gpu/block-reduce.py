"""Writes the graph of block-reduce.test to a file: blocks of 64 threads, each of which has two elements of A in registers and asks for the sum of
all of its block; every thread writes it."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g


def stored(storage, *shape):
    a = g.array(*shape, transient=True)
    a['attributes']['storage'] = storage
    return a


state = g.State('main')
grid, gridEnd = state.map('grid', {'b': ('0', '4')}, ['gpu_A'], ['gpu_B'], 'GPU_Device')
block, blockEnd = state.map('block', {'t': ('0', '63')}, ['gpu_A'], ['gpu_B'], 'GPU_ThreadBlock', scope=grid)
mine, total = state.access('mine', block), state.access('total', block)
node = state.library('dace.libraries.standard.nodes.reduce.Reduce', [], [], axes=None, wcr='lambda a, b: a + b', identity='0',
                     implementation=sys.argv[2])
source, result = state.access('gpu_A'), state.access('gpu_B')
state.edge(state.access('A'), None, source, None, 'A', g.whole(('640',)))
state.edge(source, None, grid, 'IN_gpu_A', 'gpu_A', g.whole(('640',)))
state.edge(grid, 'OUT_gpu_A', block, 'IN_gpu_A', 'gpu_A', g.box(('128*b', '128*b + 127')))
state.edge(block, 'OUT_gpu_A', mine, None, 'gpu_A', g.box(('128*b + 2*t', '128*b + 2*t + 1')))
state.edge(mine, None, node, None, 'mine', g.whole(('2',)))
state.edge(node, None, total, None, 'total', g.box('0'))
state.edge(total, None, blockEnd, 'IN_gpu_B', 'gpu_B', g.box('64*b + t'))
state.edge(blockEnd, 'OUT_gpu_B', gridEnd, 'IN_gpu_B', 'gpu_B', g.box(('64*b', '64*b + 63')))
state.edge(gridEnd, 'OUT_gpu_B', result, None, 'gpu_B', g.whole(('320',)))
state.edge(result, None, state.access('B'), None, 'gpu_B', g.whole(('320',)))
arrays = {'A': g.array(640), 'B': g.array(320), 'gpu_A': stored('GPU_Global', 640), 'gpu_B': stored('GPU_Global', 320),
          'mine': stored('Register', 2), 'total': stored('Register', 1)}
with open(sys.argv[1], 'w') as file:
    json.dump(g.sdfg('sums', [], arrays, [state.json()]), file)

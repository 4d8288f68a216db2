"""Writes a graph whose Reduce nodes ask for CUB to a folder: rows to sums, everything to a maximum that the result had, and columns."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g

shapes = {'A': ('N', '300'), 'sums': ('N',), 'highest': ('1',), 'columns': ('300',)}
state = g.State('main')


def reduce(axes, wcr, identity, result):
    node = state.library('dace.libraries.standard.nodes.reduce.Reduce', [], [], axes=axes, wcr=wcr, identity=identity, implementation='CUDA (device)')
    source, target = state.access('A'), state.access(result)
    state.edge(source, None, node, None, 'A', g.whole(shapes['A']))
    state.edge(node, None, target, None, result, g.whole(shapes[result]))


reduce([1], 'lambda a, b: a + b', 0, 'sums')
reduce([0, 1], 'lambda a, b: max(a, b)', None, 'highest')
reduce([0], 'lambda a, b: a + b', 0, 'columns')
with open(os.path.join(sys.argv[1], 'reductions.sdfg'), 'w') as file:
    json.dump(g.sdfg('reductions', ['N'], {name: g.array(*shape) for name, shape in shapes.items()}, [state.json()]), file)

"""Writes a graph with a contraction that is no product of matrices, and a permutation, to a folder."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g

shapes = {'A': ('16', '8', 'N', '4'), 'B': ('4', '20', '8'), 'C': ('16', '20', 'N'), 'D': ('N', '16', '20')}
state = g.State('main')
EINSUM = 'dace.libraries.blas.nodes.einsum.Einsum'


def einsum(text, operands, result):
    """`operands`: access nodes by connector."""
    node = state.library(EINSUM, list(operands), ['out'], einsum_str=text)
    for connector, access in operands.items():
        data = state.nodes[access]['attributes']['data']
        state.edge(access, None, node, connector, data, g.whole(shapes[data]))
    target = state.access(result)
    state.edge(node, 'out', target, None, result, g.whole(shapes[result]))
    return target


sums = einsum('acbd,dec->aeb', {'a': state.access('A'), 'b': state.access('B')}, 'C')
einsum('aeb->bae', {'a': sums}, 'D')
with open(os.path.join(sys.argv[1], 'tensors.sdfg'), 'w') as file:
    json.dump(g.sdfg('tensors', ['N'], {name: g.array(*shape) for name, shape in shapes.items()}, [state.json()]), file)

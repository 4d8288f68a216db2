"""Writes the graph `returns` to a folder (it lies in test/graphs/gpu too): as DaCe's GPU transformation leaves a program that returns early.

    if x > 0: A[:] = 1; return
    B[0:N//2] = 2
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g


def kernel(name, target, count, value):
    shapes = {target: ('N',)}
    return g.map_state(name, {'i': ('0', f'{count} - 1')}, {}, {'o': (target, 'i')}, f'o = {value}', shapes, schedule='GPU_Device')


def back(name, *arguments):
    state = g.State(name)
    for a in arguments:
        state.edge(state.access('gpu_' + a), None, state.access(a), None, a, g.whole(('N',)))
    return state.json()


def twin():
    return g.array('N', transient=True, storage='GPU_Global')


leave = {'type': 'ReturnBlock', 'label': 'leave', 'id': 1, 'attributes': {}, 'nodes': [], 'edges': []}
branch = dict({'type': 'ControlFlowRegion', 'label': 'early', 'id': 0, 'attributes': {}}, **g.chain([kernel('all', 'gpu_A', 'N', 1), leave]))
choice = {'type': 'ConditionalBlock', 'label': 'choice', 'id': 0, 'attributes': {}, 'branches': [[g.code('x > 0'), branch]]}
half = kernel('half', 'gpu_B', 'int_floor(N, 2)', 2)
for edge in half['edges']:
    memlet = edge['attributes']['data']['attributes']
    if edge['src_connector'] == 'OUT_gpu_B':
        memlet['subset'] = g.box(('0', 'int_floor(N, 2) - 1'))
arrays = {'A': g.array('N'), 'B': g.array('N'), 'gpu_A': twin(), 'gpu_B': twin()}
with open(os.path.join(sys.argv[1], 'returns.sdfg'), 'w') as file:
    json.dump(g.sdfg('returns', ['N', 'x'], arrays, [choice, half, back('copyout', 'A', 'B')]), file)

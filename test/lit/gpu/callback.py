"""Writes a graph to standard output in which a kernel calls a callback, or (`state`) uses the state of the program."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g

scalar = {'type': 'Scalar', 'attributes': {'dtype': 'float64', 'shape': ['1']}}
arrays = {a: g.array('N', storage='GPU_Global') for a in ('A', 'B')}
kernel = g.map_state('main', {'i': ('0', 'N - 1')}, {'a': ('A', 'i')}, {'b': ('B', 'i')}, 'b = update(a) + 1', {'A': ('N',), 'B': ('N',)},
                     schedule='GPU_Device')
graph = g.sdfg('callback', ['N'], arrays, [kernel])
graph['attributes']['symbols']['update'] = {'type': 'callback', 'arguments': [scalar], 'returntypes': [scalar]}
if sys.argv[1:] == ['state']:
    code = next(n for n in kernel['nodes'] if n['type'] == 'Tasklet')['attributes']['code']
    code.update(string_data='b = *__state->offset + a;', language='CPP')
json.dump(graph, sys.stdout)

"""Writes a graph that solves A X = B to a folder."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g

state = g.State('main')
node = state.library('dace.libraries.linalg.nodes.solve.Solve', ['_ain', '_bin'], ['_bout'])
state.edge(state.access('A'), None, node, '_ain', 'A', g.whole(('N', 'N')))
state.edge(state.access('B'), None, node, '_bin', 'B', g.whole(('N', '3')))
state.edge(node, '_bout', state.access('X'), None, 'X', g.whole(('N', '3')))
arrays = {'A': g.array('N', 'N'), 'B': g.array('N', '3'), 'X': g.array('N', '3')}
with open(os.path.join(sys.argv[1], 'solve.sdfg'), 'w') as file:
    json.dump(g.sdfg('solve', ['N'], arrays, [state.json()]), file)

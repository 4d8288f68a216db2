#!/usr/bin/python3
"""arena.py FOLDER: a kernel whose threads each have an array of M elements, in a loop of the host."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g  # noqa: E402


def rows():
    """B[i] = the last of t = 2 * A[i, :]"""
    state = g.State('rows')
    entry, leave = state.map('rows', {'i': ('0', 'N - 1')}, ['A'], ['B'], 'GPU_Device')
    inner, inner_exit = state.map('double', {'j': ('0', 'M - 1')}, ['A'], ['t'], 'Sequential', entry)
    double = state.tasklet('double', 'o = 2 * a', ['a'], ['o'], inner)
    t = state.access('t', entry)
    last = state.tasklet('last', 'o = a', ['a'], ['o'], entry)
    state.edge(state.access('A'), None, entry, 'IN_A', 'A', g.whole(('N', 'M')))
    state.edge(entry, 'OUT_A', inner, 'IN_A', 'A', g.box('i', ('0', 'M - 1')))
    state.edge(inner, 'OUT_A', double, 'a', 'A', g.box('i', 'j'))
    state.edge(double, 'o', inner_exit, 'IN_t', 't', g.box('j'))
    state.edge(inner_exit, 'OUT_t', t, None, 't', g.box(('0', 'M - 1')))
    state.edge(t, None, last, 'a', 't', g.box('M - 1'))
    state.edge(last, 'o', leave, 'IN_B', 'B', g.box('i'))
    state.edge(leave, 'OUT_B', state.access('B'), None, 'B', g.whole(('N',)))
    return state.json()


arrays = {'A': g.array('N', 'M', storage='GPU_Global'), 'B': g.array('N', storage='GPU_Global'),
          't': g.array('M', transient=True, storage='Register')}
with open(os.path.join(sys.argv[1], 'arena.sdfg'), 'w', encoding='utf-8') as f:
    json.dump(g.sdfg('arena', ['N', 'M'], arrays, [g.loop('twice', 'k', '2', [rows()])]), f)

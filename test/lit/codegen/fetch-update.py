"""Writes the graph of fetch-update.test to a file: N iterations count `counter[5]` up, and keep what was there before.

With a second argument the counter is a dynamic output that is read back."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g

state = g.State('count')
entry, leave = state.map('count', {'i': ('0', 'N - 1')}, [], ['counter', 'before'], 'CPU_Multicore')
bare = len(sys.argv) > 2
task = state.tasklet('next', 'c = 1\nb = c' if bare else 'b = c[5] = 1', [], ['c', 'b'], entry)
state.order(entry, task)
summed = {'wcr': 'lambda a, b: a + b', 'dynamic': bare}
part = g.box('5') if bare else g.whole(('10',))
state.edge(task, 'c', leave, 'IN_counter', 'counter', part, **summed)
state.edge(task, 'b', leave, 'IN_before', 'before', g.box('i'))
state.edge(leave, 'OUT_counter', state.access('counter'), None, 'counter', part, **summed)
state.edge(leave, 'OUT_before', state.access('before'), None, 'before', g.whole(('N',)))
arrays = {'counter': g.array(10, dtype='int64'), 'before': g.array('N', dtype='int64')}
with open(sys.argv[1], 'w') as file:
    json.dump(g.sdfg('fetch', ['N'], arrays, [state.json()]), file)

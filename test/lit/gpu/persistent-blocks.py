"""Writes the graphs of persistent-blocks.test to a folder: maps with `gpu_block_size`."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g


def sized(state, entry, block):
    if block:
        state.nodes[entry]['attributes']['gpu_block_size'] = [str(b) for b in block]


def scope(state, label, params, schedule, block, outer=None):
    """A map around nothing yet; inside of another one if there is one."""
    entry, leave = state.map(label, params, [], [], schedule, outer and outer[0])
    sized(state, entry, block)
    if outer:
        state.order(outer[0], entry)
        state.order(leave, outer[1])
    return entry, leave


def fill(state, around, size):
    """`A[i] = i` below the map over i, which leaves by the maps around it."""
    task = state.tasklet('t', 'y = i', [], ['y'], around[0][0])
    state.order(around[0][0], task)
    source, out = task, 'y'
    for number, (_, leave) in enumerate(around):
        state.nodes[leave]['attributes'].update(in_connectors={'IN_A': None}, out_connectors={'OUT_A': None})
        state.edge(source, out, leave, 'IN_A', 'A', g.box('i') if number == 0 else g.whole((size,)))
        source, out = leave, 'OUT_A'
    state.edge(source, out, state.access('A'), None, 'A', g.whole((size,)))


def persistent(own, first, second):
    """A persistent kernel with two maps over the device, one state after the other."""
    states = []
    for label, block in (('first', first), ('second', second)):
        inner = g.State(label)
        fill(inner, [scope(inner, label, {'i': (0, 'N - 1')}, 'GPU_Device', block)], 'N')
        states.append(inner.json())
    body = g.sdfg('body', ['N'], {'A': g.array('N', storage='GPU_Global')}, states)
    state = g.State('main')
    kernel = scope(state, 'persist', {'_': (0, 0)}, 'GPU_Persistent', own)
    node = state.node('NestedSDFG', 'body', kernel[0], sdfg=body, symbol_mapping={'N': 'N'}, in_connectors={}, out_connectors={'A': None})
    state.order(kernel[0], node)
    state.nodes[kernel[1]]['attributes'].update(in_connectors={'IN_A': None}, out_connectors={'OUT_A': None})
    state.edge(node, 'A', kernel[1], 'IN_A', 'A', g.whole(('N',)))
    state.edge(kernel[1], 'OUT_A', state.access('A'), None, 'A', g.whole(('N',)))
    return state


def threads():
    """A kernel with a block size around a map over 16 threads."""
    state = g.State('main')
    kernel = scope(state, 'kernel', {'b': (0, 'N - 1')}, 'GPU_Device', [64])
    inner = scope(state, 'threads', {'i': (0, 15)}, 'GPU_ThreadBlock', None, kernel)
    state.edges = [e for e in state.edges if e['src'] != str(inner[1])]
    fill(state, [inner, kernel], 16)
    return state


def write(name, state):
    with open(os.path.join(sys.argv[1], name + '.sdfg'), 'w') as f:
        json.dump(g.sdfg('blocks', ['N'], {'A': g.array('N', storage='GPU_Global')}, [state.json()]), f)


write('agreed', persistent(None, [64], [8, 8, 1]))
write('different', persistent(None, [64], [128]))
write('own', persistent([32], [64], None))
write('threads', threads())

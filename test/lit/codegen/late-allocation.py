#!/usr/bin/python3
"""late-allocation.py FOLDER: graphs whose transients have sizes that the program computes itself."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g  # noqa: E402


def write_and_read(label, value):
    """tmp[n - 1] = value; A[0] = tmp[n - 1]"""
    state = g.State(label)
    first, second = state.tasklet('w', f'o = {value}', [], ['o']), state.tasklet('r', 'o = a', ['a'], ['o'])
    tmp = state.access('tmp')
    state.edge(first, 'o', tmp, None, 'tmp', g.box('n - 1'))
    state.edge(tmp, None, second, 'a', 'tmp', g.box('n - 1'))
    state.edge(second, 'o', state.access('A'), None, 'A', g.box('0'))
    return state.json()


def goto(source, target, condition='1', **assignments):
    text = {name: str(value) for name, value in assignments.items()}
    return {'type': 'Edge', 'src': str(source), 'dst': str(target),
            'attributes': {'data': {'type': 'InterstateEdge', 'attributes': {'assignments': text, 'condition': g.code(condition)}}}}


def write(name, blocks, edges):
    graph = g.sdfg(name, ['N', 'c', 'n', 'k'], {'A': g.array(1), 'tmp': g.array('n', transient=True)}, blocks)
    graph['edges'] = edges
    with open(os.path.join(sys.argv[1], name + '.sdfg'), 'w', encoding='utf-8') as f:
        json.dump(graph, f)


def empty(label):
    return g.State(label).json()


def two_entries():
    """A loop that is entered at both of its states, a and d: neither comes before the other."""
    write('two_entries', [empty('begin'), empty('s'), write_and_read('a', '1.0'), write_and_read('d', '2.0'), empty('end')],
          [goto(0, 1, n='N*2', k=0), goto(1, 2, 'c > 0'), goto(1, 3, 'not (c > 0)'), goto(2, 3),
           goto(3, 2, 'k < 3', k='k + 1'), goto(3, 4, 'not (k < 3)')])


two_entries()

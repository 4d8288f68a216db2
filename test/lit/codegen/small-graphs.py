"""Writes the graphs of small-graphs.test to a folder."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g

out = sys.argv[1]


def write(name, symbols, arrays, blocks, edges=None, **callbacks):
    graph = g.sdfg(name, symbols, arrays, blocks)
    graph['attributes']['symbols'].update(callbacks)
    if edges is not None:
        graph['edges'] = edges
    with open(os.path.join(out, name + '.sdfg'), 'w') as file:
        json.dump(graph, file)


def stream():
    return {'type': 'Stream', 'attributes': {'dtype': 'float64', 'shape': ['1'], 'offset': ['0'], 'transient': True, 'buffer_size': '1'}}


def handed_on():
    """A stream of each iteration fills an array, which another stream takes: one element each time."""
    state = g.State('main')
    entry, leave = state.map('par', {'i': ('0', 'N - 1')}, [], ['all'])
    task = state.tasklet('fill', 'a = i', [], ['a'], entry)
    own, some = state.access('own', entry), state.access('some', entry)
    every = state.access('all')
    state.order(entry, task)
    state.edge(task, 'a', own, None, 'own', g.box('0'))
    state.edge(own, None, some, None, 'some', g.whole(('10',)))
    state.edge(some, None, leave, 'IN_all', 'all', g.box('0'))
    state.edge(leave, 'OUT_all', every, None, 'all', g.box('0'))
    state.edge(every, None, state.access('A'), None, 'A', g.whole(('N',)))
    arrays = {'A': g.array('N'), 'some': g.array(10, transient=True), 'own': stream(), 'all': stream()}
    write('handed_on', ['N'], arrays, [state.json()])


def tiles():
    """Two tiles of two elements: the second index counts inside of a tile."""
    state = g.State('main')
    entry, leave = state.map('m', {'i': ('0', '3')}, ['A'], ['B'])
    task = state.tasklet('t', 'b[0] = a[0, 0]\nb[1] = a[0, 1]\nb[2] = a[1, 0]\nb[3] = a[1, 1]', ['a'], ['b'], entry)
    tiled = {'type': 'Range', 'ranges': [{'start': '2*i', 'end': '2*i + 9', 'step': '8', 'tile': '2'}]}
    state.edge(state.access('A'), None, entry, 'IN_A', 'A', g.whole(('16',)))
    state.edge(entry, 'OUT_A', task, 'a', 'A', tiled)
    state.edge(task, 'b', leave, 'IN_B', 'B', g.box(('4*i', '4*i + 3')))
    state.edge(leave, 'OUT_B', state.access('B'), None, 'B', g.whole(('16',)))
    write('tiles', [], {'A': g.array(16), 'B': g.array(16)}, [state.json()])


def doubled():
    """A tasklet changes a symbol that control flow reads: `while k < 128`, from what a loop left, 16."""
    body = g.State('body')
    task = body.tasklet('t', 'o = a + 1\nk *= 2', ['a'], ['o'])
    body.edge(body.access('A'), None, task, 'a', 'A', g.box('0'))
    body.edge(task, 'o', body.access('A'), None, 'A', g.box('0'))
    count = g.loop('count', 'k', '16', [g.State('once').json()])
    blocks = [count, g.State('guard').json(), body.json(), g.State('end').json()]
    edge = lambda src, dst, condition='1', **assign: {'type': 'Edge', 'src': str(src), 'dst': str(dst), 'attributes': {
        'data': {'type': 'InterstateEdge', 'attributes': {'assignments': assign, 'condition': g.code(condition)}}}}
    edges = [edge(0, 1), edge(1, 2, 'k < 128'), edge(2, 1), edge(1, 3, 'not (k < 128)')]
    write('doubled', [], {'A': g.array(1)}, blocks, edges)


def halved():
    """DaCe writes `x * 0.5` of a floating-point symbol as int_floor(x, 2), and `i < (32 - 2) / 2` as the bound of a normalised loop."""
    body = g.State('body')
    task = body.tasklet('t', 'o = a + x', ['a'], ['o'])
    body.edge(body.access('A'), None, task, 'a', 'A', g.box('i'))
    body.edge(task, 'o', body.access('A'), None, 'A', g.box('i'))
    loop = g.loop('loop', 'i', '(8 - 2) / 2', [body.json(), g.State('next').json()])
    loop['edges'][0]['attributes']['data']['attributes'] = {'assignments': {'x': 'int_floor(x, 2)'}, 'condition': g.code('1')}
    blocks = [g.State('start').json(), loop]
    start = {'type': 'InterstateEdge', 'attributes': {'assignments': {'x': '1.0'}, 'condition': g.code('1')}}
    write('halved', [], {'A': g.array(3)}, blocks, [{'type': 'Edge', 'src': '0', 'dst': '1', 'attributes': {'data': start}}])


def structure():
    """A transient structure has memory for what its member points to."""
    first, second = g.State('first'), g.State('second')
    for state, source, target in ((first, 'A', 'S.a'), (second, 'S.a', 'B')):
        state.edge(state.access(source), None, state.access(target), None, source, g.whole(('N',)))
    fields = {'type': 'struct', 'name': 'P', 'data': [['a', {'type': 'pointer', 'dtype': 'float64'}]], 'length': [], 'bytes': 8}
    pair = {'type': 'Structure', 'attributes': {'dtype': {'type': 'pointer', 'dtype': fields}, 'shape': ['1'], 'name': 'P', 'transient': True,
                                                'members': [['a', g.array('N')]]}}
    write('structure', ['N'], {'A': g.array('N'), 'B': g.array('N'), 'S': pair}, [first.json(), second.json()])


def told():
    """A callback gets addresses: of a view that is an argument, and of the one element that a pointer connector stands for."""
    state = g.State('main')
    task = state.tasklet('ask', 'ask(a, o, rest)', ['a'], ['o', 'rest'])
    state.nodes[task]['attributes']['out_connectors'] = {'o': {'type': 'pointer', 'dtype': 'float64'}, 'rest': None}
    state.edge(state.access('A'), None, task, 'a', 'A', g.whole(('4',)))
    state.edge(task, 'o', state.access('B'), None, 'B', g.box('1'))
    state.edge(task, 'rest', state.access('C'), None, 'C', g.whole(('4',)))
    view = dict(g.array(4), type='ArrayView')
    write('told', [], {'A': g.array(4), 'B': g.array(2), 'C': g.array(4)}, [state.json()],
          ask={'type': 'callback', 'arguments': [view], 'returntypes': [g.array(1), g.array(4)]})


def open_size(name, column):
    """An argument whose columns lie at a distance that nobody knows."""
    state = g.State('main')
    state.edge(state.access('A'), None, state.access('B'), None, 'A', g.whole(('5',)) if column is None else g.box('0', column))
    shape, strides = (['$?'], ['1']) if column is None else (['20', '$?'], ['1', '$?'])
    unknown = {'dtype': 'float64', 'shape': shape, 'strides': strides, 'offset': ['0'] * len(shape), 'total_size': '$?'}
    write(name, ['?'], {'A': {'type': 'Array', 'attributes': unknown}, 'B': g.array(5 if column is None else 1)}, [state.json()])


def by_columns():
    """DaCe hands the rows of a matrix to cuSOLVER as columns: the lower triangle is the upper one."""
    state = g.State('main')
    node = state.library('dace.libraries.lapack.nodes.potrf.Potrf', ['_xin'], ['_xout', '_res'], implementation='cuSolverDn', lower=True)
    state.edge(state.access('A'), None, node, '_xin', 'A', g.whole(('2', '2')))
    state.edge(node, '_xout', state.access('A'), None, 'A', g.whole(('2', '2')))
    state.edge(node, '_res', state.access('info'), None, 'info', g.box('0'))
    write('by_columns', [], {'A': g.array(2, 2), 'info': g.array(1, dtype='int32')}, [state.json()])


by_columns()
handed_on()
structure()
tiles()
doubled()
halved()
told()
open_size('first_elements', None)
open_size('second_column', '1')

"""Writes the graphs of the tests of passes over schedule trees to a folder."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g

out = sys.argv[1]


def write(name, symbols, arrays, blocks, edges=None):
    graph = g.sdfg(name, symbols, arrays, blocks)
    if edges is not None:
        graph['edges'] = edges
    with open(os.path.join(out, name + '.sdfg'), 'w') as file:
        json.dump(graph, file)


def assign(src, dst, **assignments):
    data = {'type': 'InterstateEdge', 'attributes': {'assignments': assignments, 'condition': g.code('1')}}
    return {'type': 'Edge', 'src': str(src), 'dst': str(dst), 'attributes': {'data': data}}


def fields():
    """A container that lives as long as the handle, between two maps."""
    shapes = {'A': ('N',), 'B': ('N',), 'tmp': ('N',)}
    arrays = {'A': g.array('N'), 'B': g.array('N'), 'tmp': g.array('N', transient=True, lifetime='Persistent')}
    first = g.map_state('double', {'i': ('0', 'N - 1')}, {'a': ('A', 'i')}, {'t': ('tmp', 'i')}, 't = 2 * a', shapes)
    second = g.map_state('add', {'i': ('0', 'N - 1')}, {'t': ('tmp', 'i')}, {'b': ('B', 'i')}, 'b = t + 1', shapes)
    write('fields', ['N'], arrays, [first, second])


def copies():
    """A symbol that is another name of one that was read from memory."""
    shapes = {'I': ('1',), 'B': ('N',)}
    arrays = {'I': g.array('1', dtype='int64'), 'B': g.array('N')}
    fill = g.map_state('fill', {'i': ('0', 'N - 1')}, {}, {'b': ('B', 'i')}, 'b = m * m', shapes)
    write('copies', ['N'], arrays, [g.State('a').json(), g.State('b').json(), fill],
          [assign(0, 1, k='I[0]'), assign(1, 2, m='k')])


def sums():
    """Rows of a matrix, each summed by a loop in a parallel map."""
    shapes = {'A': ('N', 'N'), 'S': ('N',)}
    arrays = {'A': g.array('N', 'N'), 'S': g.array('N')}
    rows = g.map_state('rows', {'i': ('0', 'N - 1'), 'j': ('0', 'N - 1')}, {'a': ('A', 'i', 'j')}, {'s': ('S', 'i')}, 's = a', shapes,
                       wcr='lambda a, b: a + b')
    write('sums', ['N'], arrays, [rows])


fields()
copies()
sums()

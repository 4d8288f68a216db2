"""Graphs for tests, as the JSON that DaCe writes: `vadd` with its parts at hand, and builders of single elements."""
import copy
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))


def load(name):
    with open(os.path.join(HERE, '../graphs', name + '.sdfg'), encoding='utf-8') as f:
        return json.load(f)


def array(shape, dtype='float64', transient=False, **more):
    strides = ['1']
    for size in reversed(shape[1:]):
        strides.insert(0, f'({size})*({strides[0]})')
    attributes = {'dtype': dtype, 'shape': list(shape), 'strides': strides, 'offset': ['0'] * len(shape),
                  'total_size': '*'.join(f'({s})' for s in shape), 'transient': transient}
    attributes.update(more)
    return {'type': 'Array', 'attributes': attributes}


def scalar(dtype='float64', transient=False, **more):
    attributes = {'dtype': dtype, 'transient': transient, 'shape': ['1']}
    attributes.update(more)
    return {'type': 'Scalar', 'attributes': attributes}


def subset(text):
    """`0:N, i` as a range of DaCe, whose ends are inclusive."""
    ranges = []
    for part in text.split(','):
        parts = [p.strip() for p in part.split(':')]
        begin, end = parts[0], parts[0] if len(parts) == 1 else f'({parts[1]}) - 1'
        ranges.append({'start': begin, 'end': end, 'step': parts[2] if len(parts) > 2 else '1', 'tile': '1'})
    return {'type': 'Range', 'ranges': ranges}


def memlet(data, where=None, other=None, **more):
    attributes = {'data': data, 'volume': '1'}
    if where is not None:
        attributes['subset'] = subset(where)
    if other is not None:
        attributes['other_subset'] = subset(other)
    attributes.update(more)
    return {'type': 'Memlet', 'attributes': attributes}


class State:
    """A state that is built node by node; numbers of nodes are returned and taken."""

    def __init__(self, label='main'):
        self.json = {'type': 'SDFGState', 'label': label, 'id': 0, 'collapsed': False, 'scope_dict': {}, 'attributes': {},
                     'nodes': [], 'edges': []}

    def node(self, kind, title, entry=None, exit=None, **attributes):
        number = len(self.json['nodes'])
        self.json['nodes'].append({'type': kind, 'label': title, 'id': number, 'scope_entry': entry, 'scope_exit': exit,
                                   'attributes': attributes})
        return number

    def access(self, data):
        return self.node('AccessNode', data, data=data)

    def tasklet(self, code, inputs=(), outputs=(), language='Python', label='t'):
        return self.node('Tasklet', label, label=label, code={'string_data': code, 'language': language},
                         in_connectors={c: None for c in inputs}, out_connectors={c: None for c in outputs})

    def map(self, ranges, inputs=(), outputs=(), schedule='Default', **more):
        """Entry and exit; `ranges`: parameter to `0:N`."""
        entry = self.node('MapEntry', 'm', label='m', params=list(ranges), range=subset(', '.join(ranges.values())), schedule=schedule,
                          in_connectors={'IN_' + c: None for c in inputs}, out_connectors={'OUT_' + c: None for c in inputs}, **more)
        exit = self.node('MapExit', 'm', entry=str(entry), in_connectors={'IN_' + c: None for c in outputs},
                         out_connectors={'OUT_' + c: None for c in outputs})
        self.json['nodes'][entry]['scope_exit'] = self.json['nodes'][exit]['scope_exit'] = str(exit)
        return entry, exit

    def nested(self, graph, inputs=(), outputs=(), symbols=None):
        return self.node('NestedSDFG', 'inner', label='inner', sdfg=graph, symbol_mapping=symbols or {},
                         in_connectors={c: None for c in inputs}, out_connectors={c: None for c in outputs})

    def library(self, path, inputs=(), outputs=(), **more):
        number = self.node('LibraryNode', 'lib', name='lib', in_connectors={c: None for c in inputs},
                           out_connectors={c: None for c in outputs}, **more)
        self.json['nodes'][number]['classpath'] = path
        return number

    def edge(self, source, target, memlet, out=None, into=None):
        self.json['edges'].append({'type': 'MultiConnectorEdge', 'src': str(source), 'dst': str(target), 'src_connector': out,
                                   'dst_connector': into, 'attributes': {'data': memlet or {'type': 'Memlet', 'attributes': {}}}})
        return self


def graph(states, arrays, symbols=None, edges=(), label='test', **attributes):
    """`states`: State objects or blocks as JSON; `edges`: (from, to, assignments, condition)."""
    blocks = [s.json if isinstance(s, State) else s for s in states]
    for number, block in enumerate(blocks):
        block['id'] = number
    return {'type': 'SDFG', 'dace_version': '2.0.0a6', 'label': label, 'id': None, 'collapsed': False, 'cfg_list_id': 0,
            'start_block': 0, 'source_files': [], 'nodes': blocks,
            'attributes': {'name': label, 'symbols': symbols or {}, '_arrays': arrays, **attributes},
            'edges': [{'type': 'Edge', 'src': str(a), 'dst': str(b), 'attributes': {'data': {
                'type': 'InterstateEdge', 'attributes': {'assignments': s, 'condition': {'string_data': c, 'language': 'Python'}}}}}
                for a, b, s, c in edges]}


def clone(value):
    return copy.deepcopy(value)

"""Graphs of the format's version 2 in a few lines, for the scripts of this folder: dictionaries that json.dump writes as `.sdfg`."""


def index_range(begin, end):
    """`begin` to `end` inclusive, as the format has it."""
    return {'start': str(begin), 'end': str(end), 'step': '1', 'tile': '1'}


def box(*ranges):
    """A subset: each dimension is an index (text) or a pair (begin, end)."""
    pairs = [r if isinstance(r, tuple) else (r, r) for r in ranges]
    return {'type': 'Range', 'ranges': [index_range(*p) for p in pairs]}


def array(*shape, transient=False, dtype='float64', strides=None, storage='Default', lifetime='Scope'):
    """A container, in rows unless there are strides (numbers, then)."""
    sizes = [str(s) for s in shape]
    if strides is None:
        steps, total = ['*'.join(sizes[i + 1:]) or '1' for i in range(len(sizes))], '*'.join(sizes)
    else:
        steps, total = [str(s) for s in strides], str(extent(shape, strides))
    return {'type': 'Array', 'attributes': {'dtype': dtype, 'shape': sizes, 'strides': steps, 'offset': ['0'] * len(sizes),
                                            'total_size': total, 'transient': transient, 'storage': storage, 'lifetime': lifetime}}


def extent(shape, strides):
    """Elements from the first to the last one of a container of numbers."""
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))


def code(text):
    return {'string_data': text, 'language': 'Python'}


def edge(source, out, target, into, data, subset, **more):
    attributes = dict({'data': data, 'subset': subset}, **more) if data else {}
    memlet = {'type': 'Memlet', 'attributes': attributes}
    return {'type': 'MultiConnectorEdge', 'src': str(source), 'dst': str(target), 'src_connector': out, 'dst_connector': into,
            'attributes': {'data': memlet}}


class State:
    """A state, node by node. Scopes are named by the numbers of their map entries."""

    def __init__(self, label):
        self.label, self.nodes, self.edges = label, [], []

    def node(self, kind, label, scope=None, **attributes):
        if kind != 'AccessNode':
            attributes['label'] = label
        self.nodes.append({'type': kind, 'label': label, 'id': len(self.nodes), 'scope_entry': None if scope is None else str(scope),
                           'scope_exit': None, 'attributes': attributes})
        return len(self.nodes) - 1

    def access(self, data, scope=None):
        return self.node('AccessNode', data, scope, data=data)

    def tasklet(self, label, text, reads, writes, scope=None):
        return self.node('Tasklet', label, scope, code=code(text), in_connectors=dict.fromkeys(reads), out_connectors=dict.fromkeys(writes))

    def library(self, path, reads, writes, **attributes):
        name = path.rsplit('.', 1)[1]
        node = self.node('LibraryNode', name, in_connectors=dict.fromkeys(reads), out_connectors=dict.fromkeys(writes), name=name, **attributes)
        self.nodes[node]['classpath'] = path
        return node

    def map(self, label, params, inputs, outputs, schedule='Default', scope=None):
        """Entry and exit of a map over `{parameter: (first, last)}`, which the containers `inputs` and `outputs` pass through."""
        ports = lambda names, prefix: {f'{prefix}_{a}': None for a in names}
        entry = self.node('MapEntry', label, scope, params=list(params), range=box(*params.values()), schedule=schedule,
                          in_connectors=ports(inputs, 'IN'), out_connectors=ports(inputs, 'OUT'))
        leave = self.node('MapExit', label, entry, in_connectors=ports(outputs, 'IN'), out_connectors=ports(outputs, 'OUT'))
        self.nodes[entry]['scope_exit'] = self.nodes[leave]['scope_exit'] = str(leave)
        return entry, leave

    def edge(self, source, out, target, into, data=None, subset=None, **more):
        self.edges.append(edge(source, out, target, into, data, subset, **more))

    def order(self, source, target):
        """An edge without data: it holds a scope together, or orders."""
        self.edge(source, None, target, None)

    def json(self):
        return {'type': 'SDFGState', 'label': self.label, 'id': 0, 'attributes': {}, 'scope_dict': {}, 'nodes': self.nodes, 'edges': self.edges}


def whole(shape):
    return box(*[(0, f'{s} - 1') for s in shape])


def map_state(label, params, reads, writes, text, shapes, wcr=None, schedule='Default'):
    """A state with one map around one tasklet.

    params: {parameter: (first, last)}; reads, writes: {connector: (array, index, ...)}; shapes: {array: (size, ...)}."""
    state = State(label)
    inputs = sorted({r[0] for r in reads.values()})
    outputs = sorted({w[0] for w in writes.values()})
    sources = {a: state.access(a) for a in inputs}
    targets = {a: state.access(a) for a in outputs}
    entry, leave = state.map(label, params, inputs, outputs, schedule)
    task = state.tasklet(label, text, reads, writes, entry)
    more = {'wcr': wcr} if wcr else {}
    for a in inputs:
        state.edge(sources[a], None, entry, f'IN_{a}', a, whole(shapes[a]))
    for connector, (a, *at) in reads.items():
        state.edge(entry, f'OUT_{a}', task, connector, a, box(*at))
    if not reads:
        state.order(entry, task)
    for connector, (a, *at) in writes.items():
        state.edge(task, connector, leave, f'IN_{a}', a, box(*at), **more)
    for a in outputs:
        state.edge(leave, f'OUT_{a}', targets[a], None, a, whole(shapes[a]), **more)
    return state.json()


def chain(blocks):
    """Nodes and edges of a region: blocks one after the other."""
    for number, block in enumerate(blocks):
        block['id'] = number
    link = {'type': 'InterstateEdge', 'attributes': {'assignments': {}, 'condition': code('1')}}
    return {'nodes': blocks, 'start_block': 0,
            'edges': [{'type': 'Edge', 'src': str(i), 'dst': str(i + 1), 'attributes': {'data': link}} for i in range(len(blocks) - 1)]}


def loop(label, variable, count, blocks):
    attributes = {'loop_variable': variable, 'init_statement': code(f'{variable} = 0'), 'loop_condition': code(f'{variable} < {count}'),
                  'update_statement': code(f'{variable} = {variable} + 1')}
    return dict({'type': 'LoopRegion', 'label': label, 'id': 0, 'attributes': attributes}, **chain(blocks))


def branch(label, condition, blocks):
    """A conditional with one branch."""
    region = dict({'type': 'ControlFlowRegion', 'label': f'{label}_then', 'id': 0, 'attributes': {}}, **chain(blocks))
    return {'type': 'ConditionalBlock', 'label': label, 'id': 0, 'attributes': {}, 'branches': [[code(condition), region]]}


def sdfg(name, symbols, arrays, blocks):
    return dict({'type': 'SDFG', 'dace_version': '2.0.0',
                 'attributes': {'name': name, 'symbols': dict.fromkeys(symbols, 'int64'), '_arrays': arrays}}, **chain(blocks))

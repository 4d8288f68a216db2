"""Graphs of the format's version 2 in a few lines, for the scripts of this folder: dictionaries that json.dump writes as `.sdfg`."""


def index_range(begin, end):
    """`begin` to `end` inclusive, as the format has it."""
    return {'start': str(begin), 'end': str(end), 'step': '1', 'tile': '1'}


def box(*ranges):
    """A subset: each dimension is an index (text) or a pair (begin, end)."""
    pairs = [r if isinstance(r, tuple) else (r, r) for r in ranges]
    return {'type': 'Range', 'ranges': [index_range(*p) for p in pairs]}


def array(*shape, transient=False, dtype='float64'):
    sizes = [str(s) for s in shape]
    strides = ['*'.join(sizes[i + 1:]) or '1' for i in range(len(sizes))]
    return {'type': 'Array', 'attributes': {'dtype': dtype, 'shape': sizes, 'strides': strides, 'offset': ['0'] * len(sizes),
                                            'total_size': '*'.join(sizes), 'transient': transient}}


def code(text):
    return {'string_data': text, 'language': 'Python'}


def edge(source, out, target, into, data, subset, **more):
    attributes = dict({'data': data, 'subset': subset}, **more) if data else {}
    memlet = {'type': 'Memlet', 'attributes': attributes}
    return {'type': 'MultiConnectorEdge', 'src': str(source), 'dst': str(target), 'src_connector': out, 'dst_connector': into,
            'attributes': {'data': memlet}}


def map_state(label, params, reads, writes, text, shapes, wcr=None):
    """A state with one map around one tasklet.

    params: {parameter: (first, last)}; reads, writes: {connector: (array, index, ...)}; shapes: {array: (size, ...)}."""
    nodes, edges = [], []

    def node(kind, name, attributes, entry=None, leave=None):
        nodes.append({'type': kind, 'label': name, 'id': len(nodes), 'scope_entry': entry, 'scope_exit': leave,
                      'attributes': dict(attributes, label=name)})
        return len(nodes) - 1

    def whole(name):
        return box(*[(0, f'{s} - 1') for s in shapes[name]])

    inputs = sorted({r[0] for r in reads.values()})
    outputs = sorted({w[0] for w in writes.values()})
    sources = {a: node('AccessNode', a, {'data': a}) for a in inputs}
    targets = {a: node('AccessNode', a, {'data': a}) for a in outputs}
    ports = lambda names, prefix: {f'{prefix}_{a}': None for a in names}
    exit_id = str(len(nodes) + 2)
    entry = node('MapEntry', label, {'params': list(params), 'range': box(*params.values()),
                                     'in_connectors': ports(inputs, 'IN'), 'out_connectors': ports(inputs, 'OUT')}, None, exit_id)
    task = node('Tasklet', label, {'code': code(text), 'in_connectors': dict.fromkeys(reads), 'out_connectors': dict.fromkeys(writes)},
                str(entry), exit_id)
    leave = node('MapExit', label, {'in_connectors': ports(outputs, 'IN'), 'out_connectors': ports(outputs, 'OUT')}, str(entry), exit_id)
    more = {'wcr': wcr} if wcr else {}
    for a in inputs:
        edges.append(edge(sources[a], None, entry, f'IN_{a}', a, whole(a)))
    for connector, (a, *at) in reads.items():
        edges.append(edge(entry, f'OUT_{a}', task, connector, a, box(*at)))
    if not reads:
        edges.append(edge(entry, None, task, None, None, None)) # holds the scope together
    for connector, (a, *at) in writes.items():
        edges.append(edge(task, connector, leave, f'IN_{a}', a, box(*at), **more))
    for a in outputs:
        edges.append(edge(leave, f'OUT_{a}', targets[a], None, a, whole(a), **more))
    return {'type': 'SDFGState', 'label': label, 'id': 0, 'attributes': {}, 'scope_dict': {}, 'nodes': nodes, 'edges': edges}


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


def sdfg(name, symbols, arrays, blocks):
    return dict({'type': 'SDFG', 'dace_version': '2.0.0',
                 'attributes': {'name': name, 'symbols': dict.fromkeys(symbols, 'int64'), '_arrays': arrays}}, **chain(blocks))

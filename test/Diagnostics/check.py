#!/usr/bin/python3
"""Breaks a graph in one way after another, and looks at what sdfgc says: the code, the words, the place, the exit status.

  check.py SDFGC [NAME]     NAME: one kind of diagnostic only

A case is a function named after the kind that it provokes. It returns the input (JSON, text or bytes), the arguments behind
`sdfgc SUBCOMMAND FILE`, words that the report must have and, if need be, environment variables. The tables of kinds come from `sdfgc explain`.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from graphs import State, array, graph, load, memlet, scalar

CASES = {}


def case(status=1):
    def register(function):
        CASES[function.__name__] = (function, status)
        return function
    return register


def call(arguments, folder, environment=None):
    done = subprocess.run([SDFGC] + arguments, cwd=folder, capture_output=True, timeout=300, env={**os.environ, **(environment or {})})
    return done.returncode, done.stdout.decode(errors='replace'), done.stderr.decode(errors='replace')


def vadd():
    """The graph, its nodes (A, B, entry, tasklet, exit, C) and its edges."""
    g = load('vadd')
    return g, g['nodes'][0]['nodes'], g['nodes'][0]['edges']


def attributes(element):
    return element['attributes']


def edge_subset(edge):
    return edge['attributes']['data']['attributes']['subset']['ranges'][0]


# ---- reading


@case()
def NotAGraphFile():
    return b'\x80\x04\x95 a pickle', ['check'], ['this is no SDFG file: it starts with']


@case()
def InvalidUtf8():
    return json.dumps(vadd()[0]).encode().replace(b'"vadd"', b'"v\xdfdd"', 1), ['check'], ['the text is not UTF-8: byte']


@case()
def JsonTooDeep():
    return '{"a":' + '[' * 3000, ['check'], ['nested more than 2000 levels deep']


@case()
def DuplicateKey():
    return json.dumps(vadd()[0]).replace('"type": "SDFG"', '"type": "SDFG", "type": "SDFG"', 1), ['check'], ['the key `type` appears twice']


# ---- rules of graphs


@case()
def DuplicateBlockLabel():
    return graph([State('s'), State('s')], {}, edges=[(0, 1, {}, '1')]), ['check'], ['2 blocks of one region have the label `s`', 'in test']


@case()
def AssignmentRace():
    g = graph([State('a'), State('b')], {}, {'i': 'int64', 'j': 'int64'}, [(0, 1, {'i': 'i + 1', 'j': 'i'}, '1')])
    return g, ['check'], ['`j = i` reads `i`, which the same edge assigns']


@case()
def JumpOutsideLoop():
    return graph([{'type': 'BreakBlock', 'label': 'b', 'attributes': {}}], {}), ['check'], ['break outside of a loop']


@case()
def ConnectorWithoutPair():
    g, nodes, edges = vadd()
    attributes(nodes[2])['in_connectors'] = {'IN_A': None, 'IN_B': None, 'IN_Z': None}
    return g, ['check'], ['connector `IN_Z` has no counterpart `OUT_Z`', 'map m']


@case(0)
def UninitializedTransient():
    s = State()
    s.edge(s.access('t'), s.access('A'), memlet('t', '0'))
    return graph([s], {'A': array(['1']), 't': array(['1'], transient=True)}), ['check'], ['transient `t` is read but never written before']


def nested(inside, inputs, outputs, **more):
    """A nested SDFG that takes `x` from A and gives `y` to B."""
    s = State()
    n = s.nested(inside, inputs, outputs, **more)
    for c in inputs:
        s.edge(s.access('A'), n, memlet('A', '0:N'), None, c)
    for c in outputs:
        s.edge(n, s.access('B'), memlet('B', '0:N'), c)
    return graph([s], {'A': array(['N']), 'B': array(['N'])}, {'N': 'int64'})


def copying(source, target, size='4'):
    s = State()
    s.edge(s.access(source), s.access(target), memlet(source, '0:' + size))
    return graph([s], {n: array([size]) for n in {source, target}}, label='inner')


@case()
def WriteToInput():
    return nested(copying('y', 'x'), ['x'], ['y']), ['check'], ['`x` is written, but it is only an input of the nested SDFG node']


@case()
def ConnectorInAndOut():
    s = State()
    t = s.tasklet('a = a + 1', ['a'], ['a'])
    s.edge(s.access('A'), t, memlet('A', '0'), None, 'a').edge(t, s.access('A'), memlet('A', '0'), 'a')
    return graph([s], {'A': array(['4'])}), ['check'], ['connector `a` is both input and output', 'tasklet t']


@case()
def DanglingConnector():
    g, nodes, edges = vadd()
    attributes(nodes[3])['in_connectors']['z'] = None
    return g, ['check'], ['no edge at in-connector `z`', 'tasklet add']


@case()
def InOutMismatch():
    return nested(copying('x', 'x'), ['x'], ['x']), ['check'], ['connector `x` reads `A` but writes `B`']


@case()
def UnmappedSymbol():
    return nested(copying('x', 'y', 'K'), ['x'], ['y']), ['check'], ['symbol `K` of the nested SDFG is not mapped']


@case()
def MapStep():
    g, nodes, edges = vadd()
    attributes(nodes[2])['range']['ranges'][0]['step'] = '-1'
    return g, ['check'], ['parameter `i` has step -1', 'reverse the range']


@case()
def MemletOfOtherData():
    s = State()
    s.edge(s.access('A'), s.access('B'), memlet('C', '0'))
    return graph([s], {n: array(['1']) for n in 'ABC'}), ['check'], ['the memlet is of `C`, but the edge connects `']


@case()
def NegativeSize():
    s = State()
    s.edge(s.access('A'), s.access('B'), memlet('A', '5:2'))
    return graph([s], {n: array(['9']) for n in 'AB'}), ['check'], ['has size -3 in dimension 0']


@case()
def ZeroStep():
    s = State()
    s.edge(s.access('A'), s.access('B'), memlet('A', '0:9:0'))
    return graph([s], {n: array(['9']) for n in 'AB'}), ['check'], ['has step 0 in dimension 0']


@case()
def SeveralOutEdges():
    edges = [(0, 1, {}, 'N > 0'), (0, 2, {}, 'not (N > 0)')]
    return (graph([State('a'), State('b'), State('c')], {}, {'N': 'int64'}, edges), ['check', '--level', 'structured'],
            ['2 out-edges in structured control flow', 'state a'])


def scheduled(g, *options):
    """A graph after the passes for a GPU, as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'g.sdfg'), 'w') as f:
            json.dump(g, f)
        status, out, err = call(['opt', 'g.sdfg', '--target', 'cuda', '-o', '-', '-q', *options], folder)
        assert status == 0, err
        return out


@case()
def StreamNumber():
    text = scheduled(vadd()[0])
    assert '"gpu_stream":0' in text or '"stream":0' in text, re.findall(r'"[a-z_]*stream[a-z_]*":[^,]*', text)[:5]
    return re.sub(r'("(?:gpu_)?stream"):0', r'\1:999', text, count=1), ['check', '--level', 'scheduled'], ['there is no GPU stream 999']


@case()
def StreamsUnordered():
    text = scheduled(vadd()[0])
    return re.sub(r'("(?:gpu_)?stream"):0', r'\1:1', text, count=1), ['check', '--level', 'scheduled'], ['does not wait for', 'which may still']


# ---- pipelines and passes


@case(2)
def NestedGroup():
    return vadd()[0], ['opt', '--passes', 'fixed-point(infer-types,fixed-point(default-schedules))'], ['a fixed-point group stands inside another one']


@case()
def SymbolTypeUnknown():
    g = graph([State('a'), State('b')], {}, edges=[(0, 1, {'k': 'strange(3)'}, '1')])
    return g, ['opt', '-o', 'x.sdfg'], ["symbol 'k' is assigned but its type cannot be inferred"]


# ---- library nodes


def with_library(path, inputs, outputs, arrays, **more):
    s = State()
    n = s.library(path, inputs, outputs, **more)
    for c, data in inputs.items():
        s.edge(s.access(data), n, memlet(data, ', '.join('0:' + d for d in arrays[data]['attributes']['shape'])), None, c)
    for c, data in outputs.items():
        s.edge(n, s.access(data), memlet(data, ', '.join('0:' + d for d in arrays[data]['attributes']['shape'])), c)
    return graph([s], arrays)


def product(path):
    arrays = {'A': array(['4', '5']), 'B': array(['6', '7']), 'C': array(['4', '7'])}
    return with_library(path, {'_a': 'A', '_b': 'B'}, {'_c': 'C'}, arrays)


@case()
def LibraryNodeNotExpanded():
    return product('dace.libraries.blas.nodes.matmul.MatMul'), ['opt', '-o', 'x.sdfg'], ['library node `dace.libraries.blas.nodes.matmul.MatMul` cannot be expanded: ']


@case()
def LibraryNodeUnknown():
    return product('mine.Product'), ['opt', '-o', 'x.sdfg'], ['library node `mine.Product` is not known to sdfgc', 'expand it in DaCe before saving the graph']


@case()
def LibraryNodeRefused():
    return (product('dace.libraries.mpi.nodes.bcast.Bcast'), ['opt', '-o', 'x.sdfg'],
            ['is not available on target cpu: it communicates with MPI'])


# ---- lowering


def tasklet(code, arrays, inputs, outputs, **more):
    s = State()
    t = s.tasklet(code, inputs, outputs, **more)
    for c, (data, where) in inputs.items():
        s.edge(s.access(data), t, memlet(data, where), None, c)
    for c, (data, where) in outputs.items():
        s.edge(t, s.access(data), memlet(data, where), c)
    return graph([s], arrays, {'N': 'int64'})


@case()
def SubscriptRank():
    g = tasklet('c = a[1, 2, 3]', {'A': array(['4', '4']), 'C': array(['1'])}, {'a': ('A', '0:4, 0:4')}, {'c': ('C', '0')})
    return g, ['emit', '-o', 'out'], ['is read with 3 subscripts but has 2 dimensions', 'tasklet t']


@case()
def LowerUnsupported():
    g = tasklet('module t; endmodule', {'A': array(['4']), 'C': array(['1'])}, {'a': ('A', '0')}, {'c': ('C', '0')}, language='SystemVerilog')
    return g, ['emit', '-o', 'out'], ['a tasklet in SystemVerilog cannot be compiled for this target']


@case()
def PersistentSize():
    s = State('b')
    t = s.tasklet('c = 1', [], ['c'])
    s.edge(t, s.access('t'), memlet('t', '0'), 'c')
    arrays = {'t': array(['k'], transient=True, lifetime='Persistent')}
    g = graph([State('a'), s], arrays, {'k': 'int64', 'N': 'int64'}, [(0, 1, {'k': 'N + 1'}, '1')])
    return g, ['emit', '-o', 'out'], ['the size of `t` (k) is not known when the program is initialised']


def kernel(body, arrays, inputs=(), outputs=(), **more):
    """A GPU map over i = 0:64 around one tasklet; `inputs`, `outputs`: connector to container."""
    s = State()
    entry, exit = s.map({'i': '0:64'}, [inputs[c] for c in inputs], [outputs[c] for c in outputs], 'GPU_Device', **more)
    t = s.tasklet(body, inputs, outputs, language='CPP' if ';' in body else 'Python')

    def place(data):
        return '0' if arrays[data]['type'] == 'Scalar' or arrays[data]['attributes']['shape'] == ['1'] else 'i'
    for c, data in inputs.items():
        s.edge(s.access(data), entry, memlet(data, place(data)), None, 'IN_' + data)
        s.edge(entry, t, memlet(data, place(data)), 'OUT_' + data, c)
    for c, data in outputs.items():
        s.edge(t, exit, memlet(data, place(data)), c, 'IN_' + data)
        s.edge(exit, s.access(data), memlet(data, place(data)), 'OUT_' + data)
    if not inputs:
        s.edge(entry, t, None)
    return graph([s], arrays, {'N': 'int64'})


def on_device(shape, **more):
    return array(shape, storage='GPU_Global', **more)


@case()
def KernelShape():
    g = kernel('c = a + 1', {'A': on_device(['64']), 'C': on_device(['64'])}, {'a': 'A'}, {'c': 'C'}, gpu_block_size=['64', '64', '1'])
    return g, ['emit', '--target', 'cuda', '-o', 'out'], ['a block of kernel `m` has 4096 threads; a GPU takes 1024 at most']


@case()
def KernelCallsHost():
    g = kernel('cblas_dscal(1, 2.0, &c, 1);', {'C': on_device(['64'])}, {}, {'c': 'C'})
    return g, ['emit', '--target', 'cuda', '-o', 'out'], ['kernel `m` calls `cblas_dscal`, a function of the host']


@case()
def KernelSize():
    s = State()
    entry, exit = s.map({'i': '0:64'}, [], ['C'], 'GPU_Device')
    inner, end = s.map({'j': '0:i + 1'}, [], ['C'], 'GPU_ThreadBlock')
    t = s.tasklet('c = 1', [], ['c'])
    s.edge(entry, inner, None).edge(inner, t, None)
    s.edge(t, end, memlet('C', 'i'), 'c', 'IN_C').edge(end, exit, memlet('C', 'i'), 'OUT_C', 'IN_C')
    s.edge(exit, s.access('C'), memlet('C', '0:64'), 'OUT_C')
    g = graph([s], {'C': on_device(['64'])})
    return g, ['emit', '--target', 'cuda', '-o', 'out'], ['is not known when it is started: `i` is defined inside of it']


@case()
def KernelWritesValue():
    g = kernel('c = 1', {'C': scalar('float64')}, {}, {'c': 'C'})
    return g, ['emit', '--target', 'cuda', '-o', 'out'], ['kernel `m` writes `C`, a value of the host']


@case()
def KernelArray():
    s = State()
    entry, exit = s.map({'i': '0:64'}, [], ['C'], 'GPU_Device')
    t, u = s.tasklet('c = 1', [], ['c'], label='t'), s.tasklet('c = a', ['a'], ['c'], label='u')
    own = s.access('own')
    s.edge(entry, t, None).edge(t, own, memlet('own', '0'), 'c').edge(own, u, memlet('own', '0'), None, 'a')
    s.edge(u, exit, memlet('C', 'i'), 'c', 'IN_C').edge(exit, s.access('C'), memlet('C', '0:64'), 'OUT_C')
    arrays = {'C': on_device(['64']), 'own': array(['N'], transient=True, storage='GPU_Shared')}
    return graph([s], arrays, {'N': 'int64'}), ['emit', '--target', 'cuda', '-o', 'out'], ['array `own` lives inside a kernel and has the size N']


@case()
def KernelVariable():
    arrays = {'S': {'type': 'Stream', 'attributes': {'dtype': 'float64', 'shape': ['1'], 'strides': ['1'], 'offset': ['0'], 'total_size': '1',
                                                     'transient': True, 'buffer_size': '64', 'storage': 'CPU_Heap'}},
              'C': on_device(['64'])}
    g = kernel('c = a', arrays, {'a': 'S'}, {'c': 'C'})
    return g, ['emit', '--target', 'cuda', '-o', 'out'], ['kernel `m` uses `S`, which cannot be handed to a kernel']


def copy_to_device():
    """A part of a matrix is copied to the device; after the passes."""
    s = State()
    s.edge(s.access('A'), s.access('D'), memlet('A', '0:8, 0:4', '0:8, 0:4'))
    return scheduled(graph([s], {'A': array(['8', '8']), 'D': on_device(['8', '8'])}))


COPY = re.compile(r',"_meta_sdfgc_copy":"(\w+)"')


@case()
def UndecidedCopy():
    return COPY.sub('', copy_to_device()), ['check', '--level', 'scheduled'], ['nothing has decided how the copy from `A` to `D` is made']


@case()
def UnsuitableCopy():
    text = copy_to_device()
    assert COPY.search(text)[1] != 'Linear'
    return COPY.sub(',"_meta_sdfgc_copy":"Linear"', text), ['check', '--level', 'scheduled'], ['the copy from `A` to `D` cannot be ']


@case()
def ThreadsUnordered():
    passes = 'raise-control-flow,fill-scope-connectors,default-schedules,infer-types,select-copies,allocate-containers,place-in-memory,assign-streams'  # no place-barriers
    return scheduled(load('blocks'), '--passes', passes), ['check', '--level', 'scheduled'], ['threads of a block reach ', '`s` in ']


@case()
def UndefinedSymbol():
    s = State()
    s.edge(s.access('A'), s.access('t'), memlet('A', '0'))
    g = graph([s], {'A': array(['1']), 't': array(['K'], transient=True)})
    return g, ['emit', '-o', 'out'], ['symbol `K` is used but never defined', 'map it at the nested SDFG']


# ---- results and programs


def without_headers(broken):
    """A folder for SDFGC_HOME that lacks a header, or has a folder in its place."""
    home = os.environ.get('SDFGC_HOME') or os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
    folder = tempfile.mkdtemp()
    for part in ('pipelines', 'bindings', 'viewer'):
        os.symlink(os.path.abspath(os.path.join(home, part)), os.path.join(folder, part))
    os.makedirs(os.path.join(folder, 'runtime-headers/sdfgc/rt'))
    if broken:
        os.makedirs(os.path.join(folder, 'runtime-headers/sdfgc/rt/abi.h'))
    return folder


@case()
def RuntimeHeaderMissing():
    return vadd()[0], ['emit', '-o', 'out'], ['runtime header `sdfgc/rt/abi.h` was not found'], {'SDFGC_HOME': without_headers(False)}


@case()
def FolderNotWritten():
    return vadd()[0], ['emit', '-o', 'out'], ['abi.h', 'choose another folder with -o'], {'SDFGC_HOME': without_headers(True)}


@case()
def ProgramArgumentKind():
    structure = {'type': 'Structure', 'attributes': {
        'name': 'CSR', 'dtype': {'type': 'pointer', 'dtype': {'type': 'struct', 'name': 'CSR', 'data': {'n': 'int32'}, 'length': {}, 'bytes': 4}},
        'shape': ['1'], 'members': [['n', scalar('int32')]], 'total_size': '1', 'strides': ['1'], 'offset': ['0']}}
    g = load('vadd')
    attributes(g)['_arrays']['S'] = structure
    return g, ['run'], ['argument `S` is a structure, which cannot be given on a command line']


def problems(name, folder):
    function, status = CASES[name]
    made, arguments, words, *environment = function()
    path = os.path.join(folder, name + '.sdfg')
    content = made if isinstance(made, bytes) else (made if isinstance(made, str) else json.dumps(made)).encode()
    with open(path, 'wb') as f:
        f.write(content)
    found, out, err = call([arguments[0], path] + arguments[1:], folder, *environment)
    code = KINDS[name]
    if f'[{code}]' not in err:
        yield f'no [{code}] in: {err[:1500]}'
    for word in words:
        if word not in err:
            yield f'no `{word}`'
    if found != status:
        yield f'exit status {found}, not {status}; it says: {err[:1500]}'


def main():
    global SDFGC, KINDS
    SDFGC = os.path.abspath(sys.argv[1])
    listed = subprocess.run([SDFGC, 'explain'], capture_output=True, text=True, check=True).stdout
    KINDS = {name: code for code, name in re.findall(r'^(SD\d+)\s+\w+\s+(\w+):', listed, re.M)}
    chosen = sys.argv[2:] or list(CASES)
    failed = 0
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            found = list(problems(name, folder))
            if found:
                failed += 1
                print(f'{name}: ' + '; '.join(found))
    print(f'{len(chosen)} cases, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

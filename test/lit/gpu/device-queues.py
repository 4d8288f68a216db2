"""Writes graphs whose kernels push to streams to a folder: `filter`, which lies in test/graphs/gpu too, `reread`, which pushes to the array that
it reads, `both`, where two tasklets push, `later`, where nested SDFGs copy elements to a stream that another state empties, twice, and `never`,
which nothing empties."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g


def device(*shape, **more):
    a = g.array(*shape, transient=True, **more)
    a['attributes']['storage'] = 'GPU_Global'
    return a


def stream(room, transient=True):
    return {'type': 'Stream', 'attributes': {'dtype': 'float64', 'shape': ['1'], 'offset': ['0'], 'transient': transient, 'buffer_size': room,
                                             'storage': 'GPU_Global'}}


def write(name, target, again=False, twice=False):
    """What is larger than 10 goes to `target`, at position 3 and behind; with `twice`, what is less than 5 as well, from another tasklet."""
    state = g.State('main')
    entry, leave = state.map('filter', {'i': ('0', 'N - 1')}, ['gpu_A'], ['S', 'S_1'] if twice else ['S'], 'GPU_Device')
    task = state.tasklet('keep', 'if a > 10:\n    s = a', ['a'], ['s'], entry)
    source = state.access('gpu_A')
    state.edge(state.access('A'), None, source, None, 'A', g.whole(('N',)))
    state.edge(source, None, entry, 'IN_gpu_A', 'gpu_A', g.whole(('N',)))
    state.edge(entry, 'OUT_gpu_A', task, 'a', 'gpu_A', g.box('i'))
    state.edge(task, 's', leave, 'IN_S', 'S', g.box('0'), dynamic=True)
    queue, kept = state.access('S'), state.access(target)
    state.edge(leave, 'OUT_S', queue, None, 'S', g.box('0'), dynamic=True)
    if twice:
        small = state.tasklet('small', 'if a < 5:\n    s = a', ['a'], ['s'], entry)
        state.edge(entry, 'OUT_gpu_A', small, 'a', 'gpu_A', g.box('i'))
        state.edge(small, 's', leave, 'IN_S_1', 'S', g.box('0'), dynamic=True)
        state.edge(leave, 'OUT_S_1', queue, None, 'S', g.box('0'), dynamic=True)
    state.edge(queue, None, kept, None, target, g.box(('3', 'N + 2')))
    state.edge(kept, None, state.access('B'), None, target, g.whole(('N + 3',)))
    arrays = {'A': g.array('N'), 'B': g.array('N + 3'), 'gpu_A': device('N + 3' if again else 'N'), 'gpu_B': device('N + 3'), 'S': stream('N')}
    with open(os.path.join(sys.argv[1], name + '.sdfg'), 'w') as file:
        json.dump(g.sdfg(name, ['N'], arrays, [state.json()]), file)


write('filter', 'gpu_B')
write('reread', 'gpu_A', again=True)
write('both', 'gpu_B', twice=True)


def keep():
    """A nested SDFG: what is larger than 10 is copied to the stream `q`."""
    look, push = g.State('look'), g.State('push')
    push.edge(push.access('a'), None, push.access('q'), None, 'a', g.box('0'), dynamic=True)
    inner = g.sdfg('keep', [], {'a': device(1), 'q': stream('1', transient=False)}, [look.json(), push.json()])
    inner['attributes']['_arrays']['a']['attributes']['transient'] = False
    inner['edges'][0]['attributes']['data']['attributes']['condition'] = g.code('a[0] > 10')
    return inner


def pushing(label):
    """A kernel around the nested SDFG."""
    state = g.State(label)
    entry, leave = state.map('filter', {'i': ('0', 'N - 1')}, ['gpu_A'], ['S'], 'GPU_Device')
    nested = state.node('NestedSDFG', 'keep', entry, sdfg=keep(), in_connectors={'a': None}, out_connectors={'q': None}, symbol_mapping={})
    state.edge(state.access('gpu_A'), None, entry, 'IN_gpu_A', 'gpu_A', g.whole(('N',)))
    state.edge(entry, 'OUT_gpu_A', nested, 'a', 'gpu_A', g.box('i'))
    state.edge(nested, 'q', leave, 'IN_S', 'S', g.box('0'), dynamic=True)
    state.edge(leave, 'OUT_S', state.access('S'), None, 'S', g.box('0'), dynamic=True)
    return state.json()


def emptying(label, begin, end):
    state = g.State(label)
    state.edge(state.access('S'), None, state.access('gpu_B'), None, 'gpu_B', g.box((begin, end)))
    return state.json()


def copying(label, source, target, shape):
    state = g.State(label)
    state.edge(state.access(source), None, state.access(target), None, source, g.whole((shape,)))
    return state.json()


def later(name, drained=True):
    """The elements of both rounds come behind each other; the rest of B stays -1."""
    arrays = {'A': g.array('N'), 'B': g.array('2*N'), 'gpu_A': device('N'), 'gpu_B': device('2*N'), 'S': stream('N')}
    clear = g.map_state('clear', {'i': ('0', '2*N - 1')}, {}, {'b': ('gpu_B', 'i')}, 'b = -1', {'gpu_B': ('2*N',)}, schedule='GPU_Device')
    rounds = [pushing('first'), emptying('empty', '0', 'N - 1'), pushing('second'), emptying('again', 'N', '2*N - 1')]
    if not drained:
        rounds = [rounds[0]]
    blocks = [copying('in', 'A', 'gpu_A', 'N'), clear, *rounds, copying('out', 'gpu_B', 'B', '2*N')]
    with open(os.path.join(sys.argv[1], name + '.sdfg'), 'w') as file:
        json.dump(g.sdfg(name, ['N'], arrays, blocks), file)


later('later')
later('never', drained=False)

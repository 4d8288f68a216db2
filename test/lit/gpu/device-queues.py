"""Writes graphs whose kernels push to streams to a folder: `filter`, which lies in test/graphs/gpu too, `reread`, which pushes to the array that
it reads, and `both`, where two tasklets push."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'tools', 'dev'))
import graphs as g


def device(*shape, **more):
    a = g.array(*shape, transient=True, **more)
    a['attributes']['storage'] = 'GPU_Global'
    return a


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
    stream = {'type': 'Stream', 'attributes': {'dtype': 'float64', 'shape': ['1'], 'offset': ['0'], 'transient': True, 'buffer_size': 'N',
                                               'storage': 'GPU_Global'}}
    arrays = {'A': g.array('N'), 'B': g.array('N + 3'), 'gpu_A': device('N + 3' if again else 'N'), 'gpu_B': device('N + 3'), 'S': stream}
    with open(os.path.join(sys.argv[1], name + '.sdfg'), 'w') as file:
        json.dump(g.sdfg(name, ['N'], arrays, [state.json()]), file)


write('filter', 'gpu_B')
write('reread', 'gpu_A', again=True)
write('both', 'gpu_B', twice=True)

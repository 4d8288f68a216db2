"""Chains that do not depend on each other: copy in, compute, copy out. On several streams, copies in both directions and kernels overlap."""
import numpy as np

import bench_maps as maps
import graphs as g
from gpu_bench.measure import Case

CHAINS = 8


def case(streams, n, rounds):
    """Every chain computes `B = rounds * A`, one addition after the other: `rounds` decides how long kernels take beside copies."""
    state = g.State('chains')
    containers = {}
    for chain in range(CHAINS):
        names = host_in, device_in, device_out, host_out = [f'{kind}{chain}' for kind in ('A', 'gA', 'gB', 'B')]
        for name in names:
            on_device = name.startswith('g')
            containers[name] = g.array('N', transient=on_device, storage='GPU_Global' if on_device else 'Default',
                                       lifetime='Persistent' if on_device else 'Scope')
        add_chain(state, *names)
    graph = g.sdfg(f'overlap_{streams}', ['N', 'rounds'], containers, [state.json()])
    return Case(graph, lambda: data(n, rounds), set(), {'N': n, 'rounds': rounds})


def add_chain(state, host_in, device_in, device_out, host_out):
    whole = g.whole(('N',))
    source, result = state.access(device_in), state.access(device_out)
    state.edge(state.access(host_in), None, source, None, host_in, whole)
    zero = add_kernel(state, 'zero', {'i': (0, 'N - 1')}, None, device_out, 'o = 0')
    sums = add_kernel(state, 'sums', {'i': (0, 'N - 1'), 'k': (0, 'rounds - 1')}, device_in, device_out, 'o = a', wcr=maps.SUM)
    cleared = state.access(device_out)
    state.edge(zero[1], f'OUT_{device_out}', cleared, None, device_out, whole)
    state.order(cleared, sums[0])
    state.edge(source, None, sums[0], f'IN_{device_in}', device_in, whole)
    state.edge(sums[1], f'OUT_{device_out}', result, None, device_out, whole, wcr=maps.SUM)
    state.edge(result, None, state.access(host_out), None, device_out, whole)


def add_kernel(state, label, params, source, target, text, **more):
    """Entry and exit of a kernel with one tasklet, element by element."""
    entry, leave = state.map(label, params, [source] if source else [], [target], 'GPU_Device')
    task = state.tasklet(label, text, ['a'] if source else [], ['o'], entry)
    if source:
        state.edge(entry, f'OUT_{source}', task, 'a', source, g.box('i'))
    else:
        state.order(entry, task)
    state.edge(task, 'o', leave, f'IN_{target}', target, g.box('i'), **more)
    return entry, leave


def data(n, rounds):
    inputs = {f'A{chain}': np.random.default_rng(chain).random(n) for chain in range(CHAINS)}
    outputs = {f'B{chain}': rounds * inputs[f'A{chain}'] for chain in range(CHAINS)}
    return dict(inputs, **{name: np.zeros(n) for name in outputs}), outputs

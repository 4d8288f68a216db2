"""Gradients on the device, emulated in three orders of operations, against the same on the CPU.

    gradients.py SDFGC GRAPHS FOLDER     graphs in GRAPHS; the graph of the device, and results, in FOLDER
"""
import os
import re
import subprocess
import sys

import numpy as np

sdfgc, graphs, folder = sys.argv[1:]


def call(*command, seed=0):
    subprocess.run([sdfgc, *command], check=True, stdout=subprocess.DEVNULL, env={**os.environ, 'SDFGC_EMULATE_SEED': str(seed)})


def gradients(name, graph, of, wrt, options, arguments, target, seeds):
    """The gradients of every seed."""
    at = os.path.join(folder, f'{name}-{target}')
    call('grad', graph, '--of', of, '--wrt', wrt, *options, '-o', at + '.sdfg')
    where = ['--target', 'cuda', '--emulate'] if target == 'cuda' else []
    found = []
    for seed in seeds:
        files = {w: f'{at}-{seed}-{w}.npy' for w in wrt.split(',')}
        call('run', at + '.sdfg', '-o', at, *where, '--cflags', '-O0', *(f'--arg={a}' for a in arguments), '--seed', '3', '--default',
             'random:0.5:1.5', *(f'--out=gradient_{w}={f}' for w, f in files.items()), seed=seed)
        found.append({w: np.load(f) for w, f in files.items()})
    return found


def compare(name, graph, of, wrt, arguments, options=(), on_cpu=None, tolerance=1e-12):
    expected, = gradients(name, on_cpu or graph, of, wrt, options, arguments, 'cpu', [0])
    assert all(np.any(g) for g in expected.values()), name
    for seed, found in enumerate(gradients(name, graph, of, wrt, options, arguments, 'cuda', [1, 2, 3])):
        for w, g in found.items():
            np.testing.assert_allclose(g, expected[w], tolerance, tolerance, err_msg=f'{name}: gradient_{w}, seed {seed + 1}')
    print(f'{name}: the same')


def graph(name):
    return os.path.join(graphs, name + '.sdfgt')


# Programs that are offloaded after they have been differentiated.
compare('loss', graph('loss'), 'loss', 'A,w', ['N=50'])
compare('recurrence', graph('recurrence'), 'loss', 'x', ['T=20'])
compare('recurrence-segments', graph('recurrence'), 'loss', 'x', ['T=20'], ['--checkpoints', '4'])
compare('rows', graph('rows'), 'out', 'A', ['R=9', 'ptr=range'], ['--seed', 'argument'])
compare('layer', graph('layer'), 'y', 'W,b,x', ['B=4', 'I=5', 'O=6'], ['--seed', 'argument'], tolerance=2e-6)

# Programs of the device already, and the same without that.
def compare_device(name, of, wrt, arguments, options=(), variant=''):
    device = os.path.join(folder, name + '.sdfgt')
    host = os.path.join(folder, name + '-host.sdfgt')
    with open(device) as f:
        text = f.read()
    with open(host, 'w') as f:
        f.write(re.sub(r' \((GPU_Global|GPU_Device|GPU_ThreadBlock|GPU_Shared)\)', '', text))
    compare(name + variant, device, of, wrt, arguments, options, on_cpu=host)


for strategy in ('auto', 'store'):
    compare_device('steps', 'out', 'A,w', ['N=40', 'T=3'], ['--strategy', strategy], '-' + strategy)
compare_device('scalar', 'out', 'A,f', ['N=40'], ['--seed', 'argument'])
compare_device('walk', 'out', 'A', ['N=5', 'M=7'])  # a sequential map in a kernel, which hands values on

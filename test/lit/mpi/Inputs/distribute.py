"""Runs a program as it is, in the interpreter, and distributed over ranks, and compares what both compute.

  distribute.py SDFGC FOLDER PROGRAM NAME=block:DIM,... [SYMBOL=VALUE...] [--ranks 1,3] [--seeds 1,2] [--tolerance 0] [--mpirun]

The arrays of the program are random; those that are dealt out are cut into blocks along their dimension. Files go to FOLDER.
"""
import argparse
import os
import re
import subprocess

import numpy as np


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(' '.join(command) + '\n' + done.stdout + done.stderr)


def arrays(text, symbols):
    """Names, types and shapes of the arguments that are arrays."""
    for name, dtype, shape in re.findall(r'^  argument (\w+): (\w+)\[([^\]]*)\]', text, re.M):
        yield name, dtype, tuple(eval(size, {}, dict(symbols)) for size in shape.split(','))


def part(array, dim, rank, ranks):
    size = array.shape[dim]
    block = -(-size // ranks)
    return np.ascontiguousarray(array.take(range(min(rank * block, size), min((rank + 1) * block, size)), axis=dim))


def main():
    p = argparse.ArgumentParser()
    for name in ('sdfgc', 'folder', 'program', 'distribute'):
        p.add_argument(name)
    p.add_argument('symbols', nargs='*')
    p.add_argument('--ranks', default='1,2,3,4,7')
    p.add_argument('--seeds', default='1')
    p.add_argument('--tolerance', type=float, default=0)
    p.add_argument('--mpirun', action='store_true')
    a = p.parse_args()
    symbols = {n: int(v) for n, v in (s.split('=') for s in a.symbols)}
    dims = {n: int(how.split(':')[1]) for n, how in (s.split('=') for s in a.distribute.split(','))}
    file = lambda name: os.path.join(a.folder, name + '.npy')
    rng = np.random.default_rng(1)
    text = open(a.program, encoding='utf-8').read()
    given = {}
    for name, dtype, shape in arrays(text, symbols):
        given[name] = rng.random(shape).astype(dtype) if 'float' in dtype else rng.integers(0, 9, shape).astype(dtype)
        np.save(file(name), given[name])
    values = [w for s in a.symbols for w in ('--arg', s)]
    words = lambda option, form: [w for n in given for w in (option, n + '=' + file(form.format(n)))]
    run([a.sdfgc, 'run', a.program, '--interpret'] + values + words('--arg', '{}') + words('--out', 'expected_{}'))
    for ranks in (int(r) for r in a.ranks.split(',')):
        for name, array in given.items():
            for r in range(ranks):
                np.save(file(f'{name}_{r}'), part(array, dims[name], r, ranks) if name in dims else array)
        for seed in a.seeds.split(','):
            how = [] if a.mpirun else ['--emulate-mpi', '--mpi-seed', seed]
            run([a.sdfgc, 'run', a.program, '-o', os.path.join(a.folder, 'out'), '--cflags', '-O0', '--distribute', a.distribute,
                 '--ranks', str(ranks)] + how + values + words('--arg', '{}_{{rank}}') + words('--out', 'out_{}_{{rank}}'))
            for name, array in given.items():
                expected = np.load(file('expected_' + name))
                parts = [np.load(file(f'out_{name}_{r}')) for r in range(ranks)]
                for got in [np.concatenate(parts, dims[name])] if name in dims else parts:
                    same = np.array_equal(got, expected) if a.tolerance == 0 else np.allclose(got, expected, a.tolerance, a.tolerance)
                    if not same:
                        raise SystemExit(f'{name} differs on {ranks} ranks, seed {seed}:\n{got}\nexpected\n{expected}')
    print('same results on', a.ranks, 'ranks')


main()

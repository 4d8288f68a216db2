#!/usr/bin/python3
"""Graphs on several ranks against programs written by hand with MPI, in one run: milliseconds of a call, and ratios.

    tools/dev/mpi_scaling.py --sdfgc build/bin/sdfgc [--ranks 1,2] [--repeat 5] [--scale 1.0] [--rounds 3] [PROGRAM...]

jacobi and kmeans are graphs for one process that `--distribute` partitions; gemm is a Pgemm node against a call of pdgemm. Strong
scaling: the problem stays. Weak scaling: points or rows grow with the ranks. Every rank has one thread. Both sides are started
alternately, `rounds` times, and the medians of those count. Needs mpirun and mpicxx; gemm needs ScaLAPACK.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent / 'mpi_scaling'
ENVIRONMENT = {**os.environ, 'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1', 'OMPI_ALLOW_RUN_AS_ROOT': '1',
               'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1', 'OMPI_MCA_rmaps_base_oversubscribe': '1'}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def part(whole, rank, ranks):
    each = -(-whole // ranks)
    begin = min(rank * each, whole)
    return begin, min(begin + each, whole)


class Jacobi:
    distributed = ['A=block:0', 'B=block:0']
    sources, libraries, result = ['jacobi.cpp'], [], 'A'

    def __init__(self, scale, grown):
        self.n, self.steps = int(1500 * scale * grown ** 0.5), 60

    def numbers(self):
        return [f'T={self.steps}', f'N={self.n}']

    def words(self):
        return [self.n, self.steps]

    def arrays(self, rank, ranks):
        begin, end = part(self.n, rank, ranks)
        a = (np.arange(begin, end)[:, None] * self.n + np.arange(self.n)) / (self.n * self.n)
        return {'A': a, 'B': a}

    def sum(self, parts):
        return sum(float(p.sum()) for p in parts)


class Kmeans:
    distributed = ['P=block:0']
    sources, libraries, result = ['kmeans.cpp'], [], 'C'

    def __init__(self, scale, grown):
        self.n, self.k, self.steps = int(1000000 * scale * grown), 8, 5

    def numbers(self):
        return [f'T={self.steps}', f'N={self.n}']

    def words(self):
        return [self.n, self.k, self.steps]

    def arrays(self, rank, ranks):
        begin, end = part(self.n, rank, ranks)
        i, c = np.arange(begin, end), np.arange(self.k)
        return {'P': np.stack([i / self.n, i * 7919 % self.n / self.n], axis=1),
                'C': np.stack([c / self.k + 0.00012345 * c * c, c * c % self.k / self.k + 0.0001357 * c], axis=1)}  # no two as near

    def sum(self, parts):
        return float(parts[0].sum())


class Gemm:
    distributed = []
    sources, libraries, result = ['gemm.cpp'], ['-lscalapack-openmpi'], 'C'

    def __init__(self, scale, grown):
        self.n = int(1200 * scale * grown ** (1 / 3))

    def numbers(self):
        return [f'N={self.n}', 'Px={ranks}', 'Py=1']

    def words(self):
        return [self.n]

    def arrays(self, rank, ranks):
        i, j = np.arange(self.n), np.arange(self.n)
        rows = i[i // 64 % ranks == rank][:, None]
        return {'A': ((rows * 3 + j) % 17).astype(float), 'B': ((rows + j * 5) % 13).astype(float), 'C': np.zeros((len(rows), self.n))}

    def sum(self, parts):
        return sum(float(p.sum()) for p in parts)


PROGRAMS = {'jacobi': Jacobi, 'kmeans': Kmeans, 'gemm': Gemm}


class Pair:
    """A graph and its hand-written counterpart, compiled."""

    def __init__(self, name, sdfgc, folder):
        self.name, self.sdfgc, self.folder = name, sdfgc, pathlib.Path(folder) / name
        self.folder.mkdir()
        kind = PROGRAMS[name]
        self.byhand = self.folder / 'byhand'
        run(['mpicxx', '-std=c++17', '-O3', '-march=native', '-ffast-math', *[HERE / s for s in kind.sources], '-o', self.byhand,
             *kind.libraries])

    def hand(self, program, ranks, repeat):
        milliseconds, total = run(['mpirun', '-n', str(ranks), self.byhand, *map(str, program.words()), str(repeat)]).split()
        return float(milliseconds), float(total)

    def graph(self, program, ranks, repeat):
        for rank in range(ranks):
            for name, array in program.arrays(rank, ranks).items():
                np.save(self.folder / f'{name}.{rank}.npy', array)
        command = [self.sdfgc, 'run', HERE / f'{self.name}.sdfgt', '-o', self.folder / 'out', '--ranks', str(ranks),
                   '--repeat', str(repeat), '--warmup', '1', '--cflags', '-O3 -march=native -ffast-math']
        for d in program.distributed:
            command += ['--distribute', d]
        for number in program.numbers():
            command += ['--arg', number]
        for name in program.arrays(0, ranks):
            command += ['--arg', f'{name}={self.folder}/{name}.{{rank}}.npy']
        command += ['--out', f'{program.result}={self.folder}/result.{{rank}}.npy']
        text = run(command)
        unit = {'ns': 1e-6, 'us': 1e-3, 'ms': 1.0, 's': 1e3}
        times = [float(number) * unit[u] for number, u in re.findall(r'median ([0-9.e+-]+) (ns|us|ms|s)\b', text)]
        if not times:
            sys.exit(f'no time in what sdfgc printed:\n{text}')
        return max(times), program.sum([np.load(self.folder / f'result.{r}.npy') for r in range(ranks)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', required=True)
    parser.add_argument('--ranks', default='1,2')
    parser.add_argument('--repeat', type=int, default=5)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--scale', type=float, default=1.0)
    parser.add_argument('programs', nargs='*', default=list(PROGRAMS))
    options = parser.parse_args()
    print(f"{'program':10}{'scaling':9}{'ranks':>6}{'sdfgc ms':>12}{'by hand ms':>12}{'ratio':>8}{'speed-up':>10}{'by hand':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.programs or PROGRAMS:
            pair = Pair(name, str(pathlib.Path(options.sdfgc).resolve()), folder)
            for scaling in ('strong', 'weak'):
                first = None
                for ranks in map(int, options.ranks.split(',')):
                    program = PROGRAMS[name](options.scale, ranks if scaling == 'weak' else 1)
                    ours, theirs = [], []
                    for _ in range(options.rounds):
                        mine, result = pair.graph(program, ranks, options.repeat)
                        hand, expected = pair.hand(program, ranks, options.repeat)
                        if abs(result - expected) > 1e-9 * abs(expected):
                            sys.exit(f'{name}: {result} is not {expected}')
                        ours.append(mine)
                        theirs.append(hand)
                    a, b = statistics.median(ours), statistics.median(theirs)
                    first = first or (a, b)
                    print(f'{name:10}{scaling:9}{ranks:6}{a:12.3f}{b:12.3f}{a / b:8.2f}{first[0] / a:10.2f}{first[1] / b:9.2f}', flush=True)


if __name__ == '__main__':
    main()

"""Runs the graphs of DaCe's own MPI tests (test/graphs/mpi) on several ranks, and compares with what NumPy says.

  dace.py SDFGC GRAPHS FOLDER NAME... [--ranks 1,2,3,4,7] [--seeds 0,1] [--mpirun | --caller] [--options "..."]

Ranks are threads of the emulation, processes under mpirun, or those of a caller under mpirun; `--options` are further ones of `sdfgc run`,
such as another launcher, or of `sdfgc build` for callers. Files go to FOLDER.
"""
import argparse
import glob
import os
import shlex
import subprocess

import numpy as np

N = 6


def filled(rank, shape, dtype=np.float64):
    return (100 * rank + np.arange(np.prod(shape)).reshape(shape)).astype(dtype)


def one(value):
    return np.array([value], dtype=np.int32)


# Each case: arguments of a rank, and what they hold afterwards. Ranks are r of P; None: a value that does not count.
def allgather(r, P):
    return {'n': N, 'p': P, 'inA': filled(r, N), 'outA': np.zeros(N * P)}, {'outA': np.concatenate([filled(s, N) for s in range(P)])}


def allreduce(r, P):
    return {'n': N, 'inbuf': filled(r, N), 'outbuf': np.zeros(N)}, {'outbuf': sum(filled(s, N) for s in range(P))}


def alltoall(r, P):
    each = 2
    sent = [filled(s, each * P).reshape(P, each) for s in range(P)]
    return ({'n': each * P, 'inbuf': sent[r].ravel(), 'outbuf': np.zeros(each * P)},
            {'outbuf': np.concatenate([sent[s][r] for s in range(P)])})


def bcast(r, P):
    return {'n': N, 'root': one(P - 1), 'x': filled(r, N)}, {'x': filled(P - 1, N)}


def reduce(r, P):
    return ({'n': N, 'root': one(P - 1), 'inbuf': filled(r, N), 'outbuf': np.zeros(N)},
            {'outbuf': sum(filled(s, N) for s in range(P)) if r == P - 1 else np.zeros(N)})


def scatter(r, P):
    return ({'n': N, 'p': P, 'root': one(0), 'inbuf': filled(r, N * P), 'outbuf': np.zeros(N)},
            {'outbuf': filled(0, N * P)[r * N:(r + 1) * N]})


def send_recv(r, P):
    before, after = (r - 1) % P, (r + 1) % P
    return ({'n': N, 'x': filled(r, N), 'y': np.zeros(N), 'src': one(before), 'dest': one(after), 'tag': one(23)},
            {'y': filled(before, N)})


def dace_bcast(r, P):
    return {'N': N, 'A': filled(r, N, np.float32)}, {'A': filled(0, N, np.float32)}


def world_bcast(r, P):
    return {'A': filled(r, 10, np.int32)}, {'A': filled(0, 10, np.int32)}


def dace_scatter_gather(r, P):
    a = filled(r, N * P, np.float32)
    return {'N': N, 'P': P, 'A': a}, {'A': np.full(N * P, np.pi, np.float32) if r == 0 else a}


def pgrid_all(r, P):
    return {'N': N, 'P': P, 'A': filled(r, N)}, {'A': filled(0, N) if r < 2 * (P // 2) else filled(r, N)}


def blocks(r, P):
    a = filled(r, (8 * P, 8 * P), np.int32)
    return {'P': P, 'A': a}, {'A': a + 1 if r == 0 else a}


def redist(r, P):
    whole = filled(0, (4 * P * P, 8), np.int32)
    return ({'P': P, 'A': whole[4 * P * r:4 * P * (r + 1)], '__return': np.zeros((4 * P * P, 8 // P), np.int32)},
            {'__return': whole[:, r * (8 // P):(r + 1) * (8 // P)]})


CASES = {c.__name__: c for c in (allgather, allreduce, alltoall, bcast, reduce, scatter, send_recv, dace_bcast, world_bcast,
                                 dace_scatter_gather, pgrid_all, blocks, redist)}
CASES['isend_irecv'] = send_recv
# What the cases need of the number of ranks.
FITS = {'pgrid_all': lambda P: P > 1, 'redist': lambda P: 8 % P == 0}


def save(o, given):
    """Writes the arrays of all ranks; the words NAME=VALUE for a command line."""
    words = []
    for a, value in given[0][0].items():
        if np.ndim(value) == 0:
            words.append(f'{a}={value}')
            continue
        for r, (arguments, _) in enumerate(given):
            np.save(f'{o.folder}/{a}.{r}.npy', np.ascontiguousarray(arguments[a]))
        words.append(f'{a}={o.folder}/{a}.{{rank}}.npy')
    return words


def attempt(command, what):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f'{what}:\n{done.stdout}{done.stderr}')
    return done.stdout


def command_of(o, name, P, words, outputs, seed):
    """What runs a graph on P ranks."""
    folder, options = f'{o.folder}/{name}', shlex.split(o.options)
    outputs = [w for a in outputs for w in ('--out', f'{a}={o.folder}/out.{a}.{{rank}}.npy')]
    if o.caller:
        attempt([o.sdfgc, 'build', f'{o.graphs}/{name}.sdfg', '-o', folder, '--caller', '-q'] + options, name)
        return ['mpirun', '-n', str(P), glob.glob(f'{folder}/bin/*_main')[0]] + words + outputs
    command = [o.sdfgc, 'run', f'{o.graphs}/{name}.sdfg', '-o', folder, '--ranks', str(P)] + options + outputs
    for word in words:
        command += ['--arg', word]
    return command + ([] if o.mpirun else ['--emulate-mpi', '--mpi-seed', seed])


def main():
    parser = argparse.ArgumentParser()
    for name in ('sdfgc', 'graphs', 'folder'):
        parser.add_argument(name)
    parser.add_argument('names', nargs='+')
    parser.add_argument('--ranks', default='1,2,3,4,7')
    parser.add_argument('--seeds', default='0')
    parser.add_argument('--mpirun', action='store_true')
    parser.add_argument('--caller', action='store_true')
    parser.add_argument('--options', default='')
    o = parser.parse_args()
    os.makedirs(o.folder, exist_ok=True)
    for name in o.names:
        case = name.removeprefix('v1_')  # of DaCe 1.0
        tried = [P for P in map(int, o.ranks.split(',')) if FITS.get(case, lambda P: True)(P)]
        for P in tried:
            given = [CASES[case](r, P) for r in range(P)]
            words = save(o, given)
            for seed in o.seeds.split(','):
                what = f'{name} on {P} ranks, seed {seed}'
                attempt(command_of(o, name, P, words, given[0][1], seed), what)
                for r in range(P):
                    for a, wanted in given[r][1].items():
                        found = np.load(f'{o.folder}/out.{a}.{r}.npy')
                        if not np.array_equal(found, wanted):
                            raise SystemExit(f'{what}: {a} of rank {r} is {found}, not {wanted}')
        print(f"{name}: right on {', '.join(map(str, tried))} ranks", flush=True)


main()

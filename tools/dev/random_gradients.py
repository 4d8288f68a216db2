#!/usr/bin/python3
"""Gradients of random programs against their tangents.

    tools/dev/random_gradients.py [--sdfgc build/bin/sdfgc] [--programs build/bin/randomPrograms] [--seed N] [--runs N] [--keep DIR]

Run number i differentiates the random program of the seed plus i (test/Random): all real arrays that it writes, by all that it reads. In the interpreter, <w, J v> of `--mode forward` must be <J^T w, v> of `--mode reverse`; other strategies of storing must give the same
bits, and the program's own results must be what they were. Programs that are refused are counted by the code of the first error; those that
have faults of their own are left out. What is found is kept in DIR, by seed; exit status 1.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

from gradients import errors_in

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = {'float64': 1e-9, 'float32': 2e-3}


class Refused(Exception):
    pass


class Wrong(Exception):
    pass


def call(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=60)
    except subprocess.TimeoutExpired:
        raise Wrong(f'{command[1]}: more than 60 s') from None
    if done.returncode in (0, 1):
        return done
    raise Wrong(f'{" ".join(command[1:3])}: status {done.returncode}: {done.stderr[-600:]}')


def code_of(done):
    """Code and message of the first error."""
    errors = errors_in(done.stderr)
    return errors[0] if errors else ('?', done.stderr[-200:])


class Trial:
    def __init__(self, options, seed, folder):
        self.sdfgc, self.seed, self.folder = options.sdfgc, seed, folder
        self.random = np.random.default_rng(seed)
        self.graph = os.path.join(folder, 'program.sdfgt')
        made = subprocess.run([options.programs, '--print', '--seed', str(seed)], capture_output=True, text=True, check=True)
        with open(self.graph, 'w') as f:
            f.write(made.stdout)
        info = call(self.sdfgc, 'info', '--json', self.graph)
        if info.returncode:
            raise Refused(code_of(info)[0])
        self.arguments = json.loads(info.stdout)['arguments']
        lists = made.stderr.splitlines()  # sizes that it was made for
        self.sizes = {n: int(v) for n, v in (word.split('=') for word in lists[seed % len(lists)].split())}
        real = [a for a in self.arguments if a['type'] in TOLERANCE and a['kind'] == 'array']
        self.of = [a['name'] for a in real if a['access'] in ('out', 'inout')]
        self.wrt = [a['name'] for a in real if a['access'] in ('in', 'inout')]
        if not self.of or not self.wrt:
            raise Refused('nothing real')
        self.tolerance = TOLERANCE['float32' if 'float32' in made.stdout or 'float16' in made.stdout else 'float64']
        self.values = {}

    def value(self, name, dtype, shape, small=False):
        """The same for a name whenever it is asked for."""
        if name not in self.values:
            if dtype.startswith(('float', 'complex')):
                v = self.random.integers(-64, 65, shape) / (64 if small else 8)
            else:
                v = self.random.integers(0 if dtype.startswith(('u', 'bool')) else -9, 2 if dtype == 'bool' else 21, shape)
            self.values[name] = np.asarray(v).astype(dtype)
        return self.values[name]

    def run(self, graph, outputs, given):
        """The contents of a graph's arrays after a run, with these inputs replaced."""
        info = json.loads(call(self.sdfgc, 'info', '--json', graph).stdout)
        command = [self.sdfgc, 'run', '--interpret', '--diagnostics', 'json', '-q', graph]
        for a in info['arguments']:
            name = a['name']
            if a['kind'] == 'symbol':
                command.append(f'--arg={name}={self.sizes.setdefault(name, 3)}')
                continue
            shape = [max(eval(str(s), {'max': max, 'min': min}, dict(self.sizes)), 0) for s in a.get('shape', [])] if a['kind'] == 'array' else []
            array = given[name].reshape(shape) if name in given else self.value(name, a['type'], shape)
            path = os.path.join(self.folder, name + '.npy')
            np.save(path, np.ascontiguousarray(array))
            command.append(f'--arg={name}={path}')
        files = {o: os.path.join(self.folder, f'out-{o}.npy') for o in outputs}
        done = call(*command, *(f'--out={o}={f}' for o, f in files.items()))
        if done.returncode:
            raise RuntimeError(' '.join(code_of(done)))
        return {o: np.load(f) for o, f in files.items()}

    def derivative(self, name, *options):
        out = os.path.join(self.folder, name + '.sdfg')
        done = call(self.sdfgc, 'grad', '--diagnostics', 'json', '-q', self.graph, '--of', ','.join(self.of), '--wrt', ','.join(self.wrt), *options,
                    '-o', out)
        if done.returncode:
            raise Refused(code_of(done)[0])
        return out

    def check(self):
        try:
            primal = self.run(self.graph, self.of, {})
        except RuntimeError as e:
            raise Refused('fault of its own') from e
        if any(not np.all(np.isfinite(p)) for p in primal.values()):
            raise Refused('not finite')
        weights = {o: self.value('weight ' + o, p.dtype.name, p.shape, True) for o, p in primal.items()}
        steps = {w: self.value('step ' + w, self.values[w].dtype.name, self.values[w].shape, True) for w in self.wrt}
        gradients = self.gradients(self.derivative('gradient', '--seed', 'argument'), weights, primal)
        for strategy in ('store', 'recompute'):
            try:
                other = self.derivative(strategy, '--seed', 'argument', '--strategy', strategy)
            except Refused:
                continue
            found = self.gradients(other, weights, primal)
            if bad := [w for w in self.wrt if not np.array_equal(found[w], gradients[w], equal_nan=True)]:
                raise Wrong(f'--strategy {strategy} gives another gradient_{bad[0]}')
        tangents = self.called(self.derivative('tangent', '--mode', 'forward'), [f'tangent_{o}' for o in self.of],
                               {f'tangent_{w}': s for w, s in steps.items()})
        terms = [(weights[o].astype(float) * tangents[f'tangent_{o}'].astype(float)).ravel() for o in self.of]
        others = [(steps[w].astype(float) * gradients[w].astype(float)).ravel() for w in self.wrt]
        a, b = (float(sum(np.sum(t) for t in ts)) for ts in (terms, others))
        scale = sum(np.sum(np.abs(t)) for t in terms + others) or 1
        if not np.isfinite(a) and not np.isfinite(b):
            raise Refused('not finite')
        if not abs(a - b) <= self.tolerance * scale:
            raise Wrong(f'<w, Jv> = {a!r}, <J^T w, v> = {b!r}')
        return bool(np.any(np.concatenate(terms)))

    def called(self, graph, outputs, given):
        try:
            return self.run(graph, outputs, given)
        except RuntimeError as e:
            raise Wrong(f'{os.path.basename(graph)}: {e}') from e

    def gradients(self, graph, weights, primal):
        found = self.called(graph, [f'gradient_{w}' for w in self.wrt] + self.of, {f'gradient_{o}': w for o, w in weights.items()})
        for o, p in primal.items():
            if not np.array_equal(found[o], p, equal_nan=True):
                raise Wrong(f'{os.path.basename(graph)}: {o} has other values')
        return {w: found[f'gradient_{w}'] for w in self.wrt}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(HERE, '..', '..', 'build', 'bin', 'sdfgc'))
    parser.add_argument('--programs', default=os.path.join(HERE, '..', '..', 'build', 'bin', 'randomPrograms'))
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--runs', type=int, default=1000)
    parser.add_argument('--keep', default='')
    options = parser.parse_args()
    counts, refused = collections.Counter(), collections.Counter()
    for seed in range(options.seed, options.seed + options.runs):
        with tempfile.TemporaryDirectory() as folder:
            try:
                trial = Trial(options, seed, folder)
                counts['right' if trial.check() else 'right, and zero'] += 1
            except Refused as e:
                counts['left out'] += 1
                refused[str(e)] += 1
            except Wrong as e:
                counts['wrong'] += 1
                print(f'seed {seed}: {e}', flush=True)
                if options.keep:
                    to = os.path.join(options.keep, str(seed))
                    os.makedirs(options.keep, exist_ok=True)
                    subprocess.run(['cp', '-r', folder, to], check=True)
    print(', '.join(f'{n} {what}' for what, n in sorted(counts.items())))
    print('left out: ' + ', '.join(f'{why} {n}' for why, n in refused.most_common()))
    return 1 if counts['wrong'] else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/python3
"""Does the optimiser make loops faster, or at least not slower? 40 loops, named after the classes of Callahan, Dongarra and Levine, compiled at
-O0, at -O2, and at -O3 with --fp-model fast; prints how fast the last two are, as multiples of the speed of the first.

  tools/dev/bench_loops.py [--sdfgc build/bin/sdfgc] [--threads 1,2] [--only REGEX] [--distributed] [--repeats 81] [--elements 1000000]

All libraries of a loop are called in turn in one process, with the same inputs, and compared by the medians of their times: processor time on one
thread, time on the clock on several. Results have to agree, but for the order of sums. A loop that distribute-loops takes apart has a `d`; --distributed measures only those, and makes the script end with
status 1 if one of them has less than 0.95 of the speed of -O0 in any column. Such a loop is measured up to three times, and the best figures count,
because other work on the machine only ever slows a program down.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import programs

LEVELS = {'O0': ['-O0'], 'O2': ['-O2'], 'fast': ['-O3', '--fp-model', 'fast']}
UP = 'i = 1; i < N - 1; i = i + 1'
ALL = 'i = 0; i < N; i = i + 1'
DOWN = 'i = N - 2; i > 0; i = i - 1'
INNER = 'j = 1; j < M - 1; j = j + 1'
ROWS = 'i = 1; i < M - 1; i = i + 1'

# Name: loops, outermost first, and the statements of the innermost one. `a` to `e` are vectors, `A` to `C` matrices, `s`, `t`, `u` values, `k` indices
# in any order. A branch is (condition, statements, statements).
LOOPS = {
    'linear-dependence-1': ([UP], ['a[i] = a[i + 1] + b[i]']),
    'linear-dependence-2': (['i = 2; i < N; i = i + 2'], ['a[i] = a[i - 1] + b[i]']),
    'linear-dependence-3': ([ROWS, INNER], ['A[i, j] = A[i - 1, j] + B[i, j]']),
    'induction-variable': ([UP], ['s[0] = s[0] + 2.0', 'a[i] = b[i] * s[0]']),
    'global-data-flow': ([UP], ['a[i] = b[i] + c[i] * d[i]', 'b[i] = c[i] + e[i]']),
    'nonlinear-dependence': (['i = 1; i < N // 2; i = i + 1'], ['a[2 * i] = b[i] + c[i]', 'd[i] = a[2 * i] * e[i]']),
    'control-flow-1': ([UP], [('b[i] > 0.5', ['a[i] = a[i] + b[i] * c[i]'], [])]),
    'control-flow-2': ([UP], [('b[i] > 0.5', ['a[i] = b[i] * c[i]'], ['d[i] = c[i] + e[i]'])]),
    'control-flow-3': ([UP], [('b[i] > c[i]', ['a[i] = b[i] + d[i]'], ['a[i] = c[i] - d[i]'])]),
    'symbolics': (['i = 0; i < N // 2; i = i + 1'], ['a[i + N // 2] = a[i] + b[i]']),
    'statement-reordering-1': ([UP], ['a[i] = b[i - 1] + c[i]', 'b[i] = d[i] * e[i]']),
    'statement-reordering-2': ([UP], ['a[i] = b[i - 1] + c[i] * d[i]', 'b[i] = b[i + 1] - e[i] * d[i]']),
    'statement-reordering-3': ([UP], ['b[i] = a[i + 1] * d[i]', 'a[i] = b[i - 1] + c[i]']),
    'loop-distribution-1': ([UP], ['a[i] = a[i] + b[i] * c[i]', 'd[i] = d[i - 1] + a[i] * e[i]']),
    'loop-distribution-2': ([UP], ['a[i] = a[i] + c[i] * d[i]', 'b[i] = b[i - 1] + a[i] + d[i]']),
    'loop-distribution-3': ([UP], ['a[i] = a[i] + b[i]', 'e[i] = e[i - 1] * e[i - 1]', 'a[i] = a[i] - b[i] * c[i]']),
    'loop-distribution-4': ([UP], ['a[i] = a[i - 1] + b[i]', 'c[i] = d[i] * d[i]']),
    'loop-distribution-5': ([UP], ['a[i] = a[i - 1] + b[i]', 'c[i] = d[i] / e[i] / (d[i] + 1.0) / (e[i] + 2.0)']),
    'loop-distribution-6': ([UP], ['a[i] = b[i] + c[i]', 'd[i] = b[i] * c[i]', 'e[i] = e[i - 1] + b[i] * c[i]']),
    'loop-interchange-1': ([INNER, ROWS], ['A[i, j] = A[i - 1, j] + B[i, j]']),
    'loop-interchange-2': ([INNER, ROWS], ['A[i, j] = B[i, j] + C[i, j]']),
    'node-splitting-1': ([UP], ['a[i] = b[i] + c[i] * d[i]', 'b[i] = a[i] + d[i] * e[i]']),
    'node-splitting-2': ([UP], ['a[i] = a[i] * c[i]', 'b[i] = b[i] + a[i + 1] * d[i]']),
    'node-splitting-3': ([UP], ['a[i] = b[i] + c[i]', 'd[i] = a[i] + a[i + 1]']),
    'scalar-expansion-1': ([UP], ['t = a[i]', 'a[i] = b[i]', 'b[i] = t']),
    'scalar-expansion-2': ([UP], ['t = b[i] + c[i]', 'a[i] = t * t', 'd[i] = d[i - 1] + t']),
    'scalar-expansion-3': ([UP], ['a[i] = b[i] * c[i]', 's[0] = s[0] + a[i]', 'd[i] = a[i] + e[i]']),
    'array-expansion': ([ROWS, INNER], ['a[j] = B[i, j] + C[i, j]', 'A[i, j] = a[j] * a[j]']),
    'scalar-renaming': ([UP], ['t = a[i] + b[i]', 'c[i] = t + t', 't = a[i] * b[i]', 'd[i] = t * t']),
    'crossing-thresholds-1': ([UP], ['a[i] = b[i] + c[i]', 'd[i] = a[N - i - 1] * e[i]']),
    'crossing-thresholds-2': (['i = 0; i < N // 2; i = i + 1'], ['a[i] = a[N - i - 1] + b[i]', 'c[i] = c[i] * b[i]']),
    'loop-peeling': ([ALL], ['b[i] = (a[i] + a[0]) * 0.5']),
    'diagonals': (['i = 0; i < M; i = i + 1'], ['A[i, i] = A[i, i] + B[i, i] * C[i, i]']),
    'wavefront': ([ROWS, INNER], ['A[i, j] = A[i - 1, j] + A[i, j - 1] * 0.5']),
    'reduction-1': ([ALL], ['s[0] = s[0] + a[i] * b[i]']),
    'reduction-2': ([UP], ['a[i] = b[i] + c[i]', 'd[i] = a[i] * e[i]', 's[0] = s[0] + d[i]']),
    'recurrence-1': ([UP], ['a[i] = a[i - 1] + b[i]', 'c[i] = c[i - 1] + d[i]']),
    'recurrence-2': ([DOWN], ['a[i] = a[i + 1] * 0.5 + b[i]', 'c[i] = a[i] + b[i]']),
    'indirect-1': ([ALL], ['a[i] = b[k[i]] + c[i]']),
    'indirect-2': ([UP], ['a[i] = a[i - 1] + b[k[i]]', 'd[i] = c[i] * e[i]']),
}

ENOUGH = 0.95  # of the speed of -O0: a distributed loop must not be slower

VECTORS, MATRICES = 'abcde', 'ABC'
ELEMENT = re.compile(r'\b([a-eA-Cks])\[((?:[^][]|\[[^][]*\])*)\]')


class Text:
    """The text of a graph with one loop."""

    def __init__(self, name):
        self.loops, statements = LOOPS[name]
        self.count = 0
        self.used = set()
        body = self.block(statements, 1 + len(self.loops))
        lines = [f'sdfg {name.replace("-", "_")} {{', '  symbol N, M, i, j, at, choose: int64']
        for a in sorted(self.used):
            kind = 'int64[N]' if a == 'k' else 'float64[1]' if a == 's' else 'float64' if a == 't' else 'float64[M, M]' if a in MATRICES else 'float64[N]'
            lines.append(f'  {"transient" if a == "t" else "argument"} {a}: {kind}')
        lines += ['  ' * (d + 1) + f'loop{d}: for {head} {{' for d, head in enumerate(self.loops)] + body
        lines += ['  ' * d + '}' for d in range(len(self.loops), -1, -1)]
        self.text = '\n'.join(lines) + '\n'

    def label(self, word):
        self.count += 1
        return f'{word}{self.count}'

    def block(self, statements, depth):
        lines, margin = [], '  ' * depth
        for s in statements:
            if isinstance(s, tuple):
                lines += self.branch(s, depth)
                continue
            target, value = s.split(' = ', 1)
            lines += [margin + f'state {self.label("s")} {{', margin + '  ' + self.tasklet(target, value, lines, margin), margin + '}']
        return lines

    def tasklet(self, target, value, lines, margin):
        reads = {}

        def connector(m):
            array, index = m.group(1), m.group(2)
            self.used.add(array)
            inner = ELEMENT.fullmatch(index)
            if inner:  # an index from memory
                self.used.add(inner.group(1))
                lines.extend([margin + f'state {self.label("s")} {{}}', margin + f'at = {index}'])
                index = 'at'
            return reads.setdefault((array, index), f'x{len(reads)}')

        code = ELEMENT.sub(connector, value)
        if re.search(r'\bt\b', code):
            self.used.add('t')
            code = re.sub(r'\bt\b', reads.setdefault(('t', '0'), f'x{len(reads)}'), code)
        m = ELEMENT.fullmatch(target)
        self.used.add(m.group(1) if m else target)
        into = f'{m.group(1)}[{m.group(2)}]' if m else f'{target}[0]'
        needs = ', '.join(f'{c} <- {a}[{i}]' for (a, i), c in reads.items())
        return f'{self.label("t")}: o = {code}  with {needs}{"; " if needs else ""}o -> {into}'

    def branch(self, s, depth):
        condition, yes, no = s
        margin = '  ' * depth
        self.used.update(m.group(1) for m in ELEMENT.finditer(condition))
        lines = [margin + f'state {self.label("s")} {{}}', margin + f'choose = {condition}', margin + 'if choose  {']
        lines += self.block(yes, depth + 1)
        if no:
            lines += [margin + '} else  {'] + self.block(no, depth + 1)
        return lines + [margin + '}']


def built(sdfgc, name, folder):
    """The build folders by level; whether the loop was distributed."""
    text, outs = Text(name), {}
    for level, options in LEVELS.items():
        below = os.path.join(folder, level)
        os.makedirs(below, exist_ok=True)
        path = os.path.join(below, name.replace('-', '_') + '.sdfgt')
        with open(path, 'w') as f:
            f.write(text.text)
        outs[level] = programs.build(sdfgc, path, below, *options)
    remarks = subprocess.run([sdfgc, 'opt', path, '-O2', '--remarks', '-', '-o', os.path.join(folder, 'unused.sdfgtree')], capture_output=True, text=True)
    return text, outs, 'distribute-loops: is ' in remarks.stdout + remarks.stderr


def inputs(used, n, m):
    random = np.random.default_rng(1)
    made = {}
    for a in sorted(used - {'t'}):
        made[a] = random.permutation(n).astype(np.int64) if a == 'k' else random.random((1,) if a == 's' else (m, m) if a in MATRICES else (n,))
    return made


def child(name, folder, repeats, n):
    """Prints the medians of the levels, in seconds."""
    m = int(n ** 0.5)
    text, levels = Text(name), list(LEVELS)
    data = inputs(text.used, n, m)
    calls, results = [], []
    for level in levels:
        out = os.path.join(folder, level, name.replace('-', '_'))
        free = {s: v for s, v in (('N', n), ('M', m)) if re.search(rf'\b{s}\b', ' '.join(re.findall(r'\[[^\]]*\]|for .*', text.text)))}
        program = programs.Program(out, free)
        memory = {a: v.copy() for a, v in data.items()}
        call = program.caller({a: v.ctypes.data for a, v in memory.items()})
        call()
        results.append({a: v.copy() for a, v in memory.items()})
        calls.append((call, memory))
    for a in data:
        for level, other in zip(levels[1:], results[1:]):
            if not np.allclose(results[0][a], other[a], rtol=1e-6, equal_nan=True):
                sys.exit(f'{name}: {a} differs at {level}')
    clock = time.process_time if os.environ.get('OMP_NUM_THREADS') == '1' else time.perf_counter  # of processors: holds on a busy machine
    times = [[] for _ in levels]
    for _ in range(repeats):
        for k, (call, memory) in enumerate(calls):
            for a, v in data.items():
                memory[a][...] = v
            start = clock()
            call()
            times[k].append(clock() - start)
    print(json.dumps([statistics.median(t) for t in times]))


def speeds(name, folder, threads, o, attempts):
    """The speeds of the levels above -O0 as multiples of its speed: the best of the attempts, of which there are more only while one is too slow."""
    best = []
    for _ in range(attempts):
        done = subprocess.run([sys.executable, __file__, '--child', name, folder, '--repeats', str(o.repeats), '--elements', str(o.elements)],
                              env=dict(os.environ, OMP_NUM_THREADS=threads, OMP_WAIT_POLICY='passive'), stdout=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(done.returncode)
        first, *others = json.loads(done.stdout)
        now = [first / other for other in others]
        best = [max(pair) for pair in zip(best or now, now)]
        if min(best) >= ENOUGH:
            break
    return best


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--sdfgc', default='build/bin/sdfgc')
    ap.add_argument('--threads', default='1,2')
    ap.add_argument('--only', default='')
    ap.add_argument('--distributed', action='store_true')
    ap.add_argument('--repeats', type=int, default=81)
    ap.add_argument('--elements', type=int, default=1000000, help='of a vector or matrix')
    ap.add_argument('--child', nargs=2, help=argparse.SUPPRESS)
    o = ap.parse_args()
    if o.child:
        return child(*o.child, o.repeats, o.elements)
    sdfgc, threads, slow = os.path.abspath(o.sdfgc), o.threads.split(','), []
    print(f'{"loop":24}  ' + ' '.join(f'{f"{level}, {t} thread(s)":>18}' for t in threads for level in list(LEVELS)[1:]))
    for name in filter(lambda n: re.search(o.only, n), LOOPS):
        with tempfile.TemporaryDirectory() as folder:
            _, _, distributed = built(sdfgc, name, folder)
            if o.distributed and not distributed:
                continue
            cells = [c for t in threads for c in speeds(name, folder, t, o, 3 if distributed else 1)]
            if distributed and min(cells) < ENOUGH:
                slow.append(name)
            print(f'{name:24}{"d" if distributed else " "} ' + ' '.join(f'{c:18.2f}' for c in cells), flush=True)
    if slow:
        print('slower than at -O0: ' + ', '.join(slow))
    return 1 if slow and o.distributed else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/python3
"""Are gradients right? Programs and their gradients, compiled, compared with differences.

    tools/dev/gradients.py [--sdfgc build/bin/sdfgc] [--filter REGEX] [--largest N] [--arrays] [--keep DIR] [--report FILE]
                           [--sample N] [--memory] [--gradients DIR] [--grad OPTIONS] [--against OPTIONS]... [--forward] [--options OPTIONS]
                           [--timeout SECONDS] [--jobs N] FOLDER...

Below a folder every program.sdfg with a case.json is a case: `args`, a list of arguments with name, kind (`array`, `scalar`), and of arrays
how they are filled (`uniform` from `lo` to `hi`, `const` with a `value`, `spd`: symmetric and positive definite, `stored`), of scalars the
value; `scalars`, the values of symbols. Sizes beyond N (12) become small ones, in their order; equal ones stay equal. 0 leaves them. A case
with a data.npz that has in_NAME for each argument (cases.py) is called with that instead.

All floating-point outputs of a program are differentiated with respect to all floating-point inputs: `sdfgc grad --of ... --wrt ...
--seed argument --init accumulate`. Outputs are weighed by random weights w, gradients g of w·f in reverse are compared with
Richardson's extrapolation of (w·f(x + hv) - w·f(x - hv)) / 2h, for three random directions v of all inputs and one of each input,
and the best of several h. Both must agree to 1e-6. For a wrong input, the worst element is searched. Programs in float32 are
converted to float64 (marked with *). The gradients of inputs start with random values, to which the program must add.

Prints a line for each case: the outcome, the time of the gradient relative to the program, and the sizes. Cases are not compared if
the program has no real inputs or outputs, takes arguments other than arrays and numbers, or does not build. With --jobs, cases are
built and run in parallel, which makes times meaningless. --gradients takes the graphs of gradients from DIR/<case>.sdfg or .sdfgt
instead, --grad hands options to `sdfgc grad`; --arrays differentiates with respect to arrays only. --forward builds tangents, too
(`--mode forward`), and compares w·(J v) with g·v, to 1e-10: no differences, no step.

--against builds the gradient with other options of `sdfgc grad` (`--against='--strategy recompute'`), too: all bits must be the
same. A gradient that is rejected with them is not compared, and the line says so. Build it with `--options='-O0 --cflags -O0'`: a
C++ compiler may sum a loop in several lanes, depending on the rest of the loop.

--memory builds no gradient: it compares the allocations reported by `sdfgc grad --report` with those in the interpreter.
"""
import argparse
import importlib.util
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 1e-6
TOLERANCE_FORWARD = 1e-10
STEPS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)  # of differences: large ones where all is smooth, small ones near corners
CALLS = 15  # that are timed
SIZES = {  # of cases whose sizes depend on each other
    'lenet': {'N': 2, 'H': 28, 'W': 28, 'C_before_fc1': 256},
    'azimint_hist': {'N': 300, 'npt': 6},
    'azimint_naive': {'N': 300, 'npt': 6},
    'spmv': {'M': 9, 'N': 9, 'nnz': 27},
    'stockham_fft': {'R': 2, 'K': 4, 'N': 16},
    'nussinov': {'N': 10},
}


# ---- cases

class Case:
    """A program, its arguments, and the sizes at which it is looked at."""

    def __init__(self, folder, name, largest):
        self.name, self.graph = name, os.path.join(folder, 'program.sdfg')
        with open(os.path.join(folder, 'case.json')) as f:
            meta = json.load(f)
        self.data = os.path.join(folder, 'data.npz')
        recorded = inputs_in(self.data)
        if recorded:
            self.fills = {a['name']: {'fill': 'recorded'} for a in meta['args'] if a['kind'] == 'array'}
            self.values = {a['name']: recorded[a['name']].item() for a in meta['args'] if a['kind'] == 'scalar' and recorded[a['name']].size == 1}
            return
        self.fills = {a['name']: {k: a[k] for k in ('fill', 'lo', 'hi', 'value') if k in a} for a in meta['args'] if a['kind'] == 'array'}
        values = {**meta.get('scalars', {}), **{a['name']: a['value'] for a in meta['args'] if a['kind'] == 'scalar'}}
        self.values = small(values, largest, SIZES.get(self.name, {}))


def inputs_in(path):
    """What was recorded, by names of arguments."""
    if not os.path.exists(path):
        return {}
    with np.load(path) as data:
        return {key[3:]: data[key] for key in data.files if key.startswith('in_')}


def small(values, largest, given):
    """Values with sizes that are small. Floating-point numbers that are sizes, too (numbers of samples), stay equal to them."""
    large = sorted({v for v in values.values() if isinstance(v, int) and v > largest}) if largest else []
    first = max(2, largest - len(large) + 1)
    to = {v: first + k for k, v in enumerate(large)}

    def size(name, v):
        if largest and name in given:
            return given[name]
        if isinstance(v, int):
            return to.get(v, v)
        return float(to[int(v)]) if isinstance(v, float) and v.is_integer() and int(v) in to else v
    return {n: size(n, v) for n, v in values.items()}


def in_double(case, folder):
    """The graph of a case with float64 for float32, and whether that changed it."""
    with open(case.graph) as f:
        text = f.read()
    wide = text.replace('float32', 'float64')
    path = os.path.join(folder, 'program.sdfg')
    with open(path, 'w') as f:
        f.write(wide)
    return path, wide != text


# ---- building

class Failure(Exception):
    """A step did not do what it should: `kind` is what the table says."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def errors_in(diagnostics):
    """Codes and messages of the errors among diagnostics in JSON."""
    found = []
    for line in diagnostics.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if message.get('severity') == 'error':
            found.append((message.get('code'), message.get('message')))
    return found


def sdfgc(command, doing, limit=600, environment=None):
    """Runs sdfgc, and returns what it printed and reported; its refusals and its crashes are failures. `environment` is added to ours."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=limit,
                              env=dict(os.environ, **(environment or {})))
    except subprocess.TimeoutExpired:
        raise Failure('crash', f'{doing}: more than {limit} s') from None
    if done.returncode == 0:
        return done.stdout, done.stderr
    errors = [f'{code}: {message}' for code, message in errors_in(done.stderr)]
    text = errors[0] if errors else (done.stderr.strip() or done.stdout.strip())[-200:].replace('\n', ' ')
    if done.returncode == 1:
        raise Failure('refused', f'{text}' + (f' (and {len(errors) - 1} more)' if len(errors) > 1 else ''))
    raise Failure('crash', f'{doing}: status {done.returncode}: {text}')


def build(tool, graph, out, options):
    """The Python module of a program."""
    sdfgc([tool, 'build', '--diagnostics', 'json', '-q', graph, '-o', out, *options], 'build')
    python = os.path.join(out, 'python')
    return os.path.join(python, next(f for f in os.listdir(python) if f.endswith('.py')))


def load(path):
    spec = importlib.util.spec_from_file_location('program_' + re.sub(r'\W', '_', path), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_real(argument):
    return argument['kind'] in ('array', 'scalar') and argument['type'] == 'float64'


def active(interface, arrays_only):
    """Names of the outputs and of the inputs that can be differentiated."""
    real = [a for a in interface['arguments'] if is_real(a)]
    of = [a['name'] for a in real if a['kind'] == 'array' and a['access'] in ('out', 'inout')]
    wrt = [a['name'] for a in real if not a['name'].startswith('__return') and
           (a['access'] in ('in', 'inout') if a['kind'] == 'array' else not arrays_only)]
    return of, wrt


# ---- the check of one case, in a process of its own

class Inputs:
    """Values of all arguments of a program, and what is near them."""

    def __init__(self, program, case, rng):
        self.symbols = dict(case['values'])
        recorded = inputs_in(case['data'])
        self.arrays = {name: as_recorded(array, self.symbols, recorded[name]) if name in recorded else
                       filled(array, self.symbols, case['fills'].get(name, {}), name, rng)
                       for name, array in program._arrays.items() if not name.startswith(('gradient_', 'tangent_'))}
        if case['name'] == 'spmv':
            self.arrays.update(sparse_rows(self.symbols, self.arrays))

    def value(self, name):
        return self.arrays[name] if name in self.arrays else np.float64(self.symbols[name])

    def moved(self, steps):
        """Arguments of a call with steps (by name) added to these values."""
        given = {n: v + steps[n] if n in steps else v for n, v in self.symbols.items()}
        for n, v in self.arrays.items():
            given[n] = like(v)
            given[n][...] = v + steps[n] if n in steps else v
        return given


def like(array):
    """Memory of its own with the same strides."""
    room = sum((n - 1) * abs(s) for n, s in zip(array.shape, array.strides)) + array.itemsize
    return np.lib.stride_tricks.as_strided(np.zeros(room, np.uint8).view(array.dtype), array.shape, array.strides)


def copied(value):
    if not isinstance(value, np.ndarray):
        return value
    out = like(value)
    out[...] = value
    return out


def filled(array, symbols, fill, name, rng):
    memory = array.allocate(symbols)
    memory = like(memory)
    kind = memory.dtype.kind
    if kind in 'iub':
        memory[...] = rng.integers(int(fill.get('lo', 0)), max(int(fill.get('hi', 4)), 1), memory.shape)
    elif fill.get('fill') == 'const':  # a little of everything: at 0 too much is 0
        memory[...] = fill['value'] + (0 if name.startswith('__return') else 0.1 * rng.random(memory.shape))
    elif fill.get('fill') == 'spd':
        x = rng.random(memory.shape)
        memory[...] = (x + x.T) / 2 + len(x) * np.eye(len(x))
    else:
        lo, hi = float(fill.get('lo', 0.5)), float(fill.get('hi', 1.5))
        memory[...] = lo + (hi - lo) * rng.random(memory.shape)
    return memory


def as_recorded(array, symbols, memory):
    """What a program only writes may have been anything, which would make differences of large numbers."""
    made = array.allocate(symbols)
    flat = np.ascontiguousarray(memory).ravel().astype(array.dtype)
    need = sum((n - 1) * abs(s) // array.dtype.itemsize for n, s in zip(made.shape, made.strides)) + 1
    if flat.size < need:
        raise ValueError(f'{array.name}: {flat.size} elements were recorded, {need} are needed')
    out = like(made)
    if array.written_only:
        return out
    out[...] = np.lib.stride_tricks.as_strided(flat, made.shape, made.strides)
    return out


def sparse_rows(symbols, arrays):
    """Three columns in each row."""
    rows, columns = symbols['M'], len(arrays['x'])
    starts, places = arrays['A_row'], arrays['A_col']
    starts[...] = np.arange(rows + 1) * 3
    places[...] = np.concatenate([sorted((i + 2 * k) % columns for k in range(3)) for i in range(rows)])
    return {'A_row': starts, 'A_col': places}


class Check:
    def __init__(self, spec):
        self.times_only = spec.get('times', False)
        self.of, self.wrt, self.lost = spec['of'], spec['wrt'], []  # lost: gradients that are passed by value
        self.largest = 0  # of all relative differences, rounding included
        self.rng = np.random.default_rng(17)
        self.module, self.gradient_module = load(spec['primal']), load(spec['gradient'])
        self.primal, self.gradient = self.module.Program(), self.gradient_module.Program()
        self.tangent_module = load(spec['tangent']) if 'tangent' in spec else None
        self.others = {made: load(module) for made, module in spec['others'].items()}
        for a in self.module.INTERFACE['arguments']:
            if a['kind'] == 'array':
                self.primal._arrays[a['name']].written_only = a['access'] == 'out'
        self.x = Inputs(self.primal, spec['case'], self.rng)
        self.w = {n: self.rng.standard_normal(self.x.arrays[n].shape) for n in self.of}
        self.nothing = 1e-10 * sum(float(np.abs(w).sum()) for w in self.w.values())  # what rounding leaves of terms that cancel

    def call(self, program, module, given, calls=1):
        """Calls with the same arguments; returns the seconds of each."""
        named = {a['name'] for a in module.INTERFACE['arguments'] + module.INTERFACE['init_arguments']}
        given = {n: v for n, v in given.items() if n in named}
        kept = {n: v.copy() for n, v in given.items() if isinstance(v, np.ndarray)}
        run, times = program.bind(**given), []
        for k in range(calls):
            for n, v in kept.items() if k else ():
                given[n][...] = v
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        return times

    def loss(self, steps):
        given = self.x.moved(steps)
        self.call(self.primal, self.module, given)
        terms = [(self.w[n] * given[n]).ravel() for n in self.of]
        total = np.concatenate(terms)
        return math.fsum(total) if np.isfinite(total).all() else math.nan, float(sum(np.abs(t).sum() for t in terms))

    def reverse(self):
        """Gradients by name, and the arguments of the call."""
        given = self.x.moved({})
        for n in dict.fromkeys(self.of + self.wrt):
            array = self.gradient._arrays.get('gradient_' + n)
            if array is None:
                self.lost.append(n)
                given['gradient_' + n] = 0.0
                continue
            memory = given['gradient_' + n] = like(array.allocate(self.x.symbols))
            memory[...] = self.w[n] if n in self.w else self.rng.standard_normal(memory.shape)
        start = {n: np.copy(v) for n, v in given.items()}
        self.call(self.gradient, self.gradient_module, given)
        self.wrt = [n for n in self.wrt if n not in self.lost]
        return self.gained(given, start), start

    def gained(self, given, start):
        """What a call has added to the gradients; where the output is the input as well, it has replaced them."""
        g = {n: given['gradient_' + n] - (0 if n in self.w else start['gradient_' + n]) for n in self.wrt}
        return {n: np.reshape(a, np.shape(self.x.value(n))) for n, a in g.items()}

    def differing(self, start, g):
        """The first gradient that comes out otherwise with other options, in words."""
        for made, module in self.others.items():
            given = {n: copied(v) for n, v in start.items()}
            self.call(module.Program(), module, given)
            for n, other in self.gained(given, start).items():
                if not np.array_equal(other, g[n], equal_nan=True):
                    return f'gradient_{n} is another one with {made}, by {np.nanmax(np.abs(other - g[n])):.1e}'
        return ''

    def forward_error(self, g):
        """How far w·(J v) is from g·v for a direction v of all inputs, relatively to the terms of the latter."""
        tangent, v, given = self.tangent_module.Program(), self.direction(self.wrt), self.x.moved({})
        for n in dict.fromkeys(self.of + self.wrt):
            memory = given['tangent_' + n] = like(tangent._arrays['tangent_' + n].allocate(self.x.symbols))
            memory[...] = np.reshape(v[n], memory.shape) if n in v else self.rng.standard_normal(memory.shape)
        self.call(tangent, self.tangent_module, given)
        forward = math.fsum(np.concatenate([(self.w[n] * given['tangent_' + n]).ravel() for n in self.of]))
        terms = np.concatenate([np.ravel(g[n] * v[n]) for n in v])
        if not np.isfinite(terms).all() and not math.isfinite(forward):
            return 0
        return abs(forward - math.fsum(terms)) / max(float(np.abs(terms).sum()), self.nothing, 1e-300)

    def error(self, g, v):
        """How far g·v is from differences in the direction v, relatively; 0 where it is what rounding does to them."""
        product = math.fsum(np.concatenate([np.ravel(g[n] * v[n]) for n in v]))
        size = math.sqrt(sum(float(np.sum((g[n] * v[n])**2)) for n in v))
        best, raw = (math.inf, math.nan), math.inf
        for h in STEPS:
            near, far, rounding = self.difference(v, h)
            extrapolated = (4 * near - far) / 3
            for d in (extrapolated, near):
                if math.isnan(d) and math.isnan(product):
                    return 0, d, product
                scale = max(abs(d), abs(product), 0.1 * size, 1e-300)
                off = abs(d - product) / scale
                raw = min(raw, off)
                if abs(d - product) <= rounding and (rounding < 1e-4 * scale or product == 0) or product == 0 and abs(d) < self.nothing:
                    off = 0
                if not math.isnan(off) and off < best[0]:
                    best = (off, d)
        self.largest = max(self.largest, raw)
        return best[0], best[1], product

    def difference(self, v, h):
        """Differences with steps h/2 and h, and what rounding makes of them."""
        found, noise = [], 0.0
        for step in (h / 2, h):
            there, size = self.loss({n: step * d for n, d in v.items()})
            back, _ = self.loss({n: -step * d for n, d in v.items()})
            found.append((there - back) / (2 * step))
            noise = max(noise, 4e-16 * size / step)
        return found[0], found[1], noise

    def direction(self, names):
        """Each input goes as far as it is large."""
        size = {n: float(np.sqrt(np.mean(np.square(self.x.value(n))))) or 1 for n in names}
        return {n: size[n] * self.rng.standard_normal(np.shape(self.x.value(n))) for n in names}

    def worst_element(self, g, name):
        """In words; only of small arrays."""
        shape, worst = np.shape(g[name]), (0, '', '')
        if np.size(g[name]) > 400:
            return ''
        for at in np.ndindex(*shape):
            unit = np.zeros(shape)
            unit[at] = 1
            off, d, product = self.error(g, {name: unit})
            if off > worst[0]:
                worst = (off, f'[{", ".join(map(str, at))}]' if shape else '', f' = {product:.10g}, differences {d:.10g}')
        return worst[1] + worst[2]

    def run(self):
        if not math.isfinite(self.loss({})[0]):
            return {'status': 'none', 'text': 'results that are no numbers'}
        g, start = self.reverse()
        if not g:
            return {'status': 'wrong', 'text': f'gradients are passed by value: {", ".join(self.lost)}'}
        for n, a in g.items():
            if np.isnan(a).any():
                return {'status': 'wrong', 'text': f'gradient_{n} has {int(np.isnan(a).sum())} elements that are no numbers, of {a.size}'}
        if self.times_only:
            return {'status': 'timed', 'error': 0, 'zero': [], **self.times(start)}
        errors = {n: self.error(g, self.direction([n]))[0] for n in self.wrt}
        joint = [self.error(g, self.direction(self.wrt))[0] for _ in range(3)]
        largest, worst = self.largest, max(errors, key=errors.get)
        if errors[worst] > TOLERANCE:
            wrong = [n for n in errors if errors[n] > TOLERANCE]
            more = f'; wrong too: {", ".join(n for n in wrong if n != worst)}' if len(wrong) > 1 else ''
            return {'status': 'wrong', 'text': f'gradient_{worst} by {errors[worst]:.1e}: {worst}{self.worst_element(g, worst)}{more}'}
        if max(joint) > TOLERANCE:
            return {'status': 'wrong', 'text': f'in a direction of all inputs by {max(joint):.1e}'}
        if text := self.differing(start, g):
            return {'status': 'wrong', 'text': text}
        forward = self.forward_error(g) if self.tangent_module else 0
        if not forward <= TOLERANCE_FORWARD:
            return {'status': 'wrong', 'text': f'tangents differ from gradients by {forward:.1e}'}
        if not any(np.any(a) for a in g.values()):
            return {'status': 'none', 'text': 'all gradients are 0 here, and so are differences'}
        if self.lost:
            return {'status': 'wrong', 'text': f'gradients are passed by value: {", ".join(self.lost)}; all others are right'}
        return {'status': 'right', 'error': largest, 'zero': [n for n in g if not np.any(g[n])], **self.times(start)}

    def times(self, start):
        primal = self.call(self.primal, self.module, self.x.moved({}), CALLS)
        gradient = self.call(self.gradient, self.gradient_module, start, CALLS)
        return {'primal': statistics.median(primal[1:]), 'gradient': statistics.median(gradient[1:])}


def child(path):
    with open(path) as f:
        spec = json.load(f)
    try:
        check = Check(spec)
    except (TypeError, ValueError) as e:  # sizes that follow from nothing
        result = {'status': 'none', 'text': f'no inputs: {e}'}
    else:
        result = check.run()
    print('@@' + json.dumps(result), flush=True)
    os._exit(0)


# ---- all cases

def grad(options, graph, of, wrt, out, *more):
    """Writes the graph of the gradient of a program, or of what `more` asks for."""
    sdfgc([options.sdfgc, 'grad', '--diagnostics', 'json', '-q', graph, '--of', ','.join(of), '--wrt', ','.join(wrt), *more, '-o', out], 'grad')
    return out


def gradient_graph(options, case, graph, of, wrt, work):
    """The file of the gradient of a program."""
    if options.gradients:
        for end in ('.sdfg', '.sdfgt'):
            path = os.path.join(options.gradients, case.name + end)
            if os.path.exists(path):
                return path
        raise Failure('none', 'no gradient is given')
    return grad(options, graph, of, wrt, os.path.join(work, 'gradient.sdfg'), '--seed', 'argument', '--init', 'accumulate',
                *shlex.split(options.grad))


def other_gradients(options, graph, of, wrt, work, more):
    """The modules of gradients made in other ways, by how, and the ways that are refused."""
    made, refused = {}, []
    for k, way in enumerate(options.against):
        try:
            out = grad(options, graph, of, wrt, os.path.join(work, f'other{k}.sdfg'), '--seed', 'argument', '--init', 'accumulate', *shlex.split(way))
        except Failure as e:
            if e.kind != 'refused':
                raise
            refused.append(way)
            continue
        made[way] = build(options.sdfgc, out, os.path.join(work, f'other{k}'), more)
    return made, refused


def memory(options, case, graph, of, wrt, work):
    """What --report says that a gradient allocates, and what it does in the interpreter; None where that follows from what is read."""
    values = [f'--arg={n}={v}' for n, v in case.values.items()]
    out = os.path.join(work, 'memory.sdfg')
    _, text = sdfgc([options.sdfgc, 'grad', '--diagnostics', 'json', '-q', graph, '--of', ','.join(of), '--wrt', ','.join(wrt), '--seed', 'argument',
                      *shlex.split(options.grad), '--report', *values, '-o', out], 'grad')
    said = re.search(r'^memory: (?:.* = )?(\d+) bytes', text, re.M)
    if not said:
        return None
    shown, _ = sdfgc([options.sdfgc, 'run', '--interpret', '--stats', '--json', '--diagnostics', 'json', '-q', out, *values,
                      '--default', 'random:0.5:1.5'], 'run')
    return int(said[1]), json.loads(shown)['containerBytes']


def tangent_module(options, graph, of, wrt, work, more):
    out = os.path.join(work, 'tangent.sdfg')
    try:
        return build(options.sdfgc, grad(options, graph, of, wrt, out, '--mode', 'forward'), os.path.join(work, 'tangent'), more)
    except Failure as e:
        raise Failure(e.kind, f'forward: {e}') from None


def checked(options, case, work):
    """A row of the table."""
    more = shlex.split(options.options)
    row = {'name': case.name, 'sizes': {n: v for n, v in case.values.items() if isinstance(v, int)}, 'status': '', 'text': ''}
    try:
        graph, widened = in_double(case, work)
        row['name'] += '*' if widened else ''
        try:
            primal = build(options.sdfgc, graph, os.path.join(work, 'primal'), more)
        except Failure as e:
            raise Failure('none', f'the program: {e}') from None
        interface = load(primal).INTERFACE
        if others := [a['name'] for a in interface['arguments'] if a['kind'] not in ('array', 'scalar', 'symbol')]:
            raise Failure('none', f"arguments that are not numbers: {', '.join(others)}")
        of, wrt = active(interface, options.arrays)
        row.update(of=of, wrt=wrt)
        if not of or not wrt:
            raise Failure('none', 'no floating-point output' if not of else 'no floating-point input')
        if options.memory:
            took = memory(options, case, graph, of, wrt, work)
            row.update(status='none' if not took else 'right' if took[0] == took[1] else 'wrong', text='what it takes follows from what it reads'
                       if not took else f'{took[0]} bytes' if took[0] == took[1] else f'{took[0]} bytes were said, {took[1]} taken')
            return row
        gradient = build(options.sdfgc, gradient_graph(options, case, graph, of, wrt, work), os.path.join(work, 'gradient'), more)
        tangent = {'tangent': tangent_module(options, graph, of, wrt, work, more)} if options.forward else {}
        others, row['refused'] = other_gradients(options, graph, of, wrt, work, more)
        spec = os.path.join(work, 'check.json')
        with open(spec, 'w') as f:
            json.dump({'primal': primal, 'gradient': gradient, 'of': of, 'wrt': wrt, 'times': options.times, 'others': others, **tangent,
                       'case': {'name': case.name, 'fills': case.fills, 'values': case.values, 'data': case.data}}, f)
        row.update(alone(spec, options.timeout))
    except Failure as e:
        row.update(status=e.kind, text=str(e))
    return row


def alone(spec, limit):
    try:
        done = subprocess.run([sys.executable, os.path.abspath(__file__), '--child', spec], capture_output=True, text=True, timeout=limit,
                              env={'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1', **os.environ})
    except subprocess.TimeoutExpired:
        raise Failure('crash', f'the check: more than {limit} s') from None
    found = re.findall(r'^@@(\{.*\})$', done.stdout, re.M)
    if not found:
        raise Failure('crash', f'the check: status {done.returncode}: {done.stderr.strip()[-200:]}'.replace('\n', ' '))
    return json.loads(found[-1])


def line(row):
    sizes = ' '.join(f'{n}={v}' for n, v in row['sizes'].items())
    if row['status'] not in ('right', 'timed') or 'gradient' not in row:
        return f"{row['name']:26} {row['status']:8} {row['text']}  ({sizes})"
    zero = f"  0: {', '.join(row['zero'])}" if row['zero'] else ''
    zero += ''.join(f'  refused: {way}' for way in row['refused'])
    times = f"{row['gradient'] / row['primal']:6.1f} x {row['primal'] * 1e6:.0f} us"
    return f"{row['name']:26} {row['status']:8} off by {row['error']:.0e}  {times}  ({sizes}; of {', '.join(row['of'])}){zero}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folders', nargs='+', metavar='FOLDER')
    parser.add_argument('--sdfgc', default=os.path.join(HERE, '..', '..', 'build', 'bin', 'sdfgc'))
    parser.add_argument('--filter', default='')
    parser.add_argument('--largest', type=int, default=12)
    parser.add_argument('--sample', type=int, default=1, help='every N-th case')
    parser.add_argument('--arrays', action='store_true')
    parser.add_argument('--times', action='store_true', help='measure, and compare nothing')
    parser.add_argument('--memory', action='store_true', help='compare what --report says with what the interpreter takes, and no gradients')
    parser.add_argument('--keep')
    parser.add_argument('--report')
    parser.add_argument('--gradients')
    parser.add_argument('--forward', action='store_true')
    parser.add_argument('--grad', default='', help='further options of sdfgc grad')
    parser.add_argument('--against', default=[], action='append', help='options of sdfgc grad for another gradient, of the same bits')
    parser.add_argument('--options', default='', help='further ones of sdfgc build, for both programs')
    parser.add_argument('--timeout', type=float, default=120)
    parser.add_argument('--jobs', type=int, default=1)
    options = parser.parse_args()
    found = sorted({(root, os.path.relpath(root, folder).replace(os.sep, '_')) for folder in options.folders for root, _, files in os.walk(folder)
                    if {'program.sdfg', 'case.json'} <= set(files) and re.search(options.filter, root)})
    rows = []
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        def row(case):
            folder, name = case
            work = os.path.join(os.path.abspath(options.keep or scratch), name)
            os.makedirs(work, exist_ok=True)
            return checked(options, Case(folder, name, options.largest), work)
        for done in pool.map(row, found[::options.sample]):
            rows.append(done)
            print(line(done), flush=True)
    if options.report:
        with open(options.report, 'w') as f:
            json.dump(rows, f, indent=1)
    count = {s: sum(r['status'] == s for r in rows) for s in ('right', 'refused', 'wrong', 'crash', 'none', 'timed')}
    print(f"{count['right']} right, {count['refused']} refused, {count['wrong'] + count['crash']} wrong "
          f"({count['crash']} of them crashed), {count['none']} without")
    ratios = [r['gradient'] / r['primal'] for r in rows if 'gradient' in r]
    if ratios:
        print(f'gradient in times of the program: {statistics.geometric_mean(ratios):.2f} (geometric mean of {len(ratios)}), at most {max(ratios):.1f}')
    return 1 if count['wrong'] + count['crash'] else 0


if __name__ == '__main__':
    if len(sys.argv) == 3 and sys.argv[1] == '--child':
        child(sys.argv[2])
    sys.exit(main())

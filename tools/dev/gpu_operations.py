#!/usr/bin/env python3
"""Compares what programs do on a GPU with a list: operations, bytes and waits per call, as formulas.

    tools/dev/gpu_operations.py [--sdfgc SDFGC] [--update] [--count SIZE] LIST FOLDER [PROGRAM...]

FOLDER has a folder for each program, with program.sdfg and, for --count, case.json (parameters and arguments). LIST has a line for
each: `softmax | operations: 1 | to the device: 4*N | to the host: 4*N | waits: 1`, or `adi | host`. `--update` writes it again.

`--count` also runs each program on the emulated device, with parameters of at most SIZE, and compares the formulas with what happened.
Formulas with unknown trip counts are left out.

Prints what differs, and `N passed, N failed` at the end. Exit status 1 if anything failed.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

SHOWN = {'operations': 'operations', 'bytesIn': 'to the device', 'bytesOut': 'to the host', 'waits': 'waits'}

# Parameters that are not independent of each other.
SMALL = {'lenet': {'N': 2, 'H': 28, 'W': 28, 'C_before_fc1': 256}}

# Parameters of benchmarks that their programs do not know.
OTHERS = {'num_int_pts', 'tEnd'}


def emitted(sdfgc, graph, folder):
    """The manifest of the program's sources for CUDA."""
    out = os.path.join(folder, 'emitted')
    done = subprocess.run([sdfgc, 'emit', '-q', graph, '--target', 'cuda', '-o', out], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(done.stdout[-400:])
    with open(os.path.join(out, 'manifest.json')) as f:
        return json.load(f)


def line_of(name, manifest):
    work = manifest.get('device_work')
    if not work or manifest['target'] == 'cpu':
        return f'{name} | host'
    return ' | '.join([name, *(f'{title}: {"?" if work[key] is None else work[key]}' for key, title in SHOWN.items())])


def arguments(name, case, size):
    """Options of `sdfgc run` that give small arguments."""
    symbols = SMALL.get(name) or {k: min(int(v), size) for k, v in case['params'].items() if isinstance(v, (int, float))}
    options = []
    for a in case['args']:
        if a['kind'] == 'array':
            value = 'random' if a['dtype'][1] in 'fc' else 'random:0:3'
        else:
            value = symbols.get(a['name'], a.get('value', 1))
        options += ['--arg', f'{a["name"]}={value}']
    for name, value in symbols.items():
        if name not in OTHERS and name not in {a['name'] for a in case['args']}:
            options += ['--arg', f'{name}={value}']
    return options


def count(sdfgc, folder, manifest, size, out):
    """What differs between the formulas and the counters of a run; empty if nothing does."""
    work = manifest['device_work']
    if work['unknown']:
        return ''
    with open(os.path.join(folder, 'case.json')) as f:
        options = arguments(os.path.basename(folder), json.load(f), size)
    done = subprocess.run([sdfgc, 'run', os.path.join(folder, 'program.sdfg'), '--target', 'cuda', '--emulate', '--stats', '--json', '-o',
                           os.path.join(out, 'built'), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return f'does not run with parameters of {size}: {done.stderr[-300:]}'
    report = json.loads(done.stdout)
    names = {**report['symbols'], 'min': min, 'max': max, 'ceil': lambda x: -int(-x // 1)}
    wrong = []
    for key, formula in work.items():
        if key != 'unknown' and formula is not None and eval(formula, {}, names) != report['device'][key]:
            wrong.append(f'{key}: {formula} = {eval(formula, {}, names)}, counted {report["device"][key]}')
    return '; '.join(wrong)


def check(sdfgc, folder, size):
    """The line of a program, and what is wrong with its formulas."""
    name = os.path.basename(folder)
    with tempfile.TemporaryDirectory() as out:
        try:
            manifest = emitted(sdfgc, os.path.join(folder, 'program.sdfg'), out)
        except RuntimeError as e:
            return f'{name} | refused', str(e)
        line = line_of(name, manifest)
        wrong = count(sdfgc, folder, manifest, size, out) if size and not line.endswith('| host') else ''
        return line, wrong


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--sdfgc', default=os.path.join(here, '../../build/bin/sdfgc'))
    p.add_argument('--update', action='store_true')
    p.add_argument('--count', type=int, metavar='SIZE')
    p.add_argument('--jobs', type=int, default=os.cpu_count())
    p.add_argument('list')
    p.add_argument('folder')
    p.add_argument('programs', nargs='*')
    o = p.parse_args()
    names = o.programs or sorted(n for n in os.listdir(o.folder) if os.path.exists(os.path.join(o.folder, n, 'program.sdfg')))
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        found = dict(zip(names, pool.map(lambda n: check(o.sdfgc, os.path.join(o.folder, n), o.count), names)))
    header, expected = [], {}
    if os.path.exists(o.list):
        with open(o.list) as f:
            for line in f.read().splitlines():
                if line.startswith('#') or not line:
                    header.append(line)
                else:
                    expected[line.split(' |')[0]] = line
    failed = 0
    for name, (line, wrong) in found.items():
        differs = not o.update and expected.get(name) != line
        if differs:
            print(f'regressed: {name}\n  expected: {expected.get(name, "nothing")}\n  found:    {line}')
        if wrong:
            print(f'regressed: {name}\n  {wrong}')
        failed += bool(differs or wrong)
    if o.update:
        with open(o.list, 'w') as f:
            f.write('\n'.join(header + sorted({**expected, **{n: l for n, (l, _) in found.items()}}.values())) + '\n')
    print(f'{len(found) - failed} passed, {failed} failed')
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/python3
"""Programs with OpenCL, on the processor (PoCL).

    check.py own SDFGC OUT [PROGRAM...]        the programs of this repository that own.txt lists, against the interpreter
    check.py recorded SDFGC CONFORMANCE        the recorded GPU programs that recorded.txt lists, against their results

Prints a line for each program. Exit status 77 (skipped) where the driver, its header or the recorded programs are missing.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DRIVER, HEADER = '/etc/OpenCL/vendors/pocl.icd', '/usr/include/CL/cl.h'


def lines_of(name):
    """The lines of a list, as pairs: what is listed, and what follows it."""
    rows = [line.split('#')[0].split(maxsplit=1) for line in open(os.path.join(HERE, name))]
    return [(row[0], row[1].strip() if len(row) > 1 else '') for row in rows if row]


def interface_of(path):
    """The arrays that the outermost graph of a program in text form has as arguments."""
    return re.findall(r'^  argument (\w+): [^\n]*\[', open(path).read(), re.M)


def given_in(path):
    return [word for line in re.findall(r'^# with (.*)$', open(path).read(), re.M) for word in line.split()]


def run(sdfgc, path, folder, words, options):
    """The results of a program by the names of its arrays, or the text of its errors."""
    import numpy as np
    os.makedirs(folder, exist_ok=True)
    command = [sdfgc, 'run', path, '--once', '--default', 'random', '--seed', '7', '-q'] + options
    for word in given_in(path) + words:
        command += ['--arg', word]
    files = {name: os.path.join(folder, name + '.npy') for name in interface_of(path)}
    for name, file in files.items():
        command += ['--out', f'{name}={file}']
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=dict(os.environ, SDFGC_OPENCL_DEVICE='Portable'))
    if done.returncode:
        return None, done.stderr.strip()
    return {name: np.load(file) for name, file in files.items()}, ''


def differs(got, expected):
    """Functions of drivers may differ in the last digits of a type."""
    import numpy as np
    if got.dtype.kind not in 'fc':
        return got.tobytes() != expected.tobytes()
    tolerance = {2: 1e-2, 4: 1e-4}.get(got.real.dtype.itemsize, 1e-10)
    return not np.allclose(got, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


def check(sdfgc, out, program, words):
    """What is wrong; empty if nothing is. A program whose line says `refused: TEXT` must be refused with that text."""
    path, base = os.path.join(ROOT, program), os.path.join(out, program.replace('/', '-'))
    refused = words.startswith('refused: ')
    options = ['--target', 'opencl', '--cflags', '-O1', '--pass-option', 'offload-to-gpu.few-elements=true', '-o', base + '.build']
    got, errors = run(sdfgc, path, base + '.opencl', [] if refused else words.split(), options)
    if refused:
        text = words[len('refused: '):]
        return '' if got is None and text in errors and 'SD6002' in errors else f'it is not refused with `{text}`: {errors}'
    if got is None:
        return errors
    if not any(name.endswith('.cl') for _, _, names in os.walk(base + '.build') for name in names):
        return 'the program has no kernels'
    expected, errors = run(sdfgc, path, base + '.graph', words.split(), ['--interpret'])
    if expected is None:
        return errors
    if not expected:
        return 'the program has no results'
    return ' '.join(f'{name} differs' for name in expected if differs(got[name], expected[name]))


def own(sdfgc, out, *chosen):
    rows = [row for row in lines_of('own.txt') if not chosen or row[0] in chosen]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda row: check(sdfgc, out, *row), rows))
    for (program, _), what in zip(rows, results):
        print(f'{program}: {what or "agrees"}')
    return 1 if any(results) or not rows else 0


def recorded(sdfgc, conformance):
    runner = os.path.join(conformance, 'run')
    if not os.path.exists(runner):
        print(f'{runner} does not exist')
        return 77
    names = [name for name, _ in lines_of('recorded.txt')]
    return subprocess.run([runner, '--sdfgc', sdfgc, '--target', 'opencl', '--cases', os.path.join(conformance, 'cases-gpu'), '--verbose',
                           '--filter', '^(' + '|'.join(map(re.escape, names)) + ')$', '--', '--cflags', '-O1'],
                          env=dict(os.environ, SDFGC_OPENCL_DEVICE='Portable')).returncode


def main():
    missing = [path for path in (DRIVER, HEADER) if not os.path.exists(path)]
    if missing:
        print(f'{missing[0]} does not exist: PoCL is not installed')
        return 77
    return {'own': own, 'recorded': recorded}[sys.argv[1]](*sys.argv[2:])


if __name__ == '__main__':
    sys.exit(main())

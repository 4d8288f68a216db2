#!/usr/bin/python3
"""Runs recorded programs on an emulated processor and compares their results.

    tools/dev/foreign_cases.py [--sdfgc build/bin/sdfgc] [--target sve] [--vectors 128,512,2048] [--filter REGEX] [--sample N] [--jobs N]
                               [--expect FILE]... FOLDER... [-- OPTIONS]

Each case is built for the target with the OPTIONS of `sdfgc build`, and called by `sdfgc run` through QEMU, once for each length of SVE
registers in bits. A case is a folder with program.sdfg, case.json and data.npz (cases.py). Prints a line for each case that does not
pass, and how many there are of each kind. A case is `refused` if sdfgc does not compile the graph, if callers cannot pass its arguments
(structures, callbacks), or if the other machine lacks a library. Exit status: 0 if no case but those that a FILE lists fails.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 300  # seconds for one call
REFUSED = ('[SD6', '[SD2', '[SD4', '[SD7003', '[SD81')  # codes of what cannot be compiled, or called


def elements(flat, argument):
    """The array in recorded memory, without padding."""
    shape = argument.get('shape') or [1]
    strides = argument.get('strides') or [int(np.prod(shape[d + 1:])) for d in range(len(shape))]
    return np.lib.stride_tricks.as_strided(flat, shape, [s * flat.itemsize for s in strides])


def call(options, folder, scratch, bits):
    """Returns the outcome and what there is to say about it."""
    arguments = json.load(open(os.path.join(folder, 'case.json')))['args']
    data = np.load(os.path.join(folder, 'data.npz'))
    words, results = [], []
    for a in arguments:
        flat = np.array(data['in_' + a['name']])
        if a['kind'] != 'array':
            words += ['--arg', f"{a['name']}={flat.flat[0]}"]
            continue
        given, result = (os.path.join(scratch, a['name'] + end) for end in ('.npy', '.out.npy'))
        np.save(given, elements(flat, a))
        words += ['--arg', f"{a['name']}={given}", '--out', f"{a['name']}={result}"]
        results.append((a, result))
    command = [options.sdfgc, 'run', os.path.join(folder, 'program.sdfg'), '--target', options.target, '-o', os.path.join(scratch, 'build'),
               '-q', *words, *options.options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=dict(os.environ, QEMU_CPU=f'max,sve{bits}=on'))
    if done.returncode:
        said = done.stderr.strip().split('\n')[0]
        return ('refused' if any(code in done.stderr for code in REFUSED) and 'the program' not in said else 'failed'), said
    for a, result in results:
        expected = elements(np.array(data['out_' + a['name']]), a)
        if wrong := cases.difference(a['name'], np.load(result).ravel(), expected.ravel()):
            return 'differs', f'{bits} bits: {wrong}'
    return 'passed', ''


def run_case(options, folder):
    with tempfile.TemporaryDirectory() as scratch:
        for bits in options.vectors.split(','):
            try:
                outcome = call(options, folder, scratch, bits)
            except subprocess.TimeoutExpired:
                outcome = 'slow', f'{bits} bits: more than {LIMIT} s'
            if outcome[0] != 'passed':
                return outcome
    return 'passed', ''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(HERE, '../../build/bin/sdfgc'))
    parser.add_argument('--target', default='sve')
    parser.add_argument('--vectors', default='128,512,2048', help='bits of a register, for each call')
    parser.add_argument('--filter', default='')
    parser.add_argument('--sample', type=int, default=1, help='every N-th case only')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--expect', metavar='FILE', action='append', default=[], help='cases that are known to fail, one in a line')
    parser.add_argument('folders', nargs='+', metavar='FOLDER')
    own, further = sys.argv[1:], []
    if '--' in own:
        at = own.index('--')
        own, further = own[:at], own[at + 1:]
    options = parser.parse_args(own)
    options.options = further
    expected = cases.listed(options.expect)
    recorded = cases.found(options.folders, options.filter, options.sample)
    counts = collections.Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for case, (kind, rest) in zip(recorded, pool.map(lambda c: run_case(options, c), recorded)):
            if kind not in ('passed', 'refused') and cases.is_listed(case, expected):
                kind = 'as expected'
            counts[kind] += 1
            if kind != 'passed':
                print(f'{kind:11} {case}  {rest}', flush=True)
    print(', '.join(f'{n} {kind}' for kind, n in sorted(counts.items())))
    return 0 if counts.keys() <= {'passed', 'refused', 'as expected'} else 1


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/python3
"""Checks that the text of schedule trees is read back: after every pass over trees, for the CPU and for an emulated GPU.

  tree_text.py SDFGC GRAPH...

Each graph is compiled with --dump-dir, which verifies the tree after every pass; each tree that it leaves is read and written again, and must
be the same text. Graphs that a target does not take are left out. Prints a line per fault and what it has looked at; exits 1 when there is a
fault or nothing to look at.
"""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TARGETS = {'cpu': [], 'emulated': ['--target', 'cuda', '--emulate']}
REFUSED = ('[SD2150]', '[SD2151]', '[SD2152]', '[SD2153]', '[SD2154]', '[SD2155]', '[SD2156]', '[SD2157]', '[SD2158]', '[SD2159]', '[SD2160]',
           '[SD2161]', '[SD2162]', '[SD2163]')


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors='surrogateescape', timeout=300, check=False)


def difference(sdfgc, path):
    """Why a tree's text is not what reading and writing it gives, or nothing."""
    with open(path, encoding='utf-8', errors='surrogateescape') as f:
        text = f.read()
    again = run(sdfgc, 'print', path)
    if again.returncode:
        return again.stderr.strip().splitlines()[0]
    for number, (a, b) in enumerate(zip(text.split('\n'), again.stdout.split('\n')), 1):
        if a != b:
            return f'line {number}: {a.strip()} -> {b.strip()}'
    return 'lines are missing' if text.count('\n') != again.stdout.count('\n') else ''


def check(sdfgc, graph, target):
    """Faults of one graph, and how many trees were compared."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(sdfgc, 'emit', graph, *TARGETS[target], '--dump-dir', folder, '-o', os.path.join(folder, 'out'))
        faults = [f'{graph} ({target}): {line}' for line in done.stderr.splitlines() if any(code in line for code in REFUSED)]
        trees = sorted(name for name in os.listdir(folder) if name.endswith('.sdfgtree'))
        for name in trees:
            fault = difference(sdfgc, os.path.join(folder, name))
            if fault:
                faults.append(f'{graph} ({target}): {name}: {fault}')
        return faults, len(trees)


def main():
    sdfgc, graphs = sys.argv[1], sys.argv[2:]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: check(sdfgc, *job), [(g, t) for g in graphs for t in TARGETS]))
    faults = [fault for found, _ in results for fault in found]
    trees = sum(count for _, count in results)
    print('\n'.join(faults + [f'{trees} trees of {len(graphs)} graphs, {len(faults)} faults']))
    sys.exit(bool(faults) or trees == 0)


if __name__ == '__main__':
    main()

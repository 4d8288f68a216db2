#!/usr/bin/python3
"""What sdfgc may cost: pages that `sdfgc --version` touches, and memory of --print-after-all on a large graph.

  limits.py SDFGC SOURCE_TREE
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

VERSION_PAGES = 500      # twice as many as today; unlike times, they are the same on a busy machine
STATES = 4000
PRINTED_MIB = 100        # that all printing together may add to the memory of the same run without


def start_of(command):
    """Pages that the command touches, and the processor time of the best of some runs, in seconds."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_minflt + usage.ru_majflt, usage.ru_utime + usage.ru_stime
    runs = []
    for _ in range(10):
        before = used()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        runs.append([after - first for after, first in zip(used(), before)])
    return min(pages for pages, _ in runs), min(seconds for _, seconds in runs)


def large(source):
    """Many states in a row, each with the map of vadd."""
    with open(os.path.join(source, 'test/graphs/vadd.sdfg'), encoding='utf-8') as f:
        graph = json.load(f)
    state = graph['nodes'][0]
    edge = {'type': 'InterstateEdge', 'attributes': {'assignments': {}, 'condition': {'string_data': '1', 'language': 'Python'}}}
    graph['nodes'] = [dict(state, label=f's{i}', id=i) for i in range(STATES)]
    graph['edges'] = [{'type': 'Edge', 'src': str(i), 'dst': str(i + 1), 'attributes': {'data': edge}} for i in range(STATES - 1)]
    return json.dumps(graph)


def peak_mib(command, folder):
    """Of a process that runs the command alone: the high-water mark of children never falls again."""
    code = 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=open("printed", "w")); ' \
           'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)'
    done = subprocess.run([sys.executable, '-c', code] + command, cwd=folder, check=True, capture_output=True, text=True)
    return int(done.stdout) / 1024


def main():
    sdfgc, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    pages, seconds = start_of([sdfgc, '--version'])
    print(f'--version: {pages} pages, {seconds * 1000:.1f} ms')
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'large.sdfg'), 'w', encoding='utf-8') as f:
            f.write(large(source))
        plain = peak_mib([sdfgc, 'opt', 'large.sdfg', '-q', '-o', 'x.sdfg'], folder)
        printing = peak_mib([sdfgc, 'opt', 'large.sdfg', '-q', '-o', 'x.sdfg', '--print-after-all'], folder)
        printed = os.path.getsize(os.path.join(folder, 'printed')) / 2**20
    print(f'--print-after-all: {printed:.0f} MiB of text, {printing:.0f} MiB of memory, {plain:.0f} MiB without')
    return 0 if pages <= VERSION_PAGES and printing <= plain + PRINTED_MIB else 1


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/python3
"""What sdfgc may cost: processor time of `sdfgc --version`, and memory of --print-after-all on a large graph.

  limits.py SDFGC SOURCE_TREE
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

VERSION_SECONDS = 0.010  # the best of many runs: the machine may be busy
STATES = 4000
PRINTED_MIB = 100        # that all printing together may add to the memory of the same run without


def seconds(command):
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    best = float('inf')
    for _ in range(30):
        before = used()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        best = min(best, used() - before)
    return best


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
    start = seconds([sdfgc, '--version'])
    print(f'--version: {start * 1000:.1f} ms')
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'large.sdfg'), 'w', encoding='utf-8') as f:
            f.write(large(source))
        plain = peak_mib([sdfgc, 'opt', 'large.sdfg', '-q', '-o', 'x.sdfg'], folder)
        printing = peak_mib([sdfgc, 'opt', 'large.sdfg', '-q', '-o', 'x.sdfg', '--print-after-all'], folder)
        printed = os.path.getsize(os.path.join(folder, 'printed')) / 2**20
    print(f'--print-after-all: {printed:.0f} MiB of text, {printing:.0f} MiB of memory, {plain:.0f} MiB without')
    return 0 if start <= VERSION_SECONDS and printing <= plain + PRINTED_MIB else 1


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/python3
"""Benchmarks of sdfgc itself; prints figures side by side, asserts none. How fast generated programs are: bench_programs.py.

  bench.py [--sdfgc build/bin/sdfgc] [--cases ../shared/conformance/cases] [--emits N] [--builds N]

  emit      sdfgc's own time per graph: start to last file written
  build     whole `sdfgc build` beside the bare compiler command on the same generated source, and a second build

Every figure comes as time on the clock and as processor time; the second one also holds on a machine that is busy with other things.
"""
import argparse
import glob
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


class Run:
    """One run of a command: milliseconds on the clock and of processors (children included), exit status."""

    def __init__(self, command):
        start = time.perf_counter()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        self.clock = (time.perf_counter() - start) * 1e3
        self.processors = (usage.ru_utime + usage.ru_stime) * 1e3
        self.status = os.waitstatus_to_exitcode(status)
        child.returncode = self.status


def row(name, values):
    values = sorted(values)
    if not values:
        return print(f'{name:40} nothing measured')
    p90 = values[int(len(values) * 0.9)]
    print(f'{name:40} median {statistics.median(values):8.2f}   90th {p90:8.2f}   n {len(values)}', flush=True)


def rows(name, runs):
    row(name + ', ms on the clock', [r.clock for r in runs])
    row(name + ', ms of processors', [r.processors for r in runs])


def emits(sdfgc, graphs, work):
    runs = [Run([sdfgc, 'emit', graph, '-o', f'{work}/e{i}']) for i, graph in enumerate(graphs)]
    rows('emit', [r for r in runs if r.status == 0])


def builds(sdfgc, graphs, work):
    whole, bare, again = [], [], []
    for i, graph in enumerate(graphs):
        folder = f'{work}/b{i}'
        first = Run([sdfgc, 'build', graph, '-o', folder])
        script = os.path.join(folder, '.sdfgc', 'commands.sh')
        if first.status or not os.path.exists(script):
            continue
        library = glob.glob(folder + '/lib/*.so')[0]
        stamp = os.stat(library).st_mtime_ns
        second = Run([sdfgc, 'build', graph, '-o', folder])
        if os.stat(library).st_mtime_ns != stamp:
            sys.exit(f'{graph}: the second build was none')
        whole.append(first)
        again.append(second)
        bare.append(Run(['sh', script]))
    rows('build', whole)
    rows('compiler alone', bare)
    row('build / compiler alone, processors', [w.processors / b.processors for w, b in zip(whole, bare)])
    rows('second build', again)


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--sdfgc', default=os.path.join(root, 'build', 'bin', 'sdfgc'))
    ap.add_argument('--cases', default=os.path.join(root, '..', 'shared', 'conformance', 'cases'))
    ap.add_argument('--emits', type=int, default=1, help='every N-th graph')
    ap.add_argument('--builds', type=int, default=20, help='every N-th graph')
    o = ap.parse_args()
    graphs = sorted(glob.glob(os.path.join(o.cases, '**', '*.sdfg'), recursive=True))
    if not graphs:
        sys.exit('bench.py: no graphs under ' + o.cases)
    work = tempfile.mkdtemp(prefix='sdfgc-bench-')
    try:
        emits(o.sdfgc, graphs[::o.emits], work)
        builds(o.sdfgc, graphs[::o.builds], work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Benchmarks of sdfgc itself; prints figures side by side, asserts none.

  bench.py [--sdfgc build/bin/sdfgc] [--cases ../shared/conformance/cases] [--sample N]

  emit      sdfgc's own time per graph: start to last file written
  build     whole `sdfgc build` beside the bare compiler command on the same generated source, and a second build
"""
import argparse, glob, os, shutil, statistics, subprocess, sys, tempfile, time


def timed(command, **options):
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    return (time.perf_counter() - start) * 1e3, done.returncode


def row(name, values):
    values = sorted(values)
    p90 = values[int(len(values) * 0.9)] if values else float('nan')
    print(f'{name:34} median {statistics.median(values):8.1f}   90th {p90:8.1f}   n {len(values)}')


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(root, 'build', 'bin', 'sdfgc'))
    parser.add_argument('--cases', default=os.path.join(root, '..', 'shared', 'conformance', 'cases'))
    parser.add_argument('--sample', type=int, default=20, help='every N-th graph for the build benchmark')
    options = parser.parse_args()
    graphs = sorted(glob.glob(os.path.join(options.cases, '**', 'program.sdfg'), recursive=True))
    if not graphs:
        sys.exit('bench.py: no graphs under ' + options.cases)
    work = tempfile.mkdtemp(prefix='sdfgc-bench-')
    try:
        emit = []
        for i, graph in enumerate(graphs):
            ms, status = timed([options.sdfgc, 'emit', graph, '-o', f'{work}/e{i}'])
            if status == 0:
                emit.append(ms)
        row('emit, ms', emit)
        whole, bare, ratio, again = [], [], [], []
        for i, graph in enumerate(graphs[::options.sample]):
            folder = f'{work}/b{i}'
            ms, status = timed([options.sdfgc, 'build', graph, '-o', folder])
            script = os.path.join(folder, '.sdfgc', 'commands.sh')
            if status or not os.path.exists(script):
                continue
            bare_ms, _ = timed(['sh', script])
            second, _ = timed([options.sdfgc, 'build', graph, '-o', folder])
            whole.append(ms)
            bare.append(bare_ms)
            again.append(second)
            ratio.append(ms / bare_ms)
        row('build, ms', whole)
        row('compiler alone, ms', bare)
        row('build / compiler alone', ratio)
        row('second build, ms', again)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == '__main__':
    main()

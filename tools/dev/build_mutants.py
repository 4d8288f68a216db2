#!/usr/bin/python3
"""Does a graph build for every target that `check` accepts it for? Damages graphs (see test/Fuzz/Fuzz.cpp), and passes those that
`sdfgc check --target T` accepts to `sdfgc emit` and the C++ compiler.

    tools/dev/build_mutants.py [--sdfgc build/bin/sdfgc] [--fuzz build/bin/fuzz] [--runs N] [--seed N] [--largest KIB] [--targets cpu,cuda]
                               [--cc g++] [--jobs N] [--keep DIR] GRAPH-OR-FOLDER...

Sources are compiled with -fsyntax-only; those for GPUs against the emulation, which needs no compiler for devices. Graphs larger than KIB
(50) are left out. C++ in tasklets is user code, so compiler errors in a graph with C++ tasklets are not findings. Prints a line for
each finding and keeps its graph in DIR; exit status 1 if there is one.
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIMIT = 120  # seconds for one command
FLAGS = ['-std=c++20', '-fsyntax-only', '-fopenmp', '-w', '-x', 'c++']


def graphs_in(paths, largest):
    found = []
    for path in paths:
        found += glob.glob(os.path.join(path, '**/*.sdfg*'), recursive=True) if os.path.isdir(path) else [path]
    return sorted(f for f in found if f.endswith(('.sdfg', '.sdfgt')) and os.path.getsize(f) <= largest * 1024)


def run(command, **more):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=LIMIT, **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, '', f'takes longer than {LIMIT} s: {" ".join(command)}')


def first_error(text):
    return next((line for line in text.splitlines() if 'error: ' in line), text[:300])


def has_own_code(graph):
    """Does it contain C++ code, which only the compiler checks?"""
    def inside(value):
        if isinstance(value, list):
            return any(map(inside, value))
        if not isinstance(value, dict):
            return False
        code, language = value.get('string_data'), value.get('language')
        return (isinstance(code, str) and bool(code.strip()) and language != 'Python') or any(map(inside, value.values()))
    with open(graph, errors='replace') as f:
        text = f.read()
    try:
        return inside(json.loads(text))
    except ValueError:  # the text form
        return '(CPP' in text or bool(re.search(r'^ *(global|init|exit) ', text, re.MULTILINE))


def finding(options, graph, target, scratch):
    """Describes an error; '' for a graph that builds, None for a rejected one."""
    target_options = ['--target', target] + (['--emulate'] if target != 'cpu' else [])
    if run([options.sdfgc, 'check', graph, '-q', *target_options]).returncode:
        return None
    folder = os.path.join(scratch, 'out')
    emitted = run([options.sdfgc, 'emit', graph, '-q', '-o', folder, *target_options])
    if emitted.returncode:
        return 'emit: ' + first_error(emitted.stderr)
    sources = [f for f in glob.glob(os.path.join(folder, 'src/*/*')) if f.endswith(('.cpp', '.cu', '.hip'))]
    define = [] if target == 'cpu' else ['-DSDFGC_GPU_EMULATE']
    for source in sources:
        compiled = run([options.cc, *FLAGS, *define, '-I', os.path.join(folder, 'include'), '-I', os.path.join(folder, 'runtime-headers'), source])
        if compiled.returncode and 'No such file or directory' not in compiled.stderr:  # a library that the machine lacks
            return first_error(compiled.stderr).replace(folder + '/', '')
    return ''


def judged(options, graph):
    """(target, error) of one graph, and how often it was accepted."""
    wrong, accepted = [], 0
    for target in options.targets:
        with tempfile.TemporaryDirectory() as scratch:
            what = finding(options, graph, target, scratch)
        accepted += what is not None
        if what and not (has_own_code(graph) and not what.startswith('emit: ')):
            wrong.append((target, what))
    return graph, wrong, accepted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(ROOT, 'build/bin/sdfgc'))
    parser.add_argument('--fuzz', default=os.path.join(ROOT, 'build/bin/fuzz'))
    parser.add_argument('--runs', type=int, default=100)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--largest', type=int, default=50)
    parser.add_argument('--targets', type=lambda text: text.split(','), default=['cpu', 'cuda'])
    parser.add_argument('--cc', default='g++')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--keep', metavar='DIR')
    parser.add_argument('graphs', nargs='+', metavar='GRAPH-OR-FOLDER')
    options = parser.parse_args()
    seeds = graphs_in(options.graphs, options.largest)
    findings = accepted = 0
    with tempfile.TemporaryDirectory() as folder:
        made = run([options.fuzz, '--write', folder, '--runs', str(options.runs), '--seed', str(options.seed), *seeds])
        if made.returncode:
            sys.exit(f'build_mutants.py: {made.stderr or "fuzz wrote no graphs"}')
        mutants = sorted(glob.glob(os.path.join(folder, '*.sdfg')), key=lambda f: int(os.path.basename(f)[:-5]))
        with ThreadPoolExecutor(options.jobs) as pool:
            for graph, wrong, times in pool.map(lambda g: judged(options, g), mutants):
                accepted += times
                findings += len(wrong)
                for target, what in wrong:
                    print(f'seed {os.path.basename(graph)[:-5]}, {target}: {what}', flush=True)
                if wrong and options.keep:
                    os.makedirs(options.keep, exist_ok=True)
                    shutil.copy(graph, options.keep)
    print(f'{len(mutants)} graphs, accepted {accepted} times, {findings} do not build')
    return 1 if findings or not accepted else 0


if __name__ == '__main__':
    sys.exit(main())

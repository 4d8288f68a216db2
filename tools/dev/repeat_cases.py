#!/usr/bin/python3
"""Calls recorded programs that run in teams of threads again and again: results that depend on how threads happen to be scheduled differ
sooner or later from those that were recorded.

    tools/dev/repeat_cases.py [--sdfgc build/bin/sdfgc] [--threads 1,2,3,8] [--times N] [--sample N] [--filter REGEX] [--jobs N]
                              [--options OPTIONS] [--expect FILE]... FOLDER...

Every case is built once, with teams for small maps as well, and called N times with each number of threads, one process for a number. More
threads than the machine has cores make it a busy one; --jobs adds to that. Prints a line for each case and number of threads with which a
call differs, crashes or does not end. Exit status: 0 if no case but those that a FILE lists does.
"""
import argparse
import collections
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 300  # seconds for the calls with one number of threads


def call(folder, library, times):
    """In a separate process: prints the differences of calls, each text once, and how often."""
    case = cases.Case(folder, library)
    said = collections.Counter(filter(None, (case.call() for _ in range(times))))
    for text, count in said.most_common(3):
        print(f'{count} of {times} calls: {text}')


def repeated(options, folder):
    """The kind of a case, and a text for each number of threads with which something is wrong."""
    if not cases.has_teams(options.sdfgc, folder, shlex.split(options.options)):
        return 'without teams', []
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, 'out')
        done = subprocess.run([options.sdfgc, 'build', '-q', os.path.join(folder, 'program.sdfg'), '-o', out,
                               *cases.SMALL_TEAMS, *shlex.split(options.options)], capture_output=True, text=True)
        if done.returncode:
            return 'not built', [done.stderr.strip()[:300]]
        command = [sys.executable, os.path.abspath(__file__), '--one', folder, cases.library_of(out), '--times', str(options.times)]
        for threads in options.threads:
            said, why = cases.run_alone(command, threads, LIMIT)
            if why or said:
                wrong.append(f'{threads} threads: ' + (why or '; '.join(said.strip().split('\n'))))
    return ('differs' if wrong else 'passed'), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(HERE, '../../build/bin/sdfgc'))
    parser.add_argument('--threads', type=lambda text: [int(n) for n in text.split(',')], default=[1, 2, 3, 8])
    parser.add_argument('--times', type=int, default=20)
    parser.add_argument('--filter', default='')
    parser.add_argument('--sample', type=int, default=1, help='every N-th case only')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--options', default='', help="further options of sdfgc build: '--fp-model fast'")
    parser.add_argument('--expect', metavar='FILE', action='append', default=[], help='cases that are known to differ, one in a line')
    parser.add_argument('--one', nargs=2, help=argparse.SUPPRESS)
    parser.add_argument('folders', nargs='*', metavar='FOLDER')
    options = parser.parse_args()
    if options.one:
        call(*options.one, options.times)
        return 0
    options.sdfgc = os.path.abspath(options.sdfgc)
    expected = cases.listed(options.expect)
    recorded = cases.found(options.folders, options.filter, options.sample)
    counts = collections.Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for case, (kind, texts) in zip(recorded, pool.map(lambda c: repeated(options, c), recorded)):
            if kind == 'differs' and cases.is_listed(case, expected):
                kind = 'as expected'
            counts[kind] += 1
            for text in texts:
                print(f'{kind:11} {case}  {text}', flush=True)
    print(', '.join(f'{n} {kind}' for kind, n in sorted(counts.items())))
    return 0 if counts.keys() <= {'passed', 'without teams', 'as expected'} else 1


if __name__ == '__main__':
    sys.exit(main())

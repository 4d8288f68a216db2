#!/usr/bin/python3
"""Judges every pass by recorded programs: `sdfgc opt --validate` on each of them.

    tools/dev/validate_cases.py [--sdfgc build/bin/sdfgc] [--target T] [--filter REGEX] [--sample N] [--jobs N] [--timeout S]
                                [--libraries] [--options OPTIONS] [--keep FOLDER] [--expect FILE] FOLDER...

A case is a folder with program.sdfg. What the program computes is compared on inputs that sdfgc makes itself; the recorded ones are not
used. sdfgc finds no compiler and so no libraries, unless --libraries is given: library nodes become maps, which the interpreter
knows, and not calls. Prints a line for each case of which not all passes were judged, and how many there are of each kind:

    passed    no pass changes what the program computes
    differs   a pass does; --keep FOLDER keeps what `--validate` leaves of it
    part      the interpreter does not know the graph after some pass; those before it are right
    refused   the interpreter does not know the graph
    no input  the program has faults with every input that was made
    error     sdfgc fails otherwise, or takes more than ten minutes

Exit status: 0 if no case but those that FILE lists differs or is an error.
"""
import argparse
import collections
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 600  # seconds for one case
MEMORY = 4 << 30  # bytes for one case


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def judge(options, folder):
    """Kind and text of one case."""
    with tempfile.TemporaryDirectory() as work:
        left = os.path.join(work, 'left')
        command = [options.sdfgc, 'opt', '--validate', '--validate-timeout', str(options.timeout), '--validate-dir', left, '--target',
                   options.target, '--diagnostics', 'json', os.path.join(folder, 'program.sdfg'), '-o', os.path.join(work, 'out.sdfgtree')]
        command += shlex.split(options.options)
        environment = dict(os.environ)
        if not options.libraries:
            environment.update(PATH=work, CXX='')
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=work,
                                  preexec_fn=limit_memory, env=environment)
        except subprocess.TimeoutExpired:
            return 'error', f'more than {LIMIT} s'
        found = [json.loads(line) for line in done.stderr.splitlines() if line.startswith('{')]
        by_code = {d['code']: d for d in reversed(found)}
        if 'SD8301' in by_code:
            if options.keep:
                shutil.copytree(left, os.path.join(options.keep, os.path.relpath(folder, options.root).replace('/', '-')),
                                dirs_exist_ok=True)
            d = by_code['SD8301']
            notes = [n['message'] for n in d.get('notes', [])]
            return 'differs', f"{d['message']}; {d.get('element', '')}; {'; '.join(notes[:1])}"
        if done.returncode:
            errors = [d['message'] for d in found if d['severity'] == 'error']
            return 'error', f"exit {done.returncode}: {errors[0] if errors else done.stderr.strip()[-200:]}"
        if 'SD8302' in by_code:
            message = by_code['SD8302']['message']
            return 'refused' if 'of this program' in message else 'part', message
        if 'SD8303' in by_code:
            return 'no input', by_code['SD8303']['message']
        return 'passed', ''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(HERE, '../../build/bin/sdfgc'))
    parser.add_argument('--target', default='cpu')
    parser.add_argument('--filter', default='')
    parser.add_argument('--sample', type=int, default=1, help='every N-th case only')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--timeout', type=float, default=2, help='seconds for one execution')
    parser.add_argument('--libraries', action='store_true', help='let library nodes become calls of what this machine has')
    parser.add_argument('--options', default='', help="further options of sdfgc opt: '--pass-option shape-kernels.threads=32'")
    parser.add_argument('--keep', metavar='FOLDER', help='keep graphs and inputs of cases that differ')
    parser.add_argument('--expect', metavar='FILE', help='cases that are known to differ, one in a line')
    parser.add_argument('folders', nargs='+', metavar='FOLDER')
    options = parser.parse_args()
    options.sdfgc = os.path.abspath(options.sdfgc)
    options.root = os.path.commonpath([os.path.abspath(f) for f in options.folders])
    expected = set()
    if options.expect:
        expected = {line.strip() for line in open(options.expect) if line.strip() and not line.startswith('#')}
    cases = sorted(os.path.abspath(root) for folder in options.folders for root, _, files in os.walk(folder)
                   if 'program.sdfg' in files and re.search(options.filter, root))[::options.sample]
    counts = collections.Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for case, (kind, text) in zip(cases, pool.map(lambda c: judge(options, c), cases)):
            if kind == 'differs' and any(case.endswith('/' + name) for name in expected):
                kind = 'as expected'
            counts[kind] += 1
            if kind != 'passed':
                print(f'{kind:11} {case}  {text}', flush=True)
    print(', '.join(f'{n} {kind}' for kind, n in sorted(counts.items())))
    return 1 if counts['differs'] or counts['error'] else 0


if __name__ == '__main__':
    sys.exit(main())

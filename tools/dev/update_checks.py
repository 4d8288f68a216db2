#!/usr/bin/python3
"""Writes the CHECK lines of lit tests from what sdfgc prints now.

  update_checks.py [--sdfgc build/bin/sdfgc] TEST...

Updates tests whose first line is the MARK below and that have one RUN line of the form `%sdfgc ... | FileCheck %s`: the comments stay,
everything that was printed becomes CHECK lines. Read the difference before you commit it: the script does not know what is right.
"""
import argparse
import os
import subprocess
import sys

MARK = '// The checks are written by tools/dev/update_checks.py.'
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PIPE = ' | FileCheck %s'


def update(path, sdfgc):
    """Returns what is wrong with the test, or nothing."""
    with open(path, encoding='utf-8') as f:
        lines = f.read().splitlines()
    if not lines or lines[0] != MARK:
        return 'its first line is not: ' + MARK
    kept = [line for line in lines if not line.startswith('// CHECK')]
    runs = [line for line in kept if line.startswith('// RUN: ') and line.endswith(PIPE)]
    if len(runs) != 1:
        return 'it has no single RUN line that ends in' + PIPE
    command = runs[0][len('// RUN: '):-len(PIPE)]
    for name, value in (('%sdfgc', sdfgc), ('%graphs', os.path.join(ROOT, 'test/graphs'))):
        command = command.replace(name, value)
    command = command.replace('%s', path)
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip()
    checks, prefix = [], '// CHECK: '
    for line in done.stdout.splitlines():
        if not line.strip():
            prefix = '// CHECK: '  # FileCheck cannot ask for an empty line by its text
            continue
        text = line.replace('[[', '{{[[][[]}}').replace(ROOT, '{{.*}}')  # a checkout may lie anywhere
        checks.append(prefix + text)
        prefix = '// CHECK-NEXT: '
    while kept and not kept[-1].strip('/ '):
        kept.pop()
    with open(path, 'w', encoding='utf-8') as f:
        f.write('\n'.join(kept + checks) + '\n')
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(ROOT, 'build/bin/sdfgc'))
    parser.add_argument('tests', nargs='+')
    options = parser.parse_args()
    failed = False
    for test in options.tests:
        if problem := update(test, options.sdfgc):
            print(f'{test}: {problem}', file=sys.stderr)
            failed = True
    return failed


if __name__ == '__main__':
    sys.exit(main())

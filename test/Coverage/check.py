#!/usr/bin/python3
"""Checks that every row of the diagnostics table is alive.

  check.py ROOT

A row must be reported somewhere in lib/ (by its name), and a test below test/ must expect it (by its name or its code).
Prints one line per row that is not, and exits 1 when there is one.
"""
import os
import re
import sys

ROW = re.compile(r'SDFGC_DIAG\(\s*(\w+)\s*,\s*"(SD\d+)"')


def text_below(folder, endings):
    parts = []
    for path, _, files in os.walk(folder):
        for name in files:
            if name.endswith(endings):
                with open(os.path.join(path, name), encoding='utf-8', errors='replace') as f:
                    parts.append(f.read())
    return '\n'.join(parts)


def words(text):
    return set(re.findall(r'\w+', text))


def main():
    root = sys.argv[1]
    rows = ROW.findall(text_below(os.path.join(root, 'include/sdfgc/Diag/defs'), ('.def',)))
    reported = words(text_below(os.path.join(root, 'lib'), ('.h', '.cpp')))
    expected = words(text_below(os.path.join(root, 'test'), ('.h', '.cpp', '.test')))
    problems = [f'{code} {name}: nothing in lib/ reports it' for name, code in rows if name not in reported]
    problems += [f'{code} {name}: no test expects it' for name, code in rows if not {name, code} & expected]
    for problem in sorted(problems):
        print(problem)
    print(f'{len(rows)} kinds of diagnostics')
    return 1 if problems or not rows else 0


if __name__ == '__main__':
    sys.exit(main())

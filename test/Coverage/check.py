#!/usr/bin/python3
"""Checks that everything that is declared in a table has its test: diagnostics, reasons of remarks, passes, targets and options of the
command line, and that tests that the documents name exist.

  check.py ROOT SDFGC

A kind of diagnostic must be reported somewhere in lib/ (by its name), and a test below test/ must expect it: by its name, its code, or
words of its message. A reason of remarks is given somewhere in lib/. A pass has a lit test of its own, a target is compiled for by one.
An option is given in a test to a subcommand that has it; one that several subcommands share (same name, same text) needs one of them.
That each has its page in docs/ is what test/lit/driver/inventory.test checks. Prints a line per fault, and exits 1 when there is one.
"""
import glob
import os
import re
import subprocess
import sys

ROW = re.compile(r'SDFGC_DIAG\(\s*(\w+)\s*,\s*"(SD\d+)"\s*,\s*\w+\s*,\s*"((?:[^"\\]|\\.)*)"\s*,\s*"((?:[^"\\]|\\.)*)"')

# Kinds that earlier versions reported: `sdfgc explain` still knows them, and their codes are not given to others.
RETIRED = {'HostTouchesDevice'}
# What no test can provoke in reasonable time or space, and why.
EXEMPT = {
    'JsonTooLarge': 'needs a file of more than 4 GiB',
}


def text_below(folder, endings):
    parts = []
    for path, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            if name.endswith(endings):
                with open(os.path.join(path, name), encoding='utf-8', errors='replace') as f:
                    parts.append(f.read())
    return '\n'.join(parts)


def words(text):
    return set(re.findall(r'\w+', text))


def message_part(message):
    """The longest text of a message between two of its arguments; too short ones say nothing."""
    part = max(re.split(r'\{\d(?::d)?\}', message), key=len).strip(' `\'"')
    return part if len(part) >= 12 else None


def diagnostics(root, tests):
    rows = ROW.findall(text_below(os.path.join(root, 'include/sdfgc/Diag/defs'), ('.def',)))
    reported = words(text_below(os.path.join(root, 'lib'), ('.h', '.cpp')))
    expected = words(tests)
    for name, code, message, hint in rows:
        if name in RETIRED:
            continue
        if name not in reported:
            yield f'{code} {name}: nothing in lib/ reports it'
        part = message_part(message) or message_part(hint)
        if name not in EXEMPT and not {name, code} & expected and not (part and part in tests):
            yield f'{code} {name}: no test expects it'
    if not rows:
        yield 'no diagnostics were found'


def reasons(root):
    names = re.findall(r'SDFGC_REASON\(\s*(\w+)\s*,\s*"', text_below(os.path.join(root, 'include/sdfgc/Diag'), ('Reasons.def',)))
    given = set(re.findall(r'Why::(\w+)', text_below(os.path.join(root, 'lib'), ('.h', '.cpp'))))
    for name in names:
        if name not in given:
            yield f'Why::{name}: nothing in lib/ gives this reason'
    if not names:
        yield 'no reasons were found'


def passes_and_targets(root, sdfgc, tests):
    listed = subprocess.run([sdfgc, 'passes'], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r'^(\S+)', listed, re.M):
        if not os.path.exists(os.path.join(root, 'test/lit/passes', name + '.test')):
            yield f'pass {name}: there is no test/lit/passes/{name}.test'
    listed = subprocess.run([sdfgc, 'targets'], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r'^(\S+)', listed, re.M):
        if not re.search(rf'--target[ =]{name}\b', tests) and name != 'cpu':  # cpu is the default
            yield f'target {name}: no test compiles for it'


def declared_options(sdfgc):
    """(names, help) of each option to the subcommands that have it, from the completion script of fish."""
    script = subprocess.run([sdfgc, 'completions', 'fish'], capture_output=True, text=True, check=True).stdout
    options = {}
    for subcommand, spec, text in re.findall(r"^complete -c sdfgc -n '__fish_seen_subcommand_from ([\w-]+)'(.*) -d '(.*)'$", script, re.M):
        names = tuple(('--' if kind == 'l' else '-') + name for kind, name in re.findall(r' -([ls]) (\S+)', spec))
        if names:
            options.setdefault((names, text), set()).add(subcommand)
    return options


def options(sdfgc, tests):
    lines = [line for line in re.sub(r'\\\n', ' ', tests).splitlines() if 'sdfgc' in line.lower() or 'call(' in line or '[' in line]
    found = declared_options(sdfgc)
    for (names, _), subcommands in sorted(found.items()):
        patterns = [re.escape(n) + (r'(?![\w-])' if n.startswith('--') else '') for n in names]
        given = [line for line in lines if any(re.search(r'(?<![\w-])' + p, line) for p in patterns)]
        if not any(re.search(rf'(?<![\w.-]){s}(?![\w.-])', line) for s in subcommands for line in given):
            yield f'option {names[-1]} of {", ".join(sorted(subcommands))}: no test gives it'
    if not found:
        yield 'no options were found'


def named_tests(root):
    """Tests that the documents name: `test/X/Y.cpp`: "the test's name", or `test/lit/X.test`."""
    count = 0
    for document in sorted(glob.glob('docs/**/*.md', root_dir=root, recursive=True)):
        with open(os.path.join(root, document), encoding='utf-8') as f:
            named = re.findall(r'`(test/[\w./-]+\.(?:cpp|test))`(?:: "([^"]+)")?', f.read())
        for path, name in named:
            count += 1
            if not os.path.exists(os.path.join(root, path)):
                yield f'{document}: there is no {path}'
            elif name and f'TEST_CASE("{name}"' not in open(os.path.join(root, path), encoding='utf-8').read():
                yield f'{document}: {path} has no test "{name}"'
    if count < 30:
        yield 'the documents name hardly any tests'


def main():
    root, sdfgc = sys.argv[1:3]
    tests = text_below(os.path.join(root, 'test'), ('.h', '.cpp', '.test', '.sh', '.py'))
    problems = [*diagnostics(root, tests), *reasons(root), *passes_and_targets(root, sdfgc, tests), *options(sdfgc, tests), *named_tests(root)]
    for problem in sorted(problems):
        print(problem)
    print(f'{len(problems)} faults')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())

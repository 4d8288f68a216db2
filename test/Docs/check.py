#!/usr/bin/env python3
"""Runs the commands of a page and compares what they print with what the page says they print.

    check.py PAGE SDFGC OUT [--update]     --update: write what they print into the page

Two kinds of blocks are run, from the top of the page to its end, in one new folder OUT with a copy of docs/tutorial in it:

    ```console     lines `$ COMMAND`, each followed by its whole output
    ```sh          commands whose output does not matter

A line that ends with a backslash goes on in the next one. Blocks that begin with a comment `# FILE.py`, `// FILE.cpp` or `/* FILE.c */` are files:
the page must show them as they are in docs/tutorial. Every other block is for reading. NOT_RUN lists commands that are run elsewhere.

What may differ: in a line that tells a time (`7.3 ms`) all numbers, the unit, and the summary of calls that `run` prints; elsewhere the last digits of numbers with a fraction; runs of blanks; the path of OUT.
"""
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ROOT / 'docs' / 'tutorial'

# The beginning of a command, and who runs it.
NOT_RUN = {
    'git clone': 'the reader',
    'cp -r docs/tutorial': 'this script, which works in such a copy',
    'pip install': 'the reader: DaCe is not installed where tests run',
    'apt install': 'the reader',
    'python3 -m sdfgc.dace': 'the test bindings.dace, which needs DaCe',
    'SDFGC_DACE=1': 'the test bindings.dace',
    'pytest -p': 'the reader',
    'python3 program.py': 'the reader, for the same reason: docs/tutorial has the graph that it writes',
    'tools/dev/build.sh': 'CI, by tools/dev/test.sh',
    'tools/dev/test.sh': 'CI',
    'tools/dev/example.sh': 'CI, by tests of the same commands (test/Install)',
    'cmake --': 'CI, by tools/dev/test.sh and the tests install.*',
    'ctest --': 'CI, by tools/dev/test.sh',
}

TIME = re.compile(r'\d[\d.]*(e[-+]?\d+)? ?(ns|us|µs|ms|s|min)\b')
CALLS = re.compile(r'\d+ calls?: .*') # the number of calls that `run` makes depends on the time of the first
NUMBER = re.compile(r'\d+(?:\.\d+)?(?:e[-+]?\d+)?')


def blocks(text):
    """(kind, first line, lines) of each fenced block; the line is an index of the line after the fence."""
    lines = text.split('\n')
    at = 0
    while at < len(lines):
        if lines[at].startswith('```'):
            end = next((k for k in range(at + 1, len(lines)) if lines[k] == '```'), None)
            if end is None:
                sys.exit(f'line {at + 1}: a block has no end')
            yield lines[at][3:].strip(), at + 1, lines[at + 1:end]
            at = end
        at += 1


def commands(kind, lines):
    """(command, expected lines or None, where the expected lines begin and end) of a block; continued lines are joined."""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if kind == 'console':
            if not line.startswith('$ '):
                sys.exit(f'output without a command: {line}')
            line = line[2:]
        elif not line.strip() or line.startswith('#'):
            continue
        while line.endswith('\\'):
            line = line[:-1] + ' ' + lines[at].strip()
            at += 1
        begin = at
        if kind == 'console':
            while at < len(lines) and not lines[at].startswith('$ '):
                at += 1
        yield line, lines[begin:at] if kind == 'console' else None, (begin, at)


def same_number(one, other):
    return one == other or (bool({'.', 'e'} & set(one + other)) and math.isclose(float(one), float(other), rel_tol=1e-6))


def same(one, other):
    """Are two lines equal, but for what may differ?"""
    one, other = ' '.join(one.split()), ' '.join(other.split())
    if TIME.search(one) and TIME.search(other):
        one, other = CALLS.sub('calls', one), CALLS.sub('calls', other)
        return NUMBER.sub('#', TIME.sub('#', one)) == NUMBER.sub('#', TIME.sub('#', other))
    return NUMBER.sub('#', one) == NUMBER.sub('#', other) and all(map(same_number, NUMBER.findall(one), NUMBER.findall(other)))


def same_output(one, other):
    return len(one) == len(other) and all(map(same, one, other))


def named_file(line):
    """FILE of a first line `# FILE.py`, `// FILE.cpp` or `/* FILE.c */`."""
    match = re.fullmatch(r'(?:#|//|/\*) ([A-Za-z_]+\.(?:py|cpp|c))(?: \*/)?(?:[:,] .*)?', line)
    return match and match.group(1)


class Page:
    def __init__(self, path, sdfgc, out):
        self.path, self.out = path, out
        self.text = path.read_text()
        self.faults = []
        self.ran = 0
        shutil.rmtree(out, ignore_errors=True)
        self.work = out / 'work'
        shutil.copytree(FILES, self.work)
        tools = out / 'bin'
        tools.mkdir()
        (tools / 'python3').symlink_to(sys.executable)
        self.env = dict(os.environ, PATH=f'{tools}:{sdfgc.parent}:{os.environ["PATH"]}', XDG_CACHE_HOME=str(out / 'cache'),
                        OMP_NUM_THREADS=os.environ.get('OMP_NUM_THREADS', '2'), LC_ALL='C.UTF-8')
        for variable in ('CXX', 'SDFGC_HOME', 'MAKEFLAGS'):
            self.env.pop(variable, None)
        self.env.update(PYTHONPATH=str(ROOT / 'bindings' / 'python'), SDFGC=str(sdfgc))

    def run(self, command):
        done = subprocess.run(['bash', '-c', command], cwd=self.work, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=600)
        self.ran += 1
        output = done.stdout.replace(f'{self.work}/', '').split('\n')
        if output[-1] == '':
            output.pop()
        if done.returncode:
            self.faults.append(f'`{command}` ends with status {done.returncode}:\n' + '\n'.join(output[-30:]))
        return output

    def check_file(self, name, lines):
        file = self.work / name
        if not file.exists():
            self.faults.append(f'{name}: docs/tutorial has no such file')
        elif file.read_text().rstrip('\n') != '\n'.join(lines).rstrip('\n'):
            self.faults.append(f'{name}: the page shows it otherwise than it is in docs/tutorial')

    def check(self, update):
        lines = self.text.split('\n')
        changes = []
        for kind, first, block in blocks(self.text):
            if kind in ('console', 'sh'):
                for command, expected, (begin, end) in commands(kind, block):
                    if any(command.startswith(start) for start in NOT_RUN):
                        continue
                    output = self.run(command)
                    if expected is not None and not same_output(expected, output):
                        changes.append((first + begin, first + end, output))
                        self.faults.append('\n'.join([f'line {first + begin}: `{command}` prints something else; --update mends it', '--- the page', *expected, '--- the command', *output]))
            elif block and named_file(block[0]):
                self.check_file(named_file(block[0]), block)
        if update:
            for begin, end, output in reversed(changes):
                lines[begin:end] = output
            self.path.write_text('\n'.join(lines))
        return self.faults


def main():
    arguments = [a for a in sys.argv[1:] if a != '--update']
    page = Page(pathlib.Path(arguments[0]).resolve(), pathlib.Path(arguments[1]).resolve(), pathlib.Path(arguments[2]).resolve())
    faults = page.check('--update' in sys.argv)
    print(*faults, sep='\n\n')
    print(f'{page.path.name}: {page.ran} commands, {len(faults)} faults')
    sys.exit(bool(faults) or not page.ran)


if __name__ == '__main__':
    main()

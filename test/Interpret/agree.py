#!/usr/bin/python3
"""Do the interpreter and the compiled program agree, to the last bit, and does the interpreter find no fault?

    agree.py SDFGC FOLDER OUT [PROGRAM]...

PROGRAMs (all of FOLDER by default) are graphs in text form; a line `# with NAME=VALUE ...` gives arguments, others are random.
"""
import os
import re
import subprocess
import sys


def arguments_of(text):
    given = re.findall(r'^# with (.*)$', text, re.M)
    return [word for line in given for word in line.split()]


def outputs_of(text):
    """Arrays of the outermost graph."""
    return re.findall(r'^  argument (\w+): [^\n]*\[', text, re.M)


def run(sdfgc, path, folder, extra):
    text = open(path).read()
    command = [sdfgc, 'run', path, '--default', 'random', '--seed', '7'] + extra
    for word in arguments_of(text):
        command += ['--arg', word]
    files = {name: os.path.join(folder, name + '.npy') for name in outputs_of(text)}
    for name, file in files.items():
        command += ['--out', f'{name}={file}']
    os.makedirs(folder, exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr
    return {name: open(file, 'rb').read() for name, file in files.items()}, ''


def main():
    sdfgc, folder, out, *programs = sys.argv[1:]
    failed = 0
    for name in programs or sorted(f for f in os.listdir(folder) if f.endswith('.sdfgt')):
        path = os.path.join(folder, name)
        base = os.path.join(out, name)
        judged, faults = run(sdfgc, path, base + '.interpreted', ['--interpret'])
        compiled, errors = run(sdfgc, path, base + '.compiled', ['-o', base + '.build'])
        if judged is None or compiled is None:
            what = faults + errors
        else:
            what = ', '.join(n for n in judged if judged[n] != compiled[n])
            what = what and f'{what} differ'
        print(f'{name}: {what or "agree"}')
        failed += bool(what)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/python3
"""Do the interpreter, of the graph and of the schedule trees for host and device, and the compiled program agree, to the last bit, and
does the interpreter find no fault?

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
        graph, what = run(sdfgc, path, base + '.graph', ['--interpret'])
        for kind, options in (('tree', ['--interpret', '--tree']), ('device', ['--interpret', '--tree', '--target', 'cuda']),
                              ('compiled', ['-o', base + '.build'])):
            other, errors = run(sdfgc, path, f'{base}.{kind}', options)
            what += errors
            if graph is not None and other is not None:
                what += ''.join(f'{n} differs ({kind}) ' for n in graph if graph[n] != other[n])
        print(f'{name}: {what or "agree"}')
        failed += bool(what)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

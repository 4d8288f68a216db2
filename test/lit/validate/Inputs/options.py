"""Gives `opt --validate` and `bisect` every option that the compilation depends on, as their help lists them, and looks for it in
the command lines that they write.

    options.py SDFGC GRAPH PASS    PASS changes the results of GRAPH

The groups of the help are made from the tables of options, so that a new row is tested without a change here. Options that only say
where this run writes to (a DIR) or that start the validation are not repeated.
"""
import os
import re
import shlex
import subprocess
import sys

SDFGC, GRAPH, PASS = sys.argv[1:]
GROUPS = 'What to compile for', 'Toolchain', 'What to check of the passes'
EXAMPLES = {'N': '3', 'SECONDS': '7', 'LIST': 'sm_80,sm_90', 'COMPILER': 'g++', 'GROUP': 'FLOPS_DP'}
faults = []


def run(*words):
    return subprocess.run([SDFGC, *words], capture_output=True, text=True)


def rows():
    """(group, short name or None, name, placeholder or None, help) of each option of these groups."""
    group, found = None, []
    for line in run('opt', '--help').stdout.splitlines():
        if heading := re.fullmatch(r'(\w.*):', line):
            group = heading[1]
        elif option := re.match(r'(?:  (-\w), |      )(--[\w-]+)(?: (\S+))?(.*)', line):
            found.append([group, option[1], option[2], option[3], option[4]])
        elif found:
            found[-1][4] += ' ' + line.strip()
    return [row for row in found if row[0] in GROUPS]


def values(placeholder, text):
    """Values of an option other than its default; [None] for a flag."""
    if placeholder is None:
        return [None]
    if placeholder == 'FILE':
        with open('own.yaml', 'w') as f:
            f.write('compiler: g++\n')
        return ['own.yaml']
    words = placeholder.split('|') if '|' in placeholder else [EXAMPLES[placeholder]]
    usual = re.search(r'\(default: (\S+)\)', text)
    return [w for w in words if not usual or w != usual[1]]


def check(line, short, name, value, written):
    """Is the option, with its value, among the words of a command line?"""
    words = shlex.split(line)
    for word, following in zip(words, words[1:] + ['']):
        if word in (short, name) and (value is None or following == value or following == os.path.abspath(value)):
            return
    faults.append(f'{name} {value or ""} is not in {written}: {line}')


def main():
    seen = 0
    for group, short, name, placeholder, text in rows():
        if name == '--validate' or placeholder == 'DIR':
            continue
        for value in values(placeholder, text):
            seen += 1
            option = [name] if value is None else [name, value]
            done = run('opt', '--validate', GRAPH, '--passes', PASS, '-o', 'after.sdfgt', '--validate-dir', 'left', *option)
            if done.returncode != 70:
                faults.append(f'{option}: opt returns {done.returncode}: {done.stderr}')
                continue
            with open('left/command') as f:
                commands = {line.split()[1]: line for line in f if line.startswith('sdfgc ')}
            check(commands['opt'], short, name, value, 'the call of opt')
            reduce = shlex.split(commands['reduce'])
            check(reduce[reduce.index('--options') + 1], short, name, value, 'the options of reduce')
            if group == GROUPS[2]:  # bisect does not validate
                continue
            check(commands['bisect'], short, name, value, 'the call of bisect')
            done = run('bisect', GRAPH, '--expect', 'interpreter', '--passes', PASS, *option)
            lines = [line for line in done.stdout.splitlines() if line.startswith('to see what it does: ')]
            if lines:
                check(lines[0], short, name, value, 'what bisect prints')
            else:
                faults.append(f'{option}: bisect finds nothing: {done.stdout}{done.stderr}')
    print(*faults, sep='\n')
    print(f'{seen} options, {len(faults)} faults')


main()

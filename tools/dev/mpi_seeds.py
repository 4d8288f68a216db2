#!/usr/bin/python3
"""Programs of the MPI tests (test/lit/mpi) in the emulation, with one order of messages after another: each has to print the same.

    tools/dev/mpi_seeds.py --sdfgc BIN [--seeds N] [FOLDER]      100 seeds; FOLDER: test/lit/mpi

Runs the commands of RUN lines that emulate ranks and should succeed. Prints differences, and ends with a line `N passed, N failed`.
"""
import argparse
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

from split_file import parts

HERE = os.path.dirname(os.path.abspath(__file__))
TIMES = re.compile(r'^.*\bcalls?: .*\n', re.MULTILINE)


def commands(test, sdfgc, folder):
    """The commands that run ranks in the emulation: lists of words, without a seed."""
    with open(test) as f:
        lines = re.findall(r'// RUN: (%sdfgc run .*)', f.read())
    for line in lines:
        words = shlex.split(re.split(r' [|>] | 2>&1', line)[0].replace('%sdfgc', sdfgc).replace('%t', folder + '/x').replace('%s', test))
        if '--emulate-mpi' not in words:
            continue
        if '--mpi-seed' in words:
            at = words.index('--mpi-seed')
            del words[at:at + 2]
        yield [word for word in words if word not in ('--stats', '--json')]  # they print times


def differs(command, seeds):
    """The first seed with which a command behaves differently than with the first one, and its output; nothing if there is none."""
    expected = None
    for seed in range(seeds):
        done = subprocess.run(command + ['--mpi-seed', str(seed)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
        said = (done.returncode, TIMES.sub('', done.stdout))
        expected = said if expected is None else expected
        if done.returncode or said != expected:
            return f'seed {seed}: exit status {done.returncode}\n{done.stdout[-600:]}{done.stderr[-600:]}'
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', required=True)
    parser.add_argument('--seeds', type=int, default=100)
    parser.add_argument('tests', nargs='?', default=os.path.join(HERE, '../../test/lit/mpi'))
    options = parser.parse_args()
    passed = failed = 0
    for test in sorted(glob.glob(os.path.join(options.tests, '*.test'))):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(folder + '/x')
            parts(test, folder + '/x')
            for command in commands(test, os.path.abspath(options.sdfgc), folder):
                if not os.path.exists(command[2]):
                    continue # another line of the test makes it
                wrong = differs(command, options.seeds)
                passed, failed = (passed, failed + 1) if wrong else (passed + 1, failed)
                if wrong:
                    print(f'{os.path.basename(test)}: {shlex.join(command[1:])}\n{wrong}', flush=True)
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed or not passed else 0)


if __name__ == '__main__':
    main()

"""python -m sdfgc.dace [--target TARGET] [--option 'WORDS'] PROGRAM.py|-m MODULE [ARGUMENTS]: runs a program whose DaCe compiles with sdfgc."""
import argparse
import os
import runpy
import shlex
import sys

from sdfgc import dace


def main():
    parser = argparse.ArgumentParser(prog='python -m sdfgc.dace', description='Runs a Python program whose DaCe compiles with sdfgc.')
    parser.add_argument('--target', help='cpu, cuda or hip; default: as the graphs need')
    parser.add_argument('--options', default='', metavar='WORDS', help="further options of `sdfgc build`, such as '-O 3 --emulate'")
    parser.add_argument('-m', dest='module', action='store_true', help='PROGRAM is a module')
    parser.add_argument('program', metavar='PROGRAM')
    parser.add_argument('arguments', nargs=argparse.REMAINDER, metavar='ARGUMENTS')
    given = parser.parse_args()
    dace.enable(given.target, arguments=shlex.split(given.options))
    sys.argv = [given.program, *given.arguments]
    if given.module:
        runpy.run_module(given.program, run_name='__main__', alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(given.program))
        runpy.run_path(given.program, run_name='__main__')


if __name__ == '__main__':
    main()

#!/usr/bin/python3
"""Does the optimiser make the worthwhile transformations? Emits the programs of a folder with cases named gain_*, whose case.json
says in a sentence (`expect`) what a good optimiser makes of them, and looks for it in the code at -O2.

    tools/dev/gains.py [--sdfgc build/bin/sdfgc] [--options OPTIONS] FOLDER

Prints a line for each: met or missed, what was expected, and for what was missed the reasons that remarks give. Exit status: 0. A list of
figures to work on, not a test: which of them are met is in docs/user/benchmarks.md.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = re.compile(r'^static void program\(.*?^}\n', re.M | re.S)


def loops(code):
    return len(re.findall(r'\bfor \(', code))


def has(*words):
    return lambda code: all(word in code for word in words)


def stores_nothing(code):
    return 'Buffer<' not in code and '_memory' not in code  # of a call, or of the handle (plan-memory)


# The evidence in the code for each transformation.
MET = {
    'accumulators': lambda c: '_strip[' in c or '_acc[' in c,
    'copy_forward': lambda c: stores_nothing(c) and loops(c) == 1,
    'copy_write_side': lambda c: stores_nothing(c) and loops(c) == 1 and 'memcpy' not in c,
    'dead_fill': lambda c: stores_nothing(c) and not re.search(r'\bb = 0;', c),
    'distribute': has('omp parallel for'),
    'double_buffer': lambda c: 'memcpy' not in re.search(r'^    for .*?^    }', c, re.S | re.M).group(),
    'fuse_chain': lambda c: stores_nothing(c) and loops(c) == 1,
    'fuse_chain_raw': lambda c: stores_nothing(c) and loops(c) == 1,
    'fuse_rows': lambda c: c.count('omp parallel') == 1 and 'M * N)' not in c.replace('if(M * N', ''),  # nothing as large as the matrix
    'fuse_siblings': lambda c: loops(c) == 1,
    'fuse_window': stores_nothing,
    'histogram_all_bins': lambda c: 'reduction(' in c or 'omp atomic' not in c,
    'interchange_columns': lambda c: re.search(r'omp parallel for.*for \(int64_t i\b.*omp simd\n[^\n]*\n[^\n]*A\[', c, re.S),  # strips of j
    'loop_one_trip': lambda c: loops(c) == 0,
    'ltm_distance_is_trip': has('omp parallel for'),
    'ltm_reduction': has('omp parallel for', 'reduction('),
    'ltm_step_two': has('omp parallel for'),
    'one_pass_matrix': lambda c: c.count('cblas_') == 0,
    'transient_layout': stores_nothing,
    'unswitch': has('omp parallel for'),
    'var_after_loop': has('omp parallel for'),
}


def judged(options, case):
    """The code of a program, and the reasons for missed transformations."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'out')
        done = subprocess.run([options.sdfgc, 'emit', '-q', os.path.join(case, 'program.sdfg'), '-o', out, '--remarks', '-',
                               *shlex.split(options.options)], capture_output=True, text=True, check=True)
        sources = os.path.join(out, 'src/cpu')
        code = ''
        for name in sorted(os.listdir(sources)):
            with open(os.path.join(sources, name), encoding='utf-8') as f:
                code += ''.join(PROGRAM.findall(f.read()))
    reasons = re.findall(r'^ +([\w-]+): not done: (.*)$', done.stdout, re.M)
    return code, sorted({f'{name}: {text}' for name, text in reasons})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(HERE, '../../build/bin/sdfgc'))
    parser.add_argument('--options', default='', help="further options of sdfgc emit: '-O3'")
    parser.add_argument('folder', metavar='FOLDER')
    options = parser.parse_args()
    options.sdfgc = os.path.abspath(options.sdfgc)
    met = known = 0
    for case in cases.found([options.folder], 'gain_'):
        name = os.path.basename(case).removeprefix('gain_')
        if name not in MET:
            print(f'unknown  {name}')
            continue
        with open(os.path.join(case, 'case.json')) as f:
            expected = json.load(f)['expect']
        code, reasons = judged(options, case)
        good = bool(MET[name](code))
        known, met = known + 1, met + good
        print(f'{"met" if good else "missed":8} {name}: {expected}')
        for reason in [] if good else reasons:
            print(f'           {reason}')
    print(f'{met} of {known} met')


if __name__ == '__main__':
    sys.exit(main())

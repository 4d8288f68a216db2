#!/usr/bin/python3
"""Generated programs under sanitizers: each case is built with -fsanitize, called once by a C program with the recorded inputs, and what
the sanitizer reports is shown. Results are not compared.

  tools/dev/sanitize_programs.py --cases FOLDER [--sanitizer address,undefined|thread] [--sample N] [--filter REGEX] [--teams]
                                 [--jobs N] [--options OPTIONS] [--expect FILE]...

A case is a folder with program.sdfg, case.json (name, arguments in order, arguments of the initialiser) and data.npz (in_<argument>).
With --teams, programs are left out of which no part is executed by several threads. Threads are watched with clang++ and its OpenMP
runtime: only that one tells the sanitizer about its barriers (by libarcher.so).
Exit status: 1 when a sanitizer reports something in a case that no FILE lists, or a program cannot be built although sdfgc takes its graph.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import cases

REPORT = re.compile(r'runtime error:|Sanitizer|SUMMARY')


def scalar_type(dtype):
    """The C type of a scalar argument; complex numbers travel as structures of two."""
    kind, size = dtype.kind, dtype.itemsize
    if kind == 'b':
        return '_Bool'
    if kind in 'iu':
        return ('u' if kind == 'u' else '') + f'int{8 * size}_t'
    return {('f', 2): 'unsigned short', ('f', 4): 'float', ('f', 8): 'double', ('c', 8): 'float _Complex', ('c', 16): 'double _Complex'}[kind, size]


def driver(meta, data, folder):
    """A C program that reads the arguments from files in `folder` and calls the library."""
    name, types, read = meta['name'], {}, []
    for a in meta['args']:
        values = np.ascontiguousarray(data['in_' + a['name']])
        array = a['kind'] == 'array'
        file = os.path.join(folder, a['name'] + '.bin')
        values.tofile(file)
        types[a['name']] = 'void *' if array else scalar_type(values.dtype) + ' '
        target = f'&v_{a["name"]}'
        if array:
            read.append(f'    v_{a["name"]} = aligned_alloc(64, {max(64, (values.nbytes + 63) // 64 * 64)});')
            target = f'v_{a["name"]}'
        read.append(f'    load({json.dumps(file)}, {target}, {values.nbytes if array else values.dtype.itemsize});')
    names = [a['name'] for a in meta['args']]
    variables = ''.join(f'static {types[n]}v_{n};\n' for n in names)
    init = ', '.join(types[n].strip() for n in meta['init']) or 'void'
    return f'''#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
void *__dace_init_{name}({init});
void __program_{name}({', '.join(['void *'] + [types[n].strip() for n in names])});
int __dace_exit_{name}(void *);
{variables}
static void load(const char *path, void *to, size_t size) {{
    FILE *f = fopen(path, "rb");
    if (!f || fread(to, 1, size, f) != size)
        exit(4);
    fclose(f);
}}
int main(void) {{
{chr(10).join(read)}
    void *handle = __dace_init_{name}({', '.join('v_' + n for n in meta['init'])});
    if (!handle)
        return 3;
    __program_{name}({', '.join(['handle'] + ['v_' + n for n in names])});
    return __dace_exit_{name}(handle) ? 3 : 0;
}}
'''


def run(command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace', **options)
    return done.returncode, done.stdout + done.stderr


def check(case, o, folder):
    """'clean', 'refused', or a description of the error."""
    meta = json.load(open(os.path.join(case, 'case.json')))
    flags = f'-fsanitize={o.sanitizer} -fno-omit-frame-pointer -g -O1'
    compiler = ['clang++', 'clang'] if o.sanitizer == 'thread' else ['g++', 'gcc']
    out = os.path.join(folder, 'out')
    code, text = run([o.sdfgc, 'build', os.path.join(case, 'program.sdfg'), '-o', out, '--cc', compiler[0], '--cflags', flags,
                      *cases.SMALL_TEAMS, *shlex.split(o.options)])
    if code == 1:
        return 'refused'
    if code:
        return f'sdfgc: exit status {code}\n{text}'
    with open(os.path.join(folder, 'main.c'), 'w') as f:
        f.write(driver(meta, np.load(os.path.join(case, 'data.npz')), folder))
    library = os.path.join(out, 'lib')
    program = os.path.join(folder, 'main')
    code, text = run([compiler[1], *flags.split(), os.path.join(folder, 'main.c'), '-L' + library, '-l' + meta['name'],
                      '-Wl,-rpath,' + library, '-o', program])
    if code:
        return 'driver: ' + text
    env = dict(os.environ, OMP_NUM_THREADS='2', OMP_TOOL_LIBRARIES=o.archer, ASAN_OPTIONS='detect_leaks=1', UBSAN_OPTIONS='print_stacktrace=1',
               TSAN_OPTIONS='ignore_noninstrumented_modules=1')
    try:
        code, text = run([program], env=env, timeout=300)
    except subprocess.TimeoutExpired:
        return 'runs for more than 300 s'
    return f'exit status {code}\n{text}' if code or REPORT.search(text) else 'clean'


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--sdfgc', default='build/bin/sdfgc')
    ap.add_argument('--cases', required=True)
    ap.add_argument('--sanitizer', default='address,undefined')
    ap.add_argument('--sample', type=int, default=1)
    ap.add_argument('--filter', default='')
    ap.add_argument('--teams', action='store_true', help='only programs with teams of threads')
    ap.add_argument('--jobs', type=int, default=1)
    ap.add_argument('--options', default='', help="further options of sdfgc build: '-O0'")
    ap.add_argument('--expect', metavar='FILE', action='append', default=[], help='cases with known reports, one in a line')
    ap.add_argument('--limit', type=int, default=1500, help='characters shown of a report')
    ap.add_argument('--archer', default='/usr/lib/llvm-14/lib/libarcher.so')
    o = ap.parse_args()
    o.sdfgc = os.path.abspath(o.sdfgc)
    recorded = cases.found([o.cases], o.filter, o.sample)
    if not recorded:
        sys.exit('sanitize_programs.py: no case below ' + o.cases)

    def result(case):
        if o.teams and not cases.has_teams(o.sdfgc, case, shlex.split(o.options)):
            return 'without teams'
        with tempfile.TemporaryDirectory() as folder:
            return check(case, o, folder)

    count = {'clean': 0, 'refused': 0, 'without teams': 0, 'as expected': 0}
    expected = cases.listed(o.expect)
    with ThreadPoolExecutor(o.jobs) as pool:
        for case, said in zip(recorded, pool.map(result, recorded)):
            if said in count:
                count[said] += 1
            elif cases.is_listed(case, expected):
                count['as expected'] += 1
            else:
                print(f'{os.path.relpath(case, o.cases)}: {said[:o.limit]}', flush=True)
    reported = len(recorded) - sum(count.values())
    kinds = ''.join(f', {count[kind]} {kind}' for kind in ('without teams', 'as expected') if count[kind])
    print(f'{o.sanitizer}: {count["clean"]} programs clean, {count["refused"]} refused{kinds}, {reported} with reports')
    sys.exit(1 if reported else 0)


if __name__ == '__main__':
    main()

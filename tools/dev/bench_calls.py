#!/usr/bin/env python3
"""Measures the overhead of calls from Python: the processor time of calls of small programs through the package `sdfgc`, minus that of the same calls
from C. Nothing is asserted.

    bench_calls.py [--sdfgc SDFGC] [--repeat N]     needs NumPy and a C compiler; if DaCe can be imported, its CompiledSDFG is measured, too
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import timeit

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'bindings' / 'python'))

import numpy as np

import sdfgc

GRAPH = '''sdfg small({order}) {{
  symbol N: int64
  argument x: float64
{arguments}
  state s {{
    map m[i = 0:N] (Sequential) with <- x, <- A0[0:N]; -> A0[0:N] {{
      t: o = a + s  with a <- A0[i], s <- x; o -> A0[i]
    }}
{uses}
  }}
}}'''
C = '''#include "small.h"
#include <stdio.h>
#include <time.h>
int main(void) {{
    double {arrays}, best = 1e9;
    smallHandle_t handle = small_initialize(4);
    for (int round = 0; round < {rounds}; ++round) {{
        struct timespec a, b;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        for (int k = 0; k < 100000; ++k) {{
            small_program(handle, {names}, 4, 1.5);
            if (small_error(handle))
                return 1;
        }}
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        const double ns = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 100000;
        best = ns < best ? ns : best;
    }}
    printf("%f\\n", best);
    return small_finalize(handle);
}}
'''


def graph(count):
    names = [f'A{k}' for k in range(count)]
    uses = '\n'.join(f'    u{k}: o = b + s  with b <- A{k}[0], s <- x; o -> A{k}[1]' for k in range(1, count))
    return GRAPH.format(order=', '.join([*names, 'x']), arguments='\n'.join(f'  argument {n}: float64[N]' for n in names), uses=uses)


def from_c(made, count, repeat, scratch):
    names = [f'A{k}' for k in range(count)]
    source, program = scratch / 'call.c', scratch / 'call'
    source.write_text(C.format(arrays=', '.join(f'{n}[4] = {{0}}' for n in names), names=', '.join(names), rounds=repeat))
    library = made.library
    subprocess.run(['cc', '-O2', source, '-I', made.folder / 'include', library, f'-Wl,-rpath,{library.parent}', '-o', program], check=True)
    return float(subprocess.run([program], check=True, capture_output=True, text=True).stdout) / 1000


def microseconds(call, repeat, number=20000):
    """Processor time, which is reliable on a busy machine, without that of the function that makes the call."""
    call()
    fastest = (min(timeit.repeat(f, timer=time.process_time, number=number, repeat=repeat)) for f in (call, lambda: None))
    return (next(fastest) - next(fastest)) / number * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--sdfgc', help='the executable; default: as the package finds it')
    parser.add_argument('--repeat', type=int, default=9, help='measurements, of which the fastest counts (default: 9)')
    given = parser.parse_args()
    if given.sdfgc:
        os.environ['SDFGC'] = given.sdfgc
    print('| arrays | C | positional | by name | new arrays each time | other shapes each time | `fast_call` | `bind` |')
    print('|---|---|---|---|---|---|---|---|')
    for count in (1, 3, 8):
        with tempfile.TemporaryDirectory() as folder:
            scratch = pathlib.Path(folder)
            path = scratch / 'small.sdfgt'
            path.write_text(graph(count))
            program = sdfgc.compile(path, output=scratch / 'small.build')
            base = from_c(program.build, count, given.repeat, scratch)
            arrays = [np.zeros(4) for _ in range(count)]
            named = {f'A{k}': a for k, a in enumerate(arrays)}
            pool = [[np.zeros(4) for _ in range(count)] for _ in range(2)]
            shapes = [arrays, [np.zeros(5) for _ in range(count)]]
            turn = [0]

            def alternate(sets):
                turn[0] ^= 1
                program(*sets[turn[0]], 1.5)
            constructed, _ = program.construct_arguments(*arrays, 1.5)
            times = [microseconds(lambda: program(*arrays, 1.5), given.repeat), microseconds(lambda: program(**named, x=1.5), given.repeat),
                     microseconds(lambda: alternate(pool), given.repeat), microseconds(lambda: alternate(shapes), given.repeat, 2000)]
            times += [microseconds(lambda: program.fast_call(constructed), given.repeat), microseconds(program.bind(*arrays, 1.5), given.repeat)]
            print(f'| {count} | {base * 1000:.0f} ns | ' + ' | '.join(f'{t - base:.1f}' for t in times) + ' |')
    print('\nC with the check for errors; the others in microseconds, in addition to C.')
    dace_too(given.repeat)


def dace_too(repeat):
    try:
        import dace
        import sdfgc.dace
    except ImportError:
        return
    with tempfile.TemporaryDirectory() as folder, sdfgc.dace.enable():
        sdfg = dace.SDFG('small')
        for k in range(3):
            sdfg.add_array(f'A{k}', [dace.symbol('N')], dace.float64)
        state = sdfg.add_state()
        tasklet = state.add_tasklet('t', {}, {'o'}, 'o = 1')
        state.add_edge(tasklet, 'o', state.add_write('A0'), None, dace.Memlet('A0[0]'))
        for k in (1, 2):
            copy = state.add_tasklet(f't{k}', {}, {'o'}, 'o = N')
            state.add_edge(copy, 'o', state.add_write(f'A{k}'), None, dace.Memlet(f'A{k}[0]'))
        sdfg.build_folder = folder
        program = sdfg.compile()
        arrays = {f'A{k}': np.zeros(4) for k in range(3)}
        print(f"DaCe's CompiledSDFG, 3 arrays: {microseconds(lambda: program(**arrays, N=4), repeat, 2000):.1f} us a call")
        call, init = program.construct_arguments(**arrays, N=4)
        print(f"its fast_call: {microseconds(lambda: program.fast_call(call, init), repeat):.1f} us")


if __name__ == '__main__':
    main()

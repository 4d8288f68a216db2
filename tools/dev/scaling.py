#!/usr/bin/python3
"""Does the time of sdfgc grow in proportion to the graph? Graphs of 1, 2 and 4 times a size are generated; the ratios of time and memory
between them are printed. Linear is 2 from step to step.

  tools/dev/scaling.py [--sdfgc build/bin/sdfgc] [--states 2000] [--commands check,emit,print-after-all] [--levels 0,1,2,3]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import graphs as g


def graph(states):
    """A chain of states over a pool of transients: t1 = A * 2 + 0, t2 = t1 * 2 + 1, ..."""
    names = ['A'] + [f't{i}' for i in range(states - 1)] + ['B']
    arrays = {n: g.array('N', transient=n.startswith('t')) for n in names}
    blocks = [g.map_state(f's{i}', {'i': (0, 'N - 1')}, {'a': (names[i], 'i')}, {'b': (names[i + 1], 'i')}, f'b = a * 2 + {i}',
                          {n: ('N',) for n in names[i:i + 2]}) for i in range(states)]
    return g.sdfg('chain', ['N'], arrays, blocks)


def measured(command):
    """Seconds of processor time and peak memory in MiB of one run."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    text = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f'{" ".join(command)}: status {os.waitstatus_to_exitcode(status)}\n{text.decode(errors="replace")[:2000]}')
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--sdfgc', default='build/bin/sdfgc')
    ap.add_argument('--states', type=int, default=2000)
    ap.add_argument('--commands', default='check,print,opt,emit,print-after-all')
    ap.add_argument('--levels', default='0,1,2,3', help='of -O, for the command emit')
    ap.add_argument('--write', help='only write the graph with that many states to this file')
    o = ap.parse_args()
    if o.write:
        with open(o.write, 'w') as f:
            json.dump(graph(o.states), f)
        return
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for factor in (1, 2, 4):
            files.append(os.path.join(folder, f'x{factor}.sdfg'))
            # In another process: the peak memory of a child begins with what this process has.
            subprocess.run([sys.executable, __file__, '--write', files[-1], '--states', str(o.states * factor)], check=True)
        print('bytes'.ljust(16) + ''.join(f'{os.path.getsize(f):>12}' for f in files))
        commands = [c for name in o.commands.split(',') for c in ([f'emit -O{l}' for l in o.levels.split(',')] if name == 'emit' else [name])]
        for name in commands:
            results = []
            for f in files:
                command, *level = name.split()
                extra = {'opt': ['--passes', '', '-o', f + '.saved'], 'emit': ['-o', f + '.out', *level],
                         'print-after-all': ['--print-after-all', '-o', f + '.all']}.get(command, [])
                command = 'emit' if command == 'print-after-all' else command
                results.append(measured([o.sdfgc, command, f] + extra))
            for what, unit, k in (('time', 's', 0), ('memory', 'MiB', 1)):
                values = [r[k] for r in results]
                print(f'{name + " " + unit:16}' + ''.join(f'{v:12.2f}' for v in values) +
                      ''.join(f'   x{b / max(a, 1e-3):.2f}' for a, b in zip(values, values[1:])))


if __name__ == '__main__':
    main()

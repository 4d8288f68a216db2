#!/usr/bin/python3
"""Does the time of sdfgc grow in proportion to the graph? Graphs of 1, 2 and 4 times a size are generated; the ratios of time and memory
between them are printed. Linear is 2 from step to step.

  tools/dev/scaling.py [--sdfgc build/bin/sdfgc] [--states 2000] [--shapes chain,loops] [--commands check,emit,grad,print-after-all]
                       [--levels 0,1,2,3] [--options='--target cuda'] [--passes form-gpu-graphs,keep-loops-on-device]

Shapes of graphs: chain, stencils, siblings, updates, loops, branches, searches. Options are those of emit; passes, whose time in it
is printed by itself. Passes of the optimiser look at a limited number of neighbours of a map, so that their time may grow faster until
a program has more than these. Caches make it x2.5 on large graphs, whatever the pass.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import graphs as g


def state(number, reads, writes, text, shape=('N',), index=('i',)):
    """A state with one map over the last dimension: `reads` are containers, or containers with indices of their own."""
    reads = {f'a{k}': r if isinstance(r, tuple) else (r, *index) for k, r in enumerate(reads)}
    shapes = {name: shape for name in [r[0] for r in reads.values()] + [writes]}
    return g.map_state(f's{number}', {'i': ('1', 'N - 2')}, reads, {'b': (writes, *index)}, f'b = {text}', shapes)


def transients(states):
    """Names A, t0, t1, ..., B and the arrays."""
    names = ['A'] + [f't{i}' for i in range(states - 1)] + ['B']
    return names, {n: g.array('N', transient=n.startswith('t')) for n in names}


def chain(states):
    """t0 = A * 2 + 0, t1 = t0 * 2 + 1, ...: all of it is one map."""
    names, arrays = transients(states)
    return ['N'], arrays, [state(i, [names[i]], names[i + 1], f'a0 * 2 + {i}') for i in range(states)]


def stencils(states):
    """The same with neighbours: maps that cannot be fused as they stand."""
    names, arrays = transients(states)
    return ['N'], arrays, [state(i, [(names[i], 'i - 1'), (names[i], 'i + 1')], names[i + 1], 'a0 + a1') for i in range(states)]


def siblings(states):
    """B0 = A * 0, B1 = A * 1, ...: maps read the same, and use more containers than one map should."""
    arrays = {n: g.array('N') for n in ['A'] + [f'B{i}' for i in range(states)]}
    return ['N'], arrays, [state(i, ['A'], f'B{i}', f'a0 * {i}') for i in range(states)]


def updates(states):
    """A = A * 0, A = A * 1, ...: one container, more steps than one map should have."""
    return ['N'], {'A': g.array('N')}, [state(i, ['A'], 'A', f'a0 * {i}') for i in range(states)]


def loops(states):
    """A loop over rows for each state: loops become maps, and are fused."""
    arrays = {n: g.array('N', 'N') for n in 'AB'}
    blocks = [g.loop(f'l{i}', 'k', 'N', [state(i, ['AB'[i % 2]], 'BA'[i % 2], f'a0 * {i}', ('N', 'N'), ('k', 'i'))]) for i in range(states)]
    return ['N'], arrays, blocks


def branches(states):
    """A state, run or not, for each step: gradients have to know which were."""
    names, arrays = transients(states)
    symbols = ['N', *(f'flag{i}' for i in range(0, states, 100))]
    steps = [state(i, [names[i]], names[i + 1], 'sin(a0)') for i in range(states)]
    return symbols, arrays, [g.branch(f'c{i}', f'flag{i // 100 * 100} > 0', [s]) for i, s in enumerate(steps)]


def searches(states):
    """A loop for each state that runs until a value has been reached: with --target cuda, the device decides about each."""
    arrays = {'A': g.array('N'), **{f'B{i}': g.array('N') for i in range(states)}}
    blocks = [g.loop(f'l{i}', 'k', f'10 and B{i}[1] < 5', [state(i, ['A', f'B{i}'], f'B{i}', 'a0 + a1')]) for i in range(states)]
    return ['N'], arrays, blocks


SHAPES = {f.__name__: f for f in (chain, stencils, siblings, updates, loops, branches, searches)}
RESULTS = {'siblings': 'B0', 'searches': 'B0', 'updates': 'A'}  # what is differentiated by A, where it is not B


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
    ap.add_argument('--options', default='', help='of emit')
    ap.add_argument('--passes', default='', help='of emit, to be timed one by one')
    ap.add_argument('--shapes', default='chain', help='of the graphs')
    ap.add_argument('--write', help='only write the graph with that many states to this file')
    o = ap.parse_args()
    if o.write:
        with open(o.write, 'w') as f:
            json.dump(g.sdfg(o.shapes, *SHAPES[o.shapes](o.states)), f)
        return
    for shape in o.shapes.split(','):
        measure(o, shape)


def command(o, shape, name, f):
    """What is run for one of --commands, as `emit -O2`, with a graph."""
    verb, *level = name.split()
    if verb == 'opt':
        return ['opt', f, '--passes', '', '-o', f + '.saved']
    if verb == 'grad':
        return ['grad', f, '--of', RESULTS.get(shape, 'B'), '--wrt', 'A', '--seed', 'argument', '-o', f + '.grad']
    if verb == 'emit':
        return ['emit', f, '-o', f + '.out', *level, *o.options.split()] + (['--time-trace', f + '.trace'] if o.passes else [])
    return ['emit', f, '--print-after-all', '-o', f + '.all'] if verb == 'print-after-all' else [verb, f]


def seconds_of_passes(o, f):
    """The time of each of --passes in the latest emit."""
    with open(f + '.trace') as trace:
        events = [e for e in json.load(trace)['traceEvents'] if e.get('args', {}).get('detail') == 'pass']
    return {name: sum(e['dur'] for e in events if e['name'] == name) / 1e6 for name in o.passes.split(',')}


def report(what, values):
    print(f'{what:16}' + ''.join(f'{v:12.2f}' for v in values) + ''.join(f'   x{b / max(a, 1e-3):.2f}' for a, b in zip(values, values[1:])))


def measure(o, shape):
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for factor in (1, 2, 4):
            files.append(os.path.join(folder, f'x{factor}.sdfg'))
            # In another process: the peak memory of a child begins with what this process has.
            subprocess.run([sys.executable, __file__, '--write', files[-1], '--states', str(o.states * factor), '--shapes', shape], check=True)
        print(f'{shape}, bytes'.ljust(16) + ''.join(f'{os.path.getsize(f):>12}' for f in files))
        for name in [c for name in o.commands.split(',') for c in ([f'emit -O{l}' for l in o.levels.split(',')] if name == 'emit' else [name])]:
            results, passes = [], []
            for f in files:
                results.append(measured([o.sdfgc, *command(o, shape, name, f)]))
                if o.passes and name.startswith('emit'):
                    passes.append(seconds_of_passes(o, f))
            report(name + ' s', [seconds for seconds, _ in results])
            report(name + ' MiB', [peak for _, peak in results])
            for p in passes[0] if passes else ():
                report(f'  {p} s ', [times[p] for times in passes])


if __name__ == '__main__':
    main()

#!/usr/bin/python3
"""Does the time of sdfgc grow in proportion to the graph? Graphs of 1, 2 and 4 times a size are generated; the ratios of time and memory
between them are printed. Linear is 2 from step to step.

  tools/dev/scaling.py [--sdfgc build/bin/sdfgc] [--states 2000] [--commands check,emit,print-after-all]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def symbolic_range(end):
    return {'type': 'Range', 'ranges': [{'start': '0', 'end': end, 'step': '1', 'tile': '1'}]}


def point(index):
    return {'type': 'Range', 'ranges': [{'start': index, 'end': index, 'step': '1', 'tile': '1'}]}


def node(kind, number, label, attributes, entry=None, leave=None):
    return {'type': kind, 'label': label, 'id': number, 'scope_entry': entry, 'scope_exit': leave, 'attributes': dict(attributes, label=label)}


def edge(source, out, target, into, data, subset):
    memlet = {'type': 'Memlet', 'attributes': {'data': data, 'subset': subset}}
    return {'type': 'MultiConnectorEdge', 'src': str(source), 'dst': str(target), 'src_connector': out, 'dst_connector': into,
            'attributes': {'data': memlet}}


def state(number, source, target):
    """One state: target[i] = source[i] + number."""
    whole = symbolic_range('N - 1')
    nodes = [
        node('AccessNode', 0, source, {'data': source}),
        node('MapEntry', 1, 'm', {'params': ['i'], 'range': whole, 'in_connectors': {'IN_1': None}, 'out_connectors': {'OUT_1': None}},
             None, '3'),
        node('Tasklet', 2, f't{number}', {'code': {'string_data': f'b = a * 2 + {number}', 'language': 'Python'},
                                          'in_connectors': {'a': None}, 'out_connectors': {'b': None}}, '1', '3'),
        node('MapExit', 3, 'm', {'in_connectors': {'IN_1': None}, 'out_connectors': {'OUT_1': None}}, '1', '3'),
        node('AccessNode', 4, target, {'data': target}),
    ]
    edges = [edge(0, None, 1, 'IN_1', source, whole), edge(1, 'OUT_1', 2, 'a', source, point('i')),
             edge(2, 'b', 3, 'IN_1', target, point('i')), edge(3, 'OUT_1', 4, None, target, whole)]
    return {'type': 'SDFGState', 'label': f's{number}', 'id': number, 'attributes': {}, 'scope_dict': {}, 'nodes': nodes, 'edges': edges}


def array(transient):
    return {'type': 'Array', 'attributes': {'dtype': 'float64', 'shape': ['N'], 'strides': ['1'], 'offset': ['0'], 'total_size': 'N',
                                            'transient': transient}}


def graph(states):
    """A chain of states over a pool of transients."""
    names = ['A'] + [f't{i}' for i in range(states - 1)] + ['B']
    link = {'type': 'InterstateEdge', 'attributes': {'assignments': {}, 'condition': {'string_data': '1', 'language': 'Python'}}}
    return {'type': 'SDFG', 'dace_version': '2.0.0', 'start_block': 0,
            'attributes': {'name': 'chain', 'symbols': {'N': 'int64'}, '_arrays': {n: array(n.startswith('t')) for n in names}},
            'nodes': [state(i, names[i], names[i + 1]) for i in range(states)],
            'edges': [{'type': 'Edge', 'src': str(i), 'dst': str(i + 1), 'attributes': {'data': link}} for i in range(states - 1)]}


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
        for name in o.commands.split(','):
            results = []
            for f in files:
                extra = {'opt': ['--passes', '', '-o', f + '.saved'], 'emit': ['-o', f + '.out'],
                         'print-after-all': ['--print-after-all', '-o', f + '.all']}.get(name, [])
                command = 'emit' if name == 'print-after-all' else name
                results.append(measured([o.sdfgc, command, f] + extra))
            for what, unit, k in (('time', 's', 0), ('memory', 'MiB', 1)):
                values = [r[k] for r in results]
                print(f'{name + " " + unit:16}' + ''.join(f'{v:12.2f}' for v in values) +
                      ''.join(f'   x{b / max(a, 1e-3):.2f}' for a, b in zip(values, values[1:])))


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Compares the kernels in a document with what sdfgc emits and with the kernels written by hand.

    gpu-pairs.py [--update] DOCUMENT SDFGC BENCH OUT

BENCH is tools/dev/gpu_bench. Behind `<!-- emitted: NAME -->` stands the first kernel of the sources for BENCH/programs/NAME.sdfgt,
behind `<!-- by hand: NAME -->` the first one of BENCH/by_hand/NAME.cu. `--update` writes both again.
"""
import os
import re
import subprocess
import sys


def kernel(lines, first):
    """From the first line that begins like this to the end of the function."""
    begin = next(i for i, line in enumerate(lines) if line.startswith(first))
    end = next(i for i in range(begin, len(lines)) if lines[i] == '}')
    return '\n'.join(lines[begin:end + 1])


def main():
    update = '--update' in sys.argv
    document, sdfgc, bench, out = [a for a in sys.argv[1:] if a != '--update']
    with open(document) as f:
        text = f.read()

    def source(match):
        kind, name = match.group(1), match.group(2)
        if kind == 'by hand':
            path, first = os.path.join(bench, 'by_hand', name + '.cu'), 'SDFGC_KERNEL'
        else:
            folder = os.path.join(out, name)
            subprocess.run([sdfgc, 'emit', os.path.join(bench, 'programs', name + '.sdfgt'), '--target', 'cuda', '-o', folder, '-q'],
                           check=True)
            path, first = os.path.join(folder, 'src/cuda', name + '.cu'), '// kernel'
        with open(path) as f:
            return f'<!-- {kind}: {name} -->\n```cpp\n' + kernel(f.read().splitlines(), first) + '\n```'

    expected, number = re.subn(r'<!-- (emitted|by hand): (\w+) -->\n```cpp\n.*?\n```', source, text, flags=re.S)
    if update:
        with open(document, 'w') as f:
            f.write(expected)
    elif expected != text:
        with open(os.path.join(out, 'expected.md'), 'w') as f:
            f.write(expected)
        subprocess.run(['diff', document, os.path.join(out, 'expected.md')])
        return 1
    print(f'{number} kernels')
    return 0


sys.exit(main())

#!/usr/bin/python3
"""Ten thousand random sizes: what generated code computes on the host, where memory is allocated, and on the device, where loops run, is what
Python computes with numbers of any length.

    sizes.py SDFGC FOLDER        builds for the CPU and for the emulated device in FOLDER
"""
import os
import random
import subprocess
import sys

import numpy as np

SIZES, VALUES = 250, 40
SYMBOLS = ('N', 'M', 'K')
LIMIT = 2**62


class Size:
    """A formula, and how Python computes it."""

    def __init__(self, text, value):
        self.text, self.value = text, value

    def of(self, values):
        """Its value; an error where a part of it would not fit into 64 bits."""
        out = self.value(values)
        if abs(out) >= LIMIT:
            raise OverflowError
        return out


def leaf(pick):
    if pick.random() < 0.4:
        number = pick.randrange(1, 17)
        return Size(str(number), lambda values: number)
    name = pick.choice(SYMBOLS)
    return Size(name, lambda values: values[name])


def size(pick, depth):
    if depth == 0 or pick.random() < 0.15:
        return leaf(pick)
    a, b, divisor = size(pick, depth - 1), size(pick, depth - 1), pick.randrange(1, 9)
    return pick.choice((
        lambda: Size(f'({a.text} + {b.text})', lambda v: a.of(v) + b.of(v)),
        lambda: Size(f'({a.text} - {b.text})', lambda v: a.of(v) - b.of(v)),
        lambda: Size(f'({a.text} * {b.text})', lambda v: a.of(v) * b.of(v)),
        lambda: Size(f'min({a.text}, {b.text})', lambda v: min(a.of(v), b.of(v))),
        lambda: Size(f'max({a.text}, {b.text})', lambda v: max(a.of(v), b.of(v))),
        lambda: Size(f'max({a.text}, 0)', lambda v: max(a.of(v), 0)),
        lambda: Size(f'({a.text} // {divisor})', lambda v: a.of(v) // divisor),
        lambda: Size(f'int_ceil({a.text}, {divisor})', lambda v: -(-a.of(v) // divisor)),
        lambda: Size(f'({a.text} % {divisor})', lambda v: a.of(v) % divisor),
        lambda: Size(f'({a.text} if {a.text} < {b.text} else {b.text})', lambda v: min(a.of(v), b.of(v))),
    ))()


def program(sizes):
    """Symbols for the sizes are assigned on an edge, as those of tapes are; the device computes them in a kernel."""
    symbols = ', '.join(f's{k}' for k in range(len(sizes)))
    assigned = ''.join(f'  s{k} = {s.text}\n' for k, s in enumerate(sizes))
    kept = ''.join(f'        h[{k}] = s{k}\n' for k in range(len(sizes)))
    computed = ''.join(f'          d[{k}] = {s.text}\n' for k, s in enumerate(sizes))
    # Memory as large as the first size, and not less than one element: its last element is written and read.
    return f'''sdfg sizes(host, device, allocated) {{
  symbol N, M, K: int64
  symbol {symbols}: int64
  argument host: int64[{len(sizes)}]
  argument device: int64[{len(sizes)}]
  argument allocated: int64[1]
  transient on_device: int64[{len(sizes)}] (GPU_Global)
  transient memory: int64[min(max({sizes[0].text}, 1), 1000)]
  state begin {{}}
{assigned}  state host {{
    keep with h: pointer(int64) -> host[0:{len(sizes)}] {{
{kept}    }}
  }}
  state device {{
    map once[i = 0] (GPU_Device) with -> on_device[0:{len(sizes)}] {{
      compute with d: pointer(int64) -> on_device[0:{len(sizes)}] {{
{computed}      }}
    }}
  }}
  state back {{
    on_device[0:{len(sizes)}] -> device[0:{len(sizes)}]
  }}
  state last {{
    fill: o = 7  with o -> memory[min(max(s0, 1), 1000) - 1]
  }}
  state read {{
    read: o = x  with x <- memory[min(max(s0, 1), 1000) - 1]; o -> allocated[0]
  }}
}}
'''


def main():
    sdfgc, folder = sys.argv[1:]
    pick = random.Random(1)
    sizes = [size(pick, 4) for _ in range(SIZES)]
    os.makedirs(folder, exist_ok=True)
    graph = os.path.join(folder, 'sizes.sdfgt')
    with open(graph, 'w') as f:
        f.write(program(sizes))
    subprocess.run([sdfgc, 'build', '-q', graph, '--target', 'cuda', '--emulate', '--cflags', '-O0', '-o', os.path.join(folder, 'out')], check=True)
    sys.path.insert(0, os.path.join(folder, 'out', 'python'))
    import sizes as built
    compared = 0
    with built.Program() as run:
        for _ in range(VALUES):
            values = {name: pick.choice((0, 1, 2, pick.randrange(-9, 0), pick.randrange(3, 2000))) for name in SYMBOLS}
            host, device, allocated = np.zeros(SIZES, np.int64), np.zeros(SIZES, np.int64), np.zeros(1, np.int64)
            run(host=host, device=device, allocated=allocated, **values)
            assert allocated[0] == 7
            for k, s in enumerate(sizes):
                try:
                    expected = s.of(values)
                except OverflowError:
                    continue
                assert host[k] == expected == device[k], (s.text, values, expected, host[k], device[k])
                compared += 1
    print(f'{compared} of {SIZES * VALUES} sizes have the same value on the host, on the device and in Python')
    assert compared > 0.9 * SIZES * VALUES


main()

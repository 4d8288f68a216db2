"""A program of random regions, half of them with loops that the device ends, and what becomes of them when an edge is missing.

    graph_random.py make COUNT > random.sdfgt     the program: `which` says which of the regions runs
    graph_random.py check COUNT                   calls each region as it is, then once without each of its edges

The regions are made as those of test/Transforms/GpuGraphs/GraphEdges.cpp, whose edges the verifier looks at.
"""
import ctypes
import os
import random
import re
import sys

import numpy as np

ARRAYS = 4


def operation(pick, name):
    """A kernel or a copy. What kernels write is another value each time: a write of what is there already goes unnoticed."""
    one, two, to = (pick.randrange(ARRAYS) for _ in range(3))
    if pick.random() < 0.25:
        to = (to + 1) % ARRAYS if one == to else to
        return f'g{one}[0:16] -> g{to}[0:16]'
    reads = ', '.join(f'<- g{a}[0:16]' for a in sorted({one, two}))
    return f'''map {name}[i = 0:16] (GPU_Device, optimize = false) with {reads}; -> new g{to}[0:16] {{
        {name}: y = 0.5 * x + 0.25 * z + {pick.randrange(1, 99)}  with x <- g{one}[i], z <- g{two}[i]; y -> g{to}[i]
      }}'''


def state(pick, number, label):
    operations = '\n      '.join(operation(pick, f'k{number}_{label}{i}') for i in range(3 + pick.randrange(6)))
    return f'state s{number}_{label} {{\n      {operations}\n    }}'


def region(number):
    pick = random.Random(number)
    first, second = (state(pick, number, label) for label in 'ab')
    if number % 2 == 0:
        return f'{first}\n    {second}'
    return f'''{first}
    it = 0
    while (g1[0] > -1) and (it < 2) {{
    {second}
    it = it + 1
    state e{number} {{}}
    }}'''


def make(count):
    each = ' else '.join(f'if which == {n} {{\n    {region(n)}\n  }}' for n in range(count))
    names = [str(a) for a in range(ARRAYS)]
    copies = '\n'.join(f'    {{}}{a}[0:16] -> {{}}{a}[0:16]' for a in names)
    print(f'''sdfg random_regions({", ".join("d" + a for a in names)}) {{
  symbol which, it: int64
{chr(10).join(f'  argument d{a}: float64[16]' for a in names)}
{chr(10).join(f'  transient g{a}: float64[16] (GPU_Global)' for a in names)}
  state in {{
{copies.format(*"dg" * ARRAYS)}
  }}
  {each}
  state out {{
{copies.format(*"gd" * ARRAYS)}
  }}
}}''')


def needed_edges(file):
    """For each edge of a drawn graph, in the order in which they were added: do its ends use the same memory? The host of a graph lets
    what looks at a loop's flag come after all that is in the loop, though only the kernel that sets it has to be over."""
    with open(file) as f:
        text = f.read()
    labels = dict(re.findall(r'(n\d+) \[.*?label="(.*?)"', text))
    edges = re.findall(r'(n\d+) -> (n\d+);', text)
    return [not labels[b].startswith('condition') or labels[a].startswith(('arm_', 'step_')) for a, b in edges]


def check(count):
    import random_regions
    library = os.path.join(os.path.dirname(random_regions.__file__), '..', 'lib', 'librandom_regions.so')
    leave_out = ctypes.CDLL(library).sdfgc_emulation_leave_out_edge
    leave_out.argtypes, leave_out.restype = [ctypes.c_long], ctypes.c_long
    report = os.environ['SDFGC_EMULATE_REPORT']

    def call(which):
        program = random_regions.Program()
        program(which=which, **{f'd{a}': np.arange(16.0) + a for a in range(ARRAYS)})
        assert sum(info['launches'] for info in program.gpu_graphs()) == 1, program.gpu_graphs()

    def reports(which, without):
        """What the emulation has to say in a process of its own: a device on which a loop did not end is lost."""
        child = os.fork()
        if child == 0:
            leave_out(without)
            try:
                call(which)
            except random_regions.Error:
                pass
            os._exit(0)
        os.waitpid(child, 0)
        with open(report, 'a+') as f:
            f.seek(0)
            said = f.read()
        os.remove(report)
        return said

    edges = 0
    for which in range(count):
        leave_out(0)
        call(which)
        needed = needed_edges(os.path.join(os.environ['SDFGC_GPU_GRAPH_DOT'], f'graph_s{which}_a.1.dot'))
        assert len(needed) == leave_out(0) and not os.path.exists(report), f'region {which} as it is'
        for edge in [i for i, is_needed in enumerate(needed, 1) if is_needed]:
            assert 'missing edge: ' in reports(which, edge), f'region {which} without edge {edge}'
            edges += 1
    print(f'{edges} edges in {count} regions')


{'make': make, 'check': check}[sys.argv[1]](int(sys.argv[2]))

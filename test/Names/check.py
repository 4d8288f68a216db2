#!/usr/bin/env python3
"""Programs whose names are those of somebody else (names.txt): every name as a container, a symbol, a transient, a connector, a loop
variable, a label and a program. Sources and interfaces compile, and what a program computes does not depend on how its containers are
called.

    check.py PART SDFGC OUT        PART: cpu, cuda, hip, c, cpp, fortran, python, caller, programs; 77: skipped
"""
import json
import keyword
import os
import pathlib
import re
import shutil
import subprocess
import sys

PART, SDFGC, OUT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
HERE = pathlib.Path(__file__).parent
NAMES = [n for line in (HERE / 'names.txt').read_text().splitlines() if not line.startswith('#') for n in line.split()]
# In expressions these words are Python's, and no name can be one of them there.
WORDS = {'and', 'or', 'not', 'if', 'else', 'for', 'is', 'in', 'lambda', 'True', 'False', 'None'}
# A header `include/errno.h` is found in the place of the system's by everything that is compiled with the folder: such programs are
# called otherwise (docs/user/interfaces.md).
HEADERS = {'array', 'assert', 'atomic', 'complex', 'ctype', 'errno', 'exception', 'fenv', 'float', 'limits', 'list', 'locale', 'malloc',
           'map', 'math', 'memory', 'module', 'new', 'omp', 'optional', 'set', 'setjmp', 'signal', 'stdio', 'string', 'thread', 'time', 'tuple',
           'types', 'utility', 'vector', 'wait'}
IN_CODE = [n for n in NAMES if n not in WORDS and not keyword.iskeyword(n)]


def graph(name, declarations, body):
    """The text form; in `body`, ` { `, ` } ` and ` ; ` are ends of lines."""
    lines = [part for line in declarations + body for part in re.split(r'(?<= \{) | ; |(?<=\}) (?=\})| (?=\})', line)]
    return '\n'.join([f'sdfg {name} {{', *lines, '}', ''])


def increment(k, array, size='N_'):
    """A state that adds one to every element."""
    return (f'state s{k} {{ map m{k}[i_ = 0:{size}] (Sequential) with <- {array}[0:{size}]; -> {array}[0:{size}] {{ '
            f't: b_ = a_ + 1  with a_ <- {array}[i_]; b_ -> {array}[i_] }} }}')


def containers(names=NAMES):
    return graph('containers', ['symbol N_: int64'] + [f'argument {n}: float64[N_]' for n in names],
                 [increment(k, n) for k, n in enumerate(names)])


def scalars():
    return graph('scalars', ['argument R_: float64[1]'] + [f'argument {n}: float64' for n in IN_CODE],
                 [f'state s{k} {{ t: b_ = r_ + a_  with a_ <- {n}, r_ <- R_[0]; b_ -> R_[0] }}' for k, n in enumerate(IN_CODE)])


def symbols():
    return graph('symbols', [f'symbol {n}: int64' for n in IN_CODE] + [f'argument A{k}_: float64[{n} + 1]' for k, n in enumerate(IN_CODE)],
                 [increment(k, f'A{k}_', f'{n} + 1') for k, n in enumerate(IN_CODE)])


def transients():
    chain = ['A_'] + NAMES + ['A_']
    return graph('transients', ['symbol N_: int64', 'argument A_: float64[N_]'] + [f'transient {n}: float64[N_]' for n in NAMES], [
        f'state s{k} {{ map m{k}[i_ = 0:N_] with <- {a}[0:N_]; -> {b}[0:N_] {{ t: y_ = x_ + 1  with x_ <- {a}[N_ - 1 - i_]; y_ -> {b}[i_] }} }}'
        for k, (a, b) in enumerate(zip(chain, chain[1:]))])


def local():
    """Connectors, names inside of tasklets, parameters of maps, loop variables, labels."""
    body = []
    for k, n in enumerate(IN_CODE):
        other, third = IN_CODE[(k + 1) % len(IN_CODE)], IN_CODE[(k + 2) % len(IN_CODE)]
        body.append(f'for {n} = 0; {n} < N_; {n} = {n} + 1 {{ state s_{third} {{ '
                    f't_{n}: {third} = {other} + 1  with {other} <- A_[{n}]; {third} -> B_[0] }} }}')
        body.append(f'state r{k} {{ map m_{n}[{n} = 0:N_] with <- A_[0:N_]; -> B_[0:N_] {{ t_{n} with x_ <- A_[{n}]; y_ -> B_[{n}] {{ '
                    f'    {other} = x_ * 2 ;     y_ = {other} }} }} }}')
    return graph('local', ['symbol N_: int64', 'argument A_: float64[N_]', 'argument B_: float64[N_]'], body)


def kernel(k, read, written, size='N_'):
    """A state with one kernel for several arrays: a kernel for each would take minutes to compile."""
    inputs, outputs = ', '.join(f'<- {a}[0:{size}]' for a in read), ', '.join(f'-> {a}[0:{size}]' for a in written)
    connected = ', '.join(f'x{j}_ <- {a}[i_]' for j, a in enumerate(read)) + '; ' + ', '.join(f'y{j}_ -> {a}[i_]' for j, a in enumerate(written))
    code = ' ; '.join(f'    y{j}_ = x{j % len(read)}_ + {k}' for j in range(len(written)))
    return f'state s{k} {{ map m{k}[i_ = 0:{size}] (GPU_Device) with {inputs}; {outputs} {{ t with {connected} {{ {code} }} }} }}'


def groups(size=12):
    return [NAMES[at:at + size] for at in range(0, len(NAMES), size)]


def device_arguments():
    return graph('device_arguments', ['symbol N_: int64'] + [f'argument {n}: float64[N_] (GPU_Global)' for n in NAMES],
                 [kernel(k, group, group) for k, group in enumerate(groups())])


def device_transients():
    chain = [['gA_'], *groups(), ['gA_']]
    return graph('device_transients', ['symbol N_: int64', 'argument A_: float64[N_]', 'transient gA_: float64[N_] (GPU_Global)'] +
                 [f'transient {n}: float64[N_] (GPU_Global)' for n in NAMES],
                 ['state first { A_[0:N_] -> gA_ }', *(kernel(k, a, b) for k, (a, b) in enumerate(zip(chain, chain[1:]))),
                  'state last { gA_[0:N_] -> A_ }'])


GRAPHS = {'containers': containers, 'scalars': scalars, 'symbols': symbols, 'transients': transients, 'local': local}


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise SystemExit(f'FAILED: {" ".join(map(str, command))[:300]}\n{done.stdout[:6000]}')
    return done.stdout


def emit(name, text, *options):
    file = OUT / f'{name}.sdfgt'
    file.write_text(text)
    run(SDFGC, 'emit', file, '-o', OUT / name, '--quiet', *options)
    return OUT / name


def needs(program):
    if not shutil.which(program):
        print(f'skipped: {program} is not installed')
        sys.exit(77)


def sources(folder):
    return [f for f in folder.glob('src/**/*') if f.suffix in ('.cpp', '.cu', '.hip') and 'caller' not in f.parts]


def compile_sources(folders, *flags):
    for folder in folders:
        run('c++', '-std=c++20', '-fsyntax-only', '-fopenmp', f'-I{folder}/include', f'-I{folder}/runtime-headers', *flags,
            '-x', 'c++', *sources(folder))


def folders(*options):
    return [emit(name, make(), *options) for name, make in GRAPHS.items()]


def interfaces():
    """The folders whose interfaces have the names."""
    return [emit(name, GRAPHS[name](), '-O0', '--caller') for name in ('containers', 'scalars', 'symbols')]


def check_cpu():
    compile_sources(folders('-O0'))
    compile_sources(folders('-O2'))


def check_gpu(target, *flags):
    compile_sources([emit(make.__name__, make(), '--target', target, '--emulate') for make in (device_arguments, device_transients)],
                    '-DSDFGC_GPU_EMULATE', *flags)


def check_c():
    needs('cc')
    for folder in interfaces():
        name = folder.name
        for first in ('', '#include <complex.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <errno.h>\n'
                          '#include <limits.h>\n#include <float.h>\n#include <sys/stat.h>\n#include <time.h>\n'):
            for standard in ('c99', 'gnu17', 'gnu2x'):
                run('cc', f'-std={standard}', '-Wall', '-Werror', '-fsyntax-only', f'-I{folder}/include', '-x', 'c', '-',
                    input=f'{first}#include "{name}.h"\n')


def check_cpp():
    for folder in interfaces():
        for standard in ('c++17', 'c++20'):
            run('c++', f'-std={standard}', '-Wall', '-Werror', '-fsyntax-only', f'-I{folder}/include', '-x', 'c++', '-',
                input=f'#include <bits/stdc++.h>\n#include <sys/stat.h>\n#include "{folder.name}.hpp"\n')


def check_fortran():
    needs('gfortran')
    for folder in interfaces():
        run('gfortran', '-std=f2018', '-Wall', '-Wno-unused-dummy-argument', '-fsyntax-only', '-J', OUT,
            folder / 'include' / f'{folder.name}.f90')


def check_caller():
    for folder in interfaces():
        run('c++', '-std=c++17', '-fsyntax-only', f'-I{folder}/include', f'-I{folder}/runtime-headers',
            folder / 'src/caller' / f'{folder.name}_main.cpp')


def check_python():
    """Calls the programs, whose results say that no name stands for another."""
    import numpy as np
    for folder in interfaces():
        run(SDFGC, 'build', OUT / f'{folder.name}.sdfgt', '-o', folder, '-O0', '--cflags', '-O0', '--quiet')
        sys.path.insert(0, str(folder / 'python'))
        module = __import__(folder.name)
        sys.path.pop(0)
        if folder.name == 'containers':
            given = {n: np.full(3, float(k)) for k, n in enumerate(NAMES)}
            expected = {n: a + 1 for n, a in given.items()}
        elif folder.name == 'scalars':
            given = {n: float(k) for k, n in enumerate(IN_CODE)}
            given['R_'] = np.zeros(1)
            expected = {'R_': np.array([sum(range(len(IN_CODE)))], float)}
        else:  # whose values follow from the shapes
            given = {f'A{k}_': np.full(k % 5 + 1, float(k)) for k in range(len(IN_CODE))}
            expected = {n: a + 1 for n, a in given.items()}
        with module.Program() as program:
            program(**given)
        for n, a in expected.items():
            if not np.array_equal(given[n], a):
                raise SystemExit(f'FAILED: {n} of {folder.name} is {given[n]}, but {a} is right')


def check_programs():
    """Names as those of a program and of its argument: every fourth, in the nightly all. One run of each compiler takes them all."""
    unity, dispatchers, c, cpp, alone, fortran, modules, system = [], [], [], [], [], [], [], set()
    names = NAMES if os.environ.get('SDFGC_NIGHTLY') else sorted({*NAMES[::4], 'sdfgc'})
    for name in names:
        if name in HEADERS:
            continue
        folder = emit('program_' + name, graph(name, ['symbol N_: int64', f'argument {name}: float64[N_]'], [increment(0, name)]), '-O0')
        manifest = json.loads((folder / 'manifest.json').read_text())
        for source in sources(folder):
            if source.stem.endswith('_dispatch'):
                dispatchers.append(source)
                continue
            text = source.read_text()
            system.update(re.findall(r'^#include .*$', (folder / 'include' / f'{name}.h').read_text(), re.M))
            system.update(i for i in re.findall(r'^#include .*$', text, re.M) if f'"{name}' not in i)
            unity.append(f'namespace unit{len(unity)} {{\n#include "{source}"\n}}')
        c.append(f'#include "{folder}/{manifest["bindings"]["c"]}"')
        (alone if name == 'sdfgc' else cpp).append(f'#include "{folder}/{manifest["bindings"]["cpp"]}"')
        fortran.append(folder / manifest['bindings']['fortran'])
        modules.append(folder / manifest['bindings']['python'])
    for standard in ('c99', 'gnu17'):
        run('cc', f'-std={standard}', '-Wall', '-Werror', '-fsyntax-only', '-x', 'c', '-', input='\n'.join(c) + '\n')
    run('c++', '-std=c++20', '-Wall', '-Werror', '-fsyntax-only', *[f'-I{f.parent}' for f in fortran], '-x', 'c++', '-',
        input='\n'.join(cpp) + '\n')
    run('c++', '-std=c++20', '-Wall', '-Werror', '-fsyntax-only', f'-I{OUT}/program_sdfgc/include', '-x', 'c++', '-',
        input='\n'.join(alone) + '\n')
    run('c++', '-std=c++20', '-fsyntax-only', f'-I{fortran[0].parent.parent}/runtime-headers', *[f'-I{f.parent}' for f in fortran], '-x', 'c++', '-',
        input='\n'.join(sorted(system)) + '\n' + '\n'.join(unity) + '\n')
    run('c++', '-std=c++20', '-fsyntax-only', f'-I{fortran[0].parent.parent}/runtime-headers', *[f'-I{f.parent}' for f in fortran],
        *dispatchers)
    if shutil.which('gfortran'):
        run('gfortran', '-std=f2018', '-fsyntax-only', '-J', OUT, *fortran)
    for module in modules:
        assert not keyword.iskeyword(module.stem) and module.stem.isidentifier(), f'{module} cannot be imported'
        run('/usr/bin/python3', '-c', f'import {module.stem} as m; m.Error, m._load, m.INTERFACE["name"]',
            env=dict(os.environ, PYTHONPATH=str(module.parent)))


OUT = OUT / PART
shutil.rmtree(OUT, ignore_errors=True)
OUT.mkdir(parents=True)
checks = {'cuda': lambda: check_gpu('cuda'), 'hip': lambda: check_gpu('hip', '-DSDFGC_EMULATE_HIP')}
(checks.get(PART) or globals()['check_' + PART])()

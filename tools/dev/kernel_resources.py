#!/usr/bin/env python3
"""Compares what the kernels of programs take of a multiprocessor with a list: registers, spills, shared memory, and 64-bit
divisions.

    tools/dev/kernel_resources.py [--sdfgc SDFGC] [--update] [--further ARCH,...] [--jobs N] LIST FOLDER [PROGRAM...]

FOLDER has a folder for each program, with program.sdfg. nvcc compiles the sources that sdfgc emits for CUDA, for ARCH (sm_90) and each
further architecture; a warning is a fault. LIST has a line for each kernel: `softmax.rows | registers: 40 | spilled: 0 | shared: 64 |
divisions: 0`. Faults, too, are a quarter more registers than in the list, more bytes that are spilled or in shared memory, more
divisions, and a division in a kernel whose source has none. `--update` writes the list again.

Divisions of 64-bit integers are counted in PTX, because they are calls of some 70 instructions. nvcc adds some of its own when it unrolls a loop
whose step is not a constant.

Prints what differs, and `N passed, N failed` at the end, by programs. Exit status 1 if any failed.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

ARCH = 'sm_90'
DIVISION = re.compile(r'\b(?:div|rem)\.[su]64\b')
# What may become a division in PTX: operators, and functions of the runtime headers that divide.
DIVIDES = re.compile(r'[/%]|\b(?:floorDiv|int_floor|int_ceil|mod|remainder|divide)\w*\(')


def plain(mangled):
    """The name of a kernel in the source, with `<int64_t>` for the version with these indices (the other one has no addition); the
    mangled name if it is not such a function."""
    m = re.match(r'_Z(?:L)?(\d+)', mangled)
    if not m:
        return mangled
    end = m.end() + int(m.group(1))
    return mangled[m.end():end] + ('<int64_t>' if mangled[end:].startswith('IlE') else '')


def bodies(source):
    """The text of each kernel, without comments and strings, by its name."""
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', ' ', source, flags=re.S)
    out = {}
    for m in re.finditer(r'__global__[^{;]*?\b(\w+)\s*\((?=[^{;]*\)\s*\{)', text):
        at = text.index('{', m.end())
        depth, end = 1, at + 1
        while depth and end < len(text):
            depth += {'{': 1, '}': -1}.get(text[end], 0)
            end += 1
        out[m.group(1)] = text[at:end]
    return out


def resources(log, ptx, source):
    """Registers, spilled bytes, shared bytes and divisions of each kernel, from what ptxas and nvcc wrote."""
    out = {}
    for part in log.split('Compiling entry function ')[1:]:
        name = plain(re.match(r"'([^']+)'", part).group(1))
        number = lambda pattern: int((re.search(pattern, part) or [0, 0])[1])
        out[name] = {'registers': number(r'Used (\d+) registers'), 'shared': number(r'(\d+) bytes smem'),
                     'spilled': number(r'(\d+) bytes spill stores') + number(r'(\d+) bytes spill loads'), 'divisions': 0}
    for part in re.split(r'^\.visible \.entry |^\.entry ', ptx, flags=re.M)[1:]:
        name = plain(re.match(r'[\w$]+', part).group(0))
        if name in out:
            out[name]['divisions'] += len(DIVISION.findall(part))
    written = bodies(source)
    for name, r in out.items():
        plain_name = name.split('<')[0]
        r['added'] = r['divisions'] if plain_name in written and not DIVIDES.search(written[plain_name]) else 0
    return out


def compiled(nvcc, folder, path, arch, keep):
    """What ptxas prints about a source, or an exception with what nvcc says."""
    command = [nvcc, '-std=c++20', '-O3', '--extended-lambda', '--expt-relaxed-constexpr', '-fmad=false', f'-arch={arch}', '-Werror',
               'all-warnings', '-Iinclude', '-Iruntime-headers', '-Xptxas=-v', '-c', path, '-o', os.path.join(keep, 'object.o')]
    if arch == ARCH:
        command += ['--keep', '--keep-dir', keep]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f'{path} for {arch}: {done.stdout[-1500:]}')
    return done.stdout


def check(o, nvcc, name):
    """Of one program: its kernels, and what is wrong; None for a program of the host."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([o.sdfgc, 'emit', os.path.join(o.folder, name, 'program.sdfg'), '--target', 'cuda', '-o', out],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            return {}, [done.stdout]
        sources = os.path.join(out, 'src/cuda')
        if not os.path.isdir(sources):
            return None, []
        kernels, wrong = {}, []
        for file in sorted(f for f in os.listdir(sources) if f.endswith('.cu') and not f.endswith('_loops.cu')):
            try:
                for arch in [ARCH, *o.further]:
                    with tempfile.TemporaryDirectory() as keep:
                        log = compiled(nvcc, out, os.path.join('src/cuda', file), arch, keep)
                        if arch == ARCH:
                            ptx = ''.join(open(os.path.join(keep, f)).read() for f in sorted(os.listdir(keep)) if f.endswith('.ptx'))
                            kernels.update(resources(log, ptx, open(os.path.join(sources, file)).read()))
            except RuntimeError as e:
                wrong.append(str(e))
        return kernels, wrong


def line_of(key, r):
    return f'{key} | registers: {r["registers"]} | spilled: {r["spilled"]} | shared: {r["shared"]} | divisions: {r["divisions"]}'


def faults(key, r, expected):
    """What is wrong with a kernel, given the line of the list for it, if there is one."""
    out = []
    if r['added']:
        out.append(f'{r["added"]} divisions of 64 bits that its source does not have')
    if expected is None:
        return out + ['not in the list']
    was = {k: int(v) for k, v in re.findall(r'(\w+): (\d+)', expected)}
    if 4 * r['registers'] > 5 * was['registers']:
        out.append(f'{r["registers"]} registers, {was["registers"]} before')
    out += [f'{k}: {r[k]}, {was[k]} before' for k in ('spilled', 'shared', 'divisions') if r[k] > was[k]]
    return out


def read_list(path):
    """The lines of comments, and the others by kernel."""
    header, lines = [], {}
    if os.path.exists(path):
        with open(path) as f:
            for line in f.read().splitlines():
                if line.startswith('#') or not line:
                    header.append(line)
                else:
                    lines[line.split(' |')[0]] = line
    return header, lines


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--sdfgc', default=os.path.join(here, '../../build/bin/sdfgc'))
    p.add_argument('--update', action='store_true')
    p.add_argument('--further', type=lambda text: text.split(','), default=[], metavar='ARCH,...')
    p.add_argument('--jobs', type=int, default=os.cpu_count())
    p.add_argument('list')
    p.add_argument('folder')
    p.add_argument('programs', nargs='*')
    o = p.parse_args()
    o.sdfgc = os.path.abspath(o.sdfgc)
    nvcc = shutil.which('nvcc') or '/usr/local/cuda/bin/nvcc'
    if not os.path.exists(nvcc):
        sys.exit('kernel_resources.py: nvcc was not found')
    names = o.programs or sorted(n for n in os.listdir(o.folder) if os.path.exists(os.path.join(o.folder, n, 'program.sdfg')))
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        found = dict(zip(names, pool.map(lambda n: check(o, nvcc, n), names)))
    header, expected = read_list(o.list)
    lines = {key: line for key, line in expected.items() if key.split('.')[0] not in found}
    failed = 0
    for name, (kernels, wrong) in found.items():
        for kernel, r in sorted((kernels or {}).items()):
            key = f'{name}.{kernel}'
            lines[key] = line_of(key, r)
            wrong += [f'{kernel}: {text}' for text in faults(key, r, lines[key] if o.update else expected.get(key))]
        for text in wrong:
            print(f'regressed: {name}: {text}')
        failed += bool(wrong)
    if o.update:
        with open(o.list, 'w') as f:
            f.write('\n'.join(header + sorted(lines.values())) + '\n')
    print(f'{len(found) - failed} passed, {failed} failed')
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())

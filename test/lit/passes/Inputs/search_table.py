"""Checks graphs with one loop in question each: does split-searches split it, and does the program keep its results, bit by bit?

    search_table.py SDFGC FOLDER OUT

Each file NAME.sdfgt of FOLDER begins with `# KIND LABEL: why`. A `split` loop with that label becomes a map over its parts, a `kept` one does
not. The interpreter runs the program before and after the passes up to split-searches on arguments with ties, NaNs and zeros of both signs,
in parts of few iterations, for several sizes: too small for an iteration, for several parts, and large. Of a kept loop, one is enough.
"""
import os
import random
import re
import struct
import subprocess
import sys

SIZES = (1, 2, 5, 9, 40, 100)
WORK = 'split-searches.work=0'  # parts of any size
REALS = (float('nan'), float('-inf'), float('inf'), 0.0, -0.0, 1.0, 1.0, 2.0, -3.0)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def save(path, kind, shape, values):
    """Writes an array in NumPy's format."""
    header = str({'descr': {'int64': '<i8', 'int32': '<i4', 'float64': '<f8'}[kind], 'fortran_order': False, 'shape': shape})
    header = (header + ' ' * (-(len(header) + 11) % 64) + '\n').encode()
    with open(path, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header)
        f.write(struct.pack('<%d%s' % (len(values), {'int64': 'q', 'int32': 'i', 'float64': 'd'}[kind]), *values))


def arguments(text, folder, size, seed):
    """Writes the arguments of a graph, and returns options of the command line for them, and files for results."""
    source, options, results = random.Random(100 * seed + size), ['--arg', f'N={size}'], {}
    hits = seed % 3  # how many values are remarkable
    for name, kind, dims in re.findall(r'^  argument (\w+): (\w+)\[(.*?)\]', text, re.M):
        shape = tuple(size if d == 'N' else int(d) for d in dims.split(', '))
        count = 1
        for extent in shape:
            count *= extent
        if kind != 'float64':
            values = [source.randrange(0, 5) if source.randrange(4) < hits + 1 else 1 for _ in range(count)]
        else:
            values = [source.choice(REALS) if source.randrange(3) <= hits else 0.5 for _ in range(count)]
        if name == 'K':  # indices
            values = [source.randrange(size) for _ in range(count)]
        path = os.path.join(folder, f'{name}.npy')
        save(path, kind, shape, values)
        results[name] = os.path.join(folder, f'{name}.out.npy')
        options += ['--arg', f'{name}={path}', '--out', f'{name}={results[name]}']
    return options, results


def check(sdfgc, path, out):
    text = open(path).read()
    m = re.match(r'# (split|kept) (\w+): ', text)
    if not m:
        return 'its first line is not `# KIND LABEL: why`'
    kind, label = m.groups()
    os.makedirs(out, exist_ok=True)
    after = os.path.join(out, 'after.sdfgt')
    status, _, errors = run(sdfgc, 'opt', path, '-O2', '--stop-after', 'split-searches', '--pass-option', WORK, '-q', '-o', after)
    if status:
        return errors
    is_split = bool(re.search(rf'^ *map {label}\[{label}_part = .*\(CPU_Multicore', open(after).read(), re.M))
    if is_split != (kind == 'split'):
        return 'is split' if is_split else 'is not split'
    for seed in range(1, 4 if is_split else 2):
        for size in SIZES if is_split else SIZES[-1:]:
            found = []
            for program in (path, after):
                options, results = arguments(text, out, size, seed)
                status, _, errors = run(sdfgc, 'run', '--interpret', program, '-q', *options)
                if status:
                    return f'{os.path.basename(program)}, {size} elements: {errors}'
                found.append({name: open(file, 'rb').read() for name, file in results.items()})
            wrong = [name for name in found[0] if found[0][name] != found[1][name]]
            if wrong:
                return f'{", ".join(wrong)} of {size} elements (seed {seed}) differ from those of the loop'
    return ''


def main():
    sdfgc, folder, out = sys.argv[1:]
    failures = 0
    for name in sorted(os.listdir(folder)):
        wrong = check(sdfgc, os.path.join(folder, name), os.path.join(out, name))
        failures += bool(wrong)
        print(f'{name}: {wrong or "as expected"}')
    print(f'{failures} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())

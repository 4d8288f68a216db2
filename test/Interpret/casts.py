#!/usr/bin/python3
"""What is known of an integer, its sign above all, does not survive a conversion that can change it.

    casts.py SDFGC FOLDER

Quotients, remainders, comparisons and powers over all pairs of integer types, of extreme values, converted and not: the interpreter of the
graph, the interpreter of the schedule tree and the compiled program agree in every element.
"""
import os
import subprocess
import sys

import numpy

TYPES = ('bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64')
LENGTH = 14


def values(name):
    if name == 'bool':
        return numpy.arange(LENGTH) % 2 == 1
    limits = numpy.iinfo(name)
    most, least = int(limits.max), int(limits.min)
    below = [-1, -2, -3, -7, -100] if least else [most // 2, most // 2 + 1, most // 2 + 2, most // 2 + 3, most - 2]
    return numpy.array([1, 2, 3, 7, 100, 5, most, most - 1, least, *below], dtype=name)


# `a` is of one type, T(a) converted to another.
CONVERTED = ('T(a) // 3', 'T(a) % 4', 'T(a) // 3 - 7 < 0', 'T(a) // -3', '(T(a) >> 1) % 5', '(T(a) & 255) // 3', 'max(T(a), 2) % 5',
             'min(T(a), 100) % 5', '(T(a) if T(a) > 5 else 3) % 7', 'T(a) < 0', 'T(a) / 2 < 0', '5 % max(T(a), 3)', '3 ** T(2)',
             '(T(a) // 3) % 7', '((a & 3) << 30) % 7')
# `b` is of another type. A remainder with a sign shows the type of the quotient.
PAIRS = ('a // b', 'a % b', 'a < b', 'a <= b', 'a == b', 'min(a, b) // 3', 'max(a, b) % 7', '(a & b) % 5', '(a | b) // 7',
         '-((a // b) % 7) % 5', '(a % b) // 3', 'a // b < a % b')


def divisors(name):
    found = values(name)
    found[found == 0] = 1
    return found


def tasklet(name, target, inputs, expressions):
    lines = [f'      {name} with {inputs}; r -> {target}[i, 0:{len(expressions)}] {{']
    return lines + [f'        r[{k}] = {e}' for k, e in enumerate(expressions)] + ['      }']


def program():
    pairs = [(f, t) for f in TYPES for t in TYPES]
    lines = ['sdfg casts {', *(f'  argument {t}_{d}: {t}[{LENGTH}]' for t in TYPES for d in ('', 'd')),
             *(f'  argument C_{f}_{t}: int64[{LENGTH}, {len(CONVERTED)}]' for f, t in pairs),
             *(f'  argument P_{f}_{t}: int64[{LENGTH}, {len(PAIRS)}]' for f, t in pairs),
             f'  argument E: int64[{len(pairs)}, 4]']
    for f, t in pairs:
        reads = f'<- {f}_[0:{LENGTH}], <- {t}_d[0:{LENGTH}]'
        lines += [f'  state s_{f}_{t} {{', f'    map m[i = 0:{LENGTH}] with {reads}; -> C_{f}_{t}[0:{LENGTH}, 0:{len(CONVERTED)}], '
                  f'-> P_{f}_{t}[0:{LENGTH}, 0:{len(PAIRS)}] {{']
        lines += tasklet('c', f'C_{f}_{t}', f'a <- {f}_[i]', [e.replace('T(', f'dace.{t}(') for e in CONVERTED])
        lines += tasklet('p', f'P_{f}_{t}', f'a <- {f}_[i], b <- {t}_d[i]', PAIRS)
        lines += ['    }', '  }']
    for k, (f, t) in enumerate(pairs):
        at = 13 if 'u' in f else 10
        lines += [f'  q{k} = dace.{t}({f}_[{at}]) / 3', f'  d{k} = dace.{t}({f}_[{at}]) // 2', f'  m{k} = dace.{t}({f}_[{at}]) % 4',
                  f'  r{k} = {f}_[{at}] / {t}_d[3]', f'  state e{k} {{', f'    w with r -> E[{k}, 0:4] {{']
        lines += [f'      r[{n}] = {s}{k}' for n, s in enumerate('qdmr')] + ['    }', '  }']
    return '\n'.join(lines + ['}', ''])


def run(sdfgc, path, folder, options):
    os.makedirs(folder, exist_ok=True)
    names = ['E'] + [f'{k}_{f}_{t}' for k in 'CP' for f in TYPES for t in TYPES]
    command = [sdfgc, 'run', path, *options]
    for t in TYPES:
        for name in (f'{t}_', f'{t}_d'):
            command += ['--arg', f'{name}={os.path.join(os.path.dirname(path), name)}.npy']
    for n in names:
        command += ['--arg', f'{n}=zeros', '--out', f'{n}={os.path.join(folder, n)}.npy']
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{folder}: {done.stderr}')
    return {n: numpy.load(os.path.join(folder, n + '.npy')) for n in names}


def differences(name, expected, found):
    what = {'C': CONVERTED, 'P': PAIRS}.get(name[0], 'qdmr')
    for at in zip(*numpy.nonzero(expected != found)):
        yield f'{name}{[int(k) for k in at]} {what[at[1]]}: {expected[at]} interpreted, {found[at]}'


def main():
    sdfgc, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, 'casts.sdfgt')
    with open(path, 'w') as file:
        file.write(program())
    for t in TYPES:
        numpy.save(os.path.join(folder, t + '_.npy'), values(t))
        numpy.save(os.path.join(folder, t + '_d.npy'), divisors(t))
    expected = run(sdfgc, path, os.path.join(folder, 'graph'), ['--interpret'])
    failed = 0
    for kind, options in (('tree', ['--interpret', '--tree']), ('compiled', ['-o', os.path.join(folder, 'build')])):
        found = run(sdfgc, path, os.path.join(folder, kind), options)
        for name in expected:
            for line in differences(name, expected[name], found[name]):
                failed += 1
                if failed <= 40:
                    print(f'{kind}: {line}')
    print(f'{failed} elements differ' if failed else 'agree')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

"""Programs that are built again while this process has them loaded: the next object of the class runs the new library, whichever way
the module finds it. reload.py SDFGC FOLDER"""
import importlib
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np

SDFGC, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
GRAPH = '''sdfg again {
  symbol N: int64
  argument A: float64[N]
  argument B: float64[N]
  state s {
    map m[i = 0:N]SCHEDULE with <- A[0:N]; -> B[0:N] {
      t: b = CODE  with a <- A[i]; b -> B[i]
    }
  }
}'''
ON_DEVICE = ['--target', 'cuda', '--emulate', '--cflags', '-O1']


def build(code, folder, options=(), schedule=''):
    graph = FOLDER / 'again.sdfgt'
    graph.write_text(GRAPH.replace('CODE', code).replace('SCHEDULE', schedule))
    subprocess.run([SDFGC, 'build', graph, '-o', folder, '--quiet', *options], check=True)


def module(folder):
    """The module of a build folder, as an `import` in a new cell of a notebook reads it."""
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        sys.modules.pop('again', None)
        return importlib.import_module('again')
    finally:
        sys.path.pop(0)


def result(again, *arguments):
    A, B = np.arange(3.0), np.zeros(3)
    with again.Program(*arguments) as program:
        program(A=A, B=B)
    return B.tolist()


def check(what, got, expected):
    if got != expected:
        raise SystemExit(f'FAILED: {what}: {got}, but {expected} is right')


def in_place(name, options, schedule=''):
    """Builds into one folder, with the same module and with one that is read anew."""
    folder = FOLDER / name
    build('a * 2', folder, options, schedule)
    first = module(folder / 'python')
    old = first.Program()
    check(f'{name}, first build', result(first), [0, 2, 4])
    build('a * 3', folder, options, schedule)
    check(f'{name}, same module', result(first), [0, 3, 6])
    check(f'{name}, new module', result(module(folder / 'python')), [0, 3, 6])
    A, B = np.arange(3.0), np.zeros(3)
    old(A=A, B=B)
    check(f'{name}, an object from before', B.tolist(), [0, 2, 4])
    build('a * 2', folder, options, schedule)
    check(f'{name}, as it was', result(first), [0, 2, 4])
    for factor in range(4, 8):
        build(f'a * {factor}', folder, options, schedule)
        check(f'{name}, factor {factor}', result(first), [0, factor, 2 * factor])


def beside():
    """The library lies beside the module, or where a variable says; a new one arrives by a rename, as programs that install do."""
    place = FOLDER / 'beside'
    place.mkdir()
    for code, expected in (('a + 1', [1, 2, 3]), ('a + 2', [2, 3, 4])):
        build(code, FOLDER / 'elsewhere', ['--cflags', '-O0'])
        shutil.copy(FOLDER / 'elsewhere/python/again.py', place)
        shutil.copy(FOLDER / 'elsewhere/lib/libagain.so', place / 'new')
        os.rename(place / 'new', place / 'libagain.so')
        check('beside the module', result(module(place)), expected)
        os.environ['SDFGC_LIBRARY_again'] = str(FOLDER / 'elsewhere/lib/libagain.so')
        check('by the variable', result(module(place)), expected)
        del os.environ['SDFGC_LIBRARY_again']
        check('by argument', result(module(place), place / 'libagain.so'), expected)


def overwritten():
    """Written over in place, the code of a loaded library changes under its feet: that is refused."""
    place = FOLDER / 'over'
    build('a - 1', FOLDER / 'elsewhere', ['--cflags', '-O0'])
    library = FOLDER / 'libover.so'
    shutil.copy(FOLDER / 'elsewhere/lib/libagain.so', library)
    again = module(FOLDER / 'elsewhere/python')
    check('before it is overwritten', result(again, library), [-1, 0, 1])
    with open(library, 'ab') as file:
        file.write(b'more')
    try:
        again.Program(library)
    except again.Error as error:
        assert error.code == 4 and 'was overwritten' in str(error), error
    else:
        raise SystemExit('FAILED: a library that was overwritten in place is loaded')


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
in_place('sequential', ['--cflags', '-O0'], ' (Sequential)')
in_place('openmp', ['--cflags', '-O0'])  # with a library that cannot be unloaded
in_place('device', ON_DEVICE)
beside()
overwritten()
print('every build is the one that runs')

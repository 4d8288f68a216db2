"""Calls the gradient of x = reversed(sin(x) * cos(x * a)), T times, by handles that are used again: on streams of the caller, with tapes of
several sizes, and after calls for which there was too little memory. GRAPHS STREAMS: in every way (graph_matrix.py).

    gradient_handles.py GRAPHS STREAMS            `host` and `device`: who counts the T times
    gradient_handles.py FOLDER too-large NAMES    NAMES in FOLDER, on a device of 1 MiB (SDFGC_EMULATE_MEMORY) or on the host
"""
import ctypes
import os
import sys
from glob import glob

import numpy as np

import graph_matrix
from graph_matrix import Region

N = 50
SIZES = (2, N), (5, N), (2, N), (0, N), (8, 3 * N), (1, N), (5, 3), (0, 0)  # iterations and elements
LAUNCHES = 5 * 3 + 2 * sum(times for times, _ in SIZES)  # of a graph in a loop


def by_hand(x, a, seed, times):
    tape = [x]
    for _ in range(times):
        x = (np.sin(x) * np.cos(x * a))[::-1]
        tape.append(x)
    gradient_a = np.zeros_like(a)
    for x in reversed(tape[:-1]):
        seed = seed[::-1]
        gradient_a -= seed * np.sin(x) * np.sin(x * a) * x
        seed = seed * (np.cos(x) * np.cos(x * a) - np.sin(x) * np.sin(x * a) * a)
    return tape[-1], seed, gradient_a


def call(program, times, n=N):
    x, a, seed = np.linspace(0.5, 1, n), np.linspace(0.25, 1.5, n), np.linspace(1, 2, n)
    expected = by_hand(x, a, seed, times)
    found = x.copy(), seed.copy(), np.zeros(n)
    program(x=found[0], a=a, gradient_x=found[1], gradient_a=found[2], N=n, T=times)
    for result, right in zip(found, expected):
        assert np.allclose(result, right, rtol=1e-11, atol=1e-13), (times, n, result, right)
    return found


def library(program):
    file, = glob(os.path.join(os.path.dirname(sys.modules[type(program).__module__].__file__), '..', 'lib', 'lib*.so'))
    return ctypes.CDLL(file)


def on_streams_of_the_caller(program):
    """All work on one stream, then each stream of the program on one of its own, at last on the default stream."""
    lib = library(program)
    lib.new_stream.restype, lib.drop_stream.argtypes, lib.drop_stream.restype = ctypes.c_void_p, [ctypes.c_void_p], ctypes.c_bool
    results = [call(program, 3)]
    callers = [lib.new_stream() for _ in range(2)]
    program.set_stream(callers[0])
    results.append(call(program, 3))
    try:
        for index in range(100):
            if index == len(callers):
                callers.append(lib.new_stream())
            program.set_stream(callers[index], index)
    except ValueError:
        assert index > 2, index
    results.append(call(program, 3))
    program.set_stream(None)
    results.append(call(program, 3))
    assert all(map(lib.drop_stream, callers))
    results.append(call(program, 3))
    for found in results[1:]:
        for one, other in zip(found, results[0]):
            assert one.tobytes() == other.tobytes()
    return results[0]


def sizes_in_turn(program):
    """Tapes of this handle, and of one for each call."""
    results = []
    made = library(program).sdfgc_emulation_resources
    for again in range(2):
        for times, n in SIZES:
            results += call(program, times, n)
            if again == 0:
                with type(program)() as fresh:
                    for one, other in zip(call(fresh, times, n), results[-3:]):
                        assert one.tobytes() == other.tobytes(), (times, n)
        if again == 0:
            resources = made()
    assert made() == resources, 'what was there before has made something'
    return results


def works(program):
    return [*on_streams_of_the_caller(program), *sizes_in_turn(program)]


def too_large(folder, names):
    """Calls that fail for want of memory, and a call of the same handle after each of them, which is right."""
    for name in names:
        module = graph_matrix.load(folder, name)
        with module.Program() as program:
            call(program, 2)
            for times in (2 ** 62, 2 ** 57, 2 ** 40, *((10000,) if module.INTERFACE['gpu'] else ())):
                arrays = [np.ones(N) for _ in range(4)]
                try:
                    program(**dict(zip(('x', 'a', 'gradient_x', 'gradient_a'), arrays)), N=N, T=times)
                    print(f'{name}: T = {times}: no error')
                except module.Error as error:
                    print(f'{name}: T = {times}: {error.code}: {error}')
                assert all((array == 1).all() for array in arrays)
                for few in (3, 0, 5):
                    call(program, few)
        print(f'{name}: right after each of them')


if __name__ == '__main__':
    if sys.argv[2] == 'too-large':
        too_large(sys.argv[1], sys.argv[3:])
    else:
        graph_matrix.run({
            'host': (works, {'graph_step': Region(nodes=2, launches=LAUNCHES, updates=LAUNCHES + 6),
                             'graph_step_reversed': Region(nodes=4, launches=LAUNCHES, updates=3 * LAUNCHES + 4)}),
            'device': (works, {'graph_arm_loop': Region(nodes=5, launches=21, builds=2, updates=43, iterations=0),
                               'graph_arm_loop_reversed': Region(nodes=5, launches=21, builds=2, updates=45, iterations=0)}),
        })

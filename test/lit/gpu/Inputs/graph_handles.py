"""Calls the program `steps` by three handles, first in turn, then two of them in threads of their own, in every way (graph_matrix.py):
each has graphs and counters of its own. GRAPHS STREAMS."""
from threading import Thread

import numpy as np

import graph_matrix
from graph_matrix import Region


def call(program, device, n, times):
    """With size n: what the caller gave is the same each time, but for A, which the graph does not know."""
    for _ in range(times):
        a = np.full(n, 3.0)
        program(A=a, D=device, N=n, f=2.0)
        assert (a == 19).all() and (device.get() == 19).all()


def steps(program):
    sizes = {300: program, 250: type(program)(), 513: type(program)()}
    arrays = {n: program.to_device(np.ones(n)) for n in sizes}
    for _ in range(2):
        for n, handle in sizes.items():
            call(handle, arrays[n], n, 1)
    threads = [Thread(target=call, args=(sizes[n], arrays[n], n, 6)) for n in (250, 513)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    call(program, arrays[300], 300, 6)
    for n in (250, 513):
        assert sizes[n].gpu_graphs() == program.gpu_graphs(), sizes[n].gpu_graphs()
        sizes[n].close()
    return [array.get() for array in arrays.values()]


graph_matrix.run({'steps': (steps, {'graph_copy_in_1': Region(nodes=4, launches=8)})})

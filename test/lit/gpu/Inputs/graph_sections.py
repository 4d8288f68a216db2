"""Calls the program `sections` in every way (graph_matrix.py): GRAPHS STREAMS."""
import numpy as np

import graph_matrix
from graph_matrix import CALLS, Region


def sections(program):
    a, b = program.to_device(np.arange(300.0)), program.to_device(np.zeros(300))
    for call in range(CALLS):
        before = a.get()
        program(A=a, B=b, N=300)
        filled = np.append(np.full(299, 3.0), before[-1])
        assert np.array_equal(a.get(), filled), a.get()
        assert np.array_equal(b.get(), filled + 10 * (before + 1)), b.get()
    return [a.get(), b.get()]


def never(program):
    """In front of the first element, and behind the last one, nothing changes."""
    a, b = program.to_device(np.arange(9.0)), program.to_device(np.zeros(9))
    expected = np.arange(9.0)
    for call in range(CALLS):
        program(A=a, B=b, N=9)
        behind = expected + 1
        expected[1:] = 3 * behind[:-1]
        assert np.array_equal(a.get(), expected) and np.array_equal(b.get(), behind), (a.get(), b.get())
    return [a.get(), b.get()]


def loop(program):
    """Sections in a loop of the host, of three iterations."""
    a, b = np.arange(300.0), np.zeros(300)
    device = program.to_device(a), program.to_device(b)
    for call in range(CALLS):
        for k in range(3):
            a += k
            b += a[::-1]
        program(A=device[0], B=device[1], N=300)
    assert np.array_equal(device[0].get(), a) and np.array_equal(device[1].get(), b)
    return [a.get() for a in device]


def triangle(program):
    """The grid and the place of a copy depend on the variable of a loop of the host; without an element there is not a kernel."""
    n = 4
    a, b = program.to_device(np.zeros(n)), program.to_device(np.zeros((n, n)))
    for _ in range(CALLS):
        program(A=a, B=b, N=n)
    expected = CALLS * np.arange(n - 1, -1, -1.0)
    assert np.array_equal(a.get(), expected) and np.array_equal(b.get()[-1], expected), (a.get(), b.get())
    return [a.get(), b.get()]


graph_matrix.run({
    'sections': (sections, {'graph_first': Region(nodes=3)}),
    'never': (never, {'graph_first': Region(nodes=2)}),
    'unrolled': (loop, {'graph_left': Region(nodes=2, launches=9, updates=8)}),
    # Of the four launches of a call the first one has a copy only; from one to the next of the others, both nodes change.
    'triangle': (triangle, {'graph_body': Region(nodes=2, launches=CALLS * 4, builds=2, updates=4 + 6 + 6)}),
})

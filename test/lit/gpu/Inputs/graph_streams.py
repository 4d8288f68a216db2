"""Calls the program `overlap`, whose regions run on two streams, or on one, then on streams of the caller, in every way (graph_matrix.py):
GRAPHS STREAMS."""
import numpy as np

import graph_matrix
from graph_exports import Streams
from graph_matrix import Region


def call(program, n, f):
    a, b, c = np.arange(float(n)), np.arange(float(n))[::-1] % 7, np.zeros((3, n))
    left, right = (f * a)[::-1] + 1, 2 * (b + f)[::-1]
    program(A=a, B=b, C=c, N=n, f=f)
    for found, right_one in (a, (right + 7) ** 2), (b, right), (c, [3 * left, 5 * left[::-1], left - right]):
        assert np.array_equal(found, right_one), (n, f, found, right_one)
    return [a, b, c]


def overlap(program):
    """Three calls on the program's streams, of which the second one changes two kernels and the third one all; then calls on one of the
    caller's, on one of the caller's for each of the program's, and on the default stream. No graph is made anew for another stream."""
    results = call(program, 300, 2.0) + call(program, 300, 3.0) + call(program, 1000, 3.0)
    streams = Streams(program)
    program.set_stream(streams.new())
    results += call(program, 1000, 3.0)
    count = 0
    try:
        while True:
            program.set_stream(streams.new(), count)
            count += 1
    except ValueError:
        assert count in (1, 4), count
    results += call(program, 1000, 3.0) + call(program, 1000, 4.0)
    program.set_stream(None)
    streams.close()
    return results + call(program, 1000, 4.0) + call(program, 300, 2.0)


# The factor is an argument of the first kernel on the left and on the right.
COUNTS = {
    'graph_left': Region(nodes=2, launches=8, updates=1 + 2 + 1 + 2),
    'graph_right': Region(nodes=2, launches=8, updates=1 + 2 + 1 + 2),
    'graph_again': Region(nodes=2, launches=8, updates=2 + 2),
}
graph_matrix.run({'many': (overlap, COUNTS), 'one': (overlap, COUNTS)})

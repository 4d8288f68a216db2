"""Programs of a few maps that the benchmarks measure, on the host and on devices: the blocks of their graphs, given the shapes of their
arrays and the schedule of their maps."""
import graphs as g

SUM = 'lambda a, b: a + b'
VECTORS = {'x': ('N',), 'y': ('N',)}
SQUARES = {name: ('N', 'N') for name in 'ABC'}
ROWS = {'i': (0, 'N - 1'), 'j': (0, 'N - 1')}


def axpy(schedule='Default'):
    return [g.map_state('axpy', {'i': (0, 'N - 1')}, {'a': ('x', 'i'), 'b': ('y', 'i')}, {'c': ('y', 'i')}, 'c = 2.5 * a + b', VECTORS,
                        schedule=schedule)]


def jacobi2d(schedule='Default'):
    def step(source, target):
        reads = {'c': (source, 'i', 'j'), 'n': (source, 'i - 1', 'j'), 's': (source, 'i + 1', 'j'), 'w': (source, 'i', 'j - 1'),
                 'e': (source, 'i', 'j + 1')}
        return g.map_state(f'to_{target}', {'i': (1, 'N - 2'), 'j': (1, 'N - 2')}, reads, {'o': (target, 'i', 'j')},
                           'o = 0.2 * (c + n + s + w + e)', SQUARES, schedule=schedule)

    return [g.loop('time', 't', 10, [step('A', 'B'), step('B', 'A')])]


def gemm(order, schedule='Default'):
    """`order`: of the three loops, 'ikj' for example."""
    zero = g.map_state('zero', ROWS, {}, {'o': ('C', 'i', 'j')}, 'o = 0', SQUARES, schedule=schedule)
    product = g.map_state('gemm', {p: (0, 'N - 1') for p in order}, {'a': ('A', 'i', 'k'), 'b': ('B', 'k', 'j')}, {'c': ('C', 'i', 'j')},
                          'c = a * b', SQUARES, wcr=SUM, schedule=schedule)
    return [zero, product]


def transpose(schedule='Default'):
    return [g.map_state('transpose', ROWS, {'a': ('A', 'i', 'j')}, {'b': ('B', 'j', 'i')}, 'b = a', SQUARES, schedule=schedule)]


def total(shapes, reads, text, schedule='Default'):
    """`s` is the sum of what a tasklet makes of elements of vectors."""
    zero = g.map_state('zero', {'i': (0, 0)}, {}, {'o': ('s', '0')}, 'o = 0', shapes, schedule=schedule)
    add = g.map_state('add', {'i': (0, 'N - 1')}, reads, {'o': ('s', '0')}, text, shapes, wcr=SUM, schedule=schedule)
    return [zero, add]

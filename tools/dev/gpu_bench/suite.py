"""The programs of `bench_gpu.py programs`: programs/NAME.sdfgt, a graph as a front end writes it for a CPU, and by_hand/NAME.cu, the same
by hand. The declarations of a graph say what its arguments are; here are sizes, scalars, and inputs that are not just random."""
import os
import re
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {'float32': np.float32, 'float64': np.float64, 'complex128': np.complex128, 'int32': np.int32, 'int64': np.int64}


@dataclass
class Beside:
    """`large`, `small`: sizes for a device and for the emulated one. `scalars`: numbers, from sizes. `fill`: functions of a random generator,
    sizes and a shape, for arrays that are not random numbers from 0 to 1. `differing`: the part of the elements of a result that may differ,
    where rounding decides which way a point goes; only on a device."""
    name: str
    large: dict
    small: dict
    results: str
    scalars: Callable = lambda s: {}
    fill: dict = field(default_factory=dict)
    differing: float = 0
    library: str = ''  # what the program by hand calls: `gpublas`, `gpufft`

    @property
    def graph(self):
        return os.path.join(HERE, 'programs', self.name + '.sdfgt')

    @property
    def source(self):
        return os.path.join(HERE, 'by_hand', 'libraries' if self.library else '', self.name + '.cu')

    def sizes(self, emulated):
        return self.small if emulated else self.large

    def arrays(self, sizes):
        """{name: (type, shape)} of the arrays among the arguments, in the order of a call: by name."""
        with open(self.graph, encoding='utf-8') as f:
            declared = re.findall(r'^  argument (\w+): (\w+)\[(.*)\]', f.read(), re.M)
        return {name: (TYPES[kind], tuple(eval(size, dict(sizes)) for size in shape.split(','))) for name, kind, shape in sorted(declared)}

    def scalar_types(self):
        with open(self.graph, encoding='utf-8') as f:
            return dict(re.findall(r'^  argument (\w+): (\w+)$', f.read(), re.M))

    def numbers(self, sizes):
        """Sizes and scalars with their types, by name."""
        scalars = {name: (kind, self.scalars(sizes)[name]) for name, kind in self.scalar_types().items()}
        return dict(sorted({**{name: ('int64', size) for name, size in sizes.items()}, **scalars}.items()))

    def data(self, sizes):
        """The arguments before a call."""
        random, data = np.random.default_rng(1), {}
        for name, (kind, shape) in self.arrays(sizes).items():
            if name in self.fill:
                data[name] = np.ascontiguousarray(self.fill[name](random, sizes, shape), kind)
            elif kind in (np.int32, np.int64):
                data[name] = np.zeros(shape, kind)
            else:
                data[name] = random.random(shape, np.float32 if kind == np.float32 else np.float64).astype(kind)
        return data


def uniform(low, high):
    return lambda random, sizes, shape: low + (high - low) * random.random(shape)


def integers(end):
    """Integers from 0 to a size, exclusively."""
    return lambda random, sizes, shape: random.integers(0, sizes[end] if isinstance(end, str) else end, shape)


def segments(total):
    """The beginnings of segments that fill an array of the size `total`; some are empty."""
    return lambda random, sizes, shape: np.concatenate([[0], np.sort(random.integers(0, sizes[total] + 1, shape[0] - 2)), [sizes[total]]])


def dominant(random, sizes, shape):
    """Matrices that need no pivoting."""
    return random.random(shape) + 8 * np.eye(8)


def populations(random, sizes, shape):
    weights = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36])
    return weights[:, None, None] * (1 + 0.1 * random.random(shape))


def cavity(s):
    dx, dy = 2 / (s['NX'] - 1), 2 / (s['NY'] - 1)
    return {'dx': dx, 'dy': dy, 'dt': 0.1 / ((s['NX'] - 1) * (s['NY'] - 1)), 'nu': 0.1, 'rho': 1.0}


def constant(**scalars):
    return lambda sizes: scalars


SUITE = [
    # One of each group of NPBench.
    Beside('softmax', dict(N=16, H=16, SM=512), dict(N=1, H=2, SM=40), 'out'),
    Beside('conv2d_bias', dict(N=16, H=256, W=256, C_in=3, C_out=16, K=5), dict(N=2, H=6, W=8, C_in=3, C_out=20, K=3), 'out'),
    Beside('jacobi_2d', dict(N=1400, T=100), dict(N=35, T=3), 'A B'),
    Beside('hdiff', dict(I=256, J=256, K=160), dict(I=4, J=5, K=6), 'out'),
    Beside('vadv', dict(I=256, J=256, K=160), dict(I=3, J=4, K=20), 'utens_stage', constant(dtr=3 / 20)),
    Beside('gesummv', dict(N=8192), dict(N=37), 'out', constant(alpha=1.5, beta=1.2)),
    Beside('covariance', dict(M=3200, N=4000), dict(M=67, N=20), 'cov', library='gpublas'),
    Beside('azimint_naive', dict(N=1000000, NPT=1000), dict(N=300, NPT=7), 'out'),
    Beside('mandelbrot1', dict(XN=1000, YN=1000, MOST=200), dict(XN=17, YN=13, MOST=12), 'L Z',
           constant(xmin=-2.0, xmax=0.5, ymin=-1.25, ymax=1.25, horizon=2.0), differing=1e-3),
    Beside('syrk', dict(M=1000, N=1200), dict(M=20, N=67), 'C', constant(alpha=1.5, beta=0.5)),
    Beside('deriche', dict(W=4096, H=2160), dict(W=37, H=41), 'out', constant(alpha=0.25)),
    Beside('cavity_flow', dict(NX=512, NY=512, NT=20, NIT=50), dict(NX=9, NY=8, NT=3, NIT=3), 'p u v', cavity),
    # Other fields.
    Beside('segmented_sums', dict(N=1 << 26, R=1 << 20), dict(N=900, R=40), 'out', fill={'ptr': segments('N')}),
    Beside('heat_flux', dict(N=400, T=5), dict(N=7, T=2), 'A B', constant(c=0.1)),
    Beside('lbm', dict(NX=2048, NY=2048, T=10), dict(NX=7, NY=6, T=2), 'F G', constant(omega=1.2), {'F': populations}),
    Beside('spmv', dict(M=1 << 20, N=1 << 20, NNZ=27 << 20), dict(M=40, N=30, NNZ=300), 'y',
           fill={'col': integers('N'), 'ptr': segments('NNZ')}),
    Beside('batched_lu', dict(B=1 << 20), dict(B=37), 'A', fill={'A': dominant}),
    Beside('attention', dict(N=8192, M=8192, D=64), dict(N=67, M=35, D=64), 'out'),
    Beside('histogram', dict(N=1 << 26, B=256), dict(N=500, B=16), 'counts', fill={'keys': integers('B')}),
    Beside('prefix_sum', dict(N=1 << 26), dict(N=5000), 'out', fill={'A': integers(100)}),
    Beside('kmeans', dict(N=1 << 22, D=4, K=16), dict(N=300, D=4, K=5), 'C L'),
    Beside('fft', dict(N=1 << 24), dict(N=60), 'y', library='gpufft'),
    Beside('nbody', dict(N=1 << 16), dict(N=270), 'ax ay az', constant(soft=0.01)),
    Beside('black_scholes', dict(N=1 << 24), dict(N=300), 'call put', constant(rate=0.02, volatility=0.3),
           {'price': uniform(5, 30), 'strike': uniform(1, 100), 'years': uniform(0.25, 10)}),
]

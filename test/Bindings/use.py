"""Calls `kinds` through its Python module; prints the same lines as use.c, and tries what must be refused."""
import gc
import sys

import numpy as np

import kinds

N, M, K = 4, 3, 2
A = np.add.outer(10.0 * np.arange(N), np.arange(M))
values = dict(
    A=A, F=np.zeros((N, M), np.float32, order='F'), H=np.ones(N, np.float16), L=np.arange(N) % 2 == 0,
    P=(kinds.Point * K)(*[kinds.Point(x=q, n=q) for q in range(K)]), V=np.arange(4 * K, dtype=np.float32).reshape(K, 4),
    W=np.full(N, 0.5), Z=np.arange(1, N + 1).astype(np.complex128),
    S=kinds.Csr(ptr=np.array([5, 6, 7], np.int32), rows=K, val=np.zeros(K)),
    blend=lambda element, all_: 1000 * element + all_[-1], c=1j, c32=2, flag=True, h=2.0, k=3, x=2.0)
val = values['S']._kept['val']
points = np.frombuffer(values['P'], np.dtype(kinds.Point))
values['P'] = points

with kinds.Program() as program:
    result = program(**values)
    print('external', program.external_memory_size('CPU_Heap'))
    print(f"F {values['F'][0, 1]:g} {values['F'][3, 2]:g}")
    print('H', values['H'].view(np.uint16)[0])
    print(f"L {values['L'][0]:d} {values['L'][1]:d}")
    print(f"P {points[1]['x']:g} {points[1]['n']}")
    print(f"V {values['V'][1, 3]:g}")
    print(f"Z {values['Z'][1].real:g} {values['Z'][1].imag:g}")
    print(f'S {val[0]:g} {val[1]:g}')
    print('result', *[f'{r:g}' for r in result])
    result = program(**dict(values, W=None))
    print(f'without {result[0]:g}')

    def refused(kind, text, **changed):
        try:
            program(**{k: v for k, v in dict(values, **changed).items() if v is not Ellipsis})
        except kind as e:
            assert text in str(e), f'{text!r} is not in {str(e)!r}'
        else:
            sys.exit(f'accepted: {text}')

    refused(TypeError, 'has elements of float32', A=A.astype(np.float32))
    refused(TypeError, 'has elements of >f8', W=values['W'].astype('>f8'))
    refused(TypeError, 'must be an array, not a list', A=A.tolist())
    refused(TypeError, 'must not be None', A=None)
    refused(TypeError, 'the argument flag is missing', flag=...)
    refused(TypeError, 'no argument extra', extra=1)
    refused(TypeError, 'S must be a Csr', S=points)
    refused(TypeError, 'device memory', A=type('OnDevice', (), {'__cuda_array_interface__': {}})())
    refused(ValueError, 'A has the shape (4, 3), but the program takes (N, M) = (4, 5)', M=5, F=np.zeros((4, 5), np.float32, order='F'))
    refused(ValueError, 'A has the strides (1, 4)', A=np.asfortranarray(A))
    refused(ValueError, 'A has the strides (6, 2)', A=np.zeros((4, 6))[:, ::2])
    refused(ValueError, 'has 1 dimensions', A=A.ravel())
    refused(ValueError, 'must have a last dimension of 4', V=np.zeros(8, np.float32))
    refused(ValueError, 'is not aligned', W=np.zeros(8 * N + 1, np.uint8)[1:].view(np.float64))
    frozen = np.ones(N, np.float16)
    frozen.flags.writeable = False
    refused(ValueError, 'H is read-only', H=frozen)
    refused(OverflowError, 'k = 300 does not fit int8', k=300)
    refused(ZeroDivisionError, 'division', blend=lambda element, all_: 1 / 0)

    larger = {n: np.concatenate([v, v]) if n in 'HLWZ' else v for n, v in values.items()}
    larger.update(A=np.zeros((8, 3)), F=np.zeros((8, 3), np.float32, order='F'))
    refused(ValueError, 'was set up with N = 4', **larger)

    bound = program.bind(*[values[n] for n in kinds.ORDER[:9]], **{n: values[n] for n in ('blend', 'c', 'c32', 'flag', 'h', 'k', 'x')})
    assert bound()[0] == bound()[0]

program.close()  # a second time: nothing to do
other = kinds.Program()
try:
    other.external_memory_size('CPU_Heap')
    sys.exit('a query without handle')
except RuntimeError:
    pass
workspace = np.zeros(N)
other.initialize(K=K, M=M, N=N, blend=values['blend'])
other.set_external_memory('CPU_Heap', workspace)
other(**values)
assert np.array_equal(workspace, A[:, 0]), workspace
del other
gc.collect()

"""Tests of the Python package `sdfgc` that need NumPy only. package.py SDFGC OUT; the package is on PYTHONPATH."""
import array
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import unittest
import warnings

import numpy as np

import sdfgc

HERE = pathlib.Path(__file__).resolve().parent
GRAPHS = HERE.parent / 'graphs'
OUT = pathlib.Path(sys.argv[2])

SCALE = '''sdfg scale(A, factor, k) {
  symbol N: int64
  argument factor: float64
  argument k: int8
  argument A: float64[N]
  argument __return: float64[N]
  state s {
    map m[i = 0:N] with <- A[0:N], <- factor, <- k; -> __return[0:N] {
      t: o = a * f + c  with a <- A[i], f <- factor, c <- k; o -> __return[i]
    }
  }
}'''
AFFINE = '''sdfg affine {
  symbol N, M: int64
  argument A: float64[2 * N + 1, M]
  argument B: float64[N, M - N] (optional)
  argument C: int64[1]
  state s {
    t: o = 1000 * N + M  with o -> C[0]
  }
}'''
TUPLE = '''sdfg pair {
  symbol N: int64
  argument A: float64[N]
  argument __return_0: float64[N]
  argument __return_1: float64[1]
  state s {
    map m[i = 0:N] with <- A[0:N]; -> __return_0[0:N] {
      t: o = a + 1  with a <- A[i]; o -> __return_0[i]
    }
    u: o = b  with b <- A[0]; o -> __return_1[0]
  }
}'''
PROBED = '''sdfg probed {
  argument A: float64[2]
  argument B: float64[2]
  state s {
    m: o = a + 1  with a <- A[1]; o -> B[1]
    access @A (instrument = %s)
  }
}'''
WRONG = '''sdfg wrong (at "%s":3-4) {
  symbol N: int64
  argument A: float64[N]
  argument B: float64[N]
  state s {
    map m[i = 0:N] with <- A[0:N]; -> B[0:N] {
      t (at "%s":4:5): o = a +  with a <- A[i]; o -> B[i]
    }
  }
}'''


def graph(text, name=None):
    name = name or re.match(r'sdfg (\w+)', text).group(1)
    path = OUT / f'{name}.sdfgt'
    path.write_text(text)
    return path


def compiled(text, **options):
    return sdfgc.compile(graph(text), cflags='-O0', **options)


class Foreign:
    """An array of another library, which only knows one protocol."""

    def __init__(self, memory, *protocols):
        for name in protocols:
            setattr(self, name, getattr(memory, name))


class DLPack:
    def __init__(self, memory):
        self.memory = memory

    def __dlpack__(self, **options):
        return self.memory.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.memory.__dlpack_device__()


class Aborts:
    """Ends the process that unpickles it."""

    def __reduce__(self):
        return os.abort, ()


class Commands(unittest.TestCase):
    def test_finds_command(self):
        self.assertEqual(sdfgc.command(), os.environ['SDFGC'])
        self.assertEqual(sdfgc.command('/bin/true'), '/bin/true')
        self.assertRegex(sdfgc.version(), r'^sdfgc \d')
        with self.assertRaisesRegex(FileNotFoundError, 'argument `sdfgc` names /nowhere'):
            sdfgc.command('/nowhere')
        code = 'import sdfgc; print(sdfgc.command())'
        prefix = OUT / 'prefix'
        package = prefix / 'lib/python3/dist-packages'
        shutil.rmtree(prefix, ignore_errors=True)
        shutil.copytree(pathlib.Path(sdfgc.__file__).parent, package / 'sdfgc')
        (prefix / 'bin').mkdir()
        (prefix / 'bin/sdfgc').symlink_to(os.environ['SDFGC'])
        env = {k: v for k, v in os.environ.items() if k != 'SDFGC'}
        found = subprocess.run([sys.executable, '-c', code], env=dict(env, PYTHONPATH=str(package), PATH='/usr/bin'), check=True,
                               capture_output=True, text=True).stdout.strip()
        self.assertEqual(found, str(prefix / 'bin/sdfgc'))
        (prefix / 'bin/sdfgc').unlink()
        (OUT / 'path').mkdir(exist_ok=True)
        (OUT / 'path/sdfgc').unlink(missing_ok=True)
        (OUT / 'path/sdfgc').symlink_to(os.environ['SDFGC'])
        found = subprocess.run([sys.executable, '-c', code], env=dict(env, PYTHONPATH=str(package), PATH=f'{OUT}/path'), check=True,
                               capture_output=True, text=True).stdout.strip()
        self.assertEqual(found, f'{OUT}/path/sdfgc')
        failed = subprocess.run([sys.executable, '-c', code], env=dict(env, PYTHONPATH=str(package), PATH='/usr/bin'), capture_output=True,
                                text=True)
        self.assertIn('FileNotFoundError: the command sdfgc was not found', failed.stderr)

    def test_versions(self):
        self.assertTrue(sdfgc.version().startswith(f'sdfgc {sdfgc.__version__} '), sdfgc.version())

    def test_options(self):
        from sdfgc._command import option_words
        self.assertEqual(option_words(dict(O=3, fp_model='fast', emulate=True, quiet=False, name=None, cflags=['-g', '-DX=a b'],
                                           gpu_arch=['sm_80', 'sm_90'], pass_option={'a.b': 1, 'c.d': 'x'})),
                         ['-O', '3', '--fp-model=fast', '--emulate', "--cflags=-g '-DX=a b'", '--gpu-arch=sm_80,sm_90',
                          '--pass-option=a.b=1,c.d=x'])
        with self.assertRaises(sdfgc.CompileError) as raised:
            sdfgc.build(GRAPHS / 'vadd.sdfg', fp_modle='fast')
        self.assertEqual((raised.exception.status, raised.exception.code), (2, 'SD8003'))
        self.assertIn('--fp-model', raised.exception.hint)

    def test_build_folders(self):
        one, two = sdfgc.build(GRAPHS / 'vadd.sdfg'), sdfgc.build(GRAPHS / 'vadd.sdfg', fp_model='contract')
        self.assertNotEqual(one.folder, two.folder)
        self.assertEqual(one.folder, sdfgc.build(GRAPHS / 'vadd.sdfg').folder)
        self.assertEqual((one.manifest['fp_model'], two.manifest['fp_model']), ('strict', 'contract'))
        own = sdfgc.build(GRAPHS / 'vadd.sdfg', output=OUT / 'own')
        self.assertEqual(own.library, OUT / 'own/lib/libvadd.so')
        with self.assertRaisesRegex(FileNotFoundError, 'not a build folder'):
            sdfgc.load(HERE)
        with self.assertRaisesRegex(TypeError, 'not a int'):
            sdfgc.build(3)

    def test_cache(self):
        shared = OUT / 'shared'
        shutil.rmtree(shared, ignore_errors=True)  # of an earlier run
        one = sdfgc.build(GRAPHS / 'vadd.sdfg', output=OUT / 'first', cache=shared)
        self.assertEqual(len(list(shared.glob('builds/*/*-*'))), 1)
        shutil.rmtree(OUT / 'first')
        two = sdfgc.build(GRAPHS / 'vadd.sdfg', output=OUT / 'second', cache=shared)
        self.assertFalse(list((two.folder / '.sdfgc' / 'obj').iterdir()), 'nothing was compiled')
        A, B, C = np.ones(4), np.ones(4), np.zeros(4)
        sdfgc.load(two)(A=A, B=B, C=C)
        self.assertEqual(C.tolist(), [2, 2, 2, 2])
        self.assertEqual(one.manifest, two.manifest)


class Errors(unittest.TestCase):
    def test_line_of_program(self):
        source = OUT / 'user.py'
        source.write_text('import dace\n\ndef wrong(A, B):\n    B[:] = A +  # nothing\n')
        with self.assertRaises(sdfgc.CompileError) as raised:
            sdfgc.compile(graph(WRONG % (source, source)))
        e = raised.exception
        self.assertEqual((e.status, e.source_file, e.source_line), (1, str(source), 4))
        self.assertRegex(e.code, r'^SD\d{4}$')
        self.assertIn(f'{source}:4', str(e))
        self.assertIn('B[:] = A +  # nothing', str(e))
        self.assertEqual(str(pickle.loads(pickle.dumps(e))), str(e))

    def test_compiler(self):
        with self.assertRaises(sdfgc.CompileError) as raised:
            sdfgc.compile(GRAPHS / 'vadd.sdfg', cflags='-DN=(')
        self.assertEqual(raised.exception.status, 3)
        self.assertIn('error', raised.exception.output)

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            sdfgc.build(GRAPHS / 'vadd.sdfg', gpu_streams=2)
        self.assertEqual([(w.category, w.message.diagnostic.code, w.filename) for w in caught],
                         [(sdfgc.CompileWarning, 'SD8021', os.path.abspath(__file__))])


class Calls(unittest.TestCase):
    def twice(self, call):
        """The second call of the same form takes the fast path."""
        self.assertEqual(call(), call())

    def test_convention(self):
        program = sdfgc.compile(GRAPHS / 'vadd.sdfg')
        A, B = np.arange(4.0), np.full(4, 10.0)

        def by(call):
            C = np.zeros(4)
            self.assertIsNone(call(C))
            return C.tolist()
        expected = [10, 11, 12, 13]
        for call in (lambda C: program(A=A, B=B, C=C), lambda C: program(A, B, C), lambda C: program(A, B, C=C, N=4),
                     lambda C: program(A, B, C, 4), lambda C: program(A, B, C, np.int32(4))):
            self.assertEqual(by(call), expected)
            self.assertEqual(by(call), expected)
        with program as same:
            self.assertIs(same, program)
        self.assertEqual(by(lambda C: program(A, B, C)), expected)
        self.assertTrue(os.path.samefile(program.filename, program.build.library))
        self.assertIsNone(program.sdfg)
        self.assertIn('vadd(A: float64[N], B: float64[N], C: float64[N], N: int = ...)', repr(program))
        self.assertIn('<iframe srcdoc=', program._repr_html_())

    def test_refused(self):
        program = sdfgc.compile(GRAPHS / 'vadd.sdfg')
        A = np.arange(4.0)
        frozen = np.zeros(4)
        frozen.flags.writeable = False
        unaligned = np.zeros(33, np.uint8)[1:].view(np.float64)
        cases = [
            (TypeError, 'the argument C is missing', (A, A), {}),
            (TypeError, 'no argument D', (A, A, A), dict(D=1)),
            (TypeError, 'at most 4 positional', (A, A, A, 4, 5), {}),
            (TypeError, "multiple values for argument 'A'", (A, A, A), dict(A=A)),
            (TypeError, 'elements of float32', (A, A, A.astype(np.float32)), {}),
            (TypeError, 'must be an array, not a list', (A, A, [1.0] * 4), {}),
            (TypeError, 'must not be None', (A, A, None), {}),
            (ValueError, 'C has the shape (3,)', (A, A, np.zeros(3)), {}),
            (ValueError, 'C has the strides (2,)', (A, A, np.zeros(8)[::2]), {}),
            (ValueError, 'has 2 dimensions', (A, A, np.zeros((4, 1))), {}),
            (ValueError, 'C is read-only', (A, A, frozen), {}),
            (ValueError, 'not aligned', (A, A, unaligned), {}),
            (ValueError, '(N) = (5,)', (A, A, A), dict(N=5)),
            (TypeError, 'N must be of type int64, not str', (A, A, A), dict(N='4')),
        ]
        for round in range(2):  # before and after a call that has set the fast path up
            for kind, text, positional, named in cases:
                with self.assertRaises(kind) as raised:
                    program(*positional, **named)
                self.assertIn(text, str(raised.exception))
            program(A, A, np.zeros(4))

    def test_forms_of_arrays(self):
        program = sdfgc.compile(GRAPHS / 'vadd.sdfg')
        frozen = np.arange(4.0)
        frozen.flags.writeable = False
        inputs = [np.arange(4.0), frozen, np.arange(4.0).view(np.memmap), array.array('d', range(4)), memoryview(np.arange(4.0)),
                  Foreign(np.arange(4.0), '__array_interface__'), DLPack(np.arange(4.0))]
        for A in inputs:
            for out in (lambda C: C, lambda C: Foreign(C, '__array_interface__'), DLPack, memoryview):
                for round in range(2):
                    C = np.zeros(4)
                    program(A, A, out(C))
                    self.assertEqual(C.tolist(), [0, 2, 4, 6], (A, out))
        for n in (1, 0, 7, 7, 0):  # other sizes between calls
            C = np.zeros(n)
            program(np.ones(n), np.ones(n), C)
            self.assertEqual(C.tolist(), [2.0] * n)

    def test_alternating_forms(self):
        """Methods of earlier calls are used again, and none after the program was finalised."""
        program = sdfgc.compile(GRAPHS / 'vadd.sdfg')
        unaligned = np.zeros(33, np.uint8)[1:].view(np.float64)
        for round in range(3):
            for n in (3, 4, 3, 5):
                C = np.zeros(n)
                program(np.ones(n), np.ones(n), C)
                program(np.ones(n), np.ones(n), C=C, N=n)
                self.assertEqual(C.tolist(), [2.0] * n)
            for wrong in ((np.ones(4), np.ones(3), C), (np.ones(4), unaligned, np.ones(4)), (np.ones(4), np.ones(4, np.float32), np.ones(4))):
                with self.assertRaises((TypeError, ValueError)):
                    program(*wrong)
            with self.assertRaises(ValueError):
                program(np.ones(4), np.ones(4), np.ones(4), 3)
            program.finalize()

    def test_numbers_and_result(self):
        program = compiled(SCALE)
        A = np.arange(3.0)
        self.twice(lambda: program(A, 2, 1).tolist())
        self.assertEqual(program(A, factor=2.5, k=1).tolist(), [1, 3.5, 6])
        self.assertEqual(program(A, factor=np.float32(0.5), k=np.int64(-1)).tolist(), [-1, -0.5, 0])
        first, second = program(A, 1.0, 0), program(A, 1.0, 0)
        self.assertFalse(np.shares_memory(first, second))
        for round in range(2):
            with self.assertRaisesRegex(OverflowError, 'k = 128 does not fit int8'):
                program(A, 1.0, 128)
            with self.assertRaisesRegex(TypeError, 'factor must be of type float64, not str'):
                program(A, '2', 1)
            with self.assertRaisesRegex(TypeError, 'k must be of type int8, not float'):
                program(A, 1.0, 1.5)
            program(A, 1.0, 127)
        given = np.zeros(3)
        self.assertIs(program(A=A, factor=1.0, k=0, __return=given), given)
        self.assertEqual(given.tolist(), A.tolist())

    def test_tuple(self):
        program = compiled(TUPLE)
        for round in range(2):
            one, two = program(np.arange(3.0))
            self.assertEqual((one.tolist(), two.tolist()), ([1, 2, 3], [0]))

    def test_symbols_from_shapes(self):
        program = compiled(AFFINE)
        C = np.zeros(1, np.int64)

        def result(*positional, **named):
            program(*positional, **named)
            return C[0]
        for round in range(2):
            self.assertEqual(result(A=np.zeros((7, 5)), B=np.zeros((3, 2)), C=C), 3005)
            self.assertEqual(result(A=np.zeros((9, 6)), C=C, B=None), 4006)
            with self.assertRaisesRegex(ValueError, r'A has the shape \(6, 5\)|B has the shape'):
                program(A=np.zeros((6, 5)), B=np.zeros((3, 2)), C=C)
            with self.assertRaisesRegex(ValueError, 'B has the shape'):
                program(A=np.zeros((7, 5)), B=np.zeros((3, 3)), C=C)
            with self.assertRaisesRegex(ValueError, 'A has the shape'):
                program(A=np.zeros((7, 5)), B=None, C=C, N=4)

    def test_steps(self):
        program = sdfgc.compile(GRAPHS / 'vadd.sdfg')
        A, C = np.arange(4.0), np.zeros(4)
        handle = program.initialize(A=A)
        self.assertIs(program.initialize(A=A), handle)
        arguments, init = program.construct_arguments(A, A, C)
        self.assertEqual((len(arguments), len(init)), (4, 1))
        program.fast_call(arguments, init)
        self.assertIsNone(program.convert_return_values())
        self.assertEqual(C.tolist(), [0, 2, 4, 6])
        program.finalize()
        program.finalize()
        program.fast_call(arguments, init)
        with self.assertRaisesRegex(TypeError, 'without a value for N'):
            sdfgc.load(program.build).initialize()
        scale = compiled(SCALE)
        scale.fast_call(*scale.construct_arguments(A, 2.0, 1))
        self.assertEqual(scale.convert_return_values().tolist(), [1, 3, 5, 7])

    def test_safe_call(self):
        program = sdfgc.compile(GRAPHS / 'vadd.sdfg')
        A, C = np.arange(4.0), np.zeros(4)
        program.safe_call(A, B=A, C=C)
        self.assertEqual(C.tolist(), [0, 2, 4, 6])
        self.assertEqual(compiled(SCALE).safe_call(A, 2.0, 1).tolist(), [1, 3, 5, 7])
        with self.assertRaisesRegex(ValueError, 'C has the shape'):
            program.safe_call(A, A, np.zeros(3))
        with self.assertRaisesRegex(RuntimeError, 'signal SIGABRT'):
            program.safe_call(Aborts(), A, C)

    def test_every_kind(self):
        """Structures, callbacks, complex numbers, vectors, optional arrays and external memory: the values of use.py."""
        program = sdfgc.load(OUT.parent / 'out' / 'kinds')
        kinds = program.module
        N, M, K = 4, 3, 2
        blend = lambda element, all_: 1000 * element + all_[-1]
        values = dict(
            A=np.add.outer(10.0 * np.arange(N), np.arange(M)), F=np.zeros((N, M), np.float32, order='F'), H=np.ones(N, np.float16),
            L=np.arange(N) % 2 == 0, P=np.zeros(K, np.dtype(kinds.Point)), V=np.arange(4 * K, dtype=np.float32).reshape(K, 4),
            W=np.full(N, 0.5), Z=np.arange(1, N + 1).astype(np.complex128), blend=blend, c=1j, c32=2, flag=True, h=2.0, k=3, x=2.0)
        val = np.zeros(K)
        structure = dict(ptr=np.array([5, 6, 7], np.int32), rows=K, val=val)
        program.initialize(**values)
        sizes = program.get_workspace_sizes()
        self.assertEqual(sizes, {'CPU_Heap': 8 * N})
        workspace = np.zeros(N)
        program.set_workspace(type('StorageType', (), {'name': 'CPU_Heap'}), workspace)
        with self.assertRaisesRegex(ValueError, 'only in CPU_Heap'):
            program.set_workspace('CPU_Pinned', workspace)
        result = program(S=structure, **values)
        self.assertEqual(workspace.tolist(), values['A'][:, 0].tolist())
        self.assertTrue(val.any())
        self.assertEqual(program(S=kinds.Csr(**structure), **values).shape, result.shape)
        with self.assertRaises(ZeroDivisionError):
            program(S=structure, **dict(values, blend=lambda element, all_: 1 / 0))
        with self.assertRaises(ZeroDivisionError):
            program.fast_call(*program.construct_arguments(S=structure, **dict(values, blend=lambda element, all_: 1 / 0)))

    def test_saved_data(self):
        """Data of one call, restored in another, through the function that DaCe calls."""
        A, B = np.array([1.0, 2.0]), np.zeros(2)
        saving = compiled(PROBED % 'Save')
        shutil.rmtree(saving.build.folder / 'data', ignore_errors=True)
        saving(A=A, B=B)
        run, = (saving.build.folder / 'data').iterdir()
        in_dace = OUT / 'as-dace' / 'build' / 'libprobed.so'  # where DaCe keeps libraries
        shutil.rmtree(in_dace.parents[1], ignore_errors=True)
        in_dace.parent.mkdir(parents=True)
        shutil.copy(saving.filename, in_dace)
        saving.module.Program(in_dace)(A=A, B=B)
        self.assertEqual(sorted(p.name for p in in_dace.parents[1].iterdir()), ['build', 'data'])
        with compiled(PROBED % 'Restore') as restoring:
            handle = restoring.initialize()
            restoring._library['__dace_set_instrumented_data_report'](handle, os.fsencode(run))
            A[:] = 0
            restoring(A=A, B=B)
        self.assertEqual((A.tolist(), B[1]), ([1, 2], 3))

    def test_device(self):
        program = sdfgc.load(OUT.parent / 'out' / 'gpu')
        A, B, C = (program.to_device(x) for x in (np.arange(5.0), np.full(5, 10.0), np.zeros(5)))
        for round in range(2):
            program(A, B, C)
            self.assertEqual(C.get().tolist(), [10, 11, 12, 13, 14])
        with self.assertRaisesRegex(TypeError, 'must lie in device memory'):
            program(np.arange(5.0), B, C)

    def test_packages(self):
        """What `sdfgc package` writes is loaded, without the command; what must not be unpacked is refused, and leaves nothing."""
        build, file, hostile = OUT / 'packaged.build', OUT / 'packaged.zip', OUT / 'hostile'
        subprocess.run([sys.argv[1], 'build', GRAPHS / 'vadd.sdfg', '-o', build, '-q'], check=True)
        subprocess.run([sys.argv[1], 'package', build, '-o', file, '-q'], check=True)
        for _ in range(2):  # unpacked, then found
            C = np.zeros(3)
            sdfgc.load(file)(np.arange(3.0), np.ones(3), C)
            self.assertEqual(C.tolist(), [1, 2, 3])
        shutil.rmtree(hostile, ignore_errors=True)
        subprocess.run([sys.executable, HERE.parent / 'lit' / 'build' / 'Inputs' / 'hostile.py', file, hostile], check=True)
        cache = sdfgc._build.cache_folder()
        before = sorted(cache.iterdir())
        for name, words in dict(cut='damaged', flipped='damaged', other='damaged', absolute='leads elsewhere', up='leads elsewhere',
                                link='is a link', swapped='not the one that was packaged', huge='damaged').items():
            with self.assertRaisesRegex(ValueError, f'{name}.zip cannot be loaded: .*{words}'):
                sdfgc.load(hostile / f'{name}.zip')
        self.assertEqual(sorted(cache.iterdir()), before)

    def test_without_numpy(self):
        code = f'''
import sys
sys.modules['numpy'] = None
import sdfgc
made = sdfgc.build({str(GRAPHS / 'vadd.sdfg')!r})
assert made.library.is_file() and made.manifest['name'] == 'vadd'
try:
    sdfgc.load(made)
except ImportError as e:
    assert e.name == 'numpy' and 'needs NumPy' in str(e), e
else:
    raise SystemExit('a program was loaded without NumPy')
'''
        subprocess.run([sys.executable, '-c', code], check=True)

    def test_overhead(self):
        """A call costs a few microseconds. The bound is wide, because machines are busy; docs/user/benchmarks.md has figures."""
        import timeit
        program = sdfgc.compile(GRAPHS / 'vadd.sdfg')
        A = np.arange(4.0)
        program(A, A, A.copy())
        general = min(timeit.repeat(lambda: program.bind(A, A, A), number=1000, repeat=5))
        fast = min(timeit.repeat(lambda: program(A, A, A), number=1000, repeat=5))
        self.assertLess(fast, general / 2)


if __name__ == '__main__':
    OUT.mkdir(parents=True, exist_ok=True)
    os.environ['SDFGC'], os.environ['XDG_CACHE_HOME'] = sys.argv[1], str(OUT / 'cache')
    unittest.main(argv=sys.argv[:1], verbosity=1)

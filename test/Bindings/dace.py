"""Tests of `sdfgc.dace`: DaCe compiles with sdfgc. dace.py SDFGC OUT; the package is on PYTHONPATH. Exit status 77: DaCe is not there."""
import importlib.util
import json
import os
import pathlib
import socket
import subprocess
import sys
import textwrap
import unittest
import unittest.mock
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:] = [p for p in sys.path if pathlib.Path(p or '.').resolve() != HERE]  # this file is called dace, too
if __name__ == '__main__' and importlib.util.find_spec('dace') is None:
    print('skipped: the Python package dace is not installed')
    sys.exit(77)
SDFGC, OUT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
OUT.mkdir(parents=True, exist_ok=True)
os.chdir(OUT)
os.environ['SDFGC'], os.environ['XDG_CACHE_HOME'] = SDFGC, str(OUT / 'cache')

import dace
import dace.library
import numpy as np
from dace.codegen import compiled_sdfg, compiler
from dace.codegen.exceptions import CompilationError
from dace.transformation.transformation import ExpandTransformation

import sdfgc
import sdfgc.dace

N = dace.symbol('N')


@dace.program
def twice(A: dace.float64[N], B: dace.float64[N]):
    B[:] = A * 2


@dace.program
def summed(A: dace.float64[N]):
    return np.sum(A)


@dace.program
def pair(A: dace.float64[N]):
    return A + 1, A * 2


def made_by_sdfgc(program):
    folder = pathlib.Path(program.filename).parent
    return (folder / f'{program.sdfg.name}.sdfgc' / 'manifest.json').exists()


def commands(sdfg):
    return (pathlib.Path(sdfg.build_folder) / 'build' / f'{sdfg.name}.sdfgc' / '.sdfgc' / 'commands.sh').read_text()


@dace.library.expansion
class ExpandTriple(ExpandTransformation):
    environments = []

    @staticmethod
    def expansion(node, state, sdfg):
        return dace.nodes.Tasklet('triple', {'a'}, {'b'}, 'b = 3 * a')


@dace.library.node
class Triple(dace.nodes.LibraryNode):
    """A library node of a program, which sdfgc cannot know."""
    implementations = {'pure': ExpandTriple}
    default_implementation = 'pure'

    def __init__(self, name='Triple', **kwargs):
        super().__init__(name, inputs={'a'}, outputs={'b'}, **kwargs)


class Enabled(unittest.TestCase):
    def setUp(self):
        self.enabled = sdfgc.dace.enable()

    def tearDown(self):
        sdfgc.dace.disable()

    def test_programs(self):
        A, B = np.arange(5.0), np.zeros(5)
        twice(A, B)
        self.assertEqual(B.tolist(), [0, 2, 4, 6, 8])
        self.assertEqual(summed(A)[0], 10)
        one, two = pair(A)
        self.assertEqual((one.tolist(), two.tolist()), ([1, 2, 3, 4, 5], [0, 2, 4, 6, 8]))
        sdfg = twice.to_sdfg()
        sdfg(A=B, B=A, N=5)
        self.assertEqual(A.tolist(), [0, 4, 8, 12, 16])

    def test_handle(self):
        sdfg = twice.to_sdfg()
        sdfg.name = 'handle'
        program = sdfg.compile(output_file=str(OUT / 'output.so'))
        self.assertIsInstance(program, compiled_sdfg.CompiledSDFG)
        self.assertTrue(made_by_sdfgc(program))
        self.assertTrue((OUT / 'output.so').is_file())
        A, B = np.arange(3.0), np.zeros(3)
        arguments = program.construct_arguments(A=A, B=B, N=3)
        program.fast_call(*arguments)
        self.assertEqual(B.tolist(), [0, 2, 4])
        B[:] = 0
        compiler.load_precompiled_sdfg(sdfg.build_folder, sdfg)(A=A, B=B, N=3)
        self.assertEqual(B.tolist(), [0, 2, 4])
        self.assertIsNone(sdfg.compile(return_program_handle=False))

    def test_sizes_in_shapes(self):
        """A symbol that only occurs in a shape is not a parameter of the program, although DaCe counts it."""
        sdfg = dace.SDFG('shapes')
        sdfg.add_array('A', [dace.symbol('rows'), 4], dace.float64)
        sdfg.add_array('B', [1], dace.float64)
        state = sdfg.add_state()
        tasklet = state.add_tasklet('t', {'a'}, {'b'}, 'b = a + 1')
        state.add_edge(state.add_read('A'), None, tasklet, 'a', dace.Memlet('A[1, 2]'))
        state.add_edge(tasklet, 'b', state.add_write('B'), None, dace.Memlet('B[0]'))
        A, B = np.arange(12.0).reshape(3, 4).copy(), np.zeros(1)
        sdfg(A=A, B=B, rows=3)
        self.assertEqual(B[0], 7)

    def test_other_programs_of_a_name(self):
        """Programs that share a name, and hence a build folder, do not share a library."""
        for factor in (2, 3, 2):
            sdfg = dace.SDFG('shared_name')
            sdfg.add_array('A', [4], dace.float64)
            if factor == 3:
                sdfg.add_scalar('more', dace.float64)
            state = sdfg.add_state()
            tasklet = state.add_tasklet('t', {'a'} | ({'m'} if factor == 3 else set()), {'b'}, f'b = a * {factor}' + ' + m' * (factor == 3))
            state.add_edge(state.add_read('A'), None, tasklet, 'a', dace.Memlet('A[0]'))
            if factor == 3:
                state.add_edge(state.add_read('more'), None, tasklet, 'm', dace.Memlet('more[0]'))
            state.add_edge(tasklet, 'b', state.add_write('A'), None, dace.Memlet('A[1]'))
            A = np.ones(4)
            sdfg(A=A, **({'more': 1.0} if factor == 3 else {}))
            self.assertEqual(A[1], {2: 2, 3: 4}[factor])

    def test_library_node_of_the_program(self):
        sdfg = dace.SDFG('own_node')
        sdfg.add_array('A', [1], dace.float64)
        sdfg.add_array('B', [1], dace.float64)
        state = sdfg.add_state()
        node = Triple()
        state.add_node(node)
        state.add_edge(state.add_read('A'), None, node, 'a', dace.Memlet('A[0]'))
        state.add_edge(node, 'b', state.add_write('B'), None, dace.Memlet('B[0]'))
        B = np.zeros(1)
        sdfg(A=np.full(1, 5.0), B=B)
        self.assertEqual(B[0], 15)

    def test_errors(self):
        sdfg = dace.SDFG('no_code')
        sdfg.add_array('A', [1], dace.float64)
        state = sdfg.add_state()
        tasklet = state.add_tasklet('t', {}, {'b'}, 'b = nothing_of_this_name(1)')
        tasklet.debuginfo = dace.dtypes.DebugInfo(1, 0, 1, 1, filename=__file__)
        state.add_edge(tasklet, 'b', state.add_write('A'), None, dace.Memlet('A[0]'))
        with self.assertRaises(CompilationError) as raised:
            sdfg.compile()
        self.assertIsInstance(raised.exception, sdfgc.CompileError)
        self.assertRegex(raised.exception.code, r'SD\d{4}')
        self.assertEqual((raised.exception.source_file, raised.exception.source_line), (__file__, 1))

    def test_errors_of_calls(self):
        sdfg = dace.SDFG('negative')
        sdfg.add_array('A', [dace.symbol('K') - 1], dace.float64)
        sdfg.add_array('tmp', [dace.symbol('K') - 1], dace.float64, transient=True)
        state = sdfg.add_state()
        state.add_mapped_tasklet('m', {'i': '0:K - 1'}, {'a': dace.Memlet('A[i]')}, 'b = a + 1', {'b': dace.Memlet('A[i]')},
                                 external_edges=True)
        program = sdfg.compile()
        A = np.zeros(4)
        for round in range(2):
            with self.assertRaisesRegex(sdfgc.dace.ProgramError, 'its size `K - 1` is -3') as raised:
                program(A=A, K=-2)
            self.assertEqual(raised.exception.code, 4)
            program(A=A, K=5)
        self.assertEqual(A.tolist(), [2] * 4)

    def test_instrumentation(self):
        sdfg = twice.to_sdfg()
        sdfg.name = 'timed'
        sdfg.instrument = dace.InstrumentationType.Timer
        sdfg(A=np.arange(3.0), B=np.zeros(3), N=3)
        report = sdfg.get_latest_report()
        self.assertEqual(len(report.events), 1)
        self.assertEqual(report.durations[(0, -1, -1)].keys(), {'SDFG timed'})

    def test_instrumented_elements(self):
        sdfg = twice.to_sdfg()
        sdfg.name = 'timed_inside'
        state = next(s for s in sdfg.states() if any(isinstance(n, dace.nodes.MapEntry) for n in s.nodes()))
        entry = next(n for n in state.nodes() if isinstance(n, dace.nodes.MapEntry))
        state.instrument = entry.map.instrument = dace.InstrumentationType.Timer
        sdfg(A=np.arange(3.0), B=np.zeros(3), N=3)
        report = sdfg.get_latest_report()
        self.assertEqual({name.split()[0] for names in report.durations.values() for name in names}, {'State', 'Map'})
        self.assertIn('State', str(report))
        self.assertTrue(all(e.duration >= 0 for e in report.events))

    def test_saved_data(self):
        sdfg = dace.SDFG('saved')
        for name in 'AB':
            sdfg.add_array(name, [3], dace.float64)
        state = sdfg.add_state()
        state.add_mapped_tasklet('m', {'i': '0:3'}, {'a': dace.Memlet('A[i]')}, 'b = a + 1', {'b': dace.Memlet('B[i]')}, external_edges=True)
        read = next(n for n in state.data_nodes() if n.data == 'A')
        read.instrument = dace.DataInstrumentationType.Save
        A, B = np.arange(3.0), np.zeros(3)
        sdfg(A=A, B=B)
        report = sdfg.get_instrumented_data()
        self.assertEqual(report['A'].tolist(), A.tolist())
        read.instrument = dace.DataInstrumentationType.Restore
        sdfg.call_with_instrumented_data(report, A=np.zeros(3), B=B)
        self.assertEqual(B.tolist(), [1, 2, 3])

    def test_configuration(self):
        with dace.config.temporary_config() as config, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            config.set('compiler', 'build_type', value='Debug')
            config.append('compiler', 'cpu', 'args', value='-DFROM_DACE')
            config.set('compiler', 'cpp_standard', value='23')
            for name in ('configured', 'configured_again'):
                sdfg = summed.to_sdfg()
                sdfg.name = name
                sdfg.compile(return_program_handle=False)
                self.assertIn('-DFROM_DACE', commands(sdfg))
                self.assertIn(' -O0 ', commands(sdfg))
        ignored = [str(w.message) for w in caught if 'sdfgc ignores' in str(w.message)]
        self.assertEqual(ignored, ["sdfgc ignores the setting compiler.cpp_standard = '23' of DaCe"])

    def test_cache(self):
        sdfg = summed.to_sdfg()
        sdfg.name = 'cached'
        sdfg.compile(return_program_handle=False)
        before = os.stat(compiler.get_binary_name(sdfg.build_folder, 'cached'))
        with dace.config.set_temporary('compiler', 'use_cache', value=True):
            self.assertEqual(sdfg(A=np.ones(3), N=3)[0], 3)
        after = os.stat(compiler.get_binary_name(sdfg.build_folder, 'cached'))
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_gpu_graph(self):
        sdfg = twice.to_sdfg()
        sdfg.name = 'on_gpu'
        sdfg.apply_gpu_transformations()
        B = np.zeros(3)
        with sdfgc.dace.enable(emulate=True):
            sdfg(A=np.arange(3.0), B=B, N=3)
        self.assertEqual(B.tolist(), [0, 2, 4])
        self.assertIn('-DSDFGC_GPU_EMULATE', commands(sdfg))

    def test_nested(self):
        with sdfgc.dace.enable(cflags='-DINNER'):
            sdfg = summed.to_sdfg()
            sdfg.name = 'inner'
            sdfg.compile(return_program_handle=False)
            self.assertIn('-DINNER', commands(sdfg))
        self.assertTrue(sdfgc.dace.is_enabled())
        sdfg.name = 'outer'
        sdfg.compile(return_program_handle=False)
        self.assertNotIn('-DINNER', commands(sdfg))


class Others(unittest.TestCase):
    def test_files_for_the_loader(self):
        """DaCe itself loads a build folder, without the hooks of sdfgc."""
        made = sdfgc.build(twice.to_sdfg(), output=OUT / 'loaded', dace_files=True)
        A, B = np.arange(3.0), np.zeros(3)
        program = compiler.load_precompiled_sdfg(made.folder)
        program(A=A, B=B, N=3)
        self.assertEqual(B.tolist(), [0, 2, 4])
        with compiled_sdfg.ReloadableDLL(str(made.library)) as library:
            self.assertTrue(library.is_loaded())
            library.get_symbol('__program_twice')

    def test_extension(self):
        """What the extension for VS Code is told, and reads."""
        with socket.socket() as server:
            server.bind((socket.gethostname(), 0))
            server.listen()
            with unittest.mock.patch.dict(os.environ, DACE_port=str(server.getsockname()[1])), sdfgc.dace.enable():
                sdfg = twice.to_sdfg()
                sdfg.name = 'told'
                sdfg.compile()
            connection, _ = server.accept()
            with connection, connection.makefile() as text:
                told = json.load(text)
        self.assertEqual((told['type'], told['name'], told['target_name']), ('registerFunction', 'told', 'cpu'))
        self.assertEqual([os.path.basename(f) for f in told['path_file']], ['dace.py'])
        folder = pathlib.Path(told['path_cache'])
        lines = json.loads((folder / 'map' / 'map_py.json').read_text())[told['path_file'][0]]
        program = dace.SDFG.from_file(folder / 'program.sdfg')
        for line, elements in lines.items():
            for e in elements:
                program.cfg_list[e['cfg_id']].node(e['state_id']).node(e['node_id'])
        self.assertTrue(lines)

    def test_shared_cache(self):
        shared = OUT / 'shared'
        for name in ('first', 'second'):
            with sdfgc.dace.enable(cache=shared):
                sdfg = twice.to_sdfg()
                sdfg.name, sdfg.build_folder = 'cached', str(OUT / name)
                program = sdfg.compile()
            A, B = np.arange(3.0), np.zeros(3)
            program(A=A, B=B, N=3)
            self.assertEqual(B.tolist(), [0, 2, 4])
        self.assertEqual(len(list(shared.glob('builds/*/*-*'))), 1)
        self.assertFalse(list((OUT / 'second' / 'build' / 'cached.sdfgc' / '.sdfgc' / 'obj').iterdir()), 'nothing was compiled')

    def test_disable(self):
        originals = dace.SDFG.compile, dace.codegen.codegen.generate_code, compiled_sdfg.CompiledSDFG.__init__
        with sdfgc.dace.enable():
            self.assertIsNot(dace.SDFG.compile, originals[0])
            self.assertIn('dace.h', twice.to_sdfg().generate_code()[0].clean_code)  # DaCe's own code is still there
        self.assertEqual((dace.SDFG.compile, dace.codegen.codegen.generate_code, compiled_sdfg.CompiledSDFG.__init__), originals)
        self.assertFalse(sdfgc.dace.is_enabled())

    def test_compile_objects(self):
        sdfg = twice.to_sdfg()
        program = sdfgc.compile(sdfg)
        self.assertIs(program.sdfg, sdfg)
        for compiled in (program, sdfgc.compile(twice), sdfgc.compile(sdfg, output=OUT / 'object')):
            B = np.zeros(4)
            compiled(np.arange(4.0), B)
            self.assertEqual(B.tolist(), [0, 2, 4, 6])

    def test_objects_are_cached(self):
        """The same graph has the same build folder, although DaCe numbers its elements anew."""
        folders = {sdfgc.build(g).folder for g in (twice, twice, twice.to_sdfg(), twice.to_sdfg())}
        self.assertEqual(len(folders), 1)
        self.assertNotEqual(sdfgc.build(twice, O=1).folder, sdfgc.build(twice).folder)
        self.assertNotEqual(sdfgc.build(summed).folder.name[-24:], sdfgc.build(twice).folder.name[-24:])

    def test_without_changing_the_program(self):
        script = OUT / 'script.py'
        script.write_text(textwrap.dedent('''
            import sys
            import dace, numpy as np
            @dace.program
            def plain(A: dace.float64[4]):
                A += 1
            A = np.zeros(4)
            plain(A)
            assert A.tolist() == [1] * 4
            print(sys.argv[1:], plain.to_sdfg().build_folder)
        '''))
        check = [sys.executable, '-c', f'import sdfgc, sys, runpy; sys.argv = [{str(script)!r}, "x"]; '
                                       f'runpy.run_path({str(script)!r}, run_name="__main__"); print(sdfgc.dace.is_enabled())']
        for command, more in (([sys.executable, '-m', 'sdfgc.dace', '--options', '-O 1', str(script), 'x'], {}),
                              (check, {'SDFGC_DACE': '1', 'SDFGC_DACE_OPTIONS': '-O 1'})):
            subprocess.run(['rm', '-rf', str(OUT / '.dacecache' / 'plain')], check=True)
            done = subprocess.run(command, env=dict(os.environ, **more), cwd=OUT, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("['x']", done.stdout)
            self.assertTrue((OUT / '.dacecache/plain/build/plain.sdfgc/manifest.json').is_file(), command)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=1)

"""Tests of how `sdfgc.dace` maps DaCe's configuration to options. They need no DaCe; dace.py has tests with DaCe itself."""
import unittest
import warnings

from sdfgc.dace import _settings


class Configuration:
    """DaCe's configuration, as far as the mapping reads it."""

    defaults = {'compiler.build_type': 'Release', 'compiler.cpu.executable': '', 'compiler.cpu.args': '-Wall -ffast-math',
                'compiler.cpu.libs': '', 'compiler.linker.args': '', 'compiler.cuda.backend': 'auto', 'compiler.cuda.cuda_arch': '',
                'compiler.cuda.hip_arch': '', 'compiler.cuda.max_concurrent_streams': 0, 'compiler.cuda.syncdebug': False,
                'compiler.cpu.openmp_sections': False, 'compiler.use_cache': False, 'instrumentation.papi.default_counters': "['PAPI_TOT_INS']", 'library.blas.default_implementation': 'pure'}

    def __init__(self, **values):
        self.values = {**self.defaults, **{n.replace('__', '.'): v for n, v in values.items()}}

    def get(self, *path):
        return self.values['.'.join(path)]

    def get_default(self, *path):
        return self.defaults['.'.join(path)]

    def get_metadata(self, section):
        tree = {'required': {}}
        for key in self.defaults:
            first, *path, last = key.split('.')
            at = tree
            for name in path if first == section else ():
                at = at['required'].setdefault(name, {'required': {}})
            if first == section:
                at['required'][last] = {'default': None}
        if not tree['required']:
            raise KeyError(section)
        return tree


class Settings(unittest.TestCase):
    def options(self, target='cpu', **values):
        return _settings.options(_settings.Settings(Configuration(**values)), target)

    def test_options(self):
        self.assertEqual(self.options(), {})
        self.assertEqual(self.options(compiler__cpu__args='-Wall -ffast-math -g -DX'), {'cflags': ['-g', '-DX']})
        self.assertEqual(self.options(compiler__cpu__args='-g'), {'cflags': ['-g']})
        self.assertEqual(self.options(compiler__build_type='RelWithDebInfo', compiler__cpu__libs='m -Lx /y.so', compiler__linker__args='-s'),
                         {'cflags': ['-O2', '-g', '-s', '-Wl,--no-as-needed', '-lm', '-Lx', '/y.so']})
        self.assertEqual(self.options(compiler__cpu__executable='clang++'), {'cc': 'clang++'})
        gpu = dict(compiler__cuda__cuda_arch='60;70', compiler__cuda__hip_arch='gfx90a', compiler__cuda__max_concurrent_streams=-1)
        self.assertEqual(self.options('cuda', **gpu), {'gpu_arch': ['sm_60', 'sm_70'], 'gpu_streams': 1})
        self.assertEqual(self.options('hip', **gpu), {'gpu_arch': ['gfx90a'], 'gpu_streams': 1})
        self.assertEqual(self.options('cpu', **gpu), {})
        self.assertEqual(self.options(compiler__static_archive=True), {'static': True})
        self.assertEqual(self.options(compiler__static_archive=False), {})
        self.assertEqual(self.options(instrumentation__papi__default_counters="['PAPI_FP_OPS', 'PAPI_L1_DCM']"),
                         {'papi_counters': ['PAPI_FP_OPS', 'PAPI_L1_DCM']})

    def test_targets(self):
        for backend, uses_gpu, target in (('auto', True, 'cuda'), ('hip', True, 'hip'), ('hip', False, 'cpu')):
            self.assertEqual(_settings.target_of(_settings.Settings(Configuration(compiler__cuda__backend=backend)), uses_gpu), target)

    def test_merged(self):
        self.assertEqual(_settings.merged({'cflags': ['-g'], 'cc': 'a'}, {'cflags': '-x -y', 'cc': 'b', 'O': 3}),
                         {'cflags': ['-g', '-x', '-y'], 'cc': 'b', 'O': 3})

    def test_unknown(self):
        changed = _settings.Settings(Configuration(compiler__cuda__syncdebug='1', compiler__cpu__openmp_sections=True, compiler__use_cache='1',
                                                   library__blas__default_implementation='MKL'))
        same = _settings.Settings(Configuration(compiler__cuda__syncdebug='0', compiler__cpu__openmp_sections='False'))
        _settings._reported.clear()
        found = []
        for settings, target in ((same, 'cuda'), (changed, 'cpu'), (changed, 'cuda'), (changed, 'cuda')):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                _settings.report_unknown(settings, target)
            found.append([str(w.message).split()[4] for w in caught])
        self.assertEqual(found, [[], ['compiler.cpu.openmp_sections', 'library.blas.default_implementation'], ['compiler.cuda.syncdebug'], []])


if __name__ == '__main__':
    unittest.main(verbosity=1)

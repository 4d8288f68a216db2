"""Calling: the program of a build folder as a callable object. Needs NumPy, which the module in the build folder imports."""
import builtins
import ctypes
import hashlib
import html
import importlib.util
import inspect
import os
import sys
import tempfile

from . import _calls, _command, _isolated
from ._archive import unpacked
from ._build import Build, build, sdfg_of


def compile(graph, target='cpu', output=None, *, sdfgc=None, arguments=(), **options):
    """Builds a graph as `sdfgc.build` does, and returns it as a CompiledProgram. Raises CompileError if that fails."""
    sdfg = sdfg_of(graph)
    return load(build(graph if sdfg is None else sdfg, target, output, sdfgc=sdfgc, arguments=arguments, **options), sdfg)


def load(folder, sdfg=None):
    """The program of a build folder, or of a file that `sdfgc package` wrote. `sdfg` becomes the attribute of that name."""
    if not isinstance(folder, Build) and os.path.isfile(folder):
        folder = unpacked(folder)
    made = folder if isinstance(folder, Build) else Build(folder)
    if not made.library.is_file():
        raise FileNotFoundError(f'{made.folder} has no library: `sdfgc emit` writes only sources, `sdfgc build` also compiles them')
    module = _module_of(made)
    members = {'module': module, '__module__': __name__, '__doc__': module.__doc__}
    if _calls.is_plain(module.INTERFACE, module.ORDER, module.SIZES):
        members['_calls'] = calls = _calls.Calls(module.INTERFACE, module.ORDER, module.np)
        members['__call__'] = calls.first()
    # A class for each object: see _calls.Calls.
    return type('CompiledProgram', (CompiledProgram, module.Program), members)(made, sdfg)


class CompiledProgram:
    """A compiled program, called like DaCe's CompiledSDFG. Its class also inherits the Program of the module in the build folder
    (docs/user/interfaces.md), which checks and converts the arguments.

    A call sets the program up if necessary. Arrays are passed without copies: NumPy arrays, objects with __array_interface__,
    __cuda_array_interface__ or __dlpack__ (PyTorch, CuPy, JAX), and buffers. Symbols may be left out if they follow from shapes, and so
    may arrays that the program returns. Calls on one object must not overlap; two objects are independent."""

    module = None  # of the build folder: has the classes of structures
    _calls = None

    def __init__(self, made, sdfg=None):
        super().__init__(made.library)
        self.build, self._sdfg = made, sdfg
        self._last = None
        self._quick_error = ctypes.PyDLL(self._library._name)[f'{made.name}_error']  # too short to let other threads run
        self.__signature__ = inspect.signature(self.module.run)

    def __call__(self, /, *positional, **named):
        """Runs the program and returns its result: an array, a tuple of arrays, or None."""
        self._last = self._prepared(positional, named)
        return self._bound(*self._last)()

    @property
    def name(self):
        return self.build.name

    @property
    def filename(self):
        """The path of the library."""
        return str(self.build.library)

    @property
    def sdfg(self):
        """The SDFG object that was compiled, None if it was a file."""
        return self._sdfg

    # ---- life time

    def initialize(self, /, *positional, **named):
        """Sets the program up without running it. Takes the arguments of a call, but only needs those that determine symbols, and
        callbacks. Returns the handle. Does nothing if the program is set up."""
        if self._handle:
            return self._handle
        given = self._given(positional, named)
        symbols, _ = self._symbols(given)
        needed = [a['name'] for a in self.module.INTERFACE['init_arguments']]
        values = {n: given.get(n, symbols.get(n)) for n in needed}
        missing = [n for n, v in values.items() if v is None]
        if missing:
            raise TypeError(f'the program cannot be set up without a value for {", ".join(missing)}')
        self._start(values)
        return self._handle

    def finalize(self):
        """Releases the memory of the program; the next call sets it up again."""
        self.close()

    def close(self):
        super().close()
        if self._calls:
            self._calls.reset(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- calls in steps

    def construct_arguments(self, /, *positional, **named):
        """The checked and converted arguments of the program and of its initialiser, for `fast_call`. Arrays that the program returns
        are allocated. All arrays must outlive the call."""
        self._last = arguments, given, *_ = self._prepared(positional, named)
        init = tuple(self._value(a, given[a['name']], given) for a in self.module.INTERFACE['init_arguments'])
        return tuple(arguments), init

    def fast_call(self, callargs, initargs=(), do_gpu_check=False):
        """Runs the program on arguments of `construct_arguments`. `do_gpu_check` is there for callers of DaCe: errors, those of a
        device included, are always checked."""
        if not self._handle:
            if self._last is None:
                raise RuntimeError('the program is not set up; call initialize() or construct_arguments() first')
            self._set_up(self._last[1])
        handle = self._handle
        self._failures.clear()
        self._program(handle, *callargs)
        if self._failures:
            raise self._failures[0]
        if self._quick_error(handle):
            _calls.fail(self)

    def convert_return_values(self):
        """The result of the last `fast_call`."""
        _, given, _, results, _ = self._last
        returned = tuple(given[n] for n in results)
        return returned[0] if results == ['__return'] else returned or None

    def safe_call(self, /, *positional, **named):
        """Runs the program in another process, so that a crash does not end this one. Arrays are copied there and back."""
        return _isolated.call(self.build.folder, positional, named)

    # ---- the caller's memory

    def get_workspace_sizes(self):
        """Bytes of memory that the caller provides, by storage; the program must be set up."""
        storages = [m['storage'] for m in self.module.INTERFACE['external_memory']]
        return {storage: self.external_memory_size(storage) for storage in storages}

    def set_workspace(self, storage, workspace):
        """Gives the program memory of one storage: the storage's name or DaCe's StorageType, and an array or an address."""
        name = getattr(storage, 'name', storage)
        storages = [m['storage'] for m in self.module.INTERFACE['external_memory']]
        if name not in storages:
            raise ValueError(f'the program takes no external memory in {name}' + (f', only in {", ".join(storages)}' if storages else ''))
        self.set_external_memory(name, workspace)

    # ---- for people

    def __repr__(self):
        return f'<sdfgc.CompiledProgram {self.name}{inspect.signature(self)}>'

    def _repr_html_(self):
        """The graph, as `sdfgc view` draws it, for notebooks."""
        with tempfile.TemporaryDirectory(prefix='sdfgc-') as scratch:
            page = os.path.join(scratch, 'view.html')
            _command.run('view', [str(self.build.folder / 'program.sdfg'), '-o', page])
            with open(page, encoding='utf-8') as f:
                text = f.read()
        return f'<iframe srcdoc="{html.escape(text)}" style="width: 100%; height: 30em; border: 1px solid #ccc"></iframe>'


_modules = {}  # by path and content


def _module_of(made):
    path = made.folder / made.manifest['bindings']['python']
    text = path.read_bytes()
    key = str(path), hashlib.sha256(text).digest()
    if key not in _modules:
        _modules[key] = _module(made, path, text)
    return _modules[key]


def _module(made, path, text):
    """The module in the build folder, as it is now."""
    spec = importlib.util.spec_from_file_location(f'_sdfgc_program_{len(_modules)}_{made.name}', path)
    module = importlib.util.module_from_spec(spec)
    try:
        exec(builtins.compile(text, str(path), 'exec'), module.__dict__)
    except ImportError as e:
        if (e.name or '').split('.')[0] != 'numpy':
            raise
        raise ImportError(f'calling a program from Python needs NumPy, which is not installed. {made.library} is built; other languages '
                          f'can call it', name='numpy') from None
    sys.modules[spec.name] = module  # where pickle and inspect look for it
    return module

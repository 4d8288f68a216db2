"""Replacements for the functions that SDFG.compile calls to generate code, to compile it and to load the library.

DaCe's own SDFG.compile stays, and with it the names of build folders, the cache modes, the renaming of loaded programs and
`output_file`. CompiledSDFG stays, too: other projects subclass it and use its steps, so an object with the same methods would not do. It
counts a program's arguments from the graph, but the library of sdfgc may take others: sizes in shapes that only library nodes use, for
example. What counts is the manifest, which is appended to the stub that DaCe loads before each library.
"""
import collections
import ctypes
import functools
import os
import pathlib
import shutil
import subprocess
import threading
import typing

import dace
from dace import sourcemap
from dace.codegen import codegen, compiled_sdfg, compiler
from dace.codegen import exceptions as dace_exceptions
from dace.config import Config
from dace.sdfg import sdfg as dace_sdfg

from .. import _build, _errors
from . import _settings, _stub


class Choice(typing.NamedTuple):
    """Arguments of enable()."""
    target: typing.Optional[str]
    sdfgc: typing.Optional[str]
    arguments: tuple
    options: dict


class CompileError(_errors.CompileError, dace_exceptions.CompilationError):
    """sdfgc could not compile a program; also an error of DaCe."""


class ProgramError(Exception):
    """A call of a program failed. `code`: 1 out of memory, 2 error in the program, 3 error of the device, 4 wrong argument. It is
    not a RuntimeError, since DaCe would then unload the library, although the program can be called again."""

    def __init__(self, code, message):
        super().__init__(code, message)
        self.code = code

    def __str__(self):
        return self.args[1]


_choice = None
_originals = {}
_compiling = threading.local()  # `sdfg`: the graph that this thread compiles, from generate_code on


def installed():
    return _choice


def install(choice):
    global _choice
    _choice = choice
    if _originals:
        return
    for owner, replacement in ((dace_sdfg.SDFG, compile), (codegen, generate_code), (compiler, generate_program_folder),
                               (compiler, configure_and_compile), (compiled_sdfg.CompiledSDFG, __init__)):
        name = replacement.__name__
        _originals[name] = owner, getattr(owner, name)
        setattr(owner, name, functools.wraps(getattr(owner, name))(replacement))


def remove():
    global _choice
    _choice = None
    for name, (owner, original) in _originals.items():
        setattr(owner, name, original)
    _originals.clear()


def _original(name):
    return _originals[name][1]


# ---- The replacements have the names of the originals. Outside of SDFG.compile, DaCe's code generator works as before.

def compile(self, *args, **kwargs):
    before = getattr(_compiling, 'active', False)
    _compiling.active, _compiling.sdfg = True, None
    try:
        return _original('compile')(self, *args, **kwargs)
    finally:
        _compiling.active, _compiling.sdfg = before, None


def generate_code(sdfg, validate=True, **kwargs):
    if not getattr(_compiling, 'active', False):
        return _original('generate_code')(sdfg, validate=validate, **kwargs)
    if validate:
        sdfg.validate()
    _compiling.sdfg = sdfg
    return []


def generate_program_folder(sdfg, code_objects, out_path, *args, **kwargs):
    if getattr(_compiling, 'active', False):
        os.makedirs(os.path.join(out_path, 'include'), exist_ok=True)
    return _original('generate_program_folder')(sdfg, code_objects, out_path, *args, **kwargs)


def configure_and_compile(program_folder, program_name=None, *args, folder_mode=None, **kwargs):
    if not getattr(_compiling, 'active', False):
        given = kwargs if folder_mode is None else dict(kwargs, folder_mode=folder_mode)
        return _original('configure_and_compile')(program_folder, program_name, *args, **given)
    folder = pathlib.Path(program_folder).resolve()
    name = program_name or folder.name
    made = _build_in(folder, name, _compiling.sdfg) if _compiling.sdfg is not None else _build_again(folder, name)
    library = folder / 'build' / f'lib{name}.{Config.get("compiler", "library_extension")}'
    stub = library.with_name('libdacestub_' + library.name[3:])
    _build.place(made.library.read_bytes(), library)
    _build.place(_stub.library() + _stub.packed(made.manifest), stub)
    if folder_mode != 'production':
        _link_sources(folder, made.folder)
        return library
    for file in (library, stub):
        os.replace(file, folder / file.name)
    for path in (folder / n for n in ('include', 'build', 'src', 'map', 'sample', 'dace_environments.csv', 'dace_files.csv')):
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path.is_dir():
            shutil.rmtree(path)
    return folder / library.name


def __init__(self, sdfg, lib, argnames=None):
    _original('__init__')(self, sdfg, lib, argnames)
    manifest = _stub.unpacked(lib._stub_filename)
    if manifest is None:
        return  # the library is DaCe's
    known, types = self._typedict, collections.OrderedDict()
    for a in manifest['arguments']:
        types[a['name']] = known.get(a['name']) or sdfg.arrays.get(a['name']) or _scalar(a)
    self._typedict, self._sig = types, list(types)
    self._free_symbols = {a['name'] for a in manifest['init_arguments']}
    self.external_memory_types = {dace.StorageType[m['storage']] for m in manifest['external_memory']}
    self._cfunc = _checked(self._cfunc, self.get_exported_function(f'{sdfg.name}_error', ctypes.c_int),
                           self.get_exported_function(f'{sdfg.name}_error_message', ctypes.c_char_p))


# ---- Steps

def _build_in(folder, name, sdfg):
    """Runs sdfgc in DaCe's build folder. Library nodes that only DaCe knows, such as those of the program itself, are expanded by DaCe."""
    while True:
        try:
            return _run(folder, name, sdfg)
        except _errors.CompileError as e:
            unknown = {d.message.split('`')[1] for d in e.diagnostics if d.name == 'LibraryNodeUnknown'}
            if not unknown or not _expand(sdfg, unknown):
                raise CompileError(e.status, e.diagnostics, e.output) from None
        for graph in ('program.sdfgz', 'program.sdfg'):
            if (folder / graph).exists():
                sdfg.save(str(folder / graph), compress=graph.endswith('z'))


def _run(folder, name, sdfg):
    graph = next(folder / n for n in ('program.sdfgz', 'program.sdfg') if (folder / n).exists())
    settings = _settings.Settings(Config)
    target = _choice.target or _settings.target_of(settings, _uses_gpu(sdfg))
    _settings.report_unknown(settings, target)
    options = _settings.merged(_settings.options(settings, target), _choice.options)
    listening = 'DACE_port' in os.environ  # DaCe's extension for VS Code
    if listening:
        options.setdefault('dace_files', True)
    with _settings.environment(settings):
        made = _build.build(graph, target, folder / 'build' / f'{name}.sdfgc', sdfgc=_choice.sdfgc, arguments=_choice.arguments, **options)
    if listening:
        _register(made, sdfg)
    return made


def _register(made, sdfg):
    """Tells the extension where the maps are. Their elements are those of program.sdfg in sdfgc's own folder, which is the program after
    all passes; DaCe's folder has the one before."""
    files = sourcemap.get_src_files(sdfg)
    sourcemap.send({'type': 'registerFunction', 'name': made.name, 'path_cache': str(made.folder), 'path_file': files,
                    'target_name': made.manifest['target'], 'made_with_api': not files, 'codegen_map': False})


def _build_again(folder, name):
    """Compiles the sources in the build folder as they are, for programs with `regenerate_code=False`, whose sources were edited."""
    made = _build.Build(folder / 'build' / f'{name}.sdfgc')
    done = subprocess.run(['sh', '-e', str(made.folder / '.sdfgc' / 'commands.sh')], capture_output=True, text=True, errors='replace')
    if done.returncode:
        raise CompileError(3, (), done.stdout + done.stderr)
    return made


def _expand(sdfg, classpaths):
    """Expands the library nodes of these classes; returns whether there were any."""
    found = [(node, state) for node, state in sdfg.all_nodes_recursive() if isinstance(node, dace.nodes.LibraryNode) and
             f'{type(node).__module__}.{type(node).__qualname__}' in classpaths]
    for node, state in found:
        node.expand(state)
    return bool(found)


def _uses_gpu(sdfg):
    def on_gpu(kind):
        return kind is not None and kind.name.startswith('GPU_')
    return any(on_gpu(a.storage) for _, _, a in sdfg.arrays_recursive()) or any(
        on_gpu(getattr(node, 'schedule', None)) or on_gpu(getattr(getattr(node, 'map', None), 'schedule', None))
        for node, _ in sdfg.all_nodes_recursive())


def _link_sources(folder, made):
    """The folders that DaCe and its users expect in a build folder: sources, and the map of lines."""
    for name in ('src', 'map', 'sample'):
        link, target = folder / name, made / name
        if link.is_symlink():
            link.unlink()
        if link.exists():
            continue  # of a build by DaCe itself
        if target.is_dir():
            link.symlink_to(os.path.relpath(target, folder))
        else:
            link.mkdir()


def _scalar(argument):
    """The descriptor of an argument that the graph does not list."""
    kind = argument['type'] if isinstance(argument['type'], str) else 'int64'
    return dace.data.Scalar(getattr(dace, kind, dace.int64))


def _checked(program, error, message):
    """The function of a program, with errors as exceptions."""
    if error is None or message is None:
        return program

    def run(handle, *arguments):
        program(handle, *arguments)
        code = error(handle)
        if code:
            raise ProgramError(code, (message(handle) or b'').decode(errors='replace'))
    return run

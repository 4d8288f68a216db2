"""DaCe's configuration as options of sdfgc."""
import ast
import contextlib
import os
import shlex
import warnings

# Settings with a counterpart; the functions below read them.
_MAPPED = {
    'compiler.build_type', 'compiler.cpu.executable', 'compiler.cpu.args', 'compiler.cpu.libs', 'compiler.linker.args',
    'compiler.cuda.backend', 'compiler.cuda.cuda_arch', 'compiler.cuda.hip_arch', 'compiler.cuda.max_concurrent_streams',
    'compiler.cuda.path', 'compiler.build_jobs', 'compiler.static_archive', 'instrumentation.papi.default_counters', 'instrumentation.likwid.default_events',
}
# Settings that DaCe itself acts on before or after compiling, and those that change neither results nor libraries.
_ELSEWHERE = {
    'compiler.use_cache', 'compiler.build_folder_mode', 'compiler.library_prefix', 'compiler.library_extension',
    'compiler.indentation_spaces', 'compiler.precompiled_header', 'compiler.configure_cache', 'compiler.command_cache',
    'compiler.allow_shadowing', 'compiler.codegen_lineinfo', 'compiler.codegen_state_struct_suffix', 'compiler.format_code',
    'compiler.format_config_file', 'compiler.unique_functions', 'compiler.allow_view_arguments', 'compiler.lineinfo',
    'compiler.inline_sdfgs', 'compiler.max_stack_array_size', 'compiler.cpu.parallel_transfer_min_elements',
    'compiler.cpu.explicit_copy', 'compiler.cuda.thread_id_type', 'compiler.cuda.allow_implicit_memlet_to_map',
    'compiler.mpi.executable',
}
_SECTIONS = ('compiler', 'instrumentation', 'library')  # those that concern code generation
_reported = set()


class Settings:
    """DaCe's configuration: values, and which differ from the defaults."""

    def __init__(self, config):
        self._config = config

    def get(self, key, otherwise=''):
        """The value as text; `otherwise` if this version of DaCe lacks the setting."""
        try:
            return str(self._config.get(*key.split('.')))
        except KeyError:
            return otherwise

    def default(self, key):
        try:
            return str(self._config.get_default(*key.split('.')))
        except KeyError:
            return ''

    def changed(self, key):
        return self.get(key).strip().lower() not in {self.default(key).strip().lower(), {'true': '1', 'false': '0'}.get(self.default(key).lower())}

    def keys(self):
        """All settings of the sections that concern code generation."""
        def walk(prefix, about):
            for name, entry in about.get('required', {}).items():
                if 'required' in entry:
                    yield from walk(f'{prefix}.{name}', entry)
                else:
                    yield f'{prefix}.{name}'
        for section in _SECTIONS:
            try:
                yield from walk(section, self._config.get_metadata(section))
            except KeyError:
                pass


_OF_BUILD_TYPES = {'debug': ['-O0', '-g'], 'relwithdebinfo': ['-O2', '-g'], 'minsizerel': ['-Os'], 'release': []}


def target_of(settings, uses_gpu):
    """The target of a graph when the user has not chosen one."""
    if not uses_gpu:
        return 'cpu'
    return 'hip' if settings.get('compiler.cuda.backend').lower() == 'hip' else 'cuda'


def compiler_flags(settings):
    """Flags for the C++ compiler. Those that DaCe passes by default are left out: sdfgc has its own, which keep the meaning of
    floating-point operations (--fp-model)."""
    args, usual = settings.get('compiler.cpu.args'), settings.default('compiler.cpu.args')
    flags = list(_OF_BUILD_TYPES.get(settings.get('compiler.build_type', 'Release').lower(), []))
    flags += shlex.split(args[len(usual):] if args.startswith(usual) else args)
    flags += shlex.split(settings.get('compiler.linker.args'))
    libraries = [n if n.startswith('-') or '/' in n else f'-l{n}' for n in shlex.split(settings.get('compiler.cpu.libs'))]
    # They come before the sources on the command line, where linkers with --as-needed would drop them.
    return [*flags, '-Wl,--no-as-needed', *libraries] if libraries else flags


def options(settings, target):
    """Options of `sdfgc build`, as keyword arguments."""
    out = {}
    flags = compiler_flags(settings)
    if flags:
        out['cflags'] = flags
    if settings.get('compiler.cpu.executable'):
        out['cc'] = settings.get('compiler.cpu.executable')
    if settings.changed('compiler.build_jobs') and settings.get('compiler.build_jobs'):
        out['jobs'] = settings.get('compiler.build_jobs')
    if settings.get('compiler.static_archive').lower() in ('true', '1'):
        out['static'] = True
    if settings.changed('instrumentation.papi.default_counters'):
        out['papi_counters'] = list(ast.literal_eval(settings.get('instrumentation.papi.default_counters')))
    if settings.get('instrumentation.likwid.default_events'):
        out['likwid_events'] = settings.get('instrumentation.likwid.default_events')
    if target in ('cuda', 'hip'):
        listed = settings.get(f'compiler.cuda.{target}_arch').replace(';', ',').split(',')
        architectures = [a.strip() for a in listed if a.strip()]
        if architectures:
            out['gpu_arch'] = [f'sm_{a}' if target == 'cuda' and a[0].isdigit() else a for a in architectures]
        streams = int(settings.get('compiler.cuda.max_concurrent_streams', '0'))
        if streams:
            out['gpu_streams'] = max(streams, 1)  # -1 means only the default stream
    return out


def merged(of_dace, own):
    """Options with the user's own, which win; compiler flags are added."""
    out = {**of_dace, **own}
    if 'cflags' in of_dace and own.get('cflags'):
        flags = own['cflags']
        out['cflags'] = [*of_dace['cflags'], *(shlex.split(flags) if isinstance(flags, str) else flags)]
    return out


@contextlib.contextmanager
def environment(settings):
    """PATH with the GPU toolkit that DaCe is told to use."""
    toolkit, before = settings.get('compiler.cuda.path'), os.environ.get('PATH', '')
    if not toolkit:
        yield
        return
    os.environ['PATH'] = os.path.join(toolkit, 'bin') + os.pathsep + before
    try:
        yield
    finally:
        os.environ['PATH'] = before


def report_unknown(settings, target):
    """Warns once about each changed setting that sdfgc has no counterpart for."""
    for key in settings.keys():
        if key in _MAPPED or key in _ELSEWHERE or key in _reported or not settings.changed(key):
            continue
        if target == 'cpu' and key.startswith('compiler.cuda.'):
            continue
        _reported.add(key)
        warnings.warn(f'sdfgc ignores the setting {key} = {settings.get(key)!r} of DaCe', stacklevel=2)

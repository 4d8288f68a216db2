"""DaCe compiles with sdfgc.

    import sdfgc.dace
    sdfgc.dace.enable()          # from here on, every SDFG and every function with @dace.program is compiled by sdfgc

or, without changing the program: `python -m sdfgc.dace program.py`, or the variable SDFGC_DACE=1.

DaCe keeps its own CompiledSDFG, build folders and caches; only the generation and the compilation of code are replaced. Code that uses
`CompiledSDFG` directly therefore works as before: hooks, `fast_call`, subclasses, loading from a build folder.
"""
import importlib.abc
import importlib.util
import os
import shlex
import sys

__all__ = ['disable', 'enable', 'enable_from_environment', 'is_enabled']
_hooks = None  # the module that knows DaCe, once it was needed


class _Enabled:
    """The result of enable(): leaving its `with` block restores the earlier state."""

    def __init__(self, before):
        self._before = before

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._before is None:
            disable()
        else:
            _hooks.install(self._before)


def enable(target=None, *, sdfgc=None, arguments=(), **options):
    """Lets DaCe compile with sdfgc, until disable() or, if used as `with enable():`, until the end of the block.

    Without `target`, graphs that place something on a GPU are compiled for it (DaCe's `compiler.cuda.backend` says whether for CUDA or
    HIP), all others for the CPU. `options` and `arguments` are those of `sdfgc.build`; DaCe's own configuration provides the rest
    (docs/user/python.md), and settings without a counterpart are reported once as a warning."""
    global _hooks
    from . import _patches
    _hooks = _patches
    before = _patches.installed()
    _patches.install(_patches.Choice(target, sdfgc, tuple(map(str, arguments)), options))
    return _Enabled(before)


def disable():
    """Lets DaCe compile by itself again."""
    if _hooks:
        _hooks.remove()


def is_enabled():
    """Whether DaCe compiles with sdfgc."""
    return _hooks is not None and _hooks.installed() is not None


def __getattr__(name):
    if name == 'ProgramError':  # in a module that imports DaCe
        from ._patches import ProgramError
        return ProgramError
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


class _AfterDace(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Calls enable() when a program has imported DaCe, so that programs without DaCe do not pay for its import."""

    def __init__(self, call):
        self._call, self._loader = call, None

    def find_spec(self, name, path=None, target=None):
        if name != 'dace' or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None:
            self._loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._call()


def enable_from_environment():
    """Follows the variable SDFGC_DACE as soon as DaCe is imported: `enable()` for 1, `enable(target)` for a target, nothing for 0.
    SDFGC_DACE_OPTIONS holds further words of the command line."""
    asked = os.environ.get('SDFGC_DACE', '')
    if asked in ('', '0') or is_enabled():
        return
    target = None if asked == '1' else asked
    words = shlex.split(os.environ.get('SDFGC_DACE_OPTIONS', ''))
    if 'dace' in sys.modules:
        enable(target, arguments=words)
    elif not any(isinstance(finder, _AfterDace) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterDace(lambda: enable(target, arguments=words)))

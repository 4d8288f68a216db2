"""sdfgc for Python: compile a graph of DaCe and call the result.

    import sdfgc
    heat = sdfgc.compile('heat.sdfg')          # or an SDFG object, or a function with @dace.program
    heat(u=u, goal=goal, loss=loss, T=10)      # N follows from the shapes

The package runs the command `sdfgc`, which it finds by SDFGC, beside itself, or on PATH. Building needs no other package; calling
needs NumPy. `sdfgc.dace` makes DaCe itself compile with sdfgc.
"""
from . import dace
from ._command import command, version
from ._errors import CompileError, CompileWarning, Diagnostic
from ._build import Build, build
from ._program import CompiledProgram, compile, load
from ._version import __version__

__all__ = ['Build', 'CompileError', 'CompileWarning', 'CompiledProgram', 'Diagnostic', 'build', 'command', 'compile', 'dace', 'load', 'version']

dace.enable_from_environment()

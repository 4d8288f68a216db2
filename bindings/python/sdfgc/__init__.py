"""sdfgc for Python: compile a graph of DaCe and call the result.

    import sdfgc
    heat = sdfgc.compile('heat.sdfg')          # or an SDFG object, or a function with @dace.program
    heat(u=u, goal=goal, loss=loss, T=10)      # N follows from the shapes

The package runs the command `sdfgc`, which it finds by SDFGC, beside itself, or on PATH. Building needs no other package; calling
needs NumPy. `sdfgc.dace` makes DaCe itself compile with sdfgc.
"""
import os as _os

from ._command import command, version
from ._errors import CompileError, CompileWarning, Diagnostic
from ._build import Build, build
from ._program import CompiledProgram, compile, load

__all__ = ['Build', 'CompileError', 'CompileWarning', 'CompiledProgram', 'Diagnostic', 'build', 'command', 'compile', 'load', 'version']
__version__ = '0.1.0'

if _os.environ.get('SDFGC_DACE', '') not in ('', '0'):
    from . import dace as _dace
    _dace.enable_from_environment()

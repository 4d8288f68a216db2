"""Compares what inspect.signature shows of a program's module with the stub beside it.

  signatures.py MODULE [EXPECTED]     EXPECTED: the signature of a call, as text
"""
import ast
import importlib
import inspect
import sys

module = importlib.import_module(sys.argv[1])
with open(module.__file__ + 'i') as file:
    stub = ast.parse(file.read())
program = next(n for n in stub.body if isinstance(n, ast.ClassDef) and n.name == 'Program')
functions = {n.name: n for n in [*stub.body, *program.body] if isinstance(n, ast.FunctionDef)}


def parameters_of(function):
    """(name, kind, has a default), as the stub has them."""
    kind, a = inspect.Parameter, function.args
    positional = [*a.posonlyargs, *a.args]
    required = len(positional) - len(a.defaults)
    out = [(p.arg, kind.POSITIONAL_ONLY if k < len(a.posonlyargs) else kind.POSITIONAL_OR_KEYWORD, k >= required)
           for k, p in enumerate(positional)]
    out += [(a.vararg.arg, kind.VAR_POSITIONAL, False)] if a.vararg else []
    out += [(p.arg, kind.KEYWORD_ONLY, default is not None) for p, default in zip(a.kwonlyargs, a.kw_defaults)]
    return out + ([(a.kwarg.arg, kind.VAR_KEYWORD, False)] if a.kwarg else [])


for name, function in (('run', module.run), ('__call__', module.Program.__call__), ('bind', module.Program.bind),
                       ('initialize', module.Program.initialize)):
    shown = [(p.name, p.kind, p.default is not p.empty) for p in inspect.signature(function).parameters.values()]
    assert shown == parameters_of(functions[name]), f'{name}: {shown}\n{parameters_of(functions[name])}'
for made in program.body:
    assert not isinstance(made, ast.FunctionDef) or callable(getattr(module.Program, made.name)), made.name
for made in stub.body:
    assert not isinstance(made, (ast.FunctionDef, ast.ClassDef)) or hasattr(module, made.name), made.name
if len(sys.argv) > 2:
    assert str(inspect.signature(module.run)) == sys.argv[2], str(inspect.signature(module.run))

"""Calls in another process, which gets the arguments in a file and writes the outcome over it."""
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile


def call(folder, positional, named):
    """Runs the program of a build folder in another process. Arrays are copied there and back; its exceptions are raised here."""
    with tempfile.TemporaryDirectory(prefix='sdfgc-') as scratch:
        file = pathlib.Path(scratch) / 'call.pickle'
        file.write_bytes(pickle.dumps((os.fspath(folder), positional, named)))
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        path = os.pathsep.join(filter(None, (package, os.environ.get('PYTHONPATH'))))
        code = 'import sys; from sdfgc import _isolated; _isolated.main(sys.argv[1])'
        done = subprocess.run([sys.executable, '-c', code, os.fspath(file)], env=dict(os.environ, PYTHONPATH=path),
                              stdin=subprocess.DEVNULL)
        if done.returncode:
            reason = f'signal {signal.Signals(-done.returncode).name}' if done.returncode < 0 else f'status {done.returncode}'
            raise RuntimeError(f'the process that ran the program ended with {reason}')
        error, result, positional_there, named_there = pickle.loads(file.read_bytes())
    for here, there in [*zip(positional, positional_there), *((named[n], named_there[n]) for n in named)]:
        if hasattr(here, '__setitem__') and hasattr(here, 'shape') and getattr(getattr(here, 'flags', None), 'writeable', True):
            here[...] = there
    if error is not None:
        raise error
    return result


def main(file):
    from ._program import load
    folder, positional, named = pickle.loads(pathlib.Path(file).read_bytes())
    error = result = None
    try:
        with load(folder) as program:
            result = program(*positional, **named)
    except Exception as e:
        error = e if type(e).__module__ == 'builtins' else RuntimeError(str(e))
    pathlib.Path(file).write_bytes(pickle.dumps((error, result, positional, named)))

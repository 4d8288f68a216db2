"""The command `sdfgc`: where it is, and how keyword arguments become its options."""
import functools
import os
import pathlib
import shlex
import shutil
import subprocess
import warnings

from ._errors import CompileError, CompileWarning, parse


def _beside_package():
    """Possible paths of the executable in a wheel, an installation and a build tree."""
    package = pathlib.Path(__file__).resolve().parent
    yield package / 'bin' / 'sdfgc'
    parents = list(package.parents)
    for parent in parents[:5]:
        yield parent / 'bin' / 'sdfgc'
    for sources in parents[2:3]:
        if (sources / 'runtime-headers').is_dir():
            yield sources / 'build' / 'bin' / 'sdfgc'


def command(sdfgc=None):
    """The path of the command: the argument, else the variable SDFGC, else the one that belongs to this package, else the one on PATH."""
    for given, origin in ((sdfgc, 'the argument `sdfgc`'), (os.environ.get('SDFGC'), 'the variable SDFGC')):
        if given:
            found = shutil.which(os.fspath(given))
            if not found:
                raise FileNotFoundError(f'{origin} names {given}, which is not an executable file')
            return found
    for place in _beside_package():
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
    found = shutil.which('sdfgc')
    if not found:
        raise FileNotFoundError('the command sdfgc was not found: set the variable SDFGC to its path, or add its folder to PATH')
    return found


@functools.lru_cache
def _version_of(path, _stamp):
    return subprocess.run([path, '--version'], check=True, capture_output=True, text=True).stdout.strip()


def version(sdfgc=None):
    """The output of `sdfgc --version`."""
    path = command(sdfgc)
    about = os.stat(path)
    return _version_of(path, (about.st_mtime_ns, about.st_ino, about.st_size))


def option_words(options):
    """Keyword arguments as words of the command line: `fp_model='fast'` is `--fp-model fast`, True is an option without a value, None
    and False leave the option out. Lists are joined as the option wants them, dictionaries are NAME=VALUE,...; `O=3` is `-O 3`."""
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        option = f'-{name}' if len(name) == 1 else '--' + name.replace('_', '-')
        if value is True:
            words.append(option)
            continue
        if isinstance(value, dict):
            value = ','.join(f'{k}={v}' for k, v in value.items())
        elif isinstance(value, (list, tuple)):
            value = shlex.join(map(str, value)) if name == 'cflags' else ','.join(map(str, value))
        words += [f'{option}={value}'] if len(name) > 1 else [option, str(value)]
    return words


def run(subcommand, words, sdfgc=None, source=None):
    """Runs a subcommand. Warnings become CompileWarning; a failure is a CompileError. `source` is standard input.
    Returns standard output and all diagnostics."""
    done = subprocess.run([command(sdfgc), subcommand, '--diagnostics', 'json', *words], input=source or b'', capture_output=True)
    diagnostics, other = parse(done.stderr.decode(errors='replace'))
    if done.returncode:
        raise CompileError(done.returncode, diagnostics, other)
    for d in diagnostics:
        if d.severity == 'warning':
            warnings.warn(CompileWarning(d), stacklevel=_outside())
    return done.stdout.decode(errors='replace'), diagnostics


def _outside():
    """The number of the innermost frame that is not of this package, for warnings."""
    import sys
    level, frame, own = 1, sys._getframe(1), os.path.dirname(os.path.abspath(__file__))
    while frame.f_back and os.path.abspath(frame.f_code.co_filename).startswith(own + os.sep):
        level, frame = level + 1, frame.f_back
    return level

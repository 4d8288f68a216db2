"""The library that DaCe loads in front of each program, which also carries the manifest of the program."""
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

from .. import _build

_SOURCE = pathlib.Path(__file__).with_name('stub.c')
_MARK = b'\n-- manifest of sdfgc --\n'  # after the end of the library, which loaders do not read


def library():
    """The bytes of the stub. It is compiled once for each user and kept in the cache."""
    source = _SOURCE.read_bytes()
    file = _build.cache_folder().parent / 'python' / f'dacestub-{hashlib.sha256(source).hexdigest()[:16]}-{os.uname().machine}.so'
    try:
        return file.read_bytes()
    except OSError:
        pass
    with tempfile.TemporaryDirectory(prefix='sdfgc-') as scratch:
        made = os.path.join(scratch, 'stub.so')
        subprocess.run([*_compiler(), '-O2', '-shared', '-fPIC', str(_SOURCE), '-o', made, '-ldl'], check=True)
        content = pathlib.Path(made).read_bytes()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _build.place(content, file)
    except OSError:
        pass  # without a cache, the next program compiles it again
    return content


def _compiler():
    """A compiler for C. sdfgc has just used one for C++."""
    for words in (shlex.split(os.environ.get('CC', '')), ['cc'], ['gcc'], ['clang'], shlex.split(os.environ.get('CXX', '')), ['g++'], ['clang++']):
        if words and shutil.which(words[0]):
            return words
    raise FileNotFoundError('DaCe loads programs through a small library, and no C compiler was found for it: set CC')


def packed(manifest):
    """A manifest as the end of a stub."""
    return _MARK + json.dumps(manifest).encode()


def unpacked(stub):
    """The manifest at the end of a stub; None if there is no manifest."""
    content = pathlib.Path(stub).read_bytes()
    at = content.rfind(_MARK)
    return None if at < 0 else json.loads(content[at + len(_MARK):])

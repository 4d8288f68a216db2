"""Building: a graph becomes a build folder. Needs no NumPy."""
import copy
import hashlib
import json
import os
import pathlib
import re
import tempfile
import threading

from . import _command


class Build:
    """A build folder: `folder`, `manifest` (see schemas/manifest.schema.json), `library`, and the `diagnostics` of the run."""

    def __init__(self, folder, diagnostics=()):
        self.folder = pathlib.Path(folder).resolve()
        try:
            self.manifest = json.loads((self.folder / 'manifest.json').read_text())
        except FileNotFoundError:
            raise FileNotFoundError(f'{folder} is not a build folder of sdfgc: it has no manifest.json') from None
        self.diagnostics = tuple(diagnostics)

    @property
    def name(self):
        return self.manifest['name']

    @property
    def library(self):
        return self.folder / self.manifest['library']

    def __repr__(self):
        return f'<sdfgc.Build of {self.name} in {self.folder}>'


def cache_folder():
    """The folder of build folders in the user's cache, which sdfgc keeps within its size limit."""
    return pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache') / 'sdfgc' / 'run'


def place(content, path):
    """Writes a file under its name when it is complete: another process may be reading it."""
    partial = path.with_name(f'.{path.name}.{os.getpid()}.{threading.get_ident()}')
    try:
        partial.write_bytes(content)
        os.replace(partial, path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def sdfg_of(graph):
    """The SDFG object in `graph`: itself, or that of a function with @dace.program; None for a path."""
    if isinstance(graph, (str, os.PathLike)):
        return None
    if hasattr(graph, 'to_sdfg') and not hasattr(graph, 'to_json'):
        return graph.to_sdfg()
    if not hasattr(graph, 'to_json'):
        raise TypeError(f'a graph is a path, an SDFG, or a function with @dace.program, not a {type(graph).__name__}')
    return graph


def save(sdfg, path):
    """Writes an SDFG with everything that sdfgc needs: parts in other files are loaded, connectors of scopes are complete."""
    sdfg = copy.deepcopy(sdfg)
    if hasattr(sdfg, 'all_sdfgs_recursive'):
        for _ in sdfg.all_sdfgs_recursive(load_ext=True):
            pass
    if hasattr(sdfg, 'fill_scope_connectors'):
        sdfg.fill_scope_connectors()
    sdfg.save(os.fspath(path))


def build(graph, target='cpu', output=None, *, sdfgc=None, arguments=(), cache=None, **options):
    """Compiles a graph and returns its Build.

    `graph` is the path of an .sdfg, .sdfgz or .sdfgt file, an SDFG object, or a function with @dace.program. `options` are those of
    `sdfgc build`: `O=3`, `fp_model='fast'`, `emulate=True`, `cflags=['-g']`, `gpu_arch=['sm_80', 'sm_90']`; `arguments` are further
    words of the command line. Without `output`, the build folder is in the user's cache, one for each graph and options; nothing is
    compiled again if neither they nor sdfgc changed. `cache` is the folder of a cache of finished builds (`--cache`), which other
    folders, users and machines may share; True is the user's own.
    """
    sdfg = sdfg_of(graph)
    with tempfile.TemporaryDirectory(prefix='sdfgc-') as scratch:
        path, source = graph, None
        if sdfg is not None:
            path = os.path.join(scratch, f'{sdfg.name}.sdfg')
            save(sdfg, path)
            source = pathlib.Path(path).read_bytes()
        words = ['--target', target, *_command.option_words(options), *map(str, arguments)]
        if output is None:
            output = cache_folder() / _key(path, words)
        output = pathlib.Path(output)
        output.parent.mkdir(parents=True, exist_ok=True)
        # An object comes from standard input, so that a folder belongs to the object and not to the name of a temporary file.
        shared = ['--cache', os.fspath(cache_folder().parent if cache is True else cache)] if cache else []
        words = ['-' if source else os.fspath(path), '-o', os.fspath(output), *shared, *words]
        _, diagnostics = _command.run('build', words, sdfgc, source)
    return Build(output, diagnostics)


def _key(path, words):
    """A name for the build folder: programs that differ in the graph or in options never share one."""
    # DaCe gives each element a new identifier whenever it copies a graph, which would hide that two graphs are the same.
    content = re.sub(rb'"(guid|hash)": ?"[0-9a-f-]*",?', b'', pathlib.Path(path).read_bytes())
    digest = hashlib.sha256('\0'.join([*words, '']).encode() + content).hexdigest()
    name = ''.join(c if c.isalnum() or c in '-_' else '_' for c in pathlib.Path(path).name.split('.')[0])
    return f'python-{name}-{digest[:24]}'

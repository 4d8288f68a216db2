"""Packages, as `sdfgc package` writes them: unpacked into the user's cache, without the command sdfgc."""
import hashlib
import json
import os
import pathlib
import platform
import shutil
import stat
import tempfile
import zipfile
import zlib

from ._build import cache_folder

LARGEST = 1 << 32  # bytes of all files


def unpacked(path):
    """Returns the build folder of a package, which it unpacks into the user's cache unless one with the same content is there. Raises
    ValueError if the file is damaged or not a package. Nothing is unpacked unless every file has its checksum."""
    content = pathlib.Path(path).read_bytes()
    folder = cache_folder() / f'package-{hashlib.sha256(content).hexdigest()[:32]}'
    if not (folder / 'manifest.json').is_file():
        _unpack(path, folder)
    return folder


def _unpack(path, folder):
    files = _verified(path)
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = pathlib.Path(tempfile.mkdtemp(prefix='.package-', dir=folder.parent))
    try:
        for name, (content, mode) in files.items():
            target = partial / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(mode)
        try:
            os.rename(partial, folder)
        except OSError:
            if not (folder / 'manifest.json').is_file():  # otherwise another process was faster
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _verified(path):
    """{name: (content, mode)} of the files in a package."""
    def fail(why):
        raise ValueError(f'{os.fspath(path)} cannot be loaded: {why}')

    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            if sum(i.file_size for i in infos) > LARGEST:
                fail('it is too large')
            files = {}
            for i in infos:
                mode = i.external_attr >> 16
                if not _is_plain(i.filename) or i.filename in files:
                    fail('a file has a name that leads elsewhere, or that is there twice')
                if not stat.S_ISREG(mode):
                    fail(f'{i.filename} is a link, or something else that is not a regular file')
                files[i.filename] = archive.read(i), 0o755 if mode & 0o100 else 0o644
        about = json.loads(files.pop('package.json')[0])
        listed = {name: f['sha256'] for name, f in about['files'].items()}
        known = about['format'] == 'sdfgc package' and about['version'] == 1
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, TypeError, NotImplementedError, RuntimeError, OSError, UnicodeDecodeError,
            json.JSONDecodeError) as e:
        raise ValueError(f'{os.fspath(path)} cannot be loaded: it is not a package of sdfgc, or it is damaged ({e})') from None
    if not known:
        fail('it is in a format that this version of sdfgc does not know')
    if listed != {name: hashlib.sha256(content).hexdigest() for name, (content, _) in files.items()}:
        fail('a file is not the one that was packaged')
    if about.get('machine') not in ('unknown', platform.machine()):
        fail(f'it is for {about.get("machine")}, and this machine is {platform.machine()}')
    return files


def _is_plain(name):
    parts = name.split('/')
    return not any(p in ('', '.', '..') for p in parts) and not parts[0].startswith('.sdfgc') and not set(name) & set('\\:')

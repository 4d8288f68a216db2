#!/usr/bin/python3
"""Builds under hostile conditions: killed at random moments, on full disks, in folders that are not writable, many at once in one
folder, with a cache that other users share and damage. Checks that the next build is correct, that no files accumulate, and that no
build waits forever.

  tools/dev/hostile_builds.py [--sdfgc build/bin/sdfgc] [--seed N] [--kills N] [--emulated PERCENT] [PART...]

PART: kills, together, disk, readonly, cache (default: all). Each prints a line about what it did. Exit status 1 after an error; the
folder is then kept. Steps that a machine does not allow (mounts, other users) are reported and skipped.

A build is correct if it ends in time with status 0, its library computes the right result, and its folder is byte for byte the same
as after a build in an empty folder, without extra files. In a random half of the killed builds, the compilers are killed, too; in
the other half they live on for a while, as they do when only sdfgc is killed.
"""
import argparse
import ctypes
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 590  # seconds that a build may take before it counts as waiting for ever: less than sdfgc waits for a folder (Folder.h)
NOBODY, DAEMON = 65534, 1
STATE = ('.sdfgc/build.json', '.sdfgc/lock')  # hold time stamps and process numbers
PROGRAM = '''sdfg f {{
  symbol N: int64
  argument A: float64[N]
  argument B: float64[N]
  state main {{
    map m[i = 0:N] with <- A[0:N]; -> B[0:N] {{
      t: b = a {operation} 3  with a <- A[i]; b -> B[i]
    }}
  }}
}}
'''
OPERATIONS = {'+': lambda a: a + 3, '*': lambda a: a * 3}
SIZE = 8


class Wrong(Exception):
    """A broken promise."""


def check(condition, message):
    if not condition:
        raise Wrong(message)


class Variant:
    """What to build: an operation, and the CPU or the emulated GPU."""

    def __init__(self, bench, operation, emulated):
        self.operation, self.emulated = operation, emulated
        self.graph = os.path.join(bench.folder, f'{"plus" if operation == "+" else "times"}.sdfgt')
        # Without optimisation: what matters is when a compiler runs, not what it finds.
        self.options = ['--cflags', '-O0'] + (['--target', 'cuda', '--emulate'] if emulated else [])
        self.files = self.seconds = None

    def __str__(self):
        return f'{os.path.basename(self.graph)} for {"the emulated GPU" if self.emulated else "the CPU"}'


class Bench:
    """The folder of everything, the environment of all builds, and what an undisturbed build of each variant gives."""

    def __init__(self, options, folder):
        self.sdfgc, self.folder, self.random = os.path.abspath(options.sdfgc), folder, random.Random(options.seed)
        self.cache, self.temporary = os.path.join(folder, 'cache'), os.path.join(folder, 'tmp')
        os.makedirs(self.temporary)
        os.chmod(folder, 0o755)
        os.chmod(self.temporary, 0o1777)
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.cache, TMPDIR=self.temporary)
        self.variants = [Variant(self, operation, emulated) for operation in OPERATIONS for emulated in (False, True)]
        for operation, name in (('+', 'plus'), ('*', 'times')):
            with open(os.path.join(folder, f'{name}.sdfgt'), 'w', encoding='utf-8') as f:
                f.write(PROGRAM.format(operation=operation))

    def variant(self, emulated, operation='+'):
        return self.known(next(v for v in self.variants if v.emulated == emulated and v.operation == operation))

    def known(self, variant):
        """The variant, with files and seconds of an undisturbed build."""
        if variant.files is None:
            out = self.fresh('reference')
            self.build(variant, out)  # fills the cache
            shutil.rmtree(out)
            start = time.monotonic()
            self.build(variant, out)
            variant.seconds = time.monotonic() - start
            variant.files = self.content(out)
        return variant

    def fresh(self, name):
        """A build folder that is not there yet."""
        parent = os.path.join(self.folder, name)
        shutil.rmtree(parent, ignore_errors=True)
        os.makedirs(parent)
        return os.path.join(parent, 'out')

    def forget_objects(self):
        shutil.rmtree(os.path.join(self.cache, 'sdfgc/objects'), ignore_errors=True)

    def start(self, variant, out, environment=None, **how):
        return subprocess.Popen([self.sdfgc, 'build', '-q', variant.graph, '-o', out, *variant.options], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True, cwd=self.folder,
                                env=environment or self.environment, **how)

    def finished(self, process):
        """Status and messages of a build."""
        try:
            said = process.communicate(timeout=LIMIT)[1].decode(errors='replace')
        except subprocess.TimeoutExpired:
            end_session(process)
            raise Wrong(f'{" ".join(process.args)}: still running after {LIMIT} s') from None
        return process.returncode, said

    def build(self, variant, out, environment=None, **how):
        status, said = self.finished(self.start(variant, out, environment, **how))
        check(status == 0, f'building {variant} ends with status {status}:\n{said}')

    def refused(self, variant, out, environment=None, statuses=(1, 3), **how):
        status, said = self.finished(self.start(variant, out, environment, **how))
        check(status in statuses and 'error: ' in said, f'building {variant} should be an error, but ends with status {status}:\n{said}')
        return said

    def content(self, out):
        """What the files hold, by path; the folder's own name, which stands in compile_commands.json, left out."""
        files = {}
        for parent, _, names in os.walk(out):
            for name in names:
                path = os.path.join(parent, name)
                with open(path, 'rb') as f:
                    files[os.path.relpath(path, out)] = f.read().replace(os.fsencode(out), b'OUT')
        files.update({path: b'' for path in STATE})
        return files

    def right(self, variant, out):
        """The folder holds the whole of the variant and nothing else, and its library works."""
        self.known(variant)
        there = self.content(out)
        more, less = sorted(there.keys() - variant.files.keys()), sorted(variant.files.keys() - there.keys())
        check(not more, f'{out}: {variant} leaves {", ".join(more)}')
        check(not less, f'{out}: {variant} lacks {", ".join(less)}')
        other = [path for path, text in variant.files.items() if there[path] != text]
        check(not other, f'{out}: {variant} has other bytes in {", ".join(sorted(other))}')
        self.works(variant, out)

    def works(self, variant, out):
        """Calls the library, in a process of its own: libraries of one path would be taken for one library."""
        child = os.fork()
        if child == 0:
            os._exit(0 if computes(os.path.join(out, 'lib/libf.so'), OPERATIONS[variant.operation]) else 1)
        check(os.waitpid(child, 0)[1] == 0, f'{out}: the library of {variant} is wrong')


def computes(library, operation):
    """Does the program of a library turn A into B as the operation says?"""
    program = ctypes.CDLL(library)
    program.f_initialize.restype = ctypes.c_void_p
    n = ctypes.c_int64(SIZE)
    handle = ctypes.c_void_p(program.f_initialize(n))
    a, b = (ctypes.c_double * SIZE)(*range(SIZE)), (ctypes.c_double * SIZE)()
    program.f_program(handle, a, b, n)
    return handle.value is not None and program.f_error(handle) == 0 and list(b) == [operation(x) for x in range(SIZE)]


def session_of(process):
    """The live processes of a build, including itself: compilers have process groups of their own, but its session."""
    for entry in os.listdir('/proc'):
        try:
            if entry.isdigit() and os.getsid(int(entry)) == process.pid:
                with open(f'/proc/{entry}/stat', encoding='utf-8', errors='replace') as f:
                    if f.read().rpartition(')')[2].split()[0] != 'Z':
                        yield int(entry)
        except (ProcessLookupError, FileNotFoundError, PermissionError):
            pass


def end_session(process):
    """Kills a build and all that it has started, until nothing is left: a compiler may be starting another process just now."""
    while alive := list(session_of(process)):
        for one in alive:
            try:
                os.kill(one, signal.SIGKILL)
            except ProcessLookupError:
                pass
    process.wait()


def temporaries(folder):
    return [os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names if '.tmp-' in name]


# ---- killed

def kills(bench, options):
    """Builds one variant, kills it, builds the same or another: as often as is asked."""
    out = bench.fresh('kills')
    alive = 0

    def any_variant():
        return bench.variant(bench.random.randrange(100) < options.emulated, bench.random.choice('+*'))

    for i in range(options.kills):
        doomed = any_variant()
        after = doomed if bench.random.randrange(2) else any_variant()
        if bench.random.randrange(4) == 0:
            shutil.rmtree(out, ignore_errors=True)
        if bench.random.randrange(20) == 0:
            bench.forget_objects()
        process = bench.start(doomed, out)
        time.sleep(bench.random.uniform(0, doomed.seconds * 1.2))
        alive += process.poll() is None
        orphans = bench.random.randrange(2) == 0
        if orphans and process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            end_session(process)
        try:
            bench.build(after, out)
            if orphans:  # compilers that outlive sdfgc finish their files; the build after that removes them
                bench.works(after, out)
                end_session(process)
                bench.build(after, out)
            bench.right(after, out)
        except Wrong as wrong:
            raise Wrong(f'kill {i}, of {doomed}: {wrong}') from None
        finally:
            process.wait()
            process.stderr.close()
    swept = no_litter(bench) if options.emulated else ''
    return f'{options.kills} builds killed, {alive} of them before they were done{swept}'


def no_litter(bench):
    """Files that killed runs left in the cache are removed by later writers, once they are old."""
    left = temporaries(bench.cache)
    planted = [os.path.join(bench.cache, 'sdfgc', name) for name in ('objects/.x.o.tmp-1-1', '.compiler-x.json.tmp-1-1')]
    for path in planted:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8'):
            pass
    for path in left + planted:
        os.utime(path, (time.time() - 2 * 86400,) * 2)
    bench.forget_objects()
    for name in os.listdir(os.path.join(bench.cache, 'sdfgc')):
        if name.endswith('.json'):
            os.remove(os.path.join(bench.cache, 'sdfgc', name))
    bench.build(bench.variant(True), bench.fresh('swept'))
    kept = temporaries(bench.cache)
    check(not kept, f'in the cache stay {", ".join(kept)}')
    return f', {len(left)} temporary files left in the cache and removed'


# ---- together

def together(bench, options):
    """Many builds in one folder at once: of one variant; of several; with some that are killed."""
    plus, times = bench.variant(False, '+'), bench.variant(False, '*')
    everything = [plus, times] + ([bench.variant(True)] if options.emulated else [])
    for variants in ([plus], everything):
        out = bench.fresh('together')
        running = [bench.start(variants[i % len(variants)], out) for i in range(16)]
        for process in running:
            status, said = bench.finished(process)
            check(status == 0, f'one of 16 builds ends with status {status}:\n{said}')
        bench.build(variants[-1], out)
        bench.right(variants[-1], out)
    out = bench.fresh('together')
    running = [bench.start(everything[i % len(everything)], out) for i in range(16)]
    for i, process in enumerate(running):
        if i % 2:
            time.sleep(bench.random.uniform(0, 0.2))
            end_session(process)
    for process in running[::2]:
        status, said = bench.finished(process)
        check(status == 0, f'one of 16 builds, beside others that were killed, ends with status {status}:\n{said}')
    bench.build(plus, out)
    bench.right(plus, out)
    return '16 builds at once in one folder, three times'


# ---- full disks

def disk(bench, options):
    """A disk that is full after every amount of bytes, from one that holds nothing to one that holds everything."""
    variant = bench.variant(False)
    done = []
    limit, refusals = 256, 0
    while limit < 1 << 24:  # the size of one file: what can be had without mounts
        out = bench.fresh('limited')
        status, said = bench.finished(bench.start(variant, out, preexec_fn=lambda: limited_files(limit)))
        if status == 0:
            break
        check(status in (1, 3) and 'error: ' in said, f'files of {limit} bytes: status {status}:\n{said}')
        check(not temporaries(out), f'files of {limit} bytes: {", ".join(temporaries(out))} stay')
        bench.build(variant, out)
        bench.right(variant, out)
        limit, refusals = limit * 2, refusals + 1
    check(refusals > 3, 'limits of file sizes were not felt')
    done.append(f'{refusals} limits of file sizes')
    if not bench.mounts:
        return done[0] + '; full disks left out: no mounts here'
    for variant in [variant] + ([bench.variant(True)] if options.emulated else []):
        done.append(f'{fill_disks(bench, variant)} sizes of disk for {"the emulated GPU" if variant.emulated else "the CPU"}')
    with Mount(bench, 'full', '16k') as full:
        bench.refused(variant, bench.fresh('no-temporary'), dict(bench.environment, TMPDIR=full), (3,))
        if options.emulated:
            shutil.rmtree(full, ignore_errors=True)
            out = bench.fresh('no-cache')
            bench.build(bench.variant(True), out, dict(bench.environment, XDG_CACHE_HOME=full))
            bench.right(bench.variant(True), out)
    return ', '.join(done)


def limited_files(size):
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class Mount:
    """A disk in memory."""

    def __init__(self, bench, name, size):
        self.path, self.size = os.path.join(bench.folder, name), size

    def __enter__(self):
        os.makedirs(self.path, exist_ok=True)
        subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={self.size},mode=755', 'tmpfs', self.path], check=True)
        return self.path

    def __exit__(self, *_):
        subprocess.run(['umount', self.path], check=True)


def fill_disks(bench, variant):
    size, refusals = 8, 0
    while True:
        with Mount(bench, 'disk', f'{size}k') as mounted:
            out = os.path.join(mounted, 'out')
            status, said = bench.finished(bench.start(variant, out))
            if status != 0:
                check(status in (1, 3) and 'error: ' in said, f'a disk of {size} KiB: status {status}:\n{said}')
                check(not temporaries(mounted), f'a disk of {size} KiB: {", ".join(temporaries(mounted))} stay')
                refusals += 1
            subprocess.run(['mount', '-o', 'remount,size=64m', mounted], check=True)
            bench.build(variant, out)
            bench.right(variant, out)
        if status == 0:
            check(refusals > 3, 'disks were not full')
            return refusals
        size = size * 5 // 4 // 4 * 4 + 4


# ---- folders that cannot be written

def readonly(bench, _):
    """Build folders on disks that cannot be written, or of other users; and a cache that is not writable."""
    variant, other = bench.variant(False, '+'), bench.variant(False, '*')
    done, left_out = [], []
    if bench.mounts:
        out = bench.fresh('readonly')
        bench.build(variant, out)
        subprocess.run(['mount', '--bind', out, out], check=True)
        subprocess.run(['mount', '-o', 'remount,bind,ro', out], check=True)
        bench.refused(other, out, statuses=(1,))
        bench.refused(other, os.path.join(out, 'new'), statuses=(1,))
        bench.works(variant, out)
        subprocess.run(['umount', out], check=True)
        bench.right(variant, out)
        done.append('a disk that cannot be written')
    else:
        left_out.append('mounts')
    for user in [NOBODY] if bench.users else [None]:
        if user is None and os.geteuid() == 0:
            left_out.append('other users')
            continue
        out = bench.fresh('of-others')
        bench.build(variant, out)
        for parent, _, _ in os.walk(out):
            os.chmod(parent, 0o555)
        bench.refused(other, out, statuses=(1,), user=user)
        bench.refused(other, os.path.join(out, 'new'), statuses=(1,), user=user)
        bench.right(variant, out)
        for parent, _, _ in os.walk(out):
            os.chmod(parent, 0o755)
        done.append('folders of other users')
    for environment in ({'XDG_CACHE_HOME': '/proc/nowhere'}, {'XDG_CACHE_HOME': '', 'HOME': ''}):
        out = bench.fresh('no-cache')
        bench.build(variant, out, dict(bench.environment, **environment))
        bench.right(variant, out)
    return ', '.join(done + ['no cache'] + [f'left out: {what}' for what in left_out])


# ---- a cache that others share

def cache(bench, options):
    """A cache that two users share, whose files one may not read or replace; and one that is damaged in every way."""
    if not options.emulated:
        return 'left out: only the emulated GPU has objects in the cache'
    variant = bench.variant(True)
    count = 0
    for damage in DAMAGES[:options.damages]:
        objects = os.path.join(bench.cache, 'sdfgc/objects')
        if not os.path.isdir(objects):
            bench.build(variant, bench.fresh('cache'))
        victim = os.path.join(bench.folder, 'victim')
        with open(victim, 'w', encoding='utf-8') as f:
            f.write('of somebody else')
        for folder, _, names in [next(os.walk(os.path.dirname(objects))), *os.walk(objects)]:
            for name in names:
                damage(os.path.join(folder, name), victim)
        out = bench.fresh('cache')
        bench.build(variant, out)
        bench.right(variant, out)
        with open(victim, encoding='utf-8') as f:
            check(f.read() == 'of somebody else', f'{damage.__name__}: a file outside of the cache was changed')
        shutil.rmtree(bench.cache)
        count += 1
    return f'{count} ways to damage a cache; ' + (two_users(bench, variant) if bench.users else 'left out: other users')


def two_users(bench, variant):
    """A folder that both may write: with and without the right to remove the other's files, with files that others may not read."""
    rounds = 0
    for mode, umask in ((0o2777, 0o077), (0o1777, 0o077), (0o2777, 0o002), (0o1777, 0o022)):
        shared = os.path.join(bench.folder, 'shared')
        shutil.rmtree(shared, ignore_errors=True)
        for folder in ('', 'sdfgc', 'sdfgc/objects'):
            os.makedirs(os.path.join(shared, folder), exist_ok=True)
            os.chmod(os.path.join(shared, folder), mode)
        for user in (NOBODY, DAEMON, NOBODY):
            out = bench.fresh('of-users')
            os.chown(os.path.dirname(out), user, user)
            bench.build(variant, out, dict(bench.environment, XDG_CACHE_HOME=shared), user=user, group=user, extra_groups=[], umask=umask)
            bench.right(variant, out)
            rounds += 1
    return f'{rounds} builds of two users with one cache'


def truncated(path, _):
    os.truncate(path, os.path.getsize(path) // 2)


def emptied(path, _):
    os.truncate(path, 0)


def flipped(path, _):
    with open(path, 'r+b') as f:
        text = bytearray(f.read())
        text[len(text) // 3] ^= 1
        f.seek(0)
        f.write(text)


def pipes(path, _):
    os.remove(path)
    os.mkfifo(path)


def folders(path, _):
    os.remove(path)
    os.makedirs(os.path.join(path, 'below'))


def links(path, victim):
    os.remove(path)
    os.symlink(victim, path)


def endless(path, _):
    os.remove(path)
    os.symlink('/dev/zero', path)


DAMAGES = [pipes, endless, links, flipped, truncated, folders, emptied]


# ---- all

PARTS = {part.__name__: part for part in (kills, together, disk, readonly, cache)}


def inside_namespace():
    """Starts the script again where it may mount, if it can."""
    unshare = ['unshare', '-m'] if os.geteuid() == 0 else ['unshare', '-Urm']
    probe = unshare + ['mount', '-t', 'tmpfs', 'tmpfs', '/mnt']
    if 'SDFGC_MOUNTS' in os.environ or shutil.which('unshare') is None:
        return
    mounts = subprocess.run(probe, stderr=subprocess.DEVNULL, check=False).returncode == 0
    os.environ['SDFGC_MOUNTS'] = str(int(mounts))
    command = [sys.executable] + sys.argv
    os.execvp('unshare', unshare + command) if mounts else os.execv(sys.executable, command)


def other_users(sdfgc):
    """May this process start sdfgc as another user?"""
    try:
        return subprocess.run([sdfgc, '--version'], user=NOBODY, group=NOBODY, extra_groups=[], stdout=subprocess.DEVNULL,
                              check=False).returncode == 0
    except OSError:
        return False


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--sdfgc', default='build/bin/sdfgc')
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--kills', type=int, default=1000)
    ap.add_argument('--emulated', type=int, default=20, help='percentage of builds for the emulated GPU; 0 leaves them out everywhere')
    ap.add_argument('--damages', type=int, default=len(DAMAGES), help='how many ways of damaging the cache')
    ap.add_argument('parts', nargs='*', choices=[[], *PARTS], metavar='PART')
    options = ap.parse_args()
    inside_namespace()
    folder = tempfile.mkdtemp(prefix='sdfgc-hostile-')
    bench = Bench(options, folder)
    bench.mounts = os.environ.get('SDFGC_MOUNTS') == '1'
    bench.users = other_users(bench.sdfgc)
    wrong = 0
    for name in options.parts or PARTS:
        start = time.monotonic()
        try:
            said = PARTS[name](bench, options)
        except Wrong as why:
            said, wrong = f'WRONG: {why}', wrong + 1
        print(f'{name}: {said} ({time.monotonic() - start:.0f} s)', flush=True)
    if wrong:
        sys.exit(f'see {folder}')
    shutil.rmtree(folder)


if __name__ == '__main__':
    main()

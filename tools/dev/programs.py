"""Programs that sdfgc builds from graphs, for the scripts of this folder: made, loaded, called, timed."""
import ctypes
import json
import os
import statistics
import subprocess
import sys
import time


def run(command):
    """Ends the script with the output of a command that fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    if done.returncode:
        sys.exit(f'{" ".join(map(str, command))}: status {done.returncode}\n{done.stdout[-4000:]}')


def build(sdfgc, graph, folder, *options):
    """The build folder, below `folder`, of a graph: a dictionary, or a file that is called like the program. One that is there is taken."""
    is_file = isinstance(graph, str)
    name = os.path.splitext(os.path.basename(graph))[0] if is_file else graph['attributes']['name']
    out = os.path.join(folder, name)
    if os.path.exists(os.path.join(out, 'lib', f'lib{name}.so')):
        return out
    if not is_file:
        with open(out + '.sdfg', 'w') as f:
            json.dump(graph, f)
    run([sdfgc, 'build', '-q', graph if is_file else out + '.sdfg', '-o', out, *options])
    return out


def function(library, name, result, *arguments):
    """A function of a library, typed for ctypes."""
    f = library[name]
    f.restype, f.argtypes = result, arguments
    return f


class Program:
    """An instance of a program in a build folder, for the values of its symbols. Calls take the addresses of arrays by name, and the other
    numbers that the program takes, typed for ctypes, whose names come after those of symbols."""

    def __init__(self, out, symbols):
        name = os.path.basename(out)
        self.library = ctypes.CDLL(os.path.join(out, 'lib', f'lib{name}.so'))
        self.prefix = name
        self._symbols = [ctypes.c_int64(symbols[s]) for s in sorted(symbols)]
        self._program = function(self.library, name + '_program', None)
        self._error = function(self.library, name + '_error', ctypes.c_int, ctypes.c_void_p)
        self._message = function(self.library, name + '_error_message', ctypes.c_char_p, ctypes.c_void_p)
        handle = function(self.library, name + '_initialize', ctypes.c_void_p)(*self._symbols)
        if not handle:
            sys.exit(f'{name}: cannot be set up')
        self.handle = ctypes.c_void_p(handle)

    def caller(self, addresses, *numbers):
        """A function that calls the program with arrays at these addresses."""
        arguments = [self.handle] + [ctypes.c_void_p(addresses[a]) for a in sorted(addresses)] + self._symbols + list(numbers)

        def call():
            self._program(*arguments)
            if self._error(self.handle):
                sys.exit(f'{self.prefix}: {self._message(self.handle).decode(errors="replace")}')
        return call

    def entry(self):
        """The address of the program's function."""
        return ctypes.cast(self._program, ctypes.c_void_p)

    def close(self):
        function(self.library, self.prefix + '_finalize', ctypes.c_int, ctypes.c_void_p)(self.handle)


def seconds(call, repeats):
    """How long each call takes."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


def median_seconds(call, repeats):
    return statistics.median(seconds(call, repeats))

"""Programs of sdfgc beside the same by hand (suite.py): built, compared and timed, with all arrays in device memory.

Graphs are plain: sdfgc moves them to the device as those of any front end, with a copy of each array there. Only what happens on the device
is compared, so the graph is taken after the pass that moves it, and the copies become its arguments."""
import contextlib
import ctypes
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys

import numpy as np

import programs
from gpu_bench.measure import Device, Placed

TOLERANCE = {np.float32: 1e-4, np.float64: 1e-9, np.complex128: 1e-9}
NUMBERS = {'int64': ctypes.c_int64, 'float64': ctypes.c_double, 'float32': ctypes.c_float}
MOST_OPERATIONS = 200000  # of a program that is timed
MOVED = 'offload-to-gpu'
SIZES_FROM_CALLERS = ['--pass-option', f'{MOVED}.find-sizes=false']  # without a loop on the host that reads the arguments
LIBRARIES = {'cuda': {'gpufft': ['-lcufft'], 'gpublas': ['-lcublas']}, 'hip': {'gpufft': ['-lhipfft'], 'gpublas': ['-lhipblas']},
             'emulated': {'gpufft': ['-lfftw3', '-lfftw3f'], 'gpublas': ['-lopenblas']}}


def resident(text):
    """A graph that was moved to the device, as JSON, with the twins on the device in the place of the arguments. And the
    arguments that the program accesses on the host nevertheless."""
    graph = json.loads(text)
    arrays = graph['attributes']['_arrays']
    twins = {name: name[4:] for name in arrays if name.startswith('gpu_') and name[4:] in arrays}
    for state in graph['nodes']:
        if state['label'] in ('copy_in', 'copy_out'):
            state['nodes'], state['edges'] = [], []
    for twin, name in twins.items():
        del arrays[name]
        arrays[twin]['attributes']['transient'] = False
    used = accessed(graph) & set(twins.values())
    text = json.dumps(graph)
    for twin, name in twins.items():
        text = re.sub(rf'\b{twin}\b', name, text)
    return text, ', '.join(sorted(used))


def accessed(region):
    """The containers that states of a region access, those of nested SDFGs aside."""
    inside = region.get('nodes', []) + [branch for _, branch in region.get('branches', [])]
    names = [{node['attributes']['data']} if node['type'] == 'AccessNode' else accessed(node) for node in inside]
    return set().union(*names)


def run(command):
    """The status and the output of a command."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    return done.returncode, done.stdout


def first_error(output):
    return next((line for line in output.splitlines() if 'error:' in line), output[:200]).split('error: ')[-1]


def build(sdfgc, beside, folder, flags):
    """Builds a program into `folder`/NAME. Returns what there is to say about it: that it is refused, or stays on the host by default. What
    is in the folder is kept."""
    noted = os.path.join(folder, beside.name + '.note')
    if os.path.exists(noted):
        with open(noted, encoding='utf-8') as f:
            return f.read()
    note = _build(sdfgc, beside, folder, flags)
    with open(noted, 'w', encoding='utf-8') as f:
        f.write(note)
    return note


def _build(sdfgc, beside, folder, flags):
    graph, note = os.path.join(folder, beside.name + '.sdfg'), ''
    moving = [sdfgc, 'opt', beside.graph, '-o', graph, *flags[:4], '--stop-after', MOVED, *SIZES_FROM_CALLERS]
    status, output = run(moving)
    if status == 0 and 'no part of' in output:
        note = 'on the host by default: ' + re.search(r'runs on the device: (.*)', output)[1]
        status, output = run([*moving, '--place', 'device'])
    if status:
        return 'refused: ' + first_error(output)
    with open(graph, encoding='utf-8') as f:
        text, used = resident(f.read())
    if used:
        return f'the host accesses {used}'
    with open(graph, 'w', encoding='utf-8') as f:
        f.write(text)
    status, output = run([sdfgc, 'build', graph, '-o', os.path.join(folder, beside.name), *flags, '--start-after', MOVED])
    if status:
        return 'refused: ' + first_error(output)
    on_host = re.search(r'warning: (.*) \[SD4544\]', output)
    return note or ('partly on the host: ' + on_host[1] if on_host else '')


def available(compile_command, beside, target, folder):
    """The object of kernels by hand that call a library, and what to link; nothing if the library is not installed."""
    out = os.path.join(folder, beside.name + '.o')
    status, output = run([*compile_command, '-c', beside.source, '-o', out])
    if status and 'No such file' not in output:
        sys.exit(f'{beside.source}: status {status}\n{output[-4000:]}')
    return [] if status else [out, *LIBRARIES[target][beside.library]]


class Ours(programs.Program):
    """A program, whose manifest tells what a call takes."""

    def __init__(self, out, sizes):
        with open(os.path.join(out, 'manifest.json'), encoding='utf-8') as f:
            self.manifest = json.load(f)
        super().__init__(out, {a['name']: sizes[a['name']] for a in self.manifest['init_arguments']})
        self._names = [a['name'] for a in self.manifest['arguments']]

    def call_with(self, addresses, numbers):
        arguments = [ctypes.c_void_p(addresses[n]) if n in addresses else NUMBERS[numbers[n][0]](numbers[n][1]) for n in self._names]

        def call():
            self._program(self.handle, *arguments)
            if self._error(self.handle):
                sys.exit(f'{self.prefix}: {self._message(self.handle).decode(errors="replace")}')
        return call

    def operations(self, sizes):
        """Of a call, as the manifest says; None if it depends on data."""
        formula = self.manifest['device_work']['operations']
        try:
            return eval(formula, {'min': min, 'max': max, 'floor': math.floor, 'ceil': math.ceil}, dict(sizes)) if formula else None
        except NameError:
            return None


class Counts(ctypes.Structure):
    """What an emulated device did: runtime-headers/sdfgc/rt/gpu/emulate.h."""
    NUMBERS = ('kernels', 'library_calls', 'fills', 'copies', 'copies_in', 'bytes_in', 'copies_out', 'bytes_out', 'waits', 'graphs', 'allocations')
    _fields_ = [(name, ctypes.c_int64) for name in NUMBERS]

    @classmethod
    def operations(cls, library):
        counts = cls()
        library.sdfgc_emulation_counts(ctypes.byref(counts))
        return counts.kernels + counts.library_calls + counts.fills + counts.copies


def counted(what, library, call):
    """The operations of a call on the emulated device. Ends the script if that reports an error."""
    before = Counts.operations(library)
    call()
    if library.sdfgc_emulation_reports():
        sys.exit(f'{what}: the emulated device reports errors')
    return Counts.operations(library) - before


def compare(what, beside, found, expected, differing):
    """Ends the script if results differ by more than rounding does."""
    for name, right in expected.items():
        kind, value = right.dtype.type, found[name]
        if kind in TOLERANCE:
            wrong = ~(np.abs(value - right) <= TOLERANCE[kind] * (np.abs(right) + np.max(np.abs(right), initial=0)))
        else:
            wrong = value != right
        if np.count_nonzero(wrong) > differing * wrong.size:
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            sys.exit(f'{beside.name}, {what}: `{name}` has {np.count_nonzero(wrong)} wrong elements of {wrong.size}, the first one at {at}: '
                     f'{value[at]}, not {right[at]}')


def interpreted(sdfgc, beside, data, numbers, folder):
    """The results by sdfgc's interpreter."""
    results, folder = beside.results.split(), os.path.join(folder, beside.name + '.data')
    os.makedirs(folder, exist_ok=True)
    file = lambda name: os.path.join(folder, name + '.npy')
    for name, array in data.items():
        np.save(file(name), array)
    given = [f'--arg={name}={file(name)}' for name in data] + [f'--arg={name}={number!r}' for name, (_, number) in numbers.items()]
    programs.run([sdfgc, 'run', beside.graph, '--interpret', '-q', *given, *[f'--out={name}={file("out_" + name)}' for name in results]])
    found = {name: np.load(file('out_' + name)) for name in results}
    shutil.rmtree(folder)
    return found


def hand_call(by_hand, beside, addresses, numbers):
    arguments = [ctypes.c_void_p(addresses[name]) for name in sorted(addresses)] + [NUMBERS[kind](n) for kind, n in numbers.values()]
    kernel = by_hand.kernel(beside.name)

    def call():
        if status := kernel(*arguments):
            sys.exit(f'{beside.name}, by hand: status {status} of the device')
    return call


RESULTS = ['program', 'results of sdfgc', 'by hand', 'operations', 'by hand', 'note']
TIMES = ['program', 'sdfgc, µs', 'by hand, µs', 'ratio', 'operations', 'note']


class Pair:
    """Both forms of a program with the same arguments, each in memory that its library can use."""

    def __init__(self, beside, by_hand, folder, emulated, note, has_hand):
        self.beside, self.by_hand, self.folder, self.note, self.has_hand = beside, by_hand, folder, note, has_hand
        self.sizes = beside.sizes(emulated)
        self.numbers, self.data = beside.numbers(self.sizes), beside.data(self.sizes)
        out = os.path.join(folder, beside.name)
        self.ours = Ours(out, self.sizes) if os.path.exists(os.path.join(out, 'lib', f'lib{beside.name}.so')) else None

    def placed(self, device):
        return Placed(self.by_hand, device, self.data, set(self.data))

    def results(self, placed):
        return {name: placed.fetch(name) for name in self.beside.results.split()}

    def callers(self):
        """Of each form that there is: its library, its device, and the function that makes a call from addresses."""
        if self.has_hand:
            yield 'by hand', self.by_hand.library, self.by_hand.device, lambda at: hand_call(self.by_hand, self.beside, at, self.numbers)
        if self.ours:
            device = Device(self.ours.library, self.ours.prefix)
            yield 'sdfgc', self.ours.library, device, lambda at: self.ours.call_with(at, self.numbers)

    def results_row(self, sdfgc):
        """Of the emulated device: the results of both beside the interpreter's, and their operations."""
        expected = interpreted(sdfgc, self.beside, self.data, self.numbers, self.folder)
        operations = {}
        for form, library, device, caller in self.callers():
            with self.placed(device) as at:
                operations[form] = counted(f'{self.beside.name}, {form}', library, caller(at.addresses))
                compare(form, self.beside, self.results(at), expected, 0)
        predicted = self.ours.operations(self.sizes) if self.ours else None
        self.close()
        if predicted not in (None, operations.get('sdfgc')):
            sys.exit(f"{self.beside.name}: the manifest has {predicted} operations, the device counts {operations['sdfgc']}")
        right = lambda form: 'right' if form in operations else ''
        return [self.beside.name, *map(right, ('sdfgc', 'by hand')), *[str(operations.get(f, '')) for f in ('sdfgc', 'by hand')], self.note]

    def times_row(self, repeats):
        """The ratio, if both were timed, and the cells: medians of calls that take turns, after one that is compared."""
        operations = self.ours.operations(self.sizes) if self.ours else None
        callers = list(self.callers())
        if operations and operations > MOST_OPERATIONS:
            self.note += ('; ' if self.note else '') + 'too many operations to time'
            callers = [c for c in callers if c[0] != 'sdfgc']
        with contextlib.ExitStack() as stack:
            places = {form: stack.enter_context(self.placed(device)) for form, _, device, _ in callers}
            calls = {form: caller(places[form].addresses) for form, _, _, caller in callers}
            for call in calls.values():
                call()  # also warms up
            if len(calls) == 2:
                compare('sdfgc', self.beside, self.results(places['sdfgc']), self.results(places['by hand']), self.beside.differing)
            seconds = {form: [] for form in calls}
            for _ in range(repeats):
                for form, call in calls.items():
                    seconds[form] += programs.seconds(call, 1)
        self.close()
        medians = {form: statistics.median(times) for form, times in seconds.items()}
        ratio = medians['sdfgc'] / medians['by hand'] if len(medians) == 2 else None
        times = [f'{medians[form] * 1e6:.1f}' if form in medians else '' for form in ('sdfgc', 'by hand')]
        return ratio, [self.beside.name, *times, f'{ratio:.2f}' if ratio else '', str(operations or ''), self.note]

    def close(self):
        if self.ours:
            self.ours.close()


def summary(ratios):
    """A line: {name: ratio}."""
    if not ratios:
        return 'no program has a ratio'
    worst = max(ratios, key=ratios.get)
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    return f'ours / by hand of {len(ratios)} programs: geometric mean {mean:.2f}, worst {ratios[worst]:.2f} ({worst})'

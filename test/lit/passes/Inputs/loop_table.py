"""Checks graphs that have one loop in question each: what becomes of the loop at -O2, and that the program keeps its results.

    loop_table.py [--prove] [--levels O0,O2] SDFGC FOLDER OUT

Each file NAME.sdfgt of FOLDER begins with `# KIND LABEL: why`. The kind says what the loop with that label may become in loops-to-maps:

    never      stays a loop
    stays      stays a loop, although --prove would not notice a map: the interpreter updates with conflict resolution in some order
    either     anything, as long as the results are right: values after the loop, guards, the order of ties
    parallel   becomes a parallel map
    later      anything: it could become a parallel map

Each program is validated after every pass, then compiled and called, at each level, on generated inputs (`sdfgc run --validate`), which must
not be refused. --prove rewrites each `never` loop as a parallel map, and fails if the interpreter then finds the same results and no
fault, because such a trap would catch nothing. It leaves out graphs with arguments that share memory, or that the command line cannot express:
results of the latter are compared with those of -O0 instead.
"""
import ctypes
import importlib.util
import inspect
import os
import re
import subprocess
import sys

import numpy as np

os.environ['OMP_NUM_THREADS'] = '3'  # of the programs that are called here

LOOP = r'^  %s: for (?P<name>\w+) = (?P<begin>[^;]+); (?P<condition>[^;]+); (?P<step>[^;\n]+) \{$'
BY_CALL = re.compile(r'^  argument \w+: (Structure|ContainerArray)', re.M)  # the command line has no such arguments
SIZES = ('M', 'N', 'H')
SEEDS = range(1, 9)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def declarations(text):
    """The containers of the outermost graph, as (kind, name, rest of the line)."""
    return re.findall(r'^  (argument|transient|view) (\w+): (.*)$', text, re.M)


def whole(declaration):
    shape = re.match(r'\w+\[(.*?)\]', declaration)
    return '[' + ', '.join(f'0:{s}' for s in shape[1].split(', ')) + ']' if shape else '[0]'


def forced(text, label):
    """The graph with the loop as a parallel map around a nested SDFG, which has its body and may read and write all its containers."""
    m = re.search(LOOP % label, text, re.M)
    end = text.index('\n  }\n', m.end()) + 1
    before, body, after, name = text[:m.start()], text[m.end() + 1:end], text[end + len('  }'):], m['name']
    direction, step = re.fullmatch(rf'{name} = {name} ([-+]) (\w+)', m['step']).groups()
    relation, bound = re.fullmatch(rf'{name} (<=|<|>=|>) (.*)', m['condition'].split(' and ')[0]).groups()
    if bound == 'n' or 'A[0]' in bound:  # the body changes it: an upper limit
        bound = 'N'
    first, last = (f'({bound}) + 1', m['begin']) if direction == '-' else (m['begin'], f'({bound}) - 1' if relation == '<' else bound)
    body = re.sub(r'\b(break|return)\b', 'continue', body)
    body = f'    once: for once = 0; once < 1; once = once + 1 {{\n{body}    }}\n'  # what `continue` goes on with
    containers = [d for d in declarations(text) if re.search(rf'\b{d[1]}\b', body)]
    shared = [(c, whole(rest)) for kind, c, rest in containers if kind != 'view']
    symbols = re.findall(r'\w+', ' '.join(re.findall(r'^  symbol ([^:]*):', text, re.M)))
    reads, writes, ends_in, ends_out = (', '.join(form.format(c, s) for c, s in shared) for form in ('{0} <- {0}{1}', '{0} -> {0}{1}', '<- {0}{1}', '-> {0}{1}'))
    lines = [f'  state {label} {{',
             f'    map {label}[{name} = {first}..{last}:{step}] (CPU_Multicore) with {ends_in}; {ends_out} {{',
             f'      nested body[{", ".join(f"{s} = {s}" for s in symbols)}] with {reads}; {writes} {{',
             '        sdfg body {',
             f'          symbol {", ".join(symbols)}, once: int64']
    lines += [f'          {"view" if kind == "view" else "argument"} {c}: {rest}' for kind, c, rest in containers]
    lines += ['      ' + line for line in body.splitlines()] + ['        }', '      }', '    }', '  }']
    head = re.search(rf'^  (state|{label}:)', text, re.M).start()  # symbols need values in front of the map
    zeros = '  state zeros {}\n' + ''.join(f'  {s} = 0\n' for s in symbols if s not in SIZES) + '  state zeroed {}\n'
    return before[:head] + zeros + before[head:] + '\n'.join(lines) + after


def observed(sdfgc, path, text, folder, seed):
    """What the interpreter makes of a graph on random inputs: results, faults."""
    command = [sdfgc, 'run', '--interpret', path, '--seed', str(seed), '--default', 'random', '-q']
    files = {}
    for kind, c, rest in declarations(text):
        if kind == 'argument':
            value = ('0' if c == 'low' else '4') if '[' not in rest else 'random:0:6' if rest.startswith('int64') else 'random:-4:4'
            command += ['--arg', f'{c}={value}']
            if '[' in rest:
                files[c] = os.path.join(folder, f'{c}.npy')
                command += ['--out', f'{c}={files[c]}']
    for s in SIZES:
        if re.search(rf'^  symbol [^:]*\b{s}\b', text, re.M):
            command += ['--arg', f'{s}=6']
    status, out, errors = run(*command)
    if status == 0:
        return {c: open(f, 'rb').read() for c, f in files.items()}, ''
    return None, errors


def called(folder, name, text, seed):
    """Results of a compiled program on random arguments, which may be structures and arrays of pointers, as bytes."""
    spec = importlib.util.spec_from_file_location(f'{name}_{os.path.basename(folder)}', os.path.join(folder, 'python', name + '.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    random, size, arguments, memory = np.random.default_rng(seed), 40000, {}, []

    def array(kind):
        memory.append(random.integers(0, 6, size).astype(np.int64) * size // 6 if kind == 'int64' else random.integers(-9, 9, size) / 4.0)
        return memory[-1]

    for kind, c, rest in declarations(text):
        if kind != 'argument':
            continue
        if rest.startswith('Structure'):
            struct = re.search(r'name: (\w+), data: \[(.*?)\], length', rest)
            members = re.findall(r'\[(\w+), (\{type: pointer, dtype: (\w+)\}|\w+)\]', struct[2])
            arguments[c] = getattr(module, struct[1])(**{m: array(t) if whole != t and t else int(random.integers(3)) for m, whole, t in members})
        elif rest.startswith('ContainerArray'):
            rows = random.integers(-9, 9, (size, 2)) / 4.0
            memory.append(rows)
            memory.append(rows.ctypes.data + 16 * np.arange(size, dtype=np.uint64))
            arguments[c] = memory[-1].ctypes.data
        else:
            arguments[c] = array(rest.split('[')[0])
    sizes = {s: 2 if s == 'N' and 'ContainerArray' in text else size for s in 'MN' if s in inspect.signature(module.run).parameters}
    with module.Program() as program:
        program(**arguments, **sizes)
    scalars = [getattr(s, m) for s in arguments.values() if hasattr(s, '_fields_') for m, t in s._fields_ if t is ctypes.c_int64]
    return [m.tobytes() for m in memory if m.dtype != np.uint64], scalars


def compare_calls(sdfgc, path, text, folder, levels):
    """What is wrong with a program whose arguments the interpreter cannot be given: nothing if its results are those of -O0."""
    name = re.search(r'^sdfg (\w+)', text, re.M)[1]
    for level in ['O0'] + levels:
        status, _, errors = run(sdfgc, 'build', '-' + level, '-q', path, '-o', os.path.join(folder, level))
        if status:
            return errors
    for seed in SEEDS:
        wanted = called(os.path.join(folder, 'O0'), name, text, seed)
        for level in levels:
            if called(os.path.join(folder, level), name, text, seed) != wanted:
                return f'results of -{level} differ from those of -O0'
    return ''


def prove(sdfgc, path, text, label, folder):
    """What is wrong with a trap: nothing if the loop as a map would be noticed."""
    os.makedirs(folder, exist_ok=True)
    forced_path = os.path.join(folder, 'forced.sdfgt')
    with open(forced_path, 'w') as f:
        f.write(forced(text, label))
    for seed in SEEDS:
        wanted, errors = observed(sdfgc, path, text, folder, seed)
        if wanted is None:
            return 'the program has a fault: ' + errors
        got, errors = observed(sdfgc, forced_path, text, folder, seed)
        if got != wanted:
            is_fault = '[SD8210]' in errors or '[SD8213]' in errors  # unwritten, unordered
            return '' if got or is_fault else f'the forced map is not a program: {errors}'
    return 'as a parallel map, it has the same results and no fault'


def check(sdfgc, path, out, levels, proved):
    text = open(path).read()
    m = re.match(r'# (never|stays|either|parallel|later) (\w+): ', text)
    if not m:
        return '', 'its first line is not `# KIND LABEL: why`'
    kind, label = m.groups()
    wrong = []
    status, printed, errors = run(sdfgc, 'opt', path, '-O2', '--stop-after', 'loops-to-maps')
    maps = re.findall(rf'^ *map {label}\[.*\(CPU_Multicore.*$', printed, re.M)
    if status:
        wrong.append(errors)
    if kind in ('never', 'stays') and maps:
        wrong.append('is a parallel map')
    if kind == 'parallel' and not maps:
        wrong.append('is not a parallel map')
    if BY_CALL.search(text):
        wrong += filter(None, [compare_calls(sdfgc, path, text, out, levels)])
        levels = []
    for level in levels:
        status, _, errors = run(sdfgc, 'run', '--validate', '-' + level, '-q', '-Werror', '-Wno-SD2049', path, '-o', os.path.join(out, level))
        if status or errors:
            wrong.append(f'at -{level}: {errors}')
    if proved and kind == 'never' and not BY_CALL.search(text) and 'may_alias' not in text:
        wrong += filter(None, [prove(sdfgc, path, text, label, out)])
    return f'{kind}, {"map" if maps else "loop"}', '\n'.join(wrong)


def main():
    arguments = sys.argv[1:]
    proved = '--prove' in arguments
    levels = arguments.pop(arguments.index('--levels') + 1).split(',') if '--levels' in arguments else ['O2']
    levels = [level for level in levels if level]
    sdfgc, folder, out = [a for a in arguments if not a.startswith('--')]
    failures = 0
    for name in sorted(os.listdir(folder)):
        state, wrong = check(sdfgc, os.path.join(folder, name), os.path.join(out, name), levels, proved)
        failures += bool(wrong)
        print(f'{name}: {state}' + (f': {wrong}' if wrong else ''))
    print(f'{failures} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())

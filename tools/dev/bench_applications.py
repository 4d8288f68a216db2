#!/usr/bin/python3
"""How fast are loops of applications? Nests of ICON and Quantum ESPRESSO, and kernels in the style of CloudSC, as graphs that look like those of
a Fortran front end, relative to C++ with OpenMP by hand. With --loops conditional: short loops with conditions instead.

  tools/dev/bench_applications.py [--sdfgc build/bin/sdfgc] [--threads 1,2] [--only REGEX] [--rounds 15] [--options '-O2'] [--loops conditional]
  tools/dev/bench_applications.py --missed          # the loops that stay sequential, and why
  tools/dev/bench_applications.py --write FOLDER    # the graphs, in text form
  tools/dev/bench_applications.py --check           # small sizes: do -O0, the given options, the interpreter and C++ agree? With --graphs,
                                                    # also after every pass
  tools/dev/bench_applications.py --races           # small sizes on two threads under ThreadSanitizer

applications/NAME.loops are the loops, which fortran_graphs.py makes a graph of; applications/NAME.cpp is the body of a function with the same
arguments. Those of conditional_loops.txt are kept in that form in one file. Both run alternately in one process, on the same inputs. Medians count: of processor time on one thread, of time on the clock on
several, which are bound to cores; on a busy machine, those need a high priority (`nice -n -15`). --graphs FOLDER also measures the graphs
that front ends made of the same programs (frontend_arguments.py lists the files), with the same inputs.

--races builds the programs with clang++, whose OpenMP runtime tells the sanitizer about its barriers (by libarcher.so); libgomp does not, so
that every map would be reported. The programs are called by this script in a Python interpreter that is linked with the sanitizer.
"""
import argparse
import ctypes
import glob
import importlib.util
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time

import numpy as np

import cases
import fortran_graphs
import frontend_arguments
import programs

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'applications')
RACES = ['-fsanitize=thread', '-fno-omit-frame-pointer', '-g', '-O1']
HEADERS = ''.join(f'#include <{h}>\n' for h in ('algorithm', 'cmath', 'complex', 'cstdint', 'cstdlib', 'vector'))


def fortran(a):
    return np.asfortranarray(a)


def radiation(random, small):
    n = 40 if small else 20000
    weights = random.random((2, 14)) * (random.random((2, 14)) < 0.6)
    return dict(n=n, istartcol=1, iendcol=n, config=dict(sw_albedo_weights=fortran(weights),
                i_band_from_reordered_g_sw=np.sort(random.integers(1, 15, 112)).astype(np.int32),
                i_emiss_from_band_lw=random.integers(1, 3, 16).astype(np.int32),
                i_band_from_reordered_g_lw=np.sort(random.integers(1, 17, 140)).astype(np.int32)),
                single_level=dict(sw_albedo=fortran(random.random((n, 2))), sw_albedo_direct=fortran(random.random((n, 2))),
                                  lw_emissivity=fortran(random.random((n, 140)))),
                lw_albedo=fortran(np.zeros((140, n))), sw_albedo_direct=fortran(np.zeros((112, n))), sw_albedo_diffuse=fortran(np.zeros((112, n))))


def albedos(random, small):
    nproma, nblks = (8, 5) if small else (64, 1000)
    start, end = np.ones(nblks, np.int32), np.full(nblks, nproma, np.int32)
    start[0], end[-1] = 3, nproma - 3
    return dict(nproma=nproma, nblks=nblks, i_startblk=1, i_endblk=nblks, start_idx=start, end_idx=end,
                weights=fortran(random.random((2, 14)) * (random.random((2, 14)) < 0.6)),
                i_band_from_g=np.sort(random.integers(1, 15, 112)).astype(np.int32),
                albedo=fortran(random.random((nproma, 2, nblks))), albedo_g=fortran(np.zeros((112, nproma, nblks))))


def addusxx(random, small):
    nat, nsp, nhm, ng = (3, 2, 2, 300) if small else (6, 2, 8, 40000)
    nh = np.array([nhm, nhm - 1], np.int32)
    pairs = nhm * (nhm + 1) // 2
    ijtoh = np.zeros((nhm, nhm, nsp), np.int32, order='F')
    for i in range(nhm):
        for j in range(i + 1):
            ijtoh[i, j] = ijtoh[j, i] = i * (i + 1) // 2 + j + 1

    def numbers(*shape):
        return fortran(random.random(shape) - 0.5 + 1j * (random.random(shape) - 0.5))

    ityp = (np.arange(nat) % nsp + 1).astype(np.int32)
    return dict(nat=nat, nsp=nsp, ng=ng, nij=nsp * pairs, nhm=nhm, ngms=ng - 20, add_complex=1, gstart=2, nh=nh, ityp=ityp,
                nij_type=np.array([0, pairs], np.int32), ofsbeta=(nhm * np.arange(nat)).astype(np.int32), tvanp=np.ones(nsp, np.int32), ijtoh=ijtoh,
                mill=fortran(random.integers(1, 22, (3, ng)).astype(np.int32)), nl=(random.permutation(ng) + 1).astype(np.int32),
                xk=random.random(3), xkq=random.random(3), tau=fortran(random.random((3, nat))), becphi_c=numbers(nhm * nat),
                becpsi_c=numbers(nhm * nat), becphi_r=random.random(nhm * nat), becpsi_r=random.random(nhm * nat), qgm=numbers(ng, nsp * pairs),
                eigts1=numbers(21, nat), eigts2=numbers(21, nat), eigts3=numbers(21, nat), rhoc=numbers(ng))


def velocity(random, small):
    nproma, nlev, nblks = (6, 9, 4) if small else (32, 60, 400)

    def real(*shape, low=0.0, high=1.0):
        return fortran(low + (high - low) * random.random(shape))

    def index(limit):
        return fortran(random.integers(1, limit + 1, (nproma, nblks, 3)).astype(np.int32))

    return dict(nproma=nproma, nlev=nlev, nlevp1=nlev + 1, nblks=nblks, i_startblk=1, i_endblk=nblks, i_startidx_in=3, i_endidx_in=nproma - 2,
                lextra_diffu=1, dtime=10.0, cfl_w_limit=0.065, scalfac_exdiff=0.05,
                p_prog=dict(w=real(nproma, nlev + 1, nblks, low=-9, high=9) * (random.random((1, nlev + 1, nblks)) < 0.3)),
                p_diag=dict(w_concorr_c=real(nproma, nlev + 1, nblks), ddt_w_adv=real(nproma, nlev + 1, nblks)),
                p_metrics=dict(ddqz_z_half=real(nproma, nlev + 1, nblks, low=90, high=150), coeff1_dwdz=real(nproma, nlev, nblks),
                               coeff2_dwdz=real(nproma, nlev, nblks)),
                p_int=dict(e_bln_c_s=real(nproma, 3, nblks), geofac_n2s=real(nproma, 4, nblks, low=-1)),
                p_patch=dict(area=real(nproma, nblks), owner_mask=fortran((random.random((nproma, nblks)) < 0.9).astype(np.int32)),
                             neighbour_idx=index(nproma), neighbour_blk=index(nblks), edge_idx=index(nproma), edge_blk=index(nblks)),
                z_v_grad_w=real(nproma, nlev, nblks), z_w_con_c_full=real(nproma, nlev, nblks), vcflmax=np.zeros(nblks), max_vcfl_dyn=np.zeros(1))


def saturation(random, small):
    klon, klev = (9, 4) if small else (6000, 60)
    t = 220 + 80 * random.random((klon, klev))
    return dict(klon=klon, klev=klev, kidia=1, kfdia=klon, pap=fortran(3e4 + 7e4 * random.random((klon, klev))), t=fortran(t),
                q=fortran(0.02 * random.random((klon, klev))), ql=fortran(np.zeros((klon, klev))), qi=fortran(np.zeros((klon, klev))),
                cover=fortran(1.2 * random.random((klon, klev))))


def implicit(random, small):
    klon, klev = (9, 6) if small else (12000, 90)
    return dict(klon=klon, klev=klev, kidia=1, kfdia=klon, dtime=300.0, ldland=(random.random(klon) < 0.3).astype(np.int32),
                pk=fortran(random.random((klev, klon))), pdp=fortran(100 + 900 * random.random((klev, klon))), pflux=random.random(klon),
                px=fortran(random.random((klev, klon))))


def sedimentation(random, small):
    nproma, klev, nblks = (6, 7, 4) if small else (32, 90, 1000)
    rain = random.random((nproma, klev, nblks)) * 1e-3 * (random.random((1, klev, nblks)) < 0.1)
    return dict(nproma=nproma, klev=klev, nblks=nblks, iend=np.array([nproma] * (nblks - 1) + [nproma - 2], np.int32), dtime=300.0,
                pdp=fortran(500 + 500 * random.random((nproma, klev, nblks))), prho=fortran(0.1 + random.random((nproma, klev, nblks))),
                pq=fortran(rain), pcover=fortran(random.random((nproma, klev, nblks))), prain=fortran(np.zeros((nproma, nblks))))


class Case:
    """Loops, the body of a C++ function with the same arguments, and what makes inputs from a source of random numbers, small or not."""

    def __init__(self, name, source, hand, make):
        self.name, self.program, self.hand, self.make = name, fortran_graphs.Program(name, source), hand, make

    def inputs(self, small):
        return self.make(np.random.default_rng(1), small)


def application(make):
    texts = []
    for ending in ('loops', 'cpp'):
        with open(os.path.join(HERE, f'{make.__name__}.{ending}')) as f:
            texts.append(f.read())
    return Case(make.__name__, *texts, make)


# The names that conditional loops share: their declarations, and values for n, m.
NAMES = {'n': ('size', lambda random, n, m: n), 'm': ('size', lambda random, n, m: m), 'mode': ('int32', lambda random, n, m: 2),
         'k': ('int32[n]', lambda random, n, m: 1 + random.permutation(n).astype(np.int32)),
         'mask': ('int32[n]', lambda random, n, m: random.integers(0, 2, n).astype(np.int32)),
         'last': ('int32[m]', lambda random, n, m: random.integers(0, m + 1, m).astype(np.int32)),
         'lt': ('local(float64)', None), 'lbest': ('local(float64)', None), 'lv': ('local(float64[m])', None)}
NAMES.update({v: ('float64[n]', lambda random, n, m: random.random(n)) for v in 'abcdefgh'})
NAMES.update({v: ('float64[m, m]', lambda random, n, m: fortran(random.random((m, m)))) for v in 'PQRS'})
NAMES.update({v: ('float64[1]', lambda random, n, m: random.random(1)) for v in 'xyz'})


def conditional_loop(text):
    head, hand = text.split('---\n')
    name, loops = head.split('\n', 1)
    used = [n for n in NAMES if n in re.findall(r'\w+', head + hand) or n in ('n', 'm')]
    declared = ''.join(f'{n}: {NAMES[n][0]}\n' for n in used)

    def make(random, small):
        n, m = (40, 9) if small else (1000000, 1000)
        return {name: NAMES[name][1](random, n, m) for name in used if NAMES[name][1]}
    return Case(name.strip().replace('-', '_'), declared + loops, hand, make)


def conditional_loops():
    with open(os.path.join(os.path.dirname(HERE), 'conditional_loops.txt')) as f:
        return [conditional_loop(text) for text in f.read().split('\n== ')[1:]]


SETS = {'applications': [application(f) for f in (radiation, albedos, addusxx, velocity, saturation, implicit, sedimentation)],
        'conditional': conditional_loops()}
CASES = {case.name: case for cases in SETS.values() for case in cases}


def arrays(values):
    """All arrays among arguments, by path."""
    found = {}
    for name, value in values.items():
        if isinstance(value, dict):
            found.update({f'{name}.{m}': a for m, a in value.items()})
        elif isinstance(value, np.ndarray):
            found[name] = value
    return found


def build_hand(name, folder, level='-O3'):
    source, library = os.path.join(folder, name + '_hand.cpp'), os.path.join(folder, name + '_hand.so')
    with open(source, 'w') as f:
        f.write(f'{HEADERS}extern "C" void by_hand({", ".join(CASES[name].program.parameters())}) {{\n{CASES[name].hand}}}\n')
    flags = ['-march=native', '-ffp-contract=off', '-fno-math-errno', '-fcx-fortran-rules', '-fopenmp', '-fPIC', '-shared']  # as for graphs
    programs.run(['g++', '-std=c++20', level, *flags, source, '-o', library])


def hand_caller(name, folder, values):
    function = ctypes.CDLL(os.path.join(folder, name + '_hand.so')).by_hand
    p, at = CASES[name].program, arrays(values)
    given = [ctypes.c_int64(values[s]) for s in p.sizes]
    for c in p.arguments():
        kind = ctypes.c_double if c.kind == 'float64' else ctypes.c_int32
        given.append(ctypes.c_void_p(at[c.path()].ctypes.data) if c.dims else kind(values[c.name]))
    return lambda: function(*given)


def write_graph(name, folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + '.sdfgt')
    with open(path, 'w') as f:
        f.write(RACY if name == 'racy' else CASES[name].program.text())
    return path


def build_graph(sdfgc, path, folder, options):
    out = os.path.join(folder, 'program')
    programs.run([sdfgc, 'build', '-q', path, '-o', out, *options])
    return out


def interface_of(out):
    """The Python module of a program in a build folder."""
    path, = glob.glob(os.path.join(out, 'python', '*.py'))
    name = os.path.basename(path)[:-3] + '_in_' + os.path.basename(os.path.dirname(out))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def graph_caller(out, values, is_own):
    """The call of a program in a build folder, through its Python interface."""
    module = interface_of(out)
    if is_own:
        known = {a['name'] for a in module.INTERFACE['arguments'] + module.INTERFACE['init_arguments']}
        given = {k: getattr(module, k + '_type')(**v) if isinstance(v, dict) else v for k, v in values.items() if k in known}
    else:
        given = frontend_arguments.arguments(module, values, arrays(values))
    instance = module.Program()
    if module.INTERFACE['init_arguments']:
        instance.initialize(**{a['name']: given[a['name']] for a in module.INTERFACE['init_arguments']})
    call = instance.bind(**given)
    call.instance = instance
    return call


def restore(values, original):
    """Gives arrays the values that they had before a call."""
    for path, a in arrays(values).items():
        a[...] = original[path]


def difference(name, found, wanted):
    """The first array in which two results differ, by more than rounding."""
    for path, a in wanted.items():
        if not np.allclose(found[path], a, rtol=1e-9, atol=1e-12):
            return f'{name}: {path} differs, by {np.max(np.abs(found[path] - a))}'
    return None


def copies(values):
    return {path: a.copy(order='K') for path, a in arrays(values).items()}


def child(name, folder, is_own, rounds):
    """Prints how long the program and the loops by hand take, in seconds."""
    values = CASES[name].inputs(False)
    original = copies(values)
    calls = [graph_caller(os.path.join(folder, 'program'), values, is_own == 'own'), hand_caller(name, folder, values)]
    results = []
    for call in calls:
        restore(values, original)
        call()
        results.append(copies(values))
    if wrong := difference(name, *results):
        sys.exit(wrong)
    clock = time.process_time if os.environ.get('OMP_NUM_THREADS') == '1' else time.perf_counter  # of processors: holds on a busy machine
    times = [[], []]
    for k in range(rounds):
        for which in (k % 2, 1 - k % 2):
            restore(values, original)
            start = clock()
            calls[which]()
            times[which].append(clock() - start)
    print(json.dumps([statistics.median(t) for t in times]))


def measure(sdfgc, names, graphs, threads, rounds, options):
    """Prints a row for each program: times, ratios, and what more than one thread gains. `graphs` are other graphs by the program's name."""
    print(f'{"program":28}' + ''.join(f'{f"{t} thr., ms":>12}{"by hand":>9}{"ratio":>7}' for t in threads) + f'{"gain":>7}{"by hand":>9}')
    ratios = []
    for name in names:
        for path in [None] + graphs.get(name, []):
            with tempfile.TemporaryDirectory() as folder:
                build_graph(sdfgc, path or write_graph(name, folder), folder, options)
                build_hand(name, folder)
                times = []
                for t in threads:
                    environment = dict(os.environ, OMP_NUM_THREADS=t, OMP_WAIT_POLICY='passive', OMP_PROC_BIND='true')
                    done = subprocess.run([sys.executable, __file__, '--child', name, folder, 'other' if path else 'own', '--rounds', str(rounds)],
                                          env=environment, stdout=subprocess.PIPE, text=True)
                    if done.returncode:
                        sys.exit(done.returncode)
                    times.append(json.loads(done.stdout))
            if not path:
                ratios.append([ours / hand for ours, hand in times])
            cells = ''.join(f'{1e3 * ours:12.2f}{1e3 * hand:9.2f}{ours / hand:7.2f}' for ours, hand in times)
            print(f'{os.path.basename(path or name):28}{cells}{times[0][0] / times[-1][0]:7.2f}{times[0][1] / times[-1][1]:9.2f}', flush=True)
    if ratios:
        means = [math.exp(statistics.mean(map(math.log, column))) for column in zip(*ratios)]
        print(f'{"geometric mean":28}' + ''.join(f'{m:28.2f}' for m in means) + f'  (of {len(ratios)} programs of the project)')


def missed(sdfgc, names, options):
    """Prints the loops of each program that no pass makes parallel, with the reasons."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            path = write_graph(name, folder)
            remarks = os.path.join(folder, 'remarks.json')
            programs.run([sdfgc, 'opt', path, '-q', '--remarks', remarks, '-o', os.path.join(folder, 'out.sdfgtree'), *options])
            with open(remarks) as f:
                found = [json.loads(line) for line in f]
        stay = [r for r in found if r['pass'] == 'loops-to-maps' and r['kind'] == 'missed']
        print(f'{name}: {len(stay)} loops stay')
        for r in stay:
            print(f"  line {r['source']['line']}, {r['element'].split()[-1]}: {r['text']} [{r['code']}]")


def check(sdfgc, names, graphs, options):
    """Compares results for small sizes, and prints a line for each program. With `graphs`, also validates all passes on these inputs, of
    the programs and of the graphs, which takes minutes."""
    failed = 0
    for name in names:
        wrong = None
        with tempfile.TemporaryDirectory() as folder:
            build_hand(name, folder, '-O1')
            values = CASES[name].inputs(True)
            original = copies(values)
            hand_caller(name, folder, values)()
            wanted = copies(values)
            for level in (['-O0'], options):
                below = tempfile.mkdtemp(dir=folder)
                out = build_graph(sdfgc, write_graph(name, below), below, level)
                restore(values, original)
                graph_caller(out, values, True)()
                wrong = wrong or difference(f'{name} {" ".join(level)}', copies(values), wanted)
            restore(values, original)
            wrong = wrong or validate(sdfgc, write_graph(name, folder), folder, values, options, bool(graphs))
        failed += bool(wrong)
        print(f'{name}: {wrong or "agrees"}', flush=True)
        for path in graphs.get(name, []):
            with tempfile.TemporaryDirectory() as folder:
                module = interface_of(build_graph(sdfgc, path, folder, ['-O0']))
                values = CASES[name].inputs(True)
                wrong = validate(sdfgc, path, folder, frontend_arguments.values_of(module, values, arrays(values)), options,
                                 True)
            failed += bool(wrong)
            print(f'{path}: {wrong or "agrees"}', flush=True)
    return 1 if failed else 0


def sanitized_python(folder):
    """A Python interpreter that contains the run-time library of ThreadSanitizer, which a library alone cannot load."""
    source, out = os.path.join(folder, 'python.c'), os.path.join(folder, 'python')
    with open(source, 'w') as f:
        f.write('#include <Python.h>\nint main(int argc, char **argv) { return Py_BytesMain(argc, argv); }\n')
    programs.run(['clang', *RACES, source, '-I' + sysconfig.get_path('include'), '-L' + sysconfig.get_config_var('LIBDIR'),
                  f'-lpython{sysconfig.get_config_var("LDVERSION")}', '-rdynamic', '-o', out])
    return out


RACY = '''sdfg racy {
  symbol N: int64
  argument A: float64[N]
  argument s: float64[1]
  state a {
    map m[i = 0:N] (CPU_Multicore) with <- A[0:N]; -> s[0] {
      t: o = a  with a <- A[i]; o -> s[0]
    }
  }
}
'''


def races(sdfgc, names, options, archer):
    """Calls each program on two threads, and prints what the sanitizer reports. The first one has a race, which must be found."""
    failed = 0
    environment = dict(os.environ, OMP_NUM_THREADS='2', OMP_TOOL_LIBRARIES=archer, OPENBLAS_NUM_THREADS='1',
                       TSAN_OPTIONS='ignore_noninstrumented_modules=1 exitcode=66')
    with tempfile.TemporaryDirectory() as top:
        python = sanitized_python(top)
        for name in ['racy'] + names:
            folder = os.path.join(top, name)
            build_graph(sdfgc, write_graph(name, folder), folder,
                        ['--cc', 'clang++', '--cflags', ' '.join(RACES), *cases.SMALL_TEAMS, *options])
            done = subprocess.run([python, os.path.abspath(__file__), '--call', name, folder], env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors='replace')
            text = done.stdout + done.stderr
            reports = text.count('WARNING: ThreadSanitizer')
            wrong = done.returncode != 0 or reports > 0
            if name == 'racy':
                if not reports:
                    sys.exit(f'the sanitizer does not find the race of a program that has one: status {done.returncode}\n{text[:3000]}')
                continue
            failed += wrong
            print(f'{name}: ' + (f'status {done.returncode}, {reports} reports\n{text[:3000]}' if wrong else 'no races'), flush=True)
    return 1 if failed else 0


def call(name, folder):
    """Calls the program in a folder twice on small inputs."""
    values = dict(N=1000, A=np.ones(1000), s=np.zeros(1)) if name == 'racy' else CASES[name].inputs(True)
    again = graph_caller(os.path.join(folder, 'program'), values, True)
    again()
    again()
    return 0


def validate(sdfgc, path, folder, values, options, also_passes):
    """Validates the compiled program on the small inputs, and every pass on generated ones (`also_passes`: and on these); returns what is
    wrong."""
    given = os.path.join(folder, 'input')
    os.makedirs(given)
    with open(os.path.join(given, 'values'), 'w') as f:
        for k, v in [(f'{k}.{m}', w) for k, v in values.items() if isinstance(v, dict) for m, w in v.items()] + [*values.items()]:
            if isinstance(v, np.ndarray):
                np.save(os.path.join(given, k + '.npy'), v)
            elif not isinstance(v, dict):
                f.write(f'{k}={v}\n')
    passes = ['--validate-input', given, '--validate-timeout', '60'] if also_passes else []
    done = subprocess.run([sdfgc, 'run', '--validate', path, '--input', given, *passes, '-o', os.path.join(folder, 'validated'), *options],
                          capture_output=True, text=True)
    unusable = not also_passes and 'SD8303' in done.stderr  # generated inputs, where indices that are arguments do not fit
    return done.stderr if done.returncode or 'SD83' in done.stderr and not unusable else None


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--sdfgc', default='build/bin/sdfgc')
    ap.add_argument('--threads', default='1,2')
    ap.add_argument('--only', default='')
    ap.add_argument('--rounds', type=int, default=15)
    ap.add_argument('--options', default='-O2', help='of sdfgc build')
    ap.add_argument('--loops', choices=SETS, default='applications')
    ap.add_argument('--missed', action='store_true')
    ap.add_argument('--check', action='store_true')
    ap.add_argument('--races', action='store_true')
    ap.add_argument('--archer', default='/usr/lib/llvm-14/lib/libarcher.so', help='for --races')
    ap.add_argument('--write', metavar='FOLDER')
    ap.add_argument('--graphs', metavar='FOLDER')
    ap.add_argument('--child', nargs=3, help=argparse.SUPPRESS)
    ap.add_argument('--call', nargs=2, help=argparse.SUPPRESS)
    o = ap.parse_args()
    if o.child:
        return child(*o.child, o.rounds)
    if o.call:
        return call(*o.call)
    sdfgc, options, names = os.path.abspath(o.sdfgc), shlex.split(o.options), [c.name for c in SETS[o.loops] if re.search(o.only, c.name)]
    if o.write:
        for name in names:
            write_graph(name, o.write)
        return 0
    if o.races:
        return races(sdfgc, names, options, o.archer)
    if o.missed:
        return missed(sdfgc, names, options)
    graphs = {}
    for path, name in frontend_arguments.GRAPHS.items() if o.graphs else []:
        graphs.setdefault(name, []).append(os.path.join(o.graphs, path))
    if o.check:
        return check(sdfgc, names, graphs, options)
    return measure(sdfgc, names, graphs, o.threads.split(','), o.rounds, options)


if __name__ == '__main__':
    sys.exit(main())

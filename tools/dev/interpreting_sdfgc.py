#!/usr/bin/python3
"""Stands in for `sdfgc build`, but the library that it makes interprets the graph: whatever calls programs of sdfgc judges the interpreter.

    interpreting_sdfgc.py build GRAPH -o FOLDER [options of sdfgc build, not used]

The library has the interface of the program. FOLDER gets it, the manifest and a copy of the graph. A graph that the interpreter refuses is an
error here. Environment:
    SDFGC_REAL      the sdfgc that prints the interface (build/bin/sdfgc)
    SDFGC_LIBRARY   libsdfgc_interpreter.so (beside it, in lib)
    SDFGC_FAULTS    a file to which every fault of a run is appended: the program, a tab, what the interpreter says
"""
import ctypes
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SDFGC = os.environ.get('SDFGC_REAL', os.path.join(HERE, '../../build/bin/sdfgc'))
LIBRARY = os.environ.get('SDFGC_LIBRARY', os.path.join(os.path.dirname(os.path.dirname(SDFGC)), 'lib/libsdfgc_interpreter.so'))
INTERFACE = os.path.join(HERE, '../interpreter')

PROGRAM = r'''
#include "%(name)s.h"
#include "sdfgc_interpreter.h"
#include <stdio.h>
#include <stdlib.h>

struct %(name)s_state_t { sdfgc_program *program; };

%(name)sHandle_t __dace_init_%(name)s(%(init)s) {
    %(name)sHandle_t handle = malloc(sizeof *handle);
    handle->program = sdfgc_program_read("%(graph)s");
    if (!sdfgc_program_error(handle->program))
        return handle;
    fprintf(stderr, "%%s", sdfgc_program_error(handle->program));
    sdfgc_program_free(handle->program);
    free(handle);
    return NULL;
}

static void note_faults(sdfgc_program *p, int faults) {
    const char *path = getenv("SDFGC_FAULTS");
    FILE *to = path ? fopen(path, "a") : stderr;
    for (int i = 0; i < faults; ++i)
        fprintf(to, "%(name)s\t%%s\n", sdfgc_program_report(p, i));
    if (path)
        fclose(to);
}

void __program_%(name)s(%(name)sHandle_t handle%(arguments)s) {
%(binding)s    note_faults(handle->program, sdfgc_program_run(handle->program));
}

int __dace_exit_%(name)s(%(name)sHandle_t handle) {
    sdfgc_program_free(handle->program);
    free(handle);
    return 0;
}
'''


def binding(argument):
    """Arrays are handed on; a scalar may be a container or a symbol, and is offered as both."""
    name, parameter = argument['name'], argument['parameter']
    if '*' in argument['declaration']:
        return f'    sdfgc_program_bind(handle->program, "{name}", (void *){parameter});\n'
    kind = 'real' if str(argument['type']).startswith(('float', 'bfloat')) else 'integer'
    both = f'    sdfgc_program_bind(handle->program, "{name}", &{parameter});\n'
    return both if argument['kind'] != 'symbol' else f'    sdfgc_program_set_{kind}(handle->program, "{name}", {parameter});\n'


def write_program(folder, manifest, graph):
    arguments = manifest['arguments']
    text = PROGRAM % {
        'name': manifest['name'],
        'graph': graph,
        'init': ', '.join(a['declaration'] for a in manifest['init_arguments']) or 'void',
        'arguments': ''.join(', ' + a['declaration'] for a in arguments),
        'binding': ''.join(map(binding, arguments)),
    }
    path = os.path.join(folder, 'interpret.c')
    with open(path, 'w') as f:
        f.write(text)
    return path


def refusal(graph):
    """What the interpreter does not know of a graph; None if it takes it."""
    interpreter = ctypes.CDLL(os.path.abspath(LIBRARY))
    interpreter.sdfgc_program_read.restype = ctypes.c_void_p
    interpreter.sdfgc_program_error.restype = ctypes.c_char_p
    interpreter.sdfgc_program_error.argtypes = [ctypes.c_void_p]
    why = interpreter.sdfgc_program_error(interpreter.sdfgc_program_read(os.fsencode(graph)))
    return why.decode() if why else None


def main():
    if len(sys.argv) < 5 or sys.argv[1] != 'build' or '-o' not in sys.argv:
        sys.exit(__doc__)
    graph, folder = sys.argv[2], os.path.abspath(sys.argv[sys.argv.index('-o') + 1])
    done = subprocess.run([SDFGC, 'emit', graph, '-o', folder, '-q'])
    if done.returncode:
        sys.exit(done.returncode)
    with open(os.path.join(folder, 'manifest.json')) as f:
        manifest = json.load(f)
    kept = os.path.join(folder, 'interpreted' + os.path.splitext(graph)[1])
    shutil.copyfile(graph, kept)
    why = refusal(kept)
    if why:
        sys.exit('the graph is not interpreted:\n' + why)
    source = write_program(folder, manifest, kept)
    library = os.path.join(folder, manifest['library'])
    os.makedirs(os.path.dirname(library), exist_ok=True)
    command = ['cc', '-shared', '-fPIC', '-I', os.path.join(folder, 'include'), '-I', INTERFACE, source, '-o', library, os.path.abspath(LIBRARY),
               '-Wl,-rpath,' + os.path.dirname(os.path.abspath(LIBRARY))]
    sys.exit(subprocess.run(command).returncode)


if __name__ == '__main__':
    main()

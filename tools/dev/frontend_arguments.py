"""Arguments of graphs that front ends of Fortran made of the programs of `applications`, from the inputs of these.

The front ends keep names of Fortran, with additions: `__f2dace_SA_NAME_d_K_s_N` and `NAME_dK` are sizes of arrays, `__f2dace_SOA_...` and
`offset_NAME_dK` lower bounds, `NAME_present` whether an argument is there, `NAME_var_N` and `dfftt_NAME` the argument or member NAME.
"""
import re

import numpy as np

# Files below a folder of graphs, with the program of `applications` that computes the same. Other names, and arguments that only the graphs have.
GRAPHS = {
    'icon/radiation.sdfgz': 'radiation',
    'icon/radiation_raw.sdfgz': 'radiation',
    'icon/get_albedos.sdfgz': 'radiation',
    'qe/addusxx_g_opt.sdfg': 'addusxx',
}
OTHER_NAMES = {'ngm': 'ngms', 'upf_tvanp': 'tvanp'}
OTHER_VALUES = {'okvan': 1, 'gamma_only': 0}


def plain(name):
    name = re.sub(r'_var_\d+$|^dfftt_|^sym_', '', name)
    return OTHER_NAMES.get(name, name)


def number(name, values, arrays):
    """The value of a symbol, a scalar or a scalar member."""
    if size := re.match(r'__f2dace_SA_(\w+?)_d_(\d+)_s_', name) or re.fullmatch(r'(\w+)_d(\d)', name):
        if name.startswith('offset_'):
            return 1
        a = next((a for path, a in arrays.items() if path.split('.')[-1] == plain(size[1])), None)
        return a.shape[int(size[2])] if a is not None and int(size[2]) < a.ndim else 1
    if name.startswith(('__f2dace_SOA_', 'offset_')) or name.endswith('_present'):
        return 1
    return values.get(plain(name), OTHER_VALUES.get(name, 0))


def array(argument, values, arrays):
    """An array that the program here has, a number as an array, or a small one that is not used."""
    found = arrays.get(plain(argument['name']))
    if found is None:
        found = np.full((1,) * len(argument['shape']), number(argument['name'], values, arrays), order='F')
    return found if found.dtype == argument['type'] or argument['access'] != 'in' and len(found) > 1 else found.astype(argument['type'])


def values_of(module, values, arrays):
    """By name, for the Python module of a program; structures are dictionaries. `arrays` has all arrays, those in structures as
    `structure.member`."""
    structs = {s['name']: s['fields'] for s in module.INTERFACE['structs']}
    given = {}
    for a in module.INTERFACE['arguments'] + module.INTERFACE['init_arguments']:
        name = a['name']
        if a['kind'] == 'array':
            given[name] = array(a, values, arrays)
        elif a['kind'] == 'structure':
            fields = [(f['name'], isinstance(f['type'], dict)) for f in structs[name + '_type']]
            given[name] = {f: arrays[f'{name}.{f}'] if is_pointer else number(f, values, arrays) for f, is_pointer in fields}
        else:
            given[name] = number(name, values, arrays)
    return given


def arguments(module, values, arrays):
    """The same with structures of that module."""
    given = values_of(module, values, arrays)
    return {name: getattr(module, name + '_type')(**v) if isinstance(v, dict) else v for name, v in given.items()}

SIZES = INTERFACE.get('sizes', [])


class _GraphInfo(ctypes.Structure):
    """What became of a GPU graph since the handle was made, as the program's header has it."""
    _fields_ = [('name', ctypes.c_char_p),
                *((counter, ctypes.c_int64) for counter in ('entries', 'builds', 'launches', 'updates', 'nodes_last', 'used_last', 'host_path',
                                                            'iterations_last', 'evictions')),
                ('last_reason', ctypes.c_char_p)]

    def values(self):
        given = {name: getattr(self, name) for name, _ in self._fields_}
        return {name: value.decode() if isinstance(value, bytes) else value for name, value in given.items()}


class Program:
    """An instance of the program. It is set up by the first call, or by initialize(); close() or the end of a `with` releases it.
    Calls on one object must not run at the same time; two objects are independent."""

    def __init__(self, library=None):
        name = INTERFACE['name']
        self._handle = None
        self._library = _load(os.fspath(library or _find_library()))
        self._initialize, self._program = self._library[f'__dace_init_{name}'], self._library[f'__program_{name}']
        self._finalize, self._error = self._library[f'__dace_exit_{name}'], self._library[f'{name}_error']
        self._message = self._library[f'{name}_error_message']
        self._initialize.restype, self._program.restype, self._message.restype = ctypes.c_void_p, None, ctypes.c_char_p
        self._arrays = {a['name']: _Array(a, INTERFACE.get('any_memory', False)) for a in INTERFACE['arguments'] if a['kind'] == 'array'}
        self._parameters = {a['name'] for a in INTERFACE['arguments'] + INTERFACE['init_arguments']}
        self._only_in_shapes = {n for a in self._arrays.values() for f in a.shape + a.strides for n in f.names} - self._parameters
        self._first = {}
        self._sizes = {}
        self._memory = {}
        self._kept = []
        self._failures = []  # exceptions raised by callbacks

    def set_communicator(self, communicator):
        """The ranks that set later programs up: a communicator of mpi4py, or Fortran's handle of one; else all of the job."""
        names = INTERFACE['functions'].get('set_communicator')
        if not names:
            raise TypeError(f"program {INTERFACE['name']} does not use MPI")
        handle = communicator if isinstance(communicator, int) else communicator.py2f()
        self._library[names[0]](ctypes.c_int(handle))

    def initialize(self, /, **values):
        """Sets the program up with these symbols and callbacks; a call does it when it has not been done."""
        if self._handle:
            raise RuntimeError('the program is set up already')
        names = [a['name'] for a in INTERFACE['init_arguments']]
        if sorted(names) != sorted(values):
            raise TypeError(f"initialize() takes {', '.join(names) or 'nothing'}; given: {', '.join(values) or 'nothing'}")
        self._start(values)

    def _start(self, values):
        arguments = []
        for a in INTERFACE['init_arguments']:
            arguments.append(self._value(a, values[a['name']], values))
        self._kept = arguments
        handle = self._initialize(*arguments)
        if not handle:
            raise Error(self._error(None), (self._message(None) or b'').decode(errors='replace'))
        self._handle = ctypes.c_void_p(handle)
        self._first = dict(values)
        self._init_arguments = arguments

    def bind(self, /, *positional, **named):
        """Checks the arguments once and returns a function without parameters that runs the program on them; it returns what the
        program returns. The arrays must not be reallocated meanwhile."""
        return self._bound(*self._prepared(positional, named))

    def _bound(self, arguments, given, symbols, results, keep):
        self._set_up(given)
        sizes = [(self._library[size['set']], ctypes.c_int64(symbols[size['name']])) for size in SIZES if size['name'] in symbols]
        returned = [given[n] for n in results]
        outcome = returned[0] if results == ['__return'] else tuple(returned) or None
        program, error, handle, failures = self._program, self._error, self._handle, self._failures

        def run(_keep=keep):
            failures.clear()
            for set_size, size in sizes:
                if set_size(handle, size):
                    raise Error(4, f'a size of {size.value} does not fit into its type')
            program(handle, *arguments)
            if failures:
                raise failures[0]
            if error(handle):
                raise Error(error(handle), self._message(handle).decode(errors='replace'))
            return outcome

        return run

    def __call__(self, /, *positional, **named):
        """Runs the program. Symbols may be left out when they follow from the shapes of arrays; arrays that the program returns may
        be left out, too."""
        return self.bind(*positional, **named)()

    def close(self):
        handle, self._handle = self._handle, None
        if handle:
            status = self._finalize(handle)
            if status:
                raise Error(status, f"program {INTERFACE['name']} cannot be finalised")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, '_handle', None):
            self._finalize(self._handle)

    # ---- the caller's memory and streams

    def external_memory_size(self, storage):
        """Bytes of memory in `storage` that the caller provides; the program must be set up."""
        self._require_handle()
        function = self._library[f'__dace_get_external_memory_size_{storage}']
        function.restype = ctypes.c_size_t
        return function(self._handle, *self._init_arguments)

    def set_external_memory(self, storage, memory):
        """Hands memory over: an array that is large enough, or an address. Without it the program gets memory of its own."""
        address = memory
        if isinstance(memory, np.ndarray):
            if memory.nbytes < self.external_memory_size(storage) or not memory.flags.c_contiguous:
                raise ValueError(f'the program needs {self.external_memory_size(storage)} contiguous bytes in {storage}')
            address = memory.ctypes.data
        elif hasattr(memory, '__cuda_array_interface__'):
            address = memory.__cuda_array_interface__['data'][0]
        self._require_handle()
        self._library[f'__dace_set_external_memory_{storage}'](self._handle, ctypes.c_void_p(address), *self._init_arguments)
        self._memory[storage] = memory

    def to_device(self, array):
        """A copy of a NumPy array in device memory, for arguments that lie there."""
        return DeviceArray(self._library, array)

    def to_pinned(self, array):
        """A copy of a NumPy array in page-locked memory, for arguments with the storage CPU_Pinned."""
        names = INTERFACE['functions'].get('pinned_alloc')
        if not names:
            raise TypeError(f"program {INTERFACE['name']} takes no page-locked memory")
        host = np.ascontiguousarray(array)
        alloc, free = self._library[names[0]], self._library[INTERFACE['functions']['pinned_free'][0]]
        alloc.restype = ctypes.c_void_p
        address = alloc(ctypes.c_size_t(max(host.nbytes, 1)))
        if not address:
            raise MemoryError(f'{host.nbytes} bytes of page-locked memory')
        memory = (ctypes.c_char * host.nbytes).from_address(address)
        weakref.finalize(memory, free, ctypes.c_void_p(address))
        pinned = np.frombuffer(memory, host.dtype).reshape(host.shape)
        pinned[...] = host
        return pinned

    def set_stream(self, stream, index=None):
        """All work of a GPU program, or that of one of its streams, on a stream of the caller: an address, or an object of CuPy or
        PyTorch."""
        self._require_handle()
        address = ctypes.c_void_p(getattr(stream, 'ptr', getattr(stream, 'cuda_stream', stream)))
        if index is None:
            self._library['__dace_gpu_set_all_streams'](self._handle, address)
            return
        function = self._library['__dace_gpu_set_stream']
        function.restype = ctypes.c_bool
        if not function(self._handle, ctypes.c_int(index), address):
            raise ValueError(f'the program has no stream {index}')

    def gpu_graphs(self):
        """Counters of the program's GPU graphs, a dictionary for each; an empty list where it has none."""
        self._require_handle()
        try:
            function = self._library[INTERFACE['name'] + '_gpu_graphs']
        except AttributeError:
            return []
        function.restype = ctypes.POINTER(_GraphInfo)
        count = ctypes.c_int()
        infos = function(self._handle, ctypes.byref(count))
        return [infos[i].values() for i in range(count.value)]

    def set_size(self, name, value):
        """Sets a size that the program needs but has no argument for, where it does not follow from the shapes of arrays."""
        size = next((s for s in SIZES if s['name'] == name), None)
        if size is None:
            raise TypeError(f'the program has no size {name}' + (f"; it has {', '.join(s['name'] for s in SIZES)}" if SIZES else ''))
        self._sizes[name] = _convert_value(name, size['type'], value).value

    # ---- arguments

    def _require_handle(self):
        if not self._handle:
            raise RuntimeError('the program is not set up; call initialize() first')

    def _prepared(self, positional, named):
        """The checked arguments of the C function, all values by name, the symbols, the names of results, and the objects that must
        outlive the call."""
        given = self._given(positional, named)
        results = [a['name'] for a in INTERFACE['arguments'] if a['kind'] == 'array' and a['name'].startswith('__return')]
        results.sort(key=lambda name: (len(name), name))
        symbols, views = self._symbols(given)
        made = [n for n in results if n not in given]
        for n in made:
            given[n] = self._arrays[n].allocate(symbols)
            views[n] = self._arrays[n].view(given[n])
        for n, (_, shape, strides) in views.items():
            self._arrays[n].check(symbols, shape, strides)
        keep = [given]
        arguments = []
        for a in INTERFACE['arguments']:
            name = a['name']
            if name not in given and name in symbols:
                given[name] = symbols[name]
            if name not in given:
                raise TypeError(f'the argument {name} is missing')
            arguments.append(self._argument(a, given[name], views, symbols, keep))
        return arguments, given, symbols, results, keep

    def _given(self, positional, named):
        if len(positional) > len(ORDER):
            raise TypeError(f'the program takes at most {len(ORDER)} positional arguments: {", ".join(ORDER)}')
        given = dict(zip(ORDER, positional))
        known = self._parameters | self._only_in_shapes
        for name, value in named.items():
            if name in given:
                raise TypeError(f'{name} is given twice')
            if name not in known:
                raise TypeError(f'the program has no argument {name}; it takes {", ".join(sorted(known))}')
            given[name] = value
        return given

    def _symbols(self, given):
        """Values of the symbols: given ones, and those that follow from shapes and strides."""
        symbols, views, equations = dict(self._sizes), {}, []
        for a in INTERFACE['arguments'] + INTERFACE['init_arguments']:
            if a['kind'] in ('symbol', 'scalar') and a['name'] in given and str(a['type']).lstrip('u').startswith('int'):
                symbols[a['name']] = _convert_value(a['name'], a['type'], given[a['name']]).value
        symbols.update((n, _convert_value(n, 'int64', given[n]).value) for n in self._only_in_shapes if n in given)
        for name, array in self._arrays.items():
            if given.get(name) is None:
                if name in given and not array.optional:
                    raise TypeError(f'{name} must not be None')
                continue
            views[name] = array.view(given[name])
            equations += list(zip(array.shape, views[name][1]))
            equations += [(f, s) for f, s, n in zip(array.strides, views[name][2], views[name][1]) if n > 1]
        while True:
            solved = next(filter(None, (f.solve(v, symbols) for f, v in equations)), None)
            if solved is None:
                return symbols, views
            symbols[solved[0]] = solved[1]

    def _value(self, a, value, symbols):
        if a['kind'] == 'callback':
            return _callback(a, value, symbols, self._failures)
        return _convert_value(a['name'], a['type'], value)

    def _argument(self, a, value, views, symbols, keep):
        if a['kind'] == 'array':
            return ctypes.c_void_p(views[a['name']][0] if value is not None else None)
        if a['kind'] in ('structure', 'container_array'):
            if value is None and a['optional']:
                return ctypes.c_void_p(None)
            return ctypes.c_void_p(_pass_memory(a, value, keep) if not isinstance(value, ctypes.c_void_p) else value.value)
        if a['kind'] == 'stream':
            return ctypes.c_void_p(value)
        return self._value(a, value, symbols)

    def _set_up(self, given):
        if self._handle:
            for name in INTERFACE['fixed_arguments']:
                if name in given and given[name] != self._first[name]:
                    raise ValueError(f'the program was set up with {name} = {self._first[name]}, and what it holds has that size; '
                                     f'another value needs another Program')
            return
        self._start({a['name']: given[a['name']] for a in INTERFACE['init_arguments']})
        for external in INTERFACE['external_memory']:
            if external['storage'] != 'GPU_Global' and external['storage'] not in self._memory:
                size = self.external_memory_size(external['storage'])
                memory = np.zeros(size + 64, np.uint8)
                start = -memory.ctypes.data % 64
                self.set_external_memory(external['storage'], memory[start:start + max(size, 1)])


def run(*positional, **named):
    """Runs the program once on a new instance."""
    with Program() as program:
        return program(*positional, **named)


# ---- signatures, for inspect.signature and help(); those of the .pyi file are the same

class _Shown:
    """What a signature shows as `text`: `float64[N, M]`, or `...` for a value that follows from other arguments."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


_NUMBERS = {'bool': bool, 'string': str, 'pyobject': object, 'void': object, 'complex64': complex, 'complex128': complex}


def _type_text(t):
    if not isinstance(t, dict):
        return t
    return f"{t['vector']}x{t['lanes']}" if 'vector' in t else _type_text(next(iter(t.values())))


def _annotation(a):
    t, kind = a['type'], a['kind']
    if kind == 'array':
        return _Shown(f"{_type_text(t)}[{', '.join(a['shape'])}]" + (' or None' if a['optional'] else ''))
    if kind == 'callback':
        kind = typing.Callable
    elif kind in ('container_array', 'stream'):
        kind = list if kind == 'container_array' else int
    elif isinstance(t, dict):
        kind = _value_type(t) if 'struct' in t or 'vector' in t else int
    else:
        kind = _NUMBERS.get(t) or (float if 'float' in t else int)
    return typing.Optional[kind] if a.get('optional') else kind


def _signature(arguments, positions, left_out, returned):
    """Of a function after its `self`. An argument has a default where it may be left out, or where one before it may. What Python cannot
    spell as a parameter is one of `named`; the arguments after it are given by name, or as one of `positional`."""
    kind, parameters, default, hidden, unnamed = inspect.Parameter, [], False, False, False
    for name in [*positions, *(n for n in arguments if n not in positions)]:
        default = default or unnamed or name in left_out
        if keyword.iskeyword(name) or name.startswith('__'):
            hidden, unnamed = True, unnamed or name in positions
            continue
        by_name = unnamed or name not in positions
        parameters.append(kind(name, kind.KEYWORD_ONLY if by_name else kind.POSITIONAL_OR_KEYWORD, annotation=_annotation(arguments[name]),
                               default=_Shown('...') if default else kind.empty))
    if unnamed:
        parameters.append(kind(_free('positional', arguments), kind.VAR_POSITIONAL))
    if hidden:
        parameters.append(kind(_free('named', arguments), kind.VAR_KEYWORD))
    return inspect.Signature(sorted(parameters, key=lambda p: p.kind), return_annotation=returned)


def _free(name, taken):
    return name if name not in taken else _free(name + '_', taken)


def _add_signatures():
    arguments = {a['name']: a for a in INTERFACE['arguments']}
    results = [a for a in arguments.values() if a['kind'] == 'array' and a['name'].startswith('__return')]
    known = {n for a in arguments.values() if a['kind'] == 'array' for f in a['shape_formulas'] + a['stride_formulas'] if f is not None
             for n in _Formula(f).names}
    init = {a['name']: a for a in INTERFACE['init_arguments']}
    every = {**arguments, **{n: a for n, a in init.items() if n not in arguments}}
    follow = {n for n, a in every.items() if n not in arguments or (a['kind'] in ('symbol', 'scalar') and n in known)}
    returned = np.ndarray if len(results) == 1 else tuple if results else None
    run.__signature__ = call = _signature(every, ORDER, follow, returned)
    own = inspect.Parameter(_free('self', every), inspect.Parameter.POSITIONAL_ONLY)
    for function, of in ((Program.__call__, call), (Program.bind, call.replace(return_annotation=typing.Callable[[], returned])),
                         (Program.initialize, _signature(init, [], [], None))):
        function.__signature__ = of.replace(parameters=[own, *of.parameters.values()])


_add_signatures()


def _load(path):
    """The library as the file holds it now. The system's loader knows a library by the text of its path: after another build into the
    same folder, it would return the one that it loaded before. Here every content has a text of its own, `lib/././libf.so`."""
    if os.sep not in path and not os.path.exists(path):
        return ctypes.CDLL(path)  # the system's loader searches for it
    folder, name = os.path.realpath(os.path.dirname(path) or '.'), os.path.basename(path)
    path = os.path.join(folder, name)
    # The list outlives this module, which may be reloaded, too.
    contents = sys.modules.setdefault('_sdfgc_libraries', types.ModuleType('_sdfgc_libraries')).__dict__.setdefault(path, [])
    while True:
        with open(path, 'rb') as file:
            about = os.fstat(file.fileno())
            inode, content = (about.st_dev, about.st_ino), hashlib.sha256(file.read()).digest()
        known = next((k for k, (_, other) in enumerate(contents) if other == content), None)
        if known is None:
            if any(other == inode for other, _ in contents):
                raise Error(4, f'{path} was overwritten while this process has it loaded; write the new library to a new file, and '
                               f'rename that, as sdfgc does; this process must be started anew')
            known = len(contents)
            contents.append((inode, content))
        library = ctypes.CDLL(os.path.join(folder, *['.'] * (known + 1), name))
        now = os.stat(path)
        if (now.st_dev, now.st_ino) == inode:
            return library


def _find_library():
    """$SDFGC_LIBRARY_<NAME>, else beside this file, else in the lib folder of the build folder."""
    name = INTERFACE['name']
    if os.environ.get(f'SDFGC_LIBRARY_{name}'):
        return os.environ[f'SDFGC_LIBRARY_{name}']
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(here, f'lib{name}.so'), os.path.join(here, os.pardir, 'lib', f'lib{name}.so')]
    for place in places:
        if os.path.exists(place):
            return place
    raise FileNotFoundError(f'lib{name}.so was not found; looked for: {", ".join(places)}')

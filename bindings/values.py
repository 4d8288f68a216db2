# ---- The rest is the same in the module of every program.

_SCALARS = {  # name in the interface: (NumPy dtype of the memory, ctypes type of the value)
    'bool': ('?', ctypes.c_bool), 'int8': ('i1', ctypes.c_int8), 'int16': ('i2', ctypes.c_int16), 'int32': ('i4', ctypes.c_int32),
    'int64': ('i8', ctypes.c_int64), 'uint8': ('u1', ctypes.c_uint8), 'uint16': ('u2', ctypes.c_uint16),
    'uint32': ('u4', ctypes.c_uint32), 'uint64': ('u8', ctypes.c_uint64), 'float16': ('f2', ctypes.c_uint16),
    'bfloat16': ('u2', ctypes.c_uint16), 'float8_e4m3fn': ('u1', ctypes.c_uint8), 'float8_e5m2': ('u1', ctypes.c_uint8),
    'float32': ('f4', ctypes.c_float), 'float64': ('f8', ctypes.c_double), 'complex64': ('c8', None), 'complex128': ('c16', None),
    'string': ('P', ctypes.c_char_p), 'pyobject': ('P', ctypes.py_object), 'void': ('u1', None),
}


class Error(RuntimeError):
    """A call of the program failed. `code`: 1 out of memory, 2 error in the program, 3 error of the device, 4 wrong argument."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class _Complex64(ctypes.Structure):  # passed by value as C passes `float _Complex`
    _fields_ = [('real', ctypes.c_float), ('imag', ctypes.c_float)]


class _Complex128(ctypes.Structure):
    _fields_ = [('real', ctypes.c_double), ('imag', ctypes.c_double)]


def _value_type(t):
    """The ctypes type of a value."""
    if isinstance(t, dict):
        if 'struct' in t:
            return STRUCTS[t['struct']]
        if 'vector' in t:
            return _value_type(t['vector']) * t['lanes']
        return ctypes.c_void_p
    return {'complex64': _Complex64, 'complex128': _Complex128}.get(t) or _SCALARS[t][1]


def _memory_type(t):
    """The NumPy dtype of elements in memory, and how many of them a vector type has (1 for others)."""
    if isinstance(t, dict):
        if 'struct' in t:
            return np.dtype(STRUCTS[t['struct']]), 1
        if 'vector' in t:
            return _memory_type(t['vector'])[0], t['lanes']
        return np.dtype(np.uintp), 1
    return np.dtype(_SCALARS[t][0]) if _SCALARS[t][0] != 'P' else np.dtype(np.uintp), 1


class Struct(ctypes.Structure):
    """A structure of the program: members by keyword; arrays for pointers (they are kept alive)."""

    def __init__(self, **members):
        super().__init__()
        self._kept = {}
        for name, value in members.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        kind = dict(self._fields_).get(name)
        if kind is None and name != '_kept':
            raise AttributeError(f'{type(self).__name__} has no member {name}')
        if kind is ctypes.c_void_p and value is not None and not isinstance(value, (int, ctypes.c_void_p)):
            self._kept[name] = value
            value = value.ctypes.data if isinstance(value, np.ndarray) else ctypes.addressof(value)
        super().__setattr__(name, value)


def _make_structs():
    made = {}
    for s in INTERFACE['structs']:
        STRUCTS[s['name']] = made[s['name']] = type(s['name'], (Struct,), {})
        made[s['name']]._fields_ = [(f['name'], _value_type(f['type'])) for f in s['fields']]
    return made


STRUCTS = {}
globals().update({name: made for name, made in _make_structs().items() if name not in globals() and not hasattr(builtins, name)})


_FUNCTIONS = {'min': min, 'max': max, 'abs': abs, 'ceil_div': lambda a, b: -(-a // b)}  # of formulas


def _is_taken(name):
    return keyword.iskeyword(name) or name in _FUNCTIONS


def _spelled(symbol):
    """A symbol in a formula: Python's own words and the functions of formulas end with `__` there."""
    return symbol + '__' if _is_taken(symbol.rstrip('_') or symbol) else symbol


def _symbol_of(name):
    return name[:-2] if name.endswith('__') and _is_taken(name.rstrip('_')) else name


class _Formula:
    """An integer formula over symbols; `text` is None when Python cannot say it."""
    _functions = {'__builtins__': {}, **_FUNCTIONS}

    def __init__(self, text):
        self.text = text
        self._code = compile(text, text, 'eval') if text is not None else None
        self.names = [_symbol_of(n) for n in self._code.co_names if n not in _FUNCTIONS] if text is not None else []

    def _evaluate(self, symbols):
        return eval(self._code, self._functions, {_spelled(n): symbols[n] for n in self.names})

    def value(self, symbols):
        """Nothing when a symbol is missing."""
        if self.text is None or any(n not in symbols for n in self.names):
            return None
        return int(self._evaluate(symbols))

    def solve(self, wanted, symbols):
        """The one missing symbol for which the formula has the wanted value, as (name, value); formulas that are no straight line in
        the symbol are not solved."""
        missing = [n for n in self.names if n not in symbols]
        if len(set(missing)) != 1:
            return None
        name = missing[0]
        try:
            at = [self._evaluate({**symbols, name: x}) for x in (1, 2)]
            slope = at[1] - at[0]
            x, rest = divmod(wanted - at[0], slope)
            x += 1
            if rest == 0 and self._evaluate({**symbols, name: x}) == wanted:
                return name, x
        except (ZeroDivisionError, OverflowError):
            pass
        return None


def _bits(value, kind):
    """The bits of a number in one of the small formats."""
    if kind == 'float16':
        return int(np.float16(value).view(np.uint16))
    if kind == 'bfloat16' and not hasattr(value, 'dtype'):
        bits = int(np.float32(value).view(np.uint32))
        if np.isnan(value):
            return (bits >> 16) | 0x40
        return (bits + 0x7fff + (bits >> 16 & 1)) >> 16 & 0xffff
    if hasattr(value, 'dtype') and value.dtype.itemsize == (2 if kind == 'bfloat16' else 1):
        return int(np.asarray(value).view(np.uint16 if kind == 'bfloat16' else np.uint8))
    raise TypeError(f'a {kind} is passed as a NumPy scalar of that size')


def _convert_value(name, t, value):
    """A value as C takes it."""
    if isinstance(t, dict):
        kind = _value_type(t)
        if kind is ctypes.c_void_p:
            return ctypes.c_void_p(value) if not isinstance(value, ctypes.c_void_p) else value
        if not isinstance(value, kind):
            raise TypeError(f'{name} is a {kind.__name__}, not a {type(value).__name__}')
        return value
    if t in ('float16', 'bfloat16', 'float8_e4m3fn', 'float8_e5m2'):
        return _value_type(t)(_bits(value, t))
    if t in ('complex64', 'complex128'):
        return _value_type(t)(complex(value).real, complex(value).imag)
    if t == 'string':
        return ctypes.c_char_p(value.encode() if isinstance(value, str) else value)
    if t == 'pyobject':
        return ctypes.py_object(value)
    if t == 'bool':
        return ctypes.c_bool(bool(value))
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    try:
        number = value.__float__() if t.startswith('float') and not hasattr(value, '__index__') else operator.index(value)
    except (AttributeError, TypeError):
        raise TypeError(f'{name} must be of type {t}, not {type(value).__name__}') from None
    if t.startswith('float'):
        return _value_type(t)(number)
    out = _value_type(t)(number)
    if out.value != number:
        raise OverflowError(f'{name} = {number} does not fit {t}')
    return out


class _Array:
    """Checks and passes array arguments."""

    def __init__(self, argument, anywhere=False):
        self.name, self.type, self.anywhere = argument['name'], argument['type'], anywhere
        self.shape = [_Formula(f) for f in argument['shape_formulas']]
        self.strides = [_Formula(f) for f in argument['stride_formulas']]
        self.size = _Formula(argument['size_formula'])
        self.device = argument['storage'] == 'GPU_Global'
        self.written = argument['access'] in ('out', 'inout')
        self.optional = argument['optional']
        self.dtype, self.lanes = _memory_type(self.type)

    def view(self, array):
        """address, shape, strides in elements, of what the caller gave."""
        if hasattr(array, '__cuda_array_interface__'):
            if not self.device and not self.anywhere:
                raise TypeError(f'{self.name} lies in device memory; the program takes host memory')
            c = array.__cuda_array_interface__
            dtype, shape, strides, address, readonly = np.dtype(c['typestr']), c['shape'], c.get('strides'), *c['data']
        elif self.device:
            raise TypeError(f'{self.name} must lie in device memory (an object with __cuda_array_interface__, such as Program.to_device() returns)')
        else:
            array, readonly = self.on_host(array)
            dtype, shape, strides, address = array.dtype, array.shape, array.strides, array.ctypes.data
            if not array.flags.aligned:
                raise ValueError(f'{self.name} is not aligned to its elements')
        self.check_dtype(dtype)
        if readonly and self.written:
            raise ValueError(f'{self.name} is read-only, but the program writes it')
        return address, *self.in_elements(shape, strides)

    def on_host(self, array):
        """The memory of an array of any library as a NumPy array, without a copy, and whether it must not be written."""
        if isinstance(array, np.ndarray) or hasattr(array, '__array_interface__'):
            array = np.asarray(array)
        elif hasattr(array, '__dlpack__'):
            # Older versions of NumPy make all arrays from DLPack read-only, because the protocol did not say which of them are.
            array = np.from_dlpack(array)
            return array, not array.flags.writeable and np.lib.NumpyVersion(np.__version__) >= '2.1.0'
        elif isinstance(array, (bytearray, memoryview)) or type(array).__module__ == 'array':
            array = np.asarray(array)
        else:
            raise TypeError(f'{self.name} must be an array, not a {type(array).__name__}')
        return array, not array.flags.writeable

    def check_dtype(self, dtype):
        same = dtype == self.dtype or (self.type in ('bfloat16', 'float8_e4m3fn', 'float8_e5m2') and dtype.name == self.type)
        if not same:
            raise TypeError(f'{self.name} has elements of {dtype}, but the program takes {self.type if isinstance(self.type, str) else self.dtype}')

    def in_elements(self, shape, strides):
        size = self.dtype.itemsize
        if strides is None:
            strides = [int(np.prod(shape[d + 1:], dtype=np.int64)) * size for d in range(len(shape))]
        if any(s % size for s, n in zip(strides, shape) if n > 1):
            raise ValueError(f'{self.name}: its strides {tuple(strides)} are no multiples of the element size {size}')
        shape, strides = list(shape), [s // size for s in strides]
        if self.lanes > 1:
            if len(shape) != len(self.shape) + 1 or shape[-1] != self.lanes or strides[-1] != 1 or any(s % self.lanes for s in strides[:-1]):
                raise ValueError(f'{self.name} must have a last dimension of {self.lanes}, the lanes of its vectors')
            shape, strides = shape[:-1], [s // self.lanes for s in strides[:-1]]
        if not shape and len(self.shape) == 1:
            shape, strides = [1], [1]
        if len(shape) != len(self.shape):
            raise ValueError(f'{self.name} has {len(shape)} dimensions, but the program takes {len(self.shape)}')
        return shape, strides

    def check(self, symbols, shape, strides):
        wanted = [f.value(symbols) for f in self.shape]
        if any(w is not None and w != s for w, s in zip(wanted, shape)):
            formulas = ', '.join(str(f.text) for f in self.shape)
            raise ValueError(f'{self.name} has the shape {tuple(shape)}, but the program takes ({formulas}) = {tuple(wanted)}')
        if 0 in shape:
            return
        wanted = [f.value(symbols) for f in self.strides]
        if any(w is not None and w != s and n > 1 for w, s, n in zip(wanted, strides, shape)):
            formulas = ', '.join(str(f.text) for f in self.strides)
            raise ValueError(f'{self.name} has the strides {tuple(strides)} (in elements), but the program takes ({formulas}) = '
                             f'{tuple(wanted)}; numpy.ascontiguousarray makes a row-major copy')

    def allocate(self, symbols):
        shape, strides, size = [f.value(symbols) for f in self.shape], [f.value(symbols) for f in self.strides], self.size.value(symbols)
        if size is None or None in shape or None in strides:
            raise TypeError(f'{self.name} must be given: its size does not follow from the other arguments')
        if self.device:
            raise TypeError(f'{self.name} must be given: it lies in device memory')
        flat = np.empty(max(size, 1) * self.lanes, self.dtype)
        lanes = [self.lanes] if self.lanes > 1 else []
        strides = [s * self.lanes * self.dtype.itemsize for s in strides] + ([self.dtype.itemsize] if lanes else [])
        return np.lib.stride_tricks.as_strided(flat, shape + lanes, strides)


def _callback(argument, function, symbols, failures):
    """A function pointer to a Python function; arrays arrive as NumPy arrays where their shape is known, else as addresses. What the
    function raises is kept in `failures`, because it cannot pass through the program."""
    c = argument['type']['callback']
    kinds = [ctypes.c_void_p if p['kind'] == 'array' or p['access'] == 'out' else _value_type(p['type']) for p in c['parameters']]
    result = _value_type(c['returns']) if c['returns'] is not None else None
    if isinstance(function, (int, ctypes._CFuncPtr)):
        return function if isinstance(function, int) else ctypes.cast(function, ctypes.c_void_p)

    def view(p, address):
        dtype, lanes = _memory_type(p['type'])
        shape = [1] if p['kind'] == 'scalar' else [_Formula(s).value(symbols) for s in p['shape']]
        if None in shape:
            return address
        count = int(np.prod(shape, dtype=np.int64)) * lanes
        memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
        return np.frombuffer(memory, dtype).reshape(shape + ([lanes] if lanes > 1 else []))

    def call(*values):
        try:
            return answer(values)
        except BaseException as e:
            failures.append(e)
            return None if result is None else getattr(result(), 'value', result())

    def answer(values):
        given = []
        for p, v in zip(c['parameters'], values):
            if p['kind'] == 'array' or p['access'] == 'out':
                v = view(p, v)
            elif isinstance(v, (_Complex64, _Complex128)):
                v = complex(v.real, v.imag)
            elif p['type'] == 'float16':
                v = np.uint16(v).view(np.float16)
            given.append(v)
        returned = function(*given)
        if result is None:
            return None
        value = _convert_value(argument['name'], c['returns'], returned)
        return value if isinstance(value, ctypes.Structure) else value.value

    return ctypes.CFUNCTYPE(result, *kinds)(call)


def _pass_memory(argument, value, keep):
    """Structures and container arrays: an address."""
    if isinstance(value, (int, ctypes.c_void_p)):
        return value
    if argument['kind'] == 'structure':
        if isinstance(value, dict):
            value = _value_type(argument['type'])(**value)
            keep.append(value)
        if not isinstance(value, _value_type(argument['type'])):
            raise TypeError(f"{argument['name']} must be a {argument['type']['struct']}, not a {type(value).__name__}")
        return ctypes.addressof(value)
    pointers = (ctypes.c_void_p * len(value))(*[v.ctypes.data if isinstance(v, np.ndarray) else ctypes.addressof(v) for v in value])
    keep.append(pointers)
    return ctypes.addressof(pointers)


class DeviceArray:
    """An array in device memory, row-major, of any library that knows __cuda_array_interface__; get() returns a copy on the host."""

    def __init__(self, library, array):
        self._library, self._address = library, None
        host = np.ascontiguousarray(array)
        name = INTERFACE['name']
        self._free, self._copy, alloc = (library[f'{name}_device_{f}'] for f in ('free', 'copy', 'alloc'))
        alloc.restype = ctypes.c_void_p
        self.shape, self.dtype = host.shape, host.dtype
        self._address = alloc(ctypes.c_size_t(max(host.nbytes, 1)))
        if not self._address:
            raise MemoryError(f'{host.nbytes} bytes of device memory')
        self._move(self._address, host.ctypes.data)

    def _move(self, to, source):
        nbytes = int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        status = self._copy(ctypes.c_void_p(to), ctypes.c_void_p(source), ctypes.c_size_t(nbytes))
        if status:
            raise Error(3, f'copying between host and device failed with status {status}')

    @property
    def __cuda_array_interface__(self):
        return {'shape': self.shape, 'typestr': self.dtype.str, 'data': (self._address, False), 'strides': None, 'version': 3}

    def get(self):
        host = np.empty(self.shape, self.dtype)
        self._move(host.ctypes.data, self._address)
        return host

    def __del__(self):
        if self._address:
            self._free(ctypes.c_void_p(self._address))

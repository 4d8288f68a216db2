"""Fast calls: a function generated for arguments of one form.

Checking arguments and deriving symbols from shapes takes about 20 microseconds, which is long for a small program. The checks depend
only on the form of the arguments: the element type, shape and strides of each array, and the integers that shapes depend on. A call
whose form was checked before therefore skips the checks. The comparison is Python code that is generated for the program and the form.
Any difference, and any object that is not a NumPy array, leads to the general path. So do programs with arguments other than arrays on
the host, numbers and symbols.
"""
import ctypes
import keyword

_INTEGERS = {f'{sign}int{bits}': getattr(ctypes, f'c_{sign}int{bits}') for sign in ('', 'u') for bits in (8, 16, 32, 64)}
_NUMBERS = {**_INTEGERS, 'float32': ctypes.c_float, 'float64': ctypes.c_double, 'bool': ctypes.c_bool}
_ABSENT = type('Absent', (), {'__repr__': lambda self: '...'})()


def is_plain(interface, order, sizes):
    """Whether calls of a program can be fast."""
    plain = all(a['kind'] == 'array' and a['storage'] != 'GPU_Global' or
                a['kind'] in ('scalar', 'symbol') and isinstance(a['type'], str) and a['type'] in _NUMBERS for a in interface['arguments'])
    return plain and not sizes and all(n.isidentifier() and not keyword.iskeyword(n) and not n.startswith('__') for n in order)


def fail(program):
    """Raises the error of the last call."""
    raise program.module.Error(program._error(program._handle), program._message(program._handle).decode(errors='replace'))


class Calls:
    """Makes the method `__call__` of one object. The object has a class of its own, since Python looks `__call__` up there, and the fast
    path replaces it."""

    def __init__(self, interface, order, np):
        self.interface, self.order, self.np = interface, order, np
        self.makers = {}  # compiled sources
        self.methods = {}  # by the forms of arguments
        self.decisive = None  # integers that checks depend on

    def general(self, program, values, more, named):
        """A call that is not like the last one. If it is like an earlier one, the method for that is used again; otherwise it is checked,
        and later calls with arguments of the same form are fast."""
        if more:
            return program.bind(*values, *more, **named)()
        key = None if named else tuple(map(self.form_of, values, self.order))
        method = self.methods.get(key)
        if method is not None and method is not type(program).__call__:
            type(program).__call__ = method
            return method(program, *values)
        given = {n: v for n, v in zip(self.order, values) if v is not _ABSENT}
        program._last = prepared = program._prepared((), {**given, **named})
        result = program._bound(*prepared)()
        if not named and method is None:
            method = self.fast(program, dict(zip(self.order, values)), *prepared[1:3])
            if method is not None:
                if len(self.methods) >= 32:
                    self.methods.clear()
                self.methods[key] = type(program).__call__ = method
        return result

    def form_of(self, value, name):
        """The properties of an argument that a method depends on."""
        if isinstance(value, self.np.ndarray):
            return value.dtype, value.shape, value.strides, value.flags.writeable
        return (type(value), value) if type(value) is int and (self.decisive is None or name in self.decisive) else type(value)

    def reset(self, program):
        """Forgets all methods: they have the handle of the program."""
        self.methods.clear()
        type(program).__call__ = self.first()

    def first(self):
        """The method before the first call."""
        return self.method(_Form(None, {}, {}, {}, ()), None, None, None)

    def fast(self, program, values, given, symbols):
        """The method for calls like this one; None if the call has no fast path."""
        if self.decisive is None:
            formulas = [f for a in program._arrays.values() for f in [*a.shape, *a.strides, a.size]]
            self.decisive = {n for f in formulas for n in f.names} | set(self.interface['fixed_arguments'])
        form = _Form(self.np, values, given, symbols, self.decisive)
        for a in self.interface['arguments']:
            if not (form.add_array(a, program._arrays[a['name']]) if a['kind'] == 'array' else form.add_number(a)):
                return None
        return self.method(form, program._program, program._handle, program._quick_error)

    def method(self, form, run, handle, error):
        source = form.source(self.order) if run else form.source_of_first(self.order)
        if source not in self.makers:
            scope = {'__q_absent': _ABSENT, '__q_general': self.general, '__q_fail': fail, '__q_pointer': ctypes.c_void_p,
                     '__q_buffer': (ctypes.c_char * 0).from_buffer}
            exec(compile(source, f'<call of {self.interface["name"]}>', 'exec'), scope)
            self.makers[source] = scope['__q_make']
        made = self.makers[source](run, handle, error, form.empty, *form.constants)
        made.__qualname__ = self.interface['name']  # for Python's own messages
        return made


class _Form:
    """The form of a call, as Python code: conditions under which another call has it, and the conversions to C arguments."""

    def __init__(self, np, values, given, symbols, decisive):
        self.np, self.values, self.given, self.symbols, self.decisive = np, values, given, symbols, decisive
        self.constants, self.conditions, self.lines, self.passed, self.results = [], [], [], [], []
        self.empty = None

    def constant(self, value):
        self.constants.append(value)
        return f'__q_{len(self.constants) - 1}'

    def line(self, expression):
        local = f'__q_p{len(self.passed)}'
        self.lines.append(f'{local} = {expression}')
        self.passed.append(local)
        return True

    def add_array(self, a, about):
        """False if the argument has no fast path."""
        name, value = a['name'], self.given.get(a['name'])
        if value is None:
            self.conditions.append(f'{name} is None')
            self.passed.append('None')
            return True
        if not isinstance(value, self.np.ndarray):
            return False
        dtype, shape, flags = self.constant(value.dtype), self.constant(value.shape), value.flags
        if name not in self.values:  # a result
            if not flags.c_contiguous or value.size != about.size.value(self.symbols) or about.lanes > 1:
                return False
            self.empty = self.np.empty
            name = f'__q_r{len(self.results)}'
            self.results.append((a['name'], name))
            self.lines.append(f'{name} = __q_empty({shape}, {dtype})')
        else:
            self.conditions.append(f'{name}.dtype is {dtype} and {name}.shape == {shape} and {name}.flags.aligned')
        if flags.writeable and (flags.c_contiguous or flags.f_contiguous):  # a buffer is contiguous and may be written
            return self.line(f'__q_buffer({name}{"" if flags.c_contiguous else ".T"})')
        self.conditions.append(f'{name}.strides == {self.constant(value.strides)}' + (f' and {name}.flags.writeable' if about.written else ''))
        return self.line(f'__q_pointer({name}.ctypes.data)')

    def add_number(self, a):
        """False if the argument has no fast path."""
        name, kind = a['name'], _NUMBERS[a['type']]
        value = self.values.get(name, _ABSENT)
        if value is _ABSENT:
            self.conditions.append(f'{name} is __q_absent')
            self.passed.append(self.constant(kind(self.given[name])))
            return True
        if name in self.decisive:
            self.conditions.append(f'{name}.__class__ is int and {name} == {self.constant(value)}')
            self.passed.append(self.constant(kind(value)))
            return type(value) is int
        if a['type'] in _INTEGERS:
            bits = 8 * ctypes.sizeof(kind)
            least = 0 if a['type'].startswith('u') else -(1 << bits - 1)
            self.conditions.append(f'{name}.__class__ is int and {least} <= {name} <= {least + (1 << bits) - 1}')
        else:
            self.conditions.append(f'{name}.__class__ is bool' if a['type'] == 'bool' else f'isinstance({name}, (float, int))')
        return self.line(f'{self.constant(kind)}({name})')

    def source_of_first(self, order):
        return _METHOD.format(constants='', parameters=''.join(f'{n}=__q_absent, ' for n in order), values=''.join(f'{n}, ' for n in order),
                              body='')

    def source(self, order):
        results = [local for _, local in sorted(self.results, key=lambda r: (len(r[0]), r[0]))]
        single = [name for name, _ in self.results] == ['__return']
        body = _FAST.format(conditions=' and '.join(['not __q_more', 'not __q_named', *self.conditions]),
                            lines='\n                '.join(self.lines or ['pass']), passed=', '.join(['__q_handle', *self.passed]),
                            result=results[0] if single else f'({", ".join(results)},)' if results else 'None',
                            values=''.join(f'{n}, ' for n in order))
        return _METHOD.format(constants=''.join(f', __q_{i}' for i in range(len(self.constants))), body=body,
                              parameters=''.join(f'{n}=__q_absent, ' for n in order), values=''.join(f'{n}, ' for n in order))


_METHOD = '''
def __q_make(__q_run, __q_handle, __q_error, __q_empty{constants}):
    def __call__(__q_self, /, {parameters}*__q_more, **__q_named):{body}
        return __q_general(__q_self, ({values}), __q_more, __q_named)
    return __call__
'''
_FAST = '''
        try:
            __q_like = {conditions}
            if __q_like:
                {lines}
        except (AttributeError, TypeError, ValueError, BufferError, OverflowError):
            __q_like = False
        if __q_like:
            __q_run({passed})
            if __q_error(__q_handle):
                __q_fail(__q_self)
            return {result}'''

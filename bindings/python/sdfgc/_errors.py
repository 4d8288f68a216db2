"""Diagnostics of sdfgc as Python objects."""
import dataclasses
import json
import linecache
import typing


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """An error, a warning or a remark. `file`, `line`, `column` and `path` are a place in the input of sdfgc; `source_file`, `source_line`
    and `source_column` are the place in the user's program that the graph recorded for the element."""
    severity: str
    code: str
    name: str
    message: str
    hint: str = ''
    file: str = ''
    line: int = 0
    column: int = 0
    path: str = ''
    element: str = ''
    source_file: str = ''
    source_line: int = 0
    source_column: int = 0
    notes: typing.Tuple[str, ...] = ()

    @classmethod
    def from_json(cls, d):
        source = d.get('source', {})
        known = {f.name for f in dataclasses.fields(cls)} - {'notes'}
        return cls(**{k: v for k, v in d.items() if k in known}, source_file=source.get('file', ''), source_line=source.get('line', 0),
                   source_column=source.get('column', 0), notes=tuple(n['message'] for n in d.get('notes', ())))

    @property
    def place(self):
        """The most useful place: a line of the user's program, else one of the input."""
        if self.source_file:
            return f'{self.source_file}:{self.source_line}:{self.source_column}'
        return ':'.join(str(part) for part in (self.file, self.line, self.column) if part) if self.file else ''

    def __str__(self):
        lines = [f'{self.code}: {self.message}' if self.code else self.message]
        if self.place or self.element:
            lines.append('  at ' + ', '.join(filter(None, (self.place, self.element))))
        text = linecache.getline(self.source_file, self.source_line).strip() if self.source_file else ''
        if text:
            lines.append('    ' + text)
        lines += [f'  note: {n}' for n in self.notes]
        if self.hint:
            lines.append('  hint: ' + self.hint)
        return '\n'.join(lines)


class CompileError(Exception):
    """sdfgc could not compile a program. The attributes of the first error (`code`, `message`, `place`, `hint`, `element`,
    `source_file`, `source_line`) are attributes of the exception; `diagnostics` has all of them, `output` is the output of compilers, and
    `status` is the exit status of sdfgc: 1 an error in the input, 2 in the options, 3 the C++ compiler failed, 70 a bug in sdfgc."""

    def __init__(self, status, diagnostics, output=''):
        self.status, self.diagnostics, self.output = status, tuple(diagnostics), output
        errors = [d for d in self.diagnostics if d.severity == 'error']
        first = errors[0] if errors else Diagnostic('error', '', '', output.strip() or f'sdfgc ended with status {status}')
        for name in ('code', 'message', 'place', 'hint', 'element', 'source_file', 'source_line', 'source_column'):
            setattr(self, name, getattr(first, name))
        text = '\n'.join(str(e) for e in errors or [first])
        super().__init__(text + ('\n' + output.rstrip() if errors and output.strip() else ''))

    def __reduce__(self):
        return type(self), (self.status, self.diagnostics, self.output)


class CompileWarning(UserWarning):
    """A warning of sdfgc; `diagnostic` has its code, place and hint."""

    def __init__(self, diagnostic):
        super().__init__(str(diagnostic))
        self.diagnostic = diagnostic


def parse(text):
    """The diagnostics that sdfgc printed with `--diagnostics json`, and the output of compilers."""
    diagnostics, other = [], []
    for line in text.splitlines(keepends=True):
        try:
            found = json.loads(line) if line.startswith('{"severity"') else None
        except ValueError:
            found = None
        if found is None or found.get('name') == 'CompilerOutput':
            other.append(found['message'] + '\n' if found else line)
        else:
            diagnostics.append(Diagnostic.from_json(found))
    return diagnostics, ''.join(other)

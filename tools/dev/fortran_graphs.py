"""Graphs as a Fortran front end writes them, from loops in Python's syntax with Fortran's meaning.

    n: size                                   # a symbol of the graph
    first: int32                              # a scalar argument: a container of one element
    t: float64[n, levels]                     # column by column, indices from 1
    band: local(float64[first:n, 14])         # a transient array; indices of the first dimension start at `first`
    config.weights: float64[2, 14]            # an array in a structure, read through a view
    for k in do(1, levels):                   # both ends are included; a third argument is the step
        if t[1, k] > limit: ...

Each loop has a variable of its own. Names without a declaration are integers and become symbols, which edges assign. So do indices and ends of
loops that come from containers, and conditions that read arrays. Each other assignment is a state with one tasklet.
"""
import ast
import re

TYPES = {'float64': 'double', 'int32': 'int32_t', 'complex128': 'std::complex<double>'}


class Container:
    def __init__(self, name, kind, dims, local, structure):
        self.name, self.kind, self.dims, self.local, self.structure = name, kind, dims, local, structure

    def path(self):
        return f'{self.structure}.{self.name}' if self.structure else self.name

    def view(self):
        return f'v_{self.structure}_{self.name}' if self.structure else self.name

    def sizes(self):
        return [size for _, size in self.dims]

    def strides(self):
        return [' * '.join(map(factor, self.sizes()[:k])) or '1' for k in range(len(self.dims))]

    def declaration(self):
        if not self.dims:
            return self.kind
        return f'{self.kind}[{", ".join(self.sizes())}] (strides = [{", ".join(json_text(s) for s in self.strides())}])'

    def member(self):
        total = ' * '.join(map(factor, self.sizes()))
        return (f'{self.name}: {{type: Array, attributes: {{dtype: {self.kind}, shape: [{", ".join(map(json_text, self.sizes()))}], '
                f'strides: [{", ".join(map(json_text, self.strides()))}], total_size: {json_text(total)}, '
                f'offset: [{", ".join("0" for _ in self.dims)}]}}}}')

    def whole(self):
        return '[' + ', '.join(f'0:{s}' for s in self.sizes()) + ']'


def factor(text):
    return text if re.fullmatch(r'\w+', text) else f'({text})'


def json_text(text):
    return text if re.fullmatch(r'\w+', text) else f'"{text}"'


class Program:
    """Declarations and statements of a program."""

    def __init__(self, name, source):
        self.name, self.containers, self.symbols, self.sizes, self.statements = name, {}, [], [], []
        for node in ast.parse(source).body:
            if isinstance(node, ast.AnnAssign):
                self._declare(node)
            else:
                self.statements.append(node)

    def _declare(self, node):
        structure = node.target.value.id if isinstance(node.target, ast.Attribute) else None
        name = node.target.attr if structure else node.target.id
        form, local = node.annotation, False
        if isinstance(form, ast.Call):
            form, local = form.args[0], True
        if isinstance(form, ast.Name) and form.id == 'size':
            self.sizes.append(name)
            return
        dims = []
        if isinstance(form, ast.Subscript):
            for d in form.slice.elts if isinstance(form.slice, ast.Tuple) else [form.slice]:
                dims.append((ast.unparse(d.lower), ast.unparse(d.upper)) if isinstance(d, ast.Slice) else ('1', ast.unparse(d)))
            form = form.value
        c = Container(name, form.id, dims, local, structure)
        self.containers[c.path()] = c

    def arguments(self):
        return [c for c in self.containers.values() if not c.local]

    def parameters(self):
        """The C++ parameters of the loops by hand, in the order of declaration, sizes first."""
        return [f'int64_t {s}' for s in self.sizes] + [f'{TYPES[c.kind]} {"*__restrict " if c.dims else ""}{c.path().replace(".", "_")}'
                                                      for c in self.arguments()]

    def text(self):
        return Writer(self).text


class Rename(ast.NodeTransformer):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit_Name(self, node):
        return ast.copy_location(ast.Name(self.new if node.id == self.old else node.id, node.ctx), node)


class Writer:
    """The text of a graph."""

    def __init__(self, program):
        self.p, self.count, self.symbols = program, 0, list(program.sizes)
        body = self.block(program.statements, 1)
        lines = [f'sdfg {program.name} {{', f'  symbol {", ".join(program.sizes)}: int64']
        if len(self.symbols) > len(program.sizes):
            lines.append(f'  symbol {", ".join(self.symbols[len(program.sizes):])}: int32')
        done = set()
        for c in program.containers.values():
            if not c.structure:
                lines.append(f'  {"transient" if c.local else "argument"} {c.name}: {c.declaration()}')
            elif c.structure not in done:
                done.add(c.structure)
                members = [m for m in program.containers.values() if m.structure == c.structure]
                fields = ', '.join(f'[{m.name}, {{type: pointer, dtype: {m.kind}}}]' for m in members)
                lines.append(f'  argument {c.structure}: Structure pointer({{type: struct, name: {c.structure}_type, data: [{fields}], length: [], '
                             f'bytes: {8 * len(members)}}}) (members = {{{", ".join(m.member() for m in members)}}})')
        lines += [f'  view {c.view()}: {c.declaration()}' for c in program.containers.values() if c.structure]
        self.text = '\n'.join(lines + body + ['}', ''])

    def label(self, word):
        self.count += 1
        return f'{word}_{self.count}'

    def place(self, node):
        return f'(at "{self.p.name}.loops":{node.lineno})'

    def symbol(self, name):
        if name not in self.symbols:
            self.symbols.append(name)
        return name

    def container(self, node):
        """The container that a name, a member or an element means, if any."""
        if isinstance(node, ast.Subscript):
            node = node.value
        path = ast.unparse(node)
        return self.p.containers.get(path)

    def assign(self, name, value, before, depth, word):
        """An edge that assigns a symbol. `value` has no data-dependent indices."""
        margin = '  ' * depth
        before += [f'{margin}state {self.label(word)} {{}}', f'{margin}{self.symbol(name)} = {value}', f'{margin}state {self.label("post")} {{}}']

    def index(self, node, lower, before, depth):
        """The index of a dimension, from 0: as it is if it reads symbols only, else a symbol that an edge assigns."""
        reads = any(self.container(n) for n in ast.walk(node) if isinstance(n, (ast.Name, ast.Subscript, ast.Attribute)))
        text = self.on_edge(node, before, depth)
        shifted = f'{text} - {lower}' if lower != '0' else text
        if not reads and lower not in self.p.containers:
            return shifted
        name = self.label('tmp_index')
        self.assign(name, f'({shifted})', before, depth, 'pre_index')
        return name

    def element(self, node, before, depth):
        c = self.container(node)
        subscripts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return c, ', '.join(self.index(s, lower, before, depth) for s, (lower, _) in zip(subscripts, c.dims, strict=True))

    def on_edge(self, node, before, depth):
        """An expression for an edge, a condition or a bound; containers are named in it."""
        writer = self

        class Names(ast.NodeTransformer):
            def visit_Subscript(self, node):
                c, subset = writer.element(node, before, depth)
                if c.structure:  # a state in front shows what the view is
                    before.extend(['  ' * depth + f'state {writer.label("block")} {{', '  ' * (depth + 1) + writer.view_of(c), '  ' * depth + '}'])
                return ast.Name(f'{c.view()}[{subset}]')

            def visit_Name(self, node):
                if not writer.container(node) and node.id not in FUNCTIONS:
                    writer.symbol(node.id)
                return node

        return ast.unparse(Names().visit(ast.parse(ast.unparse(node), mode='eval').body))

    def view_of(self, c):
        return f'new {c.structure} {c.path()}{c.whole()} -> new {c.view()}:views'

    def block(self, statements, depth):
        lines = []
        for s in statements:
            self.statement(s, lines, depth)
        return lines

    def statement(self, s, lines, depth):
        margin = '  ' * depth
        if isinstance(s, ast.For):
            self.loop(s, lines, depth)
        elif isinstance(s, ast.If):
            test = self.on_edge(s.test, lines, depth)
            if any(isinstance(n, ast.Subscript) for n in ast.walk(s.test)):
                flag = self.label('if_cond')
                self.assign(flag, f'({test})', lines, depth, 'pre_if')
                test = f'({flag} == 1)'
            lines.append(f'{margin}{self.label("Conditional")}: if {test}  {{')
            lines += self.block(s.body, depth + 1)
            if s.orelse:
                lines += [margin + '} else  {'] + self.block(s.orelse, depth + 1)
            lines.append(margin + '}')
        elif isinstance(s, (ast.Break, ast.Continue)):
            lines.append(margin + ('break' if isinstance(s, ast.Break) else 'continue'))
        elif isinstance(s.targets[0], ast.Name) and not self.container(s.targets[0]):
            self.assign(s.targets[0].id, f'({self.on_edge(s.value, lines, depth)})', lines, depth, 'pre')
        else:
            self.tasklet(s.targets[0], s.value, lines, depth)

    def loop(self, s, lines, depth):
        margin, name = '  ' * depth, self.symbol(self.label(s.target.id))
        begin, last, *step = s.iter.args
        body = [Rename(s.target.id, name).visit(statement) for statement in s.body]
        ends = []
        for word, node in (('loopbegin', begin), ('loopend', last)):
            text = self.on_edge(node, lines, depth)
            if '[' in text:
                self.assign(symbol := self.label(word), f'({text})', lines, depth, 'pre_loop')
                text = symbol
            ends.append(text)
        by = ast.unparse(step[0]) if step else '1'
        relation = '>=' if by.startswith('-') else '<='
        header = f'for {name} = {ends[0]}; ({name} {relation} {ends[1]}); {name} = ({name} + {by})'
        lines.append(f'{margin}FOR_{name} {self.place(s)}: {header} {{')
        lines += self.block(body, depth + 1) + [margin + '}']

    def tasklet(self, target, value, lines, depth):
        reads, views, margin = {}, {}, '  ' * depth
        writer = self

        class Connectors(ast.NodeTransformer):
            def read(self, c, subset):
                if c.structure:
                    views[c.view()] = writer.view_of(c)
                source = f'@{c.view()} {c.view()}[{subset}]' if c.structure else f'{c.name}[{subset}]'
                return ast.Name(reads.setdefault(source, f'{c.name}_in_{len(reads)}'))

            def visit_Subscript(self, node):
                return self.read(*writer.element(node, lines, depth))

            def visit_Name(self, node):
                c = writer.container(node)
                return self.read(c, '0') if c else node

        code = ast.unparse(Connectors().visit(ast.parse(ast.unparse(value), mode='eval').body))
        to, subset = self.element(target, lines, depth) if isinstance(target, ast.Subscript) else (self.container(target), '0')
        needs = ', '.join(f'{c} <- {source}' for source, c in reads.items())
        into = f'new {to.view()}' if to.structure else to.name
        lines += [f'{margin}state {self.label("state")} {{'] + [f'{margin}  {v}' for v in views.values()]
        lines.append(f'{margin}  {self.label("T")} {self.place(target)}: {to.name}_out = {code}  with {needs}{"; " if needs else ""}{to.name}_out -> '
                     f'{into + " " + to.view() if to.structure else into}[{subset}]')
        if to.structure:  # the node that is written is the second one of the view if the state reads it, too
            written = f'@{to.view()}#2' if to.view() in views else f'@{to.view()}'
            lines.append(f'{margin}  {written}:views -> new {to.structure} {to.path()}{to.whole()}')
        lines.append(margin + '}')


FUNCTIONS = {'min', 'max', 'abs', 'exp', 'sqrt', 'log', 'conj', 'cos', 'sin', 'pow'}

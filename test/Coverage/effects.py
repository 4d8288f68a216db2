#!/usr/bin/python3
"""Checks that nothing that sdfgc reads is without effect in silence: every attribute, value and option has a row in effects.txt.

  effects.py ROOT SDFGC

What there is follows from the tables of the sources: attributes from lib/Serialize/Fields.h and FieldReader.cpp, values from
include/sdfgc/IR/Enums.h, options of passes from Passes.def, options of the command line from the completions. A row is `item: evidence`
with one of

  test/...        a test that shows the effect: it must mention the item
  SDnnnn          the diagnostic that says that there is none; a test expects it (check.py)
  none: reason    why there is none

Prints a line per fault, and exits 1 when there is one.
"""
import os
import re
import subprocess
import sys


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as f:
        return f.read()


def attributes(root):
    """`memlet.wcr`: those of the format, by the element that has them, with the member of the IR."""
    element = None
    for line in read(root, 'lib/Serialize/Fields.h').splitlines():
        if m := re.search(r'void (\w+)Fields\(', line):
            element = m[1]
        if m := re.search(r'v\.\w+\("(\w+)", \w+\.(\w+)', line):
            yield f'attribute {element}.{m[1]}', m[2]


def other_attributes(root):
    """Those that are read beside the lists, or that the format knows and the IR does not model."""
    text = read(root, 'lib/Serialize/FieldReader.cpp')
    for table, kind in (('kDropped', 'dropped'), ('kKept', 'kept'), ('kObsolete', 'obsolete')):
        body = re.search(table + r'\[\] = \{(.*?)\};', text, re.S)[1]
        if kind == 'dropped':
            yield from (f'dropped {key}' for key in re.findall(r'"(\w+)"', body))
        else:
            yield from (f'{kind} {of or "any"}.{key}' for of, key in re.findall(r'\{"(\w*)", "(\w+)"\}', body))
    for name in ('StateReader', 'GraphReader', 'DescriptorValues'):
        yield from (f'read {key}' for key in re.findall(r'\btake\("(\w+)"\)', read(root, f'lib/Serialize/{name}.cpp')))


def values(root):
    text = re.sub(r'\\\n', ' ', read(root, 'include/sdfgc/IR/Enums.h'))
    for name, body in re.findall(r'#define SDFGC_(\w+)\(X\) (.*)', text):
        yield from (f'value {name.lower()}.{value}' for value in re.findall(r'X\((\w+)\)', body))


def pass_options(root):
    name = None
    table = re.sub(r'^#include "(.*)"$', lambda m: read(root, 'include/' + m[1]), read(root, 'include/sdfgc/Transforms/Passes.def'), flags=re.M)
    for line in table.splitlines():
        if m := re.match(r'SDFGC_PASS\(\w+, "([\w-]+)"', line):
            name = m[1]
        if m := re.match(r'SDFGC_PASS_(?:OPTION|CHOICE)\("([\w-]+)"', line):
            yield f'pass-option {name}.{m[1]}'


def options(sdfgc):
    script = subprocess.run([sdfgc, 'completions', 'fish'], capture_output=True, text=True, check=True).stdout
    for spec in re.findall(r"^complete -c sdfgc -n '__fish_seen_subcommand_from [\w-]+'(.*) -d '", script, re.M):
        names = [('--' if kind == 'l' else '-') + name for kind, name in re.findall(r' -([ls]) (\S+)', spec)]
        if names:
            yield f'option {max(names, key=len)}'


def word_of(item):
    """What a test must mention."""
    name = item.split(' ', 1)[1]
    word = name if item.startswith('option ') else name.rsplit('.', 1)[-1]
    return word.removeprefix('_meta_sdfgc_')


def mentions(text, word):
    return re.search(r'(?<![\w-])' + re.escape(word) + r'(?![\w-])', text)


def faults_of(root, item, evidence, codes, member):
    if evidence.startswith('none: '):
        if len(evidence) < 30:
            yield f'{item}: that is no reason'
    elif re.fullmatch(r'SD\d{4}', evidence):
        if evidence not in codes:
            yield f'{item}: there is no diagnostic {evidence}'
    elif not os.path.exists(os.path.join(root, evidence)):
        yield f'{item}: there is no {evidence}'
    elif not mentions(read(root, evidence), word_of(item)) and not (member and mentions(read(root, evidence), member)):
        yield f'{item}: {evidence} does not mention it'


def main():
    root, sdfgc = sys.argv[1:3]
    members = dict(attributes(root))
    items = {*members, *other_attributes(root), *values(root), *pass_options(root), *options(sdfgc)}
    codes = set()
    for name in os.listdir(os.path.join(root, 'include/sdfgc/Diag/defs')):
        codes |= set(re.findall(r'"(SD\d{4})"', read(root, 'include/sdfgc/Diag/defs/' + name)))
    rows, problems = {}, []
    for line in read(root, 'test/Coverage/effects.txt').splitlines():
        if not line or line.startswith('#'):
            continue
        item, _, evidence = line.partition(': ')
        if item in rows:
            problems.append(f'{item}: it has two rows')
        rows[item] = evidence
    problems += [f'{item}: it has no row in test/Coverage/effects.txt' for item in sorted(items - rows.keys())]
    problems += [f'{item}: there is no such thing any more' for item in sorted(rows.keys() - items)]
    for item in sorted(items & rows.keys()):
        problems += faults_of(root, item, rows[item], codes, members.get(item))
    for kind in ('attribute', 'dropped', 'kept', 'obsolete', 'read', 'value', 'pass-option', 'option'):
        if not any(item.startswith(kind + ' ') for item in items):
            problems.append(f'nothing of the kind `{kind}` was found')
    print('\n'.join(problems + [f'{len(problems)} faults']))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())

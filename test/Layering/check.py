#!/usr/bin/python3
"""Checks the rules about files that no compiler checks.

  check.py ROOT LIBRARY...     libraries in the order of the design, uppermost first

* A library includes only its own headers and those of libraries above it, in include/sdfgc/X and in lib/X.
* Private headers (lib/X) are included only by library X.
* In lib/Transforms, the headers of one folder are private to it. What passes of several folders share is in Transforms/Edits, or in a
  library above.
* Public headers do not include <iostream>, <regex>, or headers of LLVM and yaml-cpp: they would cost every user of the header.
* No source file is longer than 500 lines.
* No file compares the name of a target, or asks for one by its name: what kind a target is, sdfgc/Pass/Target.h says.

Prints one line per violation and exits 1 when there is one.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
HEAVY = re.compile(r'^(iostream|regex|llvm/.*|yaml-cpp/.*)$')
LONGEST = 500
PASSES, SHARED = 'Transforms', 'Edits'
TARGET = re.compile(r'SDFGC_TARGET\("(\w+)"')


def sources(root, folder):
    for path, folders, files in os.walk(os.path.join(root, folder)):
        folders.sort()
        for name in sorted(files):
            if name.endswith(('.h', '.cpp', '.def')):
                yield os.path.join(path, name)


def included(path):
    """(line number, name) of every include, and the number of lines"""
    with open(path, encoding='utf-8') as f:
        lines = f.read().split('\n')
    found = [(n, m[1] or m[2]) for n, m in ((n, INCLUDE.match(line)) for n, line in enumerate(lines, 1)) if m]
    return found, len(lines) - 1


def target_names(root):
    """A pattern for what asks for a target by its name."""
    with open(os.path.join(root, 'include/sdfgc/Targets/Targets.def'), encoding='utf-8') as f:
        name = '"(?:' + '|'.join(TARGET.findall(f.read())) + ')"'
    return re.compile(rf'[!=]=\s*(?:(?:pass::)?Target\()?{name}|{name}\)?\s*[!=]=|\b(?:dialect|find|compare)\({name}|{name}\)\.|\.(?:starts_with|ends_with)\({name}')


def check_targets(root, path, asks):
    with open(path, encoding='utf-8') as f:
        for n, line in enumerate(f, 1):
            if asks.search(line):
                yield f'{os.path.relpath(path, root)}:{n}: asks for a target by its name; sdfgc/Pass/Target.h says what kind it is'


def folder_of_passes(relative):
    """`Memory` for lib/Transforms/Memory/PoolMemory.cpp; None for files that are in no folder."""
    parts = relative.split(os.sep)
    return parts[2] if len(parts) > 3 else None


def check_file(root, path, library, order, public):
    relative = os.path.relpath(path, root)
    names, length = included(path)
    if length > LONGEST:
        yield f'{relative}: {length} lines; split it by responsibility (at most {LONGEST})'
    for line, name in names:
        parts = name.split('/')
        other = parts[1] if parts[0] == 'sdfgc' and len(parts) > 2 else parts[0] if parts[0] in order else None
        if other in order and order[other] > order[library]:
            yield f'{relative}:{line}: {library} may not include {name}: {other} stands below it'
        elif other in order and other != library and parts[0] != 'sdfgc':
            yield f'{relative}:{line}: {name} is private to {other}'
        elif parts[0] == library == PASSES and len(parts) > 2 and parts[1] not in (SHARED, folder_of_passes(relative)):
            yield f'{relative}:{line}: {name} is private to the passes in {PASSES}/{parts[1]}; move what others need to {PASSES}/{SHARED}'
        elif public and HEAVY.match(name):
            yield f'{relative}:{line}: a public header may not include <{name}>'


def main():
    root, libraries = sys.argv[1], sys.argv[2:]
    order = {name: i for i, name in enumerate(libraries)}
    problems = []
    asks = target_names(root)
    for folder, public in (('include/sdfgc', True), ('lib', False)):
        base = os.path.join(root, folder)
        for library in sorted(os.listdir(base)):
            if not os.path.isdir(os.path.join(base, library)):
                continue
            if library not in order:
                problems.append(f'{folder}/{library}: a library that the list in CMakeLists.txt does not have')
                continue
            for path in sources(root, os.path.join(folder, library)):
                problems += check_file(root, path, library, order, public)
                problems += check_targets(root, path, asks)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/python3
"""Updates the generated code in the pages of docs/user/optimised.

  tools/dev/update_optimised.py [--sdfgc build/bin/sdfgc] [--check]

Every page docs/user/optimised/NAME.md is about test/graphs/optimised/NAME.sdfgt. Its text is written by people; its block of C++ is the function
`program` as `sdfgc emit` prints it at the default level. --check writes nothing, and fails with a difference where a page is not what sdfgc
emits now, or where one of the two files is missing. Read the difference before you commit it, and the text above it: it describes
what the optimiser did, which may have changed.
"""
import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = os.path.join(ROOT, 'docs/user/optimised')
GRAPHS = os.path.join(ROOT, 'test/graphs/optimised')
BLOCK = re.compile(r'(?<=^```cpp\n).*?(?=^```$)', re.M | re.S)
PROGRAM = re.compile(r'^static void program\(.*?^}\n', re.M | re.S)


def names(folder, ending):
    return {name[:-len(ending)] for name in os.listdir(folder) if name.endswith(ending)}


def emitted(sdfgc, name):
    """The function of a program, as text."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sdfgc, 'emit', '-q', os.path.join(GRAPHS, name + '.sdfgt'), '-o', folder], check=True)
        with open(os.path.join(folder, f'src/cpu/{name}.cpp'), encoding='utf-8') as f:
            return PROGRAM.search(f.read())[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sdfgc', default=os.path.join(ROOT, 'build/bin/sdfgc'))
    parser.add_argument('--check', action='store_true')
    options = parser.parse_args()
    pages, graphs = names(PAGES, '.md') - {'README'}, names(GRAPHS, '.sdfgt')
    wrong = [f'{name}: it has no {"page" if name in graphs else "graph"}' for name in sorted(pages ^ graphs)]
    for name in sorted(pages & graphs):
        path = os.path.join(PAGES, name + '.md')
        with open(path, encoding='utf-8') as f:
            old = f.read()
        code = emitted(options.sdfgc, name)
        new, blocks = BLOCK.subn(lambda _: code, old)
        if blocks != 1:
            wrong.append(f'{path}: it has {blocks} blocks of C++, not one')
        elif new != old and options.check:
            wrong.append(''.join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), path, 'as emitted')))
        elif new != old:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(new)
    if wrong:
        print('\n'.join(wrong) + '\nTo mend pages of other code: tools/dev/update_optimised.py', file=sys.stderr)
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())

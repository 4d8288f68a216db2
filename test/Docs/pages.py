#!/usr/bin/env python3
"""Checks the pages of the documentation: links lead somewhere, docs/README.md leads to every page, and nothing is left to fill in but what
docs/placeholders.md lists.

    pages.py ROOT
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
PLACEHOLDERS = ROOT / 'docs' / 'placeholders.md'
# Text that somebody meant to replace, in whatever form.
UNFINISHED = re.compile(r'\b(?:TODO|FIXME|TBD|XXX|lorem ipsum|example\.(?:com|org)|your-?(?:name|organi[sz]ation|user))\b|<(?:your|the)[ -][a-z -]+>|\?\?\?', re.I)
faults = []


def without_code(text):
    """The text with its fenced blocks and code spans blanked out; lines stay."""
    text = re.sub(r'^```.*?^```$', lambda m: re.sub(r'[^\n]', ' ', m.group()), text, flags=re.S | re.M)
    return re.sub(r'(`+)(?!`).+?(?<!`)\1(?!`)', lambda m: ' ' * len(m.group()), text)


def anchors(path):
    """The anchors of a page, as GitHub makes them of headings."""
    found = set()
    text = re.sub(r'^```.*?^```$', '', path.read_text(), flags=re.S | re.M)
    for heading in re.findall(r'^#+ +(.*?)\s*$', text, flags=re.M):
        anchor = re.sub(r'[^\w\- ]', '', re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading).lower()).replace(' ', '-')
        while anchor in found:
            anchor += '-1'
        found.add(anchor)
    return found


def check_links(path, text):
    for match in re.finditer(r'\]\(([^()\s]*(?:\([^()\s]*\))?[^()\s]*)\)', text):
        target, _, anchor = match.group(1).partition('#')
        if re.match(r'[a-z]+:', target):
            continue
        where = f'{path.relative_to(ROOT)}:{text[:match.start()].count(chr(10)) + 1}'
        file = (path.parent / target).resolve() if target else path
        if not file.exists():
            faults.append(f'{where}: there is no {target}')
        elif anchor and file.suffix == '.md' and anchor not in anchors(file):
            faults.append(f'{where}: {target or path.name} has no heading #{anchor}')


def check_placeholders(pages):
    listed = dict(re.findall(r'^\| ([a-z-]+) \| .* \| ([\w./-]+) \|$', PLACEHOLDERS.read_text(), flags=re.M))
    used = {}
    for path in pages:
        if path != PLACEHOLDERS:
            for name in re.findall(r'PLACEHOLDER\(([^)]*)\)', path.read_text()):
                used.setdefault(name, path.relative_to(ROOT))
    for name, path in used.items():
        if name not in listed:
            faults.append(f'{path}: PLACEHOLDER({name}) is not in docs/placeholders.md')
    for name, path in listed.items():
        if path.endswith('.md') and f'PLACEHOLDER({name})' not in (ROOT / path).read_text():
            faults.append(f'docs/placeholders.md: {path} has no PLACEHOLDER({name}); remove the row')


def check_index():
    """Pages in folders of pages have an index of their own."""
    index = ROOT / 'docs' / 'README.md'
    linked = {(index.parent / target).resolve() for target in re.findall(r'\]\(([^()#\s]+)', index.read_text())}
    for folder in ('.', 'user', 'developer'):
        for page in sorted((index.parent / folder).glob('*.md')):
            if page.resolve() not in linked and page != index:
                faults.append(f'docs/README.md: no link to {page.relative_to(index.parent)}')


pages = [*sorted(ROOT.glob('*.md')), *sorted((ROOT / 'docs').rglob('*.md'))]
for page in pages:
    text = page.read_text()
    check_links(page, without_code(text))
    for number, line in enumerate(text.split('\n'), 1):
        for word in UNFINISHED.findall(line) if page != PLACEHOLDERS else []:
            faults.append(f'{page.relative_to(ROOT)}:{number}: `{word}` looks unfinished')
check_placeholders(pages)
check_index()
print(*faults[:40], sep='\n')
print(f'{len(pages)} pages, {len(faults)} faults')
sys.exit(bool(faults))

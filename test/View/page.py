#!/usr/bin/python3
"""Checks the text of a page of `sdfgc view`: well-formed, complete in itself, and with data that fits together.

  page.py FILE GRAPHS [SOURCE...]

GRAPHS graphs were given; those that look like the one before them are named, but not in the page. SOURCES are shown beside the graph, in this order.
"""
import html.parser
import json
import sys

VOID = {'meta', 'input', 'path'}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.steps, self.scripts, self.problems = [], [], [], []
        self.same, self.sources = [], None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.problems += [f'<{tag} {a}>: the page needs another file' for a in ('src', 'href', 'data') if a in attrs]
        if tag not in VOID:
            self.open.append((tag, attrs))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop()[0] != tag:
            self.problems.append(f'</{tag}> closes something else')

    def handle_data(self, data):
        if self.open and self.open[-1][0] == 'script':
            attrs = self.open[-1][1]
            if 'data-step' in attrs:
                self.steps.append(json.loads(data))
                self.same += json.loads(attrs['data-same'])
            elif attrs.get('id') == 'sources':
                self.sources = json.loads(data)
            else:
                self.scripts.append(data)


def faults(step):
    containers = step['containers']
    used = [n['c'] for c in containers for n in c['nodes'] if 'c' in n]
    if sorted(used) != list(range(1, len(containers))):
        yield f'containers of nodes: {sorted(used)} of {len(containers)}'
    for k, c in enumerate(containers):
        for a, b, text, detail in c['edges']:
            if not (0 <= a < len(c['nodes']) and 0 <= b < len(c['nodes']) and isinstance(text, str) and isinstance(detail, list)):
                yield f'edge {a} -> {b} of container {k}'
        for n in c['nodes']:
            if not n.get('k') or not isinstance(n.get('n'), str):
                yield f'node {n} of container {k}'


def main():
    page = Page()
    with open(sys.argv[1], encoding='utf-8') as f:
        text = f.read()
    page.feed(text)
    problems = page.problems + [f'not closed: {t}' for t, _ in page.open]
    if len(page.steps) + len(page.same) != int(sys.argv[2]):
        problems.append(f'{len(page.steps)} steps, and {len(page.same)} without change')
    problems += [f'step {i + 1} looks like the one before it' for i in range(1, len(page.steps)) if page.steps[i] == page.steps[i - 1]]
    shown = [s['name'] for s in page.sources['python'] + page.sources['generated'] if s.get('text')]
    if shown != sys.argv[3:]:
        problems.append(f'sources: {shown}')
    if 'http://' in text.replace('http://www.w3.org/2000/svg', '') or 'https://' in text or any('@' + w + '@' in text for w in ('DATA', 'STYLE', 'LAYOUT', 'PANES', 'VIEWER', 'TITLE')):
        problems.append('an address or a mark of the template is in the page')
    problems += [p for s in page.steps for p in faults(s)]
    print('\n'.join(problems) or 'the page is complete')
    return bool(problems)


if __name__ == '__main__':
    sys.exit(main())

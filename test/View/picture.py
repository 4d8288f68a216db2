#!/usr/bin/python3
"""Judges the first picture of a page of `sdfgc view` as a user would: is it readable, does it begin at the top, fit the width and fill the window?

  picture.py probe PAGE           prints the page with a script that measures it
  picture.py judge PNG DOM        looks at the screenshot of that page and at what was measured
"""
import json
import re
import struct
import sys
import zlib

# Sizes of all texts in the window, and where the drawing is in its part of it.
PROBE = '''<script>
(() => {
    const main = document.getElementById('drawing').getBoundingClientRect(), scene = document.getElementById('scene').getBoundingClientRect();
    const sizes = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const element = node.parentElement, box = element.getBoundingClientRect();
        if (!node.data.trim() || !box.width || !box.height || ['SCRIPT', 'NOSCRIPT', 'OPTION'].includes(element.tagName)) continue;
        const scale = element.getScreenCTM ? element.getScreenCTM().a : 1;
        sizes.push([parseFloat(getComputedStyle(element).fontSize) * scale, node.data.trim().slice(0, 40)]);
    }
    sizes.sort((a, b) => a[0] - b[0]);
    document.documentElement.dataset.measured = JSON.stringify({smallest: sizes[0], texts: sizes.length, top: scene.top - main.top, left: scene.left - main.left, right: main.right - scene.right});
})();
</script>
'''
TILE = 40  # pixels; text of any size leaves its mark in a tile of these


def pixels(path):
    """Rows of a PNG with 8 bits a channel, each of bytes; and the bytes of a pixel."""
    with open(path, 'rb') as f:
        data = f.read()
    at, packed = 8, b''
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        if kind == b'IHDR':
            width, height, depth, colour = struct.unpack('>IIBB', data[at + 8:at + 18])
        if kind == b'IDAT':
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    assert depth == 8 and colour in (2, 6), 'a PNG of another kind'
    bpp, raw, rows = {2: 3, 6: 4}[colour], zlib.decompress(packed), []
    before, stride = bytearray(width * bpp), width * bpp + 1
    for y in range(height):
        row = bytearray(raw[y * stride + 1:(y + 1) * stride])
        unfilter(raw[y * stride], row, before, bpp)
        rows.append(row)
        before = row
    return rows, bpp


def unfilter(kind, row, above, bpp):
    if kind == 2:
        row[:] = bytes((a + b) & 255 for a, b in zip(row, above))
    elif kind:
        for i in range(len(row)):
            a, b, c = (row[i - bpp] if i >= bpp else 0), above[i], (above[i - bpp] if i >= bpp else 0)
            if kind == 1:
                guess = a
            elif kind == 3:
                guess = (a + b) // 2
            else:
                pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                guess = a if pa <= pb and pa <= pc else b if pb <= pc else c
            row[i] = (row[i] + guess) & 255


def empty_share(path):
    """How many tiles of the picture are of one colour, from 0 to 1."""
    rows, bpp = pixels(path)
    width, height = len(rows[0]) // bpp, len(rows)
    empty = total = 0
    for y in range(0, height - TILE + 1, TILE):
        for x in range(0, width - TILE + 1, TILE):
            first = bytes(rows[y][x * bpp:(x + 1) * bpp]) * TILE
            total += 1
            empty += all(rows[k][x * bpp:(x + TILE) * bpp] == first for k in range(y, y + TILE))
    return empty / total


def judge(png, dom):
    with open(dom, encoding='utf-8') as f:
        found = re.search(r'data-measured="([^"]*)"', f.read())
    if not found:
        return ['the page was not measured'], ''
    m = json.loads(found[1].replace('&quot;', '"').replace('&lt;', '<').replace('&gt;', '>').replace('&amp;', '&'))
    empty = empty_share(png)
    problems = []
    if m['smallest'][0] < 11:
        problems.append(f'text of {m["smallest"][0]:.1f} px: {m["smallest"][1]}')
    if not 0 <= m['top'] <= 30:
        problems.append(f'the drawing begins {m["top"]:.0f} px below the top')
    if m['left'] < 0 or m['right'] < 0:
        problems.append(f'the drawing is wider than its part of the window: {m["left"]:.0f} and {m["right"]:.0f} px are left')
    if empty >= 0.5:
        problems.append(f'{empty:.0%} of the window are empty')
    return problems, f'{m["texts"]} texts, the smallest of {m["smallest"][0]:.1f} px; {empty:.0%} empty'


def main():
    if sys.argv[1] == 'probe':
        with open(sys.argv[2], encoding='utf-8') as f:
            print(f.read().replace('</body>', PROBE + '</body>'), end='')
        return 0
    problems, text = judge(sys.argv[2], sys.argv[3])
    print('\n'.join(problems) or text)
    return bool(problems)


if __name__ == '__main__':
    sys.exit(main())

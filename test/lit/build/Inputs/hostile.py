"""Writes variants of a package that must be refused. hostile.py PACKAGE FOLDER; each is in the exact form that sdfgc writes."""
import pathlib
import struct
import sys
import zlib

content = pathlib.Path(sys.argv[1]).read_bytes()
out = pathlib.Path(sys.argv[2])
out.mkdir()


def members(data):
    """(name, content, mode) of each."""
    count, _, at = struct.unpack('<HII', data[-12:-2])
    for _ in range(count):
        method, packed, length, mode, offset = (struct.unpack_from(f, data, at + o)[0] for f, o in
                                                (('<H', 10), ('<I', 20), ('<H', 28), ('<I', 38), ('<I', 42)))
        name = data[at + 46:at + 46 + length].decode()
        body = data[offset + 30 + length:offset + 30 + length + packed]
        yield name, zlib.decompress(body, -15) if method else body, mode >> 16
        at += 46 + length


def archive(files, size=None):
    """`size`: declared of each, in place of its own."""
    data = listing = b''
    for name, body, mode in files:
        compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = compressor.compress(body) + compressor.flush()
        common = struct.pack('<HHHHHIIIHH', 20, 1 << 11, 8, 0, 33, zlib.crc32(body), len(packed), size or len(body), len(name), 0)
        listing += struct.pack('<IH', 0x02014b50, 3 << 8 | 20) + common + struct.pack('<HHHII', 0, 0, 0, mode << 16, len(data)) + name.encode()
        data += struct.pack('<I', 0x04034b50) + common + name.encode() + packed
    return data + listing + struct.pack('<IHHHHIIH', 0x06054b50, 0, 0, len(files), len(files), len(listing), len(data), 0)


files = list(members(content))
middle = len(content) // 2
variants = {
    'cut': content[:middle],
    'flipped': content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1:],
    'other': b'no archive at all, but long enough for one',
    'absolute': archive([('/tmp/sdfgc-hostile', b'x', 0o100644)]),
    'up': archive([('include/../../up', b'x', 0o100644)]),
    'link': archive([(n, b'/etc/passwd', 0o120777) if n == 'program.sdfg' else (n, b, m) for n, b, m in files]),
    'swapped': archive([(n, b + b' ' if n == 'include/vadd.h' else b, m) for n, b, m in files]),
    'huge': archive([('big', b'x', 0o100644)], size=(1 << 32) - 1),
}
for name, data in variants.items():
    (out / f'{name}.zip').write_bytes(data)

#!/usr/bin/env python3
"""read_samples.py FILE: prints a sample file as CSV. A second reader, written from
docs/format.md; tests/cli/samples/samples_format.sh compares it with the original table."""
import struct
import sys

NAMES, REAL, SIGNED = 3, 2, 1


class Reader:
    def __init__(self, data, at):
        self.data, self.at = data, at

    def u64(self):
        self.at += 8
        return struct.unpack_from("<Q", self.data, self.at - 8)[0]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & (1 << 64) - 1

    def string(self):
        size = self.varint()
        self.at += size
        return self.data[self.at - size : self.at].decode()


def column(d, rows):
    name, kind, _role, is_hex, width = (
        d.string(), d.varint(), d.varint(), d.varint(), d.varint())
    base, _low, _high, at, _hash = (d.u64() for _ in range(5))
    code = {1: "B", 2: "H", 4: "I", 8: "Q"}[width]
    cells = [
        base + c & (1 << 64) - 1 for c in struct.unpack_from(f"<{rows}{code}", d.data, at)]
    missing = b""
    if d.varint():
        start, _hash = d.u64(), d.u64()
        missing = d.data[start : start + (rows + 63) // 64 * 8]
    names = [d.string() for _ in range(d.varint())]

    def text(row, v):
        if missing and missing[row // 8] >> row % 8 & 1:
            return "??"
        if kind == NAMES:
            return names[v]
        if kind == REAL:
            return repr(struct.unpack("<d", struct.pack("<Q", v))[0])
        if kind == SIGNED and v >> 63:
            v -= 1 << 64
        return f"{v:x}" if is_hex else str(v)

    return name, [text(i, v) for i, v in enumerate(cells)]


def main():
    with open(sys.argv[1], "rb") as f:
        data = f.read()
    assert data[:8] == b"MLSAMPLE" and struct.unpack_from("<I", data, 8)[0] == 1
    rows, columns, at = struct.unpack_from("<QQQ", data, 16)
    d = Reader(data, at)
    d.string(), d.string(), d.varint()
    for _ in range(min(d.varint(), 10)):
        d.varint(), d.string()
    d.string()
    for _ in range(5 * d.varint()):
        d.varint()
    table = [column(d, rows) for _ in range(columns)]
    assert d.at == len(data) - 8
    print(",".join(name for name, _ in table))
    for row in range(rows):
        print(",".join(cells[row] for _, cells in table))


main()

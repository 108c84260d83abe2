#!/usr/bin/env python3
"""A second reader of ensemble files, written from docs/format.md alone.

    read_ensemble.py FILE

Prints what `ensemble_print FILE` prints. It needs the program zstd, and read_trace.py
for the numbers that both kinds of files share. Slow; meant for small ensembles.
"""
import struct
import sys

sys.dont_write_bytecode = True  # beside the sources
from read_trace import Bytes, hash64, unpack


def blocks(data):
    at = 64
    while at < len(data):
        magic, kind, size, time, count, total, own = struct.unpack_from('<IIQQQQQ', data, at)
        assert magic == 0x4b4c424d and own == hash64(data[at:at + 40])
        payload = data[at + 48:at + 48 + size]
        assert len(payload) == size and total == hash64(payload)
        at += 48 + size
        packed = Bytes(payload)
        unpacked = packed.varint()
        assert unpacked <= 1 << 28
        raw = unpack(payload[packed.at:])
        assert len(raw) == unpacked
        yield kind, time, count, Bytes(raw), at == len(data)


def string(b):
    return b.take(b.varint()).decode()


def zigzag(b):
    v = b.varint()
    return (v >> 1) ^ -(v & 1)


def levels(machine):
    words = [part.split()[0] for part in machine.split('|')]
    return sum(w[0] == 'L' and w[1:].isdigit() for w in words)


class Ensemble:
    def __init__(self, data):
        assert data[:8] == b'mlensemb', 'not an ensemble'
        version, zero = struct.unpack_from('<II', data, 8)
        assert version == 1 and zero == 0 and data[16:56] == bytes(40)
        assert struct.unpack_from('<Q', data, 56)[0] == hash64(data[:56])
        self.traces, self.members, self.states = [], [], []
        end = False
        for kind, time, count, b, last in blocks(data):
            if kind == 1:
                self.trace(b)
            elif kind == 2:
                assert time == len(self.members)
                self.member(b)
            elif kind == 3:
                assert time == len(self.members) - 1
                self.series(b, count)
            elif kind == 4:
                self.states.append([b.varint(), time, count, 0])
            elif kind == 5:
                state = self.states[-1]
                assert time == state[3] and count == len(b.data)
                state[3] += len(b.take(count))
            elif kind == 6:
                counts = [b.varint() for _ in range(3)]
                assert counts == [len(self.traces), len(self.members), len(self.states)]
                end = True
            elif kind == 7:
                assert time == len(self.members) - 1
                self.beyond(b, count)
            elif kind == 8:
                for _ in range(count):
                    print(f'choice {string(b)} = {string(b)}')
            assert not b.more() and end == last
        assert end, 'cut off'

    def trace(self, b):
        path, label, ident = string(b), string(b), b.take(16).hex()
        start, stop, bits = b.varint(), b.varint(), b.varint()
        bins = (stop - start + (1 << bits) - 1) >> bits
        self.traces.append((start, stop, bits, bins))
        print(f'trace {path} label {label} id {ident} window {start} {stop} '
              f'bits {bits} bins {bins}')
        for _ in range(b.varint()):
            name, at, moments = string(b), 0, ''
            for _ in range(b.varint()):
                at += b.varint()
                moments += f' {at}'
            print(f'milestones {name}:{moments}')

    def member(self, b):
        trace, machine, label = b.varint(), string(b), string(b)
        self.members.append((trace, machine))
        print(f'member {label} trace {trace} machine {machine}')
        for _ in range(b.varint()):
            line = f'parameter {string(b)} = {string(b)}'
            if b.u8():
                number = struct.unpack('<d', b.take(8))[0]
                mantissa, exponent = number.hex().split('p')
                line += f" number {mantissa.rstrip('0').rstrip('.')}p{exponent}"
            print(line)

    def series(self, b, count):
        trace, machine = self.members[-1]
        start, stop, bits, bins = self.traces[trace]
        assert count == bins
        first = [min(1 << bits, stop - start - (i << bits)) for i in range(bins)]
        served = [first]
        for _ in range(levels(machine)):
            row, v = [], 0
            for i in range(bins):
                v += zigzag(b)
                assert 0 <= v <= first[i]
                row.append(v)
                first[i] -= v
            served.append(row)
        for level, row in enumerate(served, 1):
            print(f'served {level} total {sum(row)}:' + ''.join(f' {v}' for v in row))

    def beyond(self, b, count):
        row, v = [], 0
        for _ in range(count):
            v += zigzag(b)
            row.append(v)
        print(f'beyond total {sum(row)}:' + ''.join(f' {v}' for v in row))


with open(sys.argv[1], 'rb') as f:
    ensemble = Ensemble(f.read())
for trace, position, size, have in ensemble.states:
    assert size == have
    print(f'state trace {trace} position {position} bytes {size}')

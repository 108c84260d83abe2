#!/usr/bin/env python3
"""A second reader of result files, written from docs/format.md alone.

    read_result.py RESULT

Prints what `result_print RESULT` prints. It needs the program zstd, and read_trace.py
for the numbers that both kinds of files share. Slow; meant for small results.
"""
import struct
import sys

sys.dont_write_bytecode = True  # beside the sources
from read_trace import Bytes, hash64, unpack

LEVELS, CAUSES, SERVED, TLBS = 4, 7, 6, 2
SURCHARGE = TLBS + 1 + 5
BLOCK, PART, BINS, PAGE = 1 << 18, 1 << 16, 4096, 256


class Result:
    def __init__(self, data):
        self.data = data
        assert data[:8] == b'mlresult', 'not a result'
        version, zero = struct.unpack_from('<II', data, 8)
        assert version in (3, 4, 5, 6) and zero == 0
        self.surcharge = SURCHARGE if version > 3 else 0  # numbers of each
        self.level_numbers = {3: 10, 4: 11, 5: 13, 6: 13}[version]  # behind the causes
        self.beyonds = version >= 6
        assert data[32:56] == bytes(24)
        assert struct.unpack_from('<Q', data, 56)[0] == hash64(data[:56])
        self.id = data[16:32].hex()
        end = data[-24:]
        assert end[:8] == b'mls-end\n', 'cut off'
        index, total = struct.unpack_from('<QQ', end, 8)
        assert total == hash64(end[:16])
        kind, _, count, payload, size = self.block(index)
        assert kind == 7 and index + 48 + size == len(data) - 24
        self.blocks = []
        rows = self.unpacked(payload)
        at = 64
        for _ in range(count):
            kind, offset, position, many = rows.varints(4)
            assert offset == at
            found = self.block(offset)
            assert found[:3] == (kind, position, many)
            self.blocks.append(found)
            at += 48 + found[4]
        assert not rows.more() and at == index

    def block(self, offset):
        head = self.data[offset:offset + 48]
        magic, kind, size, position, count, total, own = struct.unpack('<IIQQQQQ', head)
        payload = self.data[offset + 48:offset + 48 + size]
        assert magic == 0x4b4c424d and own == hash64(head[:40])
        assert len(payload) == size and total == hash64(payload)
        return kind, position, count, payload, size

    def unpacked(self, payload):
        packed = Bytes(payload)
        size = packed.varint()
        raw = unpack(packed.data[packed.at:])
        assert len(raw) == size <= 1 << 28
        return Bytes(raw)

    def of(self, kind):
        return [b[1:4] for b in self.blocks if b[0] == kind]

    def info(self):
        (_, _, payload), = self.of(1)
        b = self.unpacked(payload)
        print('trace', self.id)
        print('of', b.varint(), 'references')
        print('machine', b.string())
        print('version', b.string())
        print('want', b.varint())
        print('interleave', b.varint())
        print('window', *b.varints(2))
        print('cores', b.string())
        assert not b.more()

    def outcomes(self):
        blocks = self.of(2)
        at = 0
        for n, (position, count, payload) in enumerate(blocks):
            assert position == at and 1 <= count <= BLOCK
            assert count == BLOCK or n == len(blocks) - 1
            at += count
            b = self.unpacked(payload)
            usual = b.varint()
            palette = b.varints(b.varint())
            gaps = b.varints(b.varint())
            low = b.take(len(gaps))
            high = b.take(len(gaps)) if len(palette) > 256 else bytes(len(gaps))
            assert not b.more()
            out = []
            for gap, lo, hi in zip(gaps, low, high):
                out += [usual] * gap + [palette[lo + 256 * hi]]
            assert len(out) <= count
            for outcome in out + [usual] * (count - len(out)):
                print('outcome', outcome)
        self.refs = at

    def beyond(self):
        blocks = self.of(10)
        assert [b[:2] for b in blocks] == [b[:2] for b in self.of(2)] or not self.beyonds
        for position, count, payload in blocks:
            b = self.unpacked(payload)
            usual = b.zigzag()
            gaps = b.varints(b.varint())
            at, cycles = 0, [usual] * count
            for gap in gaps:
                at += gap
                cycles[at] = b.zigzag()
                at += 1
            assert not b.more()
            for i, v in enumerate(cycles):
                if v:
                    print('beyond', position + i, v)

    def counts(self, kind, name, levels):
        for position, count, payload in self.of(kind):
            b = self.unpacked(payload)
            ids = []
            for _ in range(count):
                ids.append((ids[-1] if ids else 0) + b.varint())
            columns = [b.varints(count) for _ in range(levels + 1)]
            assert not b.more()
            for row in zip(ids, *columns):
                print(name, position, *row)

    def alike(self):
        for position, count, payload in self.of(8):
            b = self.unpacked(payload)
            for part in range(count):
                rows = b.varint()
                site = region = 0
                places = []
                for more in b.varints(rows):
                    site += more
                    places.append([site])
                for row, v in zip(places, b.varints(rows)):
                    region += (v >> 1) ^ -(v & 1)
                    row.append(region)
                for _ in range(4):  # thread, kind, outcome, count
                    for row, v in zip(places, b.varints(rows)):
                        row.append(v)
                for row in places:
                    row.append(b.zigzag() if self.beyonds else 0)
                for row in places:
                    print('alike', position + part * PART, *row)
            assert not b.more()

    def series(self, levels):
        for r in range(12):
            width = 1 << (10 + 2 * r)
            blocks = self.of(16 + r)
            bins = 0
            for n, (position, count, payload) in enumerate(blocks):
                assert position == bins * width and 1 <= count <= BINS
                assert count == BINS or n == len(blocks) - 1
                bins += count
                b = self.unpacked(payload)
                columns = [b.varints(count) for _ in range(levels + 1)]
                for row in zip(*columns):
                    print('bin', r, b.zigzag() if self.beyonds else 0, *row)
                assert not b.more()
            assert bins == -(-self.refs // width)

    def checkpoints(self):
        state = b''
        for position, size, payload in self.of(6):
            if payload[0]:
                state = b''
            state = bytearray(state[:size].ljust(size, b'\0'))
            b = self.unpacked(payload[1:])
            page, pages = 0, []
            for skip in b.varints(b.varint()):
                page += skip
                pages.append(page)
                page += 1
            for page in pages:
                first = page * PAGE
                last = min(first + PAGE, size)
                for i, byte in enumerate(b.take(last - first)):
                    state[first + i] ^= byte
            assert not b.more()
            print('checkpoint', position, size, '%016x' % hash64(bytes(state)))

    def profile(self):
        (_, _, payload), = self.of(5)
        return Profile(self.unpacked(payload), self.surcharge,
                       self.level_numbers)


class Profile:
    def __init__(self, b, surcharge, level_numbers):
        self.b = b
        self.surcharge = surcharge
        self.level_numbers = level_numbers
        self.machine, self.preset = b.string(), b.string()
        # the text has a part for each level: L1, L2, ...
        parts = [part.split()[0] for part in self.machine.split('|')]
        self.levels = sum(p[0] == 'L' and p[1:].isdigit() for p in parts)

    def level_counts(self):
        counts = self.b.varints(6 + CAUSES + self.level_numbers)
        return counts[3:6], counts[-1]

    def print(self):
        b = self.b
        b.varints(9)
        served = b.varints(SERVED)
        b.varints(2)
        surcharge = b.varints(self.surcharge)
        cycles, = struct.unpack('<d', struct.pack('<Q', b.varint()))
        print('preset', self.preset)
        print('cycles', '%.17g' % cycles)
        print('served', *served)
        print('surcharge', *surcharge)
        for level in range(LEVELS + 1):
            missed, useless = self.level_counts()
            b.varints(2)
            sets = b.varint()
            print('level', level, 'useless', useless, 'sets', sets)
            print('missed', *missed)
            many = b.varint()
            assert many in (0, sets)
            for _ in range(many):
                print('set', *b.varints(3))
        for _ in range(TLBS):
            print('tlb', *self.level_counts()[0])
        self.arrays()
        assert not b.more()

    def arrays(self):
        b = self.b
        for _ in range(b.varint()):
            site, caller, region, _ = b.varints(4)
            b.varints(4 + SERVED)
            causes = b.varints(LEVELS * CAUSES)
            surcharge = b.varints(self.surcharge)
            steps = b.varint()
            strides = [(b.zigzag(), b.varint()) for _ in range(4)]
            print('cell', site, caller, region, steps, *strides[0])
            print('causes', *causes)
            print('surcharge', *surcharge)
        for _ in range(b.varint()):
            use = b.varints(10)
            print('use', use[0], use[1], use[4], use[9])
        for _ in range(b.varint()):
            print('pair', *b.varints(5))
        for _ in range(b.varint()):
            print('thread', *b.varints(3 + SERVED)[:3])
            print('surcharge', *b.varints(self.surcharge))
        for _ in range(b.varint()):
            segment = b.varints(1 + SERVED)
            print('segment', segment[0], segment[2])
            print('surcharge', *b.varints(self.surcharge))
        for _ in range(b.varint()):
            bounce = b.varints(9)
            print('bounce', bounce[0], bounce[2], bounce[3], bounce[8])
        b.varint()
        names = b.take(b.varint())
        for _ in range(b.varint()):
            kind, _, _, name = b.varints(4)
            print('made region', kind, names[name:names.index(b'\0', name)].decode())
        b.varint()
        for _ in range(b.varint()):
            print('profile bin', *b.varints(SERVED))


def main():
    with open(sys.argv[1], 'rb') as f:
        r = Result(f.read())
    profile = r.profile()
    r.info()
    r.outcomes()
    r.beyond()
    r.counts(3, 'site', profile.levels)
    r.counts(4, 'region', profile.levels)
    r.alike()
    r.series(profile.levels)
    r.checkpoints()
    profile.print()


if __name__ == '__main__':
    # A million lines: one write each, where PYTHONUNBUFFERED is set, would take most of the time.
    sys.stdout = open(1, 'w', buffering=1 << 20)
    main()

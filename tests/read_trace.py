#!/usr/bin/env python3
"""A second reader of trace files, written from docs/format.md alone.

    read_trace.py TRACE [USED]

Prints what `memlamp dump --events` prints, without the data behind #, in any
order. Which parts of the format the trace makes use of goes to the file USED,
behind what is there, one a line. It needs libzstd or the program zstd. Slow; meant
for small traces.
"""
import ctypes
import struct
import subprocess
import sys

M64 = (1 << 64) - 1
M32 = (1 << 32) - 1


def hash64(data):
    k = 0xd6e8feb86659fd93
    h = 0x9e3779b97f4a7c15 ^ len(data)
    whole = len(data) // 8 * 8
    for (w,) in struct.iter_unpack('<Q', data[:whole]):
        h = (h ^ w) * k & M64
        h ^= h >> 32
    x = h ^ int.from_bytes(data[whole:], 'little')
    for _ in range(2):
        x ^= x >> 32
        x = x * k & M64
    return x ^ (x >> 32)


def signed(v, bits=64):
    return v - (1 << bits) if v >> (bits - 1) else v


try:
    zstd = ctypes.CDLL('libzstd.so.1')
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = (ctypes.c_char_p, ctypes.c_size_t) * 2
    zstd.ZSTD_isError.argtypes = (ctypes.c_size_t,)
    zstd.ZSTD_getErrorCode.argtypes = (ctypes.c_size_t,)
except OSError:
    zstd = None
TOO_SMALL = 70  # ZSTD_error_dstSize_tooSmall


def unpack(data):
    """A process for each piece would take most of the time."""
    if zstd is None:
        return subprocess.run(['zstd', '-dc'], input=data, stdout=subprocess.PIPE,
                              check=True).stdout
    room = 1 << 16
    while True:
        out = ctypes.create_string_buffer(room)
        size = zstd.ZSTD_decompress(out, room, bytes(data), len(data))
        if not zstd.ZSTD_isError(size):
            return out.raw[:size]
        assert zstd.ZSTD_getErrorCode(size) == TOO_SMALL, 'what zstd packed is damaged'
        room *= 8


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def take(self, n):
        assert self.at + n <= len(self.data), 'ends early'
        self.at += n
        return self.data[self.at - n:self.at]

    def u8(self):
        return self.take(1)[0]

    def varint(self):
        v = shift = 0
        while True:
            b = self.u8()
            v |= (b & 0x7f) << shift
            shift += 7
            if b < 0x80:
                return v

    def zigzag(self):
        v = self.varint()
        return v >> 1 ^ -(v & 1)

    def string(self):
        return self.take(self.varint()).decode('utf-8', 'surrogateescape')

    def varints(self, n):
        return [self.varint() for _ in range(n)]


class Trace:
    def __init__(self, data):
        assert data[:8] == b'memlamp\n', 'not a trace'
        version, = struct.unpack_from('<I', data, 8)
        assert version == 3, 'another version'
        assert struct.unpack_from('<Q', data, 56)[0] == hash64(data[:56])
        self.names, self.frames, self.regions = ['', 'other'], [], [(0, 1, 0, [])]
        self.sites = [(0, 0, 0, 0, 0)]
        self.globals, self.marks, self.states, self.gaps = [], [], [], []
        self.shapes, self.paths, self.events = [], [], []
        self.refs, self.states_made = [], 0
        self.superblocks, self.control = [], []  # control: by shape, a superblock or parts
        self.used, self.waits = set(), []
        self.read_blocks(data)

    def read_blocks(self, data):
        at, listed = 64, []
        while at < len(data):
            magic, kind, size, time, count, total, head = struct.unpack_from('<IIQQQQQ', data, at)
            assert magic == 0x4b4c424d and head == hash64(data[at:at + 40])
            payload = data[at + 48:at + 48 + size]
            assert len(payload) == size and total == hash64(payload)
            if kind == 6:
                self.check_index(payload, count, listed)
                self.check_trailer(data[at + 48 + size:], at)
                return
            listed.append((kind, at, time, count))
            assert kind != 4 or time == len(self.refs)
            if kind == 4:
                before = len(self.refs)
                self.read_refs(Bytes(payload))
                assert len(self.refs) - before == count
            elif kind in (1, 2, 3, 5, 7):
                raw = unpack(payload)
                assert len(raw) == count
                {1: self.read_tables, 2: self.read_shapes, 3: self.read_events,
                 5: lambda b: b.string(), 7: self.read_control}[kind](Bytes(raw))
            at += 48 + size

    def check_index(self, payload, count, listed):
        b = Bytes(payload)
        size = b.varint()
        raw = unpack(b.take(len(payload) - b.at))
        assert len(raw) == size and count == len(listed)
        b = Bytes(raw)
        for block in listed:
            assert tuple(b.varints(4)) == block
        assert not b.more()

    def check_trailer(self, data, index):
        assert len(data) == 24 and data[:8] == b'mlt-end\n'
        assert struct.unpack('<QQ', data[8:]) == (index, hash64(data[:16]))

    def read_region(self, b):
        kind, name, _, _, _, _, _, elem, dims = b.varints(9)
        shape = b.varints(dims & 7)
        b.varints(5 + (dims & 7 if dims & 8 else 0))
        self.regions.append((kind, name, elem, shape))

    def read_tables(self, b):
        def mapping():
            b.varints(6)
            b.u8()

        read = {
            1: lambda: self.names.append(b.string()),
            2: lambda: self.frames.append(b.varints(3)),
            3: lambda: self.sites.append((*b.varints(4), b.u8())),
            4: lambda: b.varints(4),
            5: lambda: b.varint(),
            6: lambda: self.read_region(b),
            7: lambda: self.globals.append(b.varints(4)),
            8: lambda: b.varints(7),
            9: mapping,
            10: lambda: self.marks.append(b.varints(4)),
            11: lambda: self.states.append((b.varint(), b.zigzag(), b.varint(), b.varint())),
            12: lambda: self.gaps.append(b.varints(3)),
            13: lambda: b.varints(2),
            14: lambda: self.waits.append(b.varints(4)),
        }
        while b.more():
            tag, count = b.u8(), b.varint()
            for _ in range(count):
                read[tag]()

    def read_shapes(self, b):
        while b.more():
            slots, bases, drifts, exits = b.varints(4)
            user, site, slot = b.u8() != 0, 0, []
            for _ in range(slots):
                offset = b.zigzag() & M64
                site += b.zigzag()
                what, base = b.varint(), b.varint()
                slot.append((offset, site, what, (base >> 1) - 1, base & 1))
            base, known = [], self.states_made
            for _ in range(bases):
                state = b.varint()
                assert state <= known, 'no such state'
                if state:
                    self.used.add('bases that share a state')
                else:
                    self.states_made += 1
                    state = self.states_made
                base.append(state - 1)
            drift = [(*b.varints(3), b.u8()) for _ in range(drifts)]
            number = len(self.shapes)
            self.shapes.append((slot, base, drift, user, len(self.paths), exits))
            for _ in range(exits):
                self.paths.append((number, *b.varints(2)))
            self.paths.append((number, slots, bases))

    def read_control(self, b):
        expected = len(self.superblocks)
        for _ in range(b.varint()):
            entry = b.zigzag() + (self.superblocks[-1][0] if self.superblocks else 0)
            slots, count = b.varints(2)
            branches, at, length, instructions, done = [], entry, 0, 0, 0
            for i in range(count):
                bits = b.u8()
                kind, target = bits & 7, 0
                assert kind <= 4 and bits < 128
                if bits & 32:
                    assert i
                    at, length = branches[-1][:2]
                    self.used.add('branches of one instruction')
                else:
                    skipped = b.varint()
                    assert skipped <= 4096
                    at, length = at + skipped, b.u8()
                if bits & 64:
                    instructions += b.varint()
                    done += b.varint()
                if bits & 8:
                    target = at + length
                if bits & 16:
                    target += b.zigzag()
                branches.append((at, length, kind, target, done))
                at = target if kind in (2, 3) else at + length
            assert count and done <= slots
            b.varints(slots)
            self.superblocks.append((entry, slots, branches))
        while b.more():
            shape, kind = len(self.control), b.varint()
            slots, _, _, _, path, exits = self.shapes[shape]
            done = [self.paths[path + i][1] for i in range(exits + 1)]
            if kind == 0:
                self.control.append(None)
            elif kind == 1:
                parts, last = [], 0
                for _ in range(b.varint()):
                    last += b.zigzag()
                    parts.append(last)
                    assert isinstance(self.control[self.paths[last][0]], int)
                # the references of a joined shape are those of its parts
                assert len(parts) == exits + 1
                sums = [sum(self.paths[p][1] for p in parts[:i + 1]) for i in range(exits + 1)]
                assert done == sums or exits == 0
                self.control.append(parts)
                self.used.add('shape with parts')
            else:
                expected += (kind - 2 >> 1) ^ -(kind & 1)
                _, slots, _ = self.superblocks[expected]
                assert max(done) <= slots
                self.control.append(expected)
                self.used.add('shape of a superblock')
                expected += 1

    def read_events(self, b):
        time = addr = thread = 0
        while b.more():
            head = b.u8()
            if head & 4:
                thread = b.varint()
            time += b.varint()
            addr = addr + b.zigzag() & M64
            region = size = 0
            if head & 1 == 0:
                region, size = b.varints(2)
            self.events.append((head & 3, addr, size, region))

    def read_refs(self, b):
        widths = [1, 4, 1, 1, 8, 1, 1, 2, 4, 8, 1, 2, 4]
        steps, thread = b.varints(2)
        heads = []
        for number, width in enumerate(widths):
            count = b.varint()
            planes = 1 if number == 7 else width  # d2 is not split
            heads.append((count, width // planes, b.varints(planes) if count else []))
        columns = []
        for count, bytes_, sizes in heads:
            planes = [unpack(b.take(size)) for size in sizes]
            assert all(len(p) == count * bytes_ for p in planes)
            if bytes_ > 1 and planes:
                planes = [planes[0][k::bytes_] for k in range(bytes_)]
            columns.append([int.from_bytes(x, 'little') for x in zip(*planes)])
        assert not b.more() and heads[0][0] == (steps + 3) // 4
        Chunk(self, columns, thread, steps).run()

    # Text.

    def name(self, number):
        text = self.names[number]
        if not text or any(c in text for c in ' "#'):
            text = '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'
        return text

    def own_frame(self, number):
        """The innermost frame in a source of the user, which lies not below /usr, and no accessor."""
        first, frames, flags = self.sites[number][2:5]
        for frame in self.frames[first + (flags >> 1 & 63):first + frames]:
            file = self.names[frame[1]]
            if frame[1] and frame[2] and (not file.startswith('/usr/') or
                                          file.startswith(('/usr/local/', '/usr/src/'))):
                return frame
        return self.frame(number)

    def frame(self, number):
        first, frames = self.sites[number][2:4]
        return self.frames[first] if frames else (0, 0, 0)

    def place(self, number, frame):
        ip, obj = self.sites[number][:2]
        func, file, line = frame
        text = '%s:%d' % (self.name(file), line) if file else '0x%x' % ip if ip else '?'
        if func:
            text += ' ' + self.names[func]
        if not file and obj:
            text += ' [%s]' % self.names[obj].rsplit('/', 1)[-1]
        return text

    def block(self, region, addr, size):
        kind, name, elem, shape = self.regions[region]
        word = {4: 'region', 1: 'global'}.get(kind, 'alloc')
        text = '%s %s 0x%x %d' % (word, self.name(name), addr, size)
        parts, bytes_ = [elem] * (elem != 0), elem
        for extent in shape if elem else []:
            bytes_ *= extent
            if not extent or bytes_ > size:
                break
            parts.append(extent)
        return ' '.join([text] + [str(p) for p in parts])

    def print(self, out):
        places = {(0, 0): ''}
        for time, (addr, site, what, thread, caller) in enumerate(self.refs):
            place = places.get((site, caller))
            if place is None:
                place = ' ' + self.place(site, self.frame(site))
                own = self.own_frame(caller or site)
                if caller or own != self.frame(site):
                    place += ' <- ' + self.place(caller or site, own)
                places[site, caller] = place
            out.write('%d %s 0x%x %d %d%s\n' % (time, 'rwf'[what >> 14], addr, what & 16383,
                                                thread, place))
        for _, name, kind, thread in self.marks:
            print(('mark', 'begin', 'end')[kind], self.name(name),
                  *['@%d' % thread] * (thread > 1), file=out)
        for _, value, name, thread in self.states:
            print('state', self.name(name), value, *['@%d' % thread] * (thread > 1), file=out)
        for _, count, reason in self.gaps:
            print('gap', count or '?',
                  ('skipped', 'sampling', 'fault', 'lost', 'limit')[reason], file=out)
        for addr, size, _, region in self.globals:
            if self.regions[region][0] not in (6, 7):
                print(self.block(region, addr, size), file=out)
        self.print_events(out)

    def print_events(self, out):
        live = {}
        for kind, addr, size, region in self.events:
            ended = live.pop((kind >> 1, addr), None)
            if ended is not None and self.regions[ended][0] not in (6, 7):
                print('unregion' if self.regions[ended][0] == 4 else 'free', '0x%x' % addr,
                      file=out)
            if kind & 1 == 0:
                live[kind >> 1, addr] = region
                if self.regions[region][0] not in (6, 7):
                    print(self.block(region, addr, size), file=out)


class State:
    def __init__(self, model, strides):
        self.lag, self.shift = model & 15, model >> 4 & 7
        assert self.lag <= 8 and self.shift < 4, 'no such model'
        self.stride = next(strides) if model & 128 else 0


class Chunk:
    """The prediction of the section Decoding; signed movements are Python integers."""

    def __init__(self, trace, columns, thread, steps):
        self.trace, self.thread, self.steps = trace, thread, steps
        (status, self.path, self.exit, self.models, self.strides, codes, self.d1, self.d2, self.d4,
         self.d8, self.rare, self.threads, self.callers) = [iter(c) for c in columns]
        self.status = (c >> 2 * k & 3 for c in status for k in range(4))
        self.codes = (c >> 2 * k & 3 for c in codes for k in range(4))
        self.guess = {}
        self.h = (0, 0)
        self.values = [0] * 8
        self.caller, self.user, self.user_shape, self.caller_of = 0, False, 0, {}
        self.states = {}

    def use(self, part):
        self.trace.used.add(part)

    def next_path(self, s):
        h0, h1 = self.h
        slot = ((h0 ^ h1) * 0x85ebca6b & M32) >> 18
        first, second = self.guess.get(slot, (0, 0))
        rare = 0
        self.use('path ' + ('first guess', 'second guess', 'as such', 'exit')[s])
        if s == 3:
            *_, path, exits = self.trace.shapes[self.trace.paths[first - 1][0]]
            taken = next(self.exit)
            assert first and taken <= exits, 'no such exit'
            path += taken
        elif s == 2:
            rare, path = divmod(next(self.path), 1 << 31)
        else:
            path = (second if s else first) - 1
        assert 0 <= path < len(self.trace.paths), 'no such path'
        c = path + 1
        if first != c:
            self.guess[slot] = (c, first) if second == c or not first else (first, c)
        self.h = (c * 0x9e3779b1 & M32, h0 * 0x297a2d39 & M32)
        return path, rare

    def rest(self):
        code = next(self.codes)
        column, width = ((None, 0), (self.d1, 1), (self.d2, 2), (self.d4, 4))[code]
        rest = signed(next(column), 8 * width) if code else 0
        if rest == -1 << 31:
            rest, width = signed(next(self.d8)), 8
        self.use('base by d%d' % width if code else 'base by prediction')
        return rest

    def next_base(self, number):
        new = number not in self.states
        state = self.states.setdefault(number, None) or State(next(self.models), self.strides)
        self.states[number] = state
        self.use('lag' if state.lag else 'no lag')
        if state.shift:
            self.use('lag with a shift')
        beside = self.values[-state.lag] << state.shift if state.lag else 0
        if state.stride:
            self.use('stride')
        if new:
            state.next = self.values[-1] - beside
        out = state.next + self.rest()
        state.next = out + state.stride
        value = (out + beside) & M64
        self.values = self.values[1:] + [value]
        return value

    def run(self):
        for _ in range(self.steps):
            self.step(next(self.status))
        left = list(self.status)
        assert len(left) < 4 and not any(left), 'more statuses than steps'
        left = list(self.codes)
        assert len(left) < 8 and not any(left), 'more values than steps'
        for column in (self.path, self.exit, self.models, self.strides, self.d1, self.d2, self.d4,
                       self.d8, self.rare, self.threads, self.callers):
            assert next(column, None) is None, 'a column is not used up'

    def step(self, s):
        path, rare = self.next_path(s)
        shape, slots, bases = self.trace.paths[path]
        slot, base, drift, user, _, _ = self.trace.shapes[shape]
        if user != self.user:
            if not user:
                self.caller = self.caller_of.get(self.user_shape, 0)
            self.user = user
        if user:
            self.user_shape = shape
        if rare:
            r = next(self.rare)
            self.use('rare %d' % r)
            if r & 1:
                self.thread = next(self.threads)
            if r & 2:
                self.caller = self.caller_of[self.user_shape] = next(self.callers)
        value = [self.next_base(number) for number in base[:bases]]
        for offset, site, what, of, maybe in slot[:slots]:
            if maybe and value[of] == 0:
                self.use('slot that did not happen')
            else:
                if of >= len(base):
                    self.use('drift')
                    like, as_, from_, shift = drift[of - len(base)]
                    of = value[like] + (value[as_] - value[from_] << shift)
                else:
                    of = value[of] if of >= 0 else 0
                addr = (offset + of) & M64
                self.trace.refs.append((addr, site, what, self.thread,
                                        0 if user else self.caller))


if __name__ == '__main__':
    with open(sys.argv[1], 'rb') as f:
        trace = Trace(f.read())
    trace.print(open(1, 'w', encoding='utf-8', errors='surrogateescape'))
    if len(sys.argv) > 2:
        with open(sys.argv[2], 'a') as f:
            f.writelines('%s\n' % part for part in trace.used)

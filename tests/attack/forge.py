"""Files with hostile content and right checksums, made from good files.

forge(data) changes a few bytes behind the compression of one block of a trace, result or
ensemble, or of the directory of a sample file, and puts sizes, offsets and hashes right
again: what somebody could mail who means harm. It follows docs/format.md and needs zstd.
"""

import os
import random
import struct
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from read_trace import hash64

MAGIC = bytes.fromhex("28b52ffd")  # of a zstd frame
HEAD, TRAILER = 64, 24
INDEX = {b"memlamp\n": 6, b"mlresult": 7}  # type of the INDEX block, by format


def zstd(data, *options):
    return subprocess.run(["zstd", "-q", "-c", *options], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True).stdout


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def change(data):
    """Some other bytes: flipped bits, extremes, a long number."""
    bad = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(bad))
        what = random.randrange(4)
        if what == 0:
            bad[at] ^= 1 << random.randrange(8)
        elif what == 1:
            bad[at] = random.choice((0, 1, 0x7F, 0x80, 0xFF))
        elif what == 2:
            bad[at:at + 9] = (b"\xff" * 8 + b"\x7f")[:len(bad) - at]
        else:
            bad[at] = random.randrange(256)
    return bytes(bad)


def block(kind, time, count, payload):
    head = struct.pack("<IIQQQQ", 0x4B4C424D, kind, len(payload), time, count, hash64(payload))
    return head + struct.pack("<Q", hash64(head)) + payload


def blocks(data):
    at = HEAD
    while at + 48 <= len(data) and data[at:at + 4] == b"MBLK":
        _, kind, size, time, count = struct.unpack_from("<IIQQQ", data, at)
        yield kind, time, count, data[at + 48:at + 48 + size]
        at += 48 + size


def change_payload(payload):
    """Behind the compression if there is one, with the unpacked size as before."""
    at = payload.find(MAGIC, 0, 16)
    if at < 0 or not payload:
        return change(payload) if payload else payload
    raw = zstd(payload[at:], "-d")
    return payload[:at] + zstd(change(raw) if raw else raw)


def forge_blocks(data):
    index = INDEX.get(data[:8])
    all_blocks = list(blocks(data))
    inner = [b for b in all_blocks if b[0] != index]
    victim = random.randrange(len(inner))
    out, rows = bytearray(data[:HEAD]), b""
    for i, (kind, time, count, payload) in enumerate(inner):
        if i == victim and random.randrange(8):
            payload = change_payload(payload)
        elif i == victim:
            time, count = random.choice(((time, count ^ 1 << random.randrange(40)), (time ^ 1 << random.randrange(40), count)))
        rows += varint(kind) + varint(len(out)) + varint(time) + varint(count)
        out += block(kind, time, count, payload)
    for kind, time, _, _ in all_blocks:
        if kind == index:  # the last one
            at = len(out)
            out += block(kind, time, len(inner), varint(len(rows)) + zstd(rows))
            end = data[-TRAILER:-16] + struct.pack("<Q", at)
            out += end + struct.pack("<Q", hash64(end))
    return bytes(out)


def forge_samples(data):
    head = bytearray(data[:HEAD])
    (directory,) = struct.unpack_from("<Q", head, 32)
    if random.randrange(8) == 0:
        head[16:40] = change(bytes(head[16:40]))
        head[40:48] = struct.pack("<Q", hash64(bytes(head[:40])))
    listed = change(data[directory:-8])
    return bytes(head) + data[HEAD:directory] + listed + struct.pack("<Q", hash64(listed))


def forge(data):
    return forge_samples(data) if data[:8] == b"MLSAMPLE" else forge_blocks(data)

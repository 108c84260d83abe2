#!/usr/bin/env python3
"""crash.py BUILD [--steps N]: outputs replayed with every prefix of what was done to them.

inject.c writes down each write, truncation, link and rename of a command. Here they are done
again, up to each of them and in the middle of each write, in a folder with an older file of
that name, as if the system had ended there. A file with the final name must be the older one,
the whole new one, or a shorter whole that its reader opens.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import inject

GROWS = {"record", "ensemble"}  # what is there before the end is of use
TABLE = ["import", "import --model", "import samples", "sim -o", "ensemble", "record", "report", "plot -o", "export"]


def steps_of(log):
    """(what, offset, bytes, path, name) of each change."""
    at = 0
    while at < len(log):
        end = log.index(b"\n", at)
        head, name = log[at:end].split(b"\t")
        what, offset, size, path = head.split(b" ", 3)
        yield what.decode(), int(offset), log[end + 1:end + 1 + int(size)], path.decode(), name.decode()
        at = end + 1 + int(size) + 1


class Disk:
    """Files as they are after some of the steps: nameless ones have the name of their descriptor."""

    def __init__(self, folder, older):
        self.folder = folder
        self.files = collections.defaultdict(bytearray)
        self.names = dict(older)  # final name -> key of self.files

    def full(self, path):
        return path if path.startswith("/") else os.path.join(self.folder, path)

    def do(self, step):
        what, offset, data, path, name = step
        path = self.names.get(path, path)
        if what == "write":
            f = self.files[path]
            f.extend(bytes(max(0, offset + len(data) - len(f))))
            f[offset:offset + len(data)] = data
        elif what == "truncate":
            del self.files[path][offset:]
        elif what == "link":
            self.names[self.full(name)] = data.decode()
        elif what == "rename":
            at = self.full(data.decode())
            self.names[self.full(name)] = self.names.pop(at, at)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("--steps", type=int, default=400, help="prefixes of one command at most")
    o = p.parse_args()
    build = os.path.abspath(o.build)
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="memlamp-crash-") as top:
        inputs = os.path.join(top, "inputs")
        os.mkdir(inputs)
        inject.build_inputs(build, inputs)
        bench = inject.Bench(build, os.path.join(build, "libinject.so"), inputs, "bench")
        log = os.path.join(top, "log")
        for name in TABLE:
            row = inject.ROWS[name]
            bench.clean()
            if os.path.exists(log):
                os.unlink(log)
            bench.control.set()
            bench.injected_env["INJECT_LOG"] = log
            done = bench.run(row.args)
            if done.returncode:
                raise SystemExit(f"{name}: {done.stderr.decode()}")
            whole = bench.read(row)
            del bench.injected_env["INJECT_LOG"]
            with open(log, "rb") as f:
                steps = [s for s in steps_of(f.read()) if s[0] != "fsync"]
            final = os.path.join(bench.folder, row.output)
            cuts = []
            for i, s in enumerate(steps):
                cuts.append((i, None))
                if s[0] == "write" and len(s[2]) > 1 and row.output:
                    cuts += [(i, 1), (i, len(s[2]) // 2)]
            cuts.append((len(steps), None))
            every = max(1, len(cuts) // o.steps)
            counts = collections.Counter()
            for i, part in cuts[::every] + cuts[-1:]:
                disk = Disk(bench.folder, {})
                for s in steps[:i]:
                    disk.do(s)
                if part:
                    what, offset, data, path, target = steps[i]
                    disk.do((what, offset, data[:part], path, target))
                bench.clean()
                key = disk.names.get(final, final if final in disk.files else None)
                if key is None:
                    counts["no file"] += 1
                    continue
                with open(final, "wb") as f:
                    f.write(disk.files[key])
                now = bench.read(row)
                if now == whole and now is not False:
                    counts["whole"] += 1
                elif name in GROWS and now:
                    counts["shorter"] += 1
                elif name in GROWS and refused(bench, row):
                    counts["refused"] += 1
                else:
                    counts["WRONG"] += 1
                    print(f"WRONG {name}: after {i} of {len(steps)} steps, {part or 'none'} bytes of the next")
            wrong += counts["WRONG"]
            print(f"{name:16} {len(steps):4} changes: " + ", ".join(f"{v} {k}" for k, v in counts.items()))
    return 1 if wrong else 0


def refused(bench, row):
    """The reader says in a sentence why it reads nothing."""
    done = bench.run([*(row.reader or ["info"]), row.output], injected=False)
    return done.returncode in (1, 2) and done.stderr.startswith(b"memlamp")


if __name__ == "__main__":
    sys.exit(main())

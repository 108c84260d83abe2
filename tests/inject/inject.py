#!/usr/bin/env python3
"""inject.py BUILD [--sample N] [--only COMMAND,...] [--jobs N] [--seed N] [--verbose]

Lets the n-th write, open, mmap, fsync, rename, read, close, large allocation or creation of a
thread fail, for n = 1, 2, 3 ... until a run has none left, in every command of a table and in
the server (inject.c does it). One thing is held: the answer is right, or the exit status is
not 0 and one sentence says why; and nothing half written has a final name, nothing is left.
--sample N: N faults by chance. Prints a table; ends with status 1 if anything was wrong.
"""

import argparse
import collections
import concurrent.futures
import errno
import hashlib
import mmap
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CALLS = ["write", "open", "mmap", "fsync", "rename", "malloc", "thread", "read", "close"]
SHORT = -1
ERRORS = {
    "write": [errno.ENOSPC, errno.EIO, SHORT],
    "open": [errno.EMFILE, errno.EIO],
    "mmap": [errno.ENOMEM],
    "fsync": [errno.EIO],
    "rename": [errno.ENOSPC, errno.EIO],
    "malloc": [errno.ENOMEM],
    "thread": [errno.EAGAIN],
    "read": [errno.EIO, SHORT],
    "close": [errno.EIO],
}
MACHINE = ["-m", "L1 1K 2w | L2 8K 4w"]
SECONDS = 120  # of one run, on a loaded machine


class Row:
    """A command and what it writes. `reader` prints what the output says: its bytes differ in each
    run. `grows`: a shorter output may be there when the command fails, but `reader` must open it.
    `same` False: also what the output says differs."""

    def __init__(self, args, output=None, grows=False, reader=None, same=True):
        self.args, self.output, self.grows, self.reader, self.same = args, output, grows, reader, same


ROWS = {
    "import": Row(["import", "t.lackey", "-o", "out.mlt"], "out.mlt", reader=("dump",)),
    "import --model": Row(["import", "--model", "sweep 0 200000 8", "-o", "out.mlt"], "out.mlt", reader=("info", "--csv", "regions")),
    "import samples": Row(["import", "s.csv", "-o", "out.mlh"], "out.mlh"),
    "info": Row(["info", "--json", "t.mlt"]),
    "info text": Row(["info", "a.mlt"]),
    "dump": Row(["dump", "a.mlt"]),
    "sim": Row(["sim", *MACHINE, "a.mlt"]),
    "sim -q": Row(["sim", "-q", "--json", *MACHINE, "t.mlt"]),
    "sim opt": Row(["sim", "-q", "-m", "L1 1K 2w opt", "t.mlt"]),
    "sim -o": Row(["sim", *MACHINE, "-o", "out.mls", "t.mlt"], "out.mls"),
    "diff": Row(["diff", *MACHINE, "a.mlt", "b.mlt"]),
    "ensemble": Row(["ensemble", "-m", "L1 {1K..4K x2} 2w", "-o", "out.mle", "a.mlt"], "out.mle", grows=True,
                    reader=("ensemble",)),
    "cycles": Row(["cycles", "b.mlt"]),
    "samples": Row(["samples", "s.csv"]),
    "samples --json": Row(["samples", "--json", "s.mlh"]),
    "flow": Row(["flow", "f.c", "--set", "n=8"]),
    "flow sdfg": Row(["flow", "p.sdfg"]),
    "prune": Row(["prune", "space.txt"]),
    "query": Row(["query", "a.mlt", "/api/sims/0/timeline?cells=20", *MACHINE]),
    "plot": Row(["plot", "a.mlt", "heat", *MACHINE]),
    "plot -o": Row(["plot", "a.mlt", "timeline", *MACHINE, "-o", "out.svg"], "out.svg"),
    "report": Row(["report", "a.mlt", *MACHINE, "-o", "out.html"], "out.html"),
    "export": Row(["export", "a.mlt", *MACHINE, "--callgrind", "-o", "out.cg"], "out.cg"),
    "record": Row(["record", "-q", "-o", "out.mlt", "--", "./plain"], "out.mlt", grows=True, reader=("dump",),
                  same=False),
}

CODE = """void f(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 4; j++)
      C[4 * i + j] = A[i] * B[j];
}
"""
TRACE = """region A 4096 512 4 16 8
region B 8192 512 8 64
thread 1
r4096+4*100 w8192+8*64 r16384+8*8
mark half
r 0x1000 8 1 a.c:12 main
w 0x2000 8 1 a.c:13 main
thread 2
r8192+8*40 w4096+64*8
gap 7 lost
r0+8*5
"""


class Control:
    """The page that inject.c reads (struct control)."""

    SIZE = (len(CALLS) + 5) * 8 + 512

    def __init__(self, path):
        with open(path, "wb") as f:
            f.truncate(self.SIZE)
        self.file = open(path, "r+b")
        self.page = mmap.mmap(self.file.fileno(), self.SIZE)

    def set(self, call=None, nth=0, error=0, lasts=False, under=""):
        number = CALLS.index(call) if call else 0
        self.page[:] = struct.pack(f"<{len(CALLS)}q5q512s", *[0] * len(CALLS), number, nth, error, int(lasts), 0,
                                   under.encode())

    def seen(self):
        return dict(zip(CALLS, struct.unpack_from(f"<{len(CALLS)}q", self.page)))

    def injected(self):
        return struct.unpack_from("<q", self.page, (len(CALLS) + 4) * 8)[0]


class Bench:
    """One folder with inputs, in which one run at a time is made."""

    def __init__(self, build, library, inputs, name):
        self.memlamp = os.path.join(build, "memlamp")
        self.folder = os.path.join(inputs, "..", name)
        shutil.copytree(inputs, self.folder)
        self.folder = os.path.realpath(self.folder)
        self.inputs = set(os.listdir(self.folder))
        self.places = os.path.realpath(tempfile.mkdtemp(dir=os.path.join(self.folder, "..")))
        self.control = Control(os.path.join(self.places, "control"))
        self.cache, self.tmp = (os.path.join(self.places, x) for x in ("cache", "tmp"))
        self.env = dict(os.environ, XDG_CACHE_HOME=self.cache, TMPDIR=self.tmp, LC_ALL="C", HOME=self.places)
        self.injected_env = dict(self.env, INJECT=os.path.join(self.places, "control"), LD_PRELOAD=library,
                                 ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")

    def clean(self):
        for name in set(os.listdir(self.folder)) - self.inputs:
            os.unlink(os.path.join(self.folder, name))
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.rmtree(self.tmp, ignore_errors=True)
        os.mkdir(self.tmp)

    def run(self, args, injected=True):
        return subprocess.run([self.memlamp, *args], cwd=self.folder, env=self.injected_env if injected else self.env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)

    def read(self, row):
        """What an output says; None: there is none, False: it does not open."""
        path = os.path.join(self.folder, row.output)
        if not os.path.exists(path):
            return None
        if not row.reader:
            with open(path, "rb") as f:
                return hashlib.sha1(f.read()).hexdigest()
        done = self.run([*row.reader, row.output], injected=False)
        return done.returncode == 0 and (not row.same or done.stdout)


def plain(out):
    """Texts without times and addresses of the machine."""
    return re.sub(rb"[0-9.]+ (ms|s|seconds)\b", b"T", out)


def judge(bench, row, done, right, old):
    """None if the promise is kept; else what is wrong."""
    said = [x for x in done.stderr.decode(errors="replace").split("\n") if x]
    ours = [x for x in said if x.startswith("memlamp")]
    left = set(os.listdir(bench.folder)) - bench.inputs - {row.output}
    if left:
        return f"left: {sorted(left)}"
    if os.listdir(bench.tmp):
        return f"left in TMPDIR: {os.listdir(bench.tmp)}"
    now = bench.read(row) if row.output else None
    if done.returncode == 0:
        if plain(done.stdout) != right["stdout"]:
            return "another answer and status 0"
        if row.output and now != right["output"]:
            return "another output and status 0"
        return None
    if done.returncode < 0 or done.returncode > 3:
        if not (done.returncode in (-6, 134) and any("out of memory" in x for x in ours)):
            return f"status {done.returncode}: {' / '.join(said)[-300:]}"
    if not ours:
        return f"status {done.returncode} without a sentence: {' / '.join(said)[-300:]}"
    if any(len(x) > 1000 or "ssertion" in x or "anitizer" in x for x in said):
        return f"no sentence: {' / '.join(said)[-300:]}"
    if row.output and now is not None and now not in (old, right["output"]) and not (row.grows and now):
        return "half of an output has its final name"
    if row.output and old and now is None:
        return "the older file is gone"
    return None


def reference(bench, row):
    """The right answer, and how many calls there are to let fail."""
    bench.clean()
    bench.control.set()
    done = bench.run(row.args)
    if done.returncode:
        raise SystemExit(f"{row.args}: status {done.returncode}: {done.stderr.decode()}")
    seen = bench.control.seen()
    right = {"stdout": plain(done.stdout), "output": bench.read(row) if row.output else None}
    old = None
    if row.output:
        with open(os.path.join(bench.folder, row.output), "rb") as f:
            old = f.read()
    return right, seen, old


def one(bench, row, right, older, fault):
    """One run with one fault: (outcome, what is wrong)."""
    call, nth, error, lasts, replaces = fault
    bench.clean()
    old = None
    if replaces and older is not None:
        with open(os.path.join(bench.folder, row.output), "wb") as f:
            f.write(older)
        old = bench.read(row)
    bench.control.set(call, nth, error, lasts)
    try:
        done = bench.run(row.args)
    except subprocess.TimeoutExpired:
        return "wrong", "does not end"
    if not bench.control.injected():
        return "none", None
    bench.control.set()
    wrong = judge(bench, row, done, right, old)
    return ("wrong", wrong) if wrong else ("right" if done.returncode == 0 else "told", None)


def faults(row, seen):
    for call in CALLS:
        for error in ERRORS[call]:
            for lasts in (False, True):
                if lasts and error == SHORT:
                    continue
                for replaces in (False, True) if row.output else (False,):
                    for nth in range(1, seen[call] + 1):
                        yield call, nth, error, lasts, replaces


def build_inputs(build, folder):
    memlamp = os.path.join(build, "memlamp")
    env = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "..", "first"), LC_ALL="C")

    def ask(*args):
        subprocess.run([memlamp, *args], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def put(name, text):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)

    put("a.txt", TRACE)
    put("t.lackey", "".join(f" L {i * 40 % 4096:x},8\n" for i in range(500)))
    put("f.c", CODE)
    put("s.csv", "time,latency,cpu,function\n" + "".join(f"{i},{i * 7 % 90 + 4},{i % 4},f{i % 5}\n" for i in range(200)))
    put("space.txt", "space small\na in 1..4\nb in 1..4\nhard big: a * b > 4\nsoft odd: b mod 2 != 0\n")
    shutil.copy(os.path.join(ROOT, "tests/sdfg/spmv.sdfg"), os.path.join(folder, "p.sdfg"))
    ask("import", "a.txt", "-o", "a.mlt")
    ask("import", "--model", "repeat 20 ( sweep 0 30 8 )", "-o", "b.mlt")
    ask("import", "--model", "sweep 0 20000 8", "-o", "t.mlt")
    ask("import", "s.csv", "-o", "s.mlh")
    subprocess.run([memlamp, "cc", "-g", "-O1", os.path.join(ROOT, "tests/traces/plain.c"), "-o", "plain"], cwd=folder,
                   env=env, check=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("--sample", type=int)
    p.add_argument("--only", default="")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--verbose", action="store_true")
    o = p.parse_args()
    build = os.path.abspath(o.build)
    library = os.path.join(build, "libinject.so")
    rows = {k: v for k, v in ROWS.items() if not o.only or k in o.only.split(",")}
    with tempfile.TemporaryDirectory(prefix="memlamp-inject-") as top:
        inputs = os.path.join(top, "inputs")
        os.mkdir(inputs)
        build_inputs(build, inputs)
        local = threading.local()
        made = iter(range(1000))

        def bench():
            if not hasattr(local, "bench"):
                local.bench = Bench(build, library, inputs, f"bench{next(made)}")
            return local.bench

        work, known = [], {}
        for name, row in rows.items():
            known[name] = right, seen, old = reference(bench(), row)
            work += [(name, f) for f in faults(row, seen)]
        if o.sample:
            work = random.Random(o.seed).sample(work, min(o.sample, len(work)))
        table, told = collections.defaultdict(collections.Counter), collections.defaultdict(list)

        def task(item):
            name, fault = item
            right, _, old = known[name]
            return name, fault, one(bench(), rows[name], right, old, fault)

        with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
            for name, fault, (outcome, wrong) in pool.map(task, work):
                table[name, fault[0]][outcome] += 1
                if wrong:
                    told[name, fault[0], wrong].append(fault)
                    if o.verbose:
                        print(name, fault, wrong, flush=True)
    return report(table, told)


def report(table, told):
    print(f"{'command':16} {'call':7} {'faults':>7} {'right':>7} {'told':>7} {'wrong':>6}")
    total = collections.Counter()
    for (name, call), x in table.items():
        total += x
        print(f"{name:16} {call:7} {x['right'] + x['told'] + x['wrong']:7} {x['right']:7} {x['told']:7} {x['wrong']:6}")
    for (name, call, wrong), list_ in sorted(told.items()):
        print(f"WRONG {name}, {call} {', '.join(map(str, list_[:3]))} ({len(list_)} times): {wrong}")
    print(f"{sum(total[k] for k in ('right', 'told', 'wrong'))} faults: {total['right']} right answers, "
          f"{total['told']} told, {total['wrong']} wrong")
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())

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
import http.client
import json
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
import time

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
    `same` False: also what the output says differs; `prints` False: what the command prints does."""

    def __init__(self, args, output=None, grows=False, reader=None, same=True, prints=True):
        self.args, self.output, self.grows, self.reader, self.same = args, output, grows, reader, same
        self.prints = prints  # the same in each run


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
    "diff machines": Row(["diff", "--json", *MACHINE, "-m", "L1 2K 2w", "t.mlt"]),
    "ensemble traces": Row(["ensemble", "--json", "-m", "L1 {1K..4K x2} 2w", "a.mlt", "b.mlt", "t.mlt"]),
    "samples tables": Row(["samples", "s.csv", "--show", "columns"]),
    "flow sim": Row(["flow", "f.c", "--set", "n=8", "-m", "L1 1K 2w", "--json"]),
    "prune list": Row(["prune", "space.txt", "--json"]),
    "export sarif": Row(["export", "a.mlt", *MACHINE, "--sarif", "-o", "out.sarif"], "out.sarif"),
    "export chrome": Row(["export", "a.mlt", *MACHINE, "--chrome", "-o", "out.json"], "out.json"),
    "query sims": Row(["query", "t.mlt", "/api/sims/0/cells?region=0&cells=50", *MACHINE]),
    "query samples": Row(["query", "s.mlh", "/api/samples/0/table?table=columns"]),
    "cc": Row(["cc", "-O1", "plain.c", "-o", "out"], "out"),
    "record valgrind": Row(["record", "-q", "-o", "out.mlt", "--", "./bare"], "out.mlt", grows=True, reader=("dump",),
                           same=False),
    "run": Row(["run", "-q", *MACHINE, "-o", "out.mlt", "--", "./plain"], "out.mlt", grows=True, reader=("dump",),
               same=False, prints=False),
    "sample": Row(["sample", "-q", "-w", "timed", "-o", "out.mlh", "--", "./plain"], "out.mlh", reader=("info",), same=False),
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


SERVED = ["a.mlt", "t.mlt", "s.csv", "e.mle", "space.txt", "f.c"]
REQUESTS = """
GET open
GET traces/0
GET traces/0/regions
GET traces/1/counts
GET sims/S
GET sims/S/findings
GET sims/S/profile
GET sims/S/timeline?cells=50
GET sims/S/temperature?cells=20
GET sims/S/map?cells=50
GET sims/S/refs?count=20
GET sims/S/moves?count=20
GET sims/S/state?at=100
GET sims/S/cells?region=0&cells=20
GET sims/S/plane?region=1&rows=10&columns=10
GET sims/S/space?rows=20
GET sims/S/at?time=5
GET ensembles/0
GET ensembles/0/table
GET prunes/0
GET prunes/0/sunburst
GET prunes/0/variants?count=4
GET samples/0
GET samples/0/table?table=columns
GET samples/0/histogram?column=1
GET samples/0/offenders
GET flows/0
GET flows/0/local?set=n=4
GET flows/0/curve?parameter=n&from=2&to=8&points=3
POST sims?trace=0&machine=L1+2K+2w
POST sims?trace=1&machine=L1+512+2w+fifo
""".split("\n")[1:-1]


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

    def lasts(self, call):
        number, _, _, lasts = struct.unpack_from("<4q", self.page, len(CALLS) * 8)
        return lasts and CALLS[number] == call

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
        if row.prints and plain(done.stdout) != right["stdout"]:
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
    for _ in range(5):  # neighbours of this machine may disturb the clock
        bench.clean()
        bench.control.set()
        done = bench.run(row.args)
        if b"cannot be told apart by time" not in done.stderr:
            break
    else:
        return None, {}, None
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


class Server(Bench):
    """memlamp view, with the page in which faults are ordered while it runs."""

    def start(self):
        self.clean()
        self.control.set()
        self.process = subprocess.Popen([self.memlamp, "view", *MACHINE, *SERVED], cwd=self.folder,
                                        env=self.injected_env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        address = self.process.stdout.readline().decode()
        found = re.match(r"http://127.0.0.1:(\d+)/\?token=(\w+)", address)
        if not found:
            raise SystemExit(f"the server does not start: {self.process.stderr.read().decode()}")
        self.port, self.token = int(found[1]), found[2]
        status, body = self.ask("POST sims?trace=0&machine=L1+1K+2w+%7C+L2+8K+4w")
        self.sim = json.loads(body)["sim"]  # numbers of jobs are shared with search spaces
        self.finish(self.sim)

    def ask(self, request):
        """Status and body; status 0: the connection ended without an answer."""
        method, path = request.replace("/S", f"/{getattr(self, 'sim', 0)}").split(" ", 1)
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            c.request(method, "/api/" + path, headers={"X-Memlamp-Token": self.token})
            r = c.getresponse()
            return r.status, r.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            c.close()

    def finish(self, sim):
        """Waits for the end of a simulation; how it ended."""
        while True:
            status, body = self.ask(f"GET sims/{sim}")
            state = json.loads(body).get("state") if status == 200 else None
            if state not in (None, "running"):
                return state
            if self.control.lasts("thread"):
                self.control.set()  # else no question of ours is answered any more
            time.sleep(0.005)

    def whole(self, request):
        """The answer to a request; of a new simulation, what it found; which then goes."""
        status, body = self.ask(request)
        if status != 200 or not request.startswith("POST"):
            return status, body
        sim = json.loads(body)["sim"]
        state = self.finish(sim)
        status, body = self.ask(f"GET sims/{sim}/profile")
        self.ask(f"DELETE sims/{sim}")
        return (status, body) if state == "ready" else (500, body)

    def serve(self, table, told, sample):
        self.start()
        right = {}
        work = []
        for request in REQUESTS:
            first = self.whole(request)
            shutil.rmtree(self.cache, ignore_errors=True)
            self.control.set()
            right[request] = self.whole(request)
            seen = self.control.seen()
            if first[0] != 200:
                raise SystemExit(f"{request}: {first}")
            for call in CALLS:
                if call != "malloc":
                    work += [(request, call, n, e, lasts) for e in ERRORS[call] for lasts in (False, True)
                             for n in range(1, min(seen[call], 40) + 1) if not (lasts and e == SHORT)]
        if sample:
            work = random.Random(1).sample(work, min(sample, len(work)))
        for request, call, nth, error, lasts in work:
            shutil.rmtree(self.cache, ignore_errors=True)
            self.control.set(call, nth, error, lasts)
            status, body = self.whole(request)
            injected = self.control.injected() or self.control.seen()[call] == 0
            self.control.set()
            if not injected:
                continue
            wrong = None
            if self.process.poll() is not None:
                wrong = f"the server ended: {self.process.stderr.read().decode()[-200:]}"
            elif status == 200 and body != right[request][1] and request not in ("GET open", "GET sims/S"):
                wrong = "another answer"
            elif status >= 400 and not re.search(rb'"(text|error)":"[^"]', body):
                wrong = f"status {status} without a sentence: {body[:200]}"
            elif self.whole(request)[0] != 200:
                wrong = "no answer afterwards"
            row = request.split("?")[0]
            table[row, call]["wrong" if wrong else "right" if status == 200 else "told"] += 1
            if wrong:
                told[row, call, wrong].append((call, nth, error, lasts))
                if self.process.poll() is not None:
                    self.start()
        self.process.terminate()
        if self.process.wait():
            told["server", "end", f"status {self.process.returncode}"].append(())


def build_inputs(build, folder, programs=True):
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
    ask("ensemble", "-m", "L1 {1K..4K x2} 2w", "-o", "e.mle", "a.mlt")
    if not programs:
        return
    shutil.copy(os.path.join(ROOT, "tests/traces/plain.c"), folder)
    subprocess.run(["cc", "-g", "-O1", "plain.c", "-o", "bare"], cwd=folder, check=True)
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
            if right:
                work += [(name, f) for f in faults(row, seen)]
        if o.sample:
            work = random.Random(o.seed).sample(work, min(o.sample, len(work)))
        table, told = collections.defaultdict(collections.Counter), collections.defaultdict(list)

        def task(item):
            name, fault = item
            right, _, old = known[name]
            return name, fault, one(bench(), rows[name], right, old, fault)

        if not o.only or "server" in o.only.split(","):
            Server(build, library, inputs, "server").serve(table, told, o.sample)
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

#!/usr/bin/env python3
"""attack.py BUILD [--kills N] [--changes N] [--requests N] [--only WHAT,...]

Attacks memlamp as a stranger would, with the built programs: recordings killed at random
moments, files cut off at every offset, files with changed bytes, random requests, attempts
to get in without the token, and crowds of clients; and files with hostile content whose
checksums are right (forge.py). Prints a line for each attack, with how
often what happened, and ends with status 1 if anything fell: a crash, a trace that cannot
be read, an answer that a changed byte changed without a word, an answer for a stranger.
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

from forge import forge

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
fallen = 0


def report(what, fell, *facts):
    global fallen
    fallen += fell
    print(f"{'FELL' if fell else 'ok  '} {what}: {', '.join(facts)}", flush=True)


def run(args, **more):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, **more)


def crashed(done):
    """Whether a signal ended it; sanitizers end with 99 (see CMakeLists.txt)."""
    return done.returncode < 0 or done.returncode in (99, 134, 139)


class Bench:
    """The built programs, and a folder with one small file of each format."""

    def __init__(self, build, folder):
        self.memlamp = os.path.join(build, "memlamp")
        self.folder = folder
        self.env = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def ask(self, *args):
        return run([self.memlamp, *args], env=self.env, cwd=self.folder)

    def build(self, name, *compiler):
        source = os.path.join(ROOT, "tests/traces", f"{name}.c")
        out = self.path(name + "".join(compiler[:1] and "_cc"))
        command = [self.memlamp, *compiler] if compiler else ["cc"]
        subprocess.run([*command, "-g", "-O1", source, "-o", out, "-pthread"], check=True,
                       env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return out

    def files(self):
        """name -> (file, how to read all of it)."""
        machine = ["-m", "L1 1K 2w | L2 8K 4w"]
        self.ask("import", "--model", "zipf 0 2000 64", "-o", "t.mlt")
        if not os.path.exists(self.path("t.mlt")):
            self.ask("import", "--model", "sweep 0 2000 64", "-o", "t.mlt")
        self.ask("sim", *machine, "-o", "r.mls", "t.mlt")
        self.ask("ensemble", "-m", "L1 {1K..8K x2} 2w", "-o", "e.mle", "t.mlt")
        rows = "".join(f"{i},{i * 7 % 90 + 4},{i % 4},f{i % 5}\n" for i in range(200))
        with open(self.path("s.csv"), "w") as f:
            f.write("time,latency,cpu,function\n" + rows)
        self.ask("import", "s.csv", "-o", "s.mlh")
        return {
            "trace": ("t.mlt", ["dump"]),
            "result": ("r.mls", ["diff", "--json", "r.mls"]),
            "ensemble": ("e.mle", ["ensemble", "--json"]),
            "samples": ("s.mlh", ["samples", "--json"]),
        }


def attack_kills(bench, args):
    """SIGKILL of memlamp, or of the program, at any moment."""
    slow = bench.build("slow", "cc")
    plain = bench.build("slow")
    for what, program, count in (("Valgrind", plain, args.kills // 2), ("memlamp cc", slow, args.kills // 2)):
        kept = none = unreadable = 0
        for _ in range(count):
            trace = bench.path("k.mlt")
            p = subprocess.Popen([bench.memlamp, "record", "-q", "-o", trace, "--", program],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=bench.env,
                                 cwd=bench.folder, start_new_session=True)
            time.sleep(random.uniform(0, 1.5))
            p.kill()
            p.wait()
            if not os.path.exists(trace):
                none += 1
            elif bench.ask("info", trace).returncode == 0:
                kept += 1
            else:
                unreadable += 1
            try:
                os.killpg(p.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            if os.path.exists(trace):
                os.unlink(trace)
        report(f"memlamp killed while it records ({what})", unreadable,
               f"{count} kills", f"{kept} traces", f"{none} before there was a file", f"{unreadable} unreadable")


def read_copy(bench, reader, name, data):
    copy = bench.path("copy" + os.path.splitext(name)[1])
    with open(copy, "wb") as f:
        f.write(data)
    args = [copy if a == name else a for a in reader]
    return bench.ask(*args, copy) if args == reader else bench.ask(*args, bench.path(name))


def attack_cuts(bench, args):
    """Files cut off at every offset."""
    for kind, (name, reader) in bench.files().items():
        data = open(bench.path(name), "rb").read()
        offsets = list(range(len(data)))
        if len(offsets) > args.changes:
            offsets = sorted(random.sample(offsets, args.changes))
        crashes = whole = 0
        for at in offsets:
            done = read_copy(bench, reader, name, data[:at])
            crashes += crashed(done)
            whole += done.returncode == 0
        report(f"{kind} of {len(data):,} bytes cut off", crashes, f"{len(offsets)} offsets", f"{crashes} crashes",
               f"{whole} read as far as they go")


def attack_changes(bench, args):
    """Bytes changed anywhere: an error, or the same answer, never another one."""
    for kind, (name, reader) in bench.files().items():
        data = open(bench.path(name), "rb").read()
        right = read_copy(bench, reader, name, data)
        if right.returncode != 0:
            report(f"{kind} changed", 1, f"the file cannot be read: {right.stderr.decode()[:200]}")
            continue
        crashes = refused = same = silent = 0
        for _ in range(args.changes):
            bad = bytearray(data)
            for _ in range(random.choice((1, 1, 1, 2, 8))):
                bad[random.randrange(len(bad))] ^= random.randrange(1, 256)
            done = read_copy(bench, reader, name, bytes(bad))
            if crashed(done):
                crashes += 1
            elif done.returncode != 0 or done.stderr:
                refused += 1
            elif done.stdout == right.stdout:
                same += 1
            else:
                silent += 1
        report(f"{kind} with changed bytes", crashes + silent, f"{args.changes} changes", f"{refused} refused or warned",
               f"{same} without effect", f"{silent} silent", f"{crashes} crashes")


def attack_forged(bench, args):
    """Hostile content with right checksums: an error or another answer, never a crash."""
    for kind, (name, reader) in bench.files().items():
        data = open(bench.path(name), "rb").read()
        crashes = refused = read = 0
        for _ in range(args.changes // 5):
            done = read_copy(bench, reader, name, forge(data))
            crashes += crashed(done)
            refused += done.returncode != 0
            read += done.returncode == 0
        report(f"{kind} forged, with right checksums", crashes, f"{args.changes // 5} files", f"{refused} refused",
               f"{read} read", f"{crashes} crashes")



class Server:
    def __init__(self, bench, *files):
        self.process = subprocess.Popen([bench.memlamp, "view", *files], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=bench.env, cwd=bench.folder, text=True)
        address = urllib.parse.urlparse(self.process.stdout.readline().strip())
        self.port = address.port
        self.token = urllib.parse.parse_qs(address.query)["token"][0]

    def ask(self, path, method="GET", headers=None, timeout=30):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            c.request(method, path, headers={"X-Memlamp-Token": self.token} if headers is None else headers)
            r = c.getresponse()
            return r.status, r.read()
        finally:
            c.close()

    def alive(self):
        return self.process.poll() is None and self.ask("/api/open")[0] == 200

    def megabytes(self):
        with open(f"/proc/{self.process.pid}/status") as f:
            return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1)) // 1024

    def stop(self):
        self.process.terminate()
        return self.process.wait(20)


def routes():
    """Paths and parameters that docs/api.md names."""
    text = open(os.path.join(ROOT, "docs/api.md")).read()
    paths = re.findall(r"^### (GET|POST|DELETE) (/api/\S+)", text, re.M)
    words = sorted(set(re.findall(r"`([a-z][a-zA-Z0-9]{1,14})`", text)))
    return paths, words


NUMBERS = ["0", "1", "2", "-1", "7", "63", "64", "4095", "65536", "4294967295", "4294967296",
           "9223372036854775807", "18446744073709551615", "18446744073709551616", "1e9", "0x10", "", "NaN"]
TEXTS = ["n=3", "L1 8G 16w", "L1 1K 2w", "cpu = 1", "time 0..9", "i,j", "0:1", "a,b,c", "%", "\x00", "é", "../../etc/passwd",
         "4000000000,8,0,64,8,1", "1,2,3,4", "x" * 5000, "line:1", "region:0", "all", "misses"]


def attack_requests(bench, args):
    files = bench.files()
    server = Server(bench, *[files[k][0] for k in ("trace", "ensemble", "samples")],
                    os.path.join(ROOT, "examples/spaces/product.txt"), os.path.join(ROOT, "tests/sdfg",
                    "hdiff_npbench_dace1.0.2.sdfgz"))
    paths, words = routes()
    statuses = {}

    def one(seed):
        rng = random.Random(seed)
        method, path = rng.choice(paths)
        if path == "/api/events":
            return 0
        path = re.sub(r"/[A-Z](?=/|$)", lambda _: "/" + rng.choice(["0", "0", "0", "0", "1", rng.choice(NUMBERS)]), path)
        params = [(rng.choice(words), rng.choice(NUMBERS if rng.random() < 0.7 else TEXTS))
                  for _ in range(rng.randrange(5))]
        try:
            return server.ask(path + "?" + urllib.parse.urlencode(params), method)[0]
        except (OSError, http.client.HTTPException) as e:
            return type(e).__name__

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for status in pool.map(one, range(args.requests)):
            statuses[status] = statuses.get(status, 0) + 1
    statuses.pop(0, None)
    well = server.alive()
    report("random requests to all routes", not well, f"{args.requests} requests",
           " ".join(f"{k}:{v}" for k, v in sorted(statuses.items(), key=str)), f"{server.megabytes()} MB at most")
    report("the server ends when told", server.stop() != 0, "SIGTERM")


def attack_doors(bench, _args):
    """Attempts to get an answer without the right to one."""
    server = Server(bench, bench.files()["trace"][0])
    paths, _ = routes()
    token, own = server.token, f"127.0.0.1:{server.port}"
    wrong = [{}, {"X-Memlamp-Token": ""}, {"X-Memlamp-Token": token[:-1]}, {"X-Memlamp-Token": token + "0"},
             {"X-Memlamp-Token": token.upper()}, {"X-Memlamp-Token": "0" * len(token)}, {"Cookie": f"token={token}"},
             {"Authorization": f"Bearer {token}"}, {"X-Memlamp-Token": token, "Host": "evil.example"},
             {"X-Memlamp-Token": token, "Host": f"evil.example:{server.port}"},
             {"X-Memlamp-Token": token, "Host": own, "Origin": "http://evil.example"},
             {"X-Memlamp-Token": token, "Host": own, "Origin": "null"},
             {"X-Memlamp-Token": token, "Host": own, "Origin": f"https://{own}.evil.example"}]
    tried = opened = 0
    for method, path in paths:
        path = re.sub(r"/[A-Z](?=/|$)", "/0", path)
        for headers in wrong:
            tried += 1
            opened += server.ask(path, method, headers)[0] < 400
    for path in ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/etc/passwd", "/api/../../etc/passwd",
                 "/api/traces/0/source?file=/etc/passwd", "/api/traces/0/source?file=../../../etc/passwd",
                 "/assets/../../../../etc/passwd", "/%00", "/api/samples/0/source?file=/etc/passwd"]:
        tried += 1
        status, body = server.ask(path)
        opened += b"root:" in body
    report("attempts to get in", opened + (not server.alive()), f"{tried} attempts", f"{opened} got an answer")
    server.stop()


def attack_crowds(bench, _args):
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    server = Server(bench, bench.files()["trace"][0])
    silent = []
    for i in range(300):
        s = socket.create_connection(("127.0.0.1", server.port))
        if i % 3 == 0:
            s.sendall(b"GET /api/open HTTP/1.1\r\nHost: ")  # never ends
        silent.append(s)

    def one(_):
        try:
            return server.ask("/api/open", timeout=60)[0]
        except (OSError, http.client.HTTPException) as e:
            return type(e).__name__

    with concurrent.futures.ThreadPoolExecutor(500) as pool:
        answers = list(pool.map(one, range(10000)))
    good = answers.count(200)
    report("500 clients at once beside 300 silent connections", good != len(answers) or not server.alive(),
           f"{len(answers)} requests", f"{good} answered",
           *[f"{answers.count(a)} {a}" for a in sorted(set(answers), key=str) if a != 200])
    for s in silent:
        s.close()
    server.stop()


def main():
    attacks = {"kills": attack_kills, "cuts": attack_cuts, "changes": attack_changes, "forged": attack_forged, "requests": attack_requests,
               "doors": attack_doors, "crowds": attack_crowds}
    p = argparse.ArgumentParser(description="attacks the built memlamp and counts what falls")
    p.add_argument("build")
    p.add_argument("--kills", type=int, default=100)
    p.add_argument("--changes", type=int, default=5000, help="changed copies, and offsets at most, of each format")
    p.add_argument("--requests", type=int, default=50000)
    p.add_argument("--only", default=",".join(attacks))
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    random.seed(args.seed)
    folder = tempfile.mkdtemp(prefix="memlamp-attack-")
    try:
        bench = Bench(os.path.abspath(args.build), folder)
        for name in args.only.split(","):
            attacks[name](bench, args)
    finally:
        shutil.rmtree(folder)
    sys.exit(fallen != 0)


if __name__ == "__main__":
    main()

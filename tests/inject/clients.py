#!/usr/bin/env python3
"""clients.py BUILD [--rounds N]: eight clients at once, and every command that has threads.

With a build of the thread sanitizer (make TSAN=1) each race is a report on stderr. Any build: the
answers are those that one client gets, and the server ends as it should.
"""

import argparse
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import inject

CLIENTS = 8
VARYING = ("GET open", "GET sims/S")  # they say what others do
THREADED = ["sim", "sim -q", "sim opt", "diff", "ensemble", "ensemble traces", "cycles", "samples", "prune", "report",
            "plot", "import --model", "export"]


def races(text):
    return [x for x in text.split("==================") if "ThreadSanitizer" in x]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("--rounds", type=int, default=3)
    o = p.parse_args()
    build = os.path.abspath(o.build)
    bad = []
    with tempfile.TemporaryDirectory(prefix="memlamp-clients-") as top:
        inputs = os.path.join(top, "inputs")
        os.mkdir(inputs)
        inject.build_inputs(build, inputs, programs=False)
        server = inject.Server(build, "", inputs, "server")
        # a child that parses C starts after threads of the server
        server.injected_env = dict(server.env, TSAN_OPTIONS="die_after_fork=0")
        server.start()
        right = {r: server.whole(r) for r in inject.REQUESTS}
        asked = 0

        def client(seed):
            order = inject.REQUESTS * o.rounds
            random.Random(seed).shuffle(order)
            return [(r, server.whole(r)) for r in order if not r.startswith("POST") or seed % 2]

        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            for answers in pool.map(client, range(CLIENTS)):
                for request, answer in answers:
                    asked += 1
                    # another client may delete the simulation that both started
                    if answer != right[request] and request not in VARYING and not request.startswith("POST"):
                        bad.append(f"{request}: {answer[0]} {answer[1][:100]}")
        server.process.terminate()
        said = server.process.stderr.read().decode(errors="replace")
        status = server.process.wait()
        found = races(said)
        print(f"server: {CLIENTS} clients, {asked} answers, {len(found)} races, status {status}")
        bad += found + ([f"status {status}"] if status else [])
        for name in THREADED:
            server.clean()
            done = server.run(inject.ROWS[name].args, injected=False)
            found = races(done.stderr.decode(errors="replace"))
            print(f"{name}: {len(found)} races, status {done.returncode}")
            bad += found + ([f"{name}: {done.stderr.decode()[-500:]}"] if done.returncode else [])
    for x in bad[:10]:
        print("WRONG", x)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

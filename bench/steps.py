#!/usr/bin/env python3
"""How long the server works for a step of the page, on machines of several cores.

	bench/steps.py BUILD [TRACE] [MACHINE]

Without a trace it records a pthread program of some 94 million references and a small OpenMP
program (bench/work/threads.c, bench/work/stencil_omp.c). A click asks what the rings ask for at
a moment far away, a step what they ask for at the next moment or the one before it, and playing
is 100,000 references a second in 30 pictures. Processor time is that of the whole server.
"""
import json, os, random, subprocess, sys, tempfile, time, urllib.request
from urllib.parse import urlsplit, parse_qs

MACHINE = "cores 4 | L1 32K 8w 64B 4c | L2 512K 8w 14c | L3 8M 16w shared 40c | memory 200c"


class Server:
	def __init__(self, build, trace, machine, cache):
		self.process = subprocess.Popen(
			[f"{build}/memlamp", "view", "-m", machine, trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
			env={**os.environ, "XDG_CACHE_HOME": cache}, text=True)
		url = urlsplit(self.process.stdout.readline().strip())
		self.base = f"http://{url.netloc}/api/"
		self.token = parse_qs(url.query)["token"][0]
		sim = self.json("sims", method="POST", trace=0, machine=machine) \
			if not self.json("open").get("sims") else self.json("open")["sims"][0]
		self.sim = sim["sim"]
		while self.json(f"sims/{self.sim}")["state"] != "ready":
			time.sleep(0.2)
		self.ask(f"sims/{self.sim}/findings")  # they are looked for meanwhile
		self.refs = self.json("open")["documents"][0]["references"]

	def ask(self, route, method="GET", **params):
		query = "&".join(f"{k}={urllib.request.quote(str(v))}" for k, v in params.items())
		r = urllib.request.Request(f"{self.base}{route}?{query}", method=method,
			headers={"X-Memlamp-Token": self.token})
		with urllib.request.urlopen(r) as answer:
			return answer.read()

	def json(self, route, **params):
		return json.loads(self.ask(route, **params))

	def processor(self):
		with open(f"/proc/{self.process.pid}/stat") as f:
			user, system = f.read().rsplit(")", 1)[1].split()[11:13]
		return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

	def show(self, at, tail):
		"""What the rings ask for when the cursor comes to `at`."""
		first = max(0, at + 1 - tail)
		self.ask(f"sims/{self.sim}/moves", **{"from": first, "count": at + 1 - first})
		self.ask(f"sims/{self.sim}/state", at=at + 1, slots=8192, groups=512)
		self.ask(f"sims/{self.sim}/at", time=at)


def measure(server, what, moments):
	"""Shows moments one by one: by the clock each, processor time together."""
	times, before = [], server.processor()

	for at, tail in moments:
		start = time.perf_counter()
		server.show(at, tail)
		times.append(1000 * (time.perf_counter() - start))
	work = 1000 * (server.processor() - before) / len(times)
	times.sort()
	print(f"  {what:38} {len(times):4} {work:8.1f} ms of processor time, by the clock "
		f"median {times[len(times) // 2]:7.1f}, 95 % {times[int(0.95 * len(times))]:7.1f} ms", flush=True)


def bench(build, trace, machine, cache):
	server = Server(build, trace, machine, cache)

	try:
		n, rng = server.refs, random.Random(1)
		print(f"{os.path.basename(trace)}, {n:,} references: {machine}", flush=True)
		measure(server, "click far away", [(rng.randrange(n), 64) for _ in range(8)])
		at = n // 2 + rng.randrange(1000)
		measure(server, "click before the steps", [(at, 64)])
		measure(server, "step forwards", [(at + i, 1) for i in range(1, 41)])
		measure(server, "step backwards", [(at - i, 1) for i in range(1, 41)])
		back = server.json(f"sims/{server.sim}/step", at=at, by="miss", dir="-")["at"]
		measure(server, "step back, 4,000 at a time", [(back - 4000 * i, 64) for i in range(1, 21)])
		measure(server, "a picture, 100,000 a second", [(at + 3333 * i, 3334) for i in range(1, 91)])
	finally:
		server.process.terminate()
		server.process.wait()


def record(build, source, more, args, folder):
	name = os.path.basename(source)[:-2]
	program = os.path.join(folder, name)

	subprocess.run(["cc", "-g", "-O1", source, "-o", program, *more], check=True)
	subprocess.run([f"{build}/memlamp", "record", "-o", f"{program}.mlt", program, *args],
		check=True, stdout=subprocess.DEVNULL)
	return f"{program}.mlt"


def main():
	build = sys.argv[1]
	work = os.path.join(os.path.dirname(os.path.abspath(__file__)), "work")

	with tempfile.TemporaryDirectory(prefix="memlamp-steps-") as folder:
		traces = sys.argv[2:3] or [
			record(build, f"{work}/threads.c", ["-lpthread"], ["360", "4"], folder),
			record(build, f"{work}/stencil_omp.c", ["-fopenmp"], ["6", "4"], folder)]
		machines = sys.argv[3:4] or [MACHINE]
		for trace in traces:
			for machine in machines:
				bench(build, trace, machine, os.path.join(folder, "cache"))


if __name__ == "__main__":
	main()

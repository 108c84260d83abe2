#!/usr/bin/env python3
"""The figures of the LULESH walk (docs/view-samples.md), computed from the files alone.

    tests/lulesh_story.py FOLDER MEMLAMP

reads data/samples.out and hardware.xml of FOLDER with code of its own, asks MEMLAMP the same
questions, prints the figures that both agree on, and ends with status 1 where they differ. It
follows the equations of section 7.1 of the MemAxes paper, not memlamp's sources.
"""

import csv
import json
import math
import subprocess
import sys
import xml.etree.ElementTree as xml
from collections import Counter, defaultdict

folder, memlamp = sys.argv[1:]
rows = list(csv.DictReader(open(f"{folder}/data/samples.out")))
for r in rows:
    r["cycles"] = int(r["latency"])
bad = False

# Bits 0 to 3 of PEBS' word; a line on its way (LFB) is on its way to L1.
LEVELS = ["unknown", "L1", "LFB", "L2", "L3", "L3", "L3", "L3"]
SERVED = {"L1": "1", "LFB": "1", "L2": "2", "L3": "3"}


def level(r):
    return LEVELS[int(r["dataSource"]) % 16]


def walk(node, above, tiers, of_cpu):
    """Numbers the caches, memories and CPUs of the tree by tier."""
    name = {"Cache": node.get("id"), "NUMA": "NUMA", "CPU": "CPU"}.get(node.tag)
    here = dict(above)
    if name:
        here[name] = tiers[name] = tiers.get(name, -1) + 1
    if node.tag == "CPU":
        of_cpu[node.get("id")] = here
    for child in node:
        walk(child, here, tiers, of_cpu)


last, of_cpu = {}, {}
walk(xml.parse(f"{folder}/hardware.xml").getroot(), {}, last, of_cpu)
count = {tier: n + 1 for tier, n in last.items()}


def ask(table, *more):
    out = subprocess.run(
        [memlamp, "samples", folder, "--json", "--show", table, *more],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(out.stdout)[table]


def say(what, mine, theirs):
    global bad
    if mine != theirs:
        bad = True
        print(f"{what}: {mine}, but memlamp says {theirs}")
    else:
        print(f"{what}: {mine}")


def totals(chosen, key):
    sums = defaultdict(lambda: [0, 0])
    for r in chosen:
        sums[key(r)][0] += 1
        sums[key(r)][1] += r["cycles"]
    return {k: tuple(v) for k, v in sums.items()}


def theirs(table, *more):
    return {r["name"]: (r["samples"], r["cycles"]) for r in ask(table, *more)}


def share(part, whole):
    return f"{100 * part / whole:.1f} %"


# 1. All samples: totals by line, variable, level and CPU.
cycles = sum(r["cycles"] for r in rows)
groups = {
    "lines": lambda r: f'{r["source"]}:{r["line"]}',
    "variables": lambda r: r["variable"],
    "levels": level,
    "cpus": lambda r: r["cpu"],
}
print(f"{len(rows)} samples, {cycles} cycles")
for table, key in groups.items():
    mine = totals(rows, key)
    agree = mine == theirs(table)
    name, (n, c) = max(mine.items(), key=lambda x: x[1][1])
    say(f"{table}: {len(mine)}, most cycles {name} ({share(c, cycles)})", True, agree)

# 2. L and I of every tier (equations 1 and 2).
def resource(r, tier):
    here = of_cpu.get(r["cpu"])
    if tier == "CPU":
        return here["CPU"]
    return here[tier] if SERVED.get(level(r)) == tier else None


for row in ask("metrics"):
    tier = row["tier"].lstrip("L") if row["tier"].startswith("L") else row["tier"]
    if tier not in count or tier == "NUMA":  # no sample of this set is from memory
        continue
    s, c = Counter(), Counter()
    for r in rows:
        at = resource(r, tier)
        if at is not None:
            s[at] += 1
            c[at] += r["cycles"]
    latency = sum(c[i] / s[i] for i in s) / len(s)
    mean = sum(s.values()) / count[tier]
    each = [s[i] - mean for i in range(count[tier])]
    spread = math.sqrt(sum(x * x for x in each) / count[tier])
    imbalance = max(abs(x) for x in each) / spread if spread else 0
    say(
        f'{row["tier"]}: L and I',
        (f"{latency:.2f}", f"{imbalance:.3f}"),
        (f'{row["latency"]:.2f}', f'{row["imbalance"]:.3f}'),
    )

# 3. Neighbours in z: which CPUs touch a layer of the mesh, and are they of one socket?
mesh = [r for r in rows if r["map3D"] == "1"]
first = {}
for z in range(32):
    layer = [r for r in mesh if r["zidx"] == str(z)]
    mine = totals(layer, groups["cpus"])
    # the most samples; of equals the lowest CPU
    first[z] = min(mine, key=lambda k: (-mine[k][0], int(k)))
    if mine != theirs("cpus", "-s", f"map3D = 1 and zidx = {z}"):
        say(f"CPUs of z {z}", mine, "something else")
apart = sum(of_cpu[first[z]]["NUMA"] != of_cpu[first[z + 1]]["NUMA"] for z in range(31))
print("CPU with most samples of z 0 to 31:", " ".join(first[z] for z in range(32)))
print(f"{apart} of 31 pairs of neighbours are of two sockets")

# 4. The clusters cover z from its first to its last value, in order.
found = ask("clusters", "-s", "map3D = 1", "-a", "zidx", "-m", "imbalance", "-k", "8")
ends = [(int(k["from"]), int(k["to"])) for k in found]
ordered = all(a[1] <= b[1] and a[0] <= b[0] for a, b in zip(ends, ends[1:]))
say("clusters of z from 0 to 31, in order", True, ordered and (ends[0][0], ends[-1][1]) == (0, 31))
sys.exit(bad)

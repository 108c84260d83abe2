#!/usr/bin/env python3
"""Does advice name the problem, and does its promise come true?

Each program of this folder has one known problem (V=0), the same program with the problem mended
(V=1) and a healthy look-alike (V=2). The first comment says what memlamp should find: kind, region
(* for any), and the line marked HERE. For each compiler and level of optimisation this records all
three, compares the first finding with what is known, and prints a row:

    kind, region, line, promised, came true

`came true` is the share of all access time by which the mended program is faster, on the same
simulated machine. A program is right if kind, region and line of the first finding are; the mended
version must not show the same finding again, and the look-alike none that saves 5 % or more. No finding may promise
more than the run waits for.
If the mended version is less than 2 % faster or slower, the compiler has mended the program itself (gcc -O3
exchanges loops): then it is right to find nothing, and wrong to promise 5 % or more.
`remedy: FACT` names the fact with the gain of the remedy that the mended version applies, where a
finding offers two.

    insight.py MEMLAMP [--levels O1,O2,O3] [--compilers gcc,clang] [--only NAME,...] [--repeat N]
               [--fail-under SHARE] [--jobs N] [--keep FOLDER]
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINE = "L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c"
COMPILERS = {
    "gcc": {".c": "gcc", ".cpp": "g++", ".f90": "gfortran"},
    "clang": {".c": "clang", ".cpp": "clang++"},
}
ALARM = 0.05  # a healthy program may show nothing that saves more
SILENT = 0.02  # memlamp prints nothing that saves less


def expected(path):
    """What the first comment and the marked lines say."""
    text = open(path).read().splitlines()
    known = {"machine": MACHINE, "region": "*", "advice": "", "flags": "", "options": ""}
    for line in text[:8]:
        m = re.match(r"[/ *!]*(kind|region|machine|advice|flags|options|used|family|remedy): (.*)", line)
        if m:
            known[m[1]] = m[2].strip()
    known["lines"] = [i + 1 for i, line in enumerate(text) if "HERE" in line]
    return known


def build(name, variant, compiler, level, folder, more):
    suffix = os.path.splitext(name)[1]
    program = COMPILERS[compiler].get(suffix)
    if not program or not shutil.which(program):
        return None
    out = os.path.join(folder, "%s-%d-%s-%s" % (name, variant, compiler, level))
    flags = ["-g", "-" + level, "-DV=%d" % variant, "-pthread", "-w", *more.split()]
    if suffix == ".f90":
        flags += ["-cpp", "-J", folder]
    subprocess.run([program, *flags, "-o", out, os.path.join(HERE, name)], check=True, cwd=folder)
    return out


def run(memlamp, program, known, folder, number=0):
    """The findings of a program, and the cycles of all its references."""
    trace = program + ("" if not number else "-%d" % number) + ".mlt"
    env = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"), MEMLAMP_CACHE_SIZE="0")
    done = subprocess.run([memlamp, "run", "--json", *known["options"].split(), "-m", known["machine"], "-o", trace, program],
                          capture_output=True, text=True, env=env, cwd=folder)
    if done.returncode:
        raise RuntimeError("%s: %s" % (program, done.stderr))
    text = done.stdout
    answer = json.loads(text[text.index("\n{") + 1 if not text.startswith("{") else 0:])
    os.remove(trace)
    return answer, answer["average_cycles"] * answer["references"]


def matches(finding, known):
    region = (finding["region"] or "").split(" (in ")[0]
    return (finding["kind"] in known["kind"].split(" or ")
            and (known["region"] == "*" or any(x in known["region"].split(" or ") for x in (region, region.split(".")[-1])))
            and (not known["lines"] or finding["line"] in known["lines"])
            and known["advice"] in finding["advice"]
            and known.get("used") in (None, finding["facts"].get("used"))
            and int(known.get("family", 0)) in (0, finding["facts"].get("arrays", 1)))


def promised(finding, known):
    """The gain of the remedy that the mended version applies; a finding may offer two."""
    return finding["facts"].get(known.get("remedy"), finding["gain"])


# These kinds leave references out, or threads or remote memory wait: then all cycles are the bound.
BEYOND_WAITING = ("stride", "cleared", "never read", "copies", "fuse", "sweep", "false sharing", "true sharing",
                  "imbalance", "first touch")


def too_much(answer):
    """Findings that promise more than the run waits for."""
    found = [x for f in answer["findings"] for x in [f, *f["or"]]]
    return ["promises too much: %s %s %.0f %%" % (f["kind"], f["region"], 100 * f["gain_high"]) for f in found
            if not f["gain_low"] <= f["gain"] <= f["gain_high"]
            or f["gain_high"] > (1 if f["kind"] in BEYOND_WAITING else answer["waiting"]) + 1e-6]


def same(a, b):
    return a["kind"] == b["kind"] and (a["region"] or "") == (b["region"] or "")


def elapsed(answer):
    """The access time of the main thread and of the longest of the others."""
    threads = {t["thread"]: t["references"] * t["average_cycles"] for t in answer["threads"]}
    return threads.pop(1, 0) + max(threads.values(), default=0)


def came_true(kind, runs, first):
    """By how much the mended program is faster, in the measure of its kind."""
    if kind == "imbalance":
        return 1 - elapsed(runs[1][0]) / elapsed(runs[0][0])
    if kind == "first touch":  # no simulator knows where pages lie
        return first["gain"] if first else 0
    return 1 - runs[1][1] / runs[0][1]


def judge(memlamp, name, compiler, level, folder, repeat):
    """One row of the table, or None if there is no such compiler."""
    known = expected(os.path.join(HERE, name))
    variants = [0] if known["kind"] == "none" else [0, 1, 2]
    programs = [build(name, v, compiler, level, folder, known["flags"]) for v in variants]
    if not programs[0]:
        return None
    runs = [run(memlamp, p, known, folder) for p in programs]
    row = {"name": name, "compiler": compiler, "level": level, "wrong": []}
    for answer, _ in runs:
        row["wrong"] += too_much(answer)
    if known["kind"] == "none":
        row["wrong"] += ["alarm: %s %s" % (f["kind"], f["region"]) for f in runs[0][0]["findings"]
                         if f["gain"] >= ALARM]
        return row
    found = runs[0][0]["findings"]
    first = found[0] if found else None
    row["first"] = first
    row["true"] = came_true(known["kind"], runs, first)
    row["promised"] = promised(first, known) if first else 0
    if abs(row["true"]) < SILENT:
        row["mended"] = True
        row["wrong"] += ["alarm: %s" % f["kind"] for f in found if matches(f, known) and f["gain"] >= ALARM]
    elif not first:
        row["wrong"].append("nothing found")
    elif not matches(first, known):
        row["wrong"].append("expected %s %s :%s" % (known["kind"], known["region"],
                                                    ",".join(map(str, known["lines"]))))
    elif abs(row["promised"] - row["true"]) > max(0.2 * abs(row["true"]), 0.01):
        row["promise"] = True
    if first and not row.get("mended"):
        row["wrong"] += ["not mended: %s" % f["kind"] for f in runs[1][0]["findings"]
                         if same(f, first) and f["gain"] >= 0.05]
    row["wrong"] += ["look-alike: %s %s %.0f %%" % (f["kind"], f["region"], 100 * f["gain"])
                     for f in runs[2][0]["findings"] if f["gain"] >= ALARM]
    for i in range(1, repeat):
        again = run(memlamp, programs[0], known, folder, i)[0]["findings"]
        if not again or not first or not same(again[0], first) or again[0]["line"] != first["line"]:
            row["wrong"].append("recording %d says otherwise" % (i + 1))
        else:
            row.setdefault("gains", [first["gain"]]).append(again[0]["gain"])
    for p in programs:
        os.remove(p)
    return row


def show(row):
    f = row.get("first")
    text = "%-18s %-5s %s " % (row["name"], row["compiler"], row["level"])
    if f:
        text += "%-14s %-10s %-5s" % (f["kind"], (f["region"] or "-")[:10], f["line"] or "-")
        text += " promised %5.1f %%, came true %5.1f %%" % (100 * row["promised"], 100 * row["true"])
    if row.get("gains"):
        text += "  %d alike: %.1f to %.1f %%" % (len(row["gains"]), 100 * min(row["gains"]), 100 * max(row["gains"]))
    text += "  the compiler mended it" if row.get("mended") else ""
    text += "  PROMISE" if row.get("promise") else ""
    text += "  WRONG " + "; ".join(row["wrong"]) if row["wrong"] else "  ok"
    print(text, flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("memlamp")
    p.add_argument("--levels", default="O1,O2,O3")
    p.add_argument("--compilers", default="gcc,clang")
    p.add_argument("--only", default="")
    p.add_argument("--repeat", type=int, default=1)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--fail-under", type=float, default=1.0)
    o = p.parse_args()
    only = [x for x in o.only.split(",") if x]
    names = sorted(n for n in os.listdir(HERE) if os.path.splitext(n)[1] in (".c", ".cpp", ".f90")
                   and (not only or any(n.startswith(x) for x in only)))
    rows = []
    with tempfile.TemporaryDirectory() as top, \
            concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        work = []
        for level in o.levels.split(","):
            for compiler in o.compilers.split(","):
                for name in names:
                    folder = os.path.join(top, "%s-%s-%s" % (name, compiler, level))
                    os.mkdir(folder)
                    work.append(pool.submit(judge, os.path.abspath(o.memlamp), name, compiler, level,
                                            folder, o.repeat))
        for w in work:
            row = w.result()
            if row:
                rows.append(row)
                show(row)
    right = sum(not r["wrong"] for r in rows)
    kept = sum(not r["wrong"] and not r.get("promise") for r in rows)
    print("%d of %d right, %d promises of these within 20 %%" % (right, len(rows), kept))
    sys.exit(right < o.fail_under * len(rows))


if __name__ == "__main__":
    main()

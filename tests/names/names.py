#!/usr/bin/env python3
"""Regions are called as the programmer calls them, whatever compiler and option.

Usage: names.py MEMLAMP SOURCES [CASE...]

Each row of CASES compiles a program of tests/traces/names, records it and compares its
regions with the comments of the source: "-> NAME TYPE BYTES SHAPE" says what the line
allocates. NAME is a list of alternatives (a|b) or of names of which each must be there and
no other (a&b), with ? behind it if the compiler may do without the block; ~ in TYPE is a blank; * stands for
anything, also for the rest of the comment. Every such line must have a region of that
name, and no region may be called after a function and a line instead. ">> FUNCTION" says
through which inlined accessor the references of a line are made; -: through none.

NAMES_ALL=1 tries every compiler with every option and both recorders.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

MEMLAMP, SOURCES = os.path.abspath(sys.argv[1]), sys.argv[2]
PROGRAMS = os.path.join(os.path.abspath(SOURCES), "tests", "traces", "names")

# program, options of all rows, compilers, extra check
PROGRAMS_TABLE = [
    ("domain.cpp", [], ["g++", "clang++"]),
    ("sparse.cpp", [], ["g++", "clang++"]),
    ("holders.cpp", [], ["g++", "clang++"]),
    ("matrices.cpp", [], ["g++", "clang++"]),
    ("solver.cpp", [], ["g++", "clang++"]),
    ("helpers.c", ["-w"], ["gcc", "clang"]),
    ("polybench.c", ["-w"], ["gcc", "clang"]),
    ("stencil.f90", [], ["gfortran"]),
    ("fixed.f", [], ["gfortran"]),
    ("solve.f90", [], ["gfortran"]),
    ("context.c", ["-w"], ["gcc", "clang"]),
    ("macros.c", ["-w", "-I" + PROGRAMS], ["gcc", "clang"]),
    ("accessors.c", ["-I" + PROGRAMS], ["gcc", "clang"]),
    ("parallel.c", ["-fopenmp"], ["gcc", "clang"]),
    ("sweep.cpp", ["-fopenmp"], ["g++"]),
]
LEVELS = ["-O0", "-O2", "-O3"]
RECORDERS = ["valgrind", "cc"]


def cases():
    """One row for each program and compiler, or all of them."""
    for program, options, compilers in PROGRAMS_TABLE:
        for n, compiler in enumerate(compilers):
            for level in LEVELS:
                for recorder in RECORDERS:
                    usual = ("-O2", "valgrind") if n == 0 else ("-O0", "cc")
                    if "NAMES_ALL" in os.environ or (level, recorder) == usual:
                        yield program, options, compiler, level, recorder


def expectations(path):
    """{line: (names, all of them, type, bytes, shape)} of the comments of a source."""
    found = {}
    for number, line in enumerate(open(path), 1):
        m = re.search(r"(?://|/\*|!).*?-> (\S+) (\S+)(?: (\d+|\*(?!/)))?(?: ([-\d:,x|]+))?", line)
        if m and not line.lstrip().startswith(("//", "/*", "!")):
            found[number] = (re.split(r"[|&]", m[1]), "&" in m[1], m[2].replace("~", " "), m[3] or "*", m[4] or "*")
    return found


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **more)
    if done.returncode:
        raise RuntimeError("%s\n%s" % (" ".join(command), done.stdout))
    return done.stdout


def recorded(folder, program, options, compiler, level, recorder):
    binary, trace = os.path.join(folder, "program"), os.path.join(folder, "trace.mlt")
    if recorder == "cc":
        word = {"g++": "c++", "clang++": "c++", "gfortran": "fc"}.get(compiler, "cc")
        command = [MEMLAMP, word, "--cc=" + compiler]
    else:
        command = [compiler]
    environment = dict(os.environ, OMP_NUM_THREADS="2", MEMLAMP_OUTPUT=trace)
    run(command + ["-g", level] + options +
        [os.path.join(PROGRAMS, program), "-o", binary], cwd=folder)
    run([MEMLAMP, "record", "-q", "-o", trace, binary], env=environment, cwd=folder)
    return json.loads(run([MEMLAMP, "info", "--json", trace]))


def split_type(text):
    """double[30][20] is double and 30x20; real(kind=8)(0:31,5) is real(kind=8) and 0:31,5."""
    c = re.fullmatch(r"(.*?)((?:\[\d+\])*)", text)
    if c[2]:
        return c[1], c[2][1:-1].replace("][", "x")
    f = re.fullmatch(r"(.*?)\(([-\d:, ]+)\)", text)
    return (f[1], f[2].replace(" ", "")) if f else (text, "")


def faults_of_code(program, info, recorder):
    """"=> FUNCTION" in the source: there is a function of that name."""
    functions = [f["function"] for f in info["functions"]]
    for m in re.finditer(r"=> (.*?) *(?:\*/)?$", open(os.path.join(PROGRAMS, program)).read(),
                         re.M):
        if m[1] not in functions:
            yield "there is no function %s" % m[1]
    # The other recorder does not tell callers.
    for row in info["lines"] if recorder == "valgrind" else []:
        if (row["file"] or "").startswith("/usr/include/c++"):
            yield "line %s:%s is not the user's" % (row["file"], row["line"])


def faults_of_accessors(program, info, level):
    """">> FUNCTION" in the source: the line has what that inlined function touches."""
    stem = os.path.splitext(program)[0]
    for name in [stem + ".c", stem + ".h"] if level != "-O0" else []:
        path = os.path.join(PROGRAMS, name)
        for number, line in enumerate(open(path) if os.path.exists(path) else [], 1):
            m = re.search(r"/\* >> (\S+)", line)
            rows = [r for r in info["lines"] if r["file"] == path and r["line"] == number]
            if m and [r["through"] or "-" for r in rows] != [m[1]]:
                yield "%s:%d: %s through %s, not %s" % (
                    name, number, "references" if rows else "no references",
                    ", ".join(r["through"] or "-" for r in rows), m[1])


def faults(program, found):
    path = os.path.join(PROGRAMS, program)
    expected = expectations(path)
    own = [r for r in found if r["file"] and os.path.basename(r["file"]) == program
           and (r["kind"] == "heap" or r["kind"] == "global" and r["line"] in expected)]
    for line, (names, every, kind, size, shape) in sorted(expected.items()):
        here = [r for r in own if r["line"] == line]
        if not here and names[-1].endswith("?"):
            continue
        names = [n.rstrip("?") for n in names]
        if not here:
            yield "line %d: no region; expected %s" % (line, "|".join(names))
        for name in names:
            right = [r for r in here if r["region"] == name]
            if not right and (every or len(names) == 1 or not any(r["region"] in names for r in here)):
                yield "line %d: called %s, not %s" % (
                    line, ", ".join(r["region"] for r in here) or "nothing", name)
        for r in here:
            if every and r["region"] not in names:
                yield "line %d: unexpected: %s" % (line, r["region"])
            element, extent = split_type(r["type"] or "-")
            if kind != "*" and element not in kind.split("|"):
                yield "line %d: %s is of type %s, not %s" % (line, r["region"], element, kind)
            if size != "*" and r["element_bytes"] != int(size):
                yield "line %d: %s has elements of %s bytes, not %s" % (
                    line, r["region"], r["element_bytes"], size)
            if shape != "*" and extent not in shape.split("|"):
                yield "line %d: %s has shape %s, not %s" % (
                    line, r["region"], extent, shape)
    for r in own:
        if r["line"] not in expected and " in " not in r["region"]:
            yield "unexpected: line %s: %s %s" % (r["line"], r["region"], r["type"])


def title(case):
    return " ".join([case[0], case[2], case[3], *case[1], case[4]])


def check(case):
    with tempfile.TemporaryDirectory(prefix="memlamp-names-") as folder:
        info = recorded(folder, *case)
        return [*faults(case[0], info["regions"]), *faults_of_code(case[0], info, case[4]),
                *faults_of_accessors(case[0], info, case[3])]


def main():
    wanted = sys.argv[3:]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = [c for c in cases() if not wanted or any(w in title(c) for w in wanted)]
        for case, wrong in zip(rows, pool.map(check, rows)):
            failed += bool(wrong)
            print("%s: %s" % (title(case), "ok" if not wrong else "FAILS"))
            for w in wrong:
                print("    " + w)
    return 1 if failed else 0


sys.exit(main())

# The forms of other tools. All counts of the small trace are derived by hand: its first
# level holds one line, its second level two.
M='L1 64 1w 64B 1c | L2 128 2w 3c | memory 11c'
cat >a.txt <<END
region A 0x1000 512 8 8 8
begin outer
r 0x1000 8 1 src/a.c:12 f
begin inner
r 0x1040 8 1 src/a.c:12 f
r 0x1000 8 1 src/a.c:13 f
end outer
w 0x1080 8 1 src/a.c:14 g
mark here
w 0x1080 8 1 src/a.c:14 g
begin last
r 0x10c0 8 1 src/a.c:14 g
END
memlamp import a.txt 2>/dev/null

echo "# callgrind: Refs Dr Dw L1miss L2miss Cycles"
memlamp export --callgrind -m "$M" -o - a.mlt
memlamp export --callgrind -m "$M" -o a.callgrind a.mlt
callgrind_annotate a.callgrind | grep -E 'TOTALS|:[fg] ' | tr -s ' '

echo "# KCachegrind gives a function to the object in which its number occurs first:"
cat >two.c <<'C'
#include <string.h>
static int x[100], y[100];
int main(int argc, char **argv)
{
	for (int i = 0; i < 100; i++)
		y[i] = x[i] + argc;
	memset(x, argc, sizeof(x));
	return y[argc] < 0;
}
C
cc -g -O1 -fno-builtin two.c -o two && memlamp record -q -o two.mlt ./two
memlamp export --callgrind -m "$M" -o - two.mlt 2>/dev/null | python3 -c '
import re, sys
object, of, names = None, {}, {}
for line in sys.stdin:
    m = re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?", line)
    if m and m[4]:
        names[m[2] + m[3]] = m[4]
    if m and m[2] == "ob":
        object = m[3]
    elif m:
        of.setdefault(m[3], set()).add(object)
print("functions in several objects:", sum(len(s) > 1 for s in of.values()))
print("objects of main:", *sorted(names["ob" + o] for f, s in of.items() for o in s
      if names["fn" + f] == "main" and len(names["ob" + o]) == 1))'

echo "# chrome, speedscope: phases are balanced, the rest adds up"
memlamp export --chrome -m "$M" a.mlt
memlamp export --speedscope -m "$M" a.mlt
python3 - <<END
import json
c = json.load(open("a.trace.json"))["traceEvents"]
for e in c:
    if e["ph"] in "BEi":
        print(e["ts"], e["ph"], e["name"])
print({k: sum(e["args"][k] for e in c if e["name"] == "references served by") for k in ("L1", "L2", "memory")})
s = json.load(open("a.speedscope.json"))
frames = [f["name"] for f in s["shared"]["frames"]]
lines, phases = s["profiles"]
print(lines["type"], lines["endValue"])
for sample, weight in zip(lines["samples"], lines["weights"]):
    print(" ", [frames[f] for f in sample], weight)
print(phases["type"], phases["name"], phases["startValue"], phases["endValue"])
for e in phases["events"]:
    print(" ", e["at"], e["type"], frames[e["frame"]])
END

echo "# chrome: what a viewer shows that reads as Perfetto does"
python3 "$SRC/tests/check_chrome.py" a.trace.json
for change in 's/"ph": *"E"/"ph": "B"/' 's/"pid": *1/"pid": "x"/' 's/"s": *"t"/"s": "?"/'; do
	sed "$change" a.trace.json >broken.json
	python3 "$SRC/tests/check_chrome.py" broken.json 2>&1 >/dev/null | sed 's/:.*//'
done
memlamp record -q -o threads.mlt "$BUILD/examples/threads" >/dev/null 2>&1 &&
	memlamp export --chrome -m "$M" threads.mlt &&
	python3 "$SRC/tests/check_chrome.py" threads.trace.json >shown &&
	echo "two threads: counters $(grep -c '^counter' shown), threads $(grep -c '^thread_name' shown)"

echo "# SARIF: a matrix that is walked down its columns"
python3 - >b.txt <<END
print('region "m&m" 0x100000 524288 8 256 256')
for t in range(3):
    for j in range(256):
        for i in range(256):
            print(f'r {0x100000 + 8 * (256 * i + j):#x} 8 1 "src/b c.c":7 sum')
END
memlamp import b.txt 2>/dev/null
memlamp export --sarif -m 'L1 1K 2w 64B 4c | memory 100c' b.mlt
python3 - <<END
import json
d = json.load(open("b.sarif"))
run, = d["runs"]
rules = run["tool"]["driver"]["rules"]
print(d["version"], run["tool"]["driver"]["name"], [(x["id"], x["shortDescription"]["text"]) for x in rules])
print("all texts:", all(x[k]["text"] for x in rules for k in ("shortDescription", "fullDescription", "help")))
r = run["results"][0]
print(r["ruleId"], r["level"], r["locations"][0]["physicalLocation"], r["partialFingerprints"])
print(r["properties"]["region"], r["properties"]["simulated"], r["message"]["text"].startswith("m&m is walked"))
END

echo "# misuse"
memlamp export a.mlt; echo "(status $?)"
memlamp export --sarif --chrome a.mlt; echo "(status $?)"
memlamp export --sarif nothing.mlt; echo "(status $?)"
memlamp export --sarif -o /dev/full a.mlt; echo "(status $?)"

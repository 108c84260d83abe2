# Python: phases of its functions and lines, and arrays by name (include/memlamp.py).
. "$SRC/tests/cli/record.inc"

mkdir scripts other
cat >other/elsewhere.py <<'END'
def helper(n):
    return sum(range(n))
END
cat >scripts/sums.py <<'END'
import array
import sys

import memlamp
sys.path.append("other")
import elsewhere


def fill(a):
    for i in range(len(a)):
        a[i] = i * 0.5


def total(a):
    s = 0.0
    for x in a:
        s += x
    return s


a = array.array("d", [0.0]) * 300
memlamp.region(a, "numbers")
fill(a)
with memlamp.phase("all of it"):
    print(total(a), elsewhere.helper(10), sys.argv[1:])
memlamp.unregion(a)
END

echo "unrecorded:"
/usr/bin/python3 "$SRC/include/memlamp.py" scripts/sums.py x y
/usr/bin/python3 "$SRC/include/memlamp.py" 2>&1

cat >told.py <<'END'
import json, sys
d = json.load(sys.stdin)
for r in d["regions"]:
    if r["region"] == "numbers":
        print("numbers:", r["type"], r["reads"], "reads", r["writes"], "writes")
for p in sorted(d["phases"], key=lambda p: p["phase"]):
    print("phase", p["phase"], p["times"])
END
echo "functions:"
record -o functions.mlt /usr/bin/python3 "$SRC/include/memlamp.py" scripts/sums.py
memlamp info --json functions.mlt | python3 told.py
echo "lines:"
record -o lines.mlt /usr/bin/python3 "$SRC/include/memlamp.py" --lines scripts/sums.py
memlamp info --json lines.mlt | python3 told.py | grep -E 'numbers|:(10|11|16|17) |all'

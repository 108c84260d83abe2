# The cases of section 7.4 of the dissertation as docs/gallery.md tells them: each finding
# is held by numbers. What libraries and the loader do differs from machine to machine, so
# ratios are compared, not counts.
test -d "$BUILD/valgrind" || { echo "the Valgrind tool is not built"; exit 77; }
valgrind --version >/dev/null 2>&1 || { echo "no valgrind"; exit 77; }
examples=$SRC/examples
small='L1 1K 4w 16B 3c | L2 4K 8w 15c | memory 300c'

members() { # file, then arguments: runs and keeps what is said of each member
	file=$1
	shift
	memlamp ensemble "$@" --json --cells 64 >"$file.json" || exit 1
}

cat >look.py <<'END'
import json, sys

def members(name):
    return {m["label"]: m for m in json.load(open(name + ".json"))["members"]}

def times(name):
    return {label: m["time"] for label, m in members(name).items()}

def series(name):
    """label -> means of the cells"""
    out = {}
    for row in json.load(open(name + ".json"))["series"]:
        out.setdefault(row["label"], []).append(row["time"])
    return out

def claim(text, true):
    print(text if true else "NOT SO: " + text)
END

members triangles -o triangles.mle --run "$BUILD/examples/triangles {order: sorted,random,antisorted}" \
	--phase draw -m "$small"
members mpm -o mpm.mle --build "cc -O1 -g -I'$SRC/include' -DPARTICLES={particles: structures,arrays} \
	-DGRID={grid: structures,arrays} -o '{out}' '$examples/mpm.c' -lm" \
	--from-mark step --match phases -m "$small"
cc -O2 -g -DMARKS -I"$SRC/include" "$examples/sorts.c" -o sorts-marked || exit 1
memlamp record -q -o sorts.mlt ./sorts-marked >/dev/null
sorts='L1 128 full 16B 3c | L2 512 full 15c | memory 300c'
members sorts-raw -o sorts.mle bubble=sorts.mlt@bubble exchange=sorts.mlt@exchange -m "$sorts"
members sorts-matched sorts.mle --match marks --volume
line() { # of the N-th end of a sweep in the source
	grep -n 'END_OF_SWEEP();' "$examples/sorts.c" | sed -n "$1s/:.*//p"
}
members sorts-lines sorts.mle --match "sorts.c:$(line 1)=sorts.c:$(line 2)" --volume
memlamp record -q -o matmul16.mlt "$BUILD/examples/matmul16" >/dev/null
members matmul -o matmul.mle matmul16.mlt@naive matmul16.mlt@transposed matmul16.mlt@blocked \
	-m 'L1 256 4w 16B 3c | memory 300c' --time normalised
members ways -o ways.mle matmul16.mlt@blocked -m 'L1 256 {1,2,4,8,full}w 16B 3c | memory 300c'
members padding -o padding.mle --run "$BUILD/examples/matmul16 {pad: 0..15}" --phase blocked \
	-m 'L1 256 4w 16B 3c | memory 300c' --against pad=4
memlamp record -q -o bubble.mlt "$BUILD/examples/sorts" bubble >/dev/null
members bubble-l1 -o bubble-l1.mle bubble.mlt@bubble \
	-m 'L1 {128..1K +128} full 16B 3c | L2 2K full 15c | memory 300c' --window 1
members bubble-l2 -o bubble-l2.mle bubble.mlt@bubble \
	-m 'L1 128 full 16B 3c | L2 {256..1152 +128} full 15c | memory 300c' --window 1
members bubble-both -o bubble-both.mle bubble.mlt@bubble \
	-m 'L1 {64,128,192,256} full 16B 3c | L2 {256,512,768,1024} full 15c | memory 300c'
memlamp record -q -o merge.mlt "$BUILD/examples/sorts" merge >/dev/null
members merge -o merge.mle merge.mlt@merge -m 'L1 {64,128,256,512,1K,2K} full 16B 3c | memory 300c'
memlamp record -q -o heat.mlt "$BUILD/examples/heat" >/dev/null
members heat -o heat.mle heat.mlt@sweeps heat.mlt@ping-pong \
	-m 'L1 256 4w 16B {policy: lru,mru,opt,pes,random} 3c | memory 300c'
for k in 1 2; do
	memlamp record -q -o team$k.mlt "$BUILD/examples/team" $k >/dev/null
done
members two -o two.mle team1.mlt@multiply -m 'L1 {128..1920 +256} full 16B 3c | memory 300c' \
	--shared 2 --total 2K
members four -o four.mle team1.mlt@multiply -m 'L1 {128..3712 +256} full 16B 3c | memory 300c' \
	--shared 4 --total 4K
members real -o real.mle real=team2.mlt@multiply -m 'cores 2 | L1 2K full 16B shared 3c | memory 300c'

python3 - <<'END'
import json, statistics
from look import *

print("triangles")
t = times("triangles")
claim("sorting makes drawing more than twice as fast", 2 * t["sorted"] < t["random"])
claim("the antisorted list is as bad as the random one", 0.9 < t["antisorted"] / t["random"] < 1.1)

print("material points")
t = times("mpm")
arrays, structures = t["particles=arrays grid=arrays"], t["particles=structures grid=structures"]
claim("arrays for both are best", arrays == min(t.values()))
claim("structures for both are worst", structures == max(t.values()))
claim("by a third at least", arrays < structures * 2 / 3)

print("bubble sort and sweeps with one exchange")
raw, matched, lines = times("sorts-raw"), times("sorts-matched"), times("sorts-lines")
claim("a reference of bubble sort costs a third", 3 * raw["bubble"] < raw["exchange"])
claim("matched and scaled, bubble sort costs more", matched["bubble"] > matched["exchange"])
x = json.load(open("sorts-matched.json"))
claim("both have 255 sweeps", len(x["milestones"]) == 257 and not x["unequal"])
claim("lines of code match as marks do", all(abs(lines[k] / matched[k] - 1) < 0.01 for k in lines))

print("matrix multiplication")
t = times("matmul")
claim("naive is far worse than transposed", t["naive"] > 3 * t["transposed"])
claim("blocked is no better than naive", t["blocked"] > 0.9 * t["naive"])
t = times("ways")
claim("with all ways it is the best of all", min(t, key=t.get) == "full" and 4 * t["full"] < t["4w"])
m = members("padding")
t = {int(k[4:]): v["time"] for k, v in m.items()}
claim("every padding helps", all(t[0] > 1.9 * t[p] for p in range(1, 16)))
claim("two help less than six, four are best", t[2] > t[6] > t[4] == min(t.values()))
claim("the difference of four from itself is nothing", m["pad=4"]["difference"] == 0)

print("working sets of bubble sort")
# A sweep over m lines misses no more once a level holds them: n * n / (64 * 64) of the
# run is left when n of 64 lines are. The cells where curves drop, of 64:
def drop(values, above):
    return next(i for i, v in enumerate(values) if v < above)
curves = series("bubble-l1")
drops = [drop(curves[k], 3.3) for k in ("256", "384", "512", "640", "768", "896")]
print("L1 of 256 to 896 bytes is enough from cell", drops)
claim("as the sweeps say", all(abs(d - 64 * (1 - (n / 64) ** 2)) < 3
    for d, n in zip(drops, range(16, 64, 8))))
curves = series("bubble-l2")
drops = [drop(curves[k], 5) for k in ("256", "384", "512", "640", "768", "896")]
print("L2 of 256 to 896 bytes is enough from cell", drops)
claim("as the sweeps say", all(abs(d - 64 * (1 - (n / 64) ** 2)) < 3
    for d, n in zip(drops, range(16, 64, 8))))
t = times("bubble-both")
claim("a larger L1 or L2 is never worse", all(
    t["L1 %d L2 %d" % (a, b)] >= t["L1 %d L2 %d" % (c, d)]
    for a in (64, 128, 192, 256) for b in (256, 512, 768, 1024)
    for c in (64, 128, 192, 256) for d in (256, 512, 768, 1024) if c >= a and d >= b))

print("merge sort")
curves = series("merge")
sizes = ("64", "128", "256", "512", "1K", "2K")
mean = lambda v: sum(v) / len(v)
near = lambda v: max(v) - min(v) < 0.1 * max(v)
spread = [statistics.pstdev(c) for c in zip(*(curves[k] for k in sizes))]
claim("512 bytes are enough for short merges", all(near([curves[k][i] for k in sizes[3:]])
    for i in (1, 2, 3, 6, 8)))
claim("nothing but 2K is enough for the last one", all(near([curves[k][i] for k in sizes[:5]]) and
    curves["1K"][i] > 1.2 * curves["2K"][i] for i in range(58, 62)))
claim("members disagree most while long lists are merged that fit in some of them",
    mean(spread[24:29]) > 1.2 * mean(spread[1:5]) > 2 * mean(spread[57:61]))
claim("larger caches are never worse", all(a >= b - 1e-9
    for k, l in zip(sizes, sizes[1:]) for a, b in zip(curves[k], curves[l])))

print("heat equation")
t = times("heat")
claim("opt bounds all others", t["sweeps opt"] == min(v for k, v in t.items() if "sweeps" in k))
claim("pes bounds all others", t["sweeps pes"] == max(v for k, v in t.items() if "sweeps" in k))
claim("mru is near opt, lru is not", t["sweeps mru"] < 1.06 * t["sweeps opt"] < 0.95 * t["sweeps lru"])
claim("ping-pong makes lru as good as opt", t["ping-pong lru"] == t["ping-pong opt"])

print("threads that share a cache")
for name in ("two", "four"):
    rows = json.load(open(name + ".json"))["clusters"]
    print([(r["starved"], r["ways"]) for r in rows])
    claim("clusters do not overlap", all(a["greatest"] < b["least"] for a, b in zip(rows, rows[1:])))
ways = [r["time"] for r in json.load(open("two.json"))["shared"] if not r["starved"]]
claim("real threads are as the model says of threads that do not starve",
    min(ways) <= times("real")["real"] <= max(ways))
END

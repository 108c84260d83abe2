# Simulating a trace: text, JSON and CSV; thresholds; windows; what is missing.
export XDG_CACHE_HOME=$PWD/cache
show() {
	echo "\$ $*"
	"$@" 2>&1
	status=$?
	test $status = 0 || echo "(status $status)"
}

# L1 has two sets of two ways: lines 0, 2 and 4 share set 0, so B drives A out.
cat >a.txt <<END
region A 0x1000 192 8 24
region B 0x1100 64 8 8
begin load
r 0x1000 8 1 src/a.c:12 main
r 0x1080 8 1 src/a.c:12 main
r 0x1100 8 1 src/a.c:13 main
end load
r 0x1000 8 1 src/a.c:14 main
w 0x1008 8 1 0x401136 memcpy [libc.so.6] <- src/a.c:15 main
END
memlamp import a.txt 2>/dev/null
M='L1 256 2w 64B 4c | L2 1K 4w 10c | memory 100c'
show memlamp sim --machine "$M" a.mlt
show memlamp sim --machine "$M" --quick a.mlt
show memlamp sim --machine "$M" --csv lines a.mlt
show memlamp sim --machine "$M" --csv pairs a.mlt
show memlamp sim --machine "$M" --csv colours a.mlt
memlamp sim --machine "$M" --json --temperature --reuse a.mlt >a.json
python3 - <<END
import json
x = json.load(open("a.json"))
print(x["references"], x["cycles_per_reference"], sorted(x))
print([(l["level"], l["asked"], l["misses"], l["cold"], l["conflict"]) for l in x["levels"]])
print([(r["region"], r["L1_misses"], r["L2_bytes_used"]) for r in x["regions"]])
print([(r["size"], round(r["miss_ratio"], 3)) for r in x["reuse"]])
print(x["temperature"][-1])
END

# A second run answers from the file that the first one kept, and says the same.
memlamp sim --machine "$M" a.mlt >first
ls cache/memlamp/*.mls | wc -l
memlamp sim --machine "$M" a.mlt | cmp - first && echo same
memlamp sim --machine "$M" -o a.mls a.mlt | cmp - first && ls a.mls
memlamp sim --machine "$M" --no-cache a.mlt | cmp - first && echo same

# Thresholds.
check() {
	echo "\$ --fail-if $1"
	memlamp sim --machine "$M" --fail-if "$1" a.mlt 2>&1 >/dev/null
	echo "(status $?)"
}
check 'L1.miss_ratio > 0.9'
check 'L1.miss_ratio > 5%'
check 'region("A").L1.conflict >= 1 and line("a.c:14").L2.misses == 0'
check 'phase("load").L1.misses > 2 or cycles > 1000'
check 'region("D").L1.misses > 0'
check 'L4.misses > 0'
check 'L1.colour > 0'
check 'L1.misses >'

# Windows.
show memlamp sim --machine "$M" --phase load --csv levels a.mlt | cut -d, -f1,7-11
show memlamp sim --machine "$M" --from 3 --csv lines a.mlt | cut -d, -f1-3,6
show memlamp sim --machine "$M" --from 5 a.mlt
show memlamp sim --machine "$M" --from 2 --to 2 a.mlt
show memlamp sim --machine "$M" --phase store a.mlt
show memlamp sim --machine 'L1 100 3w' a.mlt
show memlamp sim
show memlamp sim missing.mlt

# Two threads, each in its half of a line: only taking turns shows what they do.
echo 'region C 0x2000 64
m0x2000@1*1000 m0x2008@2*1000' >t.txt
memlamp import t.txt 2>/dev/null
for turn in 0 10; do
	memlamp sim -m '2 cores | L1 256 2w | L2 1K 4w shared' --interleave $turn t.mlt |
		sed -n '/take turns/p;/order in which/p;/^Why/,/^$/p;/^Lines that/,/^$/p'
done
show memlamp sim -m '2 cores | L1 256 2w | L2 1K 4w' --cores-map 1:0,2:7 t.mlt
show memlamp sim -m '2 cores | L1 256 2w | L2 1K 4w' --cores-map 1-0 t.mlt

# Gaps, and a file that was cut off or damaged, are said.
printf 'r0\ngap 7 sampling\nr64\n' >g.txt
memlamp import g.txt 2>/dev/null
show memlamp sim -m "$M" g.mlt | sed -n '1,/^Which data/p'
memlamp import --model 'random 0 1000000 3000000 8' -o big.mlt 2>/dev/null
size=$(wc -c <big.mlt)
head -c $((size - 30)) big.mlt >cut.mlt
show memlamp sim -q -m "$M" cut.mlt | sed 's/byte [0-9]* of [0-9]*/byte N of N/' | sed "s/last [0-9]* B/last N B/" | head -n 6
at=$((size / 4 * 3))
(head -c $at big.mlt; printf ruined; tail -c +$((at + 7)) big.mlt) >bad.mlt
memlamp sim -q -m "$M" bad.mlt >out || echo "(status $?)"
sed 's/byte [0-9]*/byte N/; 3,$d' out
ls cache/memlamp | wc -l

# A result goes into what is no regular file; it does not take its place.
ln -s /dev/full full
show memlamp sim --machine "$M" -o full a.mlt
test -L full && echo "full is still there"
echo "# causes that are not counted are unknown, not 0"
memlamp import --model 'sweep 0 4 64' -o s.mlt 2>/dev/null
for how in -q ''; do
	memlamp sim $how --json -m 'L1 64 1w 64B' s.mlt | grep '"cold"' | head -n 1
done

# A table as CSV is computed without a further option, or refused.
memlamp import --model 'sweep 0 4096 64' -o sweep.mlt 2>/dev/null
for table in reuse reuse_sites temperature; do
	test "$(memlamp sim -m tiny-4sets --csv $table sweep.mlt | wc -l)" -gt 1 && echo "$table: rows"
done
memlamp sim -q -m tiny-4sets --csv sets sweep.mlt
echo "(status $?)"

# The same misses as Valgrind's cachegrind, on the same program, caches and addresses.
#
# Where they agree by rule: an access that overlaps two lines is one access, and a miss if
# either line is missing. So cachegrind's misses are the references that our level did not
# serve. It counts a modify as one read: our trace has a read, and a write that always hits.
# D1 sees nothing but data, so that its misses must be the same to the last one.
#
# Where they do not: LL is asked for both lines of such an access, also for the one that D1
# had, which we do not ask for. That makes a line recent now and then, so LL differs by a
# few; with cachegrind's rule put into a small simulator, all is the same to the last one.
# LL serves fetches too: they are recorded, and L1i is I1. cachegrind counts each element
# that a string instruction moves, so --split-strings.
. "$SRC/tests/cli/record.inc"
tool=$(command -v valgrind.bin || command -v valgrind)
# What is on the stack and where the heap starts must be the same for both.
tuned=glibc.cpu.x86_rep_movsb_threshold=1000000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000000
bare="env -i PATH=$PATH LD_BIND_NOW=1 OMP_WAIT_POLICY=passive GLIBC_TUNABLES=$tuned MEMLAMP_RING=of-24-characters-as-ours VALGRIND_LIB=$BUILD/valgrind"

cat >levels.py <<'END'
# reads, references that L1 did not serve, those that memory served
import json, sys
sim = json.load(open(sys.argv[1]))
l1 = next(level for level in sim["levels"] if level["level"] == "L1")
print(sim["reads"], sim["references"] - l1["served"], sim["served_by_memory"])
END

cat >rule.py <<'END'
# cachegrind's simulator, in a few lines: references from memlamp dump
import sys
class Cache:
    def __init__(self, size, ways):
        self.ways, self.sets = ways, [[] for _ in range(size // ways // 64)]
    def line(self, number):
        ways = self.sets[number % len(self.sets)]
        hit = number in ways
        if hit:
            ways.remove(number)
        ways.insert(0, number)
        del ways[self.ways:]
        return hit
    def hit(self, addr, size):
        first, last = addr // 64, (addr + size - 1) // 64
        return all([self.line(n) for n in range(first, last + 1)])
i1, d1, ll = Cache(32768, 8), Cache(4096, 2), Cache(65536, 4)
missed = dict.fromkeys(["f", "r", "w"], 0)
memory = dict(missed)
for text in sys.stdin:
    word = text.split()
    if len(word) < 4 or word[1] not in missed:
        continue
    kind, addr, size = word[1], int(word[2], 16), int(word[3])
    if not (i1 if kind == "f" else d1).hit(addr, size):
        missed[kind] += 1
        memory[kind] += not ll.hit(addr, size)
print(missed["f"], memory["f"], missed["r"], memory["r"], missed["w"], memory["w"])
END

# grind PROGRAM...: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
grind() {
	$bare "$tool" --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=4096,2,64 \
		--LL=65536,4,64 --cachegrind-out-file=grind.out --log-file=grind.log --vgdb=no \
		--run-libc-freeres=no --run-cxx-freeres=no "$@" >out1
	sed -n 's/^summary: //p' grind.out
}

# simulate MACHINE: x.mlt; sets reads, missed and memory
simulate() {
	memlamp sim --quick --no-cache --json --machine "$1" x.mlt >sim.json
	python3 levels.py sim.json >counts
	read -r reads missed memory <counts
}

# compare PROGRAM...
compare() {
	grind "$@" >counts
	read -r _ _ ilmr dr d1mr dlmr _ d1mw dlmw <counts
	ll=$((ilmr + dlmr + dlmw))

	$bare "$BUILD/memlamp" record -q --no-heap --split-strings -o x.mlt "$@" >out2
	cmp out1 out2
	simulate 'L1 4K 2w | L2 64K 4w'
	is "$1: reads" "$reads" "$dr"
	is "$1: D1 misses" "$missed" $((d1mr + d1mw))

	$bare "$BUILD/memlamp" record -q --no-heap --split-strings --fetch -o x.mlt "$@" >out2
	simulate 'L1i 32K 8w | L1 4K 2w | L2 64K 4w'
	within "$1: LL misses, within half a percent" "$memory" $((ll - ll / 200)) \
		$((ll + ll / 200))
}

seq 3000 >numbers
compare gzip -c numbers
build loads
compare ./loads

# All six counts by cachegrind's own rule, from our references.
grind ./loads >counts
read -r _ i1mr ilmr _ d1mr dlmr _ d1mw dlmw <counts
is "by its rule: I1 IL, D1 and DL of reads, D1 and DL of writes" \
	"$(memlamp dump x.mlt 2>/dev/null | python3 rule.py)" \
	"$i1mr $ilmr $d1mr $dlmr $d1mw $dlmw"

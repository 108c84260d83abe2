# The examples of the dissertation, recorded and simulated. Their arrays start on a page
# and the loops keep all else in registers, so LRU misses of an array within a phase are
# the same on every machine; tests/cache/test_dissertation.c derives them.
test -d "$BUILD/valgrind" || { echo "the Valgrind tool is not built"; exit 77; }
valgrind --version >/dev/null 2>&1 || { echo "no valgrind"; exit 77; }

record() { # trace, program and its arguments
	trace=$1.mlt
	shift
	memlamp record -q -o "$trace" "$BUILD/examples/$@" >program.out || exit 1
}

# misses TRACE MACHINE PHASE "REGIONS" LEVEL: of these regions together, in this phase.
misses() {
	memlamp sim -m "$2" --phase "$3" --csv regions "$1.mlt" | tr -d '\r' |
		awk -F, -v names=" $4 " -v level="$5_misses" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			index(names, " " $at["region"] " ") { n += $at[level] }
			END { print n + 0 }'
}

record stride stride
echo "loop interchange: 128 reads; misses of L1 and L2"
for phase in "bad stride" "good stride"; do
	echo "$phase: $(misses stride tiny-2levels "$phase" A L1)" \
		"$(misses stride tiny-2levels "$phase" A L2)"
done

record interchange interchange
echo "a million reads down the columns of a large matrix, each a miss of 32K"
misses interchange plain "down columns" matrix L1

record matmul matmul16
record padded matmul16 4
echo "16 x 16 matmul on four sets"
echo "naive: $(misses matmul tiny-4sets naive "A B C" L1)"
echo "transposed: $(misses matmul tiny-4sets transposed "A B C" L1)"
# Blocks are called, and what the calls save on the stack lies in some set or other.
plain=$(misses matmul tiny-4sets blocked "A B C" L1)
padded=$(misses padded tiny-4sets blocked "A B C" L1)
test "$plain" -gt $((4 * padded)) && echo "blocked: padding saves three quarters"

record heat heat
echo "heat: 64 lines, ten sweeps"
echo "sweeps, lru: $(misses heat 'L1 256 4w 16B' sweeps rod L1)"
echo "ping-pong, lru: $(misses heat 'L1 256 4w 16B' ping-pong rod L1)"
# Those that keep what is old also keep what was there before, wherever it lies.
opt=$(misses heat 'L1 256 4w 16B opt' sweeps rod L1)
mru=$(misses heat 'L1 256 4w 16B mru' sweeps rod L1)
pes=$(misses heat 'L1 256 4w 16B pes' sweeps rod L1)
test "$opt" -le "$mru" && test "$mru" -lt 640 && test "$pes" -ge 640 &&
	echo "opt <= mru < lru <= pes"

record sorts sorts bubble
echo "bubble sort: sweeps over 64 lines and fewer until 32 are held in L2, 8 in L1"
echo "$(misses sorts 'L1 128 full 16B | L2 512 full' bubble list L1)" \
	"$(misses sorts 'L1 128 full 16B | L2 512 full' bubble list L2)"

# The phases of a program, found in samples that know nothing of phases (docs/gallery.md):
# drawing, sorting and looking up, as in XSBench.
. "$SRC/tests/cli/cc.inc"
memlamp cc -O1 -g -I"$SRC/include" -pthread "$SRC/examples/lookups.c" -o lookups || exit 1
memlamp record -q -o l.mlt ./lookups
memlamp import l.mlt -o l.mlh -M 'cores 2 | L1 2K 4w 4c | L2 32K 8w shared 14c | memory 200c' 2>/dev/null
# Scores of the whole machine: on the tier of CPUs a window in which one thread has few samples has a score of its own,
# and how the threads take turns differs from run to run.
memlamp samples l.mlh --tier machine --csv clusters -k 4 -w 1000 --step 1000 | tr -d '\r' >clusters.csv

count() {
	memlamp query l.mlh "/api/samples/0/select?select=$(echo "$1" | sed 's/ /+/g')" |
		sed -n 's/.*"selected": *\([0-9]*\).*/\1/p'
}
# The clusters, without the one window between the last two: which phase has 95 % of them?
awk -F, 'NR > 1 && $6 > 2000 { print $3, $4 }' clusters.csv | while read -r from to; do
	all=$(count "time $from..$to")
	for phase in draw sort 'look up'; do
		test $((20 * $(count "time $from..$to and phase = '$phase'"))) -ge $((19 * all)) && echo "$phase"
	done
done
awk -F, 'NR > 1 && $6 > 2000 { if ($8 <= last) print "latency does not grow"; last = $8 }' clusters.csv
# What is special about the last phase: two threads
memlamp samples l.mlh -s "phase = 'look up'" --csv cpus | tr -d '\r' | awk -F, 'NR > 1 { print "CPU", $6 }' | sort

# Any number of threads: each reference of each is in the trace, and there is one trace.
. "$SRC/tests/cli/cc.inc"

built many_threads -pthread

# many AT_ONCE ROUNDS
many() {
	rm -f many*.mlt
	memlamp record -q -o many.mlt -- ./many_threads "$1" "$2"
	echo "$1 at once, $2 times: $(ls many*.mlt | wc -l) trace," \
		"$(memlamp dump --region cell many.mlt | grep -c '^[0-9]') writes by" \
		"$(memlamp dump --region cell many.mlt | awk '/^[0-9]/ { print $5 }' | sort -u | wc -l)" \
		"threads, $(memlamp info --json many.mlt | grep -c '"kind": "lost"') gaps"
}
many 50 200
many 1000 1

echo "more threads than slots: the trace has a gap and says how many threads are missing"
MEMLAMP_SLOTS=8 memlamp record -o few.mlt -- ./many_threads 20 1 2>&1 |
	sed 's/: not recorded: .*//; s/: [0-9,]* references.*//'
memlamp info few.mlt | sed -n 's, in [0-9]* gaps*,,; s,recorder.*,recorder,; /lost/p'
memlamp info --json few.mlt | grep 'threads not recorded'
memlamp dump --region cell few.mlt | grep -c '^[0-9]'

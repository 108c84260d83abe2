#!/bin/sh
# make bench: what recording costs and how small and fast traces are, on four programs.
#
#	bench/run.sh BUILD [PROGRAM...]     programs: gzip hash matmul sqlite
#
# Each row is measured in one go: the program alone; under valgrind --tool=none and recorded by
# memlamp to a file on disk, five times in turns, of which the fastest counts; under cachegrind;
# lackey's text trace on a smaller input of the same kind, because it takes minutes, compared by
# time a reference. Then the traces are decoded.
set -eu
build=$(cd "$1" && pwd)
src=$(cd "$(dirname "$0")/.." && pwd)
shift
[ $# -gt 0 ] || set -- gzip hash matmul sqlite
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
cd "$dir"
PATH=$build:$PATH

. "$src/bench/workloads.sh"

refs_of() { # TRACE
	memlamp info --json "$1" | awk -F'[:, ]+' '/"references"/ { print $3; exit }'
}

printf '%-8s %8s %8s %8s %9s %9s %9s %10s %10s %10s\n' program native none record \
	'rec/none' 'grind/rec' 'lackey/rec' references 'M refs/s' 'bytes/ref'
for w; do
	large=$(command_of "$w" large)
	native=$(seconds "$large")
	none= record=
	for _ in 1 2 3 4 5; do
		none=$(least "$none" "$(once "valgrind.bin -q --tool=none $large")")
		record=$(least "$record" "$(once "memlamp record -q -o $w.mlt -- $large")")
	done
	grind=$(seconds "valgrind.bin -q --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null $large")
	small=$(command_of "$w" small)
	lackey=$(seconds "valgrind.bin --tool=lackey --trace-mem=yes --log-file=$dir/lackey $small")
	eval "memlamp record -q -o small.mlt -- $small" >/dev/null 2>&1
	refs=$(refs_of "$w.mlt")
	few=$(refs_of small.mlt)
	bytes=$(wc -c <"$w.mlt")
	awk -v w="$w" -v native="$native" -v none="$none" -v record="$record" -v grind="$grind" \
		-v lackey="$lackey" -v refs="$refs" -v few="$few" -v bytes="$bytes" 'BEGIN {
		printf "%-8s %8.2f %8.2f %8.2f %9.2f %9.2f %9.0f %10.0f %10.0f %10.4f\n", w, native,
			none, record, record / none, grind / record,
			(lackey / few) / (record / refs), refs, refs / record / 1e6, bytes / refs }'
done
echo
traces=
for w; do traces="$traces $w.mlt"; done
"$build/bench_decode" $traces

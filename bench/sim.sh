#!/bin/sh
# make bench: how fast caches are simulated, on the programs of bench/run.sh.
#
#	bench/sim.sh BUILD [PROGRAM...]     programs: gzip hash matmul sqlite
#
# First from decoded references, by bench_sim (attrib is what `sim --quick` does with them: the
# serving level of each, by line and region); then the whole of `memlamp sim` from the file,
# beside the same caches simulated by cachegrind, less what Valgrind takes to do nothing.
# What explains every miss is slower and simulates the first 20 million references only.
# About two minutes on a quiet machine.
set -eu
build=$(cd "$1" && pwd)
src=$(cd "$(dirname "$0")/.." && pwd)
shift
[ $# -gt 0 ] || set -- sqlite gzip hash matmul
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
cd "$dir"
PATH=$build:$PATH
XDG_CACHE_HOME=$dir/cache
export XDG_CACHE_HOME
. "$src/bench/workloads.sh"
machine='L1 32K 8w | L2 1M 16w | L3 32M 16w'

traces=
for w; do
	eval "memlamp record -q -o $w.mlt -- $(command_of "$w" middle)" >/dev/null
	traces="$traces $w.mlt"
done
# shellcheck disable=SC2086
bench_sim -m "$machine" $traces

echo
printf '%-20s %12s %10s %10s %12s %14s\n' 'whole command' references 'sim -q' 'M refs/s' \
	'grind/sim-q' 'sim, M refs/s'
part=20000000
for w; do
	run=$(command_of "$w" middle)
	refs=$(memlamp info --json "$w.mlt" | awk -F'[:, ]+' '/"references"/ { print $3; exit }')
	quick=$(seconds "memlamp sim --quick --no-cache -m '$machine' $w.mlt")
	full=$(seconds "memlamp sim --no-cache --to $part -m '$machine' $w.mlt")
	none=$(seconds "valgrind.bin -q --tool=none $run")
	grind=$(seconds "valgrind.bin -q --tool=cachegrind --cache-sim=yes --D1=32768,8,64" \
		"--LL=33554432,16,64 --cachegrind-out-file=/dev/null $run")
	awk -v w="$w" -v refs="$refs" -v part="$part" -v quick="$quick" -v full="$full" \
		-v none="$none" -v grind="$grind" 'BEGIN {
		if (part > refs) part = refs
		printf "%-20s %12.0f %10.2f %10.0f %12.1f %14.0f\n", w, refs, quick,
		refs / quick / 1e6, (grind - none) / quick, part / full / 1e6 }'
done

#!/bin/sh
# make bench: what an ensemble costs, on the programs of bench/run.sh.
#
#	bench/ensemble.sh BUILD [PROGRAM...]     programs: gzip hash matmul sqlite
#
# First 16 sizes of a fully associative cache beside the simulation of one of them: peers
# take 16 times as long, or more. Then 64 members of several policies, of which few can
# share anything, with one thread and with two. Also how large the files are.
set -eu
build=$(cd "$1" && pwd)
src=$(cd "$(dirname "$0")/.." && pwd)
shift
[ $# -gt 0 ] || set -- sqlite matmul
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
cd "$dir"
PATH=$build:$PATH
XDG_CACHE_HOME=$dir/cache
export XDG_CACHE_HOME
. "$src/bench/workloads.sh"
one='L1 32K full'
sizes='L1 {128..4M x2} full'
mixed='L1 {4K..32K x2} {1,2,4,8}w {lru,fifo,random,plru}'

# The faster of two runs. A third word is the number of threads.
ensemble() {
	seconds "memlamp ensemble --fresh -o $w.mle -j $2 -m '$1' $w.mlt"
}

printf '%-10s %12s %10s %10s %10s %10s %10s %8s %10s\n' program references 'one, sim' \
	'16 sizes' 'times' '64, 1 thr' '64, 2 thr' 'times' 'bytes'
for w; do
	eval "memlamp record -q --limit 30M -o $w.mlt -- $(command_of "$w" large)" >/dev/null
	refs=$(memlamp info --json "$w.mlt" | awk -F'[:, ]+' '/"references"/ { print $3; exit }')
	single=$(seconds "memlamp sim --quick --no-cache -m '$one' $w.mlt")
	sixteen=$(ensemble "$sizes" 1)
	alone=$(ensemble "$mixed" 1)
	both=$(ensemble "$mixed" 2)
	awk -v w="$w" -v refs="$refs" -v single="$single" -v sixteen="$sixteen" \
		-v alone="$alone" -v both="$both" -v bytes="$(wc -c <"$w.mle")" 'BEGIN {
		printf "%-10s %12.0f %10.2f %10.2f %10.2f %10.2f %10.2f %8.2f %10d\n",
		w, refs, single, sixteen, sixteen / single, alone, both, alone / both, bytes }'
done

#!/bin/sh
# prune.sh BUILD: evaluates the GEMM space (86,731,224 variants, nine constraints) natively,
# by the interpreter, and by plain nested loops in C on one core, compiled with the same
# flags; prints seconds of the best of three runs, and ratios to the plain loops. Beside
# them stands the load, as figures of a busy machine mean little.
set -eu
build=$(cd "${1:-build}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
space=$here/../examples/spaces/gemm.txt

${CC:-cc} -O3 -march=native -o "$scratch/plain" "$here/work/gemm_space.c"
test "$("$scratch/plain")" = "86731224 1223"

best() { # of three numbers on stdin
	sort -n | head -n 1
}
plain=$(for _ in 1 2 3; do
	/usr/bin/env bash -c "TIMEFORMAT=%R; time '$scratch/plain' >/dev/null" 2>&1
done | best)
engine() {
	for _ in 1 2 3; do
		"$build/memlamp" prune "$space" --engine "$1" --time 2>&1 >/dev/null |
			sed -n 's/.* compile, \([0-9.]*\) ms to evaluate/\1/p'
	done | best | awk '{ print $1 / 1000 }'
}
compile=$("$build/memlamp" prune "$space" --engine native --time 2>&1 >/dev/null |
	sed -n 's/native: \([0-9.]*\) ms.*/\1/p')
native=$(engine native)
interpreter=$(engine interpreter)

echo "load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors"
awk -v p="$plain" -v n="$native" -v i="$interpreter" -v c="$compile" 'BEGIN {
	printf "plain C loops       %6.3f s\n", p
	printf "memlamp, native     %6.3f s  %5.2f times the plain loops (%.0f ms to compile)\n", n, n / p, c
	printf "memlamp, interpreter%6.3f s  %5.2f times the plain loops\n", i, i / p
}'

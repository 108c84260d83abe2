#!/bin/sh
# make bench: large tables of samples: reading CSV, and brushing on the page.
#
#	bench/samples.sh BUILD [ROWS]
#
# ROWS are 10 million of 20 columns. Goals: a step of a brush in 16 ms on two idle cores, at
# one byte a cell for bins. The peer of reading is `wc -w`, which touches every byte once.
set -eu
build=$(cd "$1" && pwd)
rows=${2:-10000000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
cd "$dir"
PATH=$build:$PATH

bench_samples make "$rows" s.csv
echo "import of $rows rows, $(du -m s.csv | cut -f1) MB"
command time -f "  memlamp import %e s, %U s of the processor, %M kB" memlamp import -o s.mlh s.csv 2>&1 | grep import
command time -f "  wc -w          %e s, %U s of the processor" wc -w s.csv >/dev/null
bench_samples brush s.mlh

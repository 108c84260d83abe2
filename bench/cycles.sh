#!/bin/sh
# make bench: what finding cycles costs, beside Debian's ripser.
#
#	bench/cycles.sh BUILD
#
# Lines of bench_cycles: building windows (with decoding the trace), then finding bars and
# 8 coordinates. Then the bars of the first distinct windows of a trace, by memlamp and by
# ripser, from the same file of distances. STRETCH=1 adds the start of python3.
set -eu
build=$(cd "$1" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
cd "$dir"
PATH=$build:$PATH

memlamp record -q -o particles.mlt "$build/examples/particles" >/dev/null
memlamp record -q -o ls.mlt ls /usr/bin >/dev/null

echo "a particle code with the start of its process; goal 0.1 s, 64 MB for 464 distinct"
bench_cycles trace particles.mlt site 1000009
echo "a whole ls; goal 1 s, 100 MB (for 17,000 distinct)"
bench_cycles trace ls.mlt site 100000000
echo "gzip of 3 MB of text, as a whole"
find /usr/share/doc -type f -exec cat {} + 2>/dev/null | head -c 3000000 >text || true
memlamp record -q -o gzip.mlt gzip -k -f text
bench_cycles trace gzip.mlt site 1000000000
rm -f gzip.mlt text text.gz
echo "100 million windows; goal 1 s"
bench_cycles synthetic
echo "15,000 raw windows; goal 10 s"
bench_cycles trace ls.mlt address 15009
if [ -n "${STRETCH:-}" ]; then
	echo "python3 starts; goal 60 s, 4 GB for 169,000 distinct, exact"
	memlamp record -q -o python.mlt --limit 8000009 /usr/bin/python3 -c pass >/dev/null 2>&1 || true
	bench_cycles trace python.mlt site 8000009 1000000
fi
command -v ripser >/dev/null || { echo "no ripser"; exit 0; }
echo "beside ripser, seconds:"
for points in 250 500 1000; do
	bench_cycles triangle ls.mlt site $points >points.txt
	ours=$( { command time -f %e memlamp cycles --distances points.txt -n 1 >/dev/null; } 2>&1 )
	theirs=$( { command time -f %e timeout 100 ripser --format lower-distance points.txt \
		>/dev/null; } 2>&1 | tail -n 1)
	echo "$points points: memlamp $ours, ripser $theirs"
done

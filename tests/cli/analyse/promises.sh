# What findings promised, and what came true: memlamp diff --promised, memlamp run --prove.
machine='L1 256 full 16B lru 1c | memory 100c'

# float A[64][16] down its columns, then along its rows: one reference in four misses.
columns() {
	echo "global A 0x10000 4096 4 64 16"
	echo "L walk.c:7"
	for j in $(seq 0 15); do echo "r$((0x10000 + 4 * j)):4+64*64"; done
}
columns >down.txt
printf 'global A 0x10000 4096 4 64 16\nL walk.c:7\nr0x10000:4+4*1024\n' >along.txt
memlamp import -o before.mlt down.txt >/dev/null 2>&1
memlamp import -o after.mlt along.txt >/dev/null 2>&1

echo "mended: 1,024 misses of 100 cycles are 256, and 768 hits of 1"
memlamp diff -m "$machine" --promised before.mlt after.mlt
memlamp diff -m "$machine" --promised --json before.mlt after.mlt | grep -E 'whole|promised|in_region|state'

echo "not mended"
memlamp diff -m "$machine" --promised before.mlt before.mlt

echo "nothing to mend"
memlamp diff -m "$machine" --promised after.mlt before.mlt

echo "run --prove"
memlamp run --report - -m "$machine" --prove before.mlt -o now.mlt true | grep -c 'A is walked down its columns'
memlamp run -m "$machine" --prove nothing.mlt -o now.mlt true
echo "(status $?)"

# The format is what docs/format.md says: a reader written from it reads the same.
for program in python3 zstd; do
	command -v $program >/dev/null || { echo "no $program"; exit 77; }
done
. "$SRC/tests/cli/record.inc"

# In any order, without the data that only memlamp works out.
same() {
	python3 "$SRC/tests/read_trace.py" "$1" used >out || exit 1
	sort out >theirs
	memlamp dump --events "$1" | sed 's/ # .*//' | sort >ours
	if cmp theirs ours; then
		echo "$2: same"
	else
		diff ours theirs | head -n 10
	fi
}

cat >a.txt <<END
global table 0x4000 4096 4 1024
region A 0x1000 128 8 4 4
r0x1000 w0x1028@2 f0x77:4 m0x1030
begin "phase 1" @2
w 0x1020 4 1 src/a.c:12 f(int)
r 0x5008 8 1 0x401136 memcpy [libc.so.6] <- src/a.c:14 main
alloc buf 0x5000 64
r 0x5008 8 1 "b c.c":14 main
free 0x5000
gap 7 sampling
gap ? lost
state i -5
mark here
r 0x5008 8 1 ? nothing, "known"
r0xffffffffffffff00+16*30
end "phase 1" @2
END
memlamp import a.txt 2>/dev/null
same a.mlt text
memlamp import --model 'matmul 20' -o m.mlt 2>/dev/null
same m.mlt matmul
memlamp import --model 'random 0x100000 1000000 20000 8' -o r.mlt 2>/dev/null
same r.mlt random
memlamp import --model 'chase 0x100000 2000 64 6000' -o c.mlt 2>/dev/null
same c.mlt "a list walked three times"

# Recorded: shapes with several slots, exits, callers, threads, joined shapes.
record -o m.mlt "$BUILD/examples/matmul" 20 >/dev/null
same m.mlt "recorded matmul"
record --limit 200k -o t.mlt "$BUILD/examples/threads" >/dev/null
same t.mlt "recorded threads"
build loops
record -o l.mlt ./loops 104 >/dev/null
same l.mlt "recorded loops, two chunks"

# Two arrays indexed by the same number, which nobody foresees.
cat >drift.c <<END
int x[4096];
double y[4096];

int main(void)
{
	unsigned i = 1;
	double sum = 0;

	for (int n = 0; n < 20000; n++) {
		i = i * 1103515245u + 12345u;
		sum += x[i >> 20] + y[i >> 20];
	}
	return sum != 0;
}
END
cc -g -O1 drift.c -o drift
record -o d.mlt ./drift
same d.mlt "recorded arrays with a common index"

# Masked moves, of which some do not happen; without AVX there is nothing to be the same.
cat >mask.c <<END
#include <immintrin.h>

int main(void)
{
	static float in[1000], out[1000];
	static int lanes[16];

	for (int i = 0; i < 3000; i++)
		lanes[i * 7 % 16] = i % 3 - 1;
	for (int i = 0; i + 8 <= 1000; i++) {
		__m256i mask = _mm256_loadu_si256((void *)(lanes + i % 8));

		_mm256_maskstore_ps(out + i, mask, _mm256_maskload_ps(in + i, mask));
	}
	return 0;
}
END
if grep -qw avx /proc/cpuinfo; then
	cc -g -O1 -mavx mask.c -o mask
	record -o k.mlt ./mask
	same k.mlt "recorded masked moves"
else
	echo "recorded masked moves: same"
	echo "slot that did not happen" >>used
fi

echo "parts of the format that these traces use:"
sort -u used

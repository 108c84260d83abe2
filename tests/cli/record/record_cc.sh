# Programs built by memlamp cc are recorded without Valgrind: the same things are seen.
. "$SRC/tests/cli/cc.inc"

echo "loops:"
built loops
memlamp record -o loops.mlt ./loops 2>/dev/null
memlamp info --csv regions loops.mlt | tr -d '\r' | cut -d, -f1-7
backend loops.mlt

echo "without memlamp record:"
MEMLAMP=self.mlt ./loops
is references "$(number self.mlt references)" "$(number loops.mlt references)"
MEMLAMP=none.mlt MEMLAMP_BIN=/none ./loops
ls none.mlt 2>&1
./loops

echo "heap:"
built heap
record -o heap.mlt ./heap
memlamp info --csv regions heap.mlt | tr -d '\r' | cut -d, -f1-3,5-9,15 | LC_ALL=C sort -t, -k4

echo "realloc:"
cat >moved.c <<'END'
#include <stdint.h>
#include <stdlib.h>
int main(void)
{
	volatile long *small = malloc(4000);
	long *behind = malloc(100); /* so that it must move */
	small[3] = behind[1] = 1;
	volatile long *large = realloc((void *)small, 8000);
	large[3] = 1;
	volatile size_t too_much = PTRDIFF_MAX;
	if (realloc((void *)large, too_much))
		return 1;
	large[4] = 1;
	volatile long *ended = malloc(4000);
	volatile size_t none = 0;
	if (realloc((void *)ended, none))
		return 1;
	volatile long *again = malloc(4000);
	again[5] = 1;
	return 0;
}
END
memlamp cc -O0 -fno-builtin -Wno-use-after-free moved.c -o moved
record ./moved
memlamp dump moved.mlt | sed -n 's/.* w 0x.*# \([a-z]*\[[0-9]\]\)/\1/p'
memlamp dump --events moved.mlt | awk '$1 == "alloc" { name[$3] = $2; print $1, $2 }
	$1 == "free" { print $1, name[$2] }'

echo "memlamp.h:"
built phases
record -o phases.mlt ./phases
memlamp info phases.mlt | sed -n '/MISSING/p'
for array in before inside behind own helped field half; do
	echo "$array: $(refs phases.mlt --region $array)"
done
memlamp info --csv marks phases.mlt 2>/dev/null | tr -d '\r' | head -n 20

echo "threads:"
built threads -pthread
record -o threads.mlt ./threads
for array in first second third; do
	memlamp dump --region $array threads.mlt | awk -v array=$array '
		/^[0-9]/ { count[$2]++ }
		END { for (i in count) print array, i ": " count[i] }' | sort
done
memlamp info --csv threads threads.mlt | tr -d '\r' | cut -d, -f2,4 | sort

echo "fork:"
built fork
record -o f.mlt ./fork
is traces "$(ls f*.mlt | wc -l)" 2
child=$(ls f.*.mlt)
for array in before parent child; do
	echo "$array: $(refs f.mlt --region $array) by the parent," \
		"$(refs "$child" --region $array) by the child"
done
memlamp info --json f.mlt | grep '"exit status"'
memlamp info --json "$child" | grep '"exit status"'

# the same without handlers of pthread_atfork
sed 's/fork()/_Fork()/' "$SRC/tests/traces/fork.c" >quiet.c
if memlamp cc -D_GNU_SOURCE -O1 quiet.c -o quiet 2>/dev/null; then
	record -o q.mlt ./quiet >/dev/null
else
	cp f.mlt q.mlt # an older libc
	cp "$child" q.1.mlt
fi
is "without handlers" "$(refs q.mlt --region parent) $(refs q.[0-9]*.mlt --region child) \
$(refs q.[0-9]*.mlt --region heap)" "300 200 1"

echo "exec:"
cat >become.c <<'END'
#include <unistd.h>
static volatile int work[10];
int main(void)
{
	for (int i = 0; i < 10; i++)
		work[i] = i;
	execl("./loops", "loops", (char *)0);
	return 1;
}
END
memlamp cc -O1 become.c -o become
memlamp record -o b.mlt ./become 2>summary
is traces "$(ls b*.mlt | wc -l)" 2
echo "work: $(refs b.mlt --region work)"
grep -c killed summary

echo "options:"
built phases
record -o o.mlt --limit 100 ./loops
is limit "$(number o.mlt references)" 100
record -o o.mlt --skip 500 --limit 7 ./loops
is "skip" "$(number o.mlt references)" 7
record -o o.mlt --every 10/100 ./loops
is "every" "$(number o.mlt references)" "$(($(number loops.mlt references) / 100 * 10 + 2))"
record -o o.mlt --from-mark middle --to-mark middle ./phases
is "marks" "$(refs o.mlt --region inside) $(refs o.mlt --region behind)" "100 0"
record -o o.mlt --no-heap ./heap
is "no heap" "$(memlamp info --csv regions o.mlt | grep -c ',points,')" 0
cat >only.c <<'END'
static volatile int inner[10], outer[10];
static __attribute__((noinline)) void help(void) { for (int i = 0; i < 10; i++) inner[i] = i; }
static __attribute__((noinline)) void work(void) { help(); outer[0] = 1; }
int main(void) { help(); for (int i = 0; i < 3; i++) work(); outer[1] = 1; return 0; }
END
memlamp cc -O1 only.c -o only
record -o o.mlt --only-in work ./only
is "only in" "$(refs o.mlt --region inner) $(refs o.mlt --region outer)" "30 3"

echo "an unaligned copy of four bytes is one reference:"
cat >copy.c <<'END'
#include <string.h>
static volatile char text[100];
static unsigned got[10];
int main(void)
{
	for (int i = 0; i < 10; i++)
		memcpy(&got[i], (const void *)&text[2 * i + 1], 4);
	return (int)got[3];
}
END
memlamp cc -O1 copy.c -o copy
record -o o.mlt ./copy
is "reads" "$(refs o.mlt --region text)" 10

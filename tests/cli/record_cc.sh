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

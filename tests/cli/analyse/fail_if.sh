# --fail-if: names that several things have, the same words in sim and diff, numbers in full.
. "$SRC/tests/cli/record.inc"

cat >one.c <<'END'
static volatile int buf[1000];
static void __attribute__((noinline)) fill(void)
{
	for (int i = 0; i < 1000; i++)
		buf[i] = i;
}
void one(void) { fill(); }
END
sed 's/1000/3000/; s/void one/void two/; s/i < 1000/i < 3000/' one.c >two.c
cat >main.c <<'END'
void one(void);
void two(void);
int main(void) { one(); two(); return 0; }
END
cc -g -O1 one.c two.c main.c -o both
record -o all.mlt ./both
M='L1 4K 4w 64B | L2 64K 8w'
try() {
	echo "\$ $1"
	memlamp sim -q -m "$M" --fail-if "$1" all.mlt 2>&1 >/dev/null | sed 's/^memlamp sim: //'
}
try 'region("buf").references > 0'
try 'region("buf@one.c:1").references > 0'
try 'region("buf@two.c:1").writes > 0'
try 'line("one.c:5").writes > 0'
try 'region("buf@three.c:1").references > 0'

echo "the same words in both:"
for word in references reads writes cycles total_cycles memory L1.misses L1.miss_ratio L2.miss_ratio \
	L1.served memory.served L1.cold; do
	for of in "" 'line("two.c:5").'; do
		memlamp sim -m "$M" --fail-if "$of$word > -1" all.mlt 2>&1 >/dev/null |
			sed -n 's/.*: it is //p' >sim
		memlamp diff -m "$M" --fail-if "b.$of$word > -1" all.mlt all.mlt 2>&1 >/dev/null |
			sed -n 's/.*: it is //p' >diff
		cmp -s sim diff && test -s sim || echo "$of$word: $(cat sim) and $(cat diff)"
	done
done
memlamp import -m 'sweep 0 12345678 1' -o long.mlt 2>/dev/null
memlamp sim -q -m "$M" --fail-if 'references > 1M' long.mlt 2>&1 >/dev/null | tail -n 1

echo "a name that no simulation of the machine has is refused before the program runs:"
for wrong in 'L1.mis > 4' 'L9.misses > 4' 'region("buf").L3.misses > 4' 'line("a.c:1") > 4'; do
	memlamp run -q -m "$M" -o never.mlt --fail-if "$wrong" ./both 2>&1 | cut -c 1-70
done
test -e never.mlt || echo "the program was not run"
memlamp sim -q -m "$M" --fail-if 'L1.conflict > 0' all.mlt
echo "status $?"
memlamp diff -m "$M" --fail-if 'L1.misses >' all.mlt all.mlt
echo "status $?"
memlamp diff -m "$M" --csv rows all.mlt all.mlt
echo "status $?"

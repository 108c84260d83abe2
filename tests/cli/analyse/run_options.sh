# What memlamp run leaves alone, where the trace goes, and what it refuses.
. "$SRC/tests/cli/record.inc"

cat >prog.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
	printf("argument %s\n", argc > 1 ? argv[1] : "none");
	fprintf(stderr, "to stderr\n");
	return 7;
}
END
cc -g prog.c -o prog

memlamp run -m zen4 -- ./prog -x >out 2>err
echo "status of the program: $?"
echo "the output of the program is its own: $(cat out)"
sed -n '/to stderr/d; 1,2p' err | head -n 1
grep -c 'to stderr' err
tail -n 8 err
ls ./*.mlt
echo "what to type next keeps the machine:"
memlamp run -m 'L1 4K 4w | L2 64K 8w' --no-tlb --report - ./prog 2>/dev/null | sed -n 's/^  \(memlamp\)/\1/p'

memlamp run --machine nonsense ./prog
echo "status $?"
test -e nonsense.mlt || echo "the program was not run"
memlamp run -o /no/such/folder/x.mlt ./prog 2>&1 | sed 's/: [^:]*$//'
memlamp run ./not-there
echo "status $?"
memlamp run
echo "status $?"

echo "where the report goes:"
memlamp run -m zen4 --report r.txt ./prog >out 2>err
echo "status $?, $(wc -l <out) line of the program, $(grep -c . err) on stderr, report: $(sed 1q r.txt)"
memlamp run -m zen4 --report - ./prog 2>/dev/null | grep -c 'on zen4'
memlamp run -m zen4 -q ./prog >out 2>err
echo "-q: $(wc -l <out) line of the program, $(grep -vc 'to stderr' err) on stderr"
memlamp run -m zen4 --json --report r.json ./prog | wc -l
head -c 1 r.json; echo
rm -f prog.mlt
memlamp run -q --report /no/such/folder/x ./prog
echo "status $?"
test -e prog.mlt || echo "the program was not run"

echo "thresholds:"
cat >zero.c <<'END'
static volatile char a[100000];
int main(void) { for (int i = 0; i < 100000; i++) a[i] = 1; return 0; }
END
cc -g -O1 zero.c -o zero
memlamp run -m zen4 -q --fail-if 'region("a").references > 99k' --fail-if 'cycles > 1G' ./zero
echo "status $?"
memlamp run -m zen4 -q --fail-if 'region("a").references > 1M' ./zero
echo "status $?"
memlamp run -q --fail-if 'L1.misses' ./zero
echo "status $?"
memlamp run -q --every 10/5 ./zero
echo "status $?"
memlamp run -m zen4 -q --every 10/1000 -o some.mlt ./zero
within "a hundredth" "$(number some.mlt references)" 1000 5000

memlamp run -m zen4 -- ./prog -x >/dev/null 2>err
within "no line is wider than 80 columns" "$(LC_ALL=C.UTF-8 wc -L <err)" 1 80

printf 'static volatile char a[4000000];\nint main(void)\n{\n\tfor (int i = 0; i < 4000000; i += 64)\n\t\ta[i] =\t\t1;\n}\n' >tabs.c
cc -g -O1 tabs.c -o tabs
echo "tabs of the source: $(memlamp run -m zen4 --report - ./tabs | grep -o 'a.i. =.*1;' | sort -u)"
memlamp run -m zen4 --skip 100 --limit 50k -o short.mlt --report wide.txt ./zero
within "with gaps too" "$(wc -L <wide.txt)" 1 80
grep -A 1 'after recording' wide.txt

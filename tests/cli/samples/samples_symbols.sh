# Names for samples that have only addresses: against addr2line and nm.
command -v addr2line >/dev/null && command -v nm >/dev/null || { echo "no binutils"; exit 77; }
cat >prog.c <<'END'
long table[64];
static long other[8];
__attribute__((noinline)) long work(long i)
{
	table[i] += i;
	other[i % 8]++;
	return table[i];
}
int main(void)
{
	return (int)work(3);
}
END
gcc -O1 -g -fPIE -pie prog.c -o prog || { echo "no gcc"; exit 77; }
gcc -O1 -g -fno-pie -no-pie prog.c -o fixed

at() { # PROGRAM SYMBOL: its address
	nm "$1" | awk -v s="$2" '$3 == s { print $1 }'
}
# script BASE PROGRAM: one sample of each instruction offset 0, 4 and 8 of work
script() {
	for offset in 0 4 8; do
		printf 'prog 42 [001] 1.%d: cpu/mem-loads/P: %x 10268100142 |OP LOAD|LVL L1 hit| 7 %x work (%s)\n' \
			$offset $(($1 + 0x$(at "$2" table) + 8 * offset)) $(($1 + 0x$(at "$2" work) + offset)) "$3"
	done
}
lines() { # of memlamp samples
	memlamp samples "$@" --csv lines | tr -d '\r' | awk -F, 'NR > 1 { n = split($6, p, "/"); print p[n], $1 }' | sort
}
base=$((0x555555554000))
for offset in 0 4 8; do
	addr2line -e prog $(printf %x $((0x$(at prog work) + offset)))
done | sed 's/.*\///; s/ .*//' | sort | uniq -c | awk '{ print $2, $1 }' >wanted.txt

echo "found by names of functions:"
script $base prog /x/prog >s.txt
lines s.txt -b prog | cmp - wanted.txt && echo "as addr2line"
memlamp samples s.txt -b prog --csv functions | tr -d '\r' | awk -F, 'NR > 1 { print $6, $1 }'
memlamp samples s.txt -b prog --csv variables | tr -d '\r' | awk -F, 'NR > 1 { print $6, $1 }'
memlamp import s.txt -b prog -o s.mlh 2>/dev/null
lines s.mlh | cmp - wanted.txt && echo "and after the import"

echo "found by --base:"
sed 's/ work (/ nobody (/' s.txt >n.txt
lines n.txt -b prog --base 0x555555554000 | cmp - wanted.txt && echo "as addr2line"
echo "found by the mappings that perf script prints:"
{
	printf 'prog 42 1.0: PERF_RECORD_MMAP2 42/42: [0x%x(0x1000) @ 0x1000 fe:01 77 0]: r-xp %s/prog\n' $((base + 0x1000)) "$PWD"
	printf 'prog 42 1.0: PERF_RECORD_COMM: prog:42/42\n'
	printf 'prog 42 1.0: PERF_RECORD_MMAP2 42/42: [0x%x(0x8000) @ 0x%x 00:00 0 0]: rw-p //anon\n' $((base + 0x4000)) $((base + 0x4000))
	cat n.txt
} >m.txt
lines m.txt | cmp - wanted.txt && echo "as addr2line"
memlamp samples m.txt --json | grep '"bad"'
memlamp samples m.txt --csv variables | tr -d '\r' | awk -F, 'NR > 1 { print $6, $1 }'
echo "a program at a fixed address:"
script 0 fixed /x/fixed | sed 's/ work (/ nobody (/' >f.txt
memlamp samples f.txt -b fixed --csv functions | tr -d '\r' | awk -F, 'NR > 1 { print $6, $1 }'

echo "errors:"
memlamp samples n.txt -b prog
memlamp samples s.txt -b prog.c
memlamp samples s.txt --base 5
memlamp samples s.txt -b missing
true

# What ran, from the recorded flow of control: loops of all kinds, by two compilers.
. "$SRC/tests/cli/record.inc"
command -v clang >/dev/null || { echo "no clang"; exit 77; }

# kinds COMPILER LEVEL: the loops of the program, with function, line and iterations.
kinds() {
	"$1" -g "$2" "$SRC/tests/traces/loop_kinds.c" -o kinds || exit 1
	record -o kinds.mlt ./kinds
	memlamp loops -q --csv loops kinds.mlt |
		awk -F, '$2 == "loop" && $4 ~ /loop_kinds/ { print $3 ":" $5, $7, $8, $9, $10 }' |
		sort -t: -k1,1 -k2,2n
}
echo "function:line entered iterations min max, gcc -O0"
kinds cc -O0 | tee gcc
kinds clang -O0 >clang
# clang has the head of `while (1)` at that line, gcc at the first statement
sed 's/^exits:18/exits:17/' gcc | diff - clang && echo "clang -O0 says the same"

echo "recursion:"
memlamp loops -q --csv loops kinds.mlt |
	awk -F, '$2 == "function" && ($3 == "deep" || $3 == "even" || $3 == "odd") { print $3, "called", $7, "depth", $11 }'

# Loops that every level keeps, with the same line and iterations.
cat >nest.c <<'END'
double a[60][50], x[50], y[60];

int main(void)
{
	for (int t = 0; t < 7; t++)
		for (int i = 0; i < 60; i++) {
			double s = y[i];

			for (int j = 0; j < 50; j++)
				s += a[i][j] * x[j];
			y[i] = s;
		}
	return y[3] > 0;
}
END
for compiler in cc clang; do
	for level in -O0 -O1 -O2; do
		$compiler -g $level -fno-unroll-loops -fno-tree-vectorize nest.c -o nest 2>/dev/null
		record -o nest.mlt ./nest
		echo "$compiler $level:" $(memlamp loops -q --csv loops nest.mlt |
			awk -F, '$4 ~ /nest.c/ { print $5 ":", $7, $8, $9, $10 ";" }')
	done
done

echo "every reference is in one row, and the sums are those of sim:"
record --limit 300k -o t.mlt "$BUILD/examples/threads" >/dev/null
for machine in 'L1 1K 2w 4c | L2 8K 4w 14c | memory 100c' zen2 'L1 1K 2w 4c | memory 100c | cores 2'; do
	for trace in nest t; do
		memlamp sim -q --no-cache -m "$machine" --json $trace.mlt >sim.json
		memlamp loops -m "$machine" --json $trace.mlt >loops.json
		python3 - <<'END'
import json
sim, loops = json.load(open('sim.json')), json.load(open('loops.json'))
rows = loops['rows']
own = sum(r['own_references'] for r in rows), sum(r['own_cycles'] for r in rows)
refs = sim['references']
print(loops['references'] == refs == own[0],
      abs(loops['cycles'] / refs - sim['cycles_per_reference']) < 1e-6,
      abs(own[1] - loops['cycles']) < 1)
END
	done
done

echo "steps of a and x at -O0, -O1, -O2:"
for level in -O0 -O1 -O2; do
	cc -g $level -fno-tree-vectorize nest.c -o nest
	record -o steps.mlt ./nest
	memlamp loops --accesses steps.mlt | grep 'read 8 *[ax] .*nest.c:10' |
		sed 's/.*read 8 *\([ax]\) .*nest.c:10 */\1: /' | sort
done

echo "text:"
memlamp loops -n 12 -m 'L1 1K 2w 4c | memory 100c' nest.mlt | grep -o 'loop nest.c.*\| main$\|[0-9]* smaller.*' | sed 's/[0-9]* smaller/N smaller/'

echo "what cannot be:"
memlamp import --model 'matmul 4' -o m.mlt 2>/dev/null
memlamp loops m.mlt
echo "status $?"
memlamp loops --csv lines nest.mlt
echo "status $?"
head -c 100 nest.mlt >cut.mlt
memlamp loops cut.mlt
echo "status $?"

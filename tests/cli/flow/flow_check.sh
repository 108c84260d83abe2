# Predictions from the source beside recordings of the same program.
. "$SRC/tests/cli/cc.inc"
test -e "$BUILD/valgrind/memlamp-amd64-linux" || { echo "the Valgrind tool is not built"; exit 77; }
valgrind --version >/dev/null 2>&1 || { echo "no valgrind"; exit 77; }
cat >prog.c <<'END'
#include <stdlib.h>
#define SIZE 20
static double B[SIZE][SIZE] __attribute__((aligned(64)));
__attribute__((noinline)) void product(int n, const double A[n][n], double C[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				C[i][j] += A[i][k] * B[k][j];
}
int main(void)
{
	double *left = aligned_alloc(64, SIZE * SIZE * 8);
	double *sum = aligned_alloc(64, SIZE * SIZE * 8);
	for (int i = 0; i < SIZE * SIZE; i++)
		left[i] = B[i / SIZE][i % SIZE] = sum[i] = i % 7;
	product(SIZE, (void *)left, (void *)sum);
	return sum[5] < 0;
}
END
# Without optimisation the program does what is written: 8000 multiplications, of which each
# reads A, B and C and writes C; a product of 3 arrays of 50 lines.
check() {
	memlamp flow prog.c -f product -s n=20 --check "$@" | sed -n '/^loop /,$p' |
		grep -v 'stack of' | sed 's/  */ /g'
}
cc -g -O0 prog.c -o plain || exit 77
memlamp record -o plain.mlt ./plain >/dev/null 2>&1
check plain.mlt
# The same with the compiler's recorder, which has no scalars; a fully associative cache does
# not care where arrays are.
memlamp cc -g -O1 prog.c -o fast
MEMLAMP=fast.mlt ./fast
check fast.mlt -m "L1 1K full 64B"
# Optimised: C is read once for each i and j, and written each time or once.
cc -g -O2 prog.c -o quick
memlamp record -o quick.mlt ./quick >/dev/null 2>&1
check quick.mlt | grep -cE '^k, line 8 C 16,000 .* (kept in a register over|read once before) loop k'
memlamp flow prog.c -f product -s n=20 --check plain.mlt --json | sed -n '/"check"/,$p' |
	grep -A 30 '"array": "C"' | grep -E 'array|region|reads|writes|why' | head -7
# Sizes that were not recorded show: 8 times the accesses.
memlamp flow prog.c -f product -s n=10 --check plain.mlt |
	grep -o '[0-9]* times the prediction' | uniq -c | tr -s ' '
# A program that calls it three times: misses, too, are those of three runs.
sed 's/^	product(.*/	for (int i = 0; i < 3; i++) &/' prog.c >thrice.c
memlamp cc -g -O1 thrice.c -o thrice
MEMLAMP=thrice.mlt ./thrice
memlamp flow thrice.c -f product -s n=20 --calls 3 --check thrice.mlt -m "L1 1K full 64B" |
	grep '^all' | tr -s ' '
# Errors
memlamp flow prog.c -f product -s n=20 --calls 3
memlamp flow prog.c -f product -s n=20 --check none.mlt
memlamp flow prog.c -f product -s n=20 --order k,i,j --check plain.mlt
sed s/product/other/ prog.c >other.c
memlamp flow other.c -f other -s n=20 --check plain.mlt
echo "status $?"

# --only-in: functions that begin without touching memory, inlined functions, and the threads
# that work for a function.
. "$SRC/tests/cli/cc.inc"
test -e "$BUILD/valgrind/memlamp-amd64-linux" || { echo "the Valgrind tool is not built"; exit 77; }

cat >lean.c <<'END'
static volatile int in[100], out[100];
__attribute__((noinline)) int lean(int n)
{
	if (n < 0)
		return 0;
	for (int i = 0; i < n; i++)
		in[i] = i;
	return n;
}
int main(void)
{
	int n = lean(-1) + lean(60) + lean(40);
	for (int i = 0; i < n; i++)
		out[i] = i;
	return 0;
}
END
cat >inlined.c <<'END'
static volatile int in[100], helped[100], out[100];
__attribute__((noinline)) void help(int i)
{
	helped[i] = i;
}
static inline __attribute__((always_inline)) void fill(int n)
{
	for (int i = 0; i < n; i++) {
		in[i] = i;
		help(i);
	}
}
int main(void)
{
	for (int i = 0; i < 100; i++)
		out[i] = i;
	fill(100);
	for (int i = 0; i < 100; i++)
		out[i] = i;
	help(0);
	return 0;
}
END
cat >team.c <<'END'
static volatile int in[400], out[400];
__attribute__((noinline)) void part(volatile int *to)
{
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 400; i++)
		to[i] = i;
}
__attribute__((noinline)) void solve(void)
{
	part(in);
	part(in);
}
int main(void)
{
	part(out);
	solve();
	part(out);
	return 0;
}
END
cat >child.c <<'END'
#include <pthread.h>
static volatile int in[100], out[100];
static void *work(void *to)
{
	for (int i = 0; i < 100; i++)
		((volatile int *)to)[i] = i;
	return 0;
}
__attribute__((noinline)) int solve(volatile int *to)
{
	pthread_t t;
	pthread_create(&t, 0, work, (void *)to);
	return pthread_join(t, 0) + to[0];
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, (void *)out);
	return pthread_join(t, 0) + solve(in);
}
END
for program in lean:lean inlined:fill team:solve child:solve; do
	function=${program#*:} program=${program%:*}
	cc -g -O2 -fopenmp -pthread $program.c -o $program.valgrind
	memlamp cc -O2 -fopenmp -pthread $program.c -o $program.cc
	for back_end in valgrind cc; do
		record --only-in $function -o t.mlt ./$program.$back_end
		echo "$program, $back_end: $(for region in in helped out; do
			echo "$region $(refs t.mlt --region $region)"
		done | grep -v ' 0$' | tr '\n' ' ')"
	done
done

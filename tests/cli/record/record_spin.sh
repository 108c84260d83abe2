# Loops in which a thread waits are left out on request, and the trace says how much that was.
. "$SRC/tests/cli/cc.inc"
test -e "$BUILD/valgrind/memlamp-amd64-linux" || { echo "the Valgrind tool is not built"; exit 77; }

cat >spin.c <<'END'
static volatile int flag;
static volatile int work[1000];
int main(void)
{
	for (int i = 0; i < 1000; i++)
		work[i] = i;
	for (int i = 0; i < 5000; i++) /* as if it waited */
		if (flag)
			return 1;
	return 0;
}
END
cc -g -O1 spin.c -o spin.valgrind
memlamp cc -O1 spin.c -o spin.cc
for back_end in valgrind cc; do
	record -o all.mlt ./spin.$back_end
	record --no-spin -o some.mlt ./spin.$back_end
	echo "$back_end: $(refs all.mlt --region flag) of flag become $(refs some.mlt --region flag)," \
		"$(refs all.mlt --region work) of work stay $(refs some.mlt --region work)"
	left=$(memlamp info some.mlt | sed -n 's/^ *MISSING: \([0-9]*\) references of waiting.*/\1/p')
	is "  nothing else is missing" $(($(number some.mlt references) + left)) "$(number all.mlt references)"
done

echo "threads of OpenMP sleep while they wait, unless the user says otherwise:"
record -o t.mlt sh -c 'echo $OMP_WAIT_POLICY'
OMP_WAIT_POLICY=active record -o t.mlt sh -c 'echo $OMP_WAIT_POLICY'
GOMP_SPINCOUNT=100 record -o t.mlt sh -c 'echo none $OMP_WAIT_POLICY'

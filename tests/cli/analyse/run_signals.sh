# memlamp run and record end when they are asked to, and keep what was recorded until then.
. "$SRC/tests/cli/record.inc"
build loops

for signal in TERM HUP; do # a shell makes background programs ignore INT
	rm -f out
	memlamp run -o x.mlt ./loops 300000 >out 2>err &
	memlamp=$!
	wait_for grep -q ready out
	kill -$signal $memlamp
	wait $memlamp
	echo "$signal: status $?"
	grep -v '^memlamp run: recording' err
	memlamp info x.mlt >/dev/null && echo "the trace can be read"
	rm x.mlt
done

# After the program has ended: what is known until then, and a status that tells.
cat >columns.c <<'END'
static volatile double a[1000][1000];
int main(void)
{
	for (int round = 0; round < 8; round++)
		for (int j = 0; j < 1000; j++)
			for (int i = 0; i < 1000; i++)
				a[i][j] = i;
}
END
cc -g -O1 columns.c -o columns
recorded() { # the recorded program is a child of memlamp
	test -s x.mlt && test -z "$(cat /proc/$memlamp/task/$memlamp/children)"
}
# The signal has to come while changes are tried: waits longer until it does.
for seconds in 0.2 0.4 0.6 1 1.5 2 3 5 9 15 25; do
	rm -f x.mlt report
	memlamp run -m zen4 -o x.mlt --report report ./columns 2>err &
	memlamp=$!
	wait_for recorded
	sleep $seconds
	kill -TERM $memlamp 2>/dev/null
	wait $memlamp
	status=$?
	grep -qs 'Changes were not simulated' report && break
done
echo "stopped after recording: status $status"
grep -o 'Changes were not simulated: stopped' report

# A program that a signal ended has no verdict: it did not do its work.
cat >trap.c <<'END'
static volatile int x[100];
int main(void)
{
	for (int round = 0; round < 10000; round++)
		for (int i = 0; i < 100; i++)
			x[i] = i;
	__builtin_trap();
}
END
cc -g -O1 trap.c -o trap
memlamp run -m plain -o x.mlt --report report ./trap 2>err
echo "ended by a signal: status $?"
grep -o 'Nothing to mend\|No finding, and no verdict. Signal 4 ended the program' report

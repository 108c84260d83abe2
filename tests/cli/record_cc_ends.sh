# However a program built by memlamp cc ends, nothing that it did is lost.
. "$SRC/tests/cli/cc.inc"
built ending

told() {
	memlamp info --json "$1" >json || echo "$1 cannot be read"
	sed -n 's/^ *"\(exit status\|ended\)": "\([^"]*\)".*/\1 \2/p' json | sort
}

for how in segv abort exit; do
	echo "$how:"
	record ./ending $how
	told ending.mlt
	is "written before" "$(refs ending.mlt --region work)" 1000
done

echo "a fault that is handled:"
record ./ending recover
told ending.mlt
is "written after" "$(refs ending.mlt --region after)" 100

# The last thing that it did before it was killed is there.
cat >last.c <<'END'
#include <signal.h>
#include <unistd.h>
static volatile long work[5000], last;
int main(void)
{
	for (int i = 0; i < 5000; i++)
		work[i] = i;
	last = 1;
	kill(getpid(), SIGKILL);
	return 0;
}
END
memlamp cc -O1 last.c -o last
echo "kill -9:"
record ./last
told last.mlt
echo "work: $(refs last.mlt --region work), last: $(refs last.mlt --region last)"

# Handlers that come in the middle of hooks, hundreds of them: each reference is told once.
cat >alarms.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile long work[1000], handled[100], rounds;
static volatile sig_atomic_t alarms;
static void on_alarm(int signal)
{
	(void)signal;
	for (int i = 0; i < 100; i++)
		handled[i] = i;
	alarms++;
}
int main(void)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	while (alarms < 500) {
		for (int i = 0; i < 1000; i++)
			work[i] = i;
		rounds = rounds + 1;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%ld %ld\n", (long)alarms, (long)rounds);
	return 0;
}
END
memlamp cc -O1 alarms.c -o alarms
echo "signals:"
record ./alarms >counts
read -r alarms rounds <counts
csv=$(memlamp info --csv regions alarms.mlt | tr -d '\r')
of() { echo "$csv" | awk -F, -v name="$1" '$5 == name { print $3 }'; }
is "work is whole" "$(of work)" "$((1000 * rounds))"
# a handler that ran while the runtime was busy is in a gap, perhaps with another one
gaps=$(memlamp info alarms.mlt | sed -n 's/^MISSING.* in \([0-9]*\) gaps*$/\1/p')
within "handlers are seen, or their gaps" "$(($(of handled) / 100 + 2 * ${gaps:-0}))" "$alarms" 100000

# Handlers that jump out of whatever they interrupt, also out of the runtime: the thread is
# recorded afterwards as before.
cat >jumps.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
static volatile long after[1000];
static char from[4000], to[4000];
static long count;
static volatile sig_atomic_t alarms;
static sigjmp_buf back;
static void on_alarm(int signal)
{
	(void)signal;
	alarms++;
	siglongjmp(back, 1);
}
int main(void)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	sigsetjmp(back, 1);
	while (alarms < 500) { /* in the runtime most of the time */
		__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
		memcpy(to, from, (size_t)(count % 4000));
	}
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < 1000; i++)
		after[i] = i;
	return 0;
}
END
memlamp cc -O1 jumps.c -o jumps
echo "jumps out of handlers:"
record ./jumps
told jumps.mlt
is "written after" "$(refs jumps.mlt --region after)" 1000

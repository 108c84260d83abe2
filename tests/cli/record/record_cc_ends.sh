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
is "handlers are whole" "$(of handled)" "$((100 * alarms))"
memlamp info alarms.mlt | sed -n '/^MISSING/p'

# The same where the runtime itself is at work most of the time: handlers wait for it. What
# the kernel tells them is what they would have been told, and what they blocked is blocked.
cat >busy.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
static volatile long handled[100];
static char from[4000], to[4000];
static long count;
static volatile sig_atomic_t alarms, users, wrong, inside;
static int value_of(const siginfo_t *info) { return info->si_value.sival_int; }
static void on_signal(int signal, siginfo_t *info, void *context)
{
	wrong += !context || inside || info->si_signo != signal ||
		 (signal == SIGUSR1 && (info->si_code != SI_QUEUE || value_of(info) != 7));
	inside = 1;
	for (int i = 0; i < 100; i++)
		handled[i] = i;
	memcpy(to, from, 100);
	inside = 0;
	if (signal == SIGUSR1)
		users++;
	else
		alarms++;
}
static void *send(void *to_whom)
{
	int seen = -1;
	while (users < 200)
		if (seen != users) {
			seen = users;
			pthread_sigqueue(*(pthread_t *)to_whom, SIGUSR1, (union sigval){ 7 });
		}
	return NULL;
}
int main(void)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	pthread_t main_thread = pthread_self(), sender;
	sigset_t mask;
	sigfillset(&act.sa_mask);
	sigaction(SIGALRM, &act, NULL);
	sigaction(SIGUSR1, &act, NULL);
	sigfillset(&mask); /* alarms are for main */
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	pthread_create(&sender, NULL, send, &main_thread);
	sigemptyset(&mask);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (alarms < 200 || users < 200) {
		__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
		memcpy(to, from, (size_t)(count % 4000));
	}
	setitimer(ITIMER_REAL, &never, NULL);
	pthread_join(sender, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	printf("%ld %d %d\n", (long)alarms + users, (int)wrong,
	       sigismember(&mask, SIGALRM) || sigismember(&mask, SIGTERM));
	return 0;
}
END
memlamp cc -O1 busy.c -o busy -pthread
echo "signals while the runtime is busy:"
record ./busy >counts
read -r signals wrong blocked <counts
csv=$(memlamp info --csv regions busy.mlt | tr -d '\r')
is "handlers are whole" "$(of handled)" "$((100 * signals))"
echo "told wrong: $wrong, still blocked: $blocked"
memlamp info busy.mlt | sed -n '/^MISSING/p'

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

# A program that may only read, write and exit cannot say that it ends; its status tells.
cat >strict.c <<'END_OF_C'
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile long work[1000];
int main(void)
{
	for (int i = 0; i < 1000; i++)
		work[i] = i;
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	return (int)syscall(SYS_exit, 0);
}
END_OF_C
memlamp cc -O1 strict.c -o strict
echo "seccomp:"
memlamp record -o strict.mlt -- ./strict 2>&1 | grep -c killed
told strict.mlt
is "written before" "$(refs strict.mlt --region work)" 1000

#include "record/session/launch.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "record/reader/options.h"

/*
 * Signals that ask the companion to end are forwarded to the program; the companion then
 * finishes the trace. Once the program has ended while processes that it started are
 * still recorded, a signal ends the recording. A signal handler can only reach variables.
 */
static volatile sig_atomic_t forward_to, stop_asked, asked_by;

static void forward(int signal, siginfo_t *info, void *context)
{
	(void)context;
	/* Ctrl-C in a terminal has reached the program already */
	if (signal == SIGINT && forward_to && info->si_code > 0)
		return;
	asked_by = signal;
	if (forward_to)
		kill((pid_t)forward_to, signal);
	else
		stop_asked = 1;
}

void ml_launch_ended(void)
{
	forward_to = 0;
}

bool ml_launch_is_stopped(void)
{
	return stop_asked;
}

int ml_launch_end_signal(void)
{
	return asked_by;
}

/*
 * Threads of OpenMP that wait in a loop would fill the trace with their waiting. Unless
 * the user has chosen how they wait, they sleep.
 */
static void wait_passively(void)
{
	static const char *const chosen[] = { "OMP_WAIT_POLICY", "GOMP_SPINCOUNT",
					      "KMP_BLOCKTIME", "KMP_LIBRARY" };

	for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++)
		if (getenv(chosen[i]))
			return;
	setenv("OMP_WAIT_POLICY", "passive", 1);
}

/* Does the text of GLIBC_TUNABLES, "NAME=VALUE:NAME=VALUE", set that name? */
static bool is_tuned(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (; *text; text += strcspn(text, ":"), text += *text == ':')
		if (!strncmp(text, name, n) && text[n] == '=')
			return true;
	return false;
}

/*
 * memset, memcpy and memmove of glibc use `rep stosb` and `rep movsb` from some 2 KB on.
 * Real processors then move whole lines, but Valgrind executes one byte at a time, each
 * a reference of its own. So glibc is asked for its loops of vectors at every size,
 * unless the user has chosen a threshold.
 */
static void copy_by_vectors(void)
{
	static const char *const names[] = { "glibc.cpu.x86_rep_movsb_threshold",
					     "glibc.cpu.x86_rep_stosb_threshold" };
	const char *old = getenv("GLIBC_TUNABLES");
	struct ml_arena a = { 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!old || !is_tuned(old, names[i]))
			old = ml_arena_printf(&a, "%s%s%s=1000000000000", old ? old : "",
					      old && *old ? ":" : "", names[i]);
	setenv("GLIBC_TUNABLES", old, 1);
	ml_arena_release(&a);
}

enum { RING_NAME = 24 };

/*
 * Tells programs that were built by `memlamp cc` where the ring is, or of no ring. More
 * slashes than one fill the name up, so that the environment always has the same size:
 * addresses on the stack and references of the loader do not depend on process numbers.
 */
static void name_ring(const struct ml_launch *x)
{
	char name[80] = "";
	size_t size = strlen(x->ring), more = size < RING_NAME ? RING_NAME - size : 0;

	memset(name, '/', more);
	snprintf(name + more, sizeof(name) - more, "%s", x->ring);
	if (!x->hooks && !x->instrumented)
		name[0] = '-';
	setenv("MEMLAMP_RING", name, 1);
	unsetenv("MEMLAMP");
}

static void exec_program(const struct ml_launch *x)
{
	char ring[80], log[80];
	const char *argv[32];
	size_t n = 0, count = 0;

	while (x->argv[count])
		count++;
	name_ring(x);
	if (x->instrumented) {
		execvp(x->argv[0], x->argv);
		_exit(127);
	}
	snprintf(ring, sizeof(ring), "--ring=%s", x->ring);
	snprintf(log, sizeof(log), "--log-file=/proc/%d/fd/%d", getppid(), x->log);
	argv[n++] = "valgrind";
	argv[n++] = x->options->no_heap ? "--tool=memlamp-noheap" : "--tool=memlamp";
	argv[n++] = "-q";
	argv[n++] = ring;
	argv[n++] = log;
	argv[n++] = "--trace-children=yes";
	argv[n++] = "--vgdb=no";
	argv[n++] = "--max-threads=4000"; /* 500 by default */
	/* of generated code; the tool decides on code of files */
	argv[n++] = "--px-default=allregs-at-mem-access";
	argv[n++] = "--run-libc-freeres=no"; /* those references are not the program's */
	argv[n++] = "--run-cxx-freeres=no";
	argv[n++] = "--read-inline-info=no"; /* the companion reads it later */
	argv[n++] = "--sigill-diagnostics=no";
	/* else one thread may run for many millions of references before another does */
	argv[n++] = "--fair-sched=try";
	if (x->options->only_in)
		argv[n++] = "--vex-guest-chase=no"; /* functions start superblocks */
	const char **all = ml_resize(NULL, (n + count + 1) * sizeof(*all));
	memcpy(all, argv, n * sizeof(*all));
	memcpy(all + n, x->argv, (count + 1) * sizeof(*all));
	setenv("VALGRIND_LIB", x->valgrind_lib, 1);
	wait_passively();
	copy_by_vectors();
	/* Debian's valgrind is a script that changes the environment of the program and
	 * runs this */
	execvp("valgrind.bin", (char **)all);
	execvp("valgrind", (char **)all);
	_exit(127);
}

bool ml_launch_start(const struct ml_launch *l, pid_t *child, struct ml_err *err)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN },
			 pass = { .sa_sigaction = forward, .sa_flags = SA_SIGINFO };
	sigset_t block, old;

	/* the child starts with the signal mask and handlers of before */
	sigfillset(&block);
	pthread_sigmask(SIG_BLOCK, &block, &old);
	*child = fork();
	if (*child < 0) {
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		return ml_fail_errno(err, "cannot start a process");
	}
	if (!*child) {
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		signal(SIGXFSZ, SIG_DFL);
		exec_program(l);
	}
	asked_by = 0;
	forward_to = *child;
	sigaction(SIGINT, &pass, NULL);
	sigaction(SIGQUIT, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL); /* the writer reports it as an error */
	sigaction(SIGTERM, &pass, NULL);
	sigaction(SIGHUP, &pass, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return true;
}

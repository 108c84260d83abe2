#include "cli/ended.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "record/session/avx512.h"
#include "record/reader/process.h"

int cmd_ended_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void cmd_ended_foresee(const char *program)
{
	if (!ml_process_is_instrumented(program) && ml_avx512_is_in(program))
		fprintf(stderr,
			"memlamp: %s has instructions of AVX-512, which Valgrind does not "
			"know. If SIGILL ends it, compile with -march=x86-64-v3, or with "
			"memlamp cc, which needs no Valgrind.\n",
			program);
}

void cmd_ended_say(const char *program, int status)
{
	if (WIFEXITED(status))
		return;
	int number = WTERMSIG(status);
	const char *name = sigabbrev_np(number), *what = sigdescr_np(number);

	if (name)
		fprintf(stderr, "memlamp: %s was ended by SIG%s (%s)\n", program, name,
			what ? what : "signal");
	else
		fprintf(stderr, "memlamp: %s was ended by signal %d\n", program, number);
	if (number == SIGILL)
		fputs("memlamp: Valgrind does not know all instructions, among them "
		      "AVX-512. Compile with -march=x86-64-v3, or with memlamp cc, which "
		      "needs no Valgrind.\n",
		      stderr);
}

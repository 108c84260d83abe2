#include "cli/cmd.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/paths.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"

struct options {
	const char *output;
};

static const struct opt opts[] = {
	OPT_TEXT("output", 'o', "FOLDER", output,
		 "put the trace into FOLDER, which memlamp makes if it is missing "
		 "(default: memlamp-demo)"),
	{ 0 },
};

__attribute__((format(printf, 1, 2))) static void ml_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	fflush(stdout); /* the commands below write to the same place */
}

/* Prints a command as a person would type it, then runs `file` with these arguments. */
static bool run_shown(const char *file, char *const *argv, struct ml_err *err)
{
	int status;

	ml_say("$");
	for (char *const *a = argv; *a; a++)
		ml_say(" %s", *a);
	ml_say("\n");
	pid_t child = fork();
	if (child < 0)
		return ml_fail_errno(err, "cannot start %s", argv[0]);
	if (!child) {
		/* without a terminal `memlamp run` leaves stdout to the program */
		if (!isatty(STDOUT_FILENO))
			dup2(STDOUT_FILENO, STDERR_FILENO);
		execvp(file, argv);
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	return ml_fail(err, ML_IO, "'%s %s' failed", argv[0], argv[1]);
}

/* Finds the compiled example beside its source, or compiles it into the demo's folder. */
static char *find_example(const char *folder, struct ml_arena *a, struct ml_err *err)
{
	const char *examples = cmd_path_examples(a);

	if (!examples) {
		ml_fail(err, ML_IO, "the examples are not installed beside this program");
		return NULL;
	}
	char *program = ml_arena_printf(a, "%s/matmul", examples);
	if (access(program, X_OK) == 0)
		return program;
	char *include = ml_arena_printf(a, "-I%s/../../../include", examples);
	char *source = ml_arena_printf(a, "%s/matmul.c", examples);
	char *output = ml_arena_printf(a, "%s/matmul", folder);
	char *cc[] = { "cc", "-O2", "-g", include, source, "-o", output, NULL };
	if (!run_shown("cc", cc, err))
		return NULL;
	return *folder == '/' ? output : ml_arena_printf(a, "./%s", output);
}

/* True if a person watches, and can open a browser and press Ctrl-C. */
static bool is_watched(void)
{
	const char *ci = getenv("CI");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && (!ci || !*ci);
}

/*
 * Serves the page until Ctrl-C if a person watches, else only until the server answers.
 */
static bool show_page(char *trace, struct ml_err *err)
{
	char *view[] = { "memlamp", "view", trace, "--machine", "i7", NULL };
	char address[200] = "";
	int ends[2], status;

	if (is_watched())
		return run_shown("/proc/self/exe", view, err);
	ml_say("$ memlamp view %s --machine i7\n", trace);
	if (pipe(ends) < 0)
		return ml_fail_errno(err, "cannot make a pipe");
	pid_t child = fork();
	if (child < 0)
		return ml_fail_errno(err, "cannot start the server");
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		execv("/proc/self/exe", view);
		_exit(127);
	}
	close(ends[1]);
	FILE *said = fdopen(ends[0], "r");
	bool ok = said && fgets(address, sizeof(address), said);
	kill(child, SIGINT);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (said)
		fclose(said);
	if (!ok || strncmp(address, "http://", 7) != 0)
		return ml_fail(err, ML_IO, "the page is not served: %s", address);
	ml_say("%s(The server has ended at once: there is no terminal, or CI is set.)\n",
	       address);
	return true;
}

static bool demo(const char *folder, struct ml_arena *a, struct ml_err *err)
{
	char *trace = ml_arena_printf(a, "%s/matmul.mlt", folder);

	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		return ml_fail_errno(
			err, "cannot make the folder %s (--output chooses another)",
			folder);
	ml_say("memlamp records what a program does to memory, replays it through simulated caches\n"
	       "and says what happens. The example multiplies two matrices, C = A * B. It "
	       "is an\n"
	       "ordinary program, compiled with -O2 -g; the machine is a Core i7 with 32K "
	       "of L1.\n\n");
	char *program = find_example(folder, a, err);
	if (!program)
		return false;
	char *job[] = { "memlamp", "run",   "--machine", "i7", "-o",
			trace,     program, "256",       NULL };
	if (!run_shown("/proc/self/exe", job, err))
		return false;
	ml_say("\nWhat to notice:\n"
	       "- A, B and C are as large as each other, but the line that multiplies "
	       "waits for B: it\n"
	       "  walks along A and down the columns of B, so each number of B that it "
	       "reads lies in\n"
	       "  another cache line than the one before.\n"
	       "- What is recommended was tried on the recorded references before it was "
	       "said.\n"
	       "- The names A, B and C were found in the program's debug information and "
	       "source.\n"
	       "\nThe trace stays in %s. More of it in text:\n"
	       "$ memlamp sim --machine i7 %s\n"
	       "$ memlamp info %s\n"
	       "Yours, best compiled with -g:\n"
	       "$ memlamp run PROGRAM ARGUMENT...\n"
	       "\nAnd the page, where all of it can be seen to move:\n",
	       trace, trace, trace);
	return show_page(trace, err);
}

static int run(int argc, char **argv)
{
	struct options o = { .output = "memlamp-demo" };
	struct ml_arena a = { 0 };
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_demo, &o, &argc, &argv, &status))
		return status;
	status = demo(o.output, &a, &err) ? EXIT_DONE : cmd_fail(&cmd_demo, &err);
	ml_arena_release(&a);
	return status;
}

const struct cmd cmd_demo = {
	.name = "demo",
	.help = "record, simulate and explain a bundled example",
	.operands = "",
	.min_operands = 0,
	.max_operands = 0,
	.opts = opts,
	.run = run,
};

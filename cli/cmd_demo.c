#include "cli/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/paths.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"

struct options {
	const char *output;
};

static const struct opt opts[] = {
	OPT_TEXT("output", 'o', "FOLDER", output,
		 "put the trace into FOLDER, made if need be (memlamp-demo)"),
	{ 0 },
};

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	fflush(stdout); /* what is run writes to the same place */
}

/* Shows a command as a person would type it, then runs it. file is what to execute. */
static bool run_shown(const char *file, char *const *argv, struct ml_err *err)
{
	int status;

	say("$");
	for (char *const *a = argv; *a; a++)
		say(" %s", *a);
	say("\n");
	pid_t child = fork();
	if (child < 0)
		return ml_fail_errno(err, "cannot start %s", argv[0]);
	if (!child) {
		execvp(file, argv);
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	return ml_fail(err, ML_IO, "'%s %s' failed", argv[0], argv[1]);
}

/* The compiled example: beside its source, or made in the folder of the demo. */
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

static bool demo(const char *folder, struct ml_arena *a, struct ml_err *err)
{
	char *trace = ml_arena_printf(a, "%s/matmul.mlt", folder);

	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		return ml_fail_errno(
			err, "cannot make the folder %s (--output says another)", folder);
	say("memlamp records what a program does to memory. The example multiplies two\n"
	    "matrices, C = A * B. It is an ordinary program, compiled with -O2 -g.\n\n");
	char *program = find_example(folder, a, err);
	if (!program)
		return false;
	char *record[] = { "memlamp", "record", "-o", trace, program, NULL };
	char *info[] = { "memlamp", "info", trace, NULL };
	if (!run_shown("/proc/self/exe", record, err))
		return false;
	say("\nEvery reference is in the file. What is in it:\n\n");
	if (!run_shown("/proc/self/exe", info, err))
		return false;
	say("\nWhat to notice:\n"
	    "- A, B and C are as large as each other, but A and B get nearly all references:\n"
	    "  each of their numbers is read once for every row or column of the other.\n"
	    "- One line makes nearly all of them. It walks along A and down the columns of B, so each\n"
	    "  number of B that it reads lies in another cache line than the one before.\n"
	    "- The names A, B and C were found in the program's debug information and source;\n"
	    "  the phases were named by the program itself, with memlamp.h.\n"
	    "\nThe trace stays in %s. Next:\n"
	    "$ memlamp dump --region B --site multiply -n 10 %s\n"
	    "$ memlamp record -o my.mlt PROGRAM ARGUMENT...     (yours, best compiled with -g)\n"
	    "$ memlamp info my.mlt\n",
	    trace, trace);
	return true;
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
	.help = "record a bundled example and explain it",
	.operands = "",
	.least = 0,
	.most = 0,
	.opts = opts,
	.run = run,
};

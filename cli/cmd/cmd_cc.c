#include "cli/cmd.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/compiler.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"

struct options {
	const char *cc;
};

static const struct opt opts[] = {
	OPT_TEXT(
		"cc", 0, "COMPILER", cc,
		"run COMPILER, perhaps with options of its own; this option must come first "
		"(default: $CC, $CXX or $FC, or else cc, c++ or gfortran)"),
	{ 0 },
};

static int help(const struct cmd *c)
{
	struct ml_buf text = { 0 };

	options_help(c, &text);
	int status = cmd_print(c, &text);
	ml_buf_release(&text);
	return status;
}

/* All words but a first --cc=COMPILER are arguments of the compiler, which replaces this
 * process. */
static int compile(const struct cmd *c, enum compiler_language language, int argc,
		   char **argv)
{
	struct ml_arena a = { 0 };
	struct ml_err err;
	const char **line, *asked = NULL;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return help(c);
	if (argc > 1 && !strncmp(argv[1], "--cc=", 5)) {
		asked = argv[1] + 5;
		argv++;
	}
	char real[PATH_MAX];
	const char *runtime = cmd_path_runtime(&a);
	if (runtime && realpath(runtime, real)) /* the program keeps this path */
		runtime = real;
	const char **compiler = compiler_choose(language, asked, &a);
	bool ok = runtime ||
		  ml_fail(&err, ML_IO, "the runtime is not installed with memlamp");
	if (ok)
		ok = compiler_line(compiler, argv + 1, runtime, language, &a, &line,
				   &err);
	if (ok) {
		setenv(COMPILER_RUNS, "1", 1);
		execvp(line[0], (char **)line);
		ml_fail_errno(&err, "%s: cannot be run", line[0]);
	}
	int status = cmd_fail(c, &err);
	ml_arena_release(&a);
	return status;
}

static int run_cc(int argc, char **argv)
{
	return compile(&cmd_cc, COMPILER_C, argc, argv);
}

static int run_cxx(int argc, char **argv)
{
	return compile(&cmd_cxx, COMPILER_CXX, argc, argv);
}

static int run_fc(int argc, char **argv)
{
	return compile(&cmd_fc, COMPILER_FORTRAN, argc, argv);
}

const struct cmd cmd_cc = {
	.name = "cc",
	.help = "compile a C program that can record itself",
	.operands = "ARGUMENT...",
	.min_operands = 0,
	.max_operands = CMD_ANY,
	.stops = true,
	.opts = opts,
	.run = run_cc,
};

const struct cmd cmd_cxx = {
	.name = "c++",
	.help = "the same for C++",
	.operands = "ARGUMENT...",
	.min_operands = 0,
	.max_operands = CMD_ANY,
	.stops = true,
	.opts = opts,
	.run = run_cxx,
};

const struct cmd cmd_fc = {
	.name = "fc",
	.help = "the same for Fortran",
	.operands = "ARGUMENT...",
	.min_operands = 0,
	.max_operands = CMD_ANY,
	.stops = true,
	.opts = opts,
	.run = run_fc,
};

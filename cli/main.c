#include <commit.h> /* made by the build: ML_COMMIT, empty if unknown */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/completion.h"
#include "cli/options.h"
#include "lib/base/buf.h"
#include "lib/base/file.h"
#include "lib/base/path.h"

/* clang-format off */
static const struct cmd *const cmds[] = { /* a line each */
	&cmd_run,
	&cmd_record,
	&cmd_cc,
	&cmd_cxx,
	&cmd_fc,
	&cmd_info,
	&cmd_loops,
	&cmd_sim,
	&cmd_diff,
	&cmd_ensemble,
	&cmd_cycles,
	&cmd_sample,
	&cmd_samples,
	&cmd_flow,
	&cmd_prune,
	&cmd_dump,
	&cmd_view,
	&cmd_report,
	&cmd_plot,
	&cmd_export,
	&cmd_query,
	&cmd_import,
	&cmd_demo,
	NULL,
};
/* clang-format on */

static const struct cmd *find(const char *name)
{
	for (size_t i = 0; cmds[i]; i++)
		if (!strcmp(cmds[i]->name, name))
			return cmds[i];
	return NULL;
}

static void put_help(struct ml_buf *out)
{
	ml_buf_text(out, "Usage: memlamp COMMAND [OPTION...] [ARGUMENT...]\n"
			 "A lamp held over a program's memory.\n\nCommands:\n");
	for (size_t i = 0; cmds[i]; i++)
		ml_buf_printf(out, "  %-9s %s\n", cmds[i]->name, cmds[i]->help);
	ml_buf_text(out, "\n'memlamp COMMAND --help' explains one command; "
			 "'memlamp --version' prints the version.\n");
}

/* Writes and releases the text; a full disk is a failure. */
static int finish(struct ml_buf *text, FILE *out)
{
	bool ok = fwrite(text->data, 1, text->size, out) == text->size && !fflush(out);

	if (!ok)
		fprintf(stderr, "memlamp: standard output: %s\n", strerror(errno));
	ml_buf_release(text);
	return ok ? EXIT_DONE : EXIT_FAILED;
}

static int unknown(const char *name)
{
	struct spelling s = { .word = name };

	for (size_t i = 0; cmds[i]; i++)
		spelling_try(&s, cmds[i]->name);
	fprintf(stderr, "memlamp: unknown command '%s'", name);
	if (s.best)
		fprintf(stderr, "; did you mean '%s'?\n", s.best);
	else
		fputs("\nTry 'memlamp --help'.\n", stderr);
	return EXIT_MISUSED;
}

/* Prints the help of a command, or the options of its page, by one of the writers. */
static int print(const char *name, void (*write)(const struct cmd *, struct ml_buf *))
{
	const struct cmd *c = find(name);
	struct ml_buf text = { 0 };

	if (!c)
		return unknown(name);
	write(c, &text);
	int status = cmd_print(c, &text);
	ml_buf_release(&text);
	return status;
}

/* Options for the build, which makes pages and the shell's completion from the tables. */
static int print_for_build(int argc, char **argv)
{
	struct ml_buf text = { 0 };

	if (!strcmp(argv[1], "--page-options") && argc == 3)
		return print(argv[2], options_page);
	if (strcmp(argv[1], "--completion") != 0) {
		fprintf(stderr, "memlamp: unknown option '%s'\nTry 'memlamp --help'.\n",
			argv[1]);
		return EXIT_MISUSED;
	}
	completion(cmds, &text);
	return finish(&text, stdout);
}

/* The command that the name of the program tells: memlamp-cc, for builds that cannot hold
 * a blank in CC; NULL: none. */
static const struct cmd *command_of_name(const char *path)
{
	static const char prefix[] = "memlamp-";
	const char *name = ml_path_name(path);

	return strncmp(name, prefix, strlen(prefix)) ? NULL : find(name + strlen(prefix));
}

int main(int argc, char **argv)
{
	const struct cmd *own = argc > 0 ? command_of_name(argv[0]) : NULL;
	struct ml_buf text = { 0 };

	if (own)
		return own->run(argc, argv);
	if (argc < 2) {
		put_help(&text);
		finish(&text, stderr);
		return EXIT_MISUSED;
	}
	if (!strcmp(argv[1], "--version")) {
		ml_buf_text(&text, *ML_COMMIT ? "memlamp " ML_VERSION " (" ML_COMMIT ")\n"
					      : "memlamp " ML_VERSION "\n");
		return finish(&text, stdout);
	}
	if (!strcmp(argv[1], "help") && argc > 2)
		return print(argv[2], options_help);
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
	    !strcmp(argv[1], "-h")) {
		put_help(&text);
		return finish(&text, stdout);
	}
	if (argv[1][0] == '-')
		return print_for_build(argc, argv);
	signal(SIGXFSZ,
	       SIG_IGN); /* a write beyond ulimit -f fails instead, with a reason */
	ml_file_map_guard();
	const struct cmd *c = find(argv[1]);
	return c ? c->run(argc - 1, argv + 1) : unknown(argv[1]);
}

/*
 * A command of the program: one file cli/cmd_NAME.c that defines one constant
 * `const struct cmd cmd_NAME`, declared below and listed in main.c. Help, the
 * man page's options, and the shell completion all come from it. The table of options
 * and its parser are in options.h.
 *
 *	struct options {
 *		bool json;
 *		uint64_t top;
 *	};
 *
 *	static const struct opt opts[] = {
 *		OPT_FLAG("json", 0, json, "print JSON"),
 *		OPT_COUNT("top", 'n', "N", top, "lines of each table (20)"),
 *		{ 0 },
 *	};
 *
 *	static int run(int argc, char **argv)
 *	{
 *		struct options o = { .top = 20 };
 *		int status;
 *
 *		if (!options_parse(&cmd_info, &o, &argc, &argv, &status))
 *			return status;
 *		...                      argv[0] to argv[argc - 1] are the operands
 *		if (!ml_trace_open(&t, argv[0], &err))
 *			return cmd_fail(&cmd_info, &err);
 *		...
 *		return cmd_print(&cmd_info, &text);
 *	}
 *
 *	const struct cmd cmd_info = {
 *		.name = "info", .help = "say what is in a trace",
 *		.operands = "FILE", .min_operands = 1, .max_operands = 1,
 *		.opts = opts, .run = run,
 *	};
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_buf;
struct ml_err;
struct ml_simulation;
struct ml_trace;
struct opt;

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_MISUSED = 2,
	EXIT_CROSSED = 3, /* a --fail-if threshold */
};

enum { CMD_SIDE_MIN = 160, CMD_SIDE_MAX = 10000 }; /* pixels of a picture */
enum { CMD_ANY = 1000000 }; /* for max_operands: any number of operands */

struct cmd {
	const char *name;
	const char *help;     /* one line, small first letter, no full stop */
	const char *operands; /* for the synopsis: "FILE", "[--] PROGRAM [ARGUMENT...]" */
	int min_operands, max_operands; /* how many operands; parsing checks it */
	bool stops; /* options end at the first operand: what follows is not ours */
	const struct opt
		*opts; /* ends with a zero one; --help is understood without it */
	void (*more_help)(struct ml_buf *out); /* appends to --help; or NULL */
	int (*run)(int argc,
		   char **argv); /* argv[0] is the name; returns the exit status */
};

extern const struct cmd cmd_cc, cmd_cxx, cmd_cycles, cmd_demo, cmd_diff, cmd_dump,
	cmd_ensemble, cmd_export, cmd_fc, cmd_flow, cmd_import, cmd_info, cmd_loops,
	cmd_plot, cmd_prune, cmd_query, cmd_record, cmd_report, cmd_run, cmd_sample,
	cmd_samples, cmd_sim, cmd_view;

/* Prints "memlamp NAME: sentence" to stderr; returns the exit status of its kind. */
int cmd_fail(const struct cmd *c, const struct ml_err *err);

/* The same for a misuse found by the command itself, pointing to --help; EXIT_MISUSED. */
int cmd_misused(const struct cmd *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Writes text to stdout and empties it; returns EXIT_DONE, or EXIT_FAILED having said
 * why. */
int cmd_print(const struct cmd *c, struct ml_buf *text);

/* Prints notes (lib/query/workspace/ask.h) to stderr and releases them. */
void cmd_notes(struct ml_buf *notes);
/*
 * Warns on stderr if the end of a trace is missing or damaged: for commands whose output
 * has no place for it.
 */
void cmd_warn_end(const struct cmd *c, const struct ml_trace *t);
/* Says on stderr why the result of a simulation could not be kept, if so: a note. */
void cmd_note_unkept(const struct cmd *c, const struct ml_simulation *s);
/*
 * After ml_thresholds_test (`tested` is what it returned): prints the thresholds that
 * hold. EXIT_CROSSED if there are any, else EXIT_DONE, or EXIT_MISUSED.
 */
int cmd_crossed(const struct cmd *c, bool tested, struct ml_buf *crossed,
		const struct ml_err *err);

/* Can a side of a picture be so long? 0 is the usual length. */
bool cmd_side_fits(uint64_t pixels);

/* Columns of the terminal that stdout is, or 0 when it is none (then cut nothing). */
int cmd_width(void);

#include "cli/cmd.h"
#include "cli/machine_option.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/work.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/query/trace/tables/loop_access_rows.h"
#include "lib/query/trace/tables/loop_rows.h"
#include "lib/trace/trace.h"

struct options {
	struct machine_without without;
	const char *machine, *csv;
	uint64_t top;
	bool json, quick, accesses;
};

enum { TOP = 40 };

static const struct opt opts[] = {
	OPT_TEXT("machine", 'm', "MACHINE", machine,
		 "simulate MACHINE, as memlamp sim does (default: host)"),
	OPT_WITHOUT,
	OPT_FLAG("quick", 'q', quick, "simulate nothing: no column 'waiting'"),
	OPT_COUNT("top", 'n', "N", top,
		  "print at most N rows, the largest (default: 40; all with --json and "
		  "--csv)"),
	OPT_FLAG(
		"accesses", 0, accesses,
		"print how accesses move by the loops around them, in place of the tree"),
	OPT_FLAG("json", 0, json, "print everything as JSON"),
	OPT_TEXT("csv", 0, "TABLE", csv, "print one table as CSV: loops or accesses"),
	{ 0 },
};

static int show(const struct options *o, const struct ml_loop_rows *rows)
{
	struct ml_buf out = { 0 };

	if (o->json)
		ml_loop_rows_json(rows, o->top, &out);
	else if (o->csv)
		ml_loop_rows_csv(rows, o->top, &out);
	else
		ml_loop_rows_text(rows, o->top ? o->top : TOP, cmd_width(), &out);
	int status = cmd_print(&cmd_loops, &out);
	ml_buf_release(&out);
	return status;
}

static int show_accesses(const struct options *o, const struct ml_loop_access_rows *rows)
{
	struct ml_buf out = { 0 };

	if (o->json)
		ml_loop_access_rows_json(rows, o->top, &out);
	else if (o->csv)
		ml_loop_access_rows_csv(rows, o->top, &out);
	else
		ml_loop_access_rows_text(rows, o->top ? o->top : TOP, cmd_width(), &out);
	int status = cmd_print(&cmd_loops, &out);
	ml_buf_release(&out);
	return status;
}

/* The accesses of an open trace. */
static int run_accesses(const struct options *o, struct ml_trace *t)
{
	struct ml_loop_access_rows rows;
	struct cmd_work work;
	struct ml_err err;

	cmd_work_begin(&work);
	bool ok = ml_loop_access_rows_make(&rows, t, &work.work, &err);
	cmd_work_end(&work);
	int status = ok ? show_accesses(o, &rows) : cmd_fail(&cmd_loops, &err);
	if (ok)
		ml_loop_access_rows_release(&rows);
	return status;
}

/* The tree of an open trace; machine NULL: nothing is simulated. */
static int run_tree(const struct options *o, struct ml_trace *t,
		    const struct ml_machine *machine)
{
	struct ml_loop_rows rows;
	struct cmd_work work;
	struct ml_err err;

	cmd_work_begin(&work);
	bool ok = ml_loop_rows_make(&rows, t, machine, &work.work, &err);
	cmd_work_end(&work);
	int status = ok ? show(o, &rows) : cmd_fail(&cmd_loops, &err);
	if (ok)
		ml_loop_rows_release(&rows);
	return status;
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	struct ml_machine machine;
	struct ml_trace trace;
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_loops, &o, &argc, &argv, &status))
		return status;
	bool accesses = o.csv && strcmp(o.csv, "accesses") == 0;
	if (o.csv && !accesses && strcmp(o.csv, "loops") != 0)
		return cmd_misused(&cmd_loops,
				   "there is no table '%s'; there are loops and accesses",
				   o.csv);
	if (o.csv && o.json)
		return cmd_misused(&cmd_loops, "--csv cannot be combined with --json");
	o.accesses |= accesses;
	signal(SIGPIPE, SIG_DFL); /* `memlamp loops x | head` ends without a word */
	bool simulates = !o.quick && !o.accesses;
	if (simulates && !machine_option(&machine, o.machine, &o.without, &err))
		return cmd_fail(&cmd_loops, &err);
	if (!ml_trace_open(&trace, argv[0], &err))
		return cmd_fail(&cmd_loops, &err);
	cmd_warn_end(&cmd_loops, &trace);
	if (o.accesses)
		status = run_accesses(&o, &trace);
	else
		status = run_tree(&o, &trace, simulates ? &machine : NULL);
	if (status == EXIT_DONE && trace.damage)
		status = EXIT_FAILED;
	ml_trace_close(&trace);
	return status;
}

const struct cmd cmd_loops = {
	.name = "loops",
	.help = "show the functions and loops that ran, and where they wait",
	.operands = "TRACE",
	.min_operands = 1,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};

#include "cli/cmd.h"

#include <signal.h>
#include <stdio.h>

#include "cli/text/info_tables.h"
#include "cli/text/info_text.h"
#include "cli/options.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "cli/work.h"
#include "lib/query/trace/tables/summary.h"
#include "lib/trace/trace.h"

struct options {
	uint64_t top;
	bool json;
	const char *csv;
};

static const struct opt opts[] = {
	OPT_COUNT("top", 'n', "N", top,
		  "print at most N rows of each table (default: 10; all with --json and "
		  "--csv)"),
	OPT_FLAG("json", 0, json, "print everything as JSON"),
	OPT_TEXT("csv", 0, "TABLE", csv,
		 "print one table as CSV: gaps, regions, lines, functions, phases, "
		 "threads, marks or states"),
	{ 0 },
};

static int print(struct ml_summary *s, const struct options *o)
{
	struct ml_buf out = { 0 };
	uint64_t all = o->top ? o->top : UINT64_MAX;

	if (o->json)
		info_json(s, all, &out);
	else if (!o->csv)
		info_text(s, o->top, &out);
	else if (!info_csv(s, o->csv, all, &out))
		return cmd_misused(&cmd_info, "there is no table '%s'; tables are %s",
				   o->csv, info_table_names());
	int status = cmd_print(&cmd_info, &out);
	ml_buf_release(&out);
	return status;
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	struct ml_trace trace;
	struct ml_summary summary;
	struct cmd_work work;
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_info, &o, &argc, &argv, &status))
		return status;
	signal(SIGPIPE, SIG_DFL); /* `memlamp info x | head` ends without a word */
	if (!ml_trace_open(&trace, argv[0], &err))
		return cmd_fail(&cmd_info, &err);
	cmd_work_begin(&work);
	bool ok = ml_summary_open(&summary, &trace, &work.work, &err);
	cmd_work_end(&work);
	if (ok) {
		status = print(&summary, &o);
		if ((summary.damage || trace.damage) && status == EXIT_DONE)
			status = EXIT_FAILED;
		ml_summary_close(&summary);
	} else
		status = cmd_fail(&cmd_info, &err);
	ml_trace_close(&trace);
	return status;
}

const struct cmd cmd_info = {
	.name = "info",
	.help = "show what is in a trace",
	.operands = "TRACE",
	.min_operands = 1,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};

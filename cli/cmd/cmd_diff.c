#include "cli/cmd.h"
#include "cli/machine_option.h"

#include <signal.h>

#include "cli/documents.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/work.h"
#include "lib/analyse/passes/replay_options.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/query/workspace/document.h"

struct options {
	struct machine_without without;
	struct opt_list machines, fail_if;
	uint64_t top, interleave, window;
	const char *csv;
	bool json, promised;
};

static const struct opt opts[] = {
	OPT_LIST("machine", 'm', "MACHINE", machines,
		 "simulate MACHINE, as in 'memlamp sim'; given twice, the first is for "
		 "A and the second for B (default: host)"),
	OPT_WITHOUT,
	OPT_LIST("fail-if", 0, "EXPRESSION", fail_if,
		 "end with status 3 if EXPRESSION holds, such as 'L1.misses > +5%'; a "
		 "name stands for its change from A to B; may be repeated"),
	OPT_COUNT("interleave", 0, "N", interleave,
		  "simulate several cores by letting threads take turns of N references"),
	OPT_COUNT("window", 0, "N", window,
		  "try changes on at most N references; more take longer (default: 20M)"),
	OPT_COUNT("top", 'n', "N", top,
		  "print at most N rows of each table (default: 10; all with --json and "
		  "--csv)"),
	OPT_FLAG("promised", 0, promised,
		 "print what the findings of A promised, and what came true in B"),
	OPT_FLAG("json", 0, json, "print everything as JSON"),
	OPT_TEXT("csv", 0, "TABLE", csv,
		 "print one table as CSV: totals, lines, regions or findings of traces, "
		 "totals, levels, lines, functions or variables of samples, totals and "
		 "members of ensembles, totals and containers of flows, totals, "
		 "constraints and parameters of search spaces"),
	{ 0 },
};

static void set_machines(struct ml_ask *q, const struct options *o, struct ml_arena *a)
{
	q->machines = (unsigned)o->machines.count;
	for (size_t i = 0; i < 2; i++)
		q->machine[i] = machine_option_text(
			i < o->machines.count ? o->machines.items[i] : "host",
			&o->without, a);
}

static int run(int argc, char **argv)
{
	const struct options usual = { .interleave = ML_INTERLEAVE_AUTO };
	struct options o = usual;
	struct ml_arena arena = { 0 };
	struct ml_told told = { 0 };
	struct cmd_work work;
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_diff, &o, &argc, &argv, &status))
		return status;
	signal(SIGPIPE, SIG_DFL); /* `memlamp diff x y | head` ends without a word */
	struct ml_ask q = { .command = cmd_diff.name,
			    .form = o.json  ? ML_FORM_JSON
				    : o.csv ? ML_FORM_CSV
					    : ML_FORM_TEXT,
			    .table = o.csv,
			    .top = o.top,
			    .columns = cmd_width(),
			    .interleave = o.interleave,
			    .window = o.window,
			    .fail_if = o.fail_if.items,
			    .fail_if_count = o.fail_if.count,
			    .promised = o.promised,
			    .headers = cmd_path_headers(&arena),
			    .work = &work.work };
	set_machines(&q, &o, &arena);
	const char *path[] = { argv[0], argv[argc - 1] };
	const struct ml_document_kind *kind = documents_kind(&cmd_diff, path, &o, &usual,
							     &err);
	if (kind && argc == 1 && !documents_takes(kind, "machine"))
		return cmd_misused(&cmd_diff, "give two files of this kind: %s",
				   kind->what);
	cmd_work_begin(&work);
	bool ok = kind && kind->diff(path, &q, &told, &err);
	cmd_work_end(&work);
	status = documents_print(&cmd_diff, ok, &told, &err);
	ml_arena_release(&arena);
	return status;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.help = "compare two files of a kind, or one trace on two machines",
	.operands = "A [B]",
	.min_operands = 1,
	.max_operands = 2,
	.opts = opts,
	.run = run,
};

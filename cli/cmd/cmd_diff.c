#include "cli/cmd.h"
#include "cli/machine_option.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/text/diff_samples.h"
#include "cli/text/diff_text.h"
#include "cli/text/diff_values.h"
#include "cli/ended.h"
#include "cli/options.h"
#include "cli/work.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/query/trace/tables/compare.h"
#include "lib/query/trace/tables/compare_tables.h"
#include "lib/query/trace/tables/analysed_trace.h"
#include "lib/query/trace/tables/promises.h"
#include "lib/trace/trace.h"

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
		 "print one table as CSV: totals, lines, regions or findings; of samples "
		 "totals, levels, lines, functions or variables"),
	{ 0 },
};

static bool open_side(struct ml_analysed_trace *s, const char *path, const char *machine,
		      const struct options *o, struct ml_err *err)
{
	struct cmd_work work;
	struct ml_analysed_trace_options options = { .interleave = o->interleave,
						     .window = o->window,
						     .work = &work.work };

	if (!machine_option(&options.machine, machine, &o->without, err))
		return false;
	cmd_work_begin(&work);
	bool ok = ml_analysed_trace_open(s, path, &options, err);
	cmd_work_end(&work);
	if (ok)
		cmd_note_unkept(&cmd_diff, &s->simulation);
	return ok;
}

/* Tests every threshold, so that the user sees all that are crossed. */
static int test(const struct ml_compare *c, const struct options *o)
{
	struct ml_buf why = { 0 };
	struct ml_err err;
	int status = EXIT_DONE;

	for (size_t i = 0; i < o->fail_if.count && status != EXIT_MISUSED; i++) {
		bool crossed = false;

		if (!diff_values_test(c, o->fail_if.items[i], &crossed, &why, &err))
			status = cmd_fail(&cmd_diff, &err);
		else if (crossed) {
			fprintf(stderr, "memlamp diff: --fail-if '%s' holds\n%.*s",
				o->fail_if.items[i], (int)why.size, (char *)why.data);
			why.size = 0;
			status = EXIT_CROSSED;
		}
	}
	ml_buf_release(&why);
	return status;
}

static void print_promises(const struct ml_compare *c, struct ml_buf *out)
{
	struct ml_arena a = { 0 };
	struct ml_promises p = ml_promises_make(c, &a);

	ml_promises_json(&p, out);
	ml_arena_release(&a);
}

static int print(struct ml_compare *c, const struct options *o, char **names)
{
	struct ml_buf out = { 0 };
	size_t all = o->top ? o->top : SIZE_MAX;

	if (o->promised && o->json)
		print_promises(c, &out);
	else if (o->promised)
		diff_promises(c, &out);
	else if (o->json)
		ml_compare_json(c, all, &out);
	else if (!o->csv)
		diff_text(c, names, o->top ? o->top : 10, &out);
	else
		ml_compare_csv(c, o->csv, all, &out);
	int status = cmd_print(&cmd_diff, &out);
	ml_buf_release(&out);
	return status;
}

static int run(int argc, char **argv)
{
	struct options o = { .interleave = ML_INTERLEAVE_AUTO };
	struct ml_analysed_trace a, b;
	struct ml_compare c;
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_diff, &o, &argc, &argv, &status))
		return status;
	signal(SIGPIPE, SIG_DFL); /* `memlamp diff x y | head` ends without a word */
	const char *last = argv[argc - 1];
	bool samples = diff_samples_is(argv[0]), also = diff_samples_is(last);
	if (samples != also && ml_trace_is(samples ? last : argv[0]))
		return cmd_misused(&cmd_diff,
				   "%s holds samples and %s is a trace: two of a kind "
				   "are compared",
				   samples ? argv[0] : last, samples ? last : argv[0]);
	/* beside samples any table is one, whatever its headings */
	if (samples || also) {
		if (argc == 1)
			return cmd_misused(&cmd_diff, "samples need a second table");
		if (o.machines.count || o.fail_if.count)
			return cmd_misused(&cmd_diff,
					   "--machine and --fail-if are for traces");
		return diff_samples(
			&(struct diff_samples){ argv[0], argv[1], o.csv, o.top, o.json });
	}
	if (o.machines.count > 2)
		return cmd_misused(&cmd_diff,
				   "--machine may be given twice, not %zu times",
				   o.machines.count);
	if (argc == 1 && o.machines.count < 2)
		return cmd_misused(
			&cmd_diff,
			"one trace needs two machines to compare: give --machine "
			"twice, or a second trace");
	for (size_t i = 0; i < o.fail_if.count; i++)
		if (!diff_values_check(o.fail_if.items[i], &err))
			return cmd_fail(&cmd_diff, &err);
	if (o.csv && !ml_compare_has_table(o.csv)) /* before long work */
		return cmd_misused(
			&cmd_diff,
			"there is no table '%s'; tables are totals, lines, regions and "
			"findings",
			o.csv);
	const char *first = o.machines.count ? o.machines.items[0] : "host";
	const char *second = o.machines.count > 1 ? o.machines.items[1] : first;
	char *names[] = { argv[0], argv[argc - 1] };
	if (!open_side(&a, names[0], first, &o, &err))
		return cmd_fail(&cmd_diff, &err);
	if (!open_side(&b, names[1], second, &o, &err)) {
		ml_analysed_trace_close(&a);
		return cmd_fail(&cmd_diff, &err);
	}
	cmd_ended_warn(cmd_diff.name, &a.trace);
	if (argc > 1)
		cmd_ended_warn(cmd_diff.name, &b.trace);
	ml_compare_make(&c, &a, &b);
	status = print(&c, &o, names);
	if (status == EXIT_DONE)
		status = test(&c, &o);
	if (status == EXIT_DONE && (cmd_is_part(&a.simulation, &a.trace) ||
				    cmd_is_part(&b.simulation, &b.trace)))
		status = EXIT_FAILED;
	ml_compare_release(&c);
	ml_analysed_trace_close(&b);
	ml_analysed_trace_close(&a);
	return status;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.help = "compare two traces, results or tables of samples, or one trace on two machines",
	.operands = "A [B]",
	.min_operands = 1,
	.max_operands = 2,
	.opts = opts,
	.run = run,
};

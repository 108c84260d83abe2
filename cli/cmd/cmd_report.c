#include "cli/cmd.h"
#include "cli/machine_option.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/simulated.h"
#include "lib/base/buf.h"
#include "lib/base/lock.h"
#include "lib/query/report/report.h"
#include "lib/query/report/report_samples.h"
#include "lib/query/samples/sample_tables.h"
#include "lib/samples/read/read_samples.h"
#include "lib/trace/trace.h"

enum { TOP_MAX = 1000 };

struct options {
	struct machine_without without;
	const char *output, *machine, *phase, *mode, *select;
	uint64_t from, to, top;
	bool no_source;
};

static const struct opt opts[] = {
	OPT_TEXT("output", 'o', "FILE", output,
		 "write to FILE; - is standard output (default: the name of the trace "
		 "with .html)"),
	OPT_TEXT("machine", 'm', "MACHINE", machine,
		 "simulate MACHINE, as in 'memlamp sim' (default: host)"),
	OPT_WITHOUT,
	OPT_COUNT("from", 0, "N", from,
		  "start at reference N, with the caches as the run before left them "
		  "(default: 0)"),
	OPT_COUNT("to", 0, "N", to,
		  "end before reference N (default: the end of the trace)"),
	OPT_TEXT("phase", 0, "NAME", phase,
		 "report on phase NAME, from its first begin to its end"),
	OPT_TEXT("mode", 0, "MODE", mode,
		 "colour the heat maps by count (accesses), misses, last (access), "
		 "first (write), reuse (references between two accesses), distance "
		 "(lines between two accesses) or used (share of the fetched bytes) "
		 "(default: misses)"),
	OPT_COUNT("top", 'n', "N", top,
		  "show at most N rows of each table, N files and N heat maps (default: "
		  "12)"),
	OPT_TEXT("select", 's', "TEXT", select,
		 "of samples: report on some of them, as in 'memlamp samples'"),
	OPT_FLAG("no-source", 0, no_source,
		 "leave the source text out; lines keep their numbers and counts"),
	{ 0 },
};

/* prog.mlt or prog.mlh becomes prog.html in the current folder, folder/ folder.html. */
static const char *output_of(const char *input, struct ml_arena *a)
{
	size_t size = strlen(input);

	while (size > 1 && input[size - 1] == '/')
		size--;
	const char *slash = memrchr(input, '/', size), *name = slash ? slash + 1 : input;
	size -= (size_t)(name - input);
	if (size > 4 && (!strncmp(name + size - 4, ".mlt", 4) ||
			 !strncmp(name + size - 4, ".mlh", 4)))
		size -= 4;
	return ml_arena_printf(a, "%.*s.html", (int)size, name);
}

/* The same for a table of samples. */
/* Of two reports into one file the second is refused before its long work. */
static bool take_output(const char *path, struct ml_err *err)
{
	struct ml_lock lock; /* until the process ends */

	return !strcmp(path, "-") || ml_lock_take(&lock, path, err);
}

static int report_samples(const char *input, const struct options *o)
{
	struct ml_sample_report_options r = { o->select, o->no_source };
	struct ml_sample_question q;
	struct ml_arena arena = { 0 };
	struct ml_buf out = { 0 };
	struct ml_samples s;
	struct cmd_work work;
	struct ml_err err;

	const char *path = o->output ? o->output : output_of(input, &arena);
	cmd_work_begin(&work);
	bool ok = take_output(path, &err) &&
		  ml_samples_open(&s, input, NULL, &work.work, &err);
	if (!ok) {
		cmd_work_end(&work);
		ml_arena_release(&arena);
		return cmd_fail(&cmd_report, &err);
	}
	ml_sample_question_init(&q, &s, &arena);
	q.top = o->top ? o->top : 1;
	q.work = &work.work;
	ok = ml_sample_question_set(&q, o->select, NULL, NULL, NULL, NULL, NULL, &err) &&
	     ml_report_samples(&q, &r, &out, &err);
	cmd_work_end(&work);
	ok = ok && simulated_write(&work.work, path, &out, &err);
	if (ok && strcmp(path, "-") != 0)
		fprintf(stderr, "memlamp report: wrote %s\n", path);
	int status = ok ? EXIT_DONE : cmd_fail(&cmd_report, &err);
	ml_buf_release(&out);
	ml_arena_release(&arena);
	ml_samples_close(&s);
	return status;
}

static int run(int argc, char **argv)
{
	struct options o = { .mode = "misses", .top = 12 };
	struct simulated s;
	struct ml_report_options r = { 0 };
	struct ml_arena arena = { 0 };
	struct ml_buf out = { 0 };
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_report, &o, &argc, &argv, &status))
		return status;
	if (!ml_heat_mode_find(&r.mode, o.mode, &err))
		return cmd_misused(&cmd_report, "--mode: %s", err.text);
	if (!ml_trace_is(argv[0]) && ml_samples_is(argv[0])) {
		if (o.machine || o.phase || o.from || o.to)
			return cmd_misused(&cmd_report, "--machine, --phase, --from and "
							"--to are for traces");
		return report_samples(argv[0], &o);
	}
	if (o.select)
		return cmd_misused(&cmd_report, "--select is for samples");
	struct simulated_wish w = { .cmd = &cmd_report,
				    .trace = argv[0],
				    .machine = o.machine,
				    .without = o.without,
				    .phase = o.phase,
				    .from = o.from,
				    .to = o.to };
	const char *path = o.output ? o.output : output_of(argv[0], &arena);
	if (!take_output(path, &err) || !simulated_open(&s, &w, &err)) {
		ml_arena_release(&arena);
		return cmd_fail(&cmd_report, &err);
	}
	r.from = s.from;
	r.to = s.to;
	r.phase = o.phase;
	r.top = !o.top ? 1 : o.top < TOP_MAX ? o.top : TOP_MAX;
	r.no_source = o.no_source;
	r.work = &s.work.work;
	bool ok = ml_report(s.sim, &r, &out, &err);
	cmd_work_end(&s.work);
	ok = ok && simulated_write(&s.work.work, path, &out, &err);
	status = ok ? simulated_status(&s) : cmd_fail(&cmd_report, &err);
	if (ok && strcmp(path, "-") != 0)
		fprintf(stderr, "memlamp report: wrote %s\n", path);
	ml_buf_release(&out);
	ml_arena_release(&arena);
	simulated_close(&s);
	return status;
}

const struct cmd cmd_report = {
	.name = "report",
	.help = "write one HTML file: findings, timeline, source and heat maps",
	.operands = "TRACE|SAMPLES",
	.min_operands = 1,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};

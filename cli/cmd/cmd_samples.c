#include "cli/cmd.h"

#include <signal.h>
#include <string.h>

#include "cli/options.h"
#include "lib/query/workspace/say.h"
#include "cli/work.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/query/samples/sample_tables.h"
#include "lib/samples/read/read_samples.h"
#include "record/import/sample_symbols.h"

struct options {
	const char *select, *show, *csv, *by, *along, *tier, *metric, *empty;
	const char *columns, *types, *source, *hardware, *binary, *base, *levels;
	uint64_t top, windows, width, step, clusters, depth, l1_latency;
	bool json;
};

enum { TOP = 10 };

static const struct opt opts[] = {
	OPT_TEXT(
		"select", 's', "TEXT", select,
		"use only some samples: 'latency >= 100 and (cpu 0..7 or variable = m_x)'"),
	OPT_TEXT(
		"show", 0, "TABLE", show,
		"print one table: columns, levels, lines, functions, variables, cpus, threads, "
		"hardware, metrics, windows, clusters, related or special"),
	OPT_COUNT(
		"top", 'n', "N", top,
		"print at most N rows of each table (default: 10; all with --show, --json and --csv)"),
	OPT_TEXT("by", 0, "ORDER", by,
		 "order totals by cycles, samples or mean (default: cycles)"),
	OPT_TEXT("along", 'a', "COLUMN", along,
		 "column along which windows and clusters lie (default: time)"),
	OPT_TEXT(
		"tier", 0, "NAME", tier,
		"resources that windows and clusters are scored on: CPU, L1, L2, L3, NUMA (memory where there is one node), "
		"core, package or machine (default: CPU)"),
	OPT_TEXT("metric", 'm', "NAME", metric,
		 "join clusters by latency or imbalance (default: latency)"),
	OPT_TEXT(
		"empty", 0, "HOW", empty,
		"resources without samples: natural leaves them out of the latency and counts "
		"0 samples in the imbalance, skip leaves them out of both, zero counts 0 in "
		"both (default: natural)"),
	OPT_COUNT("windows", 0, "N", windows,
		  "number of windows of equal range (default: 20)"),
	OPT_COUNT("width", 'w', "N", width,
		  "samples in a window of clusters (default: about a 250th of all)"),
	OPT_COUNT("step", 0, "N", step,
		  "samples between two such windows (default: half the width)"),
	OPT_COUNT("clusters", 'k', "N", clusters, "number of clusters (default: 5)"),
	OPT_COUNT("depth", 0, "N", depth,
		  "cut the tree of clusters at this depth instead"),
	OPT_TEXT(
		"columns", 'c', "MAP", columns,
		"columns by heading or number: latency=weight,cpu=3 (default: by the headings)"),
	OPT_TEXT(
		"types", 't', "MAP", types,
		"types of columns: time=hex,id=names; a type is decimal, hex, signed, real or "
		"names (default: found by column)"),
	OPT_TEXT(
		"source", 0, "CODE", source,
		"how samples code the level that served them: pebs or perf (default: by the heading)"),
	OPT_TEXT("hardware", 0, "FILE", hardware,
		 "XML of hwloc or Mitos (default: hardware.xml of a Mitos folder)"),
	OPT_TEXT("binary", 'b', "FILE", binary,
		 "program or library of samples that have addresses only: names their "
		 "functions, lines and static variables by DWARF"),
	OPT_TEXT("base", 0, "ADDRESS", base,
		 "address that --binary was loaded at (default: found by the names of "
		 "functions)"),
	OPT_TEXT("levels", 0, "LIST", levels,
		 "levels of samples that have none, by latency: L1:14,L2:60,L3:200; more "
		 "is RAM"),
	OPT_COUNT("l1-latency", 0, "CYCLES", l1_latency,
		  "latency of a hit in L1, which AMD IBS does not measure (default: 4)"),
	OPT_FLAG("json", 0, json, "print JSON"),
	OPT_TEXT("csv", 0, "TABLE", csv, "print one table as CSV"),
	{ 0 },
};

/* Tables that are printed unless one is asked for; special only with a selection. */
static const char *const usual[] = { "levels", "lines",   "functions", "variables",
				     "cpus",   "metrics", NULL };

static void head_text(struct ml_say *s, const struct ml_samples *x,
		      const struct ml_sample_question *q)
{
	uint64_t chosen = ml_selection_count(&q->selected),
		 elsewhere = ml_samples_elsewhere(x);

	ml_say(s, "%s: %s %s of %zu %s (%s)\n", x->path, ml_say_count(s, x->rows),
	       ml_say_plural(x->rows, "sample", "samples"), x->count,
	       ml_say_plural(x->count, "column", "columns"), x->format);
	if (chosen != x->rows)
		ml_say(s, "%s %s selected (%s)\n", ml_say_count(s, chosen),
		       ml_say_plural(chosen, "is", "are"),
		       ml_say_percent(s, ml_say_share(chosen, x->rows)));
	if (*x->note)
		ml_say(s, "%s\n", x->note);
	if (x->skipped)
		ml_say(s, "%s records left out: no memory access, or repeated\n",
		       ml_say_count(s, x->skipped));
	if (x->bad)
		ml_say(s, "%s %s could not be read:\n", ml_say_count(s, x->bad),
		       ml_say_plural(x->bad, "line", "lines"));
	for (size_t i = 0; i < x->bad && i < ML_SAMPLES_BAD_SHOWN; i++)
		ml_say(s, "  line %s: %s\n", ml_say_count(s, x->bad_shown[i].line),
		       x->bad_shown[i].reason);
	if (!ml_samples_latency(x))
		ml_say(s, "no column tells the latency: cycles are 0 and means unknown; "
			  "-c latency=COLUMN names one\n");
	if (x->topology.count)
		ml_say(s, "hardware: %zu resources, %zu CPU numbers\n", x->topology.count,
		       x->topology.cpu_count);
	else
		ml_say(s,
		       "hardware: unknown; --hardware FILE reads XML of hwloc or Mitos\n");
	if (elsewhere)
		ml_say(s,
		       "%s %s of CPUs that this hardware does not have: is it that of another "
		       "machine?\n",
		       ml_say_count(s, elsewhere),
		       ml_say_plural(elsewhere, "sample is", "samples are"));
}

static bool print_text(const struct ml_samples *x, struct ml_sample_question *q,
		       struct ml_buf *out, struct ml_err *err)
{
	struct ml_say s;
	bool ok = true;

	ml_say_start(&s, out, cmd_width());
	head_text(&s, x, q);
	for (size_t i = 0; ok && usual[i]; i++) {
		struct ml_table t;
		size_t all;

		if (!ml_sample_table_has(usual[i], x))
			continue;
		ok = ml_sample_table(&t, &all, usual[i], q, err);
		if (ok) {
			ml_say(&s, "\n%s\n", usual[i]);
			ml_say_table(&s, &t, all, usual[i]);
		}
	}
	if (ok && ml_selection_count(&q->selected) - 1 < x->rows - 1) {
		struct ml_table t;
		size_t all;

		ok = ml_sample_table(&t, &all, "special", q, err);
		if (ok) {
			ml_say(&s, "\nspecial about the selection\n");
			ml_say_table(&s, &t, all, "columns");
		}
	}
	ml_say_end(&s);
	return ok;
}

static bool print_one(const char *name, struct ml_sample_question *q, bool csv,
		      struct ml_buf *out, struct ml_err *err)
{
	struct ml_table t;
	size_t all;

	if (!ml_sample_table(&t, &all, name, q, err))
		return false;
	if (csv)
		ml_table_csv(&t, out);
	else
		ml_table_print(&t, cmd_width(), out);
	ml_table_release(&t);
	return true;
}

static bool print_json(const struct ml_samples *x, struct ml_sample_question *q,
		       const char *only, struct ml_buf *out, struct ml_err *err)
{
	struct ml_json w = { .out = out, .indent = 2 };
	bool some = ml_selection_count(&q->selected) - 1 < x->rows - 1;

	ml_json_object(&w);
	ml_json_key_string(&w, "path", x->path);
	ml_json_key_string(&w, "format", x->format);
	ml_json_key_string(&w, "note", x->note);
	ml_json_key_u64(&w, "samples", x->rows);
	ml_json_key_u64(&w, "selected", ml_selection_count(&q->selected));
	ml_json_key_u64(&w, "skipped", x->skipped);
	ml_json_key_u64(&w, "bad", x->bad);
	for (size_t i = 0; ml_sample_table_names[i]; i++) {
		const char *name = ml_sample_table_names[i];
		struct ml_table t;
		size_t all;

		if (only ? strcmp(only, name) != 0
			 : !ml_sample_table_has(name, x) ||
				    (!strcmp(name, "special") && !some))
			continue;
		if (!ml_sample_table(&t, &all, name, q, err))
			return false;
		ml_json_key(&w, name);
		ml_table_json(&t, &w);
		ml_table_release(&t);
	}
	ml_json_end(&w);
	ml_buf_u8(out, '\n');
	return true;
}

static bool answer(const struct options *o, const struct ml_samples *s,
		   const struct ml_work *work, struct ml_buf *out, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct ml_sample_question q;

	ml_sample_question_init(&q, s, &a);
	q.windows = o->windows;
	q.width = o->width;
	q.step = o->step;
	q.clusters = o->clusters;
	q.depth = o->depth;
	q.work = work;
	q.top = o->top ? o->top : o->json || o->csv || o->show ? UINT64_MAX : TOP;
	bool ok = ml_sample_question_set(&q, o->select, o->by, o->empty, o->metric,
					 o->along, o->tier, err);
	if (ok)
		ok = o->json   ? print_json(s, &q, o->show, out, err)
		     : o->csv  ? print_one(o->csv, &q, true, out, err)
		     : o->show ? print_one(o->show, &q, false, out, err)
			       : print_text(s, &q, out, err);
	ml_arena_release(&a);
	return ok;
}

static int run(int argc, char **argv)
{
	struct options o = { .windows = 20,
			     .clusters = 5,
			     .depth = UINT64_MAX,
			     .l1_latency = ML_L1_LATENCY };
	struct ml_buf out = { 0 };
	struct ml_samples s;
	struct cmd_work work;
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_samples, &o, &argc, &argv, &status))
		return status;
	signal(SIGPIPE, SIG_DFL); /* `memlamp samples x | head` ends without a word */
	struct ml_read_options read = { o.columns,  o.types,      o.source,
					o.hardware, o.l1_latency, o.levels };
	uint64_t base = 0;
	if (o.base && (!o.binary || !options_number(o.base, 1000, &base)))
		return cmd_misused(&cmd_samples, "--base is an address of --binary FILE");
	struct ml_sample_binary binary = { o.binary, o.base != NULL, base };
	cmd_work_begin(&work);
	bool ok = ml_samples_open(&s, argv[0], &read, &work.work, &err);
	if (ok) {
		ok = ml_sample_symbols(&s, &binary, &err) &&
		     answer(&o, &s, &work.work, &out, &err);
		ml_samples_close(&s);
	}
	cmd_work_end(&work);
	status = ok ? cmd_print(&cmd_samples, &out) : cmd_fail(&cmd_samples, &err);
	ml_buf_release(&out);
	return status;
}

const struct cmd cmd_samples = {
	.name = "samples",
	.help = "show what samples of the hardware tell: offenders, metrics, clusters",
	.operands = "FILE|FOLDER",
	.min_operands = 1,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};

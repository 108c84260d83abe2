#include "cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "cli/text/flow_check_show.h"
#include "cli/text/flow_show.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/work.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/flow/count/count.h"
#include "lib/flow/run/experiment.h"
#include "lib/flow/flow.h"
#include "lib/flow/flow_text.h"
#include "lib/flow/read/open.h"
#include "lib/flow/run/print.h"
#include "lib/flow/run/span.h"
#include "lib/query/flow_check/flow_check.h"
#include "lib/trace/trace.h"

#define CHECK_MACHINE "L1 32K 8w 64B | L2 1M 16w"

enum { LOOPS_SHOWN = 12 };

struct options {
	const char *function, *set, *order, *tile, *machine, *check;
	uint64_t line, threshold, calls;
	struct opt_list layout, cc;
	bool json, no_causes, code, overlap;
};

static const struct opt opts[] = {
	OPT_TEXT("function", 'f', "NAME", function,
		 "read this function of a C file (default: the one with '#pragma scop', "
		 "else the one with most loops)"),
	OPT_TEXT("set", 's', "SIZES", set,
		 "simulate with these parameters, as in n=9,m=10"),
	OPT_COUNT("line", 0, "BYTES", line,
		  "bytes of a cache line (default: that of --machine, or 64)"),
	OPT_COUNT("threshold", 0, "LINES", threshold,
		  "count a miss where the stack distance is LINES or more (default: 10)"),
	OPT_LIST("layout", 'l', "CONTAINER=LAYOUT", layout,
		 "lay a container out as row, col, order:2,0,1, pad:N, offset:N or "
		 "align:N, joined by +; may be given several times"),
	OPT_TEXT(
		"order", 0, "LOOPS", order,
		"run the loops of a nest in this order, the outermost first, as in k,i,j"),
	OPT_TEXT("tile", 0, "LOOP=N", tile,
		 "tile loops by so many iterations, as in i=32,k=32"),
	OPT_TEXT(
		"machine", 'm', "MACHINE", machine,
		"also simulate this machine: \"L1 32K 8w | L2 1M\", a preset, or 'host'"),
	OPT_FLAG("no-causes", 0, no_causes,
		 "do not say why the first level missed; several times as fast"),
	OPT_TEXT("check", 0, "TRACE", check,
		 "compare with a recorded run of the same function at the sizes set"),
	OPT_COUNT("calls", 0, "N", calls,
		  "how often the function ran in the trace of --check (default: 1)"),
	OPT_LIST("cc", 0, "OPTION", cc,
		 "give OPTION to the C preprocessor, as in --cc=-DN=10"),
	OPT_FLAG("code", 0, code,
		 "print the loops and computations as text, and nothing else"),
	OPT_FLAG(
		"overlap", 0, overlap,
		"take pointers without 'restrict' to lead to the same memory where their "
		"types allow it"),
	OPT_FLAG("json", 0, json, "print JSON"),
	{ 0 },
};

static void print_count(const struct ml_flow *f, const char *what,
			const struct ml_flow_count *c, struct ml_buf *out)
{
	ml_buf_printf(out, "%-12s ", what);
	ml_flow_count_print(c, f, out);
	ml_buf_printf(out, "%s%s\n", c->kind == ML_FLOW_FITTED ? "  (fitted)" : "",
		      c->bounded ? "  (upper bound)" : "");
}

static void print_span(const struct ml_flow *f, const struct ml_flow_counts *c,
		       const struct ml_flow_span *s, struct ml_buf *out)
{
	const char *comma = "loops        ";

	print_count(f, "depth", &s->depth[0], out);
	ml_buf_text(out, "parallelism  ");
	ml_flow_print_ratio(f, &c->all_ops, &s->depth[0], out);
	ml_buf_text(out, " operations at a time\n");
	size_t shown = 0;
	for (size_t i = 0; i < f->node_count; i++) {
		const struct ml_flow_node *n = &f->node[i];

		if (n->kind != ML_FLOW_FOR || shown++ >= LOOPS_SHOWN)
			continue;
		ml_buf_printf(out, "%s%s%s", comma, f->names[n->symbol], " ");
		if (n->line)
			ml_buf_printf(out, "(line %u) ", (unsigned)n->line);
		ml_buf_text(out, ml_carried_names[s->carried[i]]);
		comma = ", ";
	}
	if (shown > LOOPS_SHOWN)
		ml_buf_printf(out, " and %zu more", shown - LOOPS_SHOWN);
	if (shown)
		ml_buf_text(out, "\n");
	for (size_t i = 0, said = 0; i < f->node_count && said < LOOPS_SHOWN; i++)
		if (s->why[i]) {
			ml_buf_printf(
				out, "  %s (line %u): %s%s\n",
				f->names[f->node[i].symbol], (unsigned)f->node[i].line,
				s->carried[i] == ML_CARRIED_OPEN ? "not known, because "
								 : "",
				s->why[i]);
			said++;
		}
	if (s->missing)
		ml_buf_printf(out, "note: %s; loops are taken to run in order\n",
			      s->missing);
}

static void print_symbolic(const struct ml_flow *f, const struct ml_flow_counts *c,
			   const struct ml_flow_span *span, struct ml_buf *out)
{
	ml_buf_printf(out, "%s, %s\n", f->function, f->dialect);
	for (uint32_t i = 0; i < f->container_count; i++) {
		const struct ml_flow_container *x = &f->container[i];

		if (x->scalar)
			continue;
		ml_buf_printf(out, "\n%s", x->name);
		ml_flow_print_shape(f, i, out);
		ml_buf_printf(out, " of %s, %u bytes\n", x->type, (unsigned)x->element);
		print_count(f, "  read", &c->read[i], out);
		print_count(f, "  written", &c->written[i], out);
	}
	ml_buf_text(out, "\n");
	print_count(f, "bytes", &c->all_bytes, out);
	print_count(f, "operations", &c->all_ops, out);
	for (int i = 0; i < ML_FLOW_OPS; i++)
		if (c->ops[i].poly.count || c->ops[i].kind == ML_FLOW_NO_FORM) {
			char name[20];

			snprintf(name, sizeof(name), "  %s", ml_flow_op_names[i]);
			print_count(f, name, &c->ops[i], out);
		}
	ml_buf_text(out, "intensity    ");
	ml_flow_print_intensity(f, c, out);
	ml_buf_text(out, " operations a byte\n");
	print_span(f, c, span, out);
	for (size_t i = 0; i < c->condition_count; i++) {
		ml_buf_text(out, i ? "             " : "right where  ");
		ml_poly_print(c->condition[i], f->names, out);
		ml_buf_text(out, " >= 0\n");
	}
	if (!c->all_bytes.poly.count && c->all_bytes.kind != ML_FLOW_NO_FORM)
		ml_buf_text(out, "note: no array is accessed, so nothing moves\n");
	for (size_t i = 0; i < f->note_count; i++)
		ml_buf_printf(out, "note: %s\n", f->note[i]);
}

/* "B=col;A=row" of several options. */
static const char *joined(const struct opt_list *l, struct ml_arena *a)
{
	const char *text = NULL;

	for (size_t i = 0; i < l->count; i++)
		text = text ? ml_arena_printf(a, "%s;%s", text, l->items[i])
			    : l->items[i];
	return text;
}

/* Whether sizes must be chosen before anything can be simulated. */
static bool has_free_size(const struct ml_flow *f)
{
	for (size_t i = 0; i < f->symbol_count; i++)
		if (f->symbol[i].kind <= ML_FLOW_TRIPS)
			return true;
	return false;
}

static void print_json(const char *path, const struct ml_flow *f,
		       const struct ml_flow_counts *counts,
		       const struct ml_flow_span *span, const struct ml_experiment *x,
		       const struct ml_flow_check *check, struct ml_buf *out)
{
	struct ml_json w = { .out = out, .indent = 2 };

	ml_json_object(&w);
	ml_json_key_string(&w, "file", path);
	ml_flow_json(f, counts, &w);
	ml_flow_span_json(span, f, counts, &w);
	if (x) {
		ml_json_key_object(&w, "at");
		ml_experiment_json(x, &w);
		ml_json_end(&w);
	}
	if (check) {
		ml_json_key_object(&w, "check");
		ml_flow_check_json(check, f, &w);
		ml_json_end(&w);
	}
	ml_json_end(&w);
}

/* Both sides on a machine: that of the user, or a usual one. */
static bool compare(const char *path, const struct ml_flow *f,
		    const struct ml_flow_counts *counts, const struct ml_experiment *x,
		    struct ml_flow_check *k, struct ml_err *err)
{
	struct ml_trace t;

	if (x->changes)
		return ml_fail(err, ML_USAGE,
			       "--check compares the program as it was recorded, without "
			       "--layout, --order and --tile");
	if (!ml_trace_open(&t, path, err))
		return false;
	bool ok = ml_flow_check_run(k, f, counts, x, &t, x->work, err);
	ml_trace_close(&t);
	return ok;
}

static int run(int argc, char **argv)
{
	struct options o = { .threshold = 10, .line = UINT64_MAX };
	struct ml_flow_options how = { 0 };
	struct ml_flow_counts counts = { 0 };
	struct ml_flow_span span;
	struct ml_arena a = { 0 };
	struct ml_buf out = { 0 };
	struct ml_flow_check check = { 0 };
	struct cmd_work work;
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_flow, &o, &argc, &argv, &status))
		return status;
	if (!o.line || (o.line > 1 << 20 && o.line != UINT64_MAX))
		return cmd_misused(&cmd_flow, "--line must be 1 to 1048576 bytes");
	if (o.calls && !o.check)
		return cmd_misused(&cmd_flow, "--calls needs --check");
	how.function = o.function;
	how.overlap = o.overlap;
	const char *args[OPT_LIST_MAX + 1] = { NULL };
	memcpy(args, o.cc.items, o.cc.count * sizeof(*args));
	how.args = args;
	how.headers = cmd_path_headers(&a);
	struct ml_flow *f = ml_flow_open(argv[0], &how, &err);
	if (!f) {
		ml_arena_release(&a);
		return cmd_fail(&cmd_flow, &err);
	}
	ml_flow_counts_make(&counts, f);
	ml_flow_span_make(&span, f, &counts);
	struct ml_experiment x = { .set = o.set,
				   .layout = joined(&o.layout, &a),
				   .order = o.order,
				   .tile = o.tile,
				   .machine = o.machine || !o.check ? o.machine
								    : CHECK_MACHINE,
				   .line = o.line == UINT64_MAX ? 0 : o.line,
				   .threshold = o.threshold,
				   .no_causes = o.no_causes,
				   .calls = o.calls,
				   .work = &work.work };
	bool whole = x.set || x.layout || x.order || x.tile || x.machine ||
		     !has_free_size(f);
	cmd_work_begin(&work);
	bool ok = !whole || ml_experiment_run(&x, f, &err);
	if (ok && o.check)
		ok = compare(o.check, f, &counts, &x, &check, &err);
	cmd_work_end(&work);
	if (ok && o.code) {
		struct ml_flow_text l;

		ml_flow_text_make(&l, f, &a);
		ml_flow_text_print(&l, &out);
	} else if (ok && o.json) {
		print_json(argv[0], f, &counts, &span, whole ? &x : NULL,
			   o.check ? &check : NULL, &out);
	} else if (ok) {
		print_symbolic(f, &counts, &span, &out);
		if (o.check)
			flow_check_show(&check, f, &out);
		else if (whole)
			flow_show(&x, &out);
	}
	status = ok ? cmd_print(&cmd_flow, &out) : cmd_fail(&cmd_flow, &err);
	ml_flow_check_release(&check);
	ml_experiment_release(&x);
	ml_flow_span_release(&span);
	ml_flow_counts_release(&counts);
	ml_flow_close(f);
	ml_arena_release(&a);
	ml_buf_release(&out);
	return status;
}

const struct cmd cmd_flow = {
	.name = "flow",
	.help = "say what data a C function or an .sdfg moves, without running it",
	.operands = "FILE",
	.min_operands = 1,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};

#include "cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/work.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/table.h"
#include "lib/flow/count.h"
#include "lib/flow/flow.h"
#include "lib/flow/layout.h"
#include "lib/flow/locality.h"
#include "lib/flow/open.h"
#include "lib/flow/print.h"

struct options {
	const char *function, *set;
	uint64_t line, threshold;
	struct opt_list layout, cc;
	bool json;
};

static const struct opt opts[] = {
	OPT_TEXT("function", 'f', "NAME", function,
		 "read this function of a C file (default: the one with '#pragma scop', "
		 "else the one with most loops)"),
	OPT_TEXT("set", 's', "SIZES", set,
		 "simulate with these parameters, as in n=9,m=10"),
	OPT_COUNT("line", 0, "BYTES", line, "bytes of a cache line (default: 64)"),
	OPT_COUNT("threshold", 0, "LINES", threshold,
		  "count a miss where the stack distance is LINES or more (default: 10)"),
	OPT_LIST("layout", 'l', "CONTAINER=LAYOUT", layout,
		 "lay a container out as row, col, order:2,0,1, pad:N, offset:N or "
		 "align:N, joined by +; may be given several times"),
	OPT_LIST("cc", 0, "OPTION", cc,
		 "give OPTION to the C preprocessor, as in --cc=-DN=10"),
	OPT_FLAG("json", 0, json, "print JSON"),
	{ 0 },
};

static bool simulate(struct ml_locality *l, const struct options *o, struct ml_arena *a,
		     struct ml_err *err)
{
	const struct ml_flow *f = l->walk.flow;
	struct ml_flow_container *c = ml_layout_copy(a, f);
	int64_t *value;
	bool *known;

	for (size_t i = 0; i < o->layout.count; i++)
		if (!ml_layout_apply(a, f, c, o->layout.items[i], err))
			return false;
	if (!ml_flow_values(f, o->set, a, &value, &known, err))
		return false;
	l->walk.container = c;
	l->walk.value = value;
	l->walk.known = known;
	l->walk.line = o->line;
	l->threshold = o->threshold;
	return ml_locality_run(l, err);
}

static void print_count(const struct ml_flow *f, const char *what,
			const struct ml_flow_count *c, struct ml_buf *out)
{
	ml_buf_printf(out, "%-12s ", what);
	ml_flow_count_print(c, f, out);
	ml_buf_printf(out, "%s%s\n", c->kind == ML_FLOW_FITTED ? "  (fitted)" : "",
		      c->bounded ? "  (upper bound)" : "");
}

static void print_symbolic(const struct ml_flow *f, const struct ml_flow_counts *c,
			   struct ml_buf *out)
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
	for (size_t i = 0; i < c->condition_count; i++) {
		ml_buf_text(out, i ? "             " : "right where  ");
		ml_poly_print(c->condition[i], f->names, out);
		ml_buf_text(out, " >= 0\n");
	}
	for (size_t i = 0; i < f->note_count; i++)
		ml_buf_printf(out, "note: %s\n", f->note[i]);
}

static void print_at(const struct ml_locality *l, struct ml_buf *out)
{
	static const struct ml_column columns[] = {
		{ "container", .kind = ML_COLUMN_TEXT },
		{ "reads", .kind = ML_COLUMN_COUNT },
		{ "writes", .kind = ML_COLUMN_COUNT },
		{ "unplaced", .kind = ML_COLUMN_COUNT },
		{ "cold", .kind = ML_COLUMN_COUNT },
		{ "misses", .kind = ML_COLUMN_COUNT },
		{ "bytes", .kind = ML_COLUMN_COUNT, .heading = "bytes moved" },
	};
	struct ml_table t = { .columns = columns, .width = 7 };
	const struct ml_flow *f = l->walk.flow;

	ml_buf_printf(
		out,
		"\nlines of %llu bytes, a miss is a distance of %llu lines or more\n",
		(unsigned long long)l->walk.line, (unsigned long long)l->threshold);
	for (size_t i = 0; i < f->container_count; i++) {
		const struct ml_locality_container *c = &l->container[i];

		if (f->container[i].scalar)
			continue;
		ml_table_text(&t, f->container[i].name);
		ml_table_count(&t, c->reads);
		ml_table_count(&t, c->writes);
		ml_table_count(&t, l->walk.placed[i].unplaced);
		ml_table_count(&t, c->cold);
		ml_table_count(&t, c->misses);
		ml_table_count(&t, (c->cold + c->misses) * l->walk.line);
	}
	ml_table_print(&t, cmd_width(), out);
	ml_table_release(&t);
}

static int run(int argc, char **argv)
{
	struct options o = { .line = 64, .threshold = 10 };
	struct ml_flow_options how = { 0 };
	struct ml_flow_counts counts = { 0 };
	struct ml_locality l = { 0 };
	struct ml_arena a = { 0 };
	struct ml_buf out = { 0 };
	struct cmd_work work;
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_flow, &o, &argc, &argv, &status))
		return status;
	if (!o.line || o.line > 1 << 20)
		return cmd_misused(&cmd_flow, "--line must be 1 to 1048576 bytes");
	how.function = o.function;
	const char *args[OPT_LIST_MAX + 1] = { NULL };
	memcpy(args, o.cc.items, o.cc.count * sizeof(*args));
	how.args = args;
	struct ml_flow *f = ml_flow_open(argv[0], &how, &err);
	if (!f)
		return cmd_fail(&cmd_flow, &err);
	ml_flow_counts_make(&counts, f);
	bool whole = o.set || o.layout.count;
	/* nothing to choose: the sizes are in the program */
	bool free_size = false;
	for (size_t i = 0; i < f->symbol_count; i++)
		free_size |= f->symbol[i].kind <= ML_FLOW_TRIPS;
	whole |= !free_size;
	cmd_work_begin(&work);
	l.walk.flow = f;
	l.walk.work = &work.work;
	bool ok = !whole || simulate(&l, &o, &a, &err);
	cmd_work_end(&work);
	if (ok && o.json) {
		struct ml_json w = { .out = &out, .indent = 2 };

		ml_json_object(&w);
		ml_json_key_string(&w, "file", argv[0]);
		ml_flow_json(f, &counts, &w);
		if (whole) {
			ml_json_key_object(&w, "at");
			ml_flow_json_at(&l, &w);
			ml_json_end(&w);
		}
		ml_json_end(&w);
	} else if (ok) {
		print_symbolic(f, &counts, &out);
		if (whole)
			print_at(&l, &out);
	}
	status = ok ? cmd_print(&cmd_flow, &out) : cmd_fail(&cmd_flow, &err);
	ml_locality_release(&l);
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

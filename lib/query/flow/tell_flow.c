#include "lib/query/flow/tell_flow.h"

#include <string.h>

#include "lib/flow/count/count.h"
#include "lib/flow/flow.h"
#include "lib/flow/flow_text.h"
#include "lib/flow/read/open.h"
#include "lib/flow/run/print.h"
#include "lib/flow/run/span.h"
#include "lib/query/drawing/sections.h"
#include "lib/query/workspace/ask.h"

#define WHAT "a program that is not run"

/* A page draws the formulas with all sizes at this one. */
enum { SIZE = 100 };

struct flow {
	struct ml_flow *f;
	struct ml_flow_counts counts;
	struct ml_flow_span span;
};

static bool open_flow(struct flow *x, const char *path, const struct ml_ask *q,
		      struct ml_err *err)
{
	struct ml_flow_options o = { .headers = q->headers };

	x->f = ml_flow_open(path, &o, err);
	if (!x->f)
		return false;
	ml_flow_counts_make(&x->counts, x->f);
	ml_flow_span_make(&x->span, x->f, &x->counts);
	return true;
}

static void close_flow(struct flow *x)
{
	ml_flow_span_release(&x->span);
	ml_flow_counts_release(&x->counts);
	ml_flow_close(x->f);
}

/* The formula of a count, and whether it is an upper bound. */
static const char *formula(const struct flow *x, const struct ml_flow_count *c,
			   struct ml_arena *a)
{
	struct ml_buf text = { 0 };

	ml_flow_count_print(c, x->f, &text);
	if (c->bounded)
		ml_buf_text(&text, " (upper bound)");
	const char *copy = ml_arena_copy(a, text.data, text.size);
	ml_buf_release(&text);
	return copy;
}

static const char *shape(const struct flow *x, uint32_t container, struct ml_arena *a)
{
	struct ml_buf text = { 0 };

	ml_flow_print_shape(x->f, container, &text);
	ml_buf_printf(&text, " of %s", x->f->container[container].type);
	const char *copy = ml_arena_copy(a, text.data, text.size);
	ml_buf_release(&text);
	return copy;
}

static void put_containers(struct ml_sections *s, const struct flow *x)
{
	static const struct ml_column columns[] = {
		{ "container", .kind = ML_COLUMN_TEXT },
		{ "shape", .kind = ML_COLUMN_TEXT },
		{ "read", .kind = ML_COLUMN_TEXT, .heading = "bytes read" },
		{ "written", .kind = ML_COLUMN_TEXT, .heading = "bytes written" },
	};
	struct ml_table t = { .columns = columns, .width = 4 };

	for (uint32_t i = 0; i < x->f->container_count; i++) {
		if (x->f->container[i].scalar)
			continue;
		ml_table_text(&t, x->f->container[i].name);
		ml_table_text(&t, shape(x, i, &s->arena));
		ml_table_text(&t, formula(x, &x->counts.read[i], &s->arena));
		ml_table_text(&t, formula(x, &x->counts.written[i], &s->arena));
	}
	ml_sections_table(s, "containers", "Containers", NULL, &t, 0);
}

static void put_loops(struct ml_sections *s, const struct flow *x)
{
	static const struct ml_column columns[] = {
		{ "loop", .kind = ML_COLUMN_TEXT },
		{ "line", .kind = ML_COLUMN_COUNT },
		{ "runs", .kind = ML_COLUMN_TEXT, .heading = "entered" },
		{ "iterations", .kind = ML_COLUMN_TEXT, .heading = "iterations are" },
	};
	struct ml_table t = { .columns = columns, .width = 4 };

	for (size_t i = 0; i < x->f->node_count; i++) {
		const struct ml_flow_node *n = &x->f->node[i];

		if (n->kind != ML_FLOW_FOR)
			continue;
		ml_table_text(&t, x->f->names[n->symbol]);
		if (n->line)
			ml_table_count(&t, n->line);
		else
			ml_table_no_value(&t);
		ml_table_text(&t, formula(x, &x->counts.runs[i], &s->arena));
		ml_table_text(&t, ml_carried_names[x->span.carried[i]]);
	}
	ml_sections_table(s, "loops", "Loops", NULL, &t, 0);
}

static void put_operations(struct ml_sections *s, const struct flow *x)
{
	static const struct ml_column columns[] = {
		{ "operation", .kind = ML_COLUMN_TEXT },
		{ "count", .kind = ML_COLUMN_TEXT },
	};
	struct ml_table t = { .columns = columns, .width = 2 };

	for (int i = 0; i < ML_FLOW_OPS; i++) {
		const struct ml_flow_count *c = &x->counts.ops[i];

		if (!c->poly.count && c->kind != ML_FLOW_NO_FORM)
			continue;
		ml_table_text(&t, ml_flow_op_names[i]);
		ml_table_text(&t, formula(x, c, &s->arena));
	}
	ml_sections_table(s, "operations", "Operations", NULL, &t, 0);
}

static const char *parameters(const struct flow *x, struct ml_arena *a)
{
	const char *text = "";

	for (size_t i = 0; i < x->f->symbol_count; i++)
		if (x->f->symbol[i].kind <= ML_FLOW_TRIPS)
			text = ml_arena_printf(a, "%s%s%s", text, *text ? ", " : "",
					       x->f->names[i]);
	return text;
}

static void put_facts(struct ml_sections *s, const struct flow *x)
{
	struct ml_buf intensity = { 0 };

	ml_sections_text(s, "function", x->f->function);
	ml_sections_text(s, "language", x->f->dialect);
	ml_sections_text(s, "parameters", parameters(x, &s->arena));
	ml_sections_text(s, "bytes", formula(x, &x->counts.all_bytes, &s->arena));
	ml_sections_text(s, "all_operations", formula(x, &x->counts.all_ops, &s->arena));
	ml_sections_text(s, "depth", formula(x, &x->span.depth[0], &s->arena));
	ml_flow_print_intensity(x->f, &x->counts, &intensity);
	ml_sections_text(s, "operations_a_byte",
			 ml_arena_copy(&s->arena, intensity.data, intensity.size));
	ml_buf_release(&intensity);
	if (x->f->function_count > 1) {
		const char *names = "";

		for (size_t i = 0; i < x->f->function_count; i++)
			names = ml_arena_printf(&s->arena, "%s%s%s", names, i ? ", " : "",
						x->f->function_list[i]);
		ml_sections_text(s, "functions", names);
	}
	for (size_t i = 0; i < x->f->note_count; i++)
		ml_sections_note(s, "%s", x->f->note[i]);
	if (x->span.missing)
		ml_sections_note(s, "%s; loops are taken to run in order",
				 x->span.missing);
}

/* What moves of each container, with all sizes at SIZE. */
static void put_bars(struct ml_sections *s, const struct flow *x)
{
	const struct ml_flow *f = x->f;
	struct ml_bar *bars = ml_arena_alloc(&s->arena,
					     (f->container_count + 1) * sizeof(*bars));
	int64_t *value = ml_arena_alloc(&s->arena,
					(f->symbol_count + 1) * sizeof(*value));
	size_t n = 0;

	for (size_t i = 0; i < f->symbol_count; i++)
		value[i] = SIZE;
	ml_flow_count_atoms(f, value);
	for (size_t i = 0; i < f->container_count; i++) {
		const struct ml_flow_count *r = &x->counts.read[i],
					   *w = &x->counts.written[i];
		char text[ML_NUMBER_ROOM];

		if (f->container[i].scalar || r->kind == ML_FLOW_NO_FORM ||
		    w->kind == ML_FLOW_NO_FORM)
			continue;
		double bytes = ml_poly_real(r->poly, value) +
			       ml_poly_real(w->poly, value);
		if (!(bytes >= 0))
			continue;
		bars[n++] = (struct ml_bar){
			f->container[i].name,
			ml_arena_strdup(&s->arena,
					ml_format_bytes(text, (uint64_t)bytes)),
			bytes
		};
	}
	ml_sections_bars(
		s, "moved", "Moved",
		*parameters(x, &s->arena)
			? ml_arena_printf(&s->arena,
					  "Bytes read and written of each container, "
					  "with all parameters at %d.",
					  SIZE)
			: "Bytes read and written of each container.",
		bars, n);
}

static void put_listing(struct ml_sections *s, const struct flow *x)
{
	struct ml_flow_text l;
	struct ml_buf text = { 0 };

	ml_flow_text_make(&l, x->f, &s->arena);
	ml_flow_text_print(&l, &text);
	ml_sections_listing(s, "program", "Loops and computations",
			    (const char *)text.data, text.size);
	ml_buf_release(&text);
}

static bool tell(const char *path, const struct ml_ask *q, bool page, struct ml_told *t,
		 struct ml_err *err)
{
	struct ml_sections s = { .path = path, .what = WHAT, .rows = ml_ask_rows(q) };
	struct flow x;

	if (!open_flow(&x, path, q, err))
		return false;
	if (page && !q->top)
		s.rows = SIZE_MAX;
	put_facts(&s, &x);
	if (page)
		put_bars(&s, &x);
	put_containers(&s, &x);
	put_operations(&s, &x);
	put_loops(&s, &x);
	bool ok = true;
	if (page) {
		put_listing(&s, &x);
		ml_sections_html(&s, &t->out);
	} else {
		ok = ml_sections_tell(&s, q, t, err);
	}
	close_flow(&x);
	ml_sections_release(&s);
	return ok;
}

bool ml_flow_info(const char *path, const struct ml_ask *q, struct ml_told *t,
		  struct ml_err *err)
{
	return tell(path, q, false, t, err);
}

bool ml_flow_report(const char *path, const struct ml_ask *q, struct ml_told *t,
		    struct ml_err *err)
{
	return tell(path, q, true, t, err);
}

/* ---- two flows ---- */

static void put_pair(struct ml_table *t, const char *name, const char *what,
		     const char *a, const char *b)
{
	ml_table_text(t, !a              ? "only B"
			 : !b            ? "only A"
			 : !strcmp(a, b) ? "same"
					 : "differs");
	ml_table_text(t, name);
	ml_table_text(t, what);
	ml_table_text(t, a);
	ml_table_text(t, b);
}

static const char *moved(const struct flow *x, const char *name, bool written,
			 struct ml_arena *a)
{
	uint32_t i = ml_flow_find_container(x->f, name);

	return i == UINT32_MAX ? NULL
	       : written       ? formula(x, &x->counts.written[i], a)
			       : formula(x, &x->counts.read[i], a);
}

static void put_container(struct ml_table *t, const struct flow *a, const struct flow *b,
			  const char *name, struct ml_arena *arena)
{
	put_pair(t, name, "bytes read", moved(a, name, false, arena),
		 moved(b, name, false, arena));
	put_pair(t, name, "bytes written", moved(a, name, true, arena),
		 moved(b, name, true, arena));
}

static void compare(struct ml_sections *s, const struct flow *a, const struct flow *b)
{
	static const struct ml_column columns[] = {
		{ "state", .kind = ML_COLUMN_TEXT, .heading = "" },
		{ "of", .kind = ML_COLUMN_TEXT },
		{ "what", .kind = ML_COLUMN_TEXT },
		{ "a", .kind = ML_COLUMN_TEXT, .heading = "A" },
		{ "b", .kind = ML_COLUMN_TEXT, .heading = "B" },
	};
	struct ml_table totals = { .columns = columns, .width = 5 }, containers = totals;
	struct ml_arena *m = &s->arena;

	put_pair(&totals, "all", "parameters", parameters(a, m), parameters(b, m));
	put_pair(&totals, "all", "bytes", formula(a, &a->counts.all_bytes, m),
		 formula(b, &b->counts.all_bytes, m));
	put_pair(&totals, "all", "operations", formula(a, &a->counts.all_ops, m),
		 formula(b, &b->counts.all_ops, m));
	put_pair(&totals, "all", "depth", formula(a, &a->span.depth[0], m),
		 formula(b, &b->span.depth[0], m));
	for (size_t i = 0; i < a->f->container_count; i++)
		if (!a->f->container[i].scalar)
			put_container(&containers, a, b, a->f->container[i].name, m);
	for (size_t i = 0; i < b->f->container_count; i++) {
		const char *name = b->f->container[i].name;

		if (!b->f->container[i].scalar &&
		    ml_flow_find_container(a->f, name) == UINT32_MAX)
			put_container(&containers, a, b, name, m);
	}
	ml_sections_table(s, "totals", "Totals", NULL, &totals, 0);
	ml_sections_table(s, "containers", "Containers", NULL, &containers, 0);
}

bool ml_flow_diff(const char *const path[2], const struct ml_ask *q, struct ml_told *t,
		  struct ml_err *err)
{
	struct ml_sections s = {
		.path = path[0], .second = path[1], .what = WHAT, .rows = ml_ask_rows(q)
	};
	struct flow a, b;

	if (!open_flow(&a, path[0], q, err))
		return false;
	bool ok = open_flow(&b, path[1], q, err);
	if (ok) {
		compare(&s, &a, &b);
		ok = ml_sections_tell(&s, q, t, err);
		close_flow(&b);
	}
	close_flow(&a);
	ml_sections_release(&s);
	return ok;
}

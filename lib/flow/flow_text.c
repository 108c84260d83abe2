#include "lib/flow/flow_text.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/flow/flow.h"

struct lister {
	struct ml_flow_text *l;
	const struct ml_flow *f;
	struct ml_arena *arena;
	struct ml_buf text; /* of the line under way */
};

static void end_line(struct lister *x, uint32_t node, uint32_t depth)
{
	struct ml_flow_text *l = x->l;

	if (l->count == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 64;
		struct ml_flow_line *more = ml_arena_alloc(x->arena, cap * sizeof(*more));

		if (l->count)
			memcpy(more, l->line, l->count * sizeof(*more));
		l->line = more;
		l->cap = cap;
	}
	l->line[l->count++] = (struct ml_flow_line){
		node, depth,
		ml_arena_copy(x->arena, x->text.size ? (const char *)x->text.data : "",
			      x->text.size)
	};
	x->text.size = 0;
}

static void put_range(struct lister *x, const struct ml_flow_range *r, bool single)
{
	const char *const *names = x->f->names;

	ml_sym_print(r->from, names, &x->text);
	if (single || ml_sym_equal(r->from, r->to))
		return;
	ml_buf_text(&x->text, " to ");
	ml_sym_print(r->to, names, &x->text);
	if (r->step && !ml_sym_is(r->step, 1)) {
		ml_buf_text(&x->text, " by ");
		ml_sym_print(r->step, names, &x->text);
	}
}

static void put_access(struct lister *x, const struct ml_flow_access *a)
{
	const struct ml_flow_container *c = &x->f->container[a->container];

	if (a->connector)
		ml_buf_printf(&x->text, "%s %s %s", a->connector, a->write ? ">>" : "<<",
			      c->name);
	else
		ml_buf_printf(&x->text, "%s %s", a->write ? "write" : "read", c->name);
	if (!a->dims && !a->linear) {
		ml_buf_text(&x->text, "[?]"); /* data decide */
		return;
	}
	ml_buf_text(&x->text, "[");
	for (uint32_t d = 0; d < a->dims; d++) {
		if (d)
			ml_buf_text(&x->text, ", ");
		put_range(x, &a->range[d], a->single);
	}
	if (!a->dims)
		ml_sym_print(a->linear, x->f->names, &x->text);
	ml_buf_text(&x->text, "]");
}

static void put_accesses(struct lister *x, const struct ml_flow_node *n, uint32_t depth,
			 bool write)
{
	for (size_t i = 0; i < n->access_count; i++)
		if (n->access[i].write == write) {
			put_access(x, &n->access[i]);
			end_line(x, n->number, depth);
		}
}

/* The code line by line, as it is indented in the file. */
static void put_code(struct lister *x, const struct ml_flow_node *n, uint32_t depth)
{
	for (const char *at = n->code; at && *at;) {
		size_t size = strcspn(at, "\n");

		if (strspn(at, " \t\r") < size) {
			ml_buf_put(&x->text, at, size - (at[size - 1] == '\r'));
			end_line(x, n->number, depth);
		}
		at += size + (at[size] == '\n');
	}
}

static void put_node(struct lister *x, uint32_t number, uint32_t depth)
{
	const struct ml_flow_node *n = &x->f->node[number];
	const char *const *names = x->f->names;

	if (n->kind == ML_FLOW_FOR) {
		ml_buf_printf(&x->text, "%s %s = ", n->parallel ? "map" : "for",
			      names[n->symbol]);
		ml_sym_print(n->from, names, &x->text);
		ml_buf_text(&x->text, " to ");
		ml_sym_print(n->to, names, &x->text);
		if (n->step != 1)
			ml_buf_printf(&x->text, " by %" PRId64, n->step);
	} else if (n->kind == ML_FLOW_IF) {
		ml_buf_text(&x->text, "if ");
		ml_sym_print(n->condition, names, &x->text);
	} else
		ml_buf_text(&x->text, n->label);
	ml_buf_text(&x->text, ":");
	end_line(x, number, depth);
	if (n->kind == ML_FLOW_WORK) {
		put_accesses(x, n, depth + 1, false);
		put_code(x, n, depth + 1);
		put_accesses(x, n, depth + 1, true);
	}
	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = x->f->node[c].next)
		put_node(x, c, depth + 1);
}

void ml_flow_text_make(struct ml_flow_text *l, const struct ml_flow *f,
		       struct ml_arena *a)
{
	struct lister x = { .l = l, .f = f, .arena = a };

	*l = (struct ml_flow_text){ 0 };
	if (f->node_count)
		put_node(&x, 0, 0);
	ml_buf_release(&x.text);
}

void ml_flow_text_print(const struct ml_flow_text *l, struct ml_buf *out)
{
	for (size_t i = 0; i < l->count; i++)
		ml_buf_printf(out, "%*s%s\n", (int)(4 * l->line[i].depth), "",
			      l->line[i].text);
}

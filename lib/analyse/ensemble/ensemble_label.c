/* Labels of members: the values of the parameters in which they differ. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/buf.h"
#include "lib/base/map.h"
#include "lib/cache/machine/policy.h"

/* A parameter by name, and its value for each member (or NULL). */
struct column {
	/* kind: the last word of the name, "size" of "L1 size" */
	const char *name, *kind;
	const char **value;
	bool varies;
	bool shared; /* another column has words of its name too */
};

struct labels {
	struct ml_ensemble *e;
	struct ml_names names; /* numbers of columns */
	struct column *columns;
	size_t count, cap;
	size_t given; /* the first columns were given; the others are read off the
			 machines */
	struct ml_arena arena;
};

static struct column *column_of(struct labels *l, const char *name)
{
	uint32_t number = ml_names_add(&l->names, name);

	if (number == l->count) {
		l->columns = ml_grow(l->columns, &l->cap, l->count + 1,
				     sizeof(*l->columns));
		struct column *c = &l->columns[l->count++];
		const char *blank = strrchr(name, ' ');

		c->name = ml_arena_strdup(&l->arena, name);
		c->kind = blank ? c->name + (blank + 1 - name) : c->name;
		c->value = ml_arena_alloc(&l->arena,
					  l->e->member_count * sizeof(*c->value));
	}
	return &l->columns[number];
}

static void read_off(struct labels *l, size_t member, const char *level, const char *kind,
		     const char *value)
{
	const char *name = *level ? ml_arena_printf(&l->arena, "%s %s", level, kind)
				  : kind;

	column_of(l, name)->value[member] = value;
}

static const char *number(struct labels *l, uint64_t v, const char *unit)
{
	return ml_arena_printf(&l->arena, "%llu%s", (unsigned long long)v, unit);
}

static const char *bytes(struct labels *l, uint64_t v)
{
	return v % (1 << 20) == 0   ? number(l, v >> 20, "M")
	       : v % (1 << 10) == 0 ? number(l, v >> 10, "K")
				    : number(l, v, "");
}

static void read_level(struct labels *l, size_t member, const struct ml_level_spec *s)
{
	static const char *const inclusions[] = { "neither", "inclusive", "exclusive" };
	static const char *const prefetchers[] = { "none", "next", "stride", "stream" };

	read_off(l, member, s->name, "size", bytes(l, s->size));
	read_off(l, member, s->name, "ways",
		 s->sets == 1 && s->ways > 1 ? "full" : number(l, s->ways, "w"));
	read_off(l, member, s->name, "line", number(l, s->line, "B"));
	read_off(l, member, s->name, "policy", s->policy->name);
	read_off(l, member, s->name, "write", s->write_through ? "wt" : "wb");
	read_off(l, member, s->name, "allocate", s->no_allocate ? "nwa" : "wa");
	read_off(l, member, s->name, "inclusion", inclusions[s->inclusion]);
	read_off(l, member, s->name, "prefetch",
		 s->degree > 1 ? ml_arena_printf(&l->arena, "%s*%u",
						 prefetchers[s->prefetch], s->degree)
			       : prefetchers[s->prefetch]);
	read_off(l, member, s->name, "share", number(l, s->share, ""));
	read_off(l, member, s->name, "cycles", number(l, s->cycles, "c"));
}

/* Adds parameters read off the text of a machine. */
static void read_machine(struct labels *l, size_t member)
{
	const struct ml_machine *m = &l->e->members[member].parsed;

	read_off(l, member, "", "cores", number(l, m->cores, ""));
	read_off(l, member, "", "levels", number(l, m->levels, ""));
	for (unsigned i = 0; i < m->levels; i++)
		read_level(l, member, &m->level[i]);
	if (m->split)
		read_level(l, member, &m->icache);
	read_off(l, member, "", "seed", number(l, m->seed, ""));
	read_off(l, member, "memory", "cycles", number(l, m->memory_cycles, "c"));
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void find_variation(struct labels *l)
{
	for (size_t i = 0; i < l->count; i++) {
		struct column *c = &l->columns[i];

		for (size_t m = 1; m < l->e->member_count; m++)
			c->varies |= !same(c->value[m], c->value[0]);
	}
}

/*
 * Hides parameters that are read off but were given under another name: L2 size is not
 * repeated if "s" has the same value for each member.
 */
static void hide_copies(struct labels *l)
{
	for (size_t i = l->given; i < l->count; i++)
		for (size_t k = 0; k < l->given && l->columns[i].varies; k++) {
			bool copy = l->columns[k].varies;

			for (size_t m = 0; copy && m < l->e->member_count; m++)
				copy = same(l->columns[i].value[m],
					    l->columns[k].value[m]);
			l->columns[i].varies = !copy;
		}
}

/* Whether several columns are of the same kind: sizes of two levels. */
static bool ambiguous(const struct labels *l, size_t column, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (i != column && l->columns[i].varies &&
		    !strcmp(l->columns[i].kind, l->columns[column].kind))
			return true;
	return false;
}

/* Whether another parameter has words of this one: "arrays" of particles, and of a grid.
 */
static bool shares_words(const struct labels *l, size_t column, size_t count)
{
	const struct column *c = &l->columns[column];
	size_t members = l->e->member_count;
	struct ml_names words = { 0 };
	bool shares = false;

	for (size_t m = 0; m < members; m++)
		if (c->value[m])
			ml_names_add(&words, c->value[m]);
	for (size_t i = 0; i < count && !shares; i++)
		for (size_t m = 0;
		     i != column && l->columns[i].varies && m < members && !shares; m++)
			shares = l->columns[i].value[m] &&
				 ml_names_find(&words, l->columns[i].value[m]) !=
					 UINT32_MAX;
	ml_names_release(&words);
	return shares;
}

/* Whether two names begin with the same level: "L1 " of "L1 size". */
static bool same_level(const struct column *a, const struct column *b)
{
	size_t size = (size_t)(a->kind - a->name);

	return size && size == (size_t)(b->kind - b->name) &&
	       !memcmp(a->name, b->name, size);
}

/* before: the column whose level was named last, or NULL. */
static void put_value(struct labels *l, size_t column, size_t member, size_t count,
		      const struct column **before, struct ml_buf *out)
{
	static const struct {
		const char *kind, *unit;
	} units[] = {
		{ "ways", "w" }, { "line", "B" }, { "cycles", "c" }, { "size", "" }
	};
	const struct column *c = &l->columns[column];
	const char *value = c->value[member];
	bool plain = *value && strspn(value, "0123456789.-") == strlen(value);

	ml_buf_text(out, out->size ? " " : "");
	if (c->kind != c->name && ambiguous(l, column, count)) {
		if (!*before || !same_level(*before, c)) /* L1 4K 2w L2 64K 8w */
			ml_buf_put(out, c->name, (size_t)(c->kind - c->name));
		*before = c;
	} else if (c->kind == c->name && (plain || c->shared)) {
		ml_buf_text(out, c->name); /* the value alone would not be understood */
		ml_buf_text(out, "=");
	}
	ml_buf_text(out, value);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (plain && !strcmp(c->kind, units[i].kind))
			ml_buf_text(out, units[i].unit);
}

/*
 * Makes labels of all members from the first `count` columns; returns whether they are
 * unique.
 */
static bool make(struct labels *l, size_t count, bool trace)
{
	struct ml_ensemble *e = l->e;
	struct ml_names seen = { 0 };
	struct ml_buf text = { 0 };
	bool unique = true;

	for (size_t m = 0; m < e->member_count; m++) {
		const struct column *before = NULL;

		text.size = 0;
		if (trace)
			ml_buf_text(&text, e->traces[e->members[m].trace].label);
		for (size_t i = 0; i < count; i++)
			if (l->columns[i].varies && l->columns[i].value[m] &&
			    *l->columns[i].value[m])
				put_value(l, i, m, count, &before, &text);
		ml_buf_u8(&text, 0);
		e->members[m].label = ml_arena_strdup(&l->arena, (char *)text.data);
		unique &= ml_names_add(&seen, e->members[m].label) == m;
	}
	ml_names_release(&seen);
	ml_buf_release(&text);
	return unique;
}

/*
 * Whether a given parameter that is not in the machines differs between traces: then it
 * tells them apart as well as their labels do.
 */
static bool tells_traces(const struct labels *l, const struct column *c)
{
	const struct ml_ensemble *e = l->e;
	struct ml_map value_of = { 0 },
		      trace_of = { 0 }; /* value of a trace, trace of a value */
	struct ml_names values = { 0 };
	bool tells = true;

	for (size_t m = 0; tells && m < e->member_count; m++) {
		uint32_t trace = e->members[m].trace;
		uint32_t value = ml_names_add(&values, c->value[m] ? c->value[m] : "");
		bool new_trace, new_value;
		uint64_t *v = ml_map_add(&value_of, trace, &new_trace);
		uint64_t *t = ml_map_add(&trace_of, value, &new_value);

		*v = new_trace ? value : *v;
		*t = new_value ? trace : *t;
		tells = *v == value && *t == trace;
	}
	ml_map_release(&value_of);
	ml_map_release(&trace_of);
	ml_names_release(&values);
	return tells;
}

static bool traces_told(const struct labels *l)
{
	for (size_t i = 0; i < l->given; i++) {
		const struct column *c = &l->columns[i];

		if (c->kind == c->name && c->varies && tells_traces(l, c))
			return true;
	}
	return false;
}

/*
 * Appends numbers to labels that are still equal, and copies all labels into the
 * ensemble.
 */
static void keep(struct labels *l)
{
	struct ml_ensemble *e = l->e;
	struct ml_names seen = { 0 };

	for (size_t m = 0; m < e->member_count; m++) {
		const char *label = e->members[m].label;

		if (!*label)
			label = e->traces[e->members[m].trace].label;
		const char *first = label;
		for (unsigned k = 2; ml_names_find(&seen, label) != UINT32_MAX; k++)
			label = ml_arena_printf(&l->arena, "%s (%u)", first, k);
		ml_names_add(&seen, label);
		e->members[m].label = ml_arena_strdup(&e->arena, label);
	}
	ml_names_release(&seen);
}

void ml_ensemble_label(struct ml_ensemble *e)
{
	struct labels l = { .e = e };

	for (size_t m = 0; m < e->member_count; m++)
		for (size_t i = 0; i < e->members[m].param_count; i++) {
			const struct ml_parameter *p = &e->members[m].params[i];

			column_of(&l, p->name)->value[m] = p->value;
		}
	l.given = l.count;
	find_variation(&l);
	for (size_t i = 0; i < l.given; i++)
		l.columns[i].shared = l.columns[i].varies &&
				      l.columns[i].kind == l.columns[i].name &&
				      shares_words(&l, i, l.given);
	bool trace = e->trace_count > 1 && !traces_told(&l);
	if (!make(&l, l.given, false) && !make(&l, l.given, trace)) {
		for (size_t m = 0; m < e->member_count; m++)
			read_machine(&l, m);
		find_variation(&l);
		hide_copies(&l);
		make(&l, l.count, trace);
	}
	keep(&l);
	ml_names_release(&l.names);
	ml_free(l.columns);
	ml_arena_release(&l.arena);
}

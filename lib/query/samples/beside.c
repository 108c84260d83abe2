#include "lib/query/samples/beside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/map.h"
#include "lib/base/path.h"
#include "lib/query/samples/row_groups.h"
#include "lib/query/trace/tables/profile_rows.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"

/* Rows by name while they are joined. */
struct join {
	struct ml_beside *b;
	size_t cap;
	struct ml_names names;
	struct ml_arena *a;
};

static struct ml_beside_row *row_of(struct join *j, const char *name)
{
	size_t at = ml_names_add(&j->names, name);

	if (at == j->b->count) {
		if (j->b->count == j->cap) {
			struct ml_beside_row *old = j->b->list;

			j->cap = 2 * j->cap + 64;
			j->b->list = ml_arena_alloc(j->a, j->cap * sizeof(*old));
			if (j->b->count)
				memcpy(j->b->list, old, j->b->count * sizeof(*old));
		}
		j->b->list[j->b->count++] =
			(struct ml_beside_row){ .name = ml_arena_strdup(j->a, name) };
	}
	return &j->b->list[at];
}

/* What a column of names or numbers says, as the file has it. */
static const char *text_of(const struct ml_samples *s, int column, uint64_t value,
			   struct ml_arena *a)
{
	char text[ML_SAMPLES_TEXT];

	return ml_arena_strdup(a, ml_samples_text(&s->columns[column], value, text));
}

/* Which counter of a row a walk over totals adds to. */
enum counter { ALL, KNOWN, BEYOND };

static void add_total(struct ml_beside_row *r, const struct ml_total *x, enum counter c)
{
	if (c == KNOWN)
		r->known += x->samples;
	else if (c == BEYOND)
		r->beyond += x->samples;
	else {
		r->samples += x->samples;
		r->timed += x->timed;
		r->cycles += x->cycles;
	}
}

/* The selected samples by line (second >= 0) or by data object. */
static void add_samples(struct join *j, const struct ml_samples *s,
			const struct ml_selection *sel, const struct ml_row_groups *g,
			enum counter c)
{
	int first = g->first, second = g->second;
	struct ml_totals t;

	ml_row_groups_totals(g, &t, s, sel, ML_TOTAL_BY_SAMPLES, j->a);
	for (size_t i = 0; i < t.count; i++) {
		const struct ml_total *x = &t.list[i];

		if (x->missing[0] || (second >= 0 && x->missing[1]))
			continue;
		const char *name = text_of(s, first, x->value[0], j->a);
		if (!strcmp(name, "??"))
			continue;
		if (second < 0) {
			add_total(row_of(j, name), x, c);
			continue;
		}
		struct ml_beside_row *r =
			row_of(j, ml_arena_printf(j->a, "%s:%llu", ml_path_name(name),
						  (unsigned long long)x->value[1]));
		r->file = name;
		r->line = (uint32_t)x->value[1];
		add_total(r, x, c);
	}
}

/* Adds all samples, those with a known level, and those that L1 did not serve. */
static void add_measured(struct join *j, const struct ml_samples *s,
			 const struct ml_selection *sel, int first, int second)
{
	const struct ml_samples_column *level = ml_samples_role(s, ML_SAMPLES_LEVEL);
	struct ml_selection part;
	struct ml_row_groups g;
	struct ml_err err;

	ml_row_groups_init(&g, s, first, second);
	add_samples(j, s, sel, &g, ALL);
	if (!level) {
		ml_row_groups_release(&g);
		return;
	}
	/* "L1 or L2" of a coarse clock is no known level */
	const char *known = ml_arena_printf(j->a,
					    "\"%s\" != unknown and not \"%s\" ~ \"L1 \"",
					    level->name, level->name),
		   *beyond = ml_arena_printf(j->a,
					     "%s and \"%s\" != L1 and \"%s\" != LFB",
					     known, level->name, level->name);
	if (ml_selection_parse(&part, s, known, j->a, &err)) {
		ml_selection_combine(&part, sel, ML_SELECTION_FILTER);
		add_samples(j, s, &part, &g, KNOWN);
	}
	if (ml_selection_parse(&part, s, beyond, j->a, &err)) {
		ml_selection_combine(&part, sel, ML_SELECTION_FILTER);
		add_samples(j, s, &part, &g, BEYOND);
	}
	ml_row_groups_release(&g);
}

static void add_simulated(struct ml_beside_row *r, const struct ml_profile_count *c)
{
	r->references += c->refs;
	r->missed += c->missed[0];
	r->sim_cycles += c->cycles;
}

/* Differences below 2 % are none. */
static double difference(const struct ml_beside_row *r)
{
	double d = fabs(r->share - r->sim_share);

	return d < 0.02 ? 0 : d;
}

/* The largest difference first, then the largest share. */
static int by_difference(const void *a, const void *b)
{
	const struct ml_beside_row *x = a, *y = b;
	double d = difference(x), e = difference(y), p = fmax(x->share, x->sim_share),
	       q = fmax(y->share, y->sim_share);

	if (d > e || d < e)
		return d > e ? -1 : 1;
	return p > q ? -1 : p < q ? 1 : strcmp(x->name, y->name);
}

/* Shares, and the order. */
static void finish(struct join *j)
{
	double measured = 0, simulated = 0;
	struct ml_beside *b = j->b;

	for (size_t i = 0; i < b->count; i++)
		b->by_cycles |= b->list[i].timed != 0;
	for (size_t i = 0; i < b->count; i++) {
		struct ml_beside_row *r = &b->list[i];

		r->share = (double)(b->by_cycles ? r->cycles : r->samples);
		measured += r->share;
		simulated += r->sim_cycles;
	}
	for (size_t i = 0; i < b->count; i++) {
		struct ml_beside_row *r = &b->list[i];

		r->share = measured > 0 ? r->share / measured : 0;
		r->sim_share = simulated > 0 ? r->sim_cycles / simulated : 0;
	}
	if (b->count)
		qsort(b->list, b->count, sizeof(*b->list), by_difference);
	ml_names_release(&j->names);
}

void ml_beside_lines(struct ml_beside *b, const struct ml_samples *s,
		     const struct ml_selection *sel, const struct ml_profile_rows *p,
		     struct ml_arena *a)
{
	int file = s->role[ML_SAMPLES_FILE], line = s->role[ML_SAMPLES_LINE];
	struct join j = { .b = b, .a = a };

	*b = (struct ml_beside){ 0 };
	if (file >= 0 && line >= 0 && s->columns[line].kind == ML_SAMPLES_UNSIGNED)
		add_measured(&j, s, sel, file, line);
	for (size_t i = 0; i < p->lines.count; i++) {
		const struct ml_profile_line_row *x = &p->lines.at[i];

		if (!x->at.own || !x->at.line)
			continue;
		struct ml_beside_row *r =
			row_of(&j, ml_arena_printf(a, "%s:%u", ml_path_name(x->at.file),
						   x->at.line));
		r->file = r->file ? r->file : ml_arena_strdup(a, x->at.file);
		r->line = x->at.line;
		add_simulated(r, &x->count);
	}
	finish(&j);
}

void ml_beside_objects(struct ml_beside *b, const struct ml_samples *s,
		       const struct ml_selection *sel, const struct ml_profile_rows *p,
		       struct ml_arena *a)
{
	int variable = s->role[ML_SAMPLES_VARIABLE];
	struct join j = { .b = b, .a = a };

	*b = (struct ml_beside){ 0 };
	if (variable >= 0)
		add_measured(&j, s, sel, variable, -1);
	for (size_t i = 0; i < p->regions.count; i++)
		if (p->regions.at[i].own)
			add_simulated(row_of(&j, p->regions.at[i].name),
				      &p->regions.at[i].count);
	finish(&j);
}

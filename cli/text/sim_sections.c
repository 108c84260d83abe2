#include "cli/text/sim_sections.h"

#include <stdlib.h>
#include <string.h>

#include "lib/query/workspace/say.h"
#include "cli/text/sim_translation.h"
#include "lib/analyse/passes/reuse.h"
#include "lib/analyse/passes/temperature.h"
#include "lib/base/map.h"
#include "lib/base/path.h"
#include "lib/base/table.h"
#include "lib/query/trace/tables/profile_tables.h"
#include "lib/trace/tables.h"
#include "lib/trace/trace.h"

enum { BOUNCES_MIN = 10 }; /* lines with fewer bounces are left out */

struct more {
	struct ml_profile_view *v;
	const struct ml_profile *p;
	const struct ml_machine *m;
	struct ml_say *say;
	uint64_t top;
};

static const struct ml_level_spec *spec_of(const struct more *t, unsigned level)
{
	return level ? &t->m->level[level - 1] : &t->m->icache;
}

static void say_sets(struct more *t)
{
	struct ml_profile_pressure x;
	bool said = false;

	for (unsigned k = t->m->split ? 0 : 1; k <= t->m->levels; k++) {
		const struct ml_level_spec *l = spec_of(t, k);

		if (!ml_profile_crowded(t->p, k, &x))
			continue;
		if (!said)
			ml_say(t->say, "\nSets: the misses crowd in some of them\n");
		said = true;
		ml_say(t->say,
		       "  %-4s half of them in %s of %s sets, nine tenths in %s; the busiest "
		       "has %.1f times its part\n",
		       l->name, ml_say_count(t->say, x.half),
		       ml_say_count(t->say, x.sets), ml_say_count(t->say, x.nine_tenths),
		       x.busiest);
	}
}

static int by_conflict(const void *a, const void *b)
{
	const struct ml_profile_pair *x = *(const struct ml_profile_pair *const *)a,
				     *y = *(const struct ml_profile_pair *const *)b;

	if (x->conflict != y->conflict)
		return x->conflict > y->conflict ? -1 : 1;
	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return x->loser != y->loser
		       ? (x->loser < y->loser ? -1 : 1)
		       : (x->winner < y->winner ? -1 : x->winner > y->winner);
}

static void say_pairs(struct more *t)
{
	static const struct ml_column columns[] = {
		{ "misses", .kind = ML_COLUMN_COUNT },
		{ "share", .kind = ML_COLUMN_PERCENT, "of all", .decimals = 1 },
		{ "level", .kind = ML_COLUMN_TEXT },
		{ "loser", .kind = ML_COLUMN_TEXT, "lines of" },
		{ "winner", .kind = ML_COLUMN_TEXT, "driven out by" },
	};
	struct ml_table x = { .columns = columns, .width = 5 };
	const struct ml_profile *p = t->p;
	const struct ml_tables *tables = &t->v->trace->tables;
	size_t cap = 0;
	const struct ml_profile_pair **sorted = ml_grow(NULL, &cap, p->pair_count + 1,
							sizeof(*sorted));

	for (size_t i = 0; i < p->pair_count; i++)
		sorted[i] = &p->pairs[i];
	qsort(sorted, p->pair_count, sizeof(*sorted), by_conflict);
	for (size_t i = 0; i < p->pair_count && i < t->top / 2; i++) {
		const struct ml_profile_pair *r = sorted[i];
		uint64_t missed = ml_profile_missed(&p->level[r->level].counts);

		if (r->conflict * 50 < missed)
			continue;
		ml_table_count(&x, r->conflict);
		ml_table_real(&x, ml_say_share(r->conflict, missed));
		ml_table_text(&x, spec_of(t, r->level)->name);
		ml_table_text(&x, ml_say_cut(t->say,
					     ml_profile_region_name(p, tables, r->loser),
					     30));
		ml_table_text(&x, r->loser == r->winner
					  ? "itself"
					  : ml_profile_region_name(p, tables, r->winner));
	}
	ml_free(sorted);
	if (ml_table_rows(&x))
		ml_say(t->say,
		       "\nConflicts: lines that a fully associative cache would have "
		       "kept\n");
	if (ml_table_rows(&x))
		ml_say_table(t->say, &x, 0, "");
	ml_table_release(&x);
}

/* "thread 2", or "core 1" if several threads share the core. */
static const char *who(struct more *t, uint32_t core)
{
	const struct ml_profile_thread *found = NULL;

	for (size_t i = 0; i < t->p->thread_count; i++) {
		if (t->p->threads[i].core != core)
			continue;
		if (found)
			return ml_arena_printf(&t->say->arena, "core %u", core);
		found = &t->p->threads[i];
	}
	return ml_arena_printf(&t->say->arena, "thread %u", found ? found->thread : 0);
}

static const char *place(struct more *t, uint32_t site)
{
	const struct ml_tables *tables = &t->v->trace->tables;
	struct ml_frame f = ml_tables_frame(tables, site);

	if (f.line)
		return ml_arena_printf(&t->say->arena, "%s:%u",
				       ml_path_name(ml_tables_text(tables, f.file)),
				       f.line);
	return f.func ? ml_tables_text(tables, f.func) : "unknown";
}

static void say_bounces(struct more *t)
{
	static const struct ml_column columns[] = {
		{ "bounces", .kind = ML_COLUMN_COUNT },
		{ "false", .kind = ML_COLUMN_PERCENT, "false sharing" },
		{ "line", .kind = ML_COLUMN_ADDRESS },
		{ "region", .kind = ML_COLUMN_TEXT },
		{ "from", .kind = ML_COLUMN_TEXT },
		{ "to", .kind = ML_COLUMN_TEXT },
		{ "where", .kind = ML_COLUMN_TEXT, "there at" },
	};
	struct ml_table x = { .columns = columns, .width = 7 };
	const struct ml_profile *p = t->p;

	if (!p->bounce_count || p->bounces[0].count < BOUNCES_MIN)
		return;
	ml_say(t->say, "\nLines that cores take from each other\n");
	for (size_t i = 0; i < p->bounce_count && i < t->top; i++) {
		const struct ml_profile_bounce *b = &p->bounces[i];

		if (b->count < BOUNCES_MIN || b->count * 100 < p->bounces[0].count)
			break;
		ml_table_count(&x, b->count);
		ml_table_real(&x, ml_say_share(b->false_sharing,
					       b->sharing + b->false_sharing));
		ml_table_count(&x, b->line);
		ml_table_text(&x, ml_say_cut(t->say,
					     ml_profile_region_name(
						     p, &t->v->trace->tables, b->region),
					     24));
		ml_table_text(&x, who(t, b->from));
		ml_table_text(&x, who(t, b->to));
		ml_table_text(&x, place(t, b->site_to));
	}
	ml_say_table(t->say, &x, p->bounce_count, "such lines and directions");
}

static void say_prefetchers(struct more *t)
{
	static const char *const kinds[] = { "", "next line", "stride", "stream" };
	bool said = false;

	for (unsigned k = t->m->split ? 0 : 1; k <= t->m->levels; k++) {
		const struct ml_level_counts *c = &t->p->level[k].counts;
		const struct ml_level_spec *l = spec_of(t, k);

		if (!l->prefetch)
			continue;
		if (!said)
			ml_say(t->say, "\nPrefetching\n");
		said = true;
		ml_say(t->say,
		       "  %-4s (%s): %s lines brought in, %s used (%s), %s left unused\n",
		       l->name, kinds[l->prefetch], ml_say_count(t->say, c->prefetched),
		       ml_say_count(t->say, c->useful),
		       ml_say_percent(t->say, ml_say_share(c->useful, c->prefetched)),
		       ml_say_count(t->say, c->useless));
	}
}

/* The bar of a temperature, from all missed to all hit; zero is in the middle. */
static const char *bar_of(const struct more *t, double value, unsigned level)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	double low = t->v->scores->miss[level], high = t->v->scores->hit[level];
	double at = value < 0 ? 4 - 4 * value / low : 4 + 4 * value / high;

	if (!(at > 0))
		at = 0;
	return bars[at < 8 ? (size_t)at : 7];
}

static void say_temperature(struct more *t)
{
	const struct ml_temperature *x = t->v->temperature;
	enum { CELLS = 64 };

	if (!x || !x->count)
		return;
	ml_say(t->say,
	       "\nTemperature over the last %s references (hit +1, miss %g in %s; from all "
	       "missed ▁ to all hit █)\n",
	       ml_say_count(t->say, t->v->scores->last), t->v->scores->miss[0],
	       t->m->level[0].name);
	for (unsigned k = 0; k < x->levels; k++) {
		size_t cells = x->count < CELLS ? x->count : CELLS;
		double sum = 0;

		ml_say(t->say, "  %-4s ", t->m->level[k].name);
		for (size_t i = 0; i < cells; i++) {
			size_t from = i * x->count / cells,
			       to = (i + 1) * x->count / cells;
			double mean = 0;

			for (size_t j = from; j < to; j++)
				mean += x->series[j * x->levels + k] /
					(double)(to - from);
			ml_say(t->say, "%s", bar_of(t, mean, k));
		}
		for (size_t j = 0; j < x->count; j++)
			sum += x->series[j * x->levels + k];
		ml_say(t->say, "  %+.2f on average\n", sum / (double)x->count);
	}
}

/* The names of levels that are as large as a cache of `size` bytes. */
static const char *levels_at(struct more *t, uint64_t size)
{
	const char *text = "";

	for (unsigned k = 0; k < t->m->levels; k++)
		if (t->m->level[k].size <= size && t->m->level[k].size > size / 2)
			text = ml_arena_printf(&t->say->arena, "%s%s%s", text,
					       *text ? ", " : "", t->m->level[k].name);
	return text;
}

static void say_curve(struct more *t)
{
	const struct ml_reuse *r = t->v->reuse;
	struct ml_column columns[4] = {
		{ "size", .kind = ML_COLUMN_BYTES },
		{ "ratio", .kind = ML_COLUMN_PERCENT, "miss ratio", .decimals = 2 },
		{ "error", .kind = ML_COLUMN_PERCENT, "+-", .decimals = 2 },
	};
	size_t width = r->sampled ? 3 : 2;

	columns[width++] = (struct ml_column){ "level", ML_COLUMN_TEXT, "as large as",
					       0 };
	struct ml_table x = { .columns = columns, .width = width };

	ml_say(t->say, "\nReuse: misses of a fully associative lru cache by its size%s\n",
	       r->sampled && r->rate < 1
		       ? ml_arena_printf(&t->say->arena, " (from %s of the lines)",
					 ml_say_percent(t->say, r->rate))
		       : "");
	for (size_t i = 0; i < r->points; i++) {
		const struct ml_reuse_point *p = &r->curve[i];

		if (p->lines * r->line < 1024 && i + 1 < r->points)
			continue;
		ml_table_count(&x, p->lines * r->line);
		ml_table_real(&x, p->ratio);
		if (r->sampled)
			ml_table_real(&x, p->error);
		ml_table_text(&x, levels_at(t, p->lines * r->line));
	}
	ml_say_table(t->say, &x, 0, "");
}

/* Touches of a region, and its misses in a cache as large as each level. */
struct region_reuse {
	uint32_t region;
	uint64_t touches, misses[ML_LEVELS];
};

static int by_misses(const void *a, const void *b)
{
	const struct region_reuse *x = a, *y = b;

	if (x->misses[0] != y->misses[0])
		return x->misses[0] > y->misses[0] ? -1 : 1;
	return x->region < y->region ? -1 : x->region > y->region;
}

/* The binary logarithm of a level's number of lines, rounded down. */
static unsigned bits_of(const struct more *t, unsigned level)
{
	return 63 -
	       (unsigned)__builtin_clzll(t->m->level[level].size / t->v->reuse->line);
}

static struct region_reuse *sum_regions(const struct more *t, size_t *count)
{
	const struct ml_reuse *r = t->v->reuse;
	struct region_reuse *rows = NULL;
	struct ml_map index = { 0 };
	size_t cap = 0;

	*count = 0;
	for (size_t i = 0; i < r->cell_count; i++) {
		const struct ml_reuse_cell *c = r->cells[i];
		bool is_new;
		uint64_t *row = ml_map_add(&index, c->who.region, &is_new);

		if (is_new) {
			*row = (*count)++;
			rows = ml_grow(rows, &cap, *count, sizeof(*rows));
			rows[*row].region = c->who.region;
		}
		rows[*row].touches += ml_reuse_misses(c, 0) + c->count[0];
		for (unsigned k = 0; k < t->m->levels; k++)
			rows[*row].misses[k] += ml_reuse_misses(c, bits_of(t, k));
	}
	ml_map_release(&index);
	if (*count)
		qsort(rows, *count, sizeof(*rows), by_misses);
	return rows;
}

static void say_region_curves(struct more *t)
{
	struct ml_column columns[ML_LEVELS + 2] = {
		{ "touches", ML_COLUMN_COUNT, "lines touched", 0 },
	};
	struct ml_table x = { .columns = columns, .width = t->m->levels + 2 };
	struct ml_arena *a = &t->say->arena;
	size_t count;
	struct region_reuse *rows = sum_regions(t, &count);

	for (unsigned k = 0; k < t->m->levels; k++)
		columns[1 + k] = (struct ml_column){
			"ratio", ML_COLUMN_PERCENT,
			ml_arena_printf(a, "missed by %s",
					ml_say_bytes(t->say, (uint64_t)t->v->reuse->line
								     << bits_of(t, k))),
			2
		};
	columns[1 + t->m->levels] = (struct ml_column){ "region", ML_COLUMN_TEXT, NULL,
							0 };
	for (size_t i = 0; i < count && i < t->top; i++) {
		if (i && rows[i].misses[0] * 100 < rows[0].misses[0])
			break;
		ml_table_count(&x, rows[i].touches);
		for (unsigned k = 0; k < t->m->levels; k++)
			ml_table_real(&x,
				      ml_say_share(rows[i].misses[k], rows[i].touches));
		ml_table_text(&x, ml_profile_region_name(t->p, &t->v->trace->tables,
							 rows[i].region));
	}
	ml_say_table(t->say, &x, count, "regions");
	ml_free(rows);
}

static void say_reuse(struct more *t)
{
	if (!t->v->reuse || !t->v->reuse->points)
		return;
	say_curve(t);
	if (t->v->reuse->cell_count) {
		ml_say(t->say, "\n");
		say_region_curves(t);
	}
}

void sim_sections(struct ml_profile_view *v, uint64_t top, struct ml_say *s)
{
	struct more t = { v, v->profile, &v->profile->machine, s, top };

	say_bounces(&t);
	say_pairs(&t);
	say_sets(&t);
	sim_translation(v, top, s);
	say_prefetchers(&t);
	say_temperature(&t);
	say_reuse(&t);
}

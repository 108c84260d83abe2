#include "lib/query/trace/tables/profile_rows.h"

#include <stdlib.h>

#include "lib/analyse/passes/waiting.h"
#include "lib/base/map.h"
#include "lib/query/trace/tables/phases.h"
#include "lib/trace/tables.h"
#include "lib/trace/trace.h"

uint64_t ml_profile_asked(const struct ml_level_counts *c)
{
	return c->asked[0] + c->asked[1] + c->asked[2];
}

uint64_t ml_profile_missed(const struct ml_level_counts *c)
{
	return c->missed[0] + c->missed[1] + c->missed[2];
}

double ml_profile_ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

const char *ml_profile_level_name(const struct ml_profile *p, unsigned level)
{
	return level ? ml_machine_level_name(&p->machine, level) : p->machine.icache.name;
}

const char *ml_profile_cause_text(enum ml_cause cause)
{
	return cause == ML_CAUSE_NONE            ? ""
	       : cause == ML_CAUSE_FALSE_SHARING ? "false sharing"
						 : ml_cause_names[cause];
}

size_t ml_profile_causes(const uint64_t cause[ML_CAUSES], uint64_t missed,
			 enum ml_cause out[ML_CAUSES])
{
	bool done[ML_CAUSES] = { 0 };
	size_t n = 0;

	for (;;) {
		enum ml_cause best = ML_CAUSE_NONE;

		/* of equal causes, the first of the enum */
		for (unsigned k = ML_CAUSE_COLD; k < ML_CAUSES; k++)
			if (!done[k] && cause[k] > (best ? cause[best] : 0))
				best = (enum ml_cause)k;
		if (!best || cause[best] * 2000 < missed)
			return n;
		done[best] = true;
		out[n++] = best;
	}
}

enum ml_cause ml_profile_main_cause(const struct ml_profile_count *c, unsigned levels)
{
	enum ml_cause causes[ML_CAUSES];
	unsigned level = levels;

	while (level > 1 && c->missed[level - 1] * 20 <= c->missed[0])
		level--;
	return ml_profile_causes(c->cause[level - 1], 0, causes) ? causes[0]
								 : ML_CAUSE_NONE;
}

/* Computes what follows from the serving levels. */
static void finish(const struct ml_machine *m, struct ml_profile_count *c)
{
	c->refs = 0;
	for (unsigned k = 1; k <= m->levels + 1; k++)
		c->refs += c->served[k];
	uint64_t beyond = c->refs;
	for (unsigned k = 1; k <= m->levels; k++)
		c->missed[k - 1] = beyond -= c->served[k];
	double parts[ML_SERVED];
	double more = ml_surcharge_cycles(&c->surcharge, m, c->refs);
	c->lost = ml_waiting(m, c->served, more, parts);
	c->cycles = (double)c->refs * m->level[0].cycles + parts[0];
	for (unsigned k = 1; k <= m->levels + 1; k++)
		c->cycles += parts[k];
}

static void add_served(struct ml_profile_count *c, const uint64_t served[ML_SERVED])
{
	for (size_t k = 0; k < ML_SERVED; k++)
		c->served[k] += served[k];
}

static void add_cell(struct ml_profile_count *c, const struct ml_profile_cell *cell)
{
	add_served(c, cell->served);
	for (size_t k = 0; k < 3; k++)
		c->kind[k] += cell->kind[k];
	c->bytes += cell->bytes;
	for (size_t l = 0; l < ML_LEVELS; l++)
		for (size_t k = 0; k < ML_CAUSES; k++)
			c->cause[l][k] += cell->cause[l][k];
	ml_surcharge_add(&c->surcharge, &cell->surcharge);
}

static struct ml_profile_count cell_count(const struct ml_machine *m,
					  const struct ml_profile_cell *cell)
{
	struct ml_profile_count c = { 0 };

	add_cell(&c, cell);
	finish(m, &c);
	return c;
}

/* The costliest first, then the most used, then the earliest. */
static int by_cost(const struct ml_profile_count *x, const struct ml_profile_count *y,
		   size_t first_x, size_t first_y)
{
	if (x->lost > y->lost || x->lost < y->lost)
		return x->lost > y->lost ? -1 : 1;
	if (x->refs != y->refs)
		return x->refs > y->refs ? -1 : 1;
	return first_x < first_y ? -1 : first_x > first_y;
}

static int by_region(const void *a, const void *b)
{
	const struct ml_profile_region_row *x = a, *y = b;

	return by_cost(&x->count, &y->count, x->first, y->first);
}

static int by_line(const void *a, const void *b)
{
	const struct ml_profile_line_row *x = a, *y = b;

	return by_cost(&x->count, &y->count, x->first, y->first);
}

static int by_function(const void *a, const void *b)
{
	const struct ml_profile_function_row *x = a, *y = b;

	return by_cost(&x->made, &y->made, x->first, y->first);
}

static const char *region_name(const void *arg, uint32_t region)
{
	const struct ml_profile_rows *x = arg;

	return ml_profile_region_name(x->profile, &x->trace->tables, region);
}

static void make_regions(struct ml_profile_rows *x)
{
	const struct ml_profile *p = x->profile;
	const struct ml_tables *t = &x->trace->tables;
	struct ml_map rows = { 0 };

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct ml_profile_cell *c = &p->cells[i];
		bool is_new;
		uint64_t *row = ml_map_add(&rows, c->region, &is_new);

		if (is_new) {
			*row = x->regions.count;
			*ML_ADD(x->regions) = (struct ml_profile_region_row){
				.region = c->region,
				.name = region_name(x, c->region),
				.kind = ml_profile_region_kind(p, t, c->region),
				.first = i,
			};
		}
		add_cell(&x->regions.at[*row].count, c);
		if (ml_code_is_own(t, c->site, c->caller))
			x->regions.at[*row].own += cell_count(&p->machine, c).refs;
	}
	for (size_t i = 0; i < p->use_count; i++) {
		uint64_t *row = ml_map_find(&rows, p->uses[i].region);

		if (row && p->uses[i].level)
			x->regions.at[*row].use[p->uses[i].level - 1] = &p->uses[i];
	}
	for (size_t i = 0; i < x->regions.count; i++)
		finish(&p->machine, &x->regions.at[i].count);
	if (x->regions.count)
		qsort(x->regions.at, x->regions.count, sizeof(*x->regions.at), by_region);
	ml_map_release(&rows);
}

static void make_lines(struct ml_profile_rows *x)
{
	const struct ml_profile *p = x->profile;
	struct ml_code_lines lines;

	ml_code_lines_init(&lines, &x->trace->tables);
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct ml_profile_cell *c = &p->cells[i];
		struct ml_profile_count n = cell_count(&p->machine, c);
		size_t row = ml_code_lines_add(
			&lines, &(struct ml_code_cell){ c->site, c->caller, c->region,
							n.refs, n.lost });

		if (row == x->lines.count)
			ML_ADD(x->lines)->first = i;
		struct ml_profile_line_row *l = &x->lines.at[row];
		add_cell(&l->count, c);
		if (!l->main || cell_count(&p->machine, l->main).lost < n.lost)
			l->main = c;
	}
	ml_code_lines_finish(&lines, region_name, x);
	for (size_t i = 0; i < x->lines.count; i++) {
		x->lines.at[i].at = lines.rows.at[i];
		finish(&p->machine, &x->lines.at[i].count);
	}
	ml_code_lines_release(&lines);
	if (x->lines.count)
		qsort(x->lines.at, x->lines.count, sizeof(*x->lines.at), by_line);
}

static struct ml_profile_function_row *function_row(struct ml_profile_rows *x,
						    struct ml_code_functions *functions,
						    size_t row, size_t first)
{
	if (row == x->functions.count)
		*ML_ADD(x->functions) = (struct ml_profile_function_row){
			.at = functions->rows.at[row], .first = first
		};
	return &x->functions.at[row];
}

static void make_functions(struct ml_profile_rows *x)
{
	const struct ml_profile *p = x->profile;
	struct ml_code_functions functions = { .tables = &x->trace->tables };

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct ml_profile_cell *c = &p->cells[i];
		size_t made = ml_code_functions_add(&functions, c->site);

		add_cell(&function_row(x, &functions, made, i)->made, c);
		size_t own = ml_code_functions_add_own(&functions, c->site, c->caller);
		add_cell(&function_row(x, &functions, own, i)->with, c);
	}
	ml_code_functions_release(&functions);
	for (size_t i = 0; i < x->functions.count; i++) {
		finish(&p->machine, &x->functions.at[i].made);
		finish(&p->machine, &x->functions.at[i].with);
	}
	if (x->functions.count)
		qsort(x->functions.at, x->functions.count, sizeof(*x->functions.at),
		      by_function);
}

static int by_thread(const void *a, const void *b)
{
	const struct ml_profile_thread_row *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void make_threads(struct ml_profile_rows *x)
{
	const struct ml_profile *p = x->profile;
	const struct ml_tables *t = &x->trace->tables;

	for (size_t i = 0; i < p->thread_count; i++) {
		struct ml_profile_thread_row *row = ML_ADD(x->threads);

		row->id = (uint16_t)p->threads[i].thread;
		row->core = p->threads[i].core;
		row->name = "";
		for (size_t k = 0; k < t->threads.count; k++)
			if (t->threads.at[k].id == row->id) {
				row->parent = t->threads.at[k].parent;
				row->name = ml_tables_text(t, t->threads.at[k].name);
			}
		add_served(&row->count, p->threads[i].served);
		row->count.surcharge = p->threads[i].surcharge;
		finish(&p->machine, &row->count);
	}
	if (x->threads.count)
		qsort(x->threads.at, x->threads.count, sizeof(*x->threads.at), by_thread);
}

/* Segments begin and end at phases too, so sums over segments are exact. */
struct phases {
	struct ml_profile_rows *x;
	struct ml_profile_count *upto; /* [segments + 1]: sum of the segments before each;
					  the last: of all */
	ML_ROWS(struct ml_profile_count) spent; /* by phase */
};

static size_t segment_from(const struct ml_profile *p, uint64_t time)
{
	size_t low = 0, high = p->segment_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->segments[mid].from < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void spend(void *arg, uint32_t phase, uint64_t from, uint64_t until)
{
	struct phases *f = arg;
	const struct ml_profile *p = f->x->profile;

	f->spent.at = ml_grow(f->spent.at, &f->spent.cap, phase + 1,
			      sizeof(*f->spent.at));
	if (until > p->to)
		until = p->to;
	if (from < p->from)
		from = p->from;
	if (from >= until)
		return;
	const struct ml_profile_count *low = &f->upto[segment_from(p, from)];
	const struct ml_profile_count *high = &f->upto[segment_from(p, until)];
	for (size_t k = 0; k < ML_SERVED; k++)
		f->spent.at[phase].served[k] += high->served[k] - low->served[k];
	ml_surcharge_add(&f->spent.at[phase].surcharge, &high->surcharge);
	ml_surcharge_take(&f->spent.at[phase].surcharge, &low->surcharge);
}

static void add_phase(void *arg, uint32_t phase, const struct ml_phase *row)
{
	struct phases *f = arg;
	struct ml_profile_phase_row *r = ML_ADD(f->x->phases);

	*r = (struct ml_profile_phase_row){ .name = row->name,
					    .depth = row->depth,
					    .times = row->times,
					    .open = row->open };
	if (phase < f->spent.cap)
		r->count = f->spent.at[phase];
	finish(&f->x->profile->machine, &r->count);
}

static void make_phases(struct ml_profile_rows *x)
{
	const struct ml_profile *p = x->profile;
	struct phases f = { .x = x };
	size_t cap = 0;

	f.upto = ml_grow(NULL, &cap, p->segment_count + 1, sizeof(*f.upto));
	for (size_t i = 0; i < p->segment_count; i++) {
		f.upto[i + 1] = f.upto[i];
		add_served(&f.upto[i + 1], p->segments[i].served);
		ml_surcharge_add(&f.upto[i + 1].surcharge, &p->segments[i].surcharge);
	}
	ml_phases_each(x->trace, &(struct ml_phases_fn){ &f, spend, add_phase });
	ml_free(f.upto);
	ml_free(f.spent.at);
}

void ml_profile_rows_make(struct ml_profile_rows *x, struct ml_trace *t,
			  const struct ml_profile *p)
{
	*x = (struct ml_profile_rows){ .trace = t, .profile = p };
	for (size_t i = 0; i < p->cell_count; i++)
		add_cell(&x->total, &p->cells[i]);
	finish(&p->machine, &x->total);
	make_regions(x);
	make_lines(x);
	make_functions(x);
	make_threads(x);
	make_phases(x);
}

void ml_profile_rows_release(struct ml_profile_rows *x)
{
	ml_free(x->regions.at);
	ml_free(x->lines.at);
	ml_free(x->functions.at);
	ml_free(x->threads.at);
	ml_free(x->phases.at);
	ml_arena_release(&x->arena);
	*x = (struct ml_profile_rows){ 0 };
}

static int descending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

bool ml_profile_pressure(const struct ml_profile *p, unsigned level,
			 struct ml_profile_pressure *out)
{
	const struct ml_profile_level *l = &p->level[level];
	uint64_t sum = 0;

	*out = (struct ml_profile_pressure){ .sets = l->sets };
	if (!l->set || !l->sets)
		return false;
	uint64_t *missed = ml_resize(NULL, l->sets * sizeof(*missed));
	for (uint32_t i = 0; i < l->sets; i++) {
		missed[i] = l->set[i].missed;
		out->missed += missed[i];
		out->conflict += l->set[i].conflict;
		out->used += l->set[i].lines != 0;
	}
	qsort(missed, l->sets, sizeof(*missed), descending);
	for (uint32_t i = 0; i < l->sets && out->missed; i++) {
		sum += missed[i];
		if (!out->half && sum >= out->missed - sum)
			out->half = i + 1;
		if (!out->nine_tenths && (double)sum >= 0.9 * (double)out->missed)
			out->nine_tenths = i + 1;
	}
	if (out->missed)
		out->busiest = (double)missed[0] * l->sets / (double)out->missed;
	ml_free(missed);
	return out->missed;
}

bool ml_profile_crowded(const struct ml_profile *p, unsigned level,
			struct ml_profile_pressure *out)
{
	/* chance spreads few misses unevenly */
	return ml_profile_pressure(p, level, out) && out->sets > 1 &&
	       out->missed >= 10ull * out->sets && out->half * 3 <= out->sets;
}

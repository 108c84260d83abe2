#include "lib/query/trace/tables/summary.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/query/trace/tables/phases.h"
#include "lib/trace/ref.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/trace.h"

static void add_cell(struct ml_summary_count *c, const struct ml_tally_cell *cell)
{
	c->reads += cell->count[ML_READ];
	c->writes += cell->count[ML_WRITE];
	c->fetches += cell->count[ML_FETCH];
	c->refs += cell->count[ML_READ] + cell->count[ML_WRITE] + cell->count[ML_FETCH];
}

static uint64_t refs_of(const struct ml_tally_cell *cell)
{
	struct ml_summary_count c = { 0 };

	add_cell(&c, cell);
	return c.refs;
}

static int descending(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

/* Time orders equal counts, so that the output does not depend on the sort. */
static int by_region(const void *a, const void *b)
{
	const struct ml_summary_region *x = a, *y = b;
	int order = descending(x->count.refs, y->count.refs);

	return order ? order : descending(y->first, x->first);
}

static int by_line(const void *a, const void *b)
{
	const struct ml_summary_line *x = a, *y = b;
	int order = descending(x->count.refs, y->count.refs);

	return order ? order : descending(y->first, x->first);
}

static uint64_t weight(const struct ml_summary_function *f)
{
	if (!f->at.user)
		return f->made.refs - f->with_library;
	return f->made.refs > f->with_library ? f->made.refs : f->with_library;
}

static int by_function(const void *a, const void *b)
{
	const struct ml_summary_function *x = a, *y = b;
	int order = descending(weight(x), weight(y));

	if (!order)
		order = descending(x->made.refs, y->made.refs);
	if (!order)
		order = strcmp(x->at.func, y->at.func);
	return order ? order : strcmp(x->at.object, y->at.object);
}

static int by_end(const void *a, const void *b)
{
	const struct ml_block *x = *(const struct ml_block *const *)a;
	const struct ml_block *y = *(const struct ml_block *const *)b;

	return descending(y->until, x->until);
}

/* Counts the blocks of each region, and the maximum of bytes that live at one time. */
static void measure_blocks(const struct ml_trace *t, uint64_t *blocks, uint64_t *max)
{
	const struct ml_block **ends = ml_resize(NULL,
						 (t->block_count + 1) * sizeof(*ends));
	uint64_t *now = ml_grow(NULL, &(size_t){ 0 }, t->tables.regions.count,
				sizeof(*now));
	size_t count = 0, ended = 0;

	/* a block that lives for no time never lives beside others */
	for (size_t i = 0; i < t->block_count; i++)
		if (t->blocks[i].until > t->blocks[i].from)
			ends[count++] = &t->blocks[i];
	qsort(ends, count, sizeof(*ends), by_end);
	for (size_t i = 0; i < t->block_count; i++) {
		const struct ml_block *b = &t->blocks[i];

		for (; ended < count && ends[ended]->until <= b->from; ended++)
			now[ends[ended]->region] -= ends[ended]->size;
		blocks[b->region]++;
		if (now[b->region] + b->size > max[b->region])
			max[b->region] = now[b->region] + b->size;
		if (b->until > b->from)
			now[b->region] += b->size;
	}
	for (size_t i = 0; i < t->tables.globals.count; i++)
		max[t->tables.globals.at[i].region] += t->tables.globals.at[i].size;
	ml_free(now);
	ml_free(ends);
}

static const char *region_name(const void *lookup, uint32_t region)
{
	return region ? ml_region_lookup_name(lookup, region) : "other";
}

static void make_regions(struct ml_summary *s, const struct ml_tally *tally)
{
	uint32_t count = tally->regions;
	uint64_t *blocks = ml_arena_alloc(&s->arena, count * sizeof(*blocks));
	uint64_t *max = ml_arena_alloc(&s->arena, count * sizeof(*max));
	struct ml_summary_region *rows = ml_arena_alloc(&s->arena, count * sizeof(*rows));

	measure_blocks(s->trace, blocks, max);
	for (size_t i = 0; i < tally->count; i++) {
		const struct ml_tally_cell *c = tally->cells[i];
		struct ml_summary_region *r = &rows[c->region];

		if (!r->count.refs || c->first < r->first)
			r->first = c->first;
		add_cell(&r->count, c);
		if (ml_code_is_own(&s->trace->tables, c->site, c->caller))
			r->own += refs_of(c);
	}
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].count.refs) {
			rows[i].region = i;
			rows[i].name = region_name(s->space, i);
			rows[i].lines = tally->region_lines[i];
			rows[i].low = tally->region_low[i];
			rows[i].high = tally->region_high[i];
			rows[i].blocks = blocks[i];
			rows[i].size = max[i];
			*ML_ADD(s->regions) = rows[i];
		}
	if (s->regions.count)
		qsort(s->regions.at, s->regions.count, sizeof(*s->regions.at), by_region);
}

static void make_lines(struct ml_summary *s, const struct ml_tally *tally)
{
	struct ml_code_lines lines;

	ml_code_lines_init(&lines, &s->trace->tables);
	for (size_t i = 0; i < tally->count; i++) {
		const struct ml_tally_cell *c = tally->cells[i];
		size_t row = ml_code_lines_add(
			&lines, &(struct ml_code_cell){ .site = c->site,
							.caller = c->caller,
							.region = c->region,
							.refs = refs_of(c) });

		if (row == s->lines.count)
			ML_ADD(s->lines)->first = c->first;
		struct ml_summary_line *l = &s->lines.at[row];
		add_cell(&l->count, c);
		if (c->first < l->first)
			l->first = c->first;
	}
	ml_code_lines_finish(&lines, region_name, s->space);
	for (size_t i = 0; i < s->lines.count; i++)
		s->lines.at[i].at = lines.rows.at[i];
	ml_code_lines_release(&lines);
	if (s->lines.count)
		qsort(s->lines.at, s->lines.count, sizeof(*s->lines.at), by_line);
}

static struct ml_summary_function *
function_row(struct ml_summary *s, struct ml_code_functions *functions, size_t row)
{
	if (row == s->functions.count)
		ML_ADD(s->functions)->at = functions->rows.at[row];
	return &s->functions.at[row];
}

static void make_functions(struct ml_summary *s, const struct ml_tally *tally)
{
	struct ml_code_functions functions = { .tables = &s->trace->tables };

	for (size_t i = 0; i < tally->count; i++) {
		const struct ml_tally_cell *c = tally->cells[i];
		size_t made = ml_code_functions_add(&functions, c->site);

		add_cell(&function_row(s, &functions, made)->made, c);
		size_t own = ml_code_functions_add_own(&functions, c->site, c->caller);
		function_row(s, &functions, own)->with_library += refs_of(c);
	}
	ml_code_functions_release(&functions);
	if (s->functions.count)
		qsort(s->functions.at, s->functions.count, sizeof(*s->functions.at),
		      by_function);
}

static void make_threads(struct ml_summary *s, const struct ml_tally *tally)
{
	const struct ml_tables *t = &s->trace->tables;
	const struct ml_thread **known = ml_arena_alloc(&s->arena,
							(1 << 16) * sizeof(*known));

	for (size_t i = 0; i < t->threads.count; i++)
		known[t->threads.at[i].id] = &t->threads.at[i];
	for (unsigned id = 0; id < 1 << 16; id++)
		if (known[id] || tally->threads[id])
			*ML_ADD(s->threads) = (struct ml_summary_thread){
				.id = (uint16_t)id,
				.parent = known[id] ? known[id]->parent : 0,
				.name = known[id] ? ml_tables_text(t, known[id]->name)
						  : "",
				.refs = tally->threads[id],
			};
}

static void make_gaps(struct ml_summary *s)
{
	const struct ml_tables *t = &s->trace->tables;

	for (size_t i = 0; i < t->gaps.count; i++) {
		const struct ml_gap *g = &t->gaps.at[i];
		size_t row = 0;

		while (row < s->gaps.count && s->gaps.at[row].reason != g->reason)
			row++;
		if (row == s->gaps.count)
			ML_ADD(s->gaps)->reason = g->reason;
		s->gaps.at[row].gaps++;
		s->gaps.at[row].missing += g->count;
		s->gaps.at[row].unknown |= !g->count;
	}
}

static void add_phase(void *arg, uint32_t phase, const struct ml_phase *p)
{
	struct ml_summary *s = arg;

	(void)phase;
	*ML_ADD(s->phases) = *p;
}

static void make_marks(struct ml_summary *s)
{
	const struct ml_tables *t = &s->trace->tables;
	struct ml_map points = { 0 };

	for (size_t i = 0; i < t->marks.count; i++) {
		const struct ml_mark *m = &t->marks.at[i];
		bool is_new;

		if (m->kind == ML_MARK_BEGIN || m->kind == ML_MARK_END)
			continue;
		uint64_t *row = ml_map_add(&points, m->name, &is_new);

		if (is_new) {
			*row = s->marks.count;
			*ML_ADD(s->marks) = (struct ml_summary_mark){
				.name = ml_tables_text(t, m->name), .first = m->time
			};
		}
		s->marks.at[*row].times++;
	}
	ml_map_release(&points);
}

static void make_states(struct ml_summary *s)
{
	const struct ml_tables *t = &s->trace->tables;
	struct ml_map names = { 0 };

	for (size_t i = 0; i < t->states.count; i++) {
		const struct ml_state *x = &t->states.at[i];
		bool is_new;
		uint64_t *row = ml_map_add(&names, x->name, &is_new);

		if (is_new) {
			*row = s->states.count;
			*ML_ADD(s->states) = (struct ml_summary_state){
				ml_tables_text(t, x->name), x->value, x->value, 0
			};
		}
		struct ml_summary_state *state = &s->states.at[*row];
		state->times++;
		if (x->value < state->low)
			state->low = x->value;
		if (x->value > state->high)
			state->high = x->value;
	}
	ml_map_release(&names);
}

bool ml_summary_open(struct ml_summary *s, struct ml_trace *t, const struct ml_work *work,
		     struct ml_err *err)
{
	struct ml_tally tally;

	*s = (struct ml_summary){ .trace = t, .space = ml_region_lookup_open(t, err) };
	if (!s->space)
		return false;
	bool ok = ml_tally_run(&tally, t, s->space, work, err);
	if (!ok && err->kind == ML_FORMAT && tally.count) {
		s->damage = ml_arena_strdup(&s->arena, err->text);
		ok = true;
	}
	if (ok) {
		for (size_t i = 0; i < tally.count; i++)
			add_cell(&s->total, tally.cells[i]);
		s->touched = tally.total;
		make_regions(s, &tally);
		make_lines(s, &tally);
		make_functions(s, &tally);
		make_threads(s, &tally);
		make_gaps(s);
		ml_phases_each(t, &(struct ml_phases_fn){ .arg = s, .row = add_phase });
		make_marks(s);
		make_states(s);
	}
	ml_tally_release(&tally);
	if (!ok)
		ml_summary_close(s);
	return ok;
}

void ml_summary_close(struct ml_summary *s)
{
	ml_free(s->regions.at);
	ml_free(s->lines.at);
	ml_free(s->functions.at);
	ml_free(s->threads.at);
	ml_free(s->phases.at);
	ml_free(s->marks.at);
	ml_free(s->states.at);
	ml_free(s->gaps.at);
	ml_region_lookup_close(s->space);
	ml_arena_release(&s->arena);
	*s = (struct ml_summary){ 0 };
}

/* One cycle over time: every moment, or a density of rows of time by sectors of a turn.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/query/trace/routes/route_cycles.h"
#include "lib/query/trace/routes/route_cycles_parts.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_cycles.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/open_trace.h"
#include "lib/query/workspace/workspace.h"

enum {
	CELLS = 4096,
	CELLS_MAX = 65536,
	SECTORS = 256, /* of a turn */
	ROWS_MAX = 512,
	NAMES = 250, /* places, and regions, that an answer tells apart */
	OTHER = 255,
	CHUNK = 16384,
};

/* Names that an answer tells apart: the most frequent ones. */
struct names {
	uint64_t *uses;  /* of each */
	uint8_t *number; /* of each, in the answer; OTHER */
	uint32_t *chosen;
	size_t count, chosen_count;
};

static void names_init(struct names *n, size_t count, struct ml_arena *a)
{
	*n = (struct names){ .count = count };
	n->uses = ml_arena_alloc(a, (count + 1) * sizeof(*n->uses));
	n->number = ml_arena_alloc(a, count + 1);
	n->chosen = ml_arena_alloc(a, (count + 1) * sizeof(*n->chosen));
}

static void names_choose(struct names *n, struct ml_arena *a)
{
	struct cycles_use *all = ml_arena_alloc(a, (n->count + 1) * sizeof(*all));
	size_t used = 0;

	memset(n->number, OTHER, n->count);
	for (size_t i = 0; i < n->count; i++)
		if (n->uses[i])
			all[used++] = (struct cycles_use){ n->uses[i], (uint32_t)i };
	if (used)
		qsort(all, used, sizeof(*all), cycles_most_used);
	for (size_t i = 0; i < used && i < NAMES; i++) {
		n->number[all[i].name] = (uint8_t)i;
		n->chosen[n->chosen_count++] = all[i].name;
	}
}

/* Numbers of the regions of symbols, by name. */
static uint32_t *regions_of(const struct ml_cycle_view *v, struct ml_names *names,
			    struct ml_arena *a)
{
	uint32_t *of = ml_arena_alloc(a, (v->place_count + 1) * sizeof(*of));

	for (size_t i = 0; i < v->place_count; i++)
		of[i] = ml_names_add(names,
				     v->places[i].region ? v->places[i].region : "");
	return of;
}

static void put_names(struct ml_answer *a, const struct cycles_request *x,
		      const struct names *places, const struct names *regions,
		      const struct ml_names *region_names)
{
	const struct ml_cycle_place **of = ml_arena_alloc(
		&a->arena, (x->view.line_count + 1) * sizeof(struct ml_cycle_place *));

	for (size_t i = x->view.place_count; i-- > 0;)
		of[x->view.places[i].number] = &x->view.places[i];
	ml_json_key(&a->json, "places");
	ml_json_array(&a->json);
	for (size_t i = 0; i < places->chosen_count; i++) {
		const struct ml_cycle_place *p = of[places->chosen[i]];

		ml_json_object(&a->json);
		ml_answer_string(a, "file", p->file);
		ml_answer_u64(a, "line", p->line);
		ml_answer_string(a, "function", p->func);
		ml_answer_u64(a, "moments", places->uses[places->chosen[i]]);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
	ml_json_key(&a->json, "regions");
	ml_json_array(&a->json);
	for (size_t i = 0; i < regions->chosen_count; i++) {
		ml_json_object(&a->json);
		ml_answer_string(a, "name", region_names->text[regions->chosen[i]]);
		ml_answer_u64(a, "moments", regions->uses[regions->chosen[i]]);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
}

/* Reads which levels served references, in the order of their times. */
struct level_reader {
	struct ml_open_sim *sim; /* NULL: nobody asked for levels */
	uint16_t *outcome;       /* of the references [at, end) of the simulation */
	uint64_t at, end;
	uint64_t served[UINT8_MAX + 1]; /* how many references each level served */
};

static bool read_levels(struct level_reader *r, struct ml_workspace *ws,
			const struct ml_request *q, const struct cycles_request *x,
			struct ml_arena *a, struct ml_err *err)
{
	uint64_t number;

	*r = (struct level_reader){ 0 };
	if (!ml_request_text(q, "sim"))
		return true;
	if (!ml_request_u64(q, "sim", 0, &number, err))
		return false;
	r->sim = ml_open_sim_ready(ws, number, err);
	if (!r->sim)
		return false;
	/* positions are times where nothing is interleaved */
	if (r->sim->trace != x->trace || r->sim->simulation.profile->interleaved)
		return ml_fail(
			err, ML_USAGE,
			"sim=%llu: levels are known for simulations of this trace, of "
			"which the threads are not interleaved",
			(unsigned long long)number);
	r->outcome = ml_arena_alloc(a, CHUNK * sizeof(*r->outcome));
	return true;
}

/* The level that served the reference at a time; 0 is not known. */
static bool next_level(struct level_reader *r, uint64_t time, uint8_t *level,
		       const struct ml_request *q, struct ml_err *err)
{
	uint64_t first = r->sim->simulation.result.info.from,
		 refs = r->sim->simulation.result.refs;

	*level = 0;
	if (time < first || time - first >= refs) {
		r->served[0]++;
		return true;
	}
	time -= first;
	if (time < r->at || time >= r->end) {
		r->at = time;
		r->end = time + CHUNK < refs ? time + CHUNK : refs;
		if (!ml_work_goes_on(&q->work, err) ||
		    !ml_open_sim_outcomes(r->sim, r->at, r->end, r->outcome, err))
			return false;
	}
	*level = (uint8_t)ml_outcome_served(r->outcome[time - r->at]);
	r->served[*level]++;
	return true;
}

/* The level of each moment or cell, and how many moments each level served. */
static void put_levels(struct ml_answer *a, const struct level_reader *r,
		       const uint8_t *level, size_t count)
{
	size_t levels = UINT8_MAX + 1;

	if (!r->sim)
		return;
	while (levels > 1 && !r->served[levels - 1])
		levels--;
	ml_json_key(&a->json, "served");
	ml_json_array(&a->json);
	for (size_t i = 0; i < levels; i++)
		ml_json_u64(&a->json, r->served[i]);
	ml_json_end(&a->json);
	ml_answer_column(a, "level", ML_TYPE_U8, level, count);
}

/* Every moment, when they are few. */
static bool put_moments(struct ml_answer *a, struct level_reader *levels,
			const struct ml_request *q, struct cycles_request *x,
			const uint32_t *region_of, const struct names *places,
			const struct names *regions, struct ml_err *err)
{
	const struct ml_windows *w = x->cycles->cycles.windows;
	size_t count = (size_t)(x->end - x->first);
	double *time = ml_arena_alloc(&a->arena, (count + 1) * sizeof(*time));
	double *turns = ml_arena_alloc(&a->arena, (count + 1) * sizeof(*turns));
	uint8_t *place = ml_arena_alloc(&a->arena, count + 1);
	uint8_t *region = ml_arena_alloc(&a->arena, count + 1);
	uint8_t *level = ml_arena_alloc(&a->arena, count + 1);

	ml_cycles_angles(&x->cycles->cycles, x->cycle, x->first, 1, turns, count);
	for (size_t i = 0; i < count; i++) {
		uint32_t symbol = ml_windows_at(w, w->series[x->first + i])[0];

		time[i] = (double)ml_trace_windows_time(&x->cycles->windows,
							x->first + i);
		place[i] = places->number[x->view.places[symbol].number];
		region[i] = regions->number[region_of[symbol]];
		if (levels->sim &&
		    !next_level(levels, (uint64_t)time[i], &level[i], q, err))
			return false;
	}
	ml_answer_column(a, "time", ML_TYPE_F64, time, count);
	ml_answer_column(a, "turns", ML_TYPE_F64, turns, count);
	ml_answer_column(a, "place", ML_TYPE_U8, place, count);
	ml_answer_column(a, "region", ML_TYPE_U8, region, count);
	put_levels(a, levels, level, count);
	return true;
}

/* The most frequent of the names that a cell has seen, kept by one vote each. */
struct vote {
	uint32_t name, lead;
};

static void cast(struct vote *v, uint32_t name)
{
	if (v->lead && v->name != name)
		v->lead--;
	else if (v->lead)
		v->lead++;
	else
		*v = (struct vote){ name, 1 };
}

/* A density while it is counted: cells of rows and sectors. */
struct density {
	size_t rows, cells;
	uint32_t *moments;                   /* of each cell */
	struct vote *place, *region, *level; /* of each cell */
	double *time, *turns;                /* at which each row begins */
};

static void density_init(struct density *d, size_t rows, struct ml_arena *a)
{
	size_t cells = rows * SECTORS;

	*d = (struct density){ .rows = rows, .cells = cells };
	d->moments = ml_arena_alloc(a, cells * sizeof(*d->moments));
	d->place = ml_arena_alloc(a, cells * sizeof(*d->place));
	d->region = ml_arena_alloc(a, cells * sizeof(*d->region));
	d->level = ml_arena_alloc(a, cells * sizeof(*d->level));
	d->time = ml_arena_alloc(a, (rows + 1) * sizeof(*d->time));
	d->turns = ml_arena_alloc(a, (rows + 1) * sizeof(*d->turns));
}

/* Walks from moment 0, since angles are sums, and counts those of the window. */
static bool count_density(struct density *d, struct level_reader *levels,
			  const struct ml_request *q, const struct cycles_request *x,
			  const uint32_t *region_of, struct ml_err *err)
{
	const struct ml_windows *w = x->cycles->cycles.windows;
	uint64_t count = x->end - x->first;
	struct ml_cycle_walk walk;
	double angle;

	ml_cycle_walk_begin(&walk, &x->cycles->cycles, x->cycle);
	for (uint64_t t = 0; t < x->end && ml_cycle_walk_next(&walk, &angle); t++) {
		if (t % CHUNK == 0 && !ml_work_goes_on(&q->work, err))
			return false;
		if (t < x->first)
			continue;
		size_t row = (size_t)((t - x->first) * d->rows / count);
		size_t sector = (size_t)((angle - floor(angle)) * SECTORS) % SECTORS;
		size_t cell = row * SECTORS + sector;
		uint32_t symbol = ml_windows_at(w, w->series[t])[0];
		uint64_t time = ml_trace_windows_time(&x->cycles->windows, t);
		uint8_t level;

		if ((t - x->first) == (row * count + d->rows - 1) / d->rows) {
			d->time[row] = (double)time;
			d->turns[row] = angle;
		}
		d->moments[cell]++;
		cast(&d->place[cell], x->view.places[symbol].number);
		cast(&d->region[cell], region_of[symbol]);
		if (!levels->sim)
			continue;
		if (!next_level(levels, time, &level, q, err))
			return false;
		cast(&d->level[cell], level);
	}
	return true;
}

/* Rows of time by sectors of a turn, when moments are many. */
static bool put_density(struct ml_answer *a, struct level_reader *levels,
			const struct ml_request *q, struct cycles_request *x, size_t rows,
			const uint32_t *region_of, const struct names *places,
			const struct names *regions, struct ml_err *err)
{
	struct density d;

	density_init(&d, rows, &a->arena);
	if (!count_density(&d, levels, q, x, region_of, err))
		return false;
	uint8_t *place = ml_arena_alloc(&a->arena, d.cells),
		*region = ml_arena_alloc(&a->arena, d.cells),
		*level = ml_arena_alloc(&a->arena, d.cells);

	for (size_t i = 0; i < d.cells; i++) {
		place[i] = places->number[d.place[i].name];
		region[i] = regions->number[d.region[i].name];
		level[i] = (uint8_t)d.level[i].name;
	}
	ml_answer_u64(a, "rows", rows);
	ml_answer_u64(a, "sectors", SECTORS);
	ml_answer_column(a, "moments", ML_TYPE_U32, d.moments, d.cells);
	ml_answer_column(a, "place", ML_TYPE_U8, place, d.cells);
	ml_answer_column(a, "region", ML_TYPE_U8, region, d.cells);
	put_levels(a, levels, level, d.cells);
	ml_answer_column(a, "time", ML_TYPE_F64, d.time, rows);
	ml_answer_column(a, "turns", ML_TYPE_F64, d.turns, rows);
	return true;
}

static bool answer_angles(struct ml_answer *a, struct ml_workspace *ws,
			  const struct ml_request *q, struct cycles_request *x,
			  uint64_t cells, struct ml_err *err)
{
	const struct ml_windows *w = x->cycles->cycles.windows;
	uint64_t count = x->end - x->first;
	size_t rows = (size_t)(cells / SECTORS);
	struct ml_names region_names = { 0 };
	struct names places, regions;
	uint32_t *region_of = regions_of(&x->view, &region_names, &a->arena);

	struct level_reader levels;

	if (!read_levels(&levels, ws, q, x, &a->arena, err)) {
		ml_names_release(&region_names);
		return false;
	}
	names_init(&places, x->view.line_count, &a->arena);
	names_init(&regions, region_names.count, &a->arena);
	for (uint64_t t = x->first; t < x->end; t++) {
		uint32_t symbol = ml_windows_at(w, w->series[t])[0];

		places.uses[x->view.places[symbol].number]++;
		regions.uses[region_of[symbol]]++;
	}
	names_choose(&places, &a->arena);
	names_choose(&regions, &a->arena);
	rows = rows < 1 ? 1 : rows > ROWS_MAX ? ROWS_MAX : rows;
	ml_answer_columns(a);
	ml_answer_u64(a, "all", count);
	ml_json_key(&a->json, "exact");
	ml_json_bool(&a->json, count <= cells);
	ml_answer_u64(a, "from", ml_cycle_time(&x->view, x->first));
	ml_answer_u64(a, "to", ml_cycle_time(&x->view, x->end));
	ml_answer_u64(a, "begin", ml_cycle_time(&x->view, x->cycle->first));
	ml_answer_u64(a, "end", ml_cycle_time(&x->view, x->cycle->end));
	put_names(a, x, &places, &regions, &region_names);
	bool ok = count <= cells ? put_moments(a, &levels, q, x, region_of, &places,
					       &regions, err)
				 : put_density(a, &levels, q, x, rows, region_of, &places,
					       &regions, err);

	ml_names_release(&region_names);
	return ok;
}

bool ml_route_cycle_angles(struct ml_workspace *ws, const struct ml_request *q,
			   struct ml_answer *a, struct ml_err *err)
{
	struct cycles_request x;
	uint64_t cells;

	if (!ml_request_u64(q, "cells", CELLS, &cells, err))
		return false;
	if (cells < 2 || cells > CELLS_MAX)
		return ml_fail(err, ML_USAGE, "cells=%llu is not in 2 to %d",
			       (unsigned long long)cells, CELLS_MAX);
	if (!cycles_request_begin(&x, ws, q, true, err))
		return false;
	bool ok = answer_angles(a, ws, q, &x, cells, err);

	cycles_request_end(&x);
	return ok;
}

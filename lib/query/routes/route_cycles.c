#include "lib/query/routes/route_cycles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/cycles/edit_distance.h"
#include "lib/analyse/cycles/scaling.h"
#include "lib/query/tables/cycle_tables.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/open_cycles.h"
#include "lib/query/workspace/open_sim.h"
#include "lib/query/workspace/open_trace.h"
#include "lib/query/workspace/workspace.h"

enum {
	LINES = 20,
	CELLS = 4096,
	CELLS_MAX = 65536,
	ANGLES = 128, /* sectors of a turn */
	ROWS_MAX = 512,
	NAMES = 250, /* places, and regions, that an answer tells apart */
	OTHER = 255,
	CHUNK = 16384,
	MAP_POINTS = 600,
	MAP_POINTS_MAX = 1500,
};

/* A request about cycles, while they are borrowed. */
struct asked {
	struct ml_open_trace *trace;
	struct ml_open_cycles *cycles;
	struct ml_cycle_view view;
	const struct ml_cycle *cycle; /* that is meant by basis and class */
	uint64_t first, end;          /* moments from `from` to `to` */
};

static bool find_cycle(struct asked *x, const struct ml_request *q, struct ml_err *err)
{
	const char *basis = ml_request_text(q, "basis");
	const struct ml_cycle_list *l = &x->cycles->cycles.found;
	uint64_t number;

	if (basis && !strcmp(basis, "reduced"))
		l = &x->cycles->cycles.reduced;
	else if (basis && strcmp(basis, "found") != 0)
		return ml_fail(err, ML_USAGE, "basis=%s is neither found nor reduced",
			       basis);
	if (!ml_request_u64(q, "class", 0, &number, err))
		return false;
	if (number >= l->count)
		return ml_fail(err, ML_USAGE, "class=%llu: there are %zu",
			       (unsigned long long)number, l->count);
	x->cycle = &l->at[number];
	return !x->cycle->refused ||
	       ml_fail(err, ML_USAGE, "class=%llu has no coordinate: %s",
		       (unsigned long long)number, x->cycle->refused);
}

static void give_back(struct asked *x)
{
	ml_cycle_view_release(&x->view);
	ml_open_cycles_give(&x->trace->cycles);
}

/* Borrows the cycles; with_class: and finds the one that is meant, and the window. */
static bool ask(struct asked *x, struct ml_workspace *ws, const struct ml_request *q,
		bool with_class, struct ml_err *err)
{
	uint64_t from, to;

	*x = (struct asked){ .trace = ml_open_trace(ws, q->number[0], err) };
	if (!x->trace)
		return false;
	x->cycles = ml_open_cycles_take(&x->trace->cycles, &x->trace->trace, q, err);
	if (!x->cycles)
		return false;
	ml_cycle_view_of_trace(&x->view, &x->cycles->cycles, &x->cycles->windows,
			       &x->trace->trace.tables);
	if (!with_class)
		return true;
	if (!find_cycle(x, q, err) ||
	    !ml_request_window(q, x->trace->trace.count, &from, &to, err)) {
		give_back(x);
		return false;
	}
	x->first = ml_trace_windows_moment(&x->cycles->windows, from);
	x->end = ml_trace_windows_moment(&x->cycles->windows, to);
	return true;
}

bool ml_route_cycles(struct ml_workspace *ws, const struct ml_request *q,
		     struct ml_answer *a, struct ml_err *err)
{
	struct asked x;

	if (!ask(&x, ws, q, false, err))
		return false;
	ml_json_object(&a->json);
	ml_answer_u64(a, "thread", x.cycles->windows.thread);
	ml_cycle_json(&x.view, LINES, &a->json);
	ml_json_end(&a->json);
	give_back(&x);
	return true;
}

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

struct use {
	uint64_t uses;
	uint32_t name;
};

static int most_used(const void *x, const void *y)
{
	const struct use *a = x, *b = y;

	if (a->uses != b->uses)
		return a->uses > b->uses ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void names_choose(struct names *n, struct ml_arena *a)
{
	struct use *all = ml_arena_alloc(a, (n->count + 1) * sizeof(*all));
	size_t used = 0;

	memset(n->number, OTHER, n->count);
	for (size_t i = 0; i < n->count; i++)
		if (n->uses[i])
			all[used++] = (struct use){ n->uses[i], (uint32_t)i };
	if (used)
		qsort(all, used, sizeof(*all), most_used);
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

static void put_names(struct ml_answer *a, const struct asked *x,
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

/* The levels that served the references of some times, for the colours. */
static bool put_levels(struct ml_answer *a, struct ml_workspace *ws,
		       const struct ml_request *q, const struct asked *x,
		       const double *time, size_t count, struct ml_err *err)
{
	uint64_t number;

	if (!ml_request_text(q, "sim"))
		return true;
	if (!ml_request_u64(q, "sim", 0, &number, err))
		return false;
	struct ml_open_sim *s = ml_open_sim_ready(ws, number, err);

	if (!s)
		return false;
	/* positions are times where nothing is interleaved */
	if (s->trace != x->trace || x->cycles->windows.thread)
		return ml_fail(
			err, ML_USAGE,
			"sim=%llu: levels are known for simulations of this trace, and "
			"of one thread",
			(unsigned long long)number);
	uint8_t *level = ml_arena_alloc(&a->arena, count + 1);
	uint16_t *outcome = ml_arena_alloc(&a->arena, CHUNK * sizeof(*outcome));
	uint64_t first = s->result.info.from, refs = s->result.refs, at = 0, end = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t t = (uint64_t)time[i];

		if (t < first || t - first >= refs)
			continue;
		t -= first;
		if (t >= end) {
			at = t;
			end = t + CHUNK < refs ? t + CHUNK : refs;
			if (!ml_work_goes_on(&q->work, err) ||
			    !ml_open_sim_outcomes(s, at, end, outcome, err))
				return false;
		}
		level[i] = (uint8_t)ml_outcome_served(outcome[t - at]);
	}
	ml_answer_column(a, "level", ML_TYPE_U8, level, count);
	return true;
}

/* Every moment, when they are few. */
static bool put_moments(struct ml_answer *a, struct ml_workspace *ws,
			const struct ml_request *q, struct asked *x,
			const uint32_t *region_of, const struct names *places,
			const struct names *regions, struct ml_err *err)
{
	const struct ml_windows *w = x->cycles->cycles.windows;
	size_t count = (size_t)(x->end - x->first);
	double *time = ml_arena_alloc(&a->arena, (count + 1) * sizeof(*time));
	double *turns = ml_arena_alloc(&a->arena, (count + 1) * sizeof(*turns));
	uint8_t *place = ml_arena_alloc(&a->arena, count + 1);
	uint8_t *region = ml_arena_alloc(&a->arena, count + 1);

	ml_cycles_angles(&x->cycles->cycles, x->cycle, x->first, 1, turns, count);
	for (size_t i = 0; i < count; i++) {
		uint32_t symbol = ml_windows_at(w, w->series[x->first + i])[0];

		time[i] = (double)ml_trace_windows_time(&x->cycles->windows,
							x->first + i);
		place[i] = places->number[x->view.places[symbol].number];
		region[i] = regions->number[region_of[symbol]];
	}
	ml_answer_column(a, "time", ML_TYPE_F64, time, count);
	ml_answer_column(a, "turns", ML_TYPE_F64, turns, count);
	ml_answer_column(a, "place", ML_TYPE_U8, place, count);
	ml_answer_column(a, "region", ML_TYPE_U8, region, count);
	return put_levels(a, ws, q, x, time, count, err);
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

/* Rows of time by sectors of a turn, when moments are many. */
static void put_density(struct ml_answer *a, struct asked *x, size_t rows,
			const uint32_t *region_of, const struct names *places,
			const struct names *regions)
{
	const struct ml_windows *w = x->cycles->cycles.windows;
	uint64_t count = x->end - x->first;
	size_t cells = rows * ANGLES;
	uint32_t *moments = ml_arena_alloc(&a->arena, cells * sizeof(*moments));
	struct vote *place = ml_arena_alloc(&a->arena, cells * sizeof(*place)),
		    *region = ml_arena_alloc(&a->arena, cells * sizeof(*region));
	double *time = ml_arena_alloc(&a->arena, (rows + 1) * sizeof(*time)),
	       *turns = ml_arena_alloc(&a->arena, (rows + 1) * sizeof(*turns));
	uint8_t *places_out = ml_arena_alloc(&a->arena, cells),
		*regions_out = ml_arena_alloc(&a->arena, cells);
	struct ml_cycle_walk walk;
	double angle;

	ml_cycle_walk_begin(&walk, &x->cycles->cycles, x->cycle);
	for (uint64_t t = 0; t < x->end && ml_cycle_walk_next(&walk, &angle); t++) {
		if (t < x->first)
			continue;
		size_t row = (size_t)((t - x->first) * rows / count);
		size_t sector = (size_t)((angle - floor(angle)) * ANGLES) % ANGLES;
		size_t cell = row * ANGLES + sector;
		uint32_t symbol = ml_windows_at(w, w->series[t])[0];

		if ((t - x->first) == (row * count + rows - 1) / rows) {
			time[row] = (double)ml_trace_windows_time(&x->cycles->windows, t);
			turns[row] = angle;
		}
		moments[cell]++;
		cast(&place[cell], x->view.places[symbol].number);
		cast(&region[cell], region_of[symbol]);
	}
	for (size_t i = 0; i < cells; i++) {
		places_out[i] = places->number[place[i].name];
		regions_out[i] = regions->number[region[i].name];
	}
	ml_answer_u64(a, "rows", rows);
	ml_answer_u64(a, "sectors", ANGLES);
	ml_answer_column(a, "moments", ML_TYPE_U32, moments, cells);
	ml_answer_column(a, "place", ML_TYPE_U8, places_out, cells);
	ml_answer_column(a, "region", ML_TYPE_U8, regions_out, cells);
	ml_answer_column(a, "time", ML_TYPE_F64, time, rows);
	ml_answer_column(a, "turns", ML_TYPE_F64, turns, rows);
}

static bool answer_angles(struct ml_answer *a, struct ml_workspace *ws,
			  const struct ml_request *q, struct asked *x, uint64_t cells,
			  struct ml_err *err)
{
	const struct ml_windows *w = x->cycles->cycles.windows;
	uint64_t count = x->end - x->first;
	size_t rows = (size_t)(cells / ANGLES);
	struct ml_names region_names = { 0 };
	struct names places, regions;
	uint32_t *region_of = regions_of(&x->view, &region_names, &a->arena);

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
	bool ok = true;

	if (count <= cells)
		ok = put_moments(a, ws, q, x, region_of, &places, &regions, err);
	else
		put_density(a, x, rows, region_of, &places, &regions);
	ml_names_release(&region_names);
	return ok;
}

bool ml_route_cycle_angles(struct ml_workspace *ws, const struct ml_request *q,
			   struct ml_answer *a, struct ml_err *err)
{
	struct asked x;
	uint64_t cells;

	if (!ml_request_u64(q, "cells", CELLS, &cells, err))
		return false;
	if (cells < 2 || cells > CELLS_MAX)
		return ml_fail(err, ML_USAGE, "cells=%llu is not in 2 to %d",
			       (unsigned long long)cells, CELLS_MAX);
	if (!ask(&x, ws, q, true, err))
		return false;
	bool ok = answer_angles(a, ws, q, &x, cells, err);

	give_back(&x);
	return ok;
}

static struct use *count_points(const struct asked *x, struct ml_arena *a)
{
	const struct ml_cycles *c = &x->cycles->cycles;
	struct use *uses = ml_arena_alloc(a, (c->edges.points + 1) * sizeof(*uses));

	for (uint32_t i = 0; i < c->edges.points; i++)
		uses[i].name = i;
	for (uint64_t t = x->first; t < x->end; t++)
		uses[c->net.nearest[c->windows->series[t]]].uses++;
	qsort(uses, c->edges.points, sizeof(*uses), most_used);
	return uses;
}

bool ml_route_cycle_map(struct ml_workspace *ws, const struct ml_request *q,
			struct ml_answer *a, struct ml_err *err)
{
	struct asked x;
	uint64_t most;

	if (!ml_request_u64(q, "points", MAP_POINTS, &most, err))
		return false;
	if (most < 2 || most > MAP_POINTS_MAX)
		return ml_fail(err, ML_USAGE, "points=%llu is not in 2 to %d",
			       (unsigned long long)most, MAP_POINTS_MAX);
	if (!ask(&x, ws, q, true, err))
		return false;
	const struct ml_cycles *c = &x.cycles->cycles;
	struct use *uses = count_points(&x, &a->arena);
	uint32_t n = 0;

	while (n < c->edges.points && n < most && uses[n].uses)
		n++;
	double *distance = ml_resize(NULL, ((size_t)n * n + 1) * sizeof(*distance));
	double *px = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*px)),
	       *py = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*py)),
	       *turns = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*turns)),
	       *moments = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*moments));

	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j <= i; j++)
			distance[(size_t)i * n + j] = distance[(size_t)j * n + i] =
				ml_edit_distance(
					ml_windows_at(c->windows,
						      c->net.centre[uses[i].name]),
					ml_windows_at(c->windows,
						      c->net.centre[uses[j].name]),
					c->windows->width);
		double angle =
			x.cycle->coordinate.angle[uses[i].name] -
			x.cycle->coordinate.angle[c->net.nearest[c->windows->series[0]]];

		turns[i] = angle - floor(angle);
		moments[i] = (double)uses[i].uses;
	}
	double shown = n > 2 ? ml_scaling(distance, n, px, py) : 0;

	ml_free(distance);
	ml_answer_columns(a);
	ml_answer_u64(a, "all", c->edges.points);
	ml_json_key(&a->json, "shown");
	ml_json_real(&a->json, shown);
	ml_answer_column(a, "x", ML_TYPE_F64, px, n);
	ml_answer_column(a, "y", ML_TYPE_F64, py, n);
	ml_answer_column(a, "turns", ML_TYPE_F64, turns, n);
	ml_answer_column(a, "moments", ML_TYPE_F64, moments, n);
	give_back(&x);
	return true;
}

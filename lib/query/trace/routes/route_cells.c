#include "lib/query/trace/routes/route_cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/analyse/passes/user_lines.h"
#include "lib/analyse/passes/waiting.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/pictures/grids.h"
#include "lib/query/trace/open/selection.h"

enum { CELLS = 4096, CELLS_MAX = 65536, GRIDS_MAX = 64 };

/* Where cells of the grids stand in the columns: grid after grid. */
struct columns {
	const struct ml_grids *g;
	struct ml_answer *a;
	size_t count; /* of all cells */
	unsigned levels;
};

static bool check_grid(struct ml_grid *g, uint64_t cells, struct ml_err *err)
{
	if (!cells || cells > CELLS_MAX || !g->size || !g->rows)
		return ml_fail(err, ML_USAGE,
			       "cells is 1 to %d, size and rows at least 1", CELLS_MAX);
	uint64_t across = g->pitch ? (g->pitch - 1) / g->size + 1 : 1;
	if (across > cells)
		return ml_fail(err, ML_USAGE,
			       "a line of pitch=%llu bytes is more than %llu cells",
			       (unsigned long long)g->pitch, (unsigned long long)cells);
	g->across = (size_t)across;
	g->count = (size_t)(cells / across * across);
	return true;
}

/* grids=REGION,SIZE,FIRST,CELLS,PITCH,ROWS;... */
static bool read_list(struct ml_grids *g, const struct ml_open_trace *t, const char *text,
		      struct ml_answer *a, struct ml_err *err)
{
	g->at = ml_arena_alloc(&a->arena, GRIDS_MAX * sizeof(*g->at));
	for (const char *at = text; *at; g->count++) {
		struct ml_grid *x = &g->at[g->count];
		uint64_t cells;
		int used = 0;

		if (g->count == GRIDS_MAX)
			return ml_fail(err, ML_USAGE, "more than %d grids", GRIDS_MAX);
		if (sscanf(at,
			   "%" SCNu32 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64
			   ",%" SCNu64 "%n",
			   &x->region, &x->size, &x->first, &cells, &x->pitch, &x->rows,
			   &used) != 6 ||
		    (at[used] && at[used] != ';'))
			return ml_fail(err, ML_USAGE,
				       "grids=%s is not REGION,SIZE,FIRST,CELLS,PITCH,"
				       "ROWS;...",
				       text);
		if (x->region >= ml_open_trace_regions(t))
			return ml_fail(err, ML_USAGE, "there is no region %u", x->region);
		if (!check_grid(x, cells, err))
			return false;
		for (size_t i = 0; i < g->count; i++)
			if (g->at[i].region == x->region)
				return ml_fail(err, ML_USAGE, "region %u is there twice",
					       x->region);
		at += used + (at[used] == ';');
	}
	return true;
}

static bool read_one(struct ml_grids *g, const struct ml_request *q, struct ml_answer *a,
		     struct ml_err *err)
{
	struct ml_grid *x = g->at = ml_arena_alloc(&a->arena, sizeof(*x));
	uint64_t region, cells;

	g->count = 1;
	if (!ml_request_u64(q, "region", 0, &region, err) ||
	    !ml_request_u64(q, "size", 8, &x->size, err) ||
	    !ml_request_u64(q, "first", 0, &x->first, err) ||
	    !ml_request_u64(q, "cells", CELLS, &cells, err) ||
	    !ml_request_u64(q, "pitch", 0, &x->pitch, err) ||
	    !ml_request_u64(q, "rows", 1, &x->rows, err))
		return false;
	x->region = (uint32_t)region;
	return check_grid(x, cells, err);
}

static bool read_mode(enum ml_grid_mode *mode, const struct ml_request *q,
		      struct ml_err *err)
{
	const char *text = ml_request_text(q, "mode");

	*mode = ML_GRID_LAST;
	while (text && *mode < ML_GRID_MODES && strcmp(ml_grid_names[*mode], text) != 0)
		++*mode;
	return *mode < ML_GRID_MODES ||
	       ml_fail(err, ML_USAGE,
		       "mode=%s is not last, count, served, first, reuse, distance or used",
		       text);
}

/* One column of all grids; `at` is where a grid has its pointer to the values. */
static void *join(struct columns *c, size_t at, size_t size, size_t each)
{
	uint8_t *all = ml_arena_alloc(&c->a->arena, (c->count * each + 1) * size);
	size_t done = 0;

	for (size_t i = 0; i < c->g->count; i++) {
		const struct ml_grid *g = &c->g->at[i];
		const void *values;

		memcpy(&values, (const char *)&g->v + at, sizeof(values));
		memcpy(all + done, values, g->count * each * size);
		done += g->count * each * size;
	}
	return all;
}

#define JOIN(c, member) \
	join(c, offsetof(struct ml_grid_values, member), \
	     sizeof(*((struct ml_grid_values *)0)->member), 1)

static void put(struct columns *c, const char *name, const double *values)
{
	ml_answer_column(c->a, name, ML_TYPE_F64, values, c->count);
}

/* Sites become numbers in the list `sites` of the header; UINT32_MAX is none. */
static void put_sites(struct columns *c, const struct ml_open_trace *t,
		      const double *there)
{
	struct ml_answer *a = c->a;
	uint32_t *site = JOIN(c, site), *caller = JOIN(c, caller);
	struct ml_user_lines places;
	bool is_new;

	ml_user_lines_init(&places, &t->trace.tables);
	for (size_t i = 0; i < c->count; i++)
		site[i] = there[i] > 0 ? (uint32_t)ml_user_lines_line(&places, site[i],
								      caller[i], &is_new)
				       : UINT32_MAX;
	ml_json_key(&a->json, "sites");
	ml_json_array(&a->json);
	for (size_t i = 0; i < places.count; i++) {
		uint32_t file = ml_open_trace_file(t, places.lines[i].file);

		ml_json_object(&a->json);
		ml_json_key(&a->json, "file");
		if (file == UINT32_MAX)
			ml_json_null(&a->json);
		else
			ml_json_u64(&a->json, file);
		ml_answer_u64(a, "line", places.lines[i].line);
		ml_answer_string(a, "func",
				 ml_tables_text(&t->trace.tables, places.lines[i].func));
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
	ml_user_lines_release(&places);
	ml_answer_column(a, "site", ML_TYPE_U32, site, c->count);
}

static void put_last(struct columns *c, const struct ml_open_trace *t)
{
	double *read = JOIN(c, read), *write = JOIN(c, write);
	double *last = ml_arena_alloc(&c->a->arena, (c->count + 1) * sizeof(*last));

	for (size_t i = 0; i < c->count; i++)
		last[i] = read[i] > write[i] ? read[i] : write[i];
	put(c, "read", read);
	put(c, "write", write);
	ml_answer_column(c->a, "served", ML_TYPE_U8, JOIN(c, level), c->count);
	put_sites(c, t, last);
}

static void put_means(struct columns *c)
{
	double *sum = JOIN(c, sum), *times = JOIN(c, times);

	for (size_t i = 0; i < c->count; i++)
		sum[i] = times[i] > 0 ? sum[i] / times[i] : 0;
	put(c, "distance", sum);
	put(c, "count", times);
}

static void put_served(struct columns *c, const struct ml_machine *m)
{
	const double *served = join(c, offsetof(struct ml_grid_values, served),
				    sizeof(double), c->levels);
	const double *beyond = JOIN(c, beyond);
	double *waiting = ml_arena_alloc(&c->a->arena, (c->count + 1) * sizeof(*waiting));

	for (size_t i = 0; i < c->count; i++) {
		uint64_t counts[ML_SERVED] = { 0 };

		for (unsigned k = 0; k < c->levels; k++)
			counts[k + 1] = (uint64_t)served[i * c->levels + k];
		waiting[i] = ml_waiting(m, counts, beyond[i], NULL);
	}
	ml_answer_column(c->a, "served", ML_TYPE_F64, served, c->count * c->levels);
	put(c, "waiting", waiting);
}

static void put_values(struct columns *c, const struct ml_open_trace *t,
		       const struct ml_machine *m)
{
	double *time;

	switch (c->g->mode) {
	case ML_GRID_LAST: put_last(c, t); break;
	case ML_GRID_COUNT:
		put(c, "reads", JOIN(c, read));
		put(c, "writes", JOIN(c, write));
		break;
	case ML_GRID_SERVED: put_served(c, m); break;
	case ML_GRID_FIRST:
		time = JOIN(c, time);
		put(c, "time", time);
		put_sites(c, t, time);
		break;
	case ML_GRID_REUSE:
	case ML_GRID_DISTANCE: put_means(c); break;
	default: put(c, "used", JOIN(c, used)); put(c, "fetched", JOIN(c, bytes));
	}
}

static void put_grid(struct ml_answer *a, const struct ml_grid *g)
{
	ml_answer_u64(a, "region", g->region);
	ml_answer_u64(a, "first", g->first);
	ml_answer_u64(a, "size", g->size);
	ml_answer_u64(a, "cells", g->count);
	ml_answer_u64(a, "across", g->across);
}

static void put_header(struct columns *c, bool list)
{
	struct ml_answer *a = c->a;

	ml_answer_columns(a);
	if (!list)
		put_grid(a, &c->g->at[0]);
	else {
		ml_json_key(&a->json, "grids");
		ml_json_array(&a->json);
		for (size_t i = 0; i < c->g->count; i++) {
			ml_json_object(&a->json);
			put_grid(a, &c->g->at[i]);
			ml_json_end(&a->json);
		}
		ml_json_end(&a->json);
	}
	ml_answer_u64(a, "from", c->g->from);
	ml_answer_u64(a, "to", c->g->to);
	ml_answer_u64(a, "seen", c->g->seen);
	ml_answer_u64(a, "levels", c->levels);
}

bool ml_route_cells(struct ml_workspace *ws, const struct ml_request *q,
		    struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	const char *list = ml_request_text(q, "grids");
	struct ml_selection selection;
	struct ml_grids g = { .selection = &selection, .work = &q->work };
	uint64_t hurry, of;

	if (!s || !ml_request_window(q, s->simulation.result.refs, &g.from, &g.to, err) ||
	    !ml_selection_read(&selection, q, s->trace, &a->arena, err) ||
	    !read_mode(&g.mode, q, err) || !ml_request_u64(q, "hurry", 0, &hurry, err) ||
	    !ml_request_u64(q, "of", 1, &of, err) ||
	    !(list ? read_list(&g, s->trace, list, a, err) : read_one(&g, q, a, err)))
		return false;
	/* distances and lines that leave follow from all that came before */
	if (g.mode < ML_GRID_DISTANCE)
		g.hurry = hurry < 1000 ? (unsigned)hurry : 1000;
	g.of = of < UINT32_MAX ? (unsigned)of : 0;
	if (!ml_grids_fill(&g, s, &a->arena, err))
		return false;
	struct columns c = { .g = &g, .a = a, .levels = s->machine.levels + 1 };
	for (size_t i = 0; i < g.count; i++)
		c.count += g.at[i].count;
	put_header(&c, list);
	put_values(&c, s->trace, &s->machine);
	return true;
}

#include "lib/query/ask_cells.h"

#include <string.h>

#include "lib/analyse/places.h"
#include "lib/query/desk_sims.h"
#include "lib/query/selection.h"
#include "lib/query/walk.h"

enum { CELLS = 4096, CELLS_MAX = 65536, SIDE_MAX = 2048 };

/*
 * A region cut into cells of equal size, and what is gathered about each. A region
 * that is a matrix can be cut in both directions: its lines of `pitch` bytes then
 * become `across` cells each, and `rows` lines become one row of cells.
 */
struct cells {
	uint32_t region;
	uint64_t first, size; /* bytes: of the first cell's start, of a cell */
	uint64_t pitch, rows; /* pitch 0: one cell after the other */
	size_t across, count;
	uint64_t bytes; /* that the cells stand for */
	const struct ml_selection *selection;
	unsigned levels;
	double *read, *write; /* times + 1, or counts */
	double *served;       /* [count][levels] */
	double *time;
	uint8_t *level;
	uint32_t *site, *caller;
};

/* Bytes that a reference touches, and the cell that was told of last. */
struct stretch {
	uint64_t low, high; /* from c->first */
	size_t cell;
};

static struct stretch touched(const struct cells *c, const struct ml_walk_events *w,
			      size_t i)
{
	struct stretch s = { 0, 0, SIZE_MAX };

	if (w->e.region[i] != c->region || !ml_selection_has(c->selection, w, i))
		return s;
	uint64_t low = w->offset[i], size = ml_what_size(w->e.refs->what[i]);
	uint64_t high = low + (size ? size : 1), end = c->first + c->bytes;

	s.low = low < c->first ? 0 : low - c->first;
	s.high = high <= c->first ? 0 : (high < end ? high : end) - c->first;
	return s;
}

/* The next cell of a stretch, each once; false: no more. */
static bool next_cell(const struct cells *c, struct stretch *s, size_t *cell)
{
	while (s->low < s->high) {
		if (c->pitch) {
			uint64_t line = s->low / c->pitch, in = s->low % c->pitch;
			uint64_t end = (in / c->size + 1) * c->size;

			*cell = (size_t)(line / c->rows * c->across + in / c->size);
			s->low = line * c->pitch + (end < c->pitch ? end : c->pitch);
		} else {
			*cell = (size_t)(s->low / c->size);
			s->low = (*cell + 1) * c->size;
		}
		if (*cell != s->cell && *cell < c->count) {
			s->cell = *cell;
			return true;
		}
	}
	return false;
}

static bool last_access(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct cells *c = arg;
	size_t k;

	(void)err;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		struct stretch s = touched(c, w, i);
		bool write = ml_what_kind(w->e.refs->what[i]) == ML_WRITE;

		while (next_cell(c, &s, &k)) {
			(write ? c->write : c->read)[k] = (double)(w->e.position + i + 1);
			c->level[k] = (uint8_t)ml_outcome_served(w->e.outcome[i]);
			c->site[k] = w->e.refs->site[i];
			c->caller[k] = w->e.refs->caller[i];
		}
	}
	return true;
}

static bool count_accesses(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct cells *c = arg;
	size_t k;

	(void)err;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		struct stretch s = touched(c, w, i);
		bool write = ml_what_kind(w->e.refs->what[i]) == ML_WRITE;

		while (next_cell(c, &s, &k))
			(write ? c->write : c->read)[k]++;
	}
	return true;
}

static bool count_served(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct cells *c = arg;
	size_t k;

	(void)err;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		struct stretch s = touched(c, w, i);
		unsigned served = ml_outcome_served(w->e.outcome[i]);

		while (next_cell(c, &s, &k))
			c->served[k * c->levels + served - 1]++;
	}
	return true;
}

static bool first_writer(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct cells *c = arg;
	size_t k;

	(void)err;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		if (ml_what_kind(w->e.refs->what[i]) != ML_WRITE)
			continue;
		struct stretch s = touched(c, w, i);
		while (next_cell(c, &s, &k)) {
			if (c->time[k] > 0)
				continue;
			c->time[k] = (double)(w->e.position + i + 1);
			c->site[k] = w->e.refs->site[i];
			c->caller[k] = w->e.refs->caller[i];
		}
	}
	return true;
}

/* Mean time between two accesses of a cell: read is the last time, write the sum. */
static bool time_between(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct cells *c = arg;
	size_t k;

	(void)err;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		struct stretch s = touched(c, w, i);
		double now = (double)(w->e.position + i + 1);

		while (next_cell(c, &s, &k)) {
			if (c->read[k] > 0) {
				c->write[k] += now - c->read[k];
				c->time[k]++;
			}
			c->read[k] = now;
		}
	}
	return true;
}

static void *room(struct ml_answer *a, size_t count, size_t size)
{
	return ml_arena_alloc(&a->arena, (count + 1) * size);
}

/* Sites become numbers in the list `sites` of the header; UINT32_MAX is none. */
static void put_sites(struct ml_answer *a, const struct ml_desk_trace *t, struct cells *c,
		      const double *there)
{
	struct ml_places places;
	bool is_new;

	ml_places_init(&places, &t->trace.tables);
	for (size_t i = 0; i < c->count; i++)
		c->site[i] = there[i] > 0
				     ? (uint32_t)ml_places_line(&places, c->site[i],
								c->caller[i], &is_new)
				     : UINT32_MAX;
	ml_json_key(&a->json, "sites");
	ml_json_array(&a->json);
	for (size_t i = 0; i < places.count; i++) {
		uint32_t file = ml_desk_file(t, places.lines[i].file);

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
	ml_places_release(&places);
}

static bool gather(struct ml_desk_sim *s, const char *mode, struct cells *c,
		   uint64_t from, uint64_t to, struct ml_answer *a, struct ml_err *err)
{
	unsigned places = ML_WALK_PLACES | ml_selection_want(c->selection);
	unsigned want = places | ML_WALK_OUTCOMES;
	size_t n = c->count;

	c->read = room(a, n, sizeof(double));
	c->write = room(a, n, sizeof(double));
	c->time = room(a, n, sizeof(double));
	c->level = room(a, n, 1);
	c->site = room(a, n, sizeof(uint32_t));
	c->caller = room(a, n, sizeof(uint32_t));
	if (!strcmp(mode, "last")) {
		if (!ml_walk_region(s, c->region, from, to, want, last_access, c, err))
			return false;
		for (size_t i = 0; i < n; i++)
			c->time[i] = c->read[i] > c->write[i] ? c->read[i] : c->write[i];
		put_sites(a, s->trace, c, c->time);
		ml_answer_column(a, "read", ML_TYPE_F64, c->read, n);
		ml_answer_column(a, "write", ML_TYPE_F64, c->write, n);
		ml_answer_column(a, "served", ML_TYPE_U8, c->level, n);
		ml_answer_column(a, "site", ML_TYPE_U32, c->site, n);
	} else if (!strcmp(mode, "count")) {
		if (!ml_walk_region(s, c->region, from, to, places, count_accesses, c,
				    err))
			return false;
		ml_answer_column(a, "reads", ML_TYPE_F64, c->read, n);
		ml_answer_column(a, "writes", ML_TYPE_F64, c->write, n);
	} else if (!strcmp(mode, "served")) {
		c->served = room(a, n * c->levels, sizeof(double));
		if (!ml_walk_region(s, c->region, from, to, want, count_served, c, err))
			return false;
		ml_answer_column(a, "served", ML_TYPE_F64, c->served, n * c->levels);
	} else if (!strcmp(mode, "first")) {
		if (!ml_walk_region(s, c->region, from, to, places, first_writer, c, err))
			return false;
		put_sites(a, s->trace, c, c->time);
		ml_answer_column(a, "time", ML_TYPE_F64, c->time, n);
		ml_answer_column(a, "site", ML_TYPE_U32, c->site, n);
	} else if (!strcmp(mode, "reuse")) {
		if (!ml_walk_region(s, c->region, from, to, places, time_between, c, err))
			return false;
		for (size_t i = 0; i < n; i++)
			c->write[i] = c->time[i] > 0 ? c->write[i] / c->time[i] : 0;
		ml_answer_column(a, "distance", ML_TYPE_F64, c->write, n);
		ml_answer_column(a, "count", ML_TYPE_F64, c->time, n);
	} else
		return ml_fail(err, ML_USAGE,
			       "mode=%s is not last, count, served, first or reuse",
			       mode);
	return true;
}

bool ml_ask_cells(struct ml_desk *d, const struct ml_ask *q, struct ml_answer *a,
		  struct ml_err *err)
{
	struct ml_desk_sim *s = ml_desk_sim_ready(d, q->number[0], err);
	const char *mode = ml_ask_text(q, "mode");
	uint64_t region, from, to, size, first, cells, pitch, rows;
	struct ml_selection selection;

	if (!s || !ml_ask_window(q, s->result.refs, &from, &to, err) ||
	    !ml_selection_read(&selection, q, s->trace, &a->arena, err) ||
	    !ml_ask_u64(q, "region", 0, &region, err) ||
	    !ml_ask_u64(q, "size", 8, &size, err) ||
	    !ml_ask_u64(q, "first", 0, &first, err) ||
	    !ml_ask_u64(q, "cells", CELLS, &cells, err) ||
	    !ml_ask_u64(q, "pitch", 0, &pitch, err) ||
	    !ml_ask_u64(q, "rows", 1, &rows, err))
		return false;
	if (!cells || cells > CELLS_MAX || !size || !rows)
		return ml_fail(err, ML_USAGE,
			       "cells is 1 to %d, size and rows at least 1", CELLS_MAX);
	uint64_t across = pitch ? (pitch + size - 1) / size : 1;
	if (across > cells)
		return ml_fail(err, ML_USAGE,
			       "a line of pitch=%llu bytes is more than %llu cells",
			       (unsigned long long)pitch, (unsigned long long)cells);
	struct cells c = { .region = (uint32_t)region,
			   .first = first,
			   .size = size,
			   .pitch = pitch,
			   .rows = rows,
			   .across = (size_t)across,
			   .count = (size_t)(cells / across * across),
			   .selection = &selection,
			   .levels = s->machine.levels + 1 };
	c.bytes = pitch ? c.count / across * rows * pitch : c.count * size;
	ml_answer_columns(a);
	ml_answer_u64(a, "region", region);
	ml_answer_u64(a, "first", first);
	ml_answer_u64(a, "size", size);
	ml_answer_u64(a, "cells", c.count);
	ml_answer_u64(a, "across", across);
	ml_answer_u64(a, "from", from);
	ml_answer_u64(a, "to", to);
	ml_answer_u64(a, "levels", c.levels);
	return gather(s, mode ? mode : "last", &c, from, to, a, err);
}

/* A region against time: rows are parts of it, columns parts of the window. */
struct plane {
	uint32_t region;
	uint64_t first, bytes, from, length;
	size_t rows, columns;
	uint32_t *reads, *writes;
	uint8_t *served;
};

static bool paint(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct plane *p = arg;

	(void)err;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		if (w->e.region[i] != p->region || w->offset[i] < p->first ||
		    w->offset[i] - p->first >= p->bytes)
			continue;
		/* neither product can overflow: sides are small, bytes and length < 2^53
		 */
		size_t row = (size_t)((w->offset[i] - p->first) * p->rows / p->bytes);
		size_t column =
			(size_t)((w->e.position + i - p->from) * p->columns / p->length);
		size_t at = row * p->columns + column;
		uint8_t served = (uint8_t)ml_outcome_served(w->e.outcome[i]);

		if (ml_what_kind(w->e.refs->what[i]) == ML_WRITE)
			p->writes[at]++;
		else
			p->reads[at]++;
		if (served > p->served[at])
			p->served[at] = served;
	}
	return true;
}

bool ml_ask_plane(struct ml_desk *d, const struct ml_ask *q, struct ml_answer *a,
		  struct ml_err *err)
{
	struct ml_desk_sim *s = ml_desk_sim_ready(d, q->number[0], err);
	uint64_t region, from, to, first, bytes, rows, columns;

	if (!s || !ml_ask_window(q, s->result.refs, &from, &to, err) ||
	    !ml_ask_u64(q, "region", 0, &region, err) ||
	    !ml_ask_u64(q, "first", 0, &first, err) ||
	    !ml_ask_u64(q, "bytes", ml_desk_extent(s->trace, (uint32_t)region), &bytes,
			err) ||
	    !ml_ask_u64(q, "rows", 256, &rows, err) ||
	    !ml_ask_u64(q, "columns", 512, &columns, err))
		return false;
	if (!rows || !columns || rows > SIDE_MAX || columns > SIDE_MAX)
		return ml_fail(err, ML_USAGE, "rows and columns are 1 to %d", SIDE_MAX);
	if (!bytes)
		return ml_fail(err, ML_USAGE,
			       "region %llu has no known extent: give bytes",
			       (unsigned long long)region);
	rows = rows < bytes ? rows : bytes;
	if (to > from && columns > to - from)
		columns = to - from;
	struct plane p = { (uint32_t)region, first,           bytes, from, to - from,
			   (size_t)rows,     (size_t)columns, NULL,  NULL, NULL };
	size_t n = p.rows * p.columns;
	p.reads = room(a, n, sizeof(*p.reads));
	p.writes = room(a, n, sizeof(*p.writes));
	p.served = room(a, n, 1);
	if (!ml_walk_region(s, p.region, from, to, ML_WALK_PLACES | ML_WALK_OUTCOMES,
			    paint, &p, err))
		return false;
	ml_answer_columns(a);
	ml_answer_u64(a, "region", region);
	ml_answer_u64(a, "first", first);
	ml_answer_u64(a, "bytes", bytes);
	ml_answer_u64(a, "from", from);
	ml_answer_u64(a, "to", to);
	ml_answer_u64(a, "rows", rows);
	ml_answer_u64(a, "across", columns);
	ml_answer_column(a, "reads", ML_TYPE_U32, p.reads, n);
	ml_answer_column(a, "writes", ML_TYPE_U32, p.writes, n);
	ml_answer_column(a, "served", ML_TYPE_U8, p.served, n);
	return true;
}

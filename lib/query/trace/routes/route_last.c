#include "lib/query/trace/routes/route_last.h"

#include <stdio.h>
#include <string.h>

#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/walk.h"

/*
 * Moments that are kept of one cut are at most MOMENTS, which is a few megabytes; the
 * pages that are open at once have few cuts.
 */
enum { REGIONS_MAX = 64, CELLS_MAX = 65536, MOMENTS = 256, CUTS = 4, STEP = 1 << 18 };

/* A region cut into cells of equal size. */
struct part {
	uint32_t region;
	uint64_t size, base;
	size_t first, cells; /* in the column */
};

/* Regions cut in one way, and what was the last result of each cell at some moments. */
struct cut {
	char *text; /* as it was asked for */
	struct part part[REGIONS_MAX];
	size_t parts, cells;
	bool based;     /* no region needs to be looked for: each is one block */
	uint8_t *which; /* part + 1 by region */
	size_t regions;
	uint64_t step; /* references between moments */
	struct moment {
		uint64_t at;
		uint8_t *served;
	} moment[MOMENTS]; /* at multiples of step, in order; the first is 0 */
	size_t moments;
	struct moment now; /* where the last question led */
	uint64_t used;
};

struct lasts {
	pthread_mutex_t lock;
	uint64_t uses;
	struct cut *cut[CUTS];
};

static uint8_t *copy(const uint8_t *from, size_t count)
{
	uint8_t *to = ml_resize(NULL, count + 1);

	memcpy(to, from, count);
	return to;
}

static void close_cut(struct cut *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->moments; i++)
		ml_free(c->moment[i].served);
	ml_free(c->now.served);
	ml_free(c->which);
	ml_free(c->text);
	ml_free(c);
}

static void *make_lasts(void)
{
	struct lasts *l = ml_resize(NULL, sizeof(*l));

	*l = (struct lasts){ .uses = 0 };
	pthread_mutex_init(&l->lock, NULL);
	return l;
}

static void close_lasts(void *data)
{
	struct lasts *l = data;

	for (size_t i = 0; i < CUTS; i++)
		close_cut(l->cut[i]);
	pthread_mutex_destroy(&l->lock);
	ml_free(l);
}

/* "3:8:512,4:16:100": region, bytes of a cell and number of cells of each. */
static bool read_parts(struct cut *c, const struct ml_open_trace *t, const char *text,
		       struct ml_err *err)
{
	const char *at = text;

	c->based = true;
	do {
		struct part *p = &c->part[c->parts];
		unsigned long long region, size, cells;
		int read = 0;

		if (sscanf(at, "%9llu:%18llu:%9llu%n", &region, &size, &cells, &read) !=
			    3 ||
		    !size || !cells || (at[read] && at[read] != ','))
			return ml_fail(err, ML_USAGE,
				       "cells=%s is not REGION:SIZE:CELLS, separated "
				       "by commas",
				       text);
		if (region >= ml_open_trace_regions(t))
			return ml_fail(err, ML_USAGE, "there is no region %llu", region);
		if (c->parts == REGIONS_MAX || c->cells + cells > CELLS_MAX)
			return ml_fail(err, ML_USAGE, "more than %d regions or %d cells",
				       REGIONS_MAX, CELLS_MAX);
		*p = (struct part){ .region = (uint32_t)region,
				    .size = size,
				    .first = c->cells,
				    .cells = (size_t)cells };
		if (!ml_open_trace_base(t, p->region, &p->base))
			c->based = false;
		if (region >= c->regions)
			c->regions = (size_t)region + 1;
		c->cells += (size_t)cells;
		c->parts++;
		at += read;
	} while (*at++ == ',');
	c->which = ml_resize(NULL, c->regions);
	memset(c->which, 0, c->regions);
	for (size_t i = 0; i < c->parts; i++)
		c->which[c->part[i].region] = (uint8_t)(i + 1);
	return true;
}

/* The cut that is asked for, as it was left the last time, or a new one. */
static struct cut *find_cut(struct lasts *l, const struct ml_open_trace *t,
			    const char *text, struct ml_err *err)
{
	struct cut **oldest = &l->cut[0];

	l->uses++;
	for (size_t i = 0; i < CUTS; i++) {
		struct cut *c = l->cut[i];

		if (c && !strcmp(c->text, text)) {
			c->used = l->uses;
			return c;
		}
		if (*oldest && (!c || c->used < (*oldest)->used))
			oldest = &l->cut[i];
	}
	struct cut *c = ml_resize(NULL, sizeof(*c));
	memset(c, 0, sizeof(*c));
	if (!read_parts(c, t, text, err)) {
		close_cut(c);
		return NULL;
	}
	c->text = (char *)copy((const uint8_t *)text, strlen(text) + 1);
	c->now.served = ml_resize(NULL, c->cells);
	memset(c->now.served, 0, c->cells);
	c->moment[c->moments++] = (struct moment){ 0, copy(c->now.served, c->cells) };
	c->step = STEP;
	c->used = l->uses;
	close_cut(*oldest);
	*oldest = c;
	return c;
}

/* Every other moment goes, and from now on only every other one is kept. */
static void thin_out(struct cut *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->moments; i++)
		if (i % 2)
			ml_free(c->moment[i].served);
		else
			c->moment[kept++] = c->moment[i];
	c->moments = kept;
	c->step *= 2;
}

static void keep(struct cut *c)
{
	if (c->now.at <= c->moment[c->moments - 1].at)
		return;
	if (c->moments == MOMENTS)
		thin_out(c);
	if (c->now.at % c->step == 0)
		c->moment[c->moments++] =
			(struct moment){ c->now.at, copy(c->now.served, c->cells) };
}

static bool note(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct cut *c = arg;
	const struct ml_batch *b = w->e.refs;

	(void)err;
	for (size_t i = 0; i < b->count; i++) {
		uint32_t region = w->e.region[i];

		if ((w->e.position + i) % STEP == 0) {
			c->now.at = w->e.position + i;
			keep(c);
		}
		if (region >= c->regions || !c->which[region])
			continue;
		const struct part *p = &c->part[c->which[region] - 1];
		uint64_t low = c->based ? b->addr[i] - p->base : w->offset[i];
		uint64_t size = ml_what_size(b->what[i]);
		uint64_t last = (low + (size ? size - 1 : 0)) / p->size;

		for (uint64_t k = low / p->size; k <= last && k < p->cells; k++)
			c->now.served[p->first + k] =
				(uint8_t)ml_outcome_served(w->e.outcome[i]);
	}
	c->now.at = w->e.position + b->count;
	return true;
}

/* Brings c->now to a position: from where it is, or from the last moment before. */
static bool go(struct ml_open_sim *s, const struct ml_request *q, struct cut *c,
	       uint64_t at, struct ml_err *err)
{
	const struct moment *m = &c->moment[0];

	for (size_t i = 1; i < c->moments && c->moment[i].at <= at; i++)
		m = &c->moment[i];
	if (c->now.at > at || c->now.at < m->at) {
		memcpy(c->now.served, m->served, c->cells);
		c->now.at = m->at;
	}
	if (!ml_walk(s, &q->work, c->now.at, at,
		     ML_WALK_OUTCOMES | (c->based ? 0 : ML_WALK_PLACES), note, c, err))
		return false;
	c->now.at = at;
	return true;
}

bool ml_route_last(struct ml_workspace *ws, const struct ml_request *q,
		   struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	const char *text = ml_request_text(q, "cells");
	uint64_t at;

	if (!s || !ml_request_u64(q, "at", s->simulation.result.refs, &at, err))
		return false;
	if (!text)
		return ml_fail(err, ML_USAGE,
			       "cells is missing: REGION:SIZE:CELLS of each region");
	at = at < s->simulation.result.refs ? at : s->simulation.result.refs;
	struct lasts *l = ml_open_sim_attach(s, "last", make_lasts, close_lasts);
	pthread_mutex_lock(&l->lock);
	struct cut *c = find_cut(l, s->trace, text, err);
	uint8_t *served = NULL;
	if (c && go(s, q, c, at, err)) {
		served = ml_arena_alloc(&a->arena, c->cells + 1);
		memcpy(served, c->now.served, c->cells);
		ml_answer_columns(a);
		ml_answer_u64(a, "at", at);
		ml_answer_u64(a, "levels", s->machine.levels + 1);
		ml_answer_column(a, "served", ML_TYPE_U8, served, c->cells);
	}
	pthread_mutex_unlock(&l->lock);
	return served != NULL;
}

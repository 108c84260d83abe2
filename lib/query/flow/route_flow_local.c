/* The local view: a flow at small sizes, element by element. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/cache/distance/distance.h"
#include "lib/flow/flow.h"
#include "lib/flow/run/locality.h"
#include "lib/query/flow/asked.h"
#include "lib/query/flow/open_flow.h"
#include "lib/query/flow/route_flow.h"
#include "lib/query/workspace/answer.h"

/* Cells of a container and accesses of an answer; elements chosen at once. */
enum { CELLS = 65536, CHOSEN = 256 };

static bool read_container(const struct ml_flow_asked *k, const struct ml_request *q,
			   uint64_t *container, struct ml_err *err)
{
	return ml_request_u64(q, "container", 0, container, err) &&
	       (*container < k->x->flow->container_count ||
		ml_fail(err, ML_USAGE, "the flow has no container %" PRIu64, *container));
}

/* Misses of containers at another threshold than that of the simulation. */
static struct ml_locality_container *at_threshold(const struct ml_flow_asked *k,
						  struct ml_arena *a)
{
	size_t n = k->x->flow->container_count;
	struct ml_locality_container *c = (struct ml_locality_container *)ml_arena_copy(
		a, k->s->l->container, (n + 1) * sizeof(*k->s->l->container));

	for (size_t i = 0; i < n; i++) {
		uint64_t(*pair)[2];
		size_t pairs = ml_locality_distances(&c[i], &pair);

		c[i].misses = 0;
		for (size_t j = 0; j < pairs; j++)
			c[i].misses += pair[j][0] >= k->threshold ? pair[j][1] : 0;
		ml_free(pair);
	}
	return c;
}

/* Extent of a dimension: as declared, else what the storage leaves for it. */
static int64_t extent(const struct ml_flow_walk *w, uint32_t container, uint32_t d,
		      int64_t stride, int64_t offset)
{
	const struct ml_flow_container *c = &w->container[container];
	const struct ml_flow_placed *p = &w->placed[container];
	int64_t v;

	if (c->shape[d] && ml_sym_eval(c->shape[d], w->value, w->known, &v))
		return v;
	if (stride < 1 || p->low > p->high || p->high < offset)
		return 0;
	return (p->high - offset) / stride + 1;
}

/* Where containers lie: numbers for what is symbolic in /api/flows/F. */
static void placed_json(const struct ml_flow_walk *w, struct ml_json *out)
{
	ml_json_key_array(out, "placed");
	for (uint32_t i = 0; i < w->flow->container_count; i++) {
		const struct ml_flow_container *c = &w->container[i];
		const struct ml_flow_placed *p = &w->placed[i];
		int64_t stride[ML_FLOW_DIMS] = { 0 }, offset = 0;
		bool known = ml_sym_eval(c->offset, w->value, w->known, &offset);

		if (c->scalar || p->low > p->high)
			continue;
		for (uint32_t d = 0; d < c->dims; d++)
			known &= c->stride[d] && ml_sym_eval(c->stride[d], w->value,
							     w->known, &stride[d]);
		ml_json_object(out);
		ml_json_key_u64(out, "container", i);
		ml_json_key_i64(out, "low", p->low);
		ml_json_key_i64(out, "high", p->high);
		ml_json_key_u64(out, "base", p->base);
		ml_json_key_i64(out, "offset", known ? offset : 0);
		ml_json_key_array(out, "shape");
		for (uint32_t d = 0; known && d < c->dims; d++)
			ml_json_i64(out, extent(w, i, d, stride[d], offset));
		ml_json_end(out);
		ml_json_key_array(out, "strides");
		for (uint32_t d = 0; known && d < c->dims; d++)
			ml_json_i64(out, stride[d]);
		ml_json_end(out);
		ml_json_end(out);
	}
	ml_json_end(out);
}

bool ml_route_flow_local(struct ml_workspace *ws, const struct ml_request *q,
			 struct ml_answer *a, struct ml_err *err)
{
	struct ml_flow_asked k;
	bool ok = ml_flow_ask(&k, ws, q, err);

	if (ok) {
		struct ml_experiment x = k.s->x; /* shown at the threshold asked for */

		x.now.locality.threshold = k.threshold;
		x.now.locality.container = at_threshold(&k, &a->arena);
		ml_json_object(&a->json);
		ml_experiment_json(&x, &a->json);
		placed_json(&x.now.locality.walk, &a->json);
		ml_json_end(&a->json);
	}
	ml_flow_asked(&k);
	return ok;
}

/* The cells of an answer: all containers, or a part of one. */
static bool read_cells(const struct ml_flow_asked *k, const struct ml_request *q,
		       struct ml_cells *c, struct ml_arena *a, struct ml_err *err)
{
	uint64_t container, first, cells;

	if (!ml_request_text(q, "container")) {
		ml_cells_all(c, k->s, a);
		return true;
	}
	if (!read_container(k, q, &container, err) ||
	    !ml_request_u64(q, "first", 0, &first, err) ||
	    !ml_request_u64(q, "cells", CELLS, &cells, err))
		return false;
	ml_cells_one(c, k->s, (uint32_t)container, first, cells < CELLS ? cells : CELLS,
		     a);
	return true;
}

/* Which cells belong to which container. */
static void parts_json(const struct ml_flow_asked *k, const struct ml_cells *c,
		       struct ml_answer *a)
{
	ml_json_key_array(&a->json, "parts");
	for (uint32_t i = 0; i < k->x->flow->container_count; i++) {
		if (c->first[i] == c->first[i + 1])
			continue;
		ml_json_object(&a->json);
		ml_json_key_u64(&a->json, "container", i);
		ml_json_key_u64(&a->json, "elements", ml_simulated_elements(k->s, i));
		ml_json_key_u64(&a->json, "first", c->first[i]);
		ml_json_key_u64(&a->json, "cells", c->first[i + 1] - c->first[i]);
		ml_json_key_i64(&a->json, "low", c->low[i]);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
}

/* On a machine: how often an element missed the first level, and went to memory. */
static void put_machine(const struct ml_flow_asked *k, const struct ml_cells *p,
			struct ml_answer *a)
{
	const struct ml_served *v = &k->s->x.now.served;
	uint32_t *missed = ml_arena_alloc(&a->arena, (p->count + 1) * sizeof(*missed));
	uint32_t *memory = ml_arena_alloc(&a->arena, (p->count + 1) * sizeof(*memory));

	for (size_t i = 0; i < v->kept && i < k->s->l->kept; i++) {
		size_t cell = ml_cells_of(p, k->s, i);

		if (cell == SIZE_MAX)
			continue;
		missed[cell] += v->level[i] > 1;
		memory[cell] += v->level[i] > v->machine.levels;
	}
	ml_answer_column(a, "missed", ML_TYPE_U32, missed, p->count);
	ml_answer_column(a, "memory", ML_TYPE_U32, memory, p->count);
}

/* Elements of storage; the page maps indices to places by the strides. */
bool ml_route_flow_elements(struct ml_workspace *ws, const struct ml_request *q,
			    struct ml_answer *a, struct ml_err *err)
{
	static const char *const names[] = { "count", "cold",   "misses",
					     "min",   "median", "max" };
	uint32_t *column[6];
	struct ml_cells p;
	struct ml_flow_asked k;
	bool ok = ml_flow_ask(&k, ws, q, err) && read_cells(&k, q, &p, &a->arena, err);

	if (ok) {
		struct ml_locality_element *e =
			ml_arena_alloc(&a->arena, (p.count + 1) * sizeof(*e));

		ml_cells_statistics(&p, k.s, k.threshold, e);
		for (int c = 0; c < 6; c++)
			column[c] = ml_arena_alloc(&a->arena,
						   (p.count + 1) * sizeof(**column));
		for (size_t i = 0; i < p.count; i++) {
			column[0][i] = (uint32_t)e[i].count;
			column[1][i] = (uint32_t)e[i].cold;
			column[2][i] = (uint32_t)e[i].misses;
			column[3][i] = e[i].min;
			column[4][i] = e[i].median;
			column[5][i] = e[i].max;
		}
		ml_answer_columns(a);
		parts_json(&k, &p, a);
		for (int c = 0; c < 6; c++)
			ml_answer_column(a, names[c], ML_TYPE_U32, column[c], p.count);
		if (k.s->x.has_machine)
			put_machine(&k, &p, a);
	}
	ml_flow_asked(&k);
	return ok;
}

/* A column that outlives the simulation. */
static const void *kept(struct ml_answer *a, const void *column, size_t at, size_t n,
			size_t size)
{
	return ml_arena_copy(&a->arena, n ? (const char *)column + at * size : "",
			     n * size);
}

bool ml_route_flow_accesses(struct ml_workspace *ws, const struct ml_request *q,
			    struct ml_answer *a, struct ml_err *err)
{
	uint64_t from, count;
	struct ml_flow_asked k;
	bool ok = ml_flow_ask(&k, ws, q, err) &&
		  ml_request_u64(q, "from", 0, &from, err) &&
		  ml_request_u64(q, "count", CELLS, &count, err);

	if (ok) {
		const struct ml_locality *l = k.s->l;
		uint64_t left = from < l->kept ? l->kept - from : 0;
		size_t n = (size_t)(count < left ? count : left);
		n = n > CELLS ? CELLS : n;
		size_t at = n ? (size_t)from : 0;
		int64_t *place = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*place));

		for (size_t i = 0; i < n; i++)
			place[i] = ml_simulated_place(k.s, at + i);
		ml_answer_columns(a);
		ml_answer_u64(a, "accesses", l->kept);
		ml_answer_column(a, "container", ML_TYPE_U32, kept(a, l->of, at, n, 4),
				 n);
		ml_answer_column(a, "access", ML_TYPE_U32, kept(a, l->access, at, n, 4),
				 n);
		ml_answer_column(a, "distance", ML_TYPE_U32,
				 kept(a, l->distance, at, n, 4), n);
		ml_answer_column(a, "computation", ML_TYPE_U64,
				 kept(a, l->instance, at, n, 8), n);
		ml_answer_column(a, "place", ML_TYPE_I64, place, n);
	}
	ml_flow_asked(&k);
	return ok;
}

struct chosen {
	uint32_t container;
	int64_t place;
};

/* Chosen elements "0:5,2:13": container and place. */
static bool read_chosen(const struct ml_flow_asked *k, const struct ml_request *q,
			struct chosen *list, size_t max, size_t *n, struct ml_err *err)
{
	const char *text = ml_request_text(q, "at"), *at = text ? text : "";

	for (*n = 0; *at; at += *at == ',') {
		char *stop;
		unsigned long long c = strtoull(at, &stop, 10);
		const char *second = stop + 1;
		bool good = stop != at && *stop == ':' &&
			    c < k->x->flow->container_count && *n < max;
		int64_t place = good ? strtoll(second, &stop, 10) : 0;

		if (!good || stop == second || (*stop && *stop != ','))
			return ml_fail(err, ML_USAGE,
				       "at='%s' is no list of elements CONTAINER:PLACE, "
				       "at most %zu",
				       text, max);
		list[(*n)++] = (struct chosen){ (uint32_t)c, place };
		at = stop;
	}
	return true;
}

/* Whether an execution has accessed the element before, since its access `from`. */
static bool again(const struct ml_locality *l, size_t from, size_t access)
{
	for (size_t j = from; j < access; j++)
		if (l->of[j] == l->of[access] && l->addr[j] == l->addr[access])
			return true;
	return false;
}

/* How many of the wanted elements each execution accesses; at most 255. */
static void mark_executions(const struct ml_simulated *s, const struct ml_cells *cells,
			    const uint8_t *wanted, uint8_t *marks)
{
	const struct ml_locality *l = s->l;

	for (size_t i = 0, from = 0; i < l->kept; i++) {
		size_t cell = ml_cells_of(cells, s, i);
		uint8_t *m = &marks[l->instance[i]];

		if (l->instance[i] != l->instance[from])
			from = i;
		if (cell != SIZE_MAX && wanted[cell] && *m < UINT8_MAX &&
		    !again(l, from, i))
			++*m;
	}
}

/*
 * How often each element is accessed by the executions that access a chosen one; several
 * are added up.
 */
bool ml_route_flow_related(struct ml_workspace *ws, const struct ml_request *q,
			   struct ml_answer *a, struct ml_err *err)
{
	struct chosen list[CHOSEN];
	struct ml_cells cells;
	struct ml_flow_asked k;
	size_t n;
	bool ok = ml_flow_ask(&k, ws, q, err) &&
		  read_chosen(&k, q, list, CHOSEN, &n, err);

	if (ok) {
		const struct ml_locality *l = k.s->l;

		ml_cells_all(&cells, k.s, &a->arena);
		uint32_t *count = ml_arena_alloc(&a->arena,
						 (cells.count + 1) * sizeof(*count));
		uint8_t *marks = ml_arena_alloc(&a->arena, l->walk.instances + 1);
		uint8_t *wanted = ml_arena_alloc(&a->arena, cells.count + 1);
		for (size_t i = 0; i < n; i++) {
			uint32_t c = list[i].container;
			uint64_t at = (uint64_t)(list[i].place - cells.low[c]);

			if (at < cells.first[c + 1] - cells.first[c])
				wanted[cells.first[c] + at] = 1;
		}
		mark_executions(k.s, &cells, wanted, marks);
		for (size_t i = 0; i < l->kept; i++) {
			uint8_t times = marks[l->instance[i]];
			size_t cell = times ? ml_cells_of(&cells, k.s, i) : SIZE_MAX;

			if (cell != SIZE_MAX)
				count[cell] += times;
		}
		ml_answer_columns(a);
		parts_json(&k, &cells, a);
		ml_answer_column(a, "count", ML_TYPE_U32, count, cells.count);
	}
	ml_flow_asked(&k);
	return ok;
}

static int by_distance(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* The distances of one element: at=CONTAINER:PLACE. */
bool ml_route_flow_distances(struct ml_workspace *ws, const struct ml_request *q,
			     struct ml_answer *a, struct ml_err *err)
{
	size_t n = 0, cold = 0;
	struct chosen one;
	struct ml_flow_asked k;
	bool ok = ml_flow_ask(&k, ws, q, err) && read_chosen(&k, q, &one, 1, &n, err) &&
		  (n == 1 ||
		   ml_fail(err, ML_USAGE, "at names an element: CONTAINER:PLACE"));

	if (ok) {
		const struct ml_locality *l = k.s->l;
		uint32_t *d = ml_arena_alloc(&a->arena, (l->kept + 1) * sizeof(*d));

		n = 0;
		for (size_t i = 0; i < l->kept; i++) {
			if (l->of[i] != one.container ||
			    ml_simulated_place(k.s, i) != one.place)
				continue;
			cold += l->distance[i] == ML_NEVER;
			if (l->distance[i] != ML_NEVER)
				d[n++] = l->distance[i];
		}
		qsort(d, n, sizeof(*d), by_distance);
		ml_json_object(&a->json);
		ml_json_key_u64(&a->json, "accesses", n + cold);
		ml_json_key_u64(&a->json, "cold", cold);
		ml_json_key_array(&a->json, "distances");
		for (size_t i = 0, from; i < n;) {
			for (from = i; i < n && d[i] == d[from];)
				i++;
			ml_json_array(&a->json);
			ml_json_u64(&a->json, d[from]);
			ml_json_u64(&a->json, i - from);
			ml_json_end(&a->json);
		}
		ml_json_end(&a->json);
		ml_json_end(&a->json);
	}
	ml_flow_asked(&k);
	return ok;
}

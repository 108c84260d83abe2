#include "lib/analyse/passes/reuse.h"

#include "lib/analyse/passes/replay.h"
#include "lib/base/arena.h"

enum { ROOM = 32 * 1024 }; /* touches that are processed at once */

struct ml_reuser {
	unsigned bits;             /* log2 of the line size */
	struct ml_distance *exact; /* one of the two */
	struct ml_sampled *sampled;
	uint64_t touches;
	struct ml_cells cells;
	size_t count;
	uint64_t line[ROOM];
	struct ml_reuse_cell *cell[ROOM];
	uint32_t distance[ROOM];
};

struct ml_reuser *ml_reuser_open(uint32_t line, bool sampled)
{
	struct ml_reuser *x = ml_resize(NULL, sizeof(*x));

	x->bits = (unsigned)__builtin_ctz(line);
	x->exact = sampled ? NULL : ml_distance_open();
	x->sampled = sampled ? ml_sampled_open(ML_REUSE_SAMPLE) : NULL;
	x->touches = 0;
	x->count = 0;
	ml_cells_init(&x->cells, sizeof(struct ml_reuse_cell));
	return x;
}

static unsigned width(uint32_t distance)
{
	return distance ? 32 - (unsigned)__builtin_clz(distance) : 0;
}

static void measure(struct ml_reuser *x)
{
	x->touches += x->count;
	if (x->sampled)
		ml_sampled_run(x->sampled, x->line, x->count);
	else {
		ml_distance_run(x->exact, x->line, x->count, x->distance);
		for (size_t i = 0; i < x->count; i++) {
			if (x->distance[i] == ML_NEVER)
				x->cell[i]->cold++;
			else
				x->cell[i]->count[width(x->distance[i])]++;
		}
	}
	x->count = 0;
}

static struct ml_reuse_cell *cell_of(struct ml_reuser *x, const struct ml_events *e,
				     size_t i)
{
	uint32_t site = e->refs->site[i], caller = e->refs->caller[i];
	struct ml_reuse_cell *c = ml_cells_recent(&x->cells, site, caller, e->region[i]);
	bool is_new;

	return c ? c : ml_cells_find(&x->cells, site, caller, e->region[i], &is_new);
}

static bool on_batch(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct ml_reuser *x = arg;
	const struct ml_batch *b = e->refs;

	(void)err;
	for (size_t i = 0; i < b->count; i++) {
		unsigned size = ml_what_size(b->what[i]);
		uint64_t end = b->addr[i] + (size ? size - 1 : 0);
		uint64_t line = b->addr[i] >> x->bits;
		struct ml_reuse_cell *c = x->exact ? cell_of(x, e, i) : NULL;

		if (end <
		    b->addr[i]) /* the access wraps around the end of the address space */
			end = UINT64_MAX;
		for (;; line++) {
			if (x->count == ROOM)
				measure(x);
			x->line[x->count] = line;
			x->cell[x->count++] = c;
			if (line == end >> x->bits)
				break;
		}
	}
	return true;
}

struct ml_pass ml_reuser_pass(struct ml_reuser *x)
{
	return (struct ml_pass){ .arg = x, .batch = on_batch };
}

uint64_t ml_reuse_misses(const struct ml_reuse_cell *c, unsigned bits)
{
	uint64_t misses = c->cold;

	for (unsigned k = bits + 1; k < ML_REUSE_BITS; k++)
		misses += c->count[k];
	return misses;
}

static void add_point(struct ml_reuse *r, uint64_t lines, double ratio, double error)
{
	r->curve = ml_grow(r->curve, &r->point_cap, r->points + 1, sizeof(*r->curve));
	r->curve[r->points++] = (struct ml_reuse_point){ lines, ratio, error };
}

static void draw_exact(struct ml_reuse *r)
{
	for (unsigned k = 0; k < ML_REUSE_BITS; k++) {
		uint64_t misses = ml_distances_misses(&r->distances, (uint64_t)1 << k);

		add_point(r, (uint64_t)1 << k, (double)misses / (double)r->touches, 0);
		if (misses == r->distances.cold)
			break; /* a larger cache misses the same */
	}
}

static void draw_sampled(struct ml_reuse *r, const struct ml_sampled *s)
{
	double unused,
		min = ml_sampled_misses(s, (uint64_t)1 << (ML_REUSE_BITS - 1), &unused);

	for (unsigned k = 0; k < ML_REUSE_BITS; k++) {
		double error, ratio = ml_sampled_misses(s, (uint64_t)1 << k, &error);

		add_point(r, (uint64_t)1 << k, ratio, error);
		if (ratio <= min)
			break;
	}
}

void ml_reuser_close(struct ml_reuser *x, struct ml_reuse *r)
{
	measure(x);
	*r = (struct ml_reuse){
		.line = (uint32_t)1 << x->bits,
		.touches = x->touches,
		.sampled = x->sampled,
		.rate = 1,
		.found = x->cells,
	};
	r->cells = (struct ml_reuse_cell **)r->found.at;
	r->cell_count = r->found.count;
	if (x->sampled) {
		r->rate = ml_sampled_rate(x->sampled);
		if (x->touches)
			draw_sampled(r, x->sampled);
		ml_sampled_close(x->sampled);
	} else {
		ml_distances_merge(&r->distances, ml_distance_histogram(x->exact));
		if (x->touches)
			draw_exact(r);
		ml_distance_close(x->exact);
	}
	ml_free(x);
}

void ml_reuse_release(struct ml_reuse *r)
{
	ml_free(r->curve);
	ml_distances_release(&r->distances);
	ml_cells_release(&r->found);
	*r = (struct ml_reuse){ 0 };
}

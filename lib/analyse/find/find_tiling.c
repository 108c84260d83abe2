#include "lib/analyse/find/find_tiling.h"

#include <stdlib.h>

#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_family.h"

enum {
	MAX_REFS = 1 << 22, /* about so many references of a line are kept... */
	BURST = 1 << 18,    /* ...in bursts */
	MAX_SHOWN = 40 * 1000 * 1000,
	MAX_ELEMENTS = 1 << 24,
	SHORT = 4, /* runs: a shorter pass tells nothing; later visits are of a new pass
		    */
};

/* A share of its steps goes over more than a line: the steps of a walk, but for jumps. */
static bool may_walk(const struct ml_find *f, const struct ml_spot *s)
{
	const struct ml_profile_cell *c = s->worst;
	uint64_t large = 0;

	for (uint32_t i = 0; i < c->strides; i++)
		if ((uint64_t)llabs(c->stride[i].bytes) > f->line)
			large += c->stride[i].count;
	return 4 * large > c->steps;
}

/* Whether the same line uses as much of another array. */
static bool has_other(const struct ml_find *f, const struct ml_spot *s)
{
	for (size_t i = 0; i < f->spot_count; i++) {
		const struct ml_spot *o = &f->spots[i];

		if (o->line == s->line && o->region != s->region &&
		    2 * o->bytes > s->bytes && ml_find_movable(f, o->region))
			return true;
	}
	return false;
}

static struct ml_tiling_line *line_of(struct ml_tilings *t, uint32_t line)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->lines[i].line == line)
			return &t->lines[i];
	return NULL;
}

/* Which of the bursts of a line are kept, so that they are not too many. */
static uint64_t every(const struct ml_find *f, uint32_t line)
{
	uint64_t refs = 0;

	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].line == line)
			refs += f->spots[i].refs;
	return (refs < MAX_SHOWN ? refs : MAX_SHOWN) / MAX_REFS + 1;
}

bool ml_tilings_look(struct ml_find *f, struct ml_tilings *t)
{
	for (size_t i = 0; i < f->spot_count && t->count < ML_TILINGS; i++) {
		const struct ml_spot *s = &f->spots[i];

		if (s->excess < ml_family_min(f))
			break;
		if (f->user_lines.lines[s->line].own && ml_find_movable(f, s->region) &&
		    !line_of(t, s->line) && may_walk(f, s) && has_other(f, s))
			t->lines[t->count++] = (struct ml_tiling_line){
				.line = s->line, .every = every(f, s->line)
			};
	}
	return t->count;
}

static void note(struct ml_tiling_line *l, const struct ml_tiling_ref *r, uint16_t thread)
{
	uint64_t burst = l->met++ / BURST;

	if (!l->count)
		l->thread = thread;
	l->unusable |= l->thread != thread;
	if (l->unusable || burst % l->every)
		return;
	l->refs = ml_grow(l->refs, &l->cap, l->count + 1, sizeof(*l->refs));
	l->refs[l->count] = *r;
	l->refs[l->count++].slice += (uint32_t)burst;
}

void ml_tilings_see(struct ml_tilings *t, const struct ml_seen *s)
{
	const struct ml_batch *b = s->refs;

	t->slice += b->time != t->next;
	for (size_t i = 0; i < b->count; i++) {
		const struct ml_spot *spot = s->spot[i];
		struct ml_tiling_line *l = spot ? line_of(t, spot->line) : NULL;

		if (l)
			note(l,
			     &(struct ml_tiling_ref){
				     b->time + i, b->addr[i], b->addr[i] - s->offset[i],
				     spot, ml_what_size(b->what[i]), t->slice },
			     b->thread[i]);
	}
	t->next = b->time + b->count;
}

/* One array of the line while its references are put in another order. */
struct array {
	const struct ml_spot *spot;
	struct ml_tiling_ref *refs;
	size_t count;
	uint32_t *tile;  /* by reference of the pass */
	uint64_t *times; /* of all references */
};

struct order {
	const struct ml_tiling_walk *w;
	struct array a[2]; /* the walked one, and the other */
	uint32_t *visited; /* by element: number of its last visit, + 1 */
	uint64_t elements, rows;
	size_t *ends[2], count; /* by pass: behind its last reference, by array */
	size_t cap[2];
};

static void *zeroed(size_t count, size_t elem)
{
	size_t cap = 0;

	return ml_grow(NULL, &cap, count + 1, elem);
}

static void part(const struct ml_tiling_line *l, struct array *a)
{
	a->refs = zeroed(l->count, sizeof(*a->refs));
	for (size_t i = 0; i < l->count; i++)
		if (l->refs[i].spot == a->spot)
			a->refs[a->count++] = l->refs[i];
	a->tile = zeroed(a->count, sizeof(*a->tile));
	a->times = zeroed(a->count, sizeof(*a->times));
	for (size_t i = 0; i < a->count; i++)
		a->times[i] = a->refs[i].time;
}

/* The line makes its references to both arrays at the same rate in all passes. */
static void end_pass(struct order *o, size_t walked)
{
	for (unsigned k = 0; k < 2; k++)
		o->ends[k] = ml_grow(o->ends[k], &o->cap[k], o->count + 1,
				     sizeof(*o->ends[k]));
	o->ends[0][o->count] = walked;
	o->ends[1][o->count++] = walked * o->a[1].count / o->a[0].count;
}

/*
 * A pass ends where the walk comes to an element that it has visited before, but for
 * visits some runs ago (neighbours in a stencil), in another block, or in another slice.
 */
static void find_passes(struct order *o)
{
	const struct array *a = &o->a[0];
	size_t first = 0;

	for (size_t i = 0; i < a->count; i++) {
		const struct ml_tiling_ref *r = &a->refs[i];
		uint64_t at = (r->addr - r->base) / o->w->unit;
		uint32_t *last = &o->visited[at < o->elements ? at : 0];

		if (i > first &&
		    (r->base != a->refs[i - 1].base || r->slice != a->refs[i - 1].slice ||
		     (*last > first && i - *last > SHORT * o->rows))) {
			end_pass(o, i);
			first = i;
		}
		*last = (uint32_t)i + 1;
	}
	end_pass(o, a->count);
}

static int64_t steps_of(uint64_t to, uint64_t from, uint64_t tile)
{
	int64_t d = (int64_t)(to - from), t = (int64_t)tile;

	return d < 0 ? -((t - 1 - d) / t) : d / t;
}

/* Numbers the tiles of a pass in the order in which the walk comes to them. */
static uint32_t find_tiles(struct order *o, size_t from, size_t to, uint64_t tile)
{
	struct array *a = &o->a[0];
	const struct ml_tiling_walk *w = o->w;
	uint64_t start = a->refs[from].addr - a->refs[from].base;
	struct ml_map numbers = { 0 };

	for (size_t i = from; i < to; i++) {
		uint64_t at = a->refs[i].addr - a->refs[i].base;
		int64_t row = steps_of(at / w->pitch, start / w->pitch, tile);
		int64_t column = steps_of(at % w->pitch / w->unit,
					  start % w->pitch / w->unit, tile);
		bool is_new;
		uint64_t *number = ml_map_add(
			&numbers, (uint64_t)row << 32 | (uint32_t)column, &is_new);

		if (is_new)
			*number = numbers.count - 1;
		a->tile[i] = (uint32_t)*number;
	}
	uint32_t count = (uint32_t)numbers.count;
	ml_map_release(&numbers);
	return count;
}

/*
 * The other array is as far in its pass as the walk is, counted in bytes: a vector of it
 * stands for several iterations.
 */
static void follow(struct order *o, const size_t from[2], const size_t to[2])
{
	const struct array *a = &o->a[0];
	struct array *b = &o->a[1];
	uint64_t bytes = 0, done = 0;
	size_t walked = to[0] - from[0];

	for (size_t i = from[1]; i < to[1]; i++)
		bytes += b->refs[i].size;
	for (size_t i = from[1]; i < to[1]; i++) {
		b->tile[i] = a->tile[from[0] + (size_t)(done * walked / bytes)];
		done += b->refs[i].size;
	}
}

/* The addresses of a pass, those of one tile behind each other. */
static void sort_pass(const struct array *a, size_t from, size_t to, uint32_t tiles,
		      uint64_t *addr)
{
	size_t *at = zeroed(tiles, sizeof(*at));

	for (size_t i = from; i < to; i++)
		at[a->tile[i] + 1]++;
	for (uint32_t i = 0; i < tiles; i++)
		at[i + 1] += at[i];
	for (size_t i = from; i < to; i++)
		addr[from + at[a->tile[i]]++] = a->refs[i].addr;
	ml_free(at);
}

static size_t try_size(struct ml_find *f, struct order *o, struct ml_tiling_line *l,
		       unsigned size)
{
	size_t from[2] = { 0 };

	for (unsigned k = 0; k < 2; k++)
		l->lists[size][k] = zeroed(o->a[k].count, sizeof(uint64_t));
	for (size_t i = 0; i < o->count; i++) {
		size_t to[2] = { o->ends[0][i], o->ends[1][i] };
		uint32_t tiles = find_tiles(o, from[0], to[0], o->w->tile[size]);

		follow(o, from, to);
		for (unsigned k = 0; k < 2; k++) {
			sort_pass(&o->a[k], from[k], to[k], tiles, l->lists[size][k]);
			from[k] = to[k];
		}
	}
	struct ml_change change[2];
	for (unsigned k = 0; k < 2; k++)
		change[k] = (struct ml_change){ .kind = ML_CHANGE_LIST,
						.region = o->a[k].spot->region,
						.list = l->times[k],
						.other = l->lists[size][k],
						.list_count = o->a[k].count,
						.partial = l->every > 1,
						.by = ml_find_sites(f, l->line) };
	struct ml_change *also = ml_arena_alloc(f->arena, sizeof(*also));
	*also = change[1];
	change[0].also = also;
	return ml_find_try(f, &change[0], NULL);
}

bool ml_tilings_try(struct ml_find *f, struct ml_tilings *t,
		    const struct ml_tiling_walk *w, size_t trials[ML_TILE_SIZES])
{
	struct ml_tiling_line *l = line_of(t, w->walk->line);
	uint64_t size = ml_find_block_size(f, w->walk->region, NULL);
	struct order o = { .w = w,
			   .a = { { .spot = w->walk }, { .spot = w->other } },
			   .elements = size / w->unit,
			   .rows = size / w->pitch };

	if (!l || l->unusable || l->times[0] || !o.elements || o.elements > MAX_ELEMENTS)
		return false;
	for (unsigned k = 0; k < 2; k++)
		part(l, &o.a[k]);
	o.visited = zeroed(o.elements, sizeof(*o.visited));
	bool known = o.a[0].count && o.a[1].count;
	if (known)
		find_passes(&o);
	known = known && o.a[0].count >= SHORT * o.rows * o.count;
	for (unsigned k = 0; k < 2 && known; k++)
		l->times[k] = o.a[k].times;
	for (unsigned i = 0; i < ML_TILE_SIZES && known; i++)
		trials[i] = try_size(f, &o, l, i);
	for (unsigned k = 0; k < 2; k++) {
		ml_free(o.a[k].refs);
		ml_free(o.a[k].tile);
		ml_free(o.ends[k]);
		if (!known)
			ml_free(o.a[k].times);
	}
	ml_free(o.visited);
	return known;
}

void ml_tilings_release(struct ml_tilings *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct ml_tiling_line *l = &t->lines[i];

		ml_free(l->refs);
		for (unsigned k = 0; k < 2; k++) {
			ml_free(l->times[k]);
			for (unsigned s = 0; s < ML_TILE_SIZES; s++)
				ml_free(l->lists[s][k]);
		}
	}
}

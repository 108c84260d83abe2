#include "lib/analyse/find/find_irregular.h"

#include <stdlib.h>

#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_family.h"
#include "lib/trace/regions/region_lookup.h"

enum {
	MIN_NODES = 64,
	MAX_NODE = 4096,
	BEFORE = 3,
	MAX_ELEMENTS = 1 << 22,
	PLACES_BITS = 40,
	REPEATED = 8 /* one of so many visits is followed as the time before */
};

/* Whether the index may be read for this use: on its line or just before. */
static bool just_before(const struct ml_find *f, const struct ml_spot *index,
			const struct ml_spot *use)
{
	uint32_t x = f->user_lines.lines[index->line].line;
	uint32_t y = f->user_lines.lines[use->line].line;

	return index->line == use->line ||
	       (ml_find_together(f, index, use) && x <= y && y - x <= BEFORE);
}

/* Whether elements of an array can be indices of all elements of a table. */
static bool can_name(const struct ml_find *f, const struct ml_spot *index,
		     const struct ml_visits *v)
{
	uint64_t width = f->tables->regions.at[index->region].elem;

	if (!width)
		width = index->bytes / index->refs;
	return width >= sizeof(uint32_t) ||
	       ml_find_block_size(f, v->spot->region, NULL) / v->pitch <=
		       (uint64_t)1 << (8 * width);
}

/*
 * Whether the program makes the indices for one use each. Then their order is a result,
 * and to sort them takes longer than to use them.
 */
static bool used_once(const struct ml_find *f, const struct ml_spot *index)
{
	double written = 0, read = 0;

	for (size_t i = 0; i < f->spot_count; i++) {
		const struct ml_spot *s = &f->spots[i];
		double mean = (double)s->bytes / (double)s->refs;

		if (s->region == index->region)
			written += mean * (double)s->kind[ML_WRITE];
		if (s == index)
			read += mean * (double)s->kind[ML_READ];
	}
	return read < 2 * written;
}

/*
 * Whether the spot goes on by neighbouring elements. Reads that overlap each other are
 * no elements: the code makes a hash of some bytes of a text, and then goes on by one.
 */
static bool goes_on(const struct ml_find *f, const struct ml_spot *s)
{
	const struct ml_profile_cell *c = s->worst;
	int64_t size = (int64_t)(s->bytes / s->refs);
	uint64_t near = 0;

	for (uint32_t k = 0; k < c->strides; k++) {
		int64_t step = llabs(c->stride[k].bytes);

		if (step && step >= size && step <= (int64_t)f->line)
			near += c->stride[k].count;
	}
	return 2 * near > c->steps;
}

/*
 * The array of indices: an array of which the code reads about one element for each
 * reference.
 */
static const struct ml_spot *index_of(const struct ml_find *f, const struct ml_visits *v)
{
	const struct ml_spot *s = v->spot;

	for (size_t i = 0; i < f->spot_count; i++) {
		const struct ml_spot *o = &f->spots[i];

		if (!just_before(f, o, s) || o->region == s->region || !o->kind[0] ||
		    4 * o->refs < s->refs || !ml_find_movable(f, o->region))
			continue;
		if (goes_on(f, o) && can_name(f, o, v) && !used_once(f, o))
			return o;
	}
	return NULL;
}

/* Blocks that can be nodes. A growing array may be among the blocks of the same line. */
static size_t small_blocks(const struct ml_find *f, uint32_t region)
{
	size_t n = 0;

	for (size_t i = 0; i < f->trace->block_count; i++)
		n += ml_find_same(f, f->trace->blocks[i].region) == region &&
		     f->trace->blocks[i].size <= MAX_NODE;
	return n;
}

static enum ml_irregular kind_of(const struct ml_find *f, const struct ml_spot *s,
				 struct ml_visits *v)
{
	const struct ml_region *r;
	uint64_t size;
	size_t blocks;

	if (!ml_find_movable(f, s->region) || !f->user_lines.lines[s->line].own)
		return ML_REGULAR;
	r = &f->tables->regions.at[s->region];
	size = ml_find_block_size(f, s->region, &blocks);
	*v = (struct ml_visits){ .spot = s };
	if (blocks >= MIN_NODES && small_blocks(f, s->region) * 10 >= blocks * 9)
		return ML_NODES;
	if (!ml_find_irregular(f, s))
		return ML_REGULAR;
	v->pitch = r->elem && r->elem <= size ? r->elem
		   : s->refs                  ? s->bytes / s->refs
					      : 0;
	if (!v->pitch)
		return ML_REGULAR;
	v->index = index_of(f, v);
	return v->index ? ML_GATHER : ML_PROBES;
}

static bool visits_region(const struct ml_visits *v, uint32_t region)
{
	bool found = v->spot->region == region;

	for (unsigned i = 0; i < ML_IRREGULAR_ALSO && v->also[i]; i++)
		found |= v->also[i]->region == region;
	return found;
}

/* Whether the line of some visits also visits these nodes: objects of several classes. */
static bool visits_also(struct ml_irregular_spots *spots, const struct ml_spot *s)
{
	for (size_t k = 0; k < spots->count; k++) {
		struct ml_visits *v = &spots->visits[k];

		for (unsigned i = 0; v->spot->line == s->line && i < ML_IRREGULAR_ALSO;
		     i++)
			if (!v->also[i]) {
				v->also[i] = s;
				return true;
			}
	}
	return false;
}

void ml_irregular_look(struct ml_find *f, enum ml_irregular kind,
		       struct ml_irregular_spots *spots)
{
	spots->count = 0;
	for (size_t i = 0; i < f->spot_count && spots->count < ML_IRREGULAR_MAX; i++) {
		const struct ml_spot *s = &f->spots[i];
		struct ml_visits v;
		bool done = false;

		if (s->excess < ml_family_min(f))
			break;
		for (size_t k = 0; k < spots->count; k++)
			done |= visits_region(&spots->visits[k], s->region);
		if (!done && kind_of(f, s, &v) == kind &&
		    (kind != ML_NODES || !visits_also(spots, s))) {
			v.number = (unsigned)spots->count;
			spots->visits[spots->count++] = v;
		}
	}
	if (spots->count)
		ml_find_watch(f);
}

static struct ml_visited *visited(struct ml_visits *v, uint64_t key, uint16_t thread)
{
	uint32_t number = ml_elements_add(&v->elements, key);

	if (number > v->count) {
		v->at = ml_grow(v->at, &v->cap, number, sizeof(*v->at));
		v->at[v->count++] = (struct ml_visited){ .key = key,
							 .number = number,
							 .thread = thread };
	}
	return &v->at[number - 1];
}

/* Notes whether the element visited before was followed by the same one last time. */
static void note_next(struct ml_visits *v, const struct ml_visited *x)
{
	struct ml_visited *before = v->before ? &v->at[v->before - 1] : NULL;
	uint32_t now = (uint32_t)(x - v->at) + 1;

	if (v->before == now)
		return;
	if (before && before->next == now)
		v->same_next++;
	else if (before && before->next)
		v->other_next++;
	if (before)
		before->next = now;
	v->before = now;
}

static bool concerns(const struct ml_visits *v, const struct ml_spot *s)
{
	bool is_one = s == v->spot;

	for (unsigned i = 0; i < ML_IRREGULAR_ALSO && v->also[i]; i++)
		is_one |= s == v->also[i];
	return is_one;
}

static void see_visits(struct ml_find *f, struct ml_visits *v, const struct ml_seen *s)
{
	for (size_t i = 0; i < s->refs->count; i++) {
		if (!s->spot[i] || !concerns(v, s->spot[i]) || v->count >= MAX_ELEMENTS)
			continue;
		uint64_t block = s->block[i] == ML_NO_BLOCK ? 0 : s->block[i];
		struct ml_visited *x =
			visited(v, ml_change_element(v->pitch, block, s->offset[i]),
				s->refs->thread[i]);

		x->count++;
		note_next(v, x);
		x->size = v->pitch ? v->pitch : f->trace->blocks[block].size;
	}
}

void ml_irregular_see(struct ml_find *f, struct ml_irregular_spots *spots,
		      const struct ml_seen *s)
{
	for (size_t i = 0; i < spots->count; i++)
		see_visits(f, &spots->visits[i], s);
}

static int by_order(const void *a, const void *b)
{
	const struct ml_visited *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/*
 * Only powers of two count: elements that are visited about as often keep their order, as
 * they would in a program that does not know the input.
 */
static int by_visits(const void *a, const void *b)
{
	const struct ml_visited *x = a, *y = b;
	int hot = __builtin_clz(x->count), hotter = __builtin_clz(y->count);

	if (hot != hotter)
		return hot < hotter ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

/* The bytes of an element of an array: a multiple of what its type is aligned to. */
static uint64_t element_size(uint64_t size)
{
	uint64_t align = 1;

	while (align < sizeof(uint64_t) && align < size)
		align *= 2;
	return (size + align - 1) / align * align;
}

static int by_key(const void *a, const void *b)
{
	const struct ml_visited *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/*
 * Whether some elements are visited more often than chance would have it. Chance alone
 * gives counts whose variance is their mean (Poisson); an order by such counts would hold
 * for this run only.
 */
static bool is_skewed(const struct ml_visits *v)
{
	double n = (double)v->count, sum = 0, squares = 0;

	for (size_t i = 0; i < v->count; i++) {
		sum += v->at[i].count;
		squares += (double)v->at[i].count * v->at[i].count;
	}
	return squares / n - sum / n * (sum / n) > 2 * sum / n;
}

/* Whether nearly all elements of the only block are visited: nothing can be left out. */
static bool is_full(const struct ml_find *f, const struct ml_visits *v)
{
	size_t blocks;
	uint64_t size = ml_find_block_size(f, v->spot->region, &blocks);

	return blocks < 2 && 4 * v->count * v->pitch > 3 * size;
}

/* Blocks lie as malloc lays them out, with its header of 8 bytes, or as in an array. */
static uint64_t room(const struct ml_visited *x, uint64_t pitch,
		     enum ml_visits_order order)
{
	if (pitch)
		return pitch;
	if (order == ML_VISITS_POOL)
		return element_size(x->size);
	return x->size <= 24 ? 32 : (x->size + 8 + 15) / 16 * 16;
}

/* One change for each region, in front of a list. */
static const struct ml_change *packed(struct ml_find *f, const struct ml_visits *v,
				      const uint64_t *places,
				      const struct ml_change *list)
{
	for (unsigned i = ML_IRREGULAR_ALSO + 1; i-- > 0;) {
		const struct ml_spot *s = i ? v->also[i - 1] : v->spot;

		if (!s || !places)
			continue;
		struct ml_change *c = ml_arena_alloc(f->arena, sizeof(*c));
		*c = (struct ml_change){ .kind = ML_CHANGE_PACK,
					 .region = s->region,
					 .pitch = v->pitch,
					 .elements = &v->elements,
					 .places = places,
					 .also = list };
		list = c;
	}
	return list;
}

/*
 * Where in a line the largest block of a region begins. Packed elements begin there too:
 * elements that reach over the end of a line still do, because alignment is another
 * remedy.
 */
static uint64_t within_line(const struct ml_find *f, uint32_t region)
{
	const struct ml_block *largest = ml_find_largest_block(f, region, NULL);

	return largest ? largest->addr % f->line : 0;
}

bool ml_visits_repeat(const struct ml_visits *v)
{
	return v->same_next * REPEATED > v->same_next + v->other_next;
}

size_t ml_visits_try(struct ml_find *f, struct ml_visits *v, enum ml_visits_order order)
{
	uint64_t at = ml_change_packed + ((uint64_t)v->number << PLACES_BITS) +
		      (v->pitch ? within_line(f, v->spot->region) : 0);
	uint64_t *places = ml_arena_large(f->arena, (v->count + 1) * sizeof(*places));
	bool in_order = order == ML_VISITS_FIRST || order == ML_VISITS_POOL;
	bool skewed = is_skewed(v);
	uint64_t all = 0;

	v->places[order] = places;
	for (size_t i = 0; i < v->count; i++)
		all += v->at[i].count;
	if (v->count)
		qsort(v->at, v->count, sizeof(*v->at),
		      in_order ? by_order
		      : skewed ? by_visits
			       : by_key);
	for (size_t i = 0; i < v->count; i++) {
		if (!in_order && !skewed && is_full(f, v))
			break;
		if (order == ML_VISITS_HOT &&
		    (!skewed || v->at[i].count * v->count < 2 * all))
			continue;
		places[v->at[i].number] = at;
		at += room(&v->at[i], v->pitch, order);
	}
	return ml_find_try(f, packed(f, v, places, NULL), NULL);
}

size_t ml_irregular_try(struct ml_find *f, const struct ml_irregular_spots *spots,
			enum ml_visits_order order)
{
	const struct ml_change *list = NULL;

	for (size_t i = spots->count; i-- > 0;)
		list = packed(f, &spots->visits[i], spots->visits[i].places[order], list);
	return ml_find_try(f, list, NULL);
}

/*
 * malloc writes its header before a block is first used, on the same line. In the trial
 * the header stays and the block moves: both lines come from memory. The program would
 * not pay for two, because its headers would move too.
 */
double ml_visits_saved(const struct ml_find *f, const struct ml_visits *v, size_t trial)
{
	uint64_t more, lines = v->pitch ? 0 : 2 * v->count;

	if (!f->simulated)
		return 0;
	more = f->tried[trial].trial.served[f->memory] -
	       ml_find_untouched(f, trial)[f->memory];
	if ((int64_t)more < 0)
		more = 0;
	return ml_find_saved(f, trial) +
	       (double)(more < lines ? more : lines) * (f->cost[f->memory] - f->cost[1]);
}

void ml_irregular_release(struct ml_irregular_spots *spots)
{
	for (size_t k = 0; k < spots->count; k++) {
		struct ml_visits *v = &spots->visits[k];

		ml_elements_release(&v->elements);
		ml_free(v->at);
	}
}

struct ml_candidate *ml_irregular_add(struct ml_find *f, const struct ml_visits *v,
				      double saved)
{
	struct ml_candidate *c = ml_find_add(f, v->spot->region, v->spot, saved, true);

	for (size_t i = 0; i < f->spot_count; i++)
		for (unsigned k = 0; k <= ML_IRREGULAR_ALSO; k++) {
			const struct ml_spot *s = k ? v->also[k - 1] : v->spot;

			if (s && f->spots[i].region == s->region)
				ml_find_claim(f, c, &f->spots[i], f->spots[i].excess);
		}
	return c;
}

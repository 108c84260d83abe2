/*
 * SHARDS follows a line if its hash is below a limit. So it sees a sample of the lines
 * with all their uses, and a distance among them is a share of the real one (Waldspurger,
 * Park, Garthwaite, Ahmad: Efficient MRC construction with SHARDS, FAST 2015). When more
 * lines are followed than were asked for, the limit is lowered, the lines above it are
 * forgotten, and the counts shrink in proportion. If followed uses are too few or too
 * many for the share of lines, the difference is taken to be of short distance, as
 * SHARDS-adj does.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/cache/distance/distance.h"
#include "lib/cache/distance/distance_order.h"
#include "lib/cache/distance/distance_parts.h"

/*
 * Other bits of the hash divide the lines into groups, which show how much samples
 * differ.
 */
enum { GROUPS = 32, BUCKETS = DISTANCE_EXACT + 16 * (33 - DISTANCE_EXACT_BITS) };

struct ml_sampled {
	size_t max;
	uint64_t limit; /* limit of the hash; UINT64_MAX: all lines are followed */
	uint64_t total; /* uses, followed or not */
	struct order order;
	uint32_t *when;  /* by slot, from 1 */
	uint64_t *line;  /* by slot */
	uint32_t count;  /* number of slots in use */
	uint32_t *cells; /* slots hashed by line; 0 is empty */
	size_t cap;      /* a power of two, twice `max` or more */
	uint64_t *scratch;
	double (*hits)[BUCKETS]; /* by group and bucket of the real distance */
	double cold[GROUPS];     /* first uses, by group */
};

/*
 * Mixes every bit of a line number into every bit of the result (the end of splitmix64).
 */
static uint64_t mix(uint64_t line)
{
	line = (line + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
	line = (line ^ line >> 29) * 0x94d049bb133111ebu;
	return line ^ line >> 31;
}

struct ml_sampled *ml_sampled_open(size_t lines)
{
	assert(lines >= 2 && lines < UINT32_MAX / 8);

	struct ml_sampled *s = ml_resize(NULL, sizeof(*s));

	*s = (struct ml_sampled){ .max = lines, .limit = UINT64_MAX, .cap = 16 };
	while (s->cap < 2 * lines)
		s->cap *= 2;
	order_init(&s->order);
	s->when = ml_resize(NULL, (lines + 1) * sizeof(*s->when));
	s->line = ml_resize(NULL, (lines + 1) * sizeof(*s->line));
	s->scratch = ml_resize(NULL, (lines + 1) * sizeof(*s->scratch));
	s->cells = memset(ml_resize(NULL, s->cap * sizeof(*s->cells)), 0,
			  s->cap * sizeof(*s->cells));
	s->hits = memset(ml_resize(NULL, GROUPS * sizeof(*s->hits)), 0,
			 GROUPS * sizeof(*s->hits));
	return s;
}

void ml_sampled_close(struct ml_sampled *s)
{
	order_release(&s->order);
	ml_free(s->when);
	ml_free(s->line);
	ml_free(s->scratch);
	ml_free(s->cells);
	ml_free(s->hits);
	ml_free(s);
}

/*
 * The lowest bits of a hash choose the cell, middle bits the group; the highest bits are
 * compared with the limit.
 */
static uint32_t *cell_of(const struct ml_sampled *s, uint64_t line, uint64_t hash)
{
	size_t i = hash & (s->cap - 1);

	while (s->cells[i] && s->line[s->cells[i]] != line)
		i = (i + 1) & (s->cap - 1);
	return &s->cells[i];
}

static unsigned group_of(uint64_t hash)
{
	return (unsigned)(hash >> 32) % GROUPS;
}

double ml_sampled_rate(const struct ml_sampled *s)
{
	return s->limit == UINT64_MAX ? 1 : (double)s->limit * 0x1p-64;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Forgets the eighth of the lines that have the highest hashes. */
static void lower(struct ml_sampled *s)
{
	uint32_t left = 0;
	double before = ml_sampled_rate(s);

	for (uint32_t i = 1; i <= s->count; i++)
		s->scratch[i - 1] = mix(s->line[i]);
	qsort(s->scratch, s->count, sizeof(*s->scratch), by_value);
	s->limit = s->scratch[s->count - 1 - s->count / 8];
	memset(s->cells, 0, s->cap * sizeof(*s->cells));
	for (uint32_t i = 1; i <= s->count; i++) {
		uint64_t hash = mix(s->line[i]);

		if (hash >= s->limit) {
			order_drop(&s->order, s->when[i]);
			continue;
		}
		left++;
		s->line[left] = s->line[i];
		s->when[left] = s->when[i];
		s->order.slots[s->when[left]] = left;
		*cell_of(s, s->line[left], hash) = left;
	}
	s->count = left;

	double shrink = ml_sampled_rate(s) / before;
	for (unsigned g = 0; g < GROUPS; g++) {
		s->cold[g] *= shrink;
		for (size_t i = 0; i < BUCKETS; i++)
			s->hits[g][i] *= shrink;
	}
}

static void follow(struct ml_sampled *s, uint64_t line, uint64_t hash)
{
	uint32_t *cell = cell_of(s, line, hash);
	unsigned group = group_of(hash);

	if (*cell) {
		uint32_t near = order_after(&s->order, s->when[*cell]);
		double real = floor((double)near / ml_sampled_rate(s));

		s->hits[group][distance_bucket(real < UINT32_MAX - 1 ? (uint32_t)real
								     : UINT32_MAX - 1)]++;
		order_drop(&s->order, s->when[*cell]);
		order_push(&s->order, *cell, s->when);
		return;
	}
	s->cold[group]++;
	if (s->count == s->max) {
		lower(s);
		if (hash >= s->limit)
			return;
		cell = cell_of(s, line, hash);
	}
	*cell = ++s->count;
	s->line[s->count] = line;
	order_push(&s->order, s->count, s->when);
}

void ml_sampled_run(struct ml_sampled *s, const uint64_t *line, size_t count)
{
	uint64_t last_hash = 0;
	bool followed = false; /* the line before is followed and on top */

	for (size_t i = 0; i < count; i++) {
		if (i && line[i] == line[i - 1]) {
			if (followed)
				s->hits[group_of(last_hash)][0]++;
			continue;
		}
		last_hash = mix(line[i]);
		followed = last_hash < s->limit || s->limit == UINT64_MAX;
		if (followed) {
			follow(s, line[i], last_hash);
			followed = last_hash < s->limit || s->limit == UINT64_MAX;
		}
	}
	s->total += count;
}

/* The misses of a cache of `lines` lines, among the followed uses of a group. */
static double misses_of(const struct ml_sampled *s, unsigned group, uint64_t lines)
{
	double misses = s->cold[group];

	for (size_t i = 0; i < BUCKETS; i++)
		misses += s->hits[group][i] * (1 - distance_share_below(i, lines));
	return misses;
}

static double ratio(const struct ml_sampled *s, uint64_t lines)
{
	double misses = 0;

	for (unsigned g = 0; g < GROUPS; g++)
		misses += misses_of(s, g, lines);
	double share = misses / ((double)s->total * ml_sampled_rate(s));
	return share < 1 ? share : 1;
}

/*
 * The standard error has two sources. First, the choice of lines: groups of lines are
 * samples too, and the sum of n groups varies by sqrt(n) times as much as one. Second,
 * their positions: a distance of d is counted by about d * rate followed lines, which is
 * off by the root of that number; this matters where the curve is steep.
 */
double ml_sampled_misses(const struct ml_sampled *s, uint64_t lines, double *error)
{
	double rate = ml_sampled_rate(s), mean = 0, square = 0;

	if (error)
		*error = 0;
	if (!s->total)
		return 0;
	if (rate == 1 || !error)
		return ratio(s, lines);
	for (unsigned g = 0; g < GROUPS; g++)
		mean += misses_of(s, g, lines) / GROUPS;
	for (unsigned g = 0; g < GROUPS; g++) {
		double off = misses_of(s, g, lines) - mean;

		square += off * off / (GROUPS - 1);
	}
	double chosen = sqrt(square * GROUPS) / ((double)s->total * rate);
	double off = sqrt((1 - rate) / ((double)(lines ? lines : 1) * rate));
	double low = (double)lines * (off < 1 ? 1 - off : 0),
	       high = (double)lines * (1 + off);
	double place = (ratio(s, (uint64_t)low) - ratio(s, (uint64_t)high)) / 2;

	*error = sqrt(chosen * chosen + place * place);
	return ratio(s, lines);
}

#include "lib/analyse/find/find_steps.h"

enum { TOP = 8, SAMPLED = 8 /* one of so many lines */, MIN_LINES = 8 };

/* The most frequent steps by Space-saving, as in profile_parts.h. */
struct ml_steps {
	uint64_t previous, steps;
	uint16_t thread;
	bool started;
	unsigned count;
	uint64_t bytes[TOP], times[TOP],
		over[TOP];   /* over: times that were not its own */
	struct ml_map used;  /* sampled lines: a bit for each 64th of the line */
	uint64_t line, mask; /* the last of them, + 1, and bits not yet in the map */
};

static void watch(struct ml_find *f)
{
	f->steps = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(*f->steps));
}

/* Of equally rare steps the first. */
static unsigned rarest(const struct ml_steps *s)
{
	unsigned rare = 0;
	uint64_t min = s->times[0];

	for (unsigned k = 1; k < TOP; k++) {
		rare = s->times[k] < min ? k : rare;
		min = s->times[k] < min ? s->times[k] : min;
	}
	return rare;
}

static void note(struct ml_steps *s, uint64_t bytes)
{
	unsigned k = 0;

	s->steps++;
	while (k < s->count && s->bytes[k] != bytes)
		k++;
	if (k == TOP) {
		k = rarest(s);
		s->over[k] = s->times[k];
		s->bytes[k] = bytes;
	} else if (k == s->count) {
		s->bytes[s->count++] = bytes;
	}
	s->times[k]++;
}

/* The bits of an access to `size` bytes from a byte of a line on. */
static uint64_t bits_of(const struct ml_find *f, uint64_t from, unsigned size)
{
	unsigned piece = f->line > 64 ? (unsigned)__builtin_ctzll(f->line / 64) : 0;
	uint64_t first = from >> piece, last = (from + size - 1) >> piece;

	last = last < 63 ? last : 63;
	return last < first ? 0 : UINT64_MAX >> (63 - (last - first)) << first;
}

static void keep_mask(struct ml_steps *s)
{
	if (s->line)
		*ml_map_add(&s->used, s->line - 1, NULL) |= s->mask;
	s->mask = 0;
}

static void note_use(struct ml_steps *s, const struct ml_find *f, uint64_t addr,
		     unsigned size)
{
	uint64_t line = addr >> f->line_bits;

	if (line * 0x9e3779b97f4a7c15 >> 32 & (SAMPLED - 1))
		return;
	if (line + 1 != s->line) {
		keep_mask(s);
		s->line = line + 1;
	}
	s->mask |= bits_of(f, addr & (f->line - 1), size);
}

static void see(struct ml_find *f, const struct ml_seen *seen)
{
	const struct ml_batch *b = seen->refs;
	const struct ml_spot *end = f->spots + ml_find_costly(f);

	for (size_t i = 0; i < b->count; i++) {
		const struct ml_spot *spot = seen->spot[i];

		if (!spot || spot >= end)
			continue;
		struct ml_steps *s = &f->steps[spot - f->spots];
		uint64_t step = b->addr[i] - s->previous;

		if ((int64_t)step < 0)
			step = 0 - step;
		note_use(s, f, b->addr[i], ml_what_size(b->what[i]));
		if (s->started && s->thread == b->thread[i] && step)
			note(s, step);
		s->started = true;
		s->thread = b->thread[i];
		s->previous = b->addr[i];
	}
}

/* The step that the worst instruction makes mostly; 0: there is none. */
static uint64_t main_step(const struct ml_spot *s)
{
	const struct ml_profile_cell *c = s->worst;

	if (!c->strides || 2 * c->stride[0].count < c->steps)
		return 0;
	return c->stride[0].bytes < 0 ? 0 - (uint64_t)c->stride[0].bytes
				      : (uint64_t)c->stride[0].bytes;
}

/*
 * Whether the spot goes along half of each row or more before its next large step: a loop
 * along rows that the compiler has unrolled as a whole, so that each instruction goes
 * from row to row.
 */
static bool goes_along(const struct ml_find *f, const struct ml_steps *s, uint64_t row)
{
	uint64_t bytes = 0, count = 0;

	for (unsigned k = 0; k < s->count; k++) {
		uint64_t n = s->times[k] - s->over[k];

		if (s->bytes[k] <= f->line) {
			bytes += n * s->bytes[k];
			count += n;
		}
	}
	return 2 * bytes >= (s->steps - count) * row;
}

uint64_t ml_steps_row(const struct ml_find *f, const struct ml_spot *spot)
{
	uint64_t main = main_step(spot), row = UINT64_MAX, large = 0;

	if (!f->steps)
		return main > f->line ? main : 0;
	const struct ml_steps *s = &f->steps[spot - f->spots];
	for (unsigned k = 0; k < s->count; k++) {
		uint64_t n = s->times[k] - s->over[k];

		if (s->bytes[k] <= f->line || 10 * n < s->steps)
			continue;
		large += n;
		row = s->bytes[k] < row ? s->bytes[k] : row;
	}
	/* instructions that each go from row to row, but in different columns in turn */
	if (large * 10 < 3 * s->steps || !large)
		return main > f->line && !goes_along(f, s, main) ? main : 0;
	/* one instruction of several goes over a multiple of the rows */
	return main > f->line && main % row ? main : row;
}

double ml_steps_covered(const struct ml_find *f, const struct ml_spot *spot)
{
	struct ml_steps *s = f->steps ? &f->steps[spot - f->spots] : NULL;
	const struct ml_map *m = s ? &s->used : NULL;
	const struct ml_map_cell *c;
	uint64_t bits = 0;

	if (s)
		keep_mask(s);
	if (!m || m->count < MIN_LINES)
		return 1;
	for (size_t at = 0; (c = ml_map_next(m, &at));)
		bits += (uint64_t)__builtin_popcountll(c->value);
	return (double)bits / (double)(m->count * (f->line < 64 ? f->line : 64));
}

static void release(struct ml_find *f)
{
	for (size_t i = 0; i < f->spot_count; i++)
		ml_map_release(&f->steps[i].used);
}

const struct ml_find_observer ml_find_steps = {
	.watch = watch,
	.see = see,
	.release = release,
};

static bool wastes(const struct ml_find *f, const struct ml_spot *s)
{
	return 2 * s->bytes <= f->line * ml_find_missed(s->served, 1);
}

bool ml_steps_walk(const struct ml_find *f, const struct ml_spot *s)
{
	return wastes(f, s) && ml_steps_row(f, s);
}

#include "lib/analyse/ensemble/ensemble_stack.h"

#include <assert.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/cache/distance/distance.h"
#include "lib/cache/machine/policy.h"
#include "lib/cache/engine.h"

enum {
	WAYS_MAX = 64, /* ways of a set that is searched one by one */
	BEHIND = 8,    /* passes behind a first pass, before that is made a second time */
	SMALL = 1 << 12, /* depths with an entry in the table of buckets */
};

void ml_lines_reserve(struct ml_lines *l, size_t count)
{
	l->line = ml_grow(l->line, &l->line_cap, count, sizeof(*l->line));
	l->ref = ml_grow(l->ref, &l->ref_cap, count, sizeof(*l->ref));
}

void ml_lines_release(struct ml_lines *l)
{
	ml_free(l->line);
	ml_free(l->ref);
}

/* ---- the tree ---- */

/* The number of first levels that can be stack passes. */
static unsigned path_of(const struct ml_machine *m)
{
	unsigned i = 0;

	for (; i < m->levels; i++) {
		const struct ml_level_spec *l = &m->level[i];

		if (!l->policy->recency || l->no_allocate || l->inclusion != ML_NEITHER ||
		    l->prefetch != ML_PREFETCH_NONE ||
		    (l->sets > 1 && l->ways > WAYS_MAX))
			break;
	}
	return i;
}

/*
 * Behind a level that allocates on writes every request is a read, so the write mode of
 * the levels there makes no difference. Random policies depend on the number of the
 * level.
 */
bool ml_stack_fits(const struct ml_machine *m)
{
	unsigned path = path_of(m);

	if (m->cores != 1 || m->split || !path)
		return false;
	for (unsigned i = path; i < m->levels; i++) {
		const struct ml_level_spec *l = &m->level[i];

		if (l->policy->future || l->policy->seeded ||
		    l->inclusion != ML_NEITHER || l->prefetch != ML_PREFETCH_NONE)
			return false;
	}
	return true;
}

static bool is_for(const struct ml_stack *s, const struct ml_level_spec *l)
{
	return s->bits == (unsigned)__builtin_ctz(l->line) && s->sets == l->sets;
}

/* The number of passes and tails that a machine would add behind a first pass. */
static unsigned would_add(const struct ml_stack *s, const struct ml_machine *m)
{
	unsigned path = path_of(m), i = 0;

	for (; i < path; i++) {
		const struct ml_stack_branch *b = s->branches;

		while (b && b->size != m->level[i].ways)
			b = b->more;
		s = b && i + 1 < path ? b->next : NULL;
		while (s && !is_for(s, &m->level[i + 1]))
			s = s->other;
		if (!s)
			break;
	}
	return m->levels - 1 - (i < path ? i : path - 1);
}

/*
 * Finds the first pass for a machine. A pass with many passes behind it is made again,
 * because all that is behind one first pass runs on one thread.
 */
static struct ml_stack **find_first(struct ml_stack_tree *t, const struct ml_machine *m)
{
	struct ml_stack **list = &t->first, **best = NULL;

	for (; *list; list = &(*list)->other) {
		if (!is_for(*list, &m->level[0]))
			continue;
		if (!would_add(*list, m))
			return list;
		if (!best && (*list)->behind < BEHIND)
			best = list;
	}
	return best ? best : list;
}

static struct ml_stack **find_next(struct ml_stack **list, const struct ml_level_spec *l)
{
	while (*list && !is_for(*list, l))
		list = &(*list)->other;
	return list;
}

static struct ml_stack *new_stack(struct ml_stack_tree *t, const struct ml_level_spec *l,
				  const struct ml_stack_branch *before)
{
	struct ml_stack *s = ml_arena_alloc(&t->arena, sizeof(*s));

	s->bits = (unsigned)__builtin_ctz(l->line);
	s->within = before ? before->of->bits : s->bits;
	s->sets = l->sets;
	return s;
}

static struct ml_stack_branch *find_branch(struct ml_stack_tree *t, struct ml_stack *s,
					   struct ml_stack_branch *before, uint32_t size)
{
	struct ml_stack_branch **at = &s->branches, *b;

	while (*at && (*at)->size < size)
		at = &(*at)->more;
	if (*at && (*at)->size == size)
		return *at;
	b = ml_arena_alloc(&t->arena, sizeof(*b));
	b->size = size;
	b->of = s;
	b->before = before;
	b->more = *at;
	*at = b;
	s->count++;
	return b;
}

static struct ml_stack_branch *add_tail(struct ml_stack_tree *t,
					struct ml_stack_branch *b,
					const struct ml_machine *m, unsigned path)
{
	struct ml_stack_tail *tail = ml_arena_alloc(&t->arena, sizeof(*tail));

	tail->machine = *m;
	tail->machine.levels = m->levels - path;
	memmove(tail->machine.level, m->level + path,
		tail->machine.levels * sizeof(*m->level));
	tail->other = b->tails;
	b->tails = tail;
	for (unsigned i = 0; i < tail->machine.levels; i++)
		tail->level[i] = (struct ml_stack_branch){
			.of = b->of, .before = i ? &tail->level[i - 1] : b
		};
	return &tail->level[tail->machine.levels - 1];
}

struct ml_stack_branch *ml_stack_add(struct ml_stack_tree *t, const struct ml_machine *m)
{
	struct ml_stack **at = find_first(t, m), **first = at;
	struct ml_stack_branch *b = NULL;
	unsigned path = path_of(m);

	for (unsigned i = 0; i < path; i++) {
		if (b)
			at = find_next(&b->next, &m->level[i]);
		if (!*at) {
			*at = new_stack(t, &m->level[i], b);
			(*first)->behind += i > 0;
		}
		b = find_branch(t, *at, b, m->level[i].ways);
	}
	if (path == m->levels)
		return b;
	(*first)->behind++;
	return add_tail(t, b, m, path);
}

/* The number of branches that are too small for this depth; they come first. The array
 * holds pointers, which lib/base/search.h does not follow. */
static uint16_t bucket_of(const struct ml_stack *s, uint32_t depth)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->branch[mid]->size <= depth)
			low = mid + 1;
		else
			high = mid;
	}
	return (uint16_t)low;
}

static uint32_t *new_counts(struct ml_stack_tree *t)
{
	return ml_arena_alloc(&t->arena, t->bins * sizeof(uint32_t) + 1);
}

static const struct ml_engine_job tail_job = { .threads = 1, .restores = true };

static void start_tails(struct ml_stack_tree *t, struct ml_stack_tail *list)
{
	for (struct ml_stack_tail *x = list; x; x = x->other) {
		struct ml_err err;

		x->engine = ml_engine_open(&x->machine, &tail_job, &err);
		assert(x->engine); /* such machines can always be simulated */
		for (unsigned i = 0; i < x->machine.levels; i++)
			x->level[i].missed = new_counts(t);
	}
}

static void start(struct ml_stack_tree *t, struct ml_stack *list)
{
	for (struct ml_stack *s = list; s; s = s->other) {
		size_t n = 0;

		s->branch = ml_arena_alloc(&t->arena, s->count * sizeof(*s->branch));
		for (struct ml_stack_branch *b = s->branches; b; b = b->more) {
			b->missed = new_counts(t);
			s->branch[n++] = b;
			s->max = b->size;
			start(t, b->next);
			start_tails(t, b->tails);
		}
		s->bucket = ml_arena_alloc(&t->arena, (SMALL + 1) * sizeof(*s->bucket));
		s->hits = ml_arena_alloc(&t->arena, (s->count + 1) * sizeof(*s->hits));
		for (uint32_t i = 0; i <= SMALL; i++)
			s->bucket[i] = bucket_of(s, i);
		if (s->sets == 1)
			s->distance = ml_distance_open();
		else
			s->way = ml_arena_alloc(&t->arena, (size_t)s->sets * s->max *
								   sizeof(*s->way));
	}
}

void ml_stack_start(struct ml_stack_tree *t)
{
	start(t, t->first);
}

static void close_all(struct ml_stack *list)
{
	for (struct ml_stack *s = list; s; s = s->other) {
		if (s->distance)
			ml_distance_close(s->distance);
		for (struct ml_stack_branch *b = s->branches; b; b = b->more) {
			close_all(b->next);
			for (struct ml_stack_tail *x = b->tails; x; x = x->other)
				ml_engine_close(x->engine);
		}
	}
}

void ml_stack_release(struct ml_stack_tree *t)
{
	close_all(t->first);
	ml_arena_release(&t->arena);
	t->first = NULL;
}

static size_t count_passes(const struct ml_stack *list)
{
	size_t count = 0;

	for (const struct ml_stack *s = list; s; s = s->other) {
		count++;
		for (const struct ml_stack_branch *b = s->branches; b; b = b->more) {
			count += count_passes(b->next);
			for (const struct ml_stack_tail *x = b->tails; x; x = x->other)
				count++;
		}
	}
	return count;
}

size_t ml_stack_passes(const struct ml_stack_tree *t)
{
	return count_passes(t->first);
}

/* ---- a pass ---- */

/*
 * Finds depths within sets; a line that is not there has the depth of the largest branch.
 */
static void find_in_sets(struct ml_stack *s, const uint64_t *line, size_t count,
			 uint32_t *depth)
{
	bool masked = !(s->sets & (s->sets - 1));
	uint64_t mask = s->sets - 1;
	uint32_t ways = s->max;

	for (size_t i = 0; i < count; i++) {
		uint64_t set = masked ? line[i] & mask : line[i] % s->sets;
		uint64_t want = line[i] + 1, *way = s->way + set * ways, before = way[0];
		uint32_t k = 0;

		if (before != want) {
			for (k = 1; k < ways; k++) {
				uint64_t this = way[k];

				way[k] = before;
				before = this;
				if (this == want)
					break;
			}
			way[0] = want;
		}
		depth[i] = k;
	}
}

/* Counts the depths of a block by bin, for all branches at once. */
static void count_misses(struct ml_stack *s, const struct ml_lines *in,
			 const uint32_t *depth, const struct ml_stack_block *b)
{
	const uint32_t *ref = in->ref;

	for (size_t i = 0; i < in->count;) {
		uint64_t bin = (b->position + ref[i]) >> b->bin_bits;
		uint64_t end = ((bin + 1) << b->bin_bits) - b->position;
		uint32_t misses = 0;

		memset(s->hits, 0, (s->count + 1) * sizeof(*s->hits));
		for (; i < in->count && ref[i] < end; i++) {
			uint32_t far = depth[i];

			while (i + 1 < in->count && ref[i + 1] == ref[i])
				if (depth[++i] > far)
					far = depth[i];
			s->hits[far <= SMALL ? s->bucket[far] : bucket_of(s, far)]++;
		}
		for (size_t k = s->count; k > 0; k--) {
			misses += s->hits[k];
			s->branch[k - 1]->missed[bin] += misses;
		}
	}
}

static void keep_missed(const struct ml_lines *in, const uint32_t *depth, uint32_t size,
			struct ml_lines *out)
{
	size_t n = 0;

	ml_lines_reserve(out, in->count + 1);
	for (size_t i = 0; i < in->count; i++) {
		out->line[n] = in->line[i];
		out->ref[n] = in->ref[i];
		n += depth[i] >= size;
	}
	out->count = n;
}

/* Converts a stream to larger lines; drops immediate repetitions, which are hits. */
static const struct ml_lines *widen(const struct ml_lines *in, unsigned shift,
				    struct ml_lines *out)
{
	size_t n = 0;

	if (!shift || !in->count)
		return in;
	ml_lines_reserve(out, in->count + 1);
	uint64_t last = ~(in->line[0] >> shift);
	for (size_t i = 0; i < in->count; i++) {
		uint64_t line = in->line[i] >> shift;

		out->line[n] = line;
		out->ref[n] = in->ref[i];
		n += line != last;
		last = line;
	}
	out->count = n;
	return out;
}

/* Counts the serving levels of the references of a block, by bin. */
static void count_tail(struct ml_stack_tail *t, const struct ml_lines *in,
		       const uint16_t *outcome, const struct ml_stack_block *b)
{
	for (size_t i = 0; i < in->count;) {
		uint64_t bin = (b->position + in->ref[i]) >> b->bin_bits;
		uint64_t end = ((bin + 1) << b->bin_bits) - b->position;
		uint32_t served[ML_LEVELS + 2] = { 0 }, misses = 0;

		for (; i < in->count && in->ref[i] < end; i++) {
			unsigned far = ml_outcome_served(outcome[i]);

			while (i + 1 < in->count && in->ref[i + 1] == in->ref[i])
				if (ml_outcome_served(outcome[++i]) > far)
					far = ml_outcome_served(outcome[i]);
			served[far]++;
		}
		for (unsigned k = t->machine.levels; k > 0; k--) {
			misses += served[k + 1];
			t->level[k - 1].missed[bin] += misses;
		}
	}
}

static void run_tail(struct ml_stack_tail *t, const struct ml_lines *in, unsigned bits,
		     const struct ml_stack_block *b, struct ml_stack_level *x)
{
	struct ml_accesses a = { .count = in->count };
	struct ml_err err;

	x->addr = ml_grow(x->addr, &x->addr_cap, in->count, sizeof(*x->addr));
	x->what = ml_grow(x->what, &x->what_cap, in->count, sizeof(*x->what));
	x->outcome = ml_grow(x->outcome, &x->outcome_cap, in->count, sizeof(*x->outcome));
	for (size_t i = 0; i < in->count; i++) {
		x->addr[i] = in->line[i] << bits;
		x->what[i] = ML_ACCESS_READ << 14 | 1;
	}
	a.addr = x->addr;
	a.what = x->what;
	bool ok = ml_engine_run(t->engine, &a, x->outcome, &err);
	assert(ok); /* only hints can fail */
	(void)ok;
	count_tail(t, in, x->outcome, b);
}

static void run(struct ml_stack *s, const struct ml_lines *in,
		const struct ml_stack_block *b, struct ml_stack_level *x)
{
	in = widen(in, s->bits - s->within, &x->in);
	x->depth = ml_grow(x->depth, &x->depth_cap, in->count, sizeof(*x->depth));
	if (s->distance)
		ml_distance_run(s->distance, in->line, in->count, x->depth);
	else
		find_in_sets(s, in->line, in->count, x->depth);
	count_misses(s, in, x->depth, b);
	for (size_t i = 0; i < s->count; i++) {
		if (!s->branch[i]->next && !s->branch[i]->tails)
			continue;
		keep_missed(in, x->depth, s->branch[i]->size, &x->out);
		for (struct ml_stack_tail *t = s->branch[i]->tails; t; t = t->other)
			run_tail(t, &x->out, s->bits, b, x);
		for (struct ml_stack *n = s->branch[i]->next; n; n = n->other)
			run(n, &x->out, b, x + 1);
	}
}

void ml_stack_run(struct ml_stack *s, const struct ml_lines *in,
		  const struct ml_stack_block *b, struct ml_stack_scratch *x)
{
	run(s, in, b, x->level);
}

void ml_stack_scratch_release(struct ml_stack_scratch *x)
{
	for (unsigned i = 0; i < ML_LEVELS; i++) {
		ml_free(x->level[i].depth);
		ml_free(x->level[i].addr);
		ml_free(x->level[i].what);
		ml_free(x->level[i].outcome);
		ml_lines_release(&x->level[i].in);
		ml_lines_release(&x->level[i].out);
	}
}

/* ---- states ---- */

static void put_lines(struct ml_buf *out, const uint64_t *line, size_t count)
{
	uint64_t last = 0;

	ml_buf_varint(out, count);
	for (size_t i = 0; i < count; i++) {
		ml_buf_zigzag(out, (int64_t)(line[i] - last));
		last = line[i];
	}
}

static bool get_lines(struct ml_bytes *in, uint64_t *line, size_t count)
{
	uint64_t last = 0;

	for (size_t i = 0; i < count; i++)
		line[i] = last += (uint64_t)ml_bytes_zigzag(in);
	return !in->bad;
}

static void put_counts(struct ml_buf *out, const uint32_t *counts, size_t bins)
{
	for (size_t i = 0; i < bins; i++)
		ml_buf_varint(out, counts[i]);
}

static void get_counts(struct ml_bytes *in, uint32_t *counts, size_t bins)
{
	for (size_t i = 0; i < bins; i++)
		counts[i] = (uint32_t)ml_bytes_varint(in);
}

static void save_tail(const struct ml_stack_tail *t, size_t bins, struct ml_buf *out)
{
	struct ml_buf state = { 0 };

	for (unsigned i = 0; i < t->machine.levels; i++)
		put_counts(out, t->level[i].missed, bins);
	ml_engine_save(t->engine, &state);
	ml_buf_varint(out, state.size);
	ml_buf_put(out, state.data, state.size);
	ml_buf_release(&state);
}

static bool restore_tail(struct ml_stack_tail *t, size_t bins, struct ml_bytes *in)
{
	struct ml_err err;

	for (unsigned i = 0; i < t->machine.levels; i++)
		get_counts(in, t->level[i].missed, bins);
	uint64_t size = ml_bytes_varint(in);
	if (in->bad || size > (uint64_t)(in->end - in->at))
		return false;
	const uint8_t *at = ml_bytes_take(in, size);
	struct ml_bytes state = { at, at + size, false };
	return ml_engine_restore(t->engine, &state, &err);
}

void ml_stack_save(const struct ml_stack *s, size_t bins, struct ml_buf *out)
{
	if (s->distance) {
		uint64_t *line;
		size_t count = ml_distance_lines(s->distance, &line);

		put_lines(out, line, count);
		ml_free(line);
	} else {
		put_lines(out, s->way, (size_t)s->sets * s->max);
	}
	for (size_t i = 0; i < s->count; i++) {
		const struct ml_stack_branch *b = s->branch[i];

		put_counts(out, b->missed, bins);
		for (const struct ml_stack *n = b->next; n; n = n->other)
			ml_stack_save(n, bins, out);
		for (const struct ml_stack_tail *t = b->tails; t; t = t->other)
			save_tail(t, bins, out);
	}
}

static bool restore_lines(struct ml_stack *s, struct ml_bytes *in)
{
	uint64_t count = ml_bytes_varint(in);

	if (in->bad ||
	    count > (uint64_t)(in->end - in->at)) /* each takes at least a byte */
		return false;
	if (!s->distance)
		return count == (uint64_t)s->sets * s->max &&
		       get_lines(in, s->way, count);
	uint64_t *line = ml_resize(NULL, (count + 1) * sizeof(*line));
	bool ok = get_lines(in, line, count);
	if (ok)
		ml_distance_run(s->distance, line, count, NULL);
	ml_free(line);
	return ok;
}

bool ml_stack_restore(struct ml_stack *s, size_t bins, struct ml_bytes *in)
{
	if (!restore_lines(s, in))
		return false;
	for (size_t i = 0; i < s->count; i++) {
		const struct ml_stack_branch *b = s->branch[i];

		get_counts(in, b->missed, bins);
		if (in->bad)
			return false;
		for (struct ml_stack *n = b->next; n; n = n->other)
			if (!ml_stack_restore(n, bins, in))
				return false;
		for (struct ml_stack_tail *t = b->tails; t; t = t->other)
			if (!restore_tail(t, bins, in))
				return false;
	}
	return true;
}

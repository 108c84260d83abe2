#include "lib/analyse/passes/interleave.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyse/passes/turns.h"
#include "lib/base/arena.h"
#include "lib/trace/tables.h"
#include "lib/trace/trace.h"

enum {
	THREADS = 1 << 16,
	ALONE = 1 << 16, /* references after which a remaining thread counts as alone:
			    another one may have been created and not have run yet */
};

/* The number of living threads from `time` on; at least one of them may have started. */
struct change {
	uint64_t time;
	int alive;
	bool starts;
};

struct columns {
	uint64_t *addr, *time;
	uint32_t *site, *caller, *cell;
	uint16_t *thread, *what;
};

struct ml_interleave {
	size_t block;
	ml_interleave_fn *fn;
	void *arg;
	struct ml_turns *turns;
	struct change *changes;   /* by time */
	size_t change_count, now; /* the next change behind the references added last */
	bool solo;                /* one thread is alone now */

	struct columns held;
	size_t count, cap;
	uint64_t base;   /* time of the first held */
	size_t switched; /* index of the last change of threads */

	struct columns *out; /* [kept + 1]: the batches passed on last */
	size_t kept, next;   /* next: where the next batch is collected */
	uint64_t from, to;   /* recorded times of the block that is passed on */
	struct ml_arena arena;
};

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* Finds the times at which the number of living threads changes. */
static void note_changes(struct ml_interleave *x)
{
	size_t count = 0, kept = 0;
	int alive = 0;

	x->changes = ml_arena_alloc(&x->arena, 2 * THREADS * sizeof(*x->changes));
	for (size_t i = 0; i < THREADS; i++) {
		const struct ml_turns_life *life = ml_turns_life(x->turns, (uint16_t)i);

		if (!life->known)
			continue;
		x->changes[count++] = (struct change){ life->from, 1, true };
		if (life->until != ML_FOREVER)
			x->changes[count++] = (struct change){ life->until, -1, false };
	}
	if (count)
		qsort(x->changes, count, sizeof(*x->changes), by_time);
	for (size_t i = 0; i < count; i++) {
		struct change c = x->changes[i];

		c.alive = alive += c.alive;
		if (kept && x->changes[kept - 1].time == c.time)
			c.starts |= x->changes[--kept].starts;
		x->changes[kept++] = c;
	}
	x->change_count = kept;
}

static void columns_grow(struct columns *c, size_t count)
{
	c->addr = ml_resize(c->addr, count * sizeof(*c->addr));
	c->site = ml_resize(c->site, count * sizeof(*c->site));
	c->caller = ml_resize(c->caller, count * sizeof(*c->caller));
	c->cell = ml_resize(c->cell, count * sizeof(*c->cell));
	c->thread = ml_resize(c->thread, count * sizeof(*c->thread));
	c->what = ml_resize(c->what, count * sizeof(*c->what));
}

static void columns_release(struct columns *c)
{
	ml_free(c->addr);
	ml_free(c->time);
	ml_free(c->site);
	ml_free(c->caller);
	ml_free(c->cell);
	ml_free(c->thread);
	ml_free(c->what);
}

struct ml_interleave *ml_interleave_open(const struct ml_tables *t, uint64_t turn,
					 size_t block, size_t kept, ml_interleave_fn *fn,
					 void *arg)
{
	struct ml_interleave *x = ml_resize(NULL, sizeof(*x));

	*x = (struct ml_interleave){ .block = block, .kept = kept, .fn = fn, .arg = arg };
	x->turns = ml_turns_open(t, turn);
	note_changes(x);
	x->out = ml_arena_alloc(&x->arena, (kept + 1) * sizeof(*x->out));
	for (size_t i = 0; i <= kept; i++) {
		columns_grow(&x->out[i], ML_BATCH);
		x->out[i].time = ml_resize(NULL, ML_BATCH * sizeof(*x->out[i].time));
	}
	return x;
}

void ml_interleave_close(struct ml_interleave *x)
{
	columns_release(&x->held);
	for (size_t i = 0; i <= x->kept; i++)
		columns_release(&x->out[i]);
	ml_turns_close(x->turns);
	ml_arena_release(&x->arena);
	ml_free(x);
}

/* The columns in which the next batch is collected. */
static struct columns *next_out(struct ml_interleave *x)
{
	struct columns *out = &x->out[x->next];

	x->next = x->next == x->kept ? 0 : x->next + 1;
	return out;
}

static void collect_16(uint16_t *restrict to, const uint16_t *restrict from,
		       const uint32_t *restrict order, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = from[order[i]];
}

static void collect_32(uint32_t *restrict to, const uint32_t *restrict from,
		       const uint32_t *restrict order, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = from[order[i]];
}

/*
 * Passes on held references, at most a batch, in this order: column by column, which
 * takes a third of the time of reference by reference.
 */
static bool send(struct ml_interleave *x, const uint32_t *restrict order, size_t count,
		 struct ml_err *err)
{
	struct columns *out = next_out(x);
	const uint64_t *restrict addr = x->held.addr;
	uint64_t *restrict to = out->addr, *restrict time = out->time;
	struct ml_batch b = {
		.time = x->base + order[0],
		.count = count,
		.addr = out->addr,
		.site = out->site,
		.caller = out->caller,
		.thread = out->thread,
		.what = out->what,
	};

	for (size_t i = 0; i < count; i++) {
		to[i] = addr[order[i]];
		time[i] = x->base + order[i];
	}
	collect_32(out->site, x->held.site, order, count);
	collect_32(out->caller, x->held.caller, order, count);
	collect_32(out->cell, x->held.cell, order, count);
	collect_16(out->thread, x->held.thread, order, count);
	collect_16(out->what, x->held.what, order, count);
	return x->fn(x->arg, &b, out->time, out->cell, err);
}

static bool merge(struct ml_interleave *x, size_t count, struct ml_err *err)
{
	size_t threads;

	ml_turns_threads(x->turns, &threads);
	const uint32_t *sequence = ml_turns_order(x->turns, threads, x->base,
						  x->held.thread, x->held.site, count);

	for (size_t at = 0, n; at < count; at += n) {
		n = count - at < ML_BATCH ? count - at : ML_BATCH;
		if (!send(x, sequence + at, n, err))
			return false;
	}
	return true;
}

/* Passes the first `count` references on, and moves the others to the front. */
static bool let_out(struct ml_interleave *x, size_t count, struct ml_err *err)
{
	size_t rest = x->count - count;

	x->from = x->base;
	x->to = x->base + count;
	if (!merge(x, count, err))
		return false;
#define KEEP(column) \
	memmove(x->held.column, x->held.column + count, rest * sizeof(*x->held.column))
	KEEP(addr);
	KEEP(site);
	KEEP(caller);
	KEEP(cell);
	KEEP(thread);
	KEEP(what);
#undef KEEP
	x->count = rest;
	x->base += count;
	x->switched = 0;
	return true;
}

bool ml_interleave_flush(struct ml_interleave *x, struct ml_err *err)
{
	return !x->count || let_out(x, x->count, err);
}

/* Adds references [i, end) of the batch; there is room. */
static void hold(struct ml_interleave *x, const struct ml_batch *b, const uint32_t *cell,
		 size_t i, size_t end)
{
	size_t n = end - i;

	if (!x->count)
		x->base = b->time + i;
	if (x->count + n > x->cap) {
		size_t cap = x->cap ? 2 * x->cap : 2 * ML_BATCH;

		x->cap = cap < x->block ? cap : x->block;
		if (x->cap < x->count + n)
			x->cap = x->count + n;
		columns_grow(&x->held, x->cap);
	}
	for (size_t k = i; k < end; k++) {
		ml_turns_meet(x->turns, b->thread[k]);
		if (k > i ? b->thread[k] != b->thread[k - 1]
			  : x->count && b->thread[k] != x->held.thread[x->count - 1])
			x->switched = x->count + (k - i);
	}
#define HOLD(column) \
	memcpy(x->held.column + x->count, b->column + i, n * sizeof(*b->column))
	HOLD(addr);
	HOLD(site);
	HOLD(caller);
	HOLD(thread);
	HOLD(what);
#undef HOLD
	memcpy(x->held.cell + x->count, cell + i, n * sizeof(*cell));
	x->count += n;
}

/* References of a thread that lives alone need not be held. */
static bool pass_on(struct ml_interleave *x, const struct ml_batch *b,
		    const uint32_t *cell, size_t i, size_t end, struct ml_err *err)
{
	struct ml_batch part = {
		b->time + i,   end - i,       b->addr + i, b->site + i,
		b->caller + i, b->thread + i, b->what + i,
	};

	struct columns *out = next_out(x);

	ml_turns_meet(x->turns, b->thread[i]);
	x->from = x->to = b->time + i;
	for (size_t k = i; k < end; k++)
		out->time[k - i] = b->time + k;
	memcpy(out->cell, cell + i, (end - i) * sizeof(*cell));
	return x->fn(x->arg, &part, out->time, out->cell, err);
}

static bool one_thread(const struct ml_batch *b, size_t i, size_t end)
{
	return !memcmp(b->thread + i, b->thread + i + 1,
		       (end - i - 1) * sizeof(*b->thread));
}

/*
 * Moves to the threads that live at `time`. A thread is alone before any other has
 * started, and again some time after the others have ended.
 */
static void advance(struct ml_interleave *x, uint64_t time)
{
	for (; x->now < x->change_count && x->changes[x->now].time <= time; x->now++)
		x->solo = x->changes[x->now].alive == 1 && x->changes[x->now].starts;
	if (x->now) {
		const struct change *c = &x->changes[x->now - 1];

		x->solo |= c->alive == 1 && time - c->time >= ALONE;
	}
}

bool ml_interleave_add(struct ml_interleave *x, const struct ml_batch *b,
		       const uint32_t *cell, struct ml_err *err)
{
	for (size_t i = 0, end; i < b->count; i = end) {
		advance(x, b->time + i);
		end = b->count;
		if (x->now < x->change_count && x->changes[x->now].time - b->time < end)
			end = (size_t)(x->changes[x->now].time - b->time);
		if (x->solo && ml_turns_life(x->turns, b->thread[i])->known &&
		    one_thread(b, i, end)) {
			if (!ml_interleave_flush(x, err) ||
			    !pass_on(x, b, cell, i, end, err))
				return false;
			continue;
		}
		size_t room = x->block - x->count;
		if (end - i > room)
			end = i + room;
		hold(x, b, cell, i, end);
		if (x->count == x->block &&
		    !let_out(x, x->switched > x->block / 2 ? x->switched : x->block, err))
			return false;
	}
	return true;
}

void ml_interleave_block(const struct ml_interleave *x, struct ml_interleaved *block)
{
	*block = (struct ml_interleaved){ .from = x->from, .to = x->to };
	block->threads = ml_turns_threads(x->turns, &block->thread_count);
}

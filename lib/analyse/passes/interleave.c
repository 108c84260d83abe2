#include "lib/analyse/passes/interleave.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/tables.h"
#include "lib/trace/trace.h"

#define NONE UINT32_MAX

enum {
	THREADS = 1 << 16,
	ALONE = 1 << 16, /* references after which a remaining thread counts as alone:
			    another one may have been created and not have run yet */
};

struct life {
	uint64_t from, until;
	uint16_t parent;
	bool known;
};

/* The references of one thread in the block that is being merged. */
struct lane {
	uint32_t head, tail; /* indices of held references; NONE: none left */
	uint32_t parent;     /* lane, or NONE */
	uint32_t created; /* its last reference so far that creates a thread, or NONE */
	uint32_t after;   /* the lane starts behind this reference of its parent; NONE: at
			     once */
	bool has_children;
	struct life life;
	/* its first wait that is not fulfilled, and its last; indices of waits of the
	 * trace, or NONE */
	uint32_t wait, last_wait;
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
	uint64_t turn;
	size_t block;
	ml_interleave_fn *fn;
	void *arg;
	struct life *lives;       /* by thread */
	struct change *changes;   /* by time */
	size_t change_count, now; /* the next change behind the references added last */
	bool solo;                /* one thread is alone now */
	bool *joins;              /* by site: its function waits for a thread to end */
	bool *creates;            /* by site: its function creates a thread */
	bool has_joins, has_creates;
	bool by_lives; /* births and joins are to be guessed from the lives of threads */
	const struct ml_wait *waits; /* of the trace, by time */
	size_t wait_count;
	uint32_t *next_wait; /* by wait: the next one of the same thread in the block */
	uint16_t *order;     /* threads in the order of their appearance */
	uint32_t *rank;      /* by thread: its place in that order, + 1 */
	uint32_t threads;

	struct columns held;
	/* by index of a held reference: the next one of the same thread */
	uint32_t *next;
	size_t count, cap;
	uint64_t base;   /* time of the first held */
	size_t switched; /* index of the last change of threads */
	uint64_t random; /* state of the generator of turns */

	struct columns out;
	size_t out_count;
	struct lane *lanes; /* by rank */
	uint32_t *active;   /* lanes that have references left, in that order */
	uint32_t actives;
	uint32_t *waiting; /* lanes that have waits which are not fulfilled */
	uint32_t waitings;
	size_t lane_cap, active_cap, waiting_cap;
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
	for (size_t i = 0; i < THREADS; i++)
		if (x->lives[i].known) {
			x->changes[count++] = (struct change){ x->lives[i].from, 1,
							       true };
			if (x->lives[i].until != ML_FOREVER)
				x->changes[count++] = (struct change){ x->lives[i].until,
								       -1, false };
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

/* Functions that wait for a thread to end. */
static bool is_join(const char *name)
{
	return strstr(name, "join") &&
	       (strstr(name, "pthread_") || strstr(name, "thrd_") ||
		strstr(name, "std::thread"));
}

/* Functions that create a thread, as the C libraries call them. */
static bool is_create(const char *name)
{
	static const char *const names[] = { "clone", "__clone", "clone3", "__clone3",
					     "__clone_internal" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool *find_sites(struct ml_interleave *x, const struct ml_tables *t,
			bool (*is)(const char *name), bool *any)
{
	bool *found = ml_arena_alloc(&x->arena, t->sites.count * sizeof(*found));

	for (size_t i = 0; i < t->sites.count; i++) {
		const struct ml_site *s = &t->sites.at[i];

		for (uint32_t k = 0; k < s->frames; k++)
			found[i] |=
				is(ml_tables_text(t, t->frames.at[s->frame + k].func));
		*any |= found[i];
	}
	return found;
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

/* Programs built by `memlamp cc` report births and joins as waits. */
static bool has_births(const struct ml_tables *t)
{
	const char *back_end = ml_tables_meta_find(t, "back end");

	return t->waits.count && back_end && !strcmp(back_end, "cc");
}

struct ml_interleave *ml_interleave_open(const struct ml_tables *t, uint64_t turn,
					 size_t block, ml_interleave_fn *fn, void *arg)
{
	struct ml_interleave *x = ml_resize(NULL, sizeof(*x));

	*x = (struct ml_interleave){ .turn = turn, .block = block, .fn = fn, .arg = arg };
	x->lives = ml_arena_alloc(&x->arena, THREADS * sizeof(*x->lives));
	x->order = ml_arena_alloc(&x->arena, THREADS * sizeof(*x->order));
	x->rank = ml_arena_alloc(&x->arena, THREADS * sizeof(*x->rank));
	for (size_t i = 0; i < THREADS; i++)
		x->lives[i].until = ML_FOREVER;
	for (size_t i = 0; i < t->threads.count; i++) {
		const struct ml_thread *h = &t->threads.at[i];

		x->lives[h->id] = (struct life){ h->from, h->until, h->parent, true };
	}
	note_changes(x);
	x->joins = find_sites(x, t, is_join, &x->has_joins);
	x->creates = find_sites(x, t, is_create, &x->has_creates);
	x->by_lives = !has_births(t);
	x->waits = t->waits.at;
	x->wait_count = t->waits.count < NONE ? t->waits.count : NONE - 1;
	x->next_wait = ml_arena_alloc(&x->arena, x->wait_count * sizeof(*x->next_wait));
	columns_grow(&x->out, ML_BATCH);
	x->out.time = ml_resize(NULL, ML_BATCH * sizeof(*x->out.time));
	return x;
}

void ml_interleave_close(struct ml_interleave *x)
{
	columns_release(&x->held);
	columns_release(&x->out);
	ml_free(x->next);
	ml_free(x->lanes);
	ml_free(x->active);
	ml_free(x->waiting);
	ml_arena_release(&x->arena);
	ml_free(x);
}

static bool send(struct ml_interleave *x, struct ml_err *err)
{
	struct ml_batch b = {
		.time = x->out.time[0],
		.count = x->out_count,
		.addr = x->out.addr,
		.site = x->out.site,
		.caller = x->out.caller,
		.thread = x->out.thread,
		.what = x->out.what,
	};

	x->out_count = 0;
	return !b.count || x->fn(x->arg, &b, x->out.time, x->out.cell, err);
}

static bool put(struct ml_interleave *x, size_t i, struct ml_err *err)
{
	size_t at = x->out_count++;

	x->out.addr[at] = x->held.addr[i];
	x->out.site[at] = x->held.site[i];
	x->out.caller[at] = x->held.caller[i];
	x->out.cell[at] = x->held.cell[i];
	x->out.thread[at] = x->held.thread[i];
	x->out.what[at] = x->held.what[i];
	x->out.time[at] = x->base + i;
	return x->out_count < ML_BATCH || send(x, err);
}

/*
 * The reference of its parent behind which a thread starts that makes its first reference
 * now.
 */
static uint32_t last_before(const struct ml_interleave *x, const struct lane *parent,
			    const struct lane *l)
{
	if (x->base > l->life.from)
		return NONE; /* the thread ran before */
	return x->has_creates ? parent->created : parent->tail;
}

/* Divides the first `count` references held into lanes. */
static void make_lanes(struct ml_interleave *x, size_t count)
{
	x->lanes = ml_grow(x->lanes, &x->lane_cap, x->threads, sizeof(*x->lanes));
	for (uint32_t k = 0; k < x->threads; k++) {
		struct life *life = &x->lives[x->order[k]];

		x->lanes[k] = (struct lane){
			.head = NONE,
			.tail = NONE,
			.parent = NONE,
			.created = NONE,
			.after = NONE,
			.life = *life,
			.wait = NONE,
			.last_wait = NONE,
		};
	}
	for (uint32_t k = 0; k < x->threads; k++) {
		uint32_t parent = x->rank[x->lanes[k].life.parent];

		if (x->by_lives && x->lanes[k].life.known && parent && parent - 1 != k) {
			x->lanes[k].parent = parent - 1;
			x->lanes[parent - 1].has_children = true;
		}
	}
	for (size_t i = 0; i < count; i++) {
		struct lane *l = &x->lanes[x->rank[x->held.thread[i]] - 1];

		if (l->head == NONE && l->parent != NONE)
			l->after = last_before(x, &x->lanes[l->parent], l);
		if (x->creates[x->held.site[i]])
			l->created = (uint32_t)i;
		*(l->tail == NONE ? &l->head : &x->next[l->tail]) = (uint32_t)i;
		x->next[i] = NONE;
		l->tail = (uint32_t)i;
	}
	x->active = ml_grow(x->active, &x->active_cap, x->threads, sizeof(*x->active));
	x->actives = 0;
	for (uint32_t k = 0; k < x->threads; k++)
		if (x->lanes[k].head != NONE)
			x->active[x->actives++] = k;
}

/* The first wait at or behind a time. */
static size_t first_wait(const struct ml_interleave *x, uint64_t time)
{
	size_t low = 0, high = x->wait_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (x->waits[mid].time < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Gives each lane its waits within the first `count` references held. */
static void make_waits(struct ml_interleave *x, size_t count)
{
	x->waitings = 0;
	x->waiting = ml_grow(x->waiting, &x->waiting_cap, x->threads,
			     sizeof(*x->waiting));
	for (size_t i = first_wait(x, x->base);
	     i < x->wait_count && x->waits[i].time < x->base + count; i++) {
		uint32_t rank = x->rank[x->waits[i].thread];

		if (!rank || x->waits[i].until <= x->base)
			continue; /* all before this block has come before */
		struct lane *l = &x->lanes[rank - 1];
		if (l->wait == NONE)
			x->waiting[x->waitings++] = rank - 1;
		*(l->wait == NONE ? &l->wait : &x->next_wait[l->last_wait]) = (uint32_t)i;
		x->next_wait[i] = NONE;
		l->last_wait = (uint32_t)i;
	}
}

/*
 * Has the other thread made all references that this wait is for? It must not wait for
 * others itself before the end of these. Of waits at the same time the earlier entry
 * comes first.
 */
static bool is_fulfilled(const struct ml_interleave *x, uint32_t wait)
{
	const struct ml_wait *w = &x->waits[wait];
	uint32_t rank = x->rank[w->of];

	if (!rank)
		return true;
	const struct lane *l = &x->lanes[rank - 1]; /* NONE is the highest */
	return (l->head == NONE || x->base + l->head >= w->until) &&
	       (l->wait > wait || x->waits[l->wait].time > w->until);
}

/* Moves all lanes on to their first wait that is not fulfilled. */
static void fulfil(struct ml_interleave *x)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < x->waitings; k++) {
		struct lane *l = &x->lanes[x->waiting[k]];

		while (l->wait != NONE && is_fulfilled(x, l->wait))
			l->wait = x->next_wait[l->wait];
		if (l->wait != NONE)
			x->waiting[kept++] = x->waiting[k];
	}
	x->waitings = kept;
}

/* Whether a thread may have waited for another at this site. */
static bool waits(const struct ml_interleave *x, uint32_t site)
{
	return !x->has_joins || x->joins[site];
}

/*
 * The time from which on this lane may have to wait for a child; 0: it must not go on
 * now.
 */
static uint64_t limit_of(const struct ml_interleave *x, uint32_t number)
{
	const struct lane *l = &x->lanes[number];
	uint64_t limit = ML_FOREVER;

	if (l->parent != NONE) {
		const struct lane *p = &x->lanes[l->parent];

		if (l->after != NONE && p->head <= l->after)
			return 0; /* not created yet; NONE is the highest */
	}
	for (uint32_t k = 0; l->has_children && k < x->actives; k++) {
		const struct lane *c = &x->lanes[x->active[k]];

		if (c->parent == number && c->head != NONE && c->life.until < limit)
			limit = c->life.until;
	}
	return limit;
}

/*
 * The lane with the earliest reference left, which goes on if the tables contradict the
 * order.
 */
static uint32_t earliest(const struct ml_interleave *x)
{
	uint32_t found = x->active[0];

	for (uint32_t k = 1; k < x->actives; k++)
		if (x->lanes[x->active[k]].head < x->lanes[found].head)
			found = x->active[k];
	return found;
}

/* Drops lanes without references. */
static void drop_empty(struct ml_interleave *x)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < x->actives; k++)
		if (x->lanes[x->active[k]].head != NONE)
			x->active[kept++] = x->active[k];
	x->actives = kept;
}

/*
 * The length of the next turn: up to a quarter more or less than asked for. Equal turns
 * would fall into step with loops: of a loop of 30 references always the same three
 * would be the first of their turn, and which three would depend on chance.
 */
static uint64_t next_turn(struct ml_interleave *x)
{
	uint64_t spread = x->turn / 4;

	x->random = x->random * 6364136223846793005u + 1442695040888963407u;
	return x->turn - spread + (x->random >> 33) % (2 * spread + 1);
}

static bool merge(struct ml_interleave *x, size_t count, struct ml_err *err)
{
	x->random = x->base; /* so that a walk from a checkpoint gives the same order */
	make_lanes(x, count);
	make_waits(x, count);
	for (size_t left = count; left; drop_empty(x)) {
		size_t before = left;

		fulfil(x);
		for (uint32_t k = 0; k < x->actives; k++) {
			struct lane *l = &x->lanes[x->active[k]];
			uint64_t limit = limit_of(x, x->active[k]);
			uint64_t stop = l->wait == NONE ? ML_FOREVER
							: x->waits[l->wait].time;
			uint64_t turn = next_turn(x);

			for (uint64_t n = 0; n < turn && l->head != NONE && limit;
			     n++, left--) {
				uint64_t time = x->base + l->head;

				if (time >= stop ||
				    (time >= limit && waits(x, x->held.site[l->head])))
					break;
				if (!put(x, l->head, err))
					return false;
				l->head = x->next[l->head];
			}
		}
		if (left == before) {
			struct lane *l = &x->lanes[earliest(x)];

			if (!put(x, l->head, err))
				return false;
			l->head = x->next[l->head];
			left--;
		}
	}
	return send(x, err);
}

/* Passes the first `count` references on, and moves the others to the front. */
static bool let_out(struct ml_interleave *x, size_t count, struct ml_err *err)
{
	size_t rest = x->count - count;

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

static void note_thread(struct ml_interleave *x, uint16_t thread)
{
	if (!x->rank[thread]) {
		x->order[x->threads++] = thread;
		x->rank[thread] = x->threads;
	}
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
		x->next = ml_resize(x->next, x->cap * sizeof(*x->next));
	}
	for (size_t k = i; k < end; k++) {
		note_thread(x, b->thread[k]);
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

	note_thread(x, b->thread[i]);
	for (size_t k = i; k < end; k++)
		x->out.time[k - i] = b->time + k;
	return x->fn(x->arg, &part, x->out.time, cell + i, err);
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
		if (x->solo && x->lives[b->thread[i]].known && one_thread(b, i, end)) {
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

#include "lib/analyse/passes/turns.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/tables.h"

#define NONE UINT32_MAX

enum { THREADS = 1 << 16 };

/* The references of one thread in the block. */
struct lane {
	uint32_t head, tail; /* indices of references; NONE: none left */
	uint32_t parent;     /* lane, or NONE */
	uint32_t created; /* its last reference so far that creates a thread, or NONE */
	uint32_t after;   /* the lane starts behind this reference of its parent; NONE: at
			     once */
	bool has_children;
	struct ml_turns_life life;
	/* its first wait that is not fulfilled, and its last; indices of waits of the
	 * trace, or NONE */
	uint32_t wait, last_wait;
};

struct ml_turns {
	uint64_t turn;
	struct ml_turns_life *lives; /* by thread */
	bool *joins;                 /* by site: its function waits for a thread to end */
	bool *creates;               /* by site: its function creates a thread */
	bool has_joins, has_creates;
	bool by_lives; /* births and joins are to be guessed from the lives of threads */
	const struct ml_wait *waits; /* of the trace, by time */
	size_t wait_count;
	uint32_t *next_wait; /* by wait: the next one of the same thread in the block */
	uint16_t *order;     /* threads in the order of their appearance */
	uint32_t *rank;      /* by thread: its place in that order, + 1 */
	uint32_t threads;

	/* The block that is being put in order: */
	uint32_t known;        /* threads that had appeared */
	uint64_t base, random; /* random: state of the generator of turns */
	const uint16_t *thread;
	const uint32_t *site;
	uint32_t *next; /* by index: the next reference of the same thread */
	uint32_t *sequence;
	size_t done, cap;
	struct lane *lanes; /* by rank */
	uint32_t *active;   /* lanes that have references left, in that order */
	uint32_t actives;
	uint32_t *waiting; /* lanes that have waits which are not fulfilled */
	uint32_t waitings;
	size_t lane_cap, active_cap, waiting_cap;
	struct ml_arena arena;
};

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

static bool *find_sites(struct ml_turns *x, const struct ml_tables *t,
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

/* Programs built by `memlamp cc` report births and joins as waits. */
static bool has_births(const struct ml_tables *t)
{
	const char *back_end = ml_tables_meta_find(t, "back end");

	return t->waits.count && back_end && !strcmp(back_end, "cc");
}

struct ml_turns *ml_turns_open(const struct ml_tables *t, uint64_t turn)
{
	struct ml_turns *x = ml_resize(NULL, sizeof(*x));

	*x = (struct ml_turns){ .turn = turn };
	x->lives = ml_arena_alloc(&x->arena, THREADS * sizeof(*x->lives));
	x->order = ml_arena_alloc(&x->arena, THREADS * sizeof(*x->order));
	x->rank = ml_arena_alloc(&x->arena, THREADS * sizeof(*x->rank));
	for (size_t i = 0; i < THREADS; i++)
		x->lives[i].until = ML_FOREVER;
	for (size_t i = 0; i < t->threads.count; i++) {
		const struct ml_thread *h = &t->threads.at[i];

		x->lives[h->id] = (struct ml_turns_life){ h->from, h->until, h->parent,
							  true };
	}
	x->joins = find_sites(x, t, is_join, &x->has_joins);
	x->creates = find_sites(x, t, is_create, &x->has_creates);
	x->by_lives = !has_births(t);
	x->waits = t->waits.at;
	x->wait_count = t->waits.count < NONE ? t->waits.count : NONE - 1;
	x->next_wait = ml_arena_alloc(&x->arena, x->wait_count * sizeof(*x->next_wait));
	return x;
}

void ml_turns_close(struct ml_turns *x)
{
	ml_free(x->next);
	ml_free(x->sequence);
	ml_free(x->lanes);
	ml_free(x->active);
	ml_free(x->waiting);
	ml_arena_release(&x->arena);
	ml_free(x);
}

const struct ml_turns_life *ml_turns_life(const struct ml_turns *x, uint16_t thread)
{
	return &x->lives[thread];
}

void ml_turns_meet(struct ml_turns *x, uint16_t thread)
{
	if (!x->rank[thread]) {
		x->order[x->threads++] = thread;
		x->rank[thread] = x->threads;
	}
}

const uint16_t *ml_turns_threads(const struct ml_turns *x, size_t *count)
{
	*count = x->threads;
	return x->order;
}

/* The place of a thread among those that had appeared, + 1; 0: it had not. */
static uint32_t rank_of(const struct ml_turns *x, uint16_t thread)
{
	return x->rank[thread] <= x->known ? x->rank[thread] : 0;
}

/*
 * The reference of its parent behind which a thread starts that makes its first reference
 * now.
 */
static uint32_t last_before(const struct ml_turns *x, const struct lane *parent,
			    const struct lane *l)
{
	if (x->base > l->life.from)
		return NONE; /* the thread ran before */
	return x->has_creates ? parent->created : parent->tail;
}

/* Divides the references of the block into lanes. */
static void make_lanes(struct ml_turns *x, size_t count)
{
	x->lanes = ml_grow(x->lanes, &x->lane_cap, x->known, sizeof(*x->lanes));
	for (uint32_t k = 0; k < x->known; k++) {
		struct ml_turns_life *life = &x->lives[x->order[k]];

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
	for (uint32_t k = 0; k < x->known; k++) {
		uint32_t parent = rank_of(x, x->lanes[k].life.parent);

		if (x->by_lives && x->lanes[k].life.known && parent && parent - 1 != k) {
			x->lanes[k].parent = parent - 1;
			x->lanes[parent - 1].has_children = true;
		}
	}
	for (size_t i = 0; i < count; i++) {
		struct lane *l = &x->lanes[rank_of(x, x->thread[i]) - 1];

		if (l->head == NONE && l->parent != NONE)
			l->after = last_before(x, &x->lanes[l->parent], l);
		if (x->creates[x->site[i]])
			l->created = (uint32_t)i;
		*(l->tail == NONE ? &l->head : &x->next[l->tail]) = (uint32_t)i;
		x->next[i] = NONE;
		l->tail = (uint32_t)i;
	}
	x->active = ml_grow(x->active, &x->active_cap, x->known, sizeof(*x->active));
	x->actives = 0;
	for (uint32_t k = 0; k < x->known; k++)
		if (x->lanes[k].head != NONE)
			x->active[x->actives++] = k;
}

/* The first wait at or behind a time. */
static size_t first_wait(const struct ml_turns *x, uint64_t time)
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

/* Gives each lane its waits within the block. */
static void make_waits(struct ml_turns *x, size_t count)
{
	x->waitings = 0;
	x->waiting = ml_grow(x->waiting, &x->waiting_cap, x->known, sizeof(*x->waiting));
	for (size_t i = first_wait(x, x->base);
	     i < x->wait_count && x->waits[i].time < x->base + count; i++) {
		uint32_t rank = rank_of(x, x->waits[i].thread);

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
static bool is_fulfilled(const struct ml_turns *x, uint32_t wait)
{
	const struct ml_wait *w = &x->waits[wait];
	uint32_t rank = rank_of(x, w->of);

	if (!rank)
		return true;
	const struct lane *l = &x->lanes[rank - 1]; /* NONE is the highest */
	return (l->head == NONE || x->base + l->head >= w->until) &&
	       (l->wait > wait || x->waits[l->wait].time > w->until);
}

/* Moves all lanes on to their first wait that is not fulfilled. */
static void fulfil(struct ml_turns *x)
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
static bool waits(const struct ml_turns *x, uint32_t site)
{
	return !x->has_joins || x->joins[site];
}

/*
 * The time from which on this lane may have to wait for a child; 0: it must not go on
 * now.
 */
static uint64_t limit_of(const struct ml_turns *x, uint32_t number)
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
static uint32_t earliest(const struct ml_turns *x)
{
	uint32_t found = x->active[0];

	for (uint32_t k = 1; k < x->actives; k++)
		if (x->lanes[x->active[k]].head < x->lanes[found].head)
			found = x->active[k];
	return found;
}

/* Drops lanes without references. */
static void drop_empty(struct ml_turns *x)
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
static uint64_t next_turn(struct ml_turns *x)
{
	uint64_t spread = x->turn / 4;

	x->random = x->random * 6364136223846793005u + 1442695040888963407u;
	return x->turn - spread + (x->random >> 33) % (2 * spread + 1);
}

const uint32_t *ml_turns_order(struct ml_turns *x, size_t threads, uint64_t base,
			       const uint16_t *thread, const uint32_t *site, size_t count)
{
	x->known = (uint32_t)threads;
	x->base = base;
	x->thread = thread;
	x->site = site;
	x->done = 0;
	if (count > x->cap) {
		x->cap = count;
		x->next = ml_resize(x->next, count * sizeof(*x->next));
		x->sequence = ml_resize(x->sequence, count * sizeof(*x->sequence));
	}
	x->random = x->base; /* so that the block alone decides the order */
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
				    (time >= limit && waits(x, x->site[l->head])))
					break;
				x->sequence[x->done++] = l->head;
				l->head = x->next[l->head];
			}
		}
		if (left == before) {
			struct lane *l = &x->lanes[earliest(x)];

			x->sequence[x->done++] = l->head;
			l->head = x->next[l->head];
			left--;
		}
	}
	return x->sequence;
}

#include "record/reader/sync_order.h"

#include "lib/base/arena.h"
#include "lib/trace/tables.h"

enum { WAKES = 16 }; /* that an object remembers */

/* A moment of a thread. */
struct moment {
	uint64_t time;
	uint16_t thread;
};

/* A thread that waits at an object. */
struct waiter {
	struct moment began;
	struct moment first; /* of a barrier: the thread that left first, and when */
	bool passed;         /* of a barrier: some thread has left */
};

struct ml_sync_object {
	struct waiter *waiters;
	size_t count, cap;
	struct moment wakes[WAKES]; /* wake number n is at n % WAKES */
	uint64_t woken;             /* wakes so far */
};

void ml_sync_order_release(struct ml_sync_order *s)
{
	for (size_t i = 0; i < s->count; i++)
		ml_free(s->objects[i].waiters);
	ml_free(s->objects);
	ml_map_release(&s->numbers);
	ml_map_release(&s->known);
}

static struct ml_sync_object *find(struct ml_sync_order *s, uint64_t address)
{
	uint64_t *number = ml_map_add(&s->numbers, address, NULL);

	if (!*number) {
		s->objects = ml_grow(s->objects, &s->cap, s->count + 1,
				     sizeof(*s->objects));
		*number = ++s->count;
	}
	return &s->objects[*number - 1];
}

static struct waiter *waiter_of(struct ml_sync_object *o, uint16_t thread)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->waiters[i].began.thread == thread)
			return &o->waiters[i];
	return NULL;
}

static void remove_waiter(struct ml_sync_object *o, struct waiter *w)
{
	*w = o->waiters[--o->count];
}

/* `later` comes behind `earlier`. */
static void add_wait(struct ml_sync_order *s, struct moment later, struct moment earlier,
		     struct ml_tables *t)
{
	if (later.thread == earlier.thread || !earlier.time)
		return;
	uint64_t *known = ml_map_add(&s->known,
				     (uint64_t)later.thread << 16 | earlier.thread, NULL);
	if (*known > earlier.time)
		return;
	*known = earlier.time + 1;
	*ML_ADD(t->waits) = (struct ml_wait){
		.time = later.time,
		.until = earlier.time,
		.thread = later.thread,
		.of = earlier.thread,
	};
}

static void begin_waiting(struct ml_sync_object *o, struct moment now)
{
	struct waiter *w = waiter_of(o, now.thread);

	if (!w) {
		o->waiters = ml_grow(o->waiters, &o->cap, o->count + 1,
				     sizeof(*o->waiters));
		w = &o->waiters[o->count++];
	}
	*w = (struct waiter){ .began = now };
}

static void wake(struct ml_sync_order *s, struct ml_sync_object *o, struct moment now,
		 struct ml_tables *t)
{
	for (size_t i = 0; i < o->count; i++)
		add_wait(s, now, o->waiters[i].began, t);
	o->wakes[o->woken++ % WAKES] = now;
}

/* The first wake since the thread began to wait, or the last of all if it did not. */
static const struct moment *wake_of(const struct ml_sync_object *o,
				    const struct waiter *w)
{
	uint64_t n = o->woken > WAKES ? o->woken - WAKES : 0;

	if (!w)
		return o->woken ? &o->wakes[(o->woken - 1) % WAKES] : NULL;
	for (; n < o->woken; n++)
		if (o->wakes[n % WAKES].time >= w->began.time)
			return &o->wakes[n % WAKES];
	return NULL;
}

static void go_on(struct ml_sync_order *s, struct ml_sync_object *o, struct moment now,
		  struct ml_tables *t)
{
	struct waiter *w = waiter_of(o, now.thread);
	const struct moment *by = wake_of(o, w);

	if (by)
		add_wait(s, now, *by, t);
	if (w)
		remove_waiter(o, w);
}

/* The first thread to leave comes behind all that arrived, the others behind the first.
 */
static void leave(struct ml_sync_order *s, struct ml_sync_object *o, struct moment now,
		  struct ml_tables *t)
{
	struct waiter *w = waiter_of(o, now.thread);

	if (!w)
		return;
	if (w->passed) {
		add_wait(s, now, w->first, t);
	} else {
		for (size_t i = 0; i < o->count; i++) {
			struct waiter *other = &o->waiters[i];

			if (other->passed)
				continue;
			add_wait(s, now, other->began, t);
			other->passed = true;
			other->first = now;
		}
	}
	remove_waiter(o, w);
}

void ml_sync_order_take(struct ml_sync_order *s, enum ml_sync kind, uint16_t thread,
			uint64_t object, uint64_t time, struct ml_tables *t)
{
	struct ml_sync_object *o = find(s, object);
	struct moment now = { time, thread };

	switch (kind) {
	case ML_SYNC_WAIT: begin_waiting(o, now); break;
	case ML_SYNC_WAKE: wake(s, o, now, t); break;
	case ML_SYNC_WOKEN: go_on(s, o, now, t); break;
	case ML_SYNC_LEAVE: leave(s, o, now, t); break;
	}
}

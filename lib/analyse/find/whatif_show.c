#include "lib/analyse/find/whatif_show.h"

#include <string.h>

void ml_show_init(struct ml_show *s, bool ahead)
{
	if (s->see && s->line)
		s->distance = ml_distance_open();
	s->ahead = s->see && ahead;
	if (s->ahead)
		ml_pool_init(&s->pool, 1);
}

void ml_show_release(struct ml_show *s)
{
	if (s->ahead)
		ml_pool_release(&s->pool);
	if (s->distance)
		ml_distance_close(s->distance);
}

struct ml_shown *ml_show_next(struct ml_show *s)
{
	return &s->shown[s->next];
}

static void see(void *arg)
{
	struct ml_shown *x = arg;
	struct ml_show *s = x->show;
	const struct ml_batch *b = x->seen.refs;

	if (s->distance) {
		unsigned bits = (unsigned)__builtin_ctz(s->line);

		for (size_t i = 0; i < b->count; i++)
			x->line[i] = b->addr[i] >> bits;
		ml_distance_run(s->distance, x->line, b->count, x->distance);
		x->seen.distance = x->distance;
	}
	s->see(s->arg, &x->seen);
}

/* Copies the columns that the reader of the trace and the simulator use again. */
static void keep(struct ml_shown *x, const uint8_t *served, const uint8_t *paged)
{
	const struct ml_batch *b = x->seen.refs;
	size_t n = b->count;

	x->refs = (struct ml_batch){ .time = b->time,
				     .count = n,
				     .addr = x->addr,
				     .site = x->site,
				     .caller = x->caller,
				     .thread = x->thread,
				     .what = x->what };
	memcpy(x->addr, b->addr, n * sizeof(*x->addr));
	memcpy(x->site, b->site, n * sizeof(*x->site));
	memcpy(x->caller, b->caller, n * sizeof(*x->caller));
	memcpy(x->thread, b->thread, n * sizeof(*x->thread));
	memcpy(x->what, b->what, n * sizeof(*x->what));
	memcpy(x->served, served, n);
	if (paged)
		memcpy(x->paged, paged, n);
	x->seen.refs = &x->refs;
	x->seen.served = x->served;
	x->seen.paged = paged ? x->paged : NULL;
}

void ml_show_batch(struct ml_show *s, const struct ml_batch *b, const uint8_t *served,
		   const uint8_t *paged)
{
	struct ml_shown *x = ml_show_next(s);

	x->show = s;
	x->seen = (struct ml_seen){ .refs = b,
				    .region = x->region,
				    .offset = x->offset,
				    .block = x->block,
				    .served = served,
				    .paged = paged };
	if (!s->ahead) {
		see(x);
		return;
	}
	keep(x, served, paged);
	ml_pool_wait(&s->pool); /* the batch before was seen, so its memory is free */
	ml_pool_submit(&s->pool, see, x);
	s->next = !s->next;
}

void ml_show_wait(struct ml_show *s)
{
	if (s->ahead)
		ml_pool_wait(&s->pool);
}

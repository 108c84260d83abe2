#include "lib/analyse/trial/whatif_show.h"

#include "lib/base/pool.h"

enum { SIMULATE, DISTANCES, SEE, SEE_THEN, STAGES };

static void find_distances(struct ml_show *s, struct ml_shown *x)
{
	unsigned bits = (unsigned)__builtin_ctz(s->line);
	size_t count = x->refs.count;

	for (size_t i = 0; i < count; i++)
		x->line[i] = x->refs.addr[i] >> bits;
	ml_distance_run(s->distance, x->line, count, x->distance);
}

static struct ml_seen seen_of(const struct ml_show *s, struct ml_shown *x)
{
	return (struct ml_seen){
		.refs = &x->refs,
		.region = x->region,
		.offset = x->offset,
		.block = x->block,
		.served = x->served,
		.distance = s->distance ? x->distance : NULL,
		.paged = s->paged ? x->paged : NULL,
		.spot = x->spot,
	};
}

/* A piece behind a failure has no outcomes, so finders do not see it. */
static void run_stage(void *arg, unsigned stage, unsigned slot)
{
	struct ml_show *s = arg;
	struct ml_shown *x = &s->shown[slot];
	struct ml_seen seen = seen_of(s, x);

	switch (stage) {
	case SIMULATE:
		if (!s->failed)
			s->failed = !s->simulate(s->simulator, x, &s->err);
		if (s->failed)
			x->refs.count = 0;
		break;
	case DISTANCES:
		if (s->distance)
			find_distances(s, x);
		break;
	case SEE:
		if (x->refs.count)
			s->see(s->finders, &seen);
		break;
	case SEE_THEN:
		if (x->refs.count && s->see_then)
			s->see_then(s->finders, &seen);
		break;
	}
}

void ml_show_init(struct ml_show *s, struct ml_arena *a)
{
	if (s->line)
		s->distance = ml_distance_open();
	s->shown = ml_arena_alloc(a, ML_SHOW_SLOTS * sizeof(*s->shown));
	ml_relay_init(&s->relay, ML_SHOW_SLOTS, STAGES, ml_cpus() - 1, run_stage, s);
}

void ml_show_release(struct ml_show *s)
{
	ml_relay_release(&s->relay);
	if (s->distance)
		ml_distance_close(s->distance);
}

struct ml_shown *ml_show_next(struct ml_show *s)
{
	return &s->shown[ml_relay_slot(&s->relay)];
}

void ml_show_pass(struct ml_show *s)
{
	ml_relay_pass(&s->relay);
}

bool ml_show_wait(struct ml_show *s, struct ml_err *err)
{
	ml_relay_wait(&s->relay);
	if (s->failed)
		*err = s->err;
	return !s->failed;
}

#include "lib/analyse/temperature.h"

#include <assert.h>

#include "lib/analyse/replay.h"
#include "lib/base/arena.h"

struct ml_thermometer {
	struct ml_temperature_options o;
	unsigned levels;
	uint8_t *ring;       /* serving levels of the last references */
	uint64_t at, seen;   /* where in the ring the next one goes; so far */
	uint64_t served[16]; /* of those in the ring */
	uint64_t step, next; /* references between points; at which the next is */
	double *series;
	size_t count;
};

struct ml_temperature_options ml_temperature_default(void)
{
	return (struct ml_temperature_options){
		.last = 1000,
		.hit = { 1, 1, 1, 1 },
		.miss = { -7, -3, -1, -1 },
		.points = 1024,
	};
}

struct ml_thermometer *ml_thermometer_open(const struct ml_temperature_options *o)
{
	struct ml_thermometer *x = ml_resize(NULL, sizeof(*x));
	size_t cap = 0;

	assert(o->last && o->points >= 2);
	*x = (struct ml_thermometer){ .o = *o, .step = 1, .next = 1 };
	x->ring = ml_grow(NULL, &cap, o->last, 1);
	return x;
}

/* Every other point goes, and from now on only every other one is taken. */
static void thin_out(struct ml_thermometer *x)
{
	size_t kept = 0;

	for (size_t i = 1; i < x->count; i += 2, kept++)
		for (unsigned k = 0; k < x->levels; k++)
			x->series[kept * x->levels + k] = x->series[i * x->levels + k];
	x->count = kept;
	x->step *= 2;
}

static void take_point(struct ml_thermometer *x)
{
	uint64_t involved = x->seen < x->o.last ? x->seen : x->o.last;
	double *point;

	if (!x->series)
		x->series = ml_resize(NULL, x->o.points * x->levels * sizeof(*x->series));
	if (x->count == x->o.points)
		thin_out(x);
	if (x->seen % x->step == 0) {
		uint64_t missed = involved;

		point = &x->series[x->count++ * x->levels];
		for (unsigned k = 0; k < x->levels; k++) {
			uint64_t hits = x->served[k + 1];

			missed -= hits; /* asked of level k, not found there */
			point[k] = (x->o.hit[k] * (double)hits +
				    x->o.miss[k] * (double)missed) /
				   (double)involved;
		}
	}
	x->next = (x->seen / x->step + 1) * x->step;
}

void ml_thermometer_run(struct ml_thermometer *x, unsigned levels,
			const uint16_t *outcome, size_t count)
{
	x->levels = levels;
	for (size_t i = 0; i < count; i++) {
		unsigned served = ml_outcome_served(outcome[i]);

		if (x->seen >= x->o.last)
			x->served[x->ring[x->at]]--;
		x->ring[x->at] = (uint8_t)served;
		x->served[served]++;
		x->at = x->at + 1 < x->o.last ? x->at + 1 : 0;
		if (++x->seen == x->next)
			take_point(x);
	}
}

static bool on_batch(void *arg, const struct ml_events *e, struct ml_err *err)
{
	(void)err;
	ml_thermometer_run(arg, ml_replay_machine(e->replay)->levels, e->outcome,
			   e->refs->count);
	return true;
}

struct ml_pass ml_thermometer_pass(struct ml_thermometer *x)
{
	return (struct ml_pass){ .arg = x, .batch = on_batch };
}

void ml_thermometer_close(struct ml_thermometer *x, struct ml_temperature *t)
{
	*t = (struct ml_temperature){ x->levels, x->step, x->count, x->series };
	ml_free(x->ring);
	ml_free(x);
}

void ml_temperature_release(struct ml_temperature *t)
{
	ml_free(t->series);
	*t = (struct ml_temperature){ 0 };
}

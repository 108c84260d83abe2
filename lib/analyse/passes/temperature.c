#include "lib/analyse/passes/temperature.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "lib/analyse/passes/replay.h"
#include "lib/base/arena.h"

struct ml_thermometer {
	struct ml_temperature_options o;
	unsigned levels;
	uint8_t *ring;       /* serving levels of the last references */
	uint64_t at, seen;   /* place of the next one in the ring; references so far */
	uint64_t served[16]; /* references in the ring by serving level */
	uint64_t step, next; /* references between points; position of the next point */
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

static bool read_scores(double score[ML_LEVELS], const char *text, struct ml_err *err)
{
	const char *at = text;

	for (size_t k = 0; at && *at; k++) {
		char *end;
		double v = strtod(at, &end);

		if (end == at || !isfinite(v) || (*end && *end != ','))
			return ml_fail(err, ML_USAGE,
				       "'%s' is not a list of scores like 1,1,0.5", text);
		if (k == ML_LEVELS)
			return ml_fail(err, ML_USAGE, "'%s' has more than %d scores",
				       text, ML_LEVELS);
		score[k] = v;
		at = *end ? end + 1 : end;
	}
	return true;
}

bool ml_temperature_scores(struct ml_temperature_options *o, const char *hit,
			   const char *miss, struct ml_err *err)
{
	return read_scores(o->hit, hit, err) && read_scores(o->miss, miss, err);
}

void ml_temperature_of(const struct ml_temperature_options *o, unsigned levels,
		       const uint64_t *served, double *temperature)
{
	uint64_t all = 0;

	for (unsigned k = 1; k <= levels + 1; k++)
		all += served[k];
	uint64_t missed = all;
	for (unsigned k = 0; k < levels; k++) {
		uint64_t hits = served[k + 1];

		missed -= hits; /* requests to level k that it missed */
		temperature[k] =
			all ? (o->hit[k] * (double)hits + o->miss[k] * (double)missed) /
					(double)all
			    : 0;
	}
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

/* Drops every other point, and takes points half as often from now on. */
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
	if (!x->series)
		x->series = ml_resize(NULL, x->o.points * x->levels * sizeof(*x->series));
	if (x->count == x->o.points)
		thin_out(x);
	if (x->seen % x->step == 0)
		ml_temperature_of(&x->o, x->levels, x->served,
				  &x->series[x->count++ * x->levels]);
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

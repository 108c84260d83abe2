#include "lib/query/sampling/timed_samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/query/sampling/trace_rows.h"
#include "lib/samples/samples_make.h"
#include "lib/samples/timed_level.h"
#include "lib/trace/trace.h"

struct maker {
	struct ml_samples *s;
	const struct ml_timed_ref *refs;
	const struct ml_calibration *c;
	struct ml_timed_levels levels;
	const char *names[ML_CALIBRATED_MAX];
	struct ml_map by_ticks; /* the address of the level's name: times are few */
	struct ml_trace_rows rows;
	size_t time, latency, level, cpu, ticks, interrupted;
	uint64_t interruptions, row;
};

static void add_columns(struct maker *k)
{
	struct ml_samples *s = k->s;

	k->time = ml_samples_add_column(s, "time", ML_SAMPLES_UNSIGNED);
	k->latency = ml_samples_add_column(s, "latency", ML_SAMPLES_SIGNED);
	k->level = ml_samples_add_column(s, "level", ML_SAMPLES_NAMES);
	k->cpu = ml_samples_add_column(s, "cpu", ML_SAMPLES_UNSIGNED);
	k->ticks = ml_samples_add_column(s, "ticks", ML_SAMPLES_UNSIGNED);
	k->interrupted = ml_samples_add_column(s, "interrupted", ML_SAMPLES_NAMES);
	ml_samples_set_role(s, k->time, ML_SAMPLES_TIME);
	ml_samples_set_role(s, k->latency, ML_SAMPLES_LATENCY);
	ml_samples_set_role(s, k->level, ML_SAMPLES_LEVEL);
	ml_samples_set_role(s, k->cpu, ML_SAMPLES_CPU);
}

static void read_calibration(struct maker *k)
{
	const struct ml_calibration *c = k->c;
	const uint64_t *ticks[ML_CALIBRATED_MAX];
	size_t counts[ML_CALIBRATED_MAX];

	for (size_t i = 0; i < c->levels; i++) {
		ticks[i] = c->level[i].ticks;
		counts[i] = c->level[i].count;
		k->names[i] = c->level[i].name;
	}
	ml_timed_levels_init(&k->levels, ticks, counts, c->levels, &k->s->arena);
}

static const char *level_of(struct maker *k, uint64_t ticks)
{
	bool is_new;
	uint64_t *name = ml_map_add(&k->by_ticks, ticks, &is_new);

	if (is_new)
		*name = (uintptr_t)ml_timed_level_name(
			ml_timed_levels_find(&k->levels, ticks), k->names, &k->s->arena);
	return (const char *)(uintptr_t)*name;
}

/* A measurement that says nothing of the access keeps its ticks and has no latency. */
static void put_measured(struct maker *k, const struct ml_timed_ref *x)
{
	struct ml_samples *s = k->s;
	bool interrupted = x->before != x->after || x->ticks > k->c->slowest;
	double ns = (double)(x->clock - k->refs[0].clock) / k->c->per_ns;
	const char *level = "unknown";

	/* stamps of two threads may be a little out of order */
	ml_samples_put(s, k->time, k->row,
		       x->clock > k->refs[0].clock ? (uint64_t)ns : 0);
	if (interrupted) {
		ml_samples_put_missing(s, k->latency, k->row);
		k->interruptions++;
	} else {
		ml_samples_put(s, k->latency, k->row,
			       x->ticks - (uint64_t)lround(k->c->empty));
		level = level_of(k, x->ticks);
	}
	ml_samples_put_name(s, k->level, k->row, level, strlen(level));
	ml_samples_put(s, k->cpu, k->row, x->after);
	ml_samples_put(s, k->ticks, k->row, x->ticks);
	ml_samples_put_name(s, k->interrupted, k->row, interrupted ? "yes" : "no",
			    interrupted ? 3 : 2);
}

static bool put_batch(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct maker *k = arg;

	(void)err;
	for (size_t i = 0; i < b->count; i++, k->row++) {
		struct ml_ref ref = ml_batch_ref(b, i);

		put_measured(k, &k->refs[k->row]);
		ml_trace_rows_put(&k->rows, k->row, &ref);
	}
	return true;
}

static const char *note_of(struct maker *k, uint64_t period)
{
	const struct ml_calibration *c = k->c;
	struct ml_buf text = { 0 };
	char part[200];

	snprintf(
		part, sizeof(part),
		"timed loads, one access of %llu; latencies are ticks of a clock of %.2f "
		"GHz that moves in steps of %llu, less %.1f of the measurement itself; "
		"calibrated:",
		(unsigned long long)period, c->per_ns, (unsigned long long)c->step,
		c->empty);
	ml_buf_text(&text, part);
	for (size_t i = 0; i < c->levels; i++) {
		snprintf(part, sizeof(part), "%s %s %.0f", i ? "," : "", c->level[i].name,
			 c->level[i].mean);
		ml_buf_text(&text, part);
	}
	snprintf(part, sizeof(part),
		 "; %llu measurements were interrupted and have no latency",
		 (unsigned long long)k->interruptions);
	ml_buf_text(&text, part);
	const char *note = ml_arena_copy(&k->s->arena, text.data, text.size);
	ml_buf_release(&text);
	return note;
}

bool ml_timed_samples(struct ml_samples *s, struct ml_trace *t,
		      const struct ml_timed_ref *refs, const struct ml_calibration *c,
		      uint64_t period, struct ml_err *err)
{
	struct maker k = { .s = s, .refs = refs, .c = c };

	ml_samples_init(s);
	s->path = ml_arena_strdup(&s->arena, t->path);
	s->format = "timed-loads";
	add_columns(&k);
	read_calibration(&k);
	bool ok = ml_trace_rows_init(&k.rows, s, t, err) &&
		  ml_trace_each(t, 0, t->count, 1, put_batch, &k, err);
	ml_trace_rows_release(&k.rows);
	ml_map_release(&k.by_ticks);
	if (!ok) {
		ml_samples_close(s);
		return false;
	}
	s->rows = k.row;
	ml_samples_pack(s);
	s->note = note_of(&k, period);
	return true;
}

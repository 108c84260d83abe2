#include "lib/query/sampling/timed_samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/query/sampling/trace_rows.h"
#include "lib/samples/samples_make.h"
#include "lib/samples/timed_level.h"
#include "lib/trace/trace.h"

/* What is known of a thread while its loads are read. */
struct thread {
	uint64_t clock; /* of its last load */
	uint32_t site;  /* of that load */
	bool seen;
};

struct maker {
	struct ml_samples *s;
	const struct ml_timed_ref *refs;
	const struct ml_calibration *c;
	struct ml_timed_levels levels;
	struct ml_map by_ticks; /* index of `answers`: times are few */
	struct answer {
		const char *level;
		enum ml_timed_tlb tlb;
	} * answers;
	size_t answer_cap;
	struct ml_trace_rows rows;
	size_t time, latency, level, tlb, cpu, ticks, interrupted;
	struct thread *threads;
	size_t thread_cap;
	struct ml_timed_bias *bias;
	uint64_t row;
};

static void add_columns(struct maker *k)
{
	struct ml_samples *s = k->s;

	k->time = ml_samples_add_column(s, "time", ML_SAMPLES_UNSIGNED);
	k->latency = ml_samples_add_column(s, "latency", ML_SAMPLES_SIGNED);
	k->level = ml_samples_add_column(s, "level", ML_SAMPLES_NAMES);
	k->tlb = ml_samples_add_column(s, "tlb_miss", ML_SAMPLES_UNSIGNED);
	k->cpu = ml_samples_add_column(s, "cpu", ML_SAMPLES_UNSIGNED);
	k->ticks = ml_samples_add_column(s, "ticks", ML_SAMPLES_UNSIGNED);
	k->interrupted = ml_samples_add_column(s, "interrupted", ML_SAMPLES_NAMES);
	ml_samples_set_role(s, k->time, ML_SAMPLES_TIME);
	ml_samples_set_role(s, k->latency, ML_SAMPLES_LATENCY);
	ml_samples_set_role(s, k->level, ML_SAMPLES_LEVEL);
	ml_samples_set_role(s, k->cpu, ML_SAMPLES_CPU);
}

static const struct answer *answer_of(struct maker *k, uint64_t ticks)
{
	size_t count = k->by_ticks.count;
	bool is_new;
	uint64_t *index = ml_map_add(&k->by_ticks, ticks, &is_new);

	if (is_new) {
		struct ml_timed_level l = ml_timed_levels_find(&k->levels, ticks);

		*index = count;
		k->answers = ml_grow(k->answers, &k->answer_cap, count + 1,
				     sizeof(*k->answers));
		k->answers[count] =
			(struct answer){ ml_timed_level_name(&k->levels, l, &k->s->arena),
					 (enum ml_timed_tlb)l.tlb };
	}
	return &k->answers[*index];
}

static bool is_interrupted(const struct maker *k, const struct ml_timed_ref *x)
{
	return x->before != x->after || x->ticks > k->c->slowest;
}

/* A measurement that says nothing of the access keeps its ticks and has no latency. */
static void put_measured(struct maker *k, const struct ml_timed_ref *x)
{
	struct ml_samples *s = k->s;
	bool interrupted = is_interrupted(k, x);
	double ns = (double)(x->clock - k->refs[0].clock) / k->c->per_ns;
	struct answer answer = { "unknown", ML_TIMED_TLB_UNKNOWN };

	/* stamps of two threads may be a little out of order */
	ml_samples_put(s, k->time, k->row,
		       x->clock > k->refs[0].clock ? (uint64_t)ns : 0);
	if (interrupted) {
		ml_samples_put_missing(s, k->latency, k->row);
		k->bias->interrupted++;
	} else {
		ml_samples_put(s, k->latency, k->row,
			       x->ticks - (uint64_t)lround(k->c->empty));
		answer = *answer_of(k, x->ticks);
	}
	ml_samples_put_name(s, k->level, k->row, answer.level, strlen(answer.level));
	if (answer.tlb == ML_TIMED_TLB_UNKNOWN)
		ml_samples_put_missing(s, k->tlb, k->row);
	else
		ml_samples_put(s, k->tlb, k->row, answer.tlb == ML_TIMED_TLB_MISS);
	ml_samples_put(s, k->cpu, k->row, x->after);
	ml_samples_put(s, k->ticks, k->row, x->ticks);
	ml_samples_put_name(s, k->interrupted, k->row, interrupted ? "yes" : "no",
			    interrupted ? 3 : 2);
}

/* How the sampling changed the program, and whether periods were in step with it. */
static void add_bias(struct maker *k, const struct ml_timed_ref *x,
		     const struct ml_ref *ref)
{
	k->threads = ml_grow(k->threads, &k->thread_cap, ref->thread + 1u,
			     sizeof(*k->threads));
	struct thread *t = &k->threads[ref->thread];

	k->bias->timed++;
	k->bias->repeated += t->seen && t->site == ref->site;
	k->bias->ticks += k->c->cost;
	if (!is_interrupted(k, x))
		k->bias->ticks += (double)x->ticks - k->c->empty;
	if (t->seen && x->clock > t->clock)
		k->bias->span += (double)(x->clock - t->clock);
	*t = (struct thread){ x->clock, ref->site, true };
}

static bool put_batch(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct maker *k = arg;

	(void)err;
	for (size_t i = 0; i < b->count; i++, k->row++) {
		struct ml_ref ref = ml_batch_ref(b, i);

		put_measured(k, &k->refs[k->row]);
		add_bias(k, &k->refs[k->row], &ref);
		ml_trace_rows_put(&k->rows, k->row, &ref);
	}
	return true;
}

static const char *note_of(struct maker *k, uint64_t period)
{
	const struct ml_calibration *c = k->c;
	const struct ml_timed_bias *b = k->bias;
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
	for (size_t i = 0; i < c->kinds; i++) {
		snprintf(part, sizeof(part), "%s %s%s %.0f", i ? "," : "",
			 c->kind[i].name, c->kind[i].misses_tlb ? " with a TLB miss" : "",
			 c->kind[i].mean - c->empty);
		ml_buf_text(&text, part);
	}
	snprintf(part, sizeof(part),
		 "; %llu measurements were interrupted and have no latency; ",
		 (unsigned long long)b->interrupted);
	ml_buf_text(&text, part);
	snprintf(part, sizeof(part),
		 "%.1f %% of the loads are at the instruction of the load before; timing "
		 "took %.1f %% of the time from the first load to the last",
		 100 * ml_timed_bias_repeated(b), 100 * ml_timed_bias_cost(b));
	ml_buf_text(&text, part);
	const char *note = ml_arena_copy(&k->s->arena, text.data, text.size);
	ml_buf_release(&text);
	return note;
}

bool ml_timed_samples(struct ml_samples *s, struct ml_trace *t,
		      const struct ml_timed_ref *refs, const struct ml_calibration *c,
		      uint64_t period, struct ml_timed_bias *bias, struct ml_err *err)
{
	struct maker k = { .s = s, .refs = refs, .c = c, .bias = bias };

	*bias = (struct ml_timed_bias){ 0 };
	ml_samples_init(s);
	s->path = ml_arena_strdup(&s->arena, t->path);
	s->format = "timed-loads";
	add_columns(&k);
	ml_timed_levels_init(&k.levels, c, &s->arena);
	bool ok = ml_trace_rows_init(&k.rows, s, t, err) &&
		  ml_trace_each(t, 0, t->count, 1, put_batch, &k, err);
	ml_trace_rows_release(&k.rows);
	ml_map_release(&k.by_ticks);
	ml_free(k.answers);
	ml_free(k.threads);
	if (!ok) {
		ml_samples_close(s);
		return false;
	}
	s->rows = k.row;
	ml_samples_pack(s);
	s->note = note_of(&k, period);
	return true;
}

#include "lib/samples/metrics.h"

#include <math.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/samples/bins.h"
#include "lib/samples/loads.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"

bool ml_empty_of(const char *text, enum ml_empty *e, struct ml_err *err)
{
	static const char *const names[] = { "natural", "skip", "zero" };

	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(text, names[i])) {
			*e = (enum ml_empty)i;
			return true;
		}
	return ml_fail(err, ML_USAGE,
		       "empty resources are counted natural, skip or zero, not '%s'",
		       text);
}

bool ml_metric_of(const char *text, enum ml_metric *m, struct ml_err *err)
{
	*m = !strcmp(text, "imbalance") ? ML_METRIC_IMBALANCE : ML_METRIC_LATENCY;
	return *m == ML_METRIC_IMBALANCE || !strcmp(text, "latency")
		       ? true
		       : ml_fail(err, ML_USAGE,
				 "a metric is latency or imbalance, not '%s'", text);
}

struct ml_metrics ml_metrics_of(const struct ml_load *r, size_t count,
				enum ml_empty empty)
{
	struct ml_metrics m = { .resources = count };
	size_t timed = 0, counted;
	double sum = 0, squares = 0, far = 0;

	for (size_t i = 0; i < count; i++) {
		m.used += r[i].samples != 0;
		m.samples += r[i].samples;
		m.cycles += ml_samples_cycles(r[i].cycles);
		if (r[i].timed) {
			timed++;
			sum += (double)ml_samples_cycles(r[i].cycles) /
			       (double)r[i].timed;
		}
	}
	counted = empty == ML_EMPTY_ZERO ? count : timed;
	m.latency = counted ? sum / (double)counted : 0;
	counted = empty == ML_EMPTY_SKIP ? m.used : count;
	m.mean = counted ? (double)m.samples / (double)counted : 0;
	for (size_t i = 0; i < count; i++) {
		double d = fabs((double)r[i].samples - m.mean);

		if (empty == ML_EMPTY_SKIP && !r[i].samples)
			continue;
		squares += d * d;
		far = d > far ? d : far;
	}
	m.deviation = counted ? sqrt(squares / (double)counted) : 0;
	m.imbalance = m.deviation > 0 ? far / m.deviation : 0;
	return m;
}

static void add_load(struct ml_load *to, const struct ml_load *x)
{
	to->samples += x->samples;
	to->timed += x->timed;
	to->cycles += x->cycles;
}

struct ml_metrics ml_metrics_tier(const struct ml_loads *l, const struct ml_loads_map *m,
				  size_t tier, enum ml_empty empty, struct ml_arena *a)
{
	size_t count = m->s->topology.tiers[tier].count;
	struct ml_load *r = ml_arena_alloc(a, count * sizeof(*r));

	for (size_t i = 0; i < m->cpus * ML_LEVELS; i++) {
		uint32_t at = ml_loads_resource(m, tier, i / ML_LEVELS,
						(enum ml_level)(i % ML_LEVELS));

		if (at != UINT32_MAX)
			add_load(&r[at], &l->cell[i]);
	}
	return ml_metrics_of(r, count, empty);
}

size_t ml_metrics_windows(struct ml_window **list, const struct ml_loads_map *m,
			  const struct ml_selection *sel, size_t column, size_t tier,
			  size_t count, enum ml_empty empty, struct ml_arena *a)
{
	const struct ml_samples *s = m->s;
	const struct ml_samples_column *c = &s->columns[column],
				       *latency = ml_samples_latency(s);
	size_t resources = s->topology.tiers[tier].count;
	struct ml_bins bins;
	uint64_t at = 0;

	ml_bins_init(&bins, s, column, count);
	struct ml_load *r = ml_arena_alloc(a, (bins.count + 1) * resources * sizeof(*r));
	uint64_t *all = ml_arena_alloc(a, (bins.count + 1) * sizeof(*all));
	for (uint64_t w = 0; w < ml_selection_words(s->rows); w++)
		for (uint64_t bits = sel->words[w]; bits; bits &= bits - 1) {
			uint64_t row = w * 64 + (uint64_t)__builtin_ctzll(bits);
			size_t bin = ml_bins_at(&bins, row);
			uint32_t place = ml_loads_resource(m, tier, ml_loads_cpu(m, row),
							   ml_loads_level(m, row));
			bool timed = latency && !ml_samples_missing(latency, row);
			struct ml_load one = { 1, timed,
					       timed ? ml_samples_bits(latency, row)
						     : 0 };

			all[bin]++;
			if (place != UINT32_MAX)
				add_load(&r[bin * resources + place], &one);
		}
	*list = ml_arena_alloc(a, (bins.count + 1) * sizeof(**list));
	for (size_t i = 0; i < bins.count; i++) {
		(*list)[i] = (struct ml_window){
			.low = ml_bins_low(c, &bins, i),
			.high = ml_bins_low(c, &bins, i + 1),
			.first = at,
			.end = at + all[i],
			.m = ml_metrics_of(&r[i * resources], resources, empty),
		};
		at += all[i];
	}
	size_t made = bins.count;
	ml_bins_release(&bins);
	return made;
}

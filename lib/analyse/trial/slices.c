#include "lib/analyse/trial/slices.h"

#include <math.h>
#include <string.h>

#include "lib/trace/trace.h"

enum {
	INTERVALS = 64, /* at most */
	PROBES = 2,     /* of each interval */
	PROBE = 4096,   /* references */
	SITES = 64,     /* sites are counted modulo this, hashed */
	WHOLE = 4,      /* an interval of so many slices may be one slice */
};

/* Of two, at which distance intervals are of different phases: half of the code differs.
 */
static const double DIFFERENT = 0.5;

struct interval {
	double share[SITES]; /* of the references, by site */
	unsigned phase;
	double apart; /* distance to the first interval of its phase */
};

struct plan {
	struct interval interval[INTERVALS];
	uint64_t count, from, each; /* each: references of an interval */
	uint64_t slice;             /* references of a slice */
	size_t members[ML_SLICE_PHASES], slices[ML_SLICE_PHASES];
	unsigned phases;
};

/* Counts the sites of a probe. Probes come in the order of time: a cursor seeks on. */
static bool count_sites(struct interval *x, struct ml_cursor *c, uint64_t from,
			uint64_t to, struct ml_err *err)
{
	struct ml_batch b;

	ml_cursor_seek(c, from, to);
	while (ml_cursor_next(c, &b, err))
		for (size_t i = 0; i < b.count; i++)
			x->share[b.site[i] * 0x9e3779b1u >> 26] += 1;
	return err->kind == ML_OK;
}

static bool probe(struct plan *p, struct ml_cursor *c, struct ml_err *err)
{
	for (uint64_t i = 0; i < p->count; i++) {
		struct interval *x = &p->interval[i];
		double sum = 0;

		for (uint64_t k = 0; k < PROBES; k++) {
			uint64_t at = p->from + i * p->each + k * p->slice / PROBES;
			uint64_t size = p->slice / PROBES;

			if (!count_sites(x, c, at, at + (size < PROBE ? size : PROBE),
					 err))
				return false;
		}
		for (unsigned k = 0; k < SITES; k++)
			sum += x->share[k];
		for (unsigned k = 0; k < SITES && sum > 0; k++)
			x->share[k] /= sum;
	}
	return true;
}

static double distance(const struct interval *a, const struct interval *b)
{
	double sum = 0;

	for (unsigned k = 0; k < SITES; k++)
		sum += fabs(a->share[k] - b->share[k]);
	return sum;
}

/* The interval that is least like the first one of its phase begins a phase of its own.
 */
static void find_phases(struct plan *p)
{
	uint64_t first = 0;

	for (uint64_t i = 0; i < p->count; i++)
		p->interval[i].apart = 2;
	while (p->phases < ML_SLICE_PHASES && p->interval[first].apart > DIFFERENT) {
		const struct interval leader = p->interval[first];

		for (uint64_t i = 0; i < p->count; i++) {
			struct interval *x = &p->interval[i];
			double d = distance(x, &leader);

			if (d < x->apart) {
				x->apart = d;
				x->phase = p->phases;
			}
		}
		p->phases++;
		for (uint64_t i = 0; i < p->count; i++)
			if (p->interval[i].apart > p->interval[first].apart)
				first = i;
	}
	for (uint64_t i = 0; i < p->count; i++)
		p->members[p->interval[i].phase]++;
}

/* One slice for each phase, and the next for the phase with the most intervals a slice.
 */
static void share_out(struct plan *p, size_t slices)
{
	for (unsigned i = 0; i < p->phases; i++)
		p->slices[i] = 1;
	for (size_t n = p->phases; n < slices && n < p->count; n++) {
		unsigned most = 0;
		double max = 0;

		for (unsigned i = 0; i < p->phases; i++) {
			double load = (double)p->members[i] / (double)p->slices[i];

			if (p->slices[i] < p->members[i] && load > max) {
				max = load;
				most = i;
			}
		}
		p->slices[most]++;
	}
}

/* Whether a phase takes its k-th interval: they are spread over it evenly. */
static bool takes(const struct plan *p, unsigned phase, size_t k)
{
	size_t n = p->slices[phase], m = p->members[phase];

	for (size_t i = 0; i < n; i++)
		if ((2 * i + 1) * m / (2 * n) == k)
			return true;
	return false;
}

/*
 * The references of a slice. A short phase, of which all intervals are taken, is taken
 * whole if that is not much more: there is nothing to estimate then. What happens once,
 * such as the initial fill of an array, is such a phase.
 */
static uint64_t size_of(const struct plan *p, unsigned phase)
{
	return p->slices[phase] == p->members[phase] && p->each <= WHOLE * p->slice
		       ? p->each
		       : p->slice;
}

static void fill(struct ml_slices *s, const struct plan *p)
{
	size_t met[ML_SLICE_PHASES] = { 0 };

	for (uint64_t i = 0; i < p->count; i++) {
		unsigned phase = p->interval[i].phase;
		uint64_t from = p->from + i * p->each, size = size_of(p, phase);

		if (!takes(p, phase, met[phase]++))
			continue;
		s->at[s->count++] = (struct ml_slice){
			.from = from,
			.to = from + size,
			.phase = phase,
			.weight = (double)(p->members[phase] * p->each) /
				  (double)(p->slices[phase] * size),
		};
		s->refs += size;
	}
	s->phases = p->phases;
}

bool ml_slices_choose_many(struct ml_slices *s, const struct ml_trace *t, uint64_t from,
			   uint64_t to, uint64_t window, size_t slices,
			   struct ml_err *err)
{
	uint64_t end = to && to < t->count ? to : t->count;
	uint64_t count = from < end ? end - from : 0;
	struct plan p = { .from = from };

	memset(s, 0, sizeof(*s));
	if (!window || count <= window || count < slices) {
		s->at[0] = (struct ml_slice){ from, from + count, 0, 1 };
		s->count = s->phases = 1;
		s->refs = count;
		return true;
	}
	p.slice = window / slices ? window / slices : 1;
	p.count = count / p.slice < INTERVALS ? count / p.slice : INTERVALS;
	p.each = count / p.count;
	struct ml_cursor *c = ml_cursor_open(t, from, from);
	bool ok = probe(&p, c, err);
	ml_cursor_close(c);
	if (!ok)
		return false;
	find_phases(&p);
	share_out(&p, slices);
	fill(s, &p);
	return true;
}

bool ml_slices_choose(struct ml_slices *s, const struct ml_trace *t, uint64_t from,
		      uint64_t to, uint64_t window, struct ml_err *err)
{
	return ml_slices_choose_many(s, t, from, to, window, ML_SLICES, err);
}

void ml_slices_cut(struct ml_slices *s, uint64_t refs)
{
	if (!refs || s->refs <= refs)
		return;
	uint64_t each = refs / s->count ? refs / s->count : 1;

	s->refs = 0;
	for (size_t i = 0; i < s->count; i++) {
		struct ml_slice *x = &s->at[i];
		uint64_t size = x->to - x->from;

		if (size > each) {
			x->weight *= (double)size / (double)each;
			x->to = x->from + each;
		}
		s->refs += x->to - x->from;
	}
}

/* The square of the standard error of the weighted sum of d. */
static double variance(const struct ml_slices *s, const double *d)
{
	double sum = 0;

	for (unsigned phase = 0; phase < s->phases; phase++) {
		double mean = 0, squares = 0, weight = 0;
		size_t n = 0;

		for (size_t i = 0; i < s->count; i++)
			if (s->at[i].phase == phase) {
				mean += d[i];
				weight = s->at[i].weight;
				n++;
			}
		/* a slice that is alone is compared with the mean of the run, which is 0
		 */
		mean = n > 1 ? mean / (double)n : 0;
		for (size_t i = 0; i < s->count; i++)
			if (s->at[i].phase == phase)
				squares += (d[i] - mean) * (d[i] - mean);
		if (n > 1)
			squares *= (double)n / (double)(n - 1);
		/* what was tried itself is certain */
		sum += weight * weight * squares * (1 - 1 / weight);
	}
	return sum;
}

double ml_slices_scale(const struct ml_slices *s, const double *x, const double *y,
		       double whole, double *error)
{
	double of_x = 0, of_y = 0, d[ML_SLICES_MAX];

	for (size_t i = 0; i < s->count; i++) {
		of_x += s->at[i].weight * x[i];
		of_y += s->at[i].weight * y[i];
	}
	*error = 0;
	if (of_x <= 0)
		return 0;
	double ratio = of_y / of_x;
	for (size_t i = 0; i < s->count; i++)
		d[i] = y[i] - ratio * x[i];
	double v = s->count > 1 ? variance(s, d) : 0;
	*error = v > 0 ? sqrt(v) * whole / of_x : 0;
	return ratio * whole;
}

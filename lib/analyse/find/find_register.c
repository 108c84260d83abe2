#include "lib/analyse/find/find_register.h"

#include "lib/trace/ref.h"

enum { MIN_ROWS = 4, MAX_EACH = 4 /* references of s in an iteration */ };

static bool about(double x, double y)
{
	return x > 0.9 * y && x < 1.1 * y;
}

/* Whether x stands still: its instructions use the same datum again and again. */
static bool stands_still(const struct ml_find *f, const struct ml_spot *x)
{
	uint64_t still = 0, steps = 0;

	for (size_t i = 0; i < f->p->cell_count; i++) {
		const struct ml_profile_cell *c = &f->p->cells[i];

		if (ml_find_spot(f, c->site, c->caller, ml_find_same(f, c->region)) != x)
			continue;
		steps += c->steps;
		if (c->strides && c->stride[0].bytes == 0)
			still += c->stride[0].count;
	}
	return 2 * still > steps;
}

/*
 * The line writes its sum in each iteration but has it in a register to read: the loops
 * exchanged read it too.
 */
static uint64_t reads_added(const struct ml_find *f, const struct ml_spot *s,
			    const struct ml_spot **result)
{
	for (size_t i = 0; i < f->spot_count; i++) {
		const struct ml_spot *x = &f->spots[i];

		if (x->line != s->line || x->region == s->region ||
		    2 * MAX_EACH * x->kind[ML_WRITE] < s->refs || !stands_still(f, x))
			continue;
		*result = x;
		return x->kind[ML_WRITE] > 2 * x->kind[ML_READ]
			       ? x->kind[ML_WRITE] - x->kind[ML_READ]
			       : 0;
	}
	return 0;
}

/* Whether x writes once for each run of the inner loop, of which there are `runs`. */
static bool stores(const struct ml_find *f, const struct ml_spot *s,
		   const struct ml_spot *x, double runs)
{
	return x->region != s->region && ml_find_together(f, s, x) &&
	       ml_find_movable(f, x->region) && about((double)x->kind[ML_WRITE], runs) &&
	       x->kind[ML_READ] <= x->kind[ML_WRITE];
}

uint64_t ml_register_added(const struct ml_find *f, const struct ml_spot *s,
			   uint64_t rows, const struct ml_spot **result)
{
	*result = NULL;
	if (rows < MIN_ROWS)
		return 0;
	uint64_t reads = reads_added(f, s, result);
	if (*result)
		return reads;
	for (unsigned each = 1; each <= MAX_EACH; each++) {
		uint64_t iterations = s->refs / each;
		double runs = (double)iterations / (double)rows;

		for (size_t i = 0; i < f->spot_count; i++)
			if (stores(f, s, &f->spots[i], runs)) {
				*result = &f->spots[i];
				/* a read and a write each, instead of those there are */
				return 2 * iterations - f->spots[i].refs;
			}
	}
	return 0;
}

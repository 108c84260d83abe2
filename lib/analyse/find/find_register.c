#include "lib/analyse/find/find_register.h"

#include "lib/trace/ref.h"

enum { MIN_ROWS = 4 };

/* Whether the line writes something in each iteration: then no register has the sum. */
static bool writes_always(const struct ml_find *f, const struct ml_spot *s)
{
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].line == s->line &&
		    10 * f->spots[i].kind[ML_WRITE] >= 9 * s->refs)
			return true;
	return false;
}

/* Whether x writes once for each run of the inner loop, of which there are `runs`. */
static bool stores(const struct ml_find *f, const struct ml_spot *s,
		   const struct ml_spot *x, double runs)
{
	double writes = (double)x->kind[ML_WRITE];

	return x->region != s->region && ml_find_together(f, s, x) &&
	       ml_find_movable(f, x->region) && writes > 0.9 * runs &&
	       writes < 1.1 * runs && x->kind[ML_READ] <= x->kind[ML_WRITE];
}

uint64_t ml_register_added(const struct ml_find *f, const struct ml_spot *s,
			   uint64_t rows, const struct ml_spot **result)
{
	*result = NULL;
	if (rows < MIN_ROWS || writes_always(f, s))
		return 0;
	for (size_t i = 0; i < f->spot_count && !*result; i++)
		if (stores(f, s, &f->spots[i], (double)s->refs / (double)rows))
			*result = &f->spots[i];
	/* a read and a write in each iteration, instead of those that there are */
	return *result && 2 * s->refs > (*result)->refs ? 2 * s->refs - (*result)->refs
							: 0;
}

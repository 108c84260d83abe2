#include "lib/analyse/find/find_register.h"

#include <stdlib.h>

#include "lib/trace/ref.h"

enum { MIN_ROWS = 4, NEAR = 3 /* lines of code */ };

/* The inner loop of a spot. */
struct loop {
	const struct ml_spot *spot;
	uint64_t unit, rows;
	double iterations; /* executions of its body */
};

/* An unrolled loop executes its body once for each row that an instruction steps on. */
static double iterations(const struct ml_spot *s, uint64_t pitch)
{
	const struct ml_profile_cell *c = s->worst;
	uint64_t rows = c->strides ? (uint64_t)llabs(c->stride[0].bytes) / pitch : 1;

	return (double)(c->kind[ML_READ] + c->kind[ML_WRITE]) * (double)(rows ? rows : 1);
}

static bool is_near(const struct ml_find *f, const struct ml_spot *a,
		    const struct ml_spot *b)
{
	uint32_t x = f->user_lines.lines[a->line].line;
	uint32_t y = f->user_lines.lines[b->line].line;

	return ml_find_together(f, a, b) && (x < y ? y - x : x - y) <= NEAR;
}

/*
 * Whether s is a sum for each run of the inner loop: it stands still in the loop, or is
 * used only at its end, and goes one element on for the next run. A sum that is read and
 * written in each iteration already has no register to leave.
 */
static bool is_sum(const struct ml_find *f, const struct ml_spot *s, const struct loop *l)
{
	const struct ml_profile_cell *c = s->worst;

	if (s->region == l->spot->region || !is_near(f, s, l->spot) ||
	    !s->kind[ML_WRITE] || !c->strides || !ml_find_movable(f, s->region) ||
	    ml_find_block_size(f, s->region, NULL) <= f->line)
		return false;
	uint64_t step = (uint64_t)llabs(c->stride[0].bytes);
	bool rare = 4 * (double)(c->kind[ML_READ] + c->kind[ML_WRITE]) < l->iterations;

	return (double)s->refs < 1.5 * l->iterations &&
	       2 * s->refs * l->rows > l->spot->refs &&
	       (!step || (rare && step <= 2 * l->unit));
}

uint64_t ml_register_added(const struct ml_find *f, const struct ml_spot *s,
			   const struct ml_inner_loop *inner,
			   const struct ml_spot **result)
{
	struct loop l = { s, inner->unit, inner->rows, iterations(s, inner->pitch) };

	*result = NULL;
	for (size_t i = 0; i < f->spot_count && l.rows >= MIN_ROWS && !*result; i++)
		if (is_sum(f, &f->spots[i], &l))
			*result = &f->spots[i];
	/* a read and a write in each iteration, instead of those that there are */
	return *result && 2 * l.iterations > (double)(*result)->refs
		       ? (uint64_t)(2 * l.iterations) - (*result)->refs
		       : 0;
}

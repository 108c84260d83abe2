#include "record/session/timed_check.h"

#include "lib/base/arena.h"
#include "lib/samples/timed_level.h"
#include "record/session/chase.h"

enum {
	LOADS = 4096,       /* timed ones of a run */
	RUNS = 3,           /* of a chase */
	WALK_MAX = 4 << 20, /* steps before a run */
	BEYOND = 8,         /* so many times the last cache is memory without a flush */
	MEMORY_PART = 4,    /* of the memory that is available, a chase takes so much */
};

/* What a chase of so many bytes fits. A size at the border of two levels is made smaller.
 */
static void place(struct ml_timed_check_row *r, const struct ml_calibration *c,
		  bool in_memory)
{
	uint64_t max = ml_chase_available() / MEMORY_PART, last = 0;

	r->bytes = r->bytes > max ? max : r->bytes;
	for (size_t i = 0; i < c->kinds; i++) {
		const struct ml_calibrated *x = &c->kind[i];

		last = x->size > last ? x->size : last;
		if (!in_memory && r->bytes < 2 * x->size) {
			r->bytes = r->bytes > x->size / 2 ? x->size / 2 : r->bytes;
			r->level = x->level;
			return;
		}
	}
	r->level = (uint32_t)c->levels - 1;
	r->flushed = r->bytes < BEYOND * last;
}

static void judge(struct ml_timed_check_row *r, const struct ml_calibration *c,
		  const struct ml_timed_levels *levels, const uint64_t *ticks,
		  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct ml_timed_level l = ml_timed_levels_find(levels, ticks[i]);

		r->loads++;
		if (ticks[i] > c->slowest) {
			r->interrupted++;
			continue;
		}
		*(l.first == l.last ? &r->said[l.first] : &r->several) += 1;
		r->right += r->level >= l.first && r->level <= l.last;
		r->near += r->level + 1 >= l.first && r->level <= l.last + 1u;
	}
}

static bool run_row(struct ml_timed_check_row *r, const struct ml_calibration *c,
		    const struct ml_timed_levels *levels, struct ml_arena *a,
		    struct ml_err *err)
{
	uint64_t *ticks = ml_arena_alloc(a, LOADS * sizeof(*ticks));
	struct ml_chase chase;

	if (!ml_chase_init(&chase, r->bytes,
			   r->large_pages ? ML_CHASE_LINES : ML_CHASE_SMALL, err))
		return false;
	r->bytes = ml_chase_bytes(&chase);
	for (int run = 0; run < RUNS; run++) {
		uint64_t steps = 2 * ml_chase_nodes(&chase);
		size_t count;

		if (r->flushed)
			count = ml_chase_time_flushed(&chase, ticks, LOADS);
		else {
			ml_chase_walk(&chase, steps < WALK_MAX ? steps : WALK_MAX);
			count = ml_chase_time(&chase, ticks, LOADS);
		}
		judge(r, c, levels, ticks, count);
	}
	ml_chase_release(&chase);
	return true;
}

bool ml_timed_check(struct ml_timed_check *k, const struct ml_calibration *c,
		    struct ml_err *err)
{
	static const uint64_t sizes[] = { 16 << 10, 512 << 10, 4 << 20, 64 << 20,
					  512 << 20 };
	enum { SIZES = sizeof(sizes) / sizeof(*sizes) };
	struct ml_timed_levels levels;
	struct ml_arena a = { 0 };
	bool ok = true;

	*k = (struct ml_timed_check){ 0 };
	ml_timed_levels_init(&levels, c, &a);
	for (size_t i = 0; ok && i < 2 * SIZES; i++) {
		struct ml_timed_check_row *r = &k->rows[k->count++];

		*r = (struct ml_timed_check_row){ .bytes = sizes[i / 2],
						  .large_pages = i % 2 == 0 };
		place(r, c, i / 2 + 1 == SIZES);
		ok = run_row(r, c, &levels, &a, err);
	}
	ml_arena_release(&a);
	return ok;
}

bool ml_timed_check_passes(const struct ml_timed_check *k)
{
	for (size_t i = 0; i < k->count; i++)
		if (k->rows[i].near * 100 < k->rows[i].loads * ML_TIMED_CHECK_SURE)
			return false;
	return k->count > 0;
}

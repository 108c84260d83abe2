#include "record/tracks/reference_follow.h"

#include <string.h>

/*
 * Expresses the expectation of reference i by the nearest equal references, because near
 * ones are cheap.
 */
static struct ml_reference_expected nearest(const struct ml_reference_expected *ref,
					    size_t i)
{
	struct ml_reference_expected r = ref[i];

	for (size_t k = i; k-- > 0;) {
		const struct ml_reference_expected *p = &ref[k];

		if (r.drift && p->drift && p->from == r.from && p->since == r.since &&
		    p->shift == r.shift) {
			r.from = (uint8_t)k;
			r.since = p->as;
			return r;
		}
		if (!r.drift && !r.base && !p->drift && p->from == r.from) {
			r.from = (uint8_t)k;
			r.delta -= p->delta;
			return r;
		}
	}
	return r;
}

static bool is_far(const struct ml_reference_expected *r, size_t i)
{
	return (size_t)r->from / 8 + 1 < i / 8 ||
	       (r->drift &&
		((size_t)r->as / 8 + 1 < i / 8 || (size_t)r->since / 8 + 1 < i / 8));
}

void ml_reference_follow_make(struct ml_reference_follow *out,
			      const struct ml_reference_expected *ref, size_t count)
{
	for (size_t e = 0; e < ml_reference_follow_reads(count) / 8; e++) {
		struct ml_reference_follow *f = &out[e];
		struct ml_reference_expected near[8];

		memset(f, 0, sizeof(*f));
		for (size_t lane = 0; lane < 8 && 8 * e + lane < count; lane++) {
			near[lane] = nearest(ref, 8 * e + lane);
			f->far |= is_far(&near[lane], 8 * e + lane);
			f->drifts |= near[lane].drift;
		}
		size_t first = f->far ? 0 : 8 * e - 8; /* reference that is lane 0 */
		for (size_t lane = 0; lane < 8; lane++) {
			const struct ml_reference_expected *r = &near[lane];

			if (8 * e + lane >=
			    count) { /* behind the end: never as expected */
				f->from[lane] = (uint8_t)(8 * e + lane - first);
				f->delta[lane] = 1;
				continue;
			}
			f->word[lane] = r->word;
			f->delta[lane] = r->delta;
			f->from[lane] = (uint8_t)(r->from - first);
			f->bases |= (uint8_t)(r->base << lane);
			f->shift[lane] = r->shift;
			if (r->drift) {
				f->as[lane] = (uint8_t)(r->as - first);
				f->since[lane] = (uint8_t)(r->since - first);
			}
		}
	}
}

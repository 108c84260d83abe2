/* What a finding can promise at most. */
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"

static bool concerns(const struct ml_find *f, const struct ml_candidate *c,
		     uint32_t region)
{
	if (c->spares || region == c->region)
		return true;
	for (size_t i = 0; i < c->claim_count; i++)
		if (f->spots[c->claims[i].spot].region == region)
			return true;
	return false;
}

void ml_find_cap(const struct ml_find *f, struct ml_candidate *c)
{
	struct ml_finding *n = &c->finding;
	double max = c->more;

	for (size_t i = 0; i < f->spot_count; i++)
		if (concerns(f, c, f->spots[i].region))
			max += f->spots[i].excess;
	max = max < f->cycles ? max / f->cycles : 1;
	n->gain = n->gain < max ? n->gain : max;
	n->low = n->low < n->gain ? n->low : n->gain;
	n->high = n->high < max ? n->high : max;
}

#include "record/tracks/reference_draft.h"

#include <string.h>

enum {
	FEWEST = 2,       /* runs that show a way */
	CONSTANT_OF = 16, /* one run of so many may not be as a constant has it, */
	DRIFT_OF = 6,     /* or as a drift has it, which saves more than it costs */
	NEAR = 4,         /* bases before it that another may move with */
	SHIFT = 6,        /* at most */
};

void ml_reference_draft_run(struct ml_reference_draft *d, const uint64_t *w, size_t count)
{
	if (count > ML_TRACK)
		count = ML_TRACK;
	memcpy(d->word[d->runs], w, 2 * count * sizeof(*w));
	d->count[d->runs++] = (uint8_t)count;
}

/* Those of the runs that are at this place then. */
static uint32_t runs_by(const struct ml_reference_draft *d, uint32_t runs, unsigned i,
			uint64_t word)
{
	uint32_t by = 0;

	for (unsigned r = 0; r < d->runs; r++)
		if (runs >> r & 1 && i < d->count[r] && d->word[r][2 * i] == word)
			by |= 1u << r;
	return by;
}

void ml_reference_draft_way(const struct ml_reference_draft *d,
			    struct ml_reference_draft_way *out)
{
	uint32_t runs = UINT32_MAX;

	for (out->count = 0; out->count < ML_TRACK; out->count++) {
		unsigned i = out->count;
		uint32_t most = 0, seen = 0;

		for (unsigned r = 0; r < d->runs; r++)
			if (runs >> r & 1 && i < d->count[r] && !(seen >> r & 1)) {
				uint32_t by = runs_by(d, runs, i, d->word[r][2 * i]);

				seen |= by;
				if (__builtin_popcount(by) > __builtin_popcount(most)) {
					most = by;
					out->word[i] = d->word[r][2 * i];
				}
			}
		if (__builtin_popcount(most) < FEWEST)
			return;
		out->runs[i] = runs = most;
	}
}

static uint64_t address(const struct ml_reference_draft *d, unsigned run, unsigned i)
{
	return d->word[run][2 * i + 1];
}

/* Do the runs have what is said of reference i, but for one of so many? */
static bool holds(const struct ml_reference_draft *d, uint32_t runs, unsigned i,
		  const struct ml_reference_track_ref *r, unsigned of)
{
	unsigned wrong = 0, most = (unsigned)__builtin_popcount(runs) / of;

	for (; runs; runs &= runs - 1) {
		unsigned run = (unsigned)__builtin_ctz(runs);
		uint64_t moved = address(d, run, r->as) - address(d, run, r->since);

		wrong += address(d, run, i) !=
			 address(d, run, r->from) + r->delta + (moved << r->shift);
		if (wrong > most)
			return false;
	}
	return true;
}

/* Does reference i follow by a constant from a base, the nearest first? */
static bool find_constant(const struct ml_reference_draft *d, uint32_t runs, unsigned i,
			  const uint8_t *base, unsigned bases,
			  struct ml_reference_track_ref *out)
{
	unsigned run = (unsigned)__builtin_ctz(runs);

	for (unsigned b = bases; b-- > 0;) {
		out->from = out->as = out->since = base[b];
		out->delta = address(d, run, i) - address(d, run, base[b]);
		if (holds(d, runs, i, out, CONSTANT_OF))
			return true;
	}
	return false;
}

/* Does the one move as the other does, and not always the same way, which shows nothing?
 */
static bool drifts_as(const struct ml_reference_draft *d, uint32_t runs, unsigned i,
		      struct ml_reference_track_ref *out)
{
	uint64_t first = 0;
	unsigned differ = 0;

	for (uint32_t left = runs; left; left &= left - 1) {
		unsigned run = (unsigned)__builtin_ctz(left);
		uint64_t moved = address(d, run, out->as) - address(d, run, out->since);

		if (moved && !first)
			first = moved;
		differ += moved && moved != first;
	}
	if (!differ)
		return false;
	for (out->shift = 0; out->shift <= SHIFT; out->shift++)
		if (holds(d, runs, i, out, DRIFT_OF))
			return true;
	return false;
}

/* Has it moved, since the same place was come by before, as a base near by has? */
static bool find_drift(const struct ml_reference_draft *d,
		       const struct ml_reference_draft_way *way, unsigned i,
		       const uint8_t *base, unsigned bases,
		       struct ml_reference_track_ref *out)
{
	unsigned like = bases;

	while (like > 0 && way->word[base[like - 1]] != way->word[i])
		like--;
	if (!like--)
		return false;
	out->from = base[like];
	out->delta = 0;
	for (unsigned as = bases; as-- > 0 && as + NEAR >= bases;)
		for (unsigned since = as; as != like && since-- > 0;) {
			out->as = base[as];
			out->since = base[since];
			if (way->word[out->as] == way->word[out->since] &&
			    drifts_as(d, way->runs[i], i, out))
				return true;
		}
	return false;
}

void ml_reference_draft_links(const struct ml_reference_draft *d,
			      const struct ml_reference_draft_way *way, const bool *free,
			      struct ml_reference_track_ref *out)
{
	uint8_t base[ML_TRACK];
	unsigned bases = 0;

	for (unsigned i = 0; i < way->count; i++) {
		struct ml_reference_track_ref *r = &out[i];

		*r = (struct ml_reference_track_ref){ .word = way->word[i] };
		if (!(free[i])) {
			if (find_constant(d, way->runs[i], i, base, bases, r))
				continue;
			r->drift = find_drift(d, way, i, base, bases, r);
			if (r->drift)
				continue;
		}
		*r = (struct ml_reference_track_ref){ .word = way->word[i],
						      .from = (uint8_t)i,
						      .as = (uint8_t)i,
						      .since = (uint8_t)i,
						      .base = true };
		base[bases++] = (uint8_t)i;
	}
}

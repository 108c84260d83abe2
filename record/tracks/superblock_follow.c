#include "record/tracks/superblock_follow.h"

#include <string.h>

/*
 * Expresses the expectation of word i by the nearest equal words, because near ones are
 * cheap.
 */
static struct ml_superblock_follow_word
nearest(const struct ml_superblock_follow_word *word, size_t i)
{
	struct ml_superblock_follow_word own = word[i];

	for (size_t k = i; k-- > 0;) {
		const struct ml_superblock_follow_word *p = &word[k];

		if (p->constant || p->root != own.root || p->drift != own.drift)
			continue;
		if (!own.drift) {
			own.root = (uint16_t)k;
			own.delta -= p->delta;
			return own;
		}
		if (p->since == own.since && p->shift == own.shift) {
			own.root = (uint16_t)k;
			own.since = p->as;
			return own;
		}
	}
	return own;
}

static bool is_far(const struct ml_superblock_follow_word *word, size_t i)
{
	return (size_t)word->root / 8 + 1 < i / 8 ||
	       (word->drift && ((size_t)word->as / 8 + 1 < i / 8 ||
				(size_t)word->since / 8 + 1 < i / 8));
}

static void make_eight(struct ml_superblock_follow *f,
		       const struct ml_superblock_follow_word *word, size_t first,
		       size_t count)
{
	struct ml_superblock_follow_word near[8];

	for (size_t i = first; i < first + 8; i++) {
		if (i >= count || word[i].constant)
			continue;
		near[i - first] = nearest(word, i);
		f->far |= is_far(&near[i - first], i);
		f->drifts |= word[i].drift;
	}
	size_t lane_0 = f->far ? 0 : first - 8; /* the word that is lane 0 */
	for (size_t i = first; i < first + 8; i++) {
		const struct ml_superblock_follow_word *n = &near[i - first];
		size_t lane = i - first;

		/* behind the end: a word that no guest writes */
		f->delta[lane] = i < count ? word[i].head : UINT64_MAX;
		if (i >= count)
			continue;
		f->heads |= (uint8_t)((word[i].head != 0) << lane);
		if (word[i].constant)
			continue;
		f->values |= (uint8_t)(1u << lane);
		f->bases |= (uint8_t)(word[i].base << lane);
		f->delta[lane] += n->root == i ? 0 : n->delta;
		f->from[lane] = (uint8_t)(n->root - lane_0);
		if (n->drift) {
			f->as[lane] = (uint8_t)(n->as - lane_0);
			f->since[lane] = (uint8_t)(n->since - lane_0);
			f->shift[lane] = n->shift;
		}
	}
}

void ml_superblock_follow_make(struct ml_superblock_follow *out,
			       const struct ml_superblock_follow_word *word, size_t count)
{
	uint8_t heads = 0, bases = 0;

	for (size_t first = 0; first < count; first += 8) {
		struct ml_superblock_follow *f = &out[first / 8];

		memset(f, 0, sizeof(*f));
		make_eight(f, word, first, count);
		f->before = heads;
		f->done = bases;
		heads = (uint8_t)(heads + __builtin_popcount(f->heads));
		bases = (uint8_t)(bases + __builtin_popcount(f->bases));
	}
}

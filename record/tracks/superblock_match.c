#include "record/tracks/superblock_match.h"

size_t ml_superblock_track_words(const struct ml_superblock_track *t, const uint64_t *w,
				 size_t room, uint64_t *value)
{
	size_t max = t->words < room ? t->words : room, i = 1;

	for (; i < max; i++) {
		const struct ml_superblock_word *l = &t->link[i];
		uint64_t root = l->constant ? 0 : ML_WORD_VALUE(w[l->from]);

		if (w[i] != root + l->delta)
			break;
	}
	for (unsigned k = 0; k < t->bases && t->base[k] < i; k++)
		value[k] = ML_WORD_VALUE(w[t->base[k]]);
	for (unsigned k = 0; k < t->drifts && t->drift[k].at < i; k++) {
		const struct ml_superblock_drift *m = &t->drift[k];

		if (ML_WORD_VALUE(w[m->at]) - ML_WORD_VALUE(w[m->like]) !=
		    (ML_WORD_VALUE(w[m->as]) - ML_WORD_VALUE(w[m->from])) << m->shift)
			return m->at;
	}
	return i;
}

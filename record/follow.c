#include "record/follow.h"

#include <string.h>

/* The word nearest before i that follows from the same base: near ones are cheap. */
static size_t nearest(const struct ml_follow_word *word, size_t i)
{
	for (size_t k = i; k-- > 0;)
		if (!word[k].constant && word[k].root == word[i].root)
			return k;
	return i;
}

void ml_follow_make(struct ml_follow *out, const struct ml_follow_word *word,
		    size_t count)
{
	uint8_t constants = 0, bases = 0;

	for (size_t i = 0; i < ml_follow_reads(count); i++) {
		struct ml_follow *f = &out[i / 8];
		unsigned lane = i % 8;

		if (!lane) {
			memset(f, 0, sizeof(*f));
			f->before = constants;
			f->done = bases;
		}
		/* behind the end: what no guest says */
		f->delta[lane] = i < count ? word[i].delta : UINT64_MAX;
		if (i >= count || word[i].constant) {
			constants++;
			continue;
		}
		size_t from = nearest(word, i);
		f->values |= (uint8_t)(1u << lane);
		f->bases |= (uint8_t)(word[i].base << lane);
		bases = (uint8_t)(bases + word[i].base);
		f->delta[lane] = from == i ? 0 : word[i].delta - word[from].delta;
		f->from[lane] = (uint8_t)from;
		f->far |= from / 8 + 1 < i / 8;
	}
	for (size_t i = 0; i < count; i++) {
		struct ml_follow *f = &out[i / 8];

		if (!f->far && f->values >> i % 8 & 1)
			f->from[i % 8] = (uint8_t)(f->from[i % 8] + 8 - i / 8 * 8);
	}
}

bool ml_follow_can(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("bmi");
#else
	return false;
#endif
}

#include "record/tracks/superblock_follow.h"

#include <string.h>

#include "tests/test.h"

enum { TRACK = 100 };

static uint64_t seed;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

/* A track: headers, values, and brief ones that are both. */
static size_t make_track(struct ml_superblock_follow_word *word)
{
	size_t count = 1 + random_below(TRACK), bases = 0;
	uint16_t root[TRACK];

	for (size_t i = 0; i < count; i++) {
		unsigned kind = i ? (unsigned)random_below(5) : 0;

		word[i] = (struct ml_superblock_follow_word){ 0 };
		if (kind == 0) {
			word[i].constant = true;
			word[i].head = ML_WORD(ML_WORD_STEP, 0, random_below(1000));
		} else if (kind == 1 || !bases) {
			word[i].root = (uint16_t)i;
			word[i].base = true;
			root[bases++] = (uint16_t)i;
		} else if (kind == 2) {
			word[i] = (struct ml_superblock_follow_word){
				.root = root[random_below(bases)],
				.drift = true,
				.as = (uint8_t)
					root[random_below(2) ? bases - 1
							     : random_below(bases)],
				.since = (uint8_t)root[random_below(bases)],
				.shift = (uint8_t)random_below(7),
			};
		} else {
			word[i].root =
				root[random_below(2) ? bases - 1 : random_below(bases)];
			word[i].delta = random_below(1 << 20) - (1 << 19);
		}
		if (!word[i].constant && random_below(2))
			word[i].head = ML_WORD_BRIEF(random_below(ML_BRIEF_SHAPES));
	}
	return count;
}

/* What word i should have as its value, which is no base. */
static uint64_t expected(const struct ml_superblock_follow_word *word, size_t i,
			 const uint64_t *w)
{
	uint64_t root = ML_WORD_VALUE(w[word[i].root]);
	uint64_t moved = ML_WORD_VALUE(w[word[i].as]) - ML_WORD_VALUE(w[word[i].since]);

	return word[i].constant ? 0
	       : word[i].drift  ? root + (moved << word[i].shift)
				: root + word[i].delta;
}

/* Words that go along it, but perhaps at one place. */
static void make_words(const struct ml_superblock_follow_word *word, size_t count,
		       uint64_t *w)
{
	for (size_t i = 0; i < count; i++) {
		if (!word[i].constant && word[i].root == i)
			w[i] = 0x7f0000000000 + random_below(1 << 30);
		else
			w[i] = ML_WORD_VALUE(expected(word, i, w));
		w[i] |= word[i].head;
	}
	for (size_t i = count; i < ml_superblock_follow_reads(count); i++)
		w[i] = random_below(2) ? 0 : UINT64_C(1) << 63 | random_below(1000);
	if (random_below(3))
		w[random_below(count)] ^= UINT64_C(1) << random_below(64);
}

/* The same, one by one; returns how many words, and of them the bases. */
static size_t plainly(const struct ml_superblock_follow_word *word, size_t count,
		      const uint64_t *w, uint64_t *base, size_t *bases)
{
	size_t i = 0;

	*bases = 0;
	for (; i < count; i++) {
		uint64_t value = word[i].constant ? 0 : ML_WORD_VALUE(w[i]);

		if (w[i] != (word[i].head | value))
			break;
		if (!word[i].constant && word[i].root != i &&
		    value != expected(word, i, w))
			break;
		if (word[i].base)
			base[(*bases)++] = value;
	}
	return i;
}

TEST(vectors_follow_a_track_as_far_as_word_by_word)
{
	if (!ml_lanes_can())
		return;
	for (seed = 1; seed < 3000; seed++) {
		uint64_t kept = seed;
		struct ml_superblock_follow_word word[TRACK];
		struct ml_superblock_follow f[(TRACK + 7) / 8];
		uint64_t w[TRACK + 8], slow[TRACK], fast[TRACK + 8];
		size_t count = make_track(word), bases;

		ml_superblock_follow_make(f, word, count);
		for (int n = 0; n < 4; n++) {
			make_words(word, count, w);
			size_t same = plainly(word, count, w, slow, &bases);

			CHECK_EQ(ml_superblock_follow_on(f, w, 0, count, fast), same);
			for (size_t i = 0; i < bases; i++)
				CHECK_EQ(fast[i], slow[i]);
			/* on from a word up to which it is known; its bases are there */
			size_t from = random_below(same + 1), before;
			plainly(word, from, w, fast, &before);
			memset(fast + before, 0, (TRACK + 8 - before) * sizeof(*fast));
			CHECK_EQ(ml_superblock_follow_on(f, w, from, count, fast), same);
			for (size_t i = 0; i < bases; i++)
				CHECK_EQ(fast[i], slow[i]);
		}
		seed = kept;
	}
}

#include "record/tracks/reference_follow.h"

#include "tests/test.h"

static uint64_t seed;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

/* A track of bases, constants and drifts. */
static size_t make_track(struct ml_reference_expected *ref)
{
	size_t count = 1 + random_below(ML_REFERENCE_PARTS), bases = 0;
	uint8_t base[ML_REFERENCE_PARTS];

	for (size_t i = 0; i < count; i++) {
		unsigned kind = bases ? (unsigned)random_below(3) : 0;
		uint8_t self = (uint8_t)i;
		struct ml_reference_expected *r = &ref[i];

		*r = (struct ml_reference_expected){ .word = 1 + random_below(20) };
		if (!kind) {
			r->from = r->as = r->since = base[bases++] = self;
			r->base = true;
			continue;
		}
		r->from = r->as = r->since =
			base[random_below(2) ? bases - 1 : random_below(bases)];
		r->delta = kind == 1 ? random_below(1 << 20) - (1 << 19) : 0;
		if (kind == 2) {
			r->as = base[random_below(2) ? bases - 1 : random_below(bases)];
			r->since = base[random_below(bases)];
			r->shift = (uint8_t)random_below(7);
			r->drift = true;
		}
	}
	return count;
}

/* Words that go along it, but perhaps at one place. */
static void make_words(const struct ml_reference_expected *ref, size_t count, uint64_t *w)
{
	for (size_t i = 0; i < count; i++) {
		const struct ml_reference_expected *r = &ref[i];

		w[2 * i] = r->word;
		w[2 * i + 1] = r->base ? random_below(1 << 30)
				       : w[2 * r->from + 1] + r->delta +
						 ((w[2 * r->as + 1] - w[2 * r->since + 1])
						  << r->shift);
	}
	for (size_t i = 2 * count; i < 2 * ml_reference_follow_reads(count); i++)
		w[i] = random_below(2) ? 0 : UINT64_MAX;
	if (random_below(3))
		w[random_below(2 * count)] ^= UINT64_C(1) << random_below(64);
}

#if defined(__x86_64__)
TEST(vectors_follow_a_track_as_far_as_one_by_one)
{
	if (!ml_lanes_can())
		return;
	for (uint64_t round = 1; round < 4000; round++) {
		struct ml_reference_expected ref[ML_REFERENCE_PARTS];
		struct ml_reference_follow eight[(ML_REFERENCE_PARTS + 7) / 8];
		uint64_t w[2 * ML_REFERENCE_PARTS + 16], slow[ML_REFERENCE_PARTS],
			fast[ML_REFERENCE_PARTS + 8];

		seed = round;
		size_t count = make_track(ref);
		ml_reference_follow_make(eight, ref, count);
		for (int n = 0; n < 4; n++) {
			make_words(ref, count, w);
			struct ml_reference_left a =
				ml_reference_follow_plain(ref, 0, count, w, slow);
			struct ml_reference_left b =
				ml_reference_follow_eights(eight, count, w, fast);

			CHECK_EQ(a.count, b.count);
			CHECK_EQ(a.wrong, b.wrong);
			for (size_t i = 0, k = 0; i < a.count; i++)
				if (ref[i].base) {
					CHECK_EQ(fast[k], slow[k]);
					k++;
				}
		}
	}
}
#endif

TEST(a_track_is_left_where_a_place_or_an_address_is_another)
{
	/* x[i], y[i], then x and y again, by so much that both have moved */
	struct ml_reference_expected ref[] = {
		{ .word = 1, .base = true },
		{ .word = 2, .from = 1, .as = 1, .since = 1, .base = true },
		{ .word = 1, .from = 2, .as = 2, .since = 2, .base = true },
		{ .word = 2, .from = 1, .as = 2, .since = 0, .shift = 1, .drift = true },
		{ .word = 3, .from = 0, .as = 0, .since = 0, .delta = 8 },
	};
	uint64_t w[] = { 1, 100, 2, 1000, 1, 103, 2, 1006, 3, 108 }, value[5];
	struct ml_reference_left e = ml_reference_follow_plain(ref, 0, 5, w, value);

	CHECK_EQ(e.count, 5);
	CHECK_EQ(value[2], 103);
	w[9]++;
	e = ml_reference_follow_plain(ref, 0, 5, w, value);
	CHECK_EQ(e.count, 4);
	CHECK(e.wrong);
	w[7]++;
	e = ml_reference_follow_plain(ref, 0, 5, w, value);
	CHECK_EQ(e.count, 3);
	CHECK(e.wrong);
	w[4] = 9;
	e = ml_reference_follow_plain(ref, 0, 5, w, value);
	CHECK_EQ(e.count, 2);
	CHECK(!e.wrong);
}

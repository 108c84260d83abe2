/* Stack distances: against a list of lines in order of their last use. */
#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/cache/distance/distance.h"
#include "lib/cache/distance/distance_parts.h"
#include "lib/cache/machine/vectors.h"
#include "tests/test.h"

static uint64_t seed = 1;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

enum { COUNT = 200000, STACK = 20000 };
static uint64_t line[COUNT];
static uint32_t got[COUNT];

/* ---- the obvious stack ---- */

static uint64_t stack[STACK];
static size_t stack_count;

static uint32_t slow_distance(uint64_t l)
{
	size_t i = 0;

	while (i < stack_count && stack[i] != l)
		i++;
	uint32_t distance = i < stack_count ? (uint32_t)i : ML_NEVER;

	if (i == stack_count)
		stack_count++;
	memmove(stack + 1, stack, i * sizeof(*stack));
	stack[0] = l;
	return distance;
}

/* Runs of neighbours, repetitions, jumps among `spread` lines that are `apart`. */
static void draw(size_t count, uint64_t spread, uint64_t apart)
{
	uint64_t at = 0;

	for (size_t i = 0; i < count; i++) {
		switch (random_below(5)) {
		case 0: at = random_below(spread); break;
		case 1: at = (at + 1) % spread; break;
		case 2: at = i > 40 ? line[i - 1 - random_below(40)] / apart : 0; break;
		case 3: at = random_below(spread) * random_below(spread) / spread; break;
		default: break;
		}
		line[i] = at * apart;
	}
}

/* ops NULL: those that were chosen for this processor. */
static void compare_by(size_t count, const struct distance_ops *ops)
{
	struct ml_distance *d = ml_distance_open();
	struct ml_distances wanted = { 0 };

	if (ops)
		d->ops = ops;
	stack_count = 0;
	for (size_t i = 0, step; i < count; i += step) {
		step = 1 + random_below(5000);
		if (step > count - i)
			step = count - i;
		ml_distance_run(d, line + i, step, got + i);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t distance = slow_distance(line[i]);

		ml_distances_add(&wanted, distance, 1);
		if (got[i] != distance)
			TEST_SAY("distance of %zu is %u, not %u", i, got[i], distance);
	}
	const struct ml_distances *h = ml_distance_histogram(d);

	CHECK_EQ(h->total, count);
	CHECK_EQ(h->cold, stack_count);
	for (uint64_t lines = 0; lines < 20000; lines += 1 + lines / 7)
		CHECK_EQ(ml_distances_misses(h, lines),
			 ml_distances_misses(&wanted, lines));
	ml_distances_release(&wanted);
	ml_distance_close(d);
}

static void compare(size_t count)
{
	compare_by(count, NULL);
	compare_by(count, &distance_plain);
#if defined(__x86_64__)
	if (ml_vectors_has(ML_VECTORS_AVX2))
		compare_by(count, &distance_avx2);
#endif
}

TEST(distances_of_a_few_lines_are_those_counted_by_hand)
{
	static const uint64_t few[] = { 1, 2, 3, 1, 1, 3, 2, 0, 1 };
	static const uint32_t wanted[] = { ML_NEVER, ML_NEVER, ML_NEVER, 2, 0,
					   1,        2,        ML_NEVER, 3 };
	struct ml_distance *d = ml_distance_open();

	ml_distance_run(d, few, 9, got);
	for (int i = 0; i < 9; i++)
		CHECK_EQ(got[i], wanted[i]);
	CHECK_EQ(ml_distances_misses(ml_distance_histogram(d), 1), 8);
	CHECK_EQ(ml_distances_misses(ml_distance_histogram(d), 2), 7);
	CHECK_EQ(ml_distances_misses(ml_distance_histogram(d), 3), 5);
	CHECK_EQ(ml_distances_misses(ml_distance_histogram(d), 4), 4);
	ml_distance_close(d);
}

TEST(distances_agree_with_an_obvious_stack)
{
	static const uint64_t spread[] = { 3, 20, 33, 70, 500, 3000 };

	for (size_t i = 0; i < sizeof(spread) / sizeof(*spread); i++)
		for (uint64_t apart = 1; apart < 200000000000; apart *= 1000) {
			draw(15000, spread[i], apart);
			compare(15000);
		}
}

TEST(distances_stay_right_when_moments_are_numbered_anew)
{
	/* more than 65536 lines fall off the front, several times */
	for (size_t i = 0; i < COUNT; i++)
		line[i] = random_below(10) ? random_below(700) : i % 37 * 64;
	compare(COUNT);
}

TEST(distances_stay_right_when_those_that_matter_fill_a_word)
{
	/* all but the window are in the order: 62 to 65 lines, the next moment about 64
	 */
	for (size_t lines = DISTANCE_WINDOW + 62; lines <= DISTANCE_WINDOW + 65;
	     lines++) {
		for (size_t i = 0; i < COUNT; i++)
			line[i] = i % lines;
		compare(COUNT);
	}
}

TEST(distances_stay_right_when_the_moments_are_used_up_to_the_last)
{
	/* moments are from 1 to 65535, and each of these lines but the window takes one
	 */
	size_t first = ORDER_FIRST_ROOM - 1 + DISTANCE_WINDOW;
	struct ml_distance *d = ml_distance_open();

	stack_count = 0;
	for (size_t i = 0; i < COUNT; i++)
		line[i] = i % 777;
	ml_distance_run(d, line, first, got);
	CHECK_EQ(d->order.now, d->order.room);
	ml_distance_run(d, line + first, 20000, got + first);
	for (size_t i = 0; i < first + 20000; i++)
		CHECK_EQ(got[i], slow_distance(line[i]));
	ml_distance_close(d);
}

TEST(distances_are_right_at_the_ends_of_the_window)
{
	/* an inner loop over a few lines about as long as the window, between others */
	for (size_t lines = DISTANCE_WINDOW - 2; lines <= DISTANCE_WINDOW + 2; lines++) {
		for (size_t i = 0; i < 20000; i++)
			line[i] = i % 3000 < 2900 ? i % lines : 500 + i % 7;
		compare(20000);
		for (size_t i = 0; i < 20000; i++)
			line[i] = i % 2 ? 1000 : i / 2 % (lines / 2);
		compare(20000);
	}
}

TEST(distances_are_right_where_several_lots_of_lines_are_walked_in_turn)
{
	/* each lot is used again in the order of its last use, as the columns of a matrix
	 */
	for (size_t lots = 1; lots <= 5; lots++)
		for (size_t length = 100; length <= 1300; length += 400) {
			for (size_t i = 0; i < 30000; i++) {
				size_t lot = i % lots, step = i / lots;

				/* the first ones go round sooner than the last */
				line[i] = lot * 5000 + step % (length + 37 * lot);
			}
			compare(30000);
		}
}

TEST(distances_stay_right_when_uses_are_numbered_anew)
{
	struct ml_distance *d = ml_distance_open();

	stack_count = 0;
	draw(15000, 500, 3);
	d->now = UINT32_MAX - 5 * DISTANCE_BLOCK;
	ml_distance_run(d, line, 15000, got);
	CHECK(d->now < UINT32_MAX / 2 + 15000); /* so it has happened */
	for (size_t i = 0; i < 15000; i++)
		CHECK_EQ(got[i], slow_distance(line[i]));
	ml_distance_close(d);
}

TEST(a_sweep_over_many_lines_has_one_distance)
{
	/* in the end so many moments that all numbers of the order are in use */
	enum { LINES = 700000 };
	struct ml_distance *d = ml_distance_open();
	size_t other = 0;

	for (size_t from = 0; from < 4 * LINES; from += COUNT) {
		for (size_t i = 0; i < COUNT; i++)
			line[i] = (from + i) % LINES * 5;
		ml_distance_run(d, line, COUNT, got);
		for (size_t i = 0; i < COUNT; i++)
			other += got[i] != (from + i < LINES ? ML_NEVER : LINES - 1);
	}
	CHECK(d->order.room > (uint32_t)1 << ORDER_CHUNK);
	CHECK_EQ(other, 0);
	ml_distance_close(d);
}

/* ---- the order by itself: its numbers against its bits ---- */

static uint32_t bits_behind(const struct order *o, uint32_t moment)
{
	uint32_t n = 0;

	for (uint32_t at = moment + 1; at < o->now; at++)
		n += (uint32_t)(o->bits[at >> ORDER_WORD] >> (at & 63)) & 1;
	return n;
}

TEST(the_numbers_of_the_order_are_those_of_its_bits)
{
	enum { SLOTS = 600000 };
	static uint32_t when[SLOTS];
	uint32_t last = 0;
	struct order o;

	order_init(&o);
	for (uint32_t i = 0; i < SLOTS; i++)
		order_push(&o, i, when);
	for (uint32_t i = 0; i < 3000000; i++) {
		/* one used lately now and then */
		uint32_t slot = (uint32_t)(i % 7 ? random_below(SLOTS) : last);

		last = slot;
		if (i % 100000 < 30)
			CHECK_EQ(order_after(&o, when[slot]),
				 bits_behind(&o, when[slot]));
		order_drop(&o, when[slot]);
		order_push(&o, slot, when);
		CHECK_EQ(order_after(&o, when[slot]), 0);
	}
	CHECK_EQ(o.live, SLOTS);
	for (uint32_t i = 0; i < SLOTS; i += 1000)
		CHECK_EQ(o.slots[when[i]], i);
	order_release(&o);
}

TEST(a_stack_that_is_run_over_the_lines_of_another_goes_on_like_it)
{
	static uint32_t again[COUNT];

	for (size_t count = 1; count < COUNT; count *= 3) {
		struct ml_distance *d = ml_distance_open(), *e = ml_distance_open();
		size_t half = count / 2;
		uint64_t *lines;

		draw(count, 1 + count / 3, 1 + count / 100);
		ml_distance_run(d, line, half, got);
		size_t held = ml_distance_lines(d, &lines);
		ml_distance_run(e, lines, held, NULL);
		ml_distance_run(d, line + half, count - half, got + half);
		ml_distance_run(e, line + half, count - half, again + half);
		CHECK(!memcmp(got + half, again + half, (count - half) * sizeof(*got)));
		ml_free(lines);
		ml_distance_close(d);
		ml_distance_close(e);
	}
}

TEST(the_misses_of_large_caches_are_exact_where_a_bucket_ends)
{
	struct ml_distances d = { 0 };

	for (uint32_t i = 0; i < 300000; i++)
		ml_distances_add(&d, i, 1);
	ml_distances_add(&d, ML_NEVER, 5);
	for (uint64_t lines = 1; lines <= 4096; lines *= 2)
		CHECK_EQ(ml_distances_misses(&d, lines), 300005 - lines);
	CHECK_EQ(ml_distances_misses(&d, 4095), 300005 - 4095);
	for (uint64_t lines = 4096; lines < 262144; lines *= 2)
		for (uint64_t part = 0; part <= 16; part++)
			CHECK_EQ(ml_distances_misses(&d, lines + lines / 16 * part),
				 300005 - lines - lines / 16 * part);

	struct ml_distances twice = { 0 };
	ml_distances_merge(&twice, &d);
	ml_distances_merge(&twice, &d);
	CHECK_EQ(ml_distances_misses(&twice, 8192), 2 * ml_distances_misses(&d, 8192));
	ml_distances_release(&d);
	ml_distances_release(&twice);
}

/* Line numbers that a sample must cope with. */
static uint64_t pattern(int which, size_t i)
{
	switch (which) {
	case 0: return random_below(30000);                   /* all alike */
	case 1: return i % 25000;                             /* a sweep: a cliff */
	case 2: return random_below(1 + random_below(40000)); /* few are hot */
	case 3: return random_below(4) ? random_below(300) : i % 20000 + 1000;
	default: return i / 3; /* mostly new */
	}
}

TEST(a_sample_is_within_a_few_standard_errors_of_the_truth)
{
	for (int which = 0; which < 5; which++) {
		struct ml_distance *d = ml_distance_open();
		struct ml_sampled *s = ml_sampled_open(2000);

		for (size_t i = 0; i < COUNT; i++)
			line[i] = pattern(which, i) * 3 + 1000000;
		ml_distance_run(d, line, COUNT, NULL);
		ml_sampled_run(s, line, COUNT);
		CHECK(ml_sampled_rate(s) < 0.2);
		for (uint64_t lines = 256; lines <= 32768; lines *= 2) {
			double error, guess = ml_sampled_misses(s, lines, &error);
			double truth = (double)ml_distances_misses(
					       ml_distance_histogram(d), lines) /
				       COUNT;

			CHECK_NEAR(guess, truth, 4 * error + 0.003);
			CHECK(error < 0.2);
		}
		ml_distance_close(d);
		ml_sampled_close(s);
	}
}

TEST(a_sample_of_all_lines_is_exact)
{
	struct ml_distance *d = ml_distance_open();
	struct ml_sampled *s = ml_sampled_open(4000);

	draw(50000, 4000, 1);
	ml_distance_run(d, line, 50000, NULL);
	ml_sampled_run(s, line, 50000);
	CHECK_NEAR(ml_sampled_rate(s), 1, 0);
	for (uint64_t lines = 1; lines <= 4096; lines *= 2) {
		double error, guess = ml_sampled_misses(s, lines, &error);

		CHECK_NEAR(guess * 50000,
			   ml_distances_misses(ml_distance_histogram(d), lines), 0.001);
		CHECK_NEAR(error, 0, 0);
	}
	ml_distance_close(d);
	ml_sampled_close(s);
}

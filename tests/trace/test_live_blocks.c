/* Live blocks: against a search through all blocks, on random ones that overlap at
 * will. */
#include "lib/trace/regions/live_blocks.h"
#include "tests/test.h"

enum { BLOCKS = 3000, ASKED = 20000 };

static uint64_t seed = 1;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

TEST(nothing_lives_at_the_start)
{
	struct ml_live_blocks l = { 0 };
	uint64_t block;

	CHECK(!ml_live_blocks_find(&l, NULL, 0, 0, &block));
	ml_live_blocks_release(&l);
}

TEST(a_block_is_found_from_its_first_byte_to_its_last_until_it_ends)
{
	struct ml_block b[] = { { .addr = 4090, .size = 20, .from = 0, .until = 5 } };
	struct ml_live_blocks l = { 0 };
	uint64_t block = 9;

	ml_live_blocks_add(&l, b, 0, 0);
	CHECK(!ml_live_blocks_find(&l, b, 4089, 0, &block));
	CHECK(ml_live_blocks_find(&l, b, 4090, 0, &block));
	CHECK_EQ(block, 0);
	CHECK(ml_live_blocks_find(&l, b, 4109, 4, &block)); /* on the next page */
	CHECK(!ml_live_blocks_find(&l, b, 4110, 4, &block));
	CHECK(!ml_live_blocks_find(&l, b, 4100, 5, &block));
	ml_live_blocks_release(&l);
}

TEST(an_address_that_is_used_again_belongs_to_the_new_block)
{
	struct ml_block b[] = {
		{ .addr = 64, .size = 64, .until = 10 },
		{ .addr = 64, .size = 32, .from = 10, .until = ML_FOREVER }
	};
	struct ml_live_blocks l = { 0 };
	uint64_t block;

	ml_live_blocks_add(&l, b, 0, 0);
	ml_live_blocks_add(&l, b, 1, 10);
	CHECK(ml_live_blocks_find(&l, b, 70, 10, &block));
	CHECK_EQ(block, 1);
	CHECK(!ml_live_blocks_find(&l, b, 100, 10, &block));
	ml_live_blocks_release(&l);
}

TEST(an_empty_block_is_nowhere)
{
	struct ml_block b[] = { { .addr = 64, .until = ML_FOREVER } };
	struct ml_live_blocks l = { 0 };
	uint64_t block;

	ml_live_blocks_add(&l, b, 0, 0);
	CHECK(!ml_live_blocks_find(&l, b, 64, 0, &block));
	ml_live_blocks_release(&l);
}

/* The newest of all that have begun, not ended, and hold addr. */
static bool slow_find(const struct ml_block *b, size_t count, uint64_t addr,
		      uint64_t time, uint64_t *block)
{
	for (size_t i = count; i-- > 0;)
		if (b[i].from <= time && time < b[i].until && addr >= b[i].addr &&
		    addr < b[i].addr + b[i].size) {
			*block = i;
			return true;
		}
	return false;
}

TEST(random_blocks_are_found_as_by_looking_at_all_of_them)
{
	static struct ml_block b[BLOCKS];
	struct ml_live_blocks l = { 0 };
	size_t added = 0;
	uint64_t time = 0, fast = 0, slow = 0;

	for (size_t i = 0; i < BLOCKS; i++) {
		time += random_below(10);
		b[i].addr = random_below(4 << 20);
		/* mostly small; some are larger than what is filed by page */
		b[i].size = random_below(20) ? random_below(3000) : random_below(1 << 20);
		b[i].from = time;
		b[i].until = random_below(10) ? time + random_below(2000) : ML_FOREVER;
	}
	uint64_t last = time;
	for (size_t i = 0; i < ASKED; i++) {
		time = last * i / ASKED;
		for (; added < BLOCKS && b[added].from <= time; added++)
			ml_live_blocks_add(&l, b, added, b[added].from);
		uint64_t addr = random_below(5 << 20);
		bool found = ml_live_blocks_find(&l, b, addr, time, &fast);

		CHECK_EQ(found, slow_find(b, added, addr, time, &slow));
		if (found)
			CHECK_EQ(fast, slow);
	}
	CHECK(added > BLOCKS / 2);
	ml_live_blocks_release(&l);
}

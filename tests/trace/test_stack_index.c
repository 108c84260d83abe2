/* The index of stacks against a walk over all threads. */
#include "lib/trace/regions/stack_index.h"

#include <stdlib.h>

#include "lib/trace/tables.h"
#include "tests/test.h"

enum { SPACE = 60 };

static const struct ml_thread *slow_find(const struct ml_tables *t, uint64_t addr,
					 uint16_t thread)
{
	const struct ml_thread *found = NULL;

	for (size_t i = t->threads.count; i-- > 0;) {
		const struct ml_thread *x = &t->threads.at[i];

		if (addr < ml_stack_low(x) || addr >= x->stack_high)
			continue;
		if (x->id == thread)
			return x;
		if (!found)
			found = x;
	}
	return found;
}

static void slow_cut(const struct ml_tables *t, uint64_t addr, int thread, uint64_t *low,
		     uint64_t *high)
{
	for (size_t i = 0; i < t->threads.count; i++) {
		uint64_t begin = ml_stack_low(&t->threads.at[i]);
		uint64_t end = t->threads.at[i].stack_high;

		if (thread >= 0 && t->threads.at[i].id != thread)
			continue;
		if (begin > addr && begin < *high)
			*high = begin;
		if (end <= addr && end > *low)
			*low = end;
	}
}

static void add_thread(struct ml_tables *t)
{
	uint64_t low = (uint64_t)(rand() % SPACE);

	*ML_ADD(t->threads) = (struct ml_thread){
		.id = (uint16_t)(2 + rand() % 6),
		.stack_low = low,
		.stack_high = low + (uint64_t)(rand() % 20),
	};
}

TEST(stacks_that_overlap_in_any_way_are_found_as_by_a_walk_over_all)
{
	for (unsigned seed = 1; seed <= 300; seed++) {
		struct ml_tables t;
		struct ml_stack_index x;

		srand(seed);
		ml_tables_init(&t);
		for (unsigned n = seed % 40; n > 0; n--)
			add_thread(&t);
		ml_stack_index_init(&x, &t);
		for (uint64_t addr = 0; addr < SPACE + 25; addr++)
			for (uint16_t thread = 1; thread < 9; thread++) {
				uint64_t low[2] = { 0, 0 }, high[2] = { 99, 99 };

				CHECK(ml_stack_index_find(&x, addr, thread) ==
				      slow_find(&t, addr, thread));
				ml_stack_index_cut(&x, addr, &low[0], &high[0]);
				slow_cut(&t, addr, -1, &low[1], &high[1]);
				CHECK_EQ(low[0], low[1]);
				CHECK_EQ(high[0], high[1]);
				ml_stack_index_cut_own(&x, addr, thread, &low[0],
						       &high[0]);
				slow_cut(&t, addr, thread, &low[1], &high[1]);
				CHECK_EQ(low[0], low[1]);
				CHECK_EQ(high[0], high[1]);
			}
		ml_stack_index_release(&x);
		ml_tables_release(&t);
	}
}

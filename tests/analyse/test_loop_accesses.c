/*
 * How accesses move by the loops around them: 500 random nests, whose addresses are
 * formulas of the iterations, so the steps are known on paper.
 */
#include <stdlib.h>

#include "lib/analyse/loops/loop_accesses.h"
#include "lib/analyse/loops/loop_walk.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/scratch.h"
#include "tests/test.h"

enum { DEPTH = 4, BLOCKS = 2 * DEPTH + 1 };

/* A nest: the head of each loop makes an access, its end another one. */
struct nest {
	unsigned depth, seed;
	uint64_t count[DEPTH];      /* iterations */
	int64_t step[DEPTH][DEPTH]; /* of the access of a head, by each loop around it */
	bool random[DEPTH];         /* that access goes anywhere */
	uint32_t path[BLOCKS], site[BLOCKS];
	uint64_t at[DEPTH]; /* iterations of the loops now */
};

static unsigned below(struct nest *n, unsigned max)
{
	return (unsigned)rand_r(&n->seed) % max;
}

static uint64_t block_at(unsigned block)
{
	return 0x400000 + 64 * (uint64_t)block;
}

/* The head of loop l is block l; its end is block 2 * depth - 1 - l. */
static void declare(struct nest *n, struct ml_writer *w)
{
	for (unsigned b = 0; b <= 2 * n->depth; b++) {
		static const uint32_t before[] = { 2 };
		struct ml_control_branch branch[2] = { { .at = block_at(b) + 60,
							 .target = block_at(b) + 64,
							 .instructions = 9,
							 .slots = 1,
							 .length = 4 } };
		struct ml_control_superblock s = { block_at(b), 1, 1, branch, before };
		unsigned loop = 2 * n->depth - 1 - b;

		if (b >= n->depth && b < 2 * n->depth) {
			branch[1] = branch[0];
			branch[0].kind = ML_CONTROL_IF;
			branch[0].target = block_at(loop);
			s.branches = 2;
		}
		n->site[b] = ml_tables_site(ml_writer_tables(w), block_at(b) + 8, "",
					    true, NULL, 0);
		struct ml_slot slot = { .site = n->site[b], .what = 8 };
		struct ml_base base = { .state = ML_OWN_STATE, .reg = ML_NO_REG };
		uint32_t shape = ml_writer_shape(w, &(struct ml_shape){ .slots = 1,
									.bases = 1,
									.user = true,
									.slot = &slot,
									.base = &base });
		ml_control_is(ml_writer_control(w), shape,
			      ml_control_add(ml_writer_control(w), &s));
		n->path[b] = ml_writer_shapes(w)->at[shape].path;
	}
}

static void run_block(struct nest *n, struct ml_writer *w, unsigned b)
{
	uint64_t addr = 0x10000000 + ((uint64_t)b << 20);
	struct ml_step step = { n->path[b], 0, &addr };
	struct ml_err err;

	for (unsigned l = 0; b < n->depth && l <= b; l++)
		addr += (uint64_t)n->step[b][l] * n->at[l];
	if (b < n->depth && n->random[b])
		addr += 8 * below(n, 100000);
	CHECK_OK(ml_writer_steps(w, &step, 1, &err), &err);
}

static void run_loop(struct nest *n, struct ml_writer *w, unsigned l)
{
	for (n->at[l] = 0; n->at[l] < n->count[l]; n->at[l]++) {
		run_block(n, w, l);
		if (l + 1 < n->depth)
			run_loop(n, w, l + 1);
		run_block(n, w, 2 * n->depth - 1 - l);
	}
}

static const struct ml_loop_access *find(const struct ml_loop_accesses *all,
					 uint32_t site)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].site == site)
			return &all->at[i];
	return NULL;
}

static void check_access(const struct nest *n, const struct ml_loop_access *a,
			 unsigned own, bool head)
{
	uint64_t refs = 1;

	CHECK(a);
	CHECK_EQ(a->levels, own + 1);
	for (unsigned l = 0; l <= own; l++)
		refs *= n->count[l];
	CHECK_EQ(a->refs, refs);
	for (unsigned l = 0; l <= own; l++) {
		int64_t step, want = head ? n->step[own][l] : 0;
		enum ml_loop_motion m = ml_loop_access_motion(a, own - l, &step);
		uint64_t steps = 1;

		for (unsigned k = 0; k <= l; k++)
			steps *= k < l ? n->count[k] : n->count[k] - 1;
		CHECK_EQ(a->level[own - l].count, steps);
		if (!steps) {
			CHECK_EQ(m, ML_LOOP_UNKNOWN);
		} else if (head && n->random[own]) {
			CHECK(steps < 20 || m == ML_LOOP_IRREGULAR);
		} else {
			CHECK_EQ(m, want ? ML_LOOP_CONSTANT : ML_LOOP_INVARIANT);
			CHECK_EQ(step, want);
		}
	}
}

TEST(steps_of_random_nests_are_those_of_their_formulas)
{
	for (unsigned seed = 1; seed <= 500; seed++) {
		struct nest n = { .seed = seed };
		struct ml_writer *w;
		struct ml_trace t;
		struct ml_err err;

		n.depth = 1 + below(&n, DEPTH);
		for (unsigned l = 0; l < n.depth; l++) {
			n.count[l] = 1 + below(&n, 6);
			n.random[l] = !below(&n, 5);
			for (unsigned k = 0; k <= l; k++)
				n.step[l][k] = ((int64_t)below(&n, 9) - 4) * 8;
		}
		CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
		declare(&n, w);
		run_loop(&n, w, 0);
		run_block(&n, w, 2 * n.depth);
		CHECK_OK(ml_writer_close(w, &err), &err);
		CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
		struct ml_loop_walk *x = ml_loop_walk_open_accesses(&t, NULL, &err);
		CHECK(x);
		while (ml_loop_walk_next(x, NULL, &err))
			;
		CHECK_EQ(err.kind, ML_OK);
		ml_loop_walk_finish(x);
		for (unsigned l = 0; l < n.depth; l++) {
			const struct ml_loop_accesses *all = ml_loop_walk_accesses(x);

			check_access(&n, find(all, n.site[l]), l, true);
			check_access(&n, find(all, n.site[2 * n.depth - 1 - l]), l,
				     false);
		}
		ml_loop_walk_close(x);
		ml_trace_close(&t);
	}
}

TEST(of_many_steps_the_frequent_one_is_kept)
{
	struct ml_loop_access a = { 0 };
	struct ml_loop_around l = { .entry = 1 };
	uint64_t addr = 1000;
	int64_t step;

	for (unsigned i = 0; i < 1000; i++) {
		addr += i % 10 ? 16 : 1000 + 8 * i;
		l.iteration = i + 1;
		l.number = i;
		ml_loop_access_moves(&a, addr, &l + 1, 1);
	}
	CHECK_EQ(a.level[0].count, 999);
	CHECK_EQ(ml_loop_access_motion(&a, 0, &step), ML_LOOP_REGULAR);
	CHECK_EQ(step, 16);
}

/* The flow of control as the file stores it: random superblocks and joined shapes. */
#include <stdlib.h>

#include "lib/trace/control.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/scratch.h"
#include "tests/test.h"

enum { SUPERBLOCKS = 300, BRANCHES = 6 };

static uint32_t below(unsigned *seed, uint32_t n)
{
	return (uint32_t)rand_r(seed) % n;
}

/* A superblock with random branches; some are of the same instruction. */
static struct ml_control_superblock make(unsigned *seed, struct ml_control_branch *branch,
					 uint32_t *before)
{
	struct ml_control_superblock s = { .entry = 0x400000 + below(seed, 1 << 20),
					   .slots = (uint16_t)below(seed, 5),
					   .branches =
						   (uint16_t)(1 + below(seed, BRANCHES)),
					   .branch = branch,
					   .before = before };
	uint64_t from = s.entry;
	uint32_t instructions = 0;
	uint16_t slots = 0;

	for (unsigned i = 0; i < s.branches; i++) {
		struct ml_control_branch *b = &branch[i];

		instructions += below(seed, 4);
		slots = (uint16_t)(slots + below(seed, s.slots - slots + 1u));
		*b = (struct ml_control_branch){ .at = from + below(seed, 100),
						 .instructions = instructions,
						 .slots = slots,
						 .length = (uint8_t)below(seed, 16),
						 .kind = ML_CONTROL_IF };
		if (i + 1 == s.branches || !below(seed, 4))
			b->kind = (uint8_t)below(seed, ML_CONTROL_KINDS);
		if (i && !below(seed, 3)) {
			struct ml_control_branch other = *b;

			*b = b[-1];
			b->kind = other.kind;
			b->slots = below(seed, 2) ? other.slots : b->slots;
		}
		slots = b->slots;
		instructions = b->instructions;
		b->target = below(seed, 4) ? 0x400000 + below(seed, 1 << 20) : 0;
		if (!below(seed, 3))
			b->target = b->at + b->length;
		from = ml_control_behind(b);
	}
	for (unsigned i = 0; i < s.slots; i++)
		before[i] = (i ? before[i - 1] : 0) + below(seed, 3);
	return s;
}

static void check_equal(const struct ml_control_superblock *a,
			const struct ml_control_superblock *b)
{
	CHECK_EQ(a->entry, b->entry);
	CHECK_EQ(a->slots, b->slots);
	CHECK_EQ(a->branches, b->branches);
	for (unsigned i = 0; i < a->branches; i++) {
		CHECK_EQ(a->branch[i].at, b->branch[i].at);
		CHECK_EQ(a->branch[i].target, b->branch[i].target);
		CHECK_EQ(a->branch[i].instructions, b->branch[i].instructions);
		CHECK_EQ(a->branch[i].slots, b->branch[i].slots);
		CHECK_EQ(a->branch[i].length, b->branch[i].length);
		CHECK_EQ(a->branch[i].kind, b->branch[i].kind);
	}
	for (unsigned i = 0; i < a->slots; i++)
		CHECK_EQ(a->before[i], b->before[i]);
}

static uint32_t add_shape(struct ml_writer *w)
{
	struct ml_slot slot = { .site = 1, .what = 8 };
	struct ml_base base = { .state = ML_OWN_STATE, .reg = ML_NO_REG };

	return ml_writer_shape(w, &(struct ml_shape){ .slots = 1,
						      .bases = 1,
						      .user = true,
						      .slot = &slot,
						      .base = &base });
}

TEST(what_the_recorder_knew_is_what_the_reader_reads)
{
	static struct ml_control_branch branch[SUPERBLOCKS][BRANCHES];
	static uint32_t before[SUPERBLOCKS][8];
	struct ml_control_superblock made[SUPERBLOCKS];
	uint32_t number[SUPERBLOCKS], shape[SUPERBLOCKS], parts[3];
	unsigned seed = 7;
	struct ml_writer *w;
	struct ml_trace t;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	ml_tables_place(ml_writer_tables(w), "f", "f.c", 1);
	for (unsigned i = 0; i < SUPERBLOCKS; i++) {
		made[i] = make(&seed, branch[i], before[i]);
		number[i] = ml_control_add(ml_writer_control(w), &made[i]);
		shape[i] = add_shape(w);
		if (i % 5 != 1)
			ml_control_is(ml_writer_control(w), shape[i],
				      number[i - i % 7 / 6]);
		/* in several blocks of the file */
		if (i % 100 == 50) {
			uint64_t addr = i;
			struct ml_step step = { ml_writer_shapes(w)->at[shape[i]].path, 0,
						&addr };

			CHECK_OK(ml_writer_steps(w, &step, 1, &err), &err);
			CHECK_OK(ml_writer_flush(w, 0, &err), &err);
		}
	}
	for (unsigned i = 0; i < 3; i++)
		parts[i] = ml_writer_shapes(w)->at[shape[2 + 3 * i % 2 * 10]].path;
	uint32_t joined = add_shape(w), unknown = add_shape(w);
	ml_control_joins(ml_writer_control(w), ml_writer_shapes(w), joined, parts, 3);
	CHECK_OK(ml_writer_close(w, &err), &err);

	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK(t.whole && !t.damage);
	CHECK_EQ(t.control.count, SUPERBLOCKS);
	for (unsigned i = 0; i < SUPERBLOCKS; i++) {
		struct ml_control_shape s = ml_control_of(&t.control, shape[i]);

		check_equal(&t.control.at[number[i]], &made[i]);
		CHECK_EQ(s.superblock, i % 5 != 1 ? number[i - i % 7 / 6] + 1 : 0);
	}
	struct ml_control_shape s = ml_control_of(&t.control, joined);
	CHECK_EQ(s.parts, 3);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(s.part[i], parts[i]);
	CHECK_EQ(ml_control_of(&t.control, unknown).parts, 0);
	ml_trace_close(&t);
}

TEST(an_equal_superblock_is_stored_once)
{
	struct ml_control c = { 0 };
	struct ml_control_branch end = { .at = 0x10, .length = 2, .instructions = 4 };
	struct ml_control_superblock s = { .entry = 4, .branches = 1, .branch = &end };

	CHECK_EQ(ml_control_add(&c, &s), 0);
	end.target = 0x20;
	CHECK_EQ(ml_control_add(&c, &s), 1);
	CHECK_EQ(ml_control_add(&c, &s), 1);
	CHECK_EQ(c.count, 2);
	ml_control_release(&c);
}

/* Reads bytes as the flow of control of a trace with two shapes of one path. */
static const char *flaw(const uint8_t *bytes, size_t size)
{
	static struct ml_err err;
	struct ml_control c = { 0 };
	struct ml_shapes shapes = { 0 };
	struct ml_bytes in = { bytes, bytes + size, false };

	err = (struct ml_err){ 0 };
	ml_shapes_add(&shapes, &(struct ml_shape){ 0 });
	ml_shapes_add(&shapes, &(struct ml_shape){ 0 });
	ml_control_get(&c, &shapes, &in, &err);
	ml_control_release(&c);
	ml_shapes_release(&shapes);
	return err.text;
}

TEST(foreign_bytes_are_refused_with_the_reason)
{
	/* one superblock with one branch, no slots; then shapes */
#define SUPERBLOCK 1, 0, 0, 1, 64, 0, 1, 1, 0
	static const uint8_t good[] = { SUPERBLOCK, 2, 1, 1, 0 };
	static const uint8_t none[] = { SUPERBLOCK, 2, 0, 0 };
	static const uint8_t far[] = { SUPERBLOCK, 4 };
	static const uint8_t self[] = { SUPERBLOCK, 0, 1, 1, 2 };
	static const uint8_t unknown[] = { SUPERBLOCK, 0, 1, 1, 0 };
	static const uint8_t empty[] = { SUPERBLOCK, 0, 1, 0 };
	static const uint8_t kind[] = { 1, 0, 0, 1, 5, 0, 1 };
	static const uint8_t apart[] = { 1, 0, 0, 1, 0, 0x81, 0x20, 1 };
	static const uint8_t same[] = { 1, 0, 0, 1, 32 };
	static const uint8_t slots[] = { 1, 0, 0, 1, 64, 0, 1, 1, 1 };
	static const uint8_t cut[] = { 1, 0, 0 };

	CHECK_STR(flaw(good, sizeof(good)), "");
	CHECK(strstr(flaw(none, sizeof(none)), "there is no such shape"));
	CHECK(strstr(flaw(far, sizeof(far)), "its superblock does not exist"));
	CHECK(strstr(flaw(self, sizeof(self)), "a part does not exist"));
	CHECK(strstr(flaw(unknown, sizeof(unknown)), "a part does not exist"));
	CHECK(strstr(flaw(empty, sizeof(empty)), "too many parts or none"));
	CHECK(strstr(flaw(kind, sizeof(kind)), "a branch is malformed"));
	CHECK(strstr(flaw(apart, sizeof(apart)), "a branch lies too far"));
	CHECK(strstr(flaw(same, sizeof(same)), "a branch is malformed"));
	CHECK(strstr(flaw(slots, sizeof(slots)), "behind the last slot"));
	CHECK(strstr(flaw(cut, sizeof(cut)), "no branch"));
}

/* Shapes as a program under Valgrind declares them: which call led out of the user's
 * code. */
#include "record/reader/guest_shape.h"

#include "lib/base/arena.h"
#include "lib/trace/shape.h"
#include "lib/trace/tables.h"
#include "record/ring.h"
#include "record/symbols/objects.h"
#include "record/symbols/sites.h"
#include "tests/test.h"

enum { READ = 8, CALL = 8 | 1 << 16 | 1 << 19 };

struct world {
	struct ml_tables tables;
	struct ml_objects objects;
	struct ml_arena arena;
};

static void world_open(struct world *w)
{
	*w = (struct world){ 0 };
	ml_tables_init(&w->tables);
	ml_objects_init(&w->objects, &w->tables);
	/* code outside of all files counts as the user's */
	ml_objects_map(&w->objects, 0x1000, 0x2000, 0, 5, ML_MAPPING_FILE,
		       "/proc/none/app");
	ml_objects_map(&w->objects, 0x8000, 0x9000, 0, 5, ML_MAPPING_FILE,
		       "/usr/lib/none/libc.so.6");
}

static void world_close(struct world *w)
{
	ml_arena_release(&w->arena);
	ml_objects_release(&w->objects);
	ml_tables_release(&w->tables);
}

/* Six slots, each with a base of its own; exits behind the slots 1, 2 and 4. */
static const uint32_t *calls_of(struct world *w, const uint64_t ip[6],
				const uint64_t what[6], const struct ml_shape **shape)
{
	static uint64_t word[3 + 6 + 3 * 6 + 3];
	uint64_t *at = word;

	*at++ = ip[0];
	*at++ = 6 | 6ull << 16 | 3ull << 32;
	*at++ = (uint64_t)ML_END_CALL << 16;
	for (unsigned i = 0; i < 6; i++)
		*at++ = 0xff;
	for (unsigned i = 0; i < 6; i++) {
		*at++ = ip[i];
		*at++ = 0;
		*at++ = what[i] | (uint64_t)i << 32;
	}
	for (uint64_t i = 1; i <= 4; i += i)
		*at++ = i | i << 32;
	*shape = ml_guest_shape(word, (size_t)(at - word), &w->objects, &w->arena);
	CHECK(*shape);
	return ml_guest_shape_calls(word, *shape, &w->objects, &w->arena);
}

TEST(each_exit_knows_the_last_call_before_it)
{
	const uint64_t ip[] = { 0x1000, 0x1004, 0x1010, 0x1020, 0x1030, 0x1034 };
	const uint64_t what[] = { READ, CALL, READ, CALL, READ, CALL };
	const struct ml_shape *shape;
	struct world w;

	world_open(&w);
	const uint32_t *call = calls_of(&w, ip, what, &shape);
	CHECK_EQ(call[0], 0); /* behind slot 0, before any call */
	CHECK_EQ(call[1], shape->slot[1].site);
	CHECK_EQ(call[2], shape->slot[3].site);
	CHECK_EQ(call[3], shape->slot[5].site); /* the end */
	world_close(&w);
}

TEST(calls_within_a_library_are_not_calls_of_the_user)
{
	const uint64_t ip[] = { 0x1000, 0x1004, 0x8010, 0x8020, 0x8030, 0x8034 };
	const uint64_t what[] = { READ, CALL, READ, CALL, READ, CALL };
	const struct ml_shape *shape;
	struct world w;

	world_open(&w);
	const uint32_t *call = calls_of(&w, ip, what, &shape);
	CHECK_EQ(call[0], 0);
	for (unsigned i = 1; i <= 3; i++)
		CHECK_EQ(call[i], ml_sites_resolve(&w.objects, 0x1004));
	world_close(&w);
}

/* Superblocks as a program under Valgrind declares them. */
#include "record/reader/guest_code.h"

#include <stdio.h>

#include "lib/trace/control.h"
#include "lib/trace/tables.h"
#include "record/ring.h"
#include "record/symbols/objects.h"
#include "tests/test.h"

struct world {
	struct ml_tables tables;
	struct ml_objects objects;
	struct ml_control control;
	struct ml_guest_code guest;
};

static void world_open(struct world *w)
{
	*w = (struct world){ 0 };
	ml_tables_init(&w->tables);
	ml_objects_init(&w->objects, &w->tables);
}

static void world_close(struct world *w)
{
	ml_guest_code_release(&w->guest);
	ml_control_release(&w->control);
	ml_objects_release(&w->objects);
	ml_tables_release(&w->tables);
}

/* Five slots; a conditional branch behind two of them; back to the start at the end. */
static const uint64_t words[] = {
	0x1000,
	5 | 2ull << 16 | 3ull << 32,
	0x1010,
	0x1040,
	2 | 4ull << 16 | 2ull << 48 | (uint64_t)ML_BRANCH_IF << 56,
	0x1030,
	0x1000,
	5 | 9ull << 16 | 5ull << 48 | (uint64_t)ML_BRANCH_JUMP << 56,
	0 | 2ull << 16 | 4ull << 32 | 5ull << 48,
	8,
};
enum { WORDS = sizeof(words) / sizeof(*words) };

static bool add(struct world *w, uint32_t shape, const uint64_t *at, size_t count)
{
	return ml_guest_code_add(&w->guest, shape, at, count, &w->objects, &w->control);
}

TEST(a_superblock_is_what_the_guest_declared)
{
	struct world w;

	world_open(&w);
	CHECK(add(&w, 7, words, WORDS));
	CHECK_EQ(w.control.count, 1);
	const struct ml_control_superblock *s = w.control.at;
	CHECK_EQ(s->entry, 0x1000);
	CHECK_EQ(s->slots, 5);
	CHECK_EQ(s->branches, 2);
	CHECK_EQ(s->branch[0].at, 0x1010);
	CHECK_EQ(s->branch[0].target, 0x1040);
	CHECK_EQ(s->branch[0].slots, 2);
	CHECK_EQ(s->branch[0].instructions, 4);
	CHECK_EQ(s->branch[0].length, 2);
	CHECK_EQ(s->branch[0].kind, ML_CONTROL_IF);
	CHECK_EQ(s->branch[1].target, 0x1000);
	CHECK_EQ(s->branch[1].kind, ML_CONTROL_JUMP);
	CHECK_EQ(s->before[1], 2);
	CHECK_EQ(s->before[4], 8);
	world_close(&w);
}

TEST(its_shapes_and_no_others_are_runs_of_it)
{
	struct world w;

	world_open(&w);
	CHECK(add(&w, 7, words, WORDS));
	for (uint32_t id = 6; id <= 10; id++) {
		ml_guest_code_shape(&w.guest, id, id, &w.control);
		CHECK_EQ(ml_control_of(&w.control, id).superblock,
			 id >= 7 && id <= 9 ? 1 : 0);
	}
	world_close(&w);
}

static bool has_site(const struct world *w, uint64_t ip)
{
	for (size_t i = 1; i < w->tables.sites.count; i++)
		if (w->tables.sites.at[i].ip == ip)
			return true;
	return false;
}

/* Maps the code of this test itself, which has lines, as that of the recorded program. */
static void map_own_code(struct world *w)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long low, high, offset;
	char line[4096], path[4096];

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &low, &high, &offset,
			   path) == 4 &&
		    (uintptr_t)map_own_code >= low && (uintptr_t)map_own_code < high)
			ml_objects_map(&w->objects, low, high, offset, 5, ML_MAPPING_FILE,
				       path);
	fclose(maps);
}

TEST(the_ends_of_a_branch_back_get_sites_where_code_has_lines)
{
	uint64_t own[WORDS], entry = (uintptr_t)map_own_code;
	struct world w;

	memcpy(own, words, sizeof(own));
	own[0] = own[6] = entry;
	own[2] = entry + 0x10;
	own[3] = entry + 0x40;
	own[5] = entry + 0x30;
	world_open(&w);
	map_own_code(&w);
	CHECK(add(&w, 7, own, WORDS));
	CHECK(has_site(&w, entry) && has_site(&w, entry + 0x30));
	CHECK(has_site(&w, entry + 0x10) && !has_site(&w, entry + 0x40));
	world_close(&w);
}

TEST(code_without_lines_gets_no_sites_for_branches)
{
	struct world w;

	world_open(&w);
	CHECK(add(&w, 7, words, WORDS));
	CHECK(has_site(&w, 0x1000) && !has_site(&w, 0x1010) && !has_site(&w, 0x1030));
	world_close(&w);
}

TEST(malformed_words_are_refused)
{
	struct world w;
	uint64_t bad[WORDS];

	world_open(&w);
	for (size_t n = 2; n < WORDS; n++)
		CHECK(!add(&w, 7, words, n));
	CHECK(!add(&w, UINT32_MAX, words, WORDS));
	for (unsigned k = 0; k < 4; k++) {
		memcpy(bad, words, sizeof(bad));
		switch (k) {
		case 0: bad[1] |= 0xff00; break;        /* slots */
		case 1: bad[4] |= 0x7full << 56; break; /* kind */
		case 2: bad[4] += 4; break;             /* slots of a branch */
		case 3: bad[8] = 5 | 2ull << 16; break; /* not in order */
		}
		CHECK(!add(&w, 7, bad, WORDS));
	}
	CHECK_EQ(w.control.count, 0);
	world_close(&w);
}

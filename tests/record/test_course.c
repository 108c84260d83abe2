#include "record/tracks/course.h"

#include <string.h>

#include "lib/trace/chunk/chunk.h"
#include "lib/trace/shape.h"
#include "tests/test.h"

static struct ml_draft draft;
static struct ml_course_room space;
static struct ml_join join;

/* A run whose parts are letters, with a value each. */
static void run(const char *parts, const uint64_t *value)
{
	struct ml_run *r = ml_draft_next(&draft);

	r->parts = (unsigned)strlen(parts);
	for (unsigned i = 0; i < r->parts; i++) {
		r->symbol[i] = (uint64_t)parts[i];
		r->value[i] = value ? value[i] : i;
		r->values[i] = (uint16_t)(i + 1);
	}
	ml_draft_add(&draft);
}

/* The course that most runs took; the path of the letter a is 0. */
static struct ml_course vote(struct ml_course_room *room)
{
	struct ml_course c;

	ml_course_vote(&c, room, &draft);
	for (unsigned i = 0; i < c.parts; i++)
		c.part[i].path = (uint32_t)(c.part[i].symbol - 'a');
	return c;
}

static const char *letters(char *text)
{
	struct ml_course c = vote(&space);

	for (unsigned i = 0; i < c.parts; i++)
		text[i] = (char)c.part[i].symbol;
	text[c.parts] = 0;
	return text;
}

TEST(the_course_goes_where_most_of_the_runs_that_came_so_far_go)
{
	char text[ML_JOIN_PARTS + 1];

	draft.runs = 0;
	run("abab", NULL);
	run("acd", NULL);
	run("ace", NULL);
	run("ace", NULL);
	CHECK_STR(letters(text), "ace");
	/* one run alone shows nothing */
	draft.runs = 0;
	run("abc", NULL);
	run("abd", NULL);
	CHECK_STR(letters(text), "ab");
}

/* Shapes of one reference each, for the letters. */
static void make_shapes(struct ml_shapes *s)
{
	struct ml_slot slot = { .what = 8 };
	struct ml_base base = { .state = ML_OWN_STATE, .reg = ML_NO_REG };
	struct ml_shape shape = { .slots = 1, .bases = 1, .slot = &slot, .base = &base };

	for (unsigned i = 0; i < 26; i++)
		ml_shapes_add(s, &shape);
}

static struct ml_course vote_and_join(const struct ml_shapes *s, const uint8_t *free,
				      struct ml_course_room *room)
{
	struct ml_course c = vote(room);

	for (unsigned i = 0; i < c.parts; i++)
		c.value[i].free = free[i];
	ml_course_join(&c, &draft, s, NULL, 0, &join);
	return c;
}

TEST(what_lies_at_the_same_distance_in_all_runs_follows)
{
	uint8_t free[3] = { ML_JOIN_ANY, ML_JOIN_ANY, ML_JOIN_ANY };
	struct ml_shapes s = { 0 };
	struct ml_course c;

	make_shapes(&s);
	draft.runs = 0;
	run("abc", (uint64_t[]){ 100, 108, 7 });
	run("abc", (uint64_t[]){ 200, 208, 5 });
	run("abc", (uint64_t[]){ 350, 358, 9 });
	c = vote_and_join(&s, free, &space);
	CHECK_EQ(c.value[0].link.from, ML_JOIN_NEW);
	CHECK_EQ(c.value[1].link.from, 0);
	CHECK_EQ(c.value[1].link.delta, 8);
	CHECK_EQ(c.value[2].link.from, ML_JOIN_NEW);
	/* but not what was learnt not to */
	free[1] = ML_JOIN_FREE;
	c = vote_and_join(&s, free, &space);
	CHECK_EQ(c.value[1].link.from, ML_JOIN_NEW);
	ml_shapes_release(&s);
}

TEST(a_drift_is_found_though_an_index_wraps_in_one_run)
{
	const uint8_t free[4] = { ML_JOIN_ANY, ML_JOIN_ANY, ML_JOIN_ANY, ML_JOIN_ANY };
	struct ml_shapes s = { 0 };

	make_shapes(&s);
	draft.runs = 0;
	for (uint64_t r = 0; r < 8; r++) {
		uint64_t x = 5000 + 64 * r * r, y = 90000 + 8 * r, by = 3 + r * 5 % 7;

		run("xyxy",
		    (uint64_t[]){ x, y, x + by, y + 4 * by - (r == 3 ? 4096 : 0) });
	}
	struct ml_course c = vote_and_join(&s, free, &space);

	CHECK_EQ(c.value[2].link.from, ML_JOIN_NEW);
	CHECK_EQ(c.value[3].link.from, ML_DRIFT);
	CHECK_EQ(c.drift[0].like, 1);
	CHECK_EQ(c.drift[0].as, 2);
	CHECK_EQ(c.drift[0].from, 0);
	CHECK_EQ(c.drift[0].shift, 2);
	ml_shapes_release(&s);
}

TEST(the_better_course_tells_the_runs_for_less)
{
	const uint8_t any[4] = { ML_JOIN_ANY, ML_JOIN_ANY, ML_JOIN_ANY, ML_JOIN_ANY };
	const uint8_t free[4] = { ML_JOIN_ANY, ML_JOIN_FREE, ML_JOIN_FREE, ML_JOIN_FREE };
	/* a step and two values for each four references */
	const struct ml_steps now = { .count = 100, .values = 200, .refs = 400 };
	struct ml_course_room other;
	struct ml_shapes s = { 0 };

	make_shapes(&s);
	draft.runs = 0;
	for (uint64_t r = 0; r < 4; r++)
		run("abcd", (uint64_t[]){ 64 * r, 64 * r + 8, 64 * r + 16, 64 * r + 24 });
	struct ml_course one = vote_and_join(&s, any, &space); /* one value a run */
	struct ml_course four = vote_and_join(&s, free, &other);

	CHECK(ml_course_is_better(&one, &four, &draft, &now));
	CHECK(!ml_course_is_better(&four, &one, &draft, &now));
	/* two steps for a run cost more than three values */
	one.parts = 2;
	CHECK(ml_course_is_better(&four, &one, &draft, &now));
	ml_shapes_release(&s);
}

TEST(a_value_that_is_often_wrong_follows_no_more)
{
	const uint8_t any[3] = { ML_JOIN_ANY, ML_JOIN_ANY, ML_JOIN_ANY };
	struct ml_shapes s = { 0 };

	make_shapes(&s);
	draft.runs = 0;
	for (uint64_t r = 0; r < 4; r++)
		run("abc", (uint64_t[]){ 64 * r, 64 * r + 8, 64 * r + 16 });
	struct ml_course c = vote_and_join(&s, any, &space);

	CHECK_EQ(ml_course_learn(&c, (uint16_t[]){ 0, 1, 2 }, 1000), 3);
	CHECK_EQ(ml_course_learn(&c, (uint16_t[]){ 0, 1, 500 }, 1000), 2);
	CHECK_EQ(c.value[1].free, ML_JOIN_ANY);
	CHECK_EQ(c.value[2].free, ML_JOIN_NO_CONSTANT);
	ml_shapes_release(&s);
}

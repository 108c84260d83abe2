/*
 * The course of a track: the parts that are expected to follow each other from its head,
 * and how the values of their bases follow from each other.
 *
 * A course goes where most runs of a draft go, from each part on to the next. So a track
 * fits many runs to some length, and not one run to its end. A course that would tell the
 * runs for less than that of the present track is better.
 * Held by tests/record/test_course.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/trace/shape.h"
#include "record/tracks/draft.h"
#include "record/tracks/join.h"

struct ml_arena;
struct ml_steps;

struct ml_course_part {
	uint64_t symbol;
	uint32_t path;   /* the path that the recorder finds for the symbol */
	uint16_t values; /* up to and with this part */
	uint16_t slots;
};

struct ml_course_value {
	struct ml_link link;
	uint8_t free; /* enum ml_join_free: the ways in which the value may not follow */
};

struct ml_course {
	unsigned parts, drifts;
	struct ml_course_part *part;
	struct ml_course_value *value;
	struct ml_drift *drift; /* of bases by number */
};

/* Room for a course that is not kept. */
struct ml_course_room {
	struct ml_course_part part[ML_JOIN_PARTS];
	struct ml_course_value value[ML_JOIN_SLOTS];
	struct ml_drift drift[ML_JOIN_SLOTS];
};

/*
 * Finds the course that most runs of the draft took, as far as two did: symbols and
 * values. The recorder then sets the paths, and may shorten the course.
 */
void ml_course_vote(struct ml_course *c, struct ml_course_room *room,
		    const struct ml_draft *d);
/* How many parts two courses have in common. */
unsigned ml_course_common(const struct ml_course *a, const struct ml_course *b);
/* Copies to another course what was learnt about the values of the first n parts. */
void ml_course_inherit(struct ml_course *c, const struct ml_course *from, unsigned n);
/*
 * Joins the parts (ml_join_done makes the shape): finds how values follow from each other
 * in the runs. The first `same` parts are joined as in the course `as`.
 */
void ml_course_join(struct ml_course *c, const struct ml_draft *d,
		    const struct ml_shapes *shapes, const struct ml_course *as,
		    unsigned same, struct ml_join *join);
/* A copy of a joined course in the arena. */
struct ml_course ml_course_keep(const struct ml_course *c, struct ml_arena *arena);

/*
 * Would course a have told the runs of the draft for less than course b? now: steps that
 * show what references cost at present.
 */
bool ml_course_is_better(const struct ml_course *a, const struct ml_course *b,
			 const struct ml_draft *d, const struct ml_steps *now);
/*
 * wrong: how often in so many uses each value was not the one expected. Values that were
 * wrong often do not follow any more in later courses. Returns the number of parts before
 * the first of them.
 */
unsigned ml_course_learn(struct ml_course *c, const uint16_t *wrong, uint32_t uses);

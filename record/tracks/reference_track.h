/*
 * A track of references, as a program built by `memlamp cc` writes them: pairs of words,
 * place and address (record/ring.h). Pairs that follow the track as far as its n-th
 * reference are one step of the trace.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "record/tracks/course.h"
#include "record/tracks/head.h"
#include "record/tracks/reference_follow.h"

struct ml_arena;

/* The facts about a step that leaves the track behind a reference. */
struct ml_reference_end {
	uint16_t slots;
	uint8_t bases;
};

struct ml_reference_track {
	uint32_t path; /* of its first exit; path + k has k + 1 references */
	struct ml_review review;
	uint16_t count; /* references */
	struct ml_reference_end end[ML_REFERENCE_PARTS];
	uint16_t wrong[ML_REFERENCE_PARTS]; /* how often each address was another */
	const struct ml_reference_expected *ref;
	struct ml_course course;
	struct ml_reference_follow eight[];
};

/* A track of a joined course. Its path is still to be set. */
struct ml_reference_track *ml_reference_track_make(const struct ml_course *c,
						   struct ml_arena *arena);

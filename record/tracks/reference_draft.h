/*
 * What becomes a track (record/tracks/reference_track.h): some runs from the same place,
 * as the guest told them. The track goes where most of the runs go, from each reference
 * on to the next, and says of each address what the runs have in common.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "record/tracks/reference_track.h"

enum {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	ML_REFERENCE_DRAFT_RUNS = 4, /* fuzzers say little, and shall get there */
#else
	ML_REFERENCE_DRAFT_RUNS = 32, /* a bit each */
#endif
};

struct ml_reference_draft {
	uint64_t owner, seen; /* whose it is, and when it was seen last: for whoever
				 keeps many */
	unsigned runs;
	uint8_t count[ML_REFERENCE_DRAFT_RUNS]; /* references */
	uint64_t word[ML_REFERENCE_DRAFT_RUNS][2 * ML_TRACK];
};

/* The places that most runs come by. */
struct ml_reference_draft_way {
	unsigned count;
	uint64_t word[ML_TRACK];
	uint32_t runs[ML_TRACK]; /* mask: which come by, up to here */
};

/* Adds a run of at most so many references. */
void ml_reference_draft_run(struct ml_reference_draft *d, const uint64_t *w,
			    size_t count);
void ml_reference_draft_way(const struct ml_reference_draft *d,
			    struct ml_reference_draft_way *out);
/* What is known of the references of the way. Those that free has are bases. */
void ml_reference_draft_links(const struct ml_reference_draft *d,
			      const struct ml_reference_draft_way *way, const bool *free,
			      struct ml_reference_track_ref *out);

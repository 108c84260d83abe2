/*
 * The result file (.mls): the yield of one simulation of one trace on one machine, stored
 * so that it need not be simulated again. It has the outcome of every reference, counts
 * by site and by region for each block of references, counts of references that are
 * alike, a time series in several resolutions, the profile, and checkpoints of the
 * simulator. docs/format.md is the contract.
 *
 * Positions count references in simulated order from the start of the simulated window;
 * without interleaving a position is the time minus info.from.
 *
 * result_writer.h writes the file. Reading maps it and decodes what is asked for; one
 * thread at a time.
 * Held by tests/analyse/test_result.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/passes/profile.h"
#include "lib/analyse/result/result_info.h"
#include "lib/analyse/result/result_rows.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/file.h"
#include "lib/base/pack.h"

struct ml_trace;

enum {
	ML_RESULT_VERSION = 6,
	ML_RESULT_OLDEST = 3,      /* that is read */
	ML_RESULT_BLOCK = 1 << 18, /* references of a block of outcomes or counts */
	ML_RESULT_PARTS = ML_RESULT_BLOCK / ML_RESULT_PART,
	ML_RESULT_DECODED = 8,   /* blocks of outcomes that stay decoded */
	ML_RESULT_BIN_BITS = 10, /* the finest bins of the series have 2^10 references */
	ML_RESULT_STEP_BITS = 2, /* each resolution has bins 4 times as wide */
	ML_RESULT_RESOLUTIONS = 12,
};

/*
 * Where references are interleaved: the blocks within which they were merged (turns.h),
 * in order. All others are as recorded, so outside of the blocks positions are times.
 */
struct ml_result_turns {
	struct ml_result_stretch {
		uint64_t from, to; /* positions; their times are the same stretch */
		size_t threads;    /* that had appeared by then */
	} * at;
	size_t count, cap;
	uint16_t *threads; /* in the order of their turns */
	size_t thread_count, thread_cap;
};

struct ml_result {
	const char *path;
	struct ml_file_map map;
	uint32_t version; /* of the file */
	struct ml_result_info info;
	struct ml_profile profile;
	uint64_t refs;
	unsigned levels;
	/* sites and regions are below; UINT64_MAX until ml_result_fit */
	uint64_t site_end, region_end;
	struct ml_result_list { /* blocks of one kind, in order of position */
		struct ml_result_block {
			uint64_t offset, position, count;
		} * at;
		size_t count, cap;
	} outcomes, beyond, sites, regions, alike, checkpoints,
		series[ML_RESULT_RESOLUTIONS];
	struct ml_result_turns turns;
	bool has_turns; /* false: the file says nothing about them */
	struct ml_unpacker unpacker;
	struct ml_buf raw; /* the block read last, unpacked */
	/*
	 * A cache of decoded blocks: callers look at several moments in turn, each for
	 * many batches.
	 */
	struct ml_result_decoded {
		uint16_t *outcome;
		size_t block;  /* number of the block + 1 */
		uint64_t used; /* time of the last use */
		int32_t *beyond;
		size_t beyond_block; /* the same number, of `beyond` */
	} decoded[ML_RESULT_DECODED];
	uint64_t uses;
	struct ml_result_rows part[ML_RESULT_PARTS]; /* the rows of one block, whose
							number + 1 is part_block */
	size_t part_block;                           /* number of the block + 1 */
	struct ml_arena arena;
};

bool ml_result_open(struct ml_result *r, const char *path, struct ml_err *err);
/*
 * Checks all numbers of the result against the trace that it is of. Without it, numbers
 * of sites and regions are those of the file, and no index. False: it is of another
 * trace, or names things that the trace does not have.
 */
bool ml_result_fit(struct ml_result *r, const struct ml_trace *t, struct ml_err *err);
void ml_result_close(struct ml_result *r);

/* The block of merged references at or behind a position; NULL: there is none. */
const struct ml_result_stretch *ml_result_merged(const struct ml_result *r,
						 uint64_t position);

/* The outcomes (access.h) of positions [from, to), which are in the result. */
bool ml_result_outcomes(struct ml_result *r, uint64_t from, uint64_t to,
			uint16_t *outcome, struct ml_err *err);

/* Cycles of each beyond those of its serving level (surcharge.h); before version 6 all 0. */
bool ml_result_beyond(struct ml_result *r, uint64_t from, uint64_t to, int32_t *cycles,
		      struct ml_err *err);

/*
 * References by serving level and their cycles beyond those of these levels, over [from, to), in at most `cells` cells. Cells are
 * `width` references wide, a power of two, and start at multiples of it; the first and
 * the last are cut to the window. All sums are exact.
 */
struct ml_result_series {
	uint64_t first; /* position at which cell 0 starts, before it is cut to the window
			 */
	uint64_t width;
	size_t count;
	struct ml_result_bin {
		uint64_t served[ML_SERVED];
		int64_t beyond; /* ml_surcharge_cycles, whole */
	} * cell;
};
bool ml_result_series(struct ml_result *r, uint64_t from, uint64_t to, size_t cells,
		      struct ml_result_series *s, struct ml_arena *a, struct ml_err *err);

/*
 * The rows of references that are alike (result_rows.h) among the 2^16 references from a
 * position on, which is a multiple of 2^16. They stay valid until the next call.
 */
bool ml_result_alike(struct ml_result *r, uint64_t position,
		     const struct ml_result_row **rows, size_t *count,
		     struct ml_err *err);

/*
 * The last saved state at or before a position, for ml_sim_restore, and its own position
 * *at. If there is none, state is empty and *at is 0: start with a new simulator. The
 * references before *at in simulated order are exactly those before time info.from + *at.
 */
bool ml_result_checkpoint(struct ml_result *r, uint64_t position, uint64_t *at,
			  struct ml_buf *state, struct ml_err *err);

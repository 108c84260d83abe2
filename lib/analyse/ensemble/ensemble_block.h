/*
 * Blocks of references for a walk (ensemble_walk.h): decoded once, with the streams of
 * lines that stack passes take (ensemble_stack.h), one for each size of a line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/ensemble_stack.h"
#include "lib/trace/ref.h"

struct ml_cursor;
struct ml_err;
struct ml_future;
struct ml_replay_options;
struct ml_trace;

enum {
	ML_ENSEMBLE_BLOCK = 1 << 16, /* references */
	ML_ENSEMBLE_STREAMS = 17,    /* line sizes, 1 to 64K */
};

struct ml_ensemble_block {
	uint64_t position;
	size_t count;
	uint64_t *addr;
	uint32_t *site;
	uint16_t *what;
	struct ml_lines lines[ML_ENSEMBLE_STREAMS], /* by stream */
		fewer[ML_ENSEMBLE_STREAMS];         /* for passes by sets */
	struct ml_ensemble_hints {
		uint64_t *next; /* a hint for each requested line (struct ml_hints) */
		size_t count, cap;
	} hints[ML_ENSEMBLE_STREAMS]; /* by future */
};

void ml_ensemble_block_init(struct ml_ensemble_block *b);
void ml_ensemble_block_release(struct ml_ensemble_block *b);

struct ml_ensemble_decoder {
	const struct ml_trace *trace;
	struct ml_cursor *cursor;
	struct ml_batch batch; /* the batch of the cursor... */
	size_t used;           /* ...and how much of it is in a block */
	struct ml_ensemble_stream {
		unsigned bits; /* log2 of a line */
		uint64_t last; /* the line that was requested last */
		/*
		 * If a number of sets divides a larger one, the line last requested in
		 * its set of the smaller cache is also the last one in its set of the
		 * larger cache. There it is at depth 0, and need not be looked up. So
		 * streams for passes by sets are filtered by this; sets is a common
		 * divisor of their numbers of sets.
		 */
		uint32_t sets;
		uint64_t *held; /* by set: the line requested last, + 1 */
	} stream[ML_ENSEMBLE_STREAMS];
	size_t streams;
	/*
	 * The future of the requests to first levels with opt or pes; many members share
	 * it.
	 */
	struct ml_ensemble_future {
		unsigned bits;
		struct ml_future *future;
		uint64_t requests;    /* requests so far */
		const uint64_t *hint; /* the next hints, and their number */
		size_t left;
	} future[ML_ENSEMBLE_STREAMS];
	size_t futures;
};

/* Decodes the references [from, to) of a trace. */
void ml_ensemble_decoder_open(struct ml_ensemble_decoder *d, const struct ml_trace *t,
			      uint64_t from, uint64_t to);
void ml_ensemble_decoder_close(struct ml_ensemble_decoder *d);
/*
 * The stream that a first pass takes. All streams are requested before the first block.
 */
size_t ml_ensemble_stream(struct ml_ensemble_decoder *d, const struct ml_stack *s);
/*
 * The future of first levels with such lines; the first call for a line size takes a pass
 * over the trace. o is as for ml_future_open.
 */
bool ml_ensemble_foresee(struct ml_ensemble_decoder *d, const struct ml_replay_options *o,
			 struct ml_trace *t, size_t *future, struct ml_err *err);
/* Moves to a request; false if there are fewer requests. */
bool ml_ensemble_future_seek(struct ml_ensemble_decoder *d, size_t future,
			     uint64_t requests);
/* Decodes the next block; an empty one at the end. */
bool ml_ensemble_decode(struct ml_ensemble_decoder *d, struct ml_ensemble_block *b,
			struct ml_err *err);

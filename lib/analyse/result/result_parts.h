/*
 * The parts of a result file as bytes: each has a function that writes it and one that
 * reads it, side by side. docs/format.md is the contract. A get function accepts any
 * bytes; if it fails it gives the reason, and its caller adds file and offset.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/result/result.h"
#include "lib/analyse/result/result_counts.h"

#define ML_RESULT_MAGIC "mlresult"
#define ML_RESULT_END   "mls-end\n"

enum {
	ML_RESULT_HEADER = 64, /* bytes */
	ML_RESULT_TRAILER = 24,
	ML_RESULT_BINS =
		4096, /* bins of a block of the series; the last block has fewer */
	ML_RESULT_UNPACKED_MAX = 1 << 28,
};

/* Blocks have the headers of trace files (lib/trace/format.h). */
enum ml_result_type {
	ML_RESULT_INFO = 1,
	ML_RESULT_OUTCOMES,
	ML_RESULT_SITES,
	ML_RESULT_REGIONS,
	ML_RESULT_PROFILE,
	ML_RESULT_CHECKPOINT,
	ML_RESULT_INDEX,
	ML_RESULT_ALIKE,
	ML_RESULT_TURNS,
	ML_RESULT_BEYOND,
	ML_RESULT_SERIES = 16, /* + resolution */
};

void ml_result_put_header(struct ml_buf *out, const uint8_t trace[16]);
void ml_result_put_trailer(struct ml_buf *out, uint64_t index_offset);
bool ml_result_get_trailer(const uint8_t *bytes, uint64_t *index_offset);

/* Info without the id, which is in the header. Strings that are read live in a. */
void ml_result_put_info(struct ml_buf *out, const struct ml_result_info *info);
bool ml_result_get_info(struct ml_bytes *in, struct ml_result_info *info,
			struct ml_arena *a, struct ml_err *err);

/* number: 65536 zeros; they are zeros again afterwards. */
void ml_result_put_outcomes(struct ml_buf *out, const uint16_t *outcome, size_t count,
			    uint16_t *number);
bool ml_result_get_outcomes(struct ml_bytes *in, uint16_t *outcome, size_t count,
			    unsigned levels, struct ml_err *err);

/* Row id starts at row[id * stride]; its entries 1 to levels + 1 are written. */
void ml_result_put_counts(struct ml_buf *out, const uint32_t *row, size_t stride,
			  const uint32_t *ids, size_t count, unsigned levels);
/* Appends to c; its rows are unordered afterwards. */
/* end: the numbers of sites or regions are below. */
bool ml_result_get_counts(struct ml_bytes *in, size_t count, unsigned levels,
			  uint64_t end, struct ml_result_counts *c, struct ml_err *err);

/* usual: what most references have. */
void ml_result_put_beyond(struct ml_buf *out, const int32_t *cycles, size_t count,
			  int32_t usual);
bool ml_result_get_beyond(struct ml_bytes *in, int32_t *cycles, size_t count,
			  struct ml_err *err);

void ml_result_put_series(struct ml_buf *out, const struct ml_result_bin *bin,
			  size_t count, unsigned levels);
bool ml_result_get_series(struct ml_bytes *in, struct ml_result_bin *bin, size_t count,
			  uint32_t version, unsigned levels, struct ml_err *err);

/* t is zero before the call of get; the caller releases it, also on failure. */
void ml_result_put_turns(struct ml_buf *out, const struct ml_result_turns *t);
bool ml_result_get_turns(struct ml_bytes *in, size_t count, struct ml_result_turns *t,
			 struct ml_err *err);

/* p is zero before the call; the caller releases it, also on failure. */
void ml_result_put_profile(struct ml_buf *out, const struct ml_profile *p);
bool ml_result_get_profile(struct ml_bytes *in, uint32_t version, struct ml_profile *p,
			   struct ml_err *err);

/* Fails because a file is damaged, naming file and offset. */
bool ml_result_damaged(const struct ml_result *r, uint64_t offset, const char *why,
		       struct ml_err *err);
/*
 * Unpacks a block of a list into r->raw; fails if it is not the one that the index
 * promises.
 */
bool ml_result_unpack(struct ml_result *r, const struct ml_result_block *b, unsigned type,
		      struct ml_bytes *in, struct ml_err *err);
/*
 * The outcomes from a position on: as many of [from, to) as lie in one block. NULL: the
 * file is damaged. Valid until the next few blocks have been decoded.
 */
const uint16_t *ml_result_piece(struct ml_result *r, uint64_t from, uint64_t to,
				size_t *count, struct ml_err *err);
/* The same of the cycles beyond their serving levels. */
const int32_t *ml_result_beyond_piece(struct ml_result *r, uint64_t from, uint64_t to,
				      size_t *count, struct ml_err *err);

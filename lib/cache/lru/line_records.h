/*
 * A small record for each line that a trace touches, by the number of the line
 * (line_book.h): for some caches, the last request for the line (a time of shadow.h) and
 * the owner of the line that evicted it. Records are packed, because a trace may touch
 * hundreds of millions of lines: three levels take 14 bytes a line. An evictor takes two
 * bytes, and four from the first owner on that needs them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/arena.h"

enum {
	/* log2 of the records that are allocated together: whole huge pages */
	ML_LINE_CHUNK_BITS = 20,
	ML_LINE_OWNERS = 1 << 16, /* evictors that fit two bytes */
};

/* Records by number of the line, all zero at first. */
struct ml_line_records {
	unsigned times, evictors; /* of each record */
	unsigned width;           /* bytes of an evictor: 2 or 4 */
	unsigned stride;          /* bytes of a record */
	uint8_t **chunk;
	size_t chunks, chunk_cap;
	struct ml_arena arena; /* owns the chunks, whose memory is claimed when used */
};

void ml_line_records_init(struct ml_line_records *r, unsigned times, unsigned evictors);
void ml_line_records_release(struct ml_line_records *r);
/* Makes room for the records of all numbers up to this one. */
void ml_line_records_reach(struct ml_line_records *r, uint32_t number);
/* Makes evictors as wide as this owner needs. */
void ml_line_records_widen(struct ml_line_records *r, uint32_t owner);

static inline uint8_t *ml_line_record(const struct ml_line_records *r, uint32_t number)
{
	return r->chunk[number >> ML_LINE_CHUNK_BITS] +
	       (size_t)(number & ((1u << ML_LINE_CHUNK_BITS) - 1)) * r->stride;
}

static inline uint32_t ml_line_time(const uint8_t *record, unsigned k)
{
	uint32_t time;

	memcpy(&time, record + 4 * k, 4);
	return time;
}

static inline void ml_line_set_time(uint8_t *record, unsigned k, uint32_t time)
{
	memcpy(record + 4 * k, &time, 4);
}

/* The evictor of a line as it was stored; UINT32_MAX if there was none. */
static inline uint32_t ml_line_evictor(const struct ml_line_records *r,
				       const uint8_t *record, unsigned k)
{
	uint32_t wide;
	uint16_t narrow;

	if (r->width == 4) {
		memcpy(&wide, record + 4 * (r->times + k), 4);
		return wide - 1;
	}
	memcpy(&narrow, record + 4 * r->times + 2 * k, 2);
	return (uint32_t)narrow - 1;
}

/* UINT32_MAX stores that there was none. */
static inline void ml_line_set_evictor(const struct ml_line_records *r, uint8_t *record,
				       unsigned k, uint32_t owner)
{
	uint32_t wide = owner + 1;
	uint16_t narrow = (uint16_t)wide;

	if (r->width == 4)
		memcpy(record + 4 * (r->times + k), &wide, 4);
	else
		memcpy(record + 4 * r->times + 2 * k, &narrow, 2);
}

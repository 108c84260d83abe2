/*
 * What the front of the LRU engine that explains tells the back (explain_lru_parts.h): the
 * list of what happened in the inner levels.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/cache/lru/chain_lru_events.h"

/*
 * Something that happened in the inner levels. It has up to two parts: a request for a
 * line, and then a line that leaves a cache.
 */
struct explain_event {
	uint64_t line;          /* that is requested */
	uint64_t read, written; /* use masks of the leaving line */
	uint32_t number;        /* of the requested line */
	uint32_t left;          /* number of the leaving line */
	uint32_t owner;         /* of the leaving line */
	uint32_t access;        /* index in the run */
	uint8_t request;        /* 0: no request, else flags */
	uint8_t leave;          /* 0: no line leaves, else flags */
	uint8_t depth;          /* depth that had the requested line; or x->inner */
	uint8_t level;          /* that the leaving line leaves */
};

/* flags of a request */
enum {
	EXPLAIN_REQUEST = 1,
	EXPLAIN_DEMAND = 2,
	EXPLAIN_HELD = 4,  /* the shadow of the first level held the line */
	EXPLAIN_FETCH = 8, /* the first level is L1i */
	EXPLAIN_KIND = 16, /* the kind of the access, times this */
};

/* flags of a leaving line */
enum {
	EXPLAIN_LEAVE = 1,
	EXPLAIN_EVICTED = 2,     /* by the owner of the access */
	EXPLAIN_TO_OUTER = 4,    /* no inner level has a copy that takes its use masks */
	EXPLAIN_WRITES_BACK = 8, /* to outer levels */
	EXPLAIN_DIRTY = 16,
	EXPLAIN_PREFETCHED = 32,
	EXPLAIN_WRITE_FIRST = 64,
};

/* The events of a run. Zero bytes are an empty list. */
struct ml_explain_events {
	struct explain_event *at;
	size_t count, cap;
	struct chain_events chain; /* of plain machines, instead */
	uint16_t *outcome;         /* where the caller wants none */
	size_t outcome_cap;
};

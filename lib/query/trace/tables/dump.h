/*
 * The references of a trace one by one, for people: each with the datum that it touches,
 * and between them the marks, states, gaps and (on request) blocks of memory, in the
 * order of time. Each call makes one row, so a dump of any length takes little memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/trace/ref.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/tables.h"

struct ml_trace;
struct ml_cursor;

struct ml_dump_filter {
	uint64_t from, to;  /* times; `to` is excluded */
	uint64_t count;     /* references at most */
	uint16_t thread;    /* 0: all */
	unsigned kinds;     /* bits 1 << enum ml_kind; 0: all */
	const char *region; /* name; NULL: all */
	const char *site; /* FILE:LINE, FILE or FUNCTION, also of the caller; NULL: all */
	bool blocks;      /* also regions, allocations and releases */
};

enum ml_dump_kind {
	ML_DUMP_REF,
	ML_DUMP_MARK,
	ML_DUMP_STATE,
	ML_DUMP_GAP,
	ML_DUMP_BEGIN, /* of a block */
	ML_DUMP_END,
};

/* One row. The field of its kind is set. Texts live until the next call. */
struct ml_dump_row {
	enum ml_dump_kind kind;
	uint64_t time;
	struct ml_ref ref;
	const char *region, *datum; /* of the reference */
	const struct ml_mark *mark;
	const struct ml_state *state;
	const struct ml_gap *gap;
	const struct ml_block *block;
};

struct ml_dump {
	struct ml_trace *trace;
	struct ml_dump_filter filter;
	struct ml_region_lookup *space;
	struct ml_cursor *cursor;
	struct ml_batch batch;
	size_t at; /* in the batch */
	uint64_t found;
	struct ml_dump_event *events; /* by time */
	size_t event_count, event_cap, event;
	bool *site_matches; /* by site; NULL: no filter */
	struct ml_arena arena, texts;
	unsigned text_count; /* descriptions since `texts` was emptied */
};

/* A filter that passes everything has to = count = UINT64_MAX. */
bool ml_dump_open(struct ml_dump *d, struct ml_trace *t,
		  const struct ml_dump_filter *filter, struct ml_err *err);
/* False at the end (err->kind is ML_OK) or at damage (err says which). */
bool ml_dump_next(struct ml_dump *d, struct ml_dump_row *row, struct ml_err *err);
void ml_dump_close(struct ml_dump *d);

/*
 * An open trace: the file, the source files that it names, where its regions lie, and its
 * summary, which a thread of its own counts. Many requests look at it at once; region
 * lookups and cursors that one of them has brought to some time are lent to the next.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/query/tables/summary.h"
#include "lib/query/workspace/document.h"
#include "lib/query/workspace/open_cycles.h"
#include "lib/trace/trace.h"

enum { ML_OPEN_TRACE_SPARES = 4 };

struct ml_open_trace_file {
	uint32_t path;    /* name of the tables */
	const char *text; /* NULL: not kept */
	size_t size;
	uint32_t lines;
};

struct ml_open_trace {
	struct ml_document document;
	struct ml_trace trace;
	struct ml_open_trace_file
		*files; /* that sites are in, in order of the path's name */
	size_t file_count, file_cap;
	uint32_t *file_of_name; /* file + 1 by name of the tables */
	struct ml_arena arena;  /* text of files, and: */
	uint64_t *block_start;  /* of each block: bytes of the blocks of its region before
				   it */
	uint64_t *extent; /* of each region of the tables: bytes of all its blocks */
	uint64_t *base;   /* of each: address of its only block, UINT64_MAX if it has
			     several */
	struct ml_open_trace_stack {
		uint64_t base, extent;
	} * stacks;           /* of regions behind those of the tables; 0: no stack */
	uint32_t stack_end;   /* the first region that is in neither list */
	pthread_t thread;     /* that counts */
	bool threadless;      /* it could not be started */
	bool counted;         /* summary is there, or failed */
	struct ml_err failed; /* kind ML_OK: it is there */
	struct ml_summary summary;
	uint64_t done; /* references counted so far */
	struct ml_open_trace_lookup {
		struct ml_region_lookup *lookup;
		uint64_t time;           /* that it has reached */
	} lookups[ML_OPEN_TRACE_SPARES]; /* that no request uses now */
	struct ml_open_trace_cursor {
		struct ml_cursor *cursor;
		uint64_t time;           /* that it has reached */
	} cursors[ML_OPEN_TRACE_SPARES]; /* the same */
	struct ml_open_cycles_cache cycles;
};

/* As struct ml_document_kind has them. */
struct ml_document *ml_open_trace_open(struct ml_workspace *ws, const char *path,
				       struct ml_err *err);
void ml_open_trace_close(struct ml_document *d);

/* The open trace with an id; NULL: there is none. */
struct ml_open_trace *ml_open_trace_find(struct ml_workspace *ws, const uint8_t id[16]);
/* Trace by number; NULL with a sentence. */
struct ml_open_trace *ml_open_trace(struct ml_workspace *ws, uint64_t number,
				    struct ml_err *err);
/* Its summary, when it is counted: waits for that. */
struct ml_summary *ml_open_trace_summary(struct ml_open_trace *t, struct ml_err *err);
/*
 * Where a place lies in its region when the region's blocks stand one behind the other
 * in the order in which they began: what views draw.
 */
static inline uint64_t ml_open_trace_offset(const struct ml_open_trace *t, uint64_t block,
					    uint64_t offset)
{
	return block == UINT64_MAX ? offset : t->block_start[block] + offset;
}
/*
 * Bytes of a region so laid out; 0 where that is not known. Of a stack, what its function
 * touched, from the lowest address to the highest (when the trace is counted).
 */
uint64_t ml_open_trace_extent(const struct ml_open_trace *t, uint32_t region);
/* How many regions there are, once the trace is counted. */
uint32_t ml_open_trace_regions(const struct ml_open_trace *t);
/* The address that its offsets count from, if it is one block for ever or a stack; else
 * false. */
bool ml_open_trace_base(const struct ml_open_trace *t, uint32_t region, uint64_t *base);
/* The number of the file whose path has this name in the tables, or UINT32_MAX. */
uint32_t ml_open_trace_file(const struct ml_open_trace *t, uint32_t name);

/*
 * Lends a region lookup for references from some time on, whose regions are numbered as
 * in the summary. The borrower gives it back with the time that it has reached.
 */
struct ml_region_lookup *ml_open_trace_lookup_take(struct ml_open_trace *t, uint64_t time,
						   struct ml_err *err);
void ml_open_trace_lookup_give(struct ml_open_trace *t, struct ml_region_lookup *lookup,
			       uint64_t time);
/* The same for a cursor over [from, to). One that stands just before goes on. */
struct ml_cursor *ml_open_trace_cursor_take(struct ml_open_trace *t, uint64_t from,
					    uint64_t to);
void ml_open_trace_cursor_give(struct ml_open_trace *t, struct ml_cursor *c,
			       uint64_t time);

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
#include "lib/query/trace/tables/summary.h"
#include "lib/query/workspace/document.h"
#include "lib/query/trace/open/open_cycles.h"
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
	struct ml_open_trace_file *files; /* the files that sites name, ordered by the
					     number of the path's name */
	size_t file_count, file_cap;
	uint32_t *file_of_name; /* by number of a name: number of the file + 1; 0: the
				   name is no file */
	struct ml_arena arena;  /* owns the text of files and the arrays below */
	uint64_t *block_start;  /* by block: bytes of earlier blocks of its region */
	uint64_t *extent;       /* by region of the tables: bytes of all its blocks */
	uint64_t *base; /* by region of the tables: address of its only block; UINT64_MAX:
			   it has several */
	struct ml_open_trace_stack {
		uint64_t base, extent;
	} * stacks; /* by number of the regions that the lookup made, behind those of the
		       tables; extent 0: the region is no stack */
	uint32_t stack_end; /* the regions from this number on have no entry in base or
			       stacks */
	pthread_t thread;   /* counts the summary */
	bool threadless;    /* the thread could not be started */
	bool counted; /* the thread has finished: the summary is valid, or failed says why
			 not */
	struct ml_err failed; /* kind ML_OK: the summary is valid */
	struct ml_summary summary;
	uint64_t done; /* references counted so far */
	struct ml_open_trace_lookup {
		struct ml_region_lookup *lookup;
		uint64_t time;           /* the time that the lookup has reached */
	} lookups[ML_OPEN_TRACE_SPARES]; /* idle lookups, which no request uses now */
	struct ml_open_trace_cursor {
		struct ml_cursor *cursor;
		uint64_t time;           /* the time that the cursor has reached */
	} cursors[ML_OPEN_TRACE_SPARES]; /* idle cursors */
	struct ml_open_cycles_cache cycles;
};

/* As struct ml_document_kind has them. */
struct ml_document *ml_open_trace_open(struct ml_workspace *ws, const char *path,
				       struct ml_err *err);
void ml_open_trace_close(struct ml_document *d);

/* The open trace with an id; NULL: there is none. */
struct ml_open_trace *ml_open_trace_find(struct ml_workspace *ws, const uint8_t id[16]);
/* False with a sentence: the file was cut off since. */
bool ml_open_trace_is_whole(const struct ml_open_trace *t, struct ml_err *err);
/* Trace by number, if it is whole; NULL with a sentence. */
struct ml_open_trace *ml_open_trace(struct ml_workspace *ws, uint64_t number,
				    struct ml_err *err);
/* Waits until the summary is counted. NULL with a sentence: counting failed. */
struct ml_summary *ml_open_trace_summary(struct ml_open_trace *t, struct ml_err *err);
/*
 * The offset of a place in its region. Views draw the blocks of a region one behind the
 * other, in the order in which they began; offsets count over all of them.
 */
static inline uint64_t ml_open_trace_offset(const struct ml_open_trace *t, uint64_t block,
					    uint64_t offset)
{
	return block == UINT64_MAX ? offset : t->block_start[block] + offset;
}
/*
 * Bytes of all blocks of a region; 0: unknown. The extent of a stack reaches from the
 * lowest to the highest address that its function touched; it is known once the summary
 * is counted.
 */
uint64_t ml_open_trace_extent(const struct ml_open_trace *t, uint32_t region);
/* How many regions there are, once the trace is counted. */
uint32_t ml_open_trace_regions(const struct ml_open_trace *t);
/*
 * The address that offsets of the region count from. False: the region has several
 * blocks, or its block ends.
 */
bool ml_open_trace_base(const struct ml_open_trace *t, uint32_t region, uint64_t *base);
/* The number of the file whose path has this name in the tables, or UINT32_MAX. */
uint32_t ml_open_trace_file(const struct ml_open_trace *t, uint32_t name);

/*
 * Lends a region lookup for references from `time` on. It numbers regions as the summary
 * does. The borrower gives the lookup back and says which time the lookup has reached.
 */
struct ml_region_lookup *ml_open_trace_lookup_take(struct ml_open_trace *t, uint64_t time,
						   struct ml_err *err);
void ml_open_trace_lookup_give(struct ml_open_trace *t, struct ml_region_lookup *lookup,
			       uint64_t time);
/*
 * Lends a cursor over [from, to). An idle cursor that stands just before `from` is used
 * again.
 */
struct ml_cursor *ml_open_trace_cursor_take(struct ml_open_trace *t, uint64_t from,
					    uint64_t to);
void ml_open_trace_cursor_give(struct ml_open_trace *t, struct ml_cursor *c,
			       uint64_t time);

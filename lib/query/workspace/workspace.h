/*
 * The workspace: traces, ensembles and simulations laid out for questions. Many threads
 * ask at once; long work (counting a trace, simulating it) runs in threads of the
 * workspace and says how far it is. Nothing is readable through a workspace but what was
 * opened on it.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/cache/machine.h"
#include "lib/query/tables/summary.h"
#include "lib/trace/trace.h"

struct ml_open_ensemble;
struct ml_open_sim;
struct ml_sim_diff_pair;

enum { ML_OPEN_TRACE_SPARES = 4 };

struct ml_open_trace_file {
	uint32_t path;    /* name of the tables */
	const char *text; /* NULL: not kept */
	size_t size;
	uint32_t lines;
};

struct ml_open_trace {
	struct ml_workspace *workspace;
	uint32_t number;
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
	bool counted;         /* summary is there, or failed */
	struct ml_err failed; /* kind ML_OK: it is there */
	struct ml_summary summary;
	uint64_t done; /* references counted so far */
	struct ml_open_trace_lookup {
		struct ml_region_lookup *space;
		uint64_t time;          /* that it has reached */
	} spaces[ML_OPEN_TRACE_SPARES]; /* that nobody uses now */
	struct ml_open_trace_cursor {
		struct ml_cursor *cursor;
		uint64_t time;           /* that it has reached */
	} cursors[ML_OPEN_TRACE_SPARES]; /* the same */
};

struct ml_workspace {
	pthread_mutex_t lock; /* of everything that changes */
	pthread_cond_t changed;
	uint64_t changes;   /* grows whenever state or progress of anything changes */
	volatile bool stop; /* everything is to end */
	struct ml_machine machine; /* to begin with */
	struct ml_open_trace **traces;
	size_t trace_count, trace_cap;
	struct ml_open_sim **sims;
	size_t sim_count, sim_cap;
	struct ml_open_ensemble **ensembles; /* open_ensemble.h */
	size_t ensemble_count, ensemble_cap;
	struct ml_sim_diff_pair *differ; /* what is kept for sim_diff.h */
};

void ml_workspace_init(struct ml_workspace *d, const struct ml_machine *machine);
/* Lets everything end that runs or waits; questions fail with ML_STOPPED from now on. */
void ml_workspace_stop(struct ml_workspace *d);
/* Stops, and closes everything. No question may be under way. */
void ml_workspace_close(struct ml_workspace *d);

/* Opens a trace and starts to count it; or an ensemble, with its traces. */
bool ml_workspace_open(struct ml_workspace *d, const char *path, struct ml_err *err);

/* Tells those who wait; the lock is held. */
void ml_workspace_change(struct ml_workspace *d);
/* Waits until something changed since, or for so many milliseconds. Returns changes. */
uint64_t ml_workspace_wait(struct ml_workspace *d, uint64_t since, unsigned milliseconds);

/* Trace by number; NULL with a sentence. */
struct ml_open_trace *ml_open_trace(struct ml_workspace *d, uint64_t number,
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
/* The address that its offsets count from, if it is one block for ever or a stack; else
 * false. */
bool ml_open_trace_base(const struct ml_open_trace *t, uint32_t region, uint64_t *base);
/* The number of the file whose path has this name in the tables, or UINT32_MAX. */
uint32_t ml_open_trace_file(const struct ml_open_trace *t, uint32_t name);

/*
 * A space to look at references from some time on, its regions numbered as in the
 * summary; to be given back with the time that it has reached.
 */
struct ml_region_lookup *ml_open_trace_lookup_take(struct ml_open_trace *t, uint64_t time,
						   struct ml_err *err);
void ml_open_trace_lookup_give(struct ml_open_trace *t, struct ml_region_lookup *s,
			       uint64_t time);
/* The same for a cursor over [from, to): one that stands just before goes on. */
struct ml_cursor *ml_open_trace_cursor_take(struct ml_open_trace *t, uint64_t from,
					    uint64_t to);
void ml_open_trace_cursor_give(struct ml_open_trace *t, struct ml_cursor *c,
			       uint64_t time);

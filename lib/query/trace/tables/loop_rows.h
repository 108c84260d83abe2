/*
 * The tree of threads, functions and loops of a trace as rows, for the command line and
 * the page: in the order of a walk over the tree, the most expensive children first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/cache/machine/machine.h"

struct ml_buf;
struct ml_trace;
struct ml_work;

enum ml_loop_row_kind { ML_LOOP_ROW_THREAD, ML_LOOP_ROW_FUNCTION, ML_LOOP_ROW_LOOP };

struct ml_loop_row {
	enum ml_loop_row_kind kind;
	unsigned depth;   /* in the tree, from 0 */
	const char *name; /* of the thread or function; of a loop: the function whose
			       code it is, which may be inlined */
	const char *file; /* of a loop; path, or empty */
	uint32_t line;    /* of a loop; 0: not known */
	uint64_t address; /* of its first block; 0 of a thread */
	bool inlined;     /* the loop is of a function that was inlined */
	bool irreducible, copied; /* as in loop_tree.h */
	uint64_t entries, iterations, min, max;
	uint32_t recursion;        /* of a function: the most that were active at once */
	uint64_t refs, own;        /* with those of all rows below; its own */
	double cycles, own_cycles; /* 0: not simulated */
	double lost, own_lost;     /* those beyond the first level: waiting */
};

struct ml_loop_rows {
	struct ml_loop_row *at;
	size_t count, cap;
	uint64_t refs;
	double cycles, lost;
	bool simulated;
	struct ml_machine machine;
	struct ml_arena arena;
};

/*
 * machine NULL: nothing is simulated. Otherwise the trace runs through it, as `memlamp
 * sim` does. False also where the trace does not know the flow of control.
 */
bool ml_loop_rows_make(struct ml_loop_rows *r, struct ml_trace *t,
		       const struct ml_machine *machine, const struct ml_work *work,
		       struct ml_err *err);
void ml_loop_rows_release(struct ml_loop_rows *r);

/* The rows as a table: as text those with the largest shares, at most `top` (0: all). */
void ml_loop_rows_text(const struct ml_loop_rows *r, size_t top, int columns,
		       struct ml_buf *out);
void ml_loop_rows_csv(const struct ml_loop_rows *r, size_t top, struct ml_buf *out);
void ml_loop_rows_json(const struct ml_loop_rows *r, size_t top, struct ml_buf *out);

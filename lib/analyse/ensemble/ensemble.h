/*
 * An ensemble: many simulations side by side (Choudhury, chapter 7). Its members are
 * traces run through machines: one trace on many machines, many traces on one, or
 * both. Of each member it keeps how many references each level served in each bin of
 * time; everything that is plotted follows from these counts, for any latencies.
 *
 * The file (.mle) holds all of it and nothing that depends on when, where or in which
 * order it was computed: the same members give the same bytes. docs/format.md is the
 * contract. An ensemble may be unfinished: members without series are still to be
 * simulated (ensemble_run.h), some with a saved state to go on from.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/passes/profile.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/cache/machine.h"

struct ml_trace;

enum {
	ML_ENSEMBLE_VERSION = 1,
	ML_ENSEMBLE_BINS = 1 << 15, /* of a trace, at the most, unless asked otherwise */
};

/* What a member differs by: "L1 size" = "32K". */
struct ml_parameter {
	const char *name, *value;
	double number; /* of the value (32768); NAN where it is a word */
};

/* Moments that other traces have too: each pass of a mark, or visit to a line. */
struct ml_milestones {
	const char *name; /* "mark sweep", "phase sort", "bubble.c:12" */
	uint64_t *at;     /* ascending, from the start of the window */
	size_t count, cap;
};

struct ml_ensemble_trace {
	const char *path;  /* as given; may be gone later: the series stay */
	const char *label; /* "bubble" */
	uint8_t id[16];
	uint64_t from, to; /* the window of times that is simulated */
	unsigned bits;     /* a bin has 1 << bits references */
	size_t bins;       /* the last may be short */
	struct ml_milestones *milestones;
	size_t milestone_count, milestone_cap;
};

struct ml_member {
	const char *label;   /* what tells it apart: "32K 8w lru", unique */
	uint32_t trace;      /* of the ensemble */
	const char *machine; /* canonical text */
	struct ml_machine parsed;
	uint64_t key; /* hash of trace and machine */
	struct ml_parameter *params;
	size_t param_count, param_cap;
	bool done;
	uint32_t *served[ML_SERVED]; /* [level][bin], from 1 to levels + 1 */
	uint64_t total[ML_SERVED];
};

/* Zero bytes and ml_ensemble_init make an empty one. */
struct ml_ensemble {
	struct ml_ensemble_trace *traces;
	size_t trace_count, trace_cap;
	struct ml_member *members; /* in the order of the description */
	size_t member_count, member_cap;
	/* Of members under way, by ensemble_run.c; empty when all are done. */
	struct ml_ensemble_state {
		uint32_t trace;
		uint64_t position; /* references done of its window */
		const void *data;  /* what the run needs to go on */
		size_t size;
	} * states;
	size_t state_count, state_cap;
	struct ml_arena arena; /* everything above lives here */
};

void ml_ensemble_init(struct ml_ensemble *e);
void ml_ensemble_release(struct ml_ensemble *e);

/* References of a trace's window, and those of one of its bins. */
uint64_t ml_ensemble_refs(const struct ml_ensemble_trace *t);
uint64_t ml_ensemble_bin_refs(const struct ml_ensemble_trace *t, size_t bin);

/*
 * Adds a trace: bins is the most that it may have (0: ML_ENSEMBLE_BINS). The same trace
 * with the same window is added once. Returns its number.
 */
uint32_t ml_ensemble_add_trace(struct ml_ensemble *e, const struct ml_trace *t,
			       const char *label, uint64_t from, uint64_t to,
			       size_t bins);
/*
 * Adds a member that is still to be simulated; params may be NULL. A member of the same
 * trace and machine is not added twice: false, and nothing is changed.
 */
bool ml_ensemble_add_member(struct ml_ensemble *e, uint32_t trace,
			    const struct ml_machine *m, const struct ml_parameter *params,
			    size_t count);
/*
 * Gives the members their labels: the values of the parameters in which they differ,
 * and the trace's label where there are several.
 */
void ml_ensemble_label(struct ml_ensemble *e);
/* The member with this label, or number, or the only one whose label has these words;
 * fails with what there is. */
bool ml_ensemble_find(const struct ml_ensemble *e, const char *text, size_t *member,
		      struct ml_err *err);
/* Takes a trace and its members out; what was under way starts anew. */
void ml_ensemble_drop_trace(struct ml_ensemble *e, uint32_t trace);
/* Adds the traces and members of another; those that both have are kept once, done
 * rather than not. Fails where the same trace is cut into other bins. */
bool ml_ensemble_merge(struct ml_ensemble *e, const struct ml_ensemble *other,
		       struct ml_err *err);

/* The file appears under its name only when it is whole. */
bool ml_ensemble_save(const struct ml_ensemble *e, const char *path, struct ml_err *err);
bool ml_ensemble_open(struct ml_ensemble *e, const char *path, struct ml_err *err);
/* Whether a file begins like one. */
bool ml_ensemble_is(const char *path);

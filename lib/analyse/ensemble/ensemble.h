/*
 * An ensemble: many simulations side by side (Choudhury, chapter 7). A member is a trace
 * on a machine: one trace on many machines, many traces on one, or both. For each member
 * the ensemble has the number of references that each level served in each bin of time.
 * All plots follow from these counts, for any latencies. Machines with TLBs, several
 * cores or an L1i of its own latency also have the cycles that these add.
 *
 * The file (.mle) has all of it, and nothing that depends on when, where or in which
 * order it was computed: the same members give the same bytes. docs/format.md is the
 * contract.
 *
 * An ensemble may be unfinished: members without series are still to be simulated
 * (ensemble_run.h), some of them from a saved state.
 * Held by tests/analyse/test_ensemble.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/passes/profile.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/cache/machine/machine.h"

struct ml_trace;

enum {
	ML_ENSEMBLE_VERSION = 1,
	ML_ENSEMBLE_BINS = 1 << 15, /* bins of a trace, at most, by default */
};

/* A parameter by which members differ: "L1 size" = "32K". */
struct ml_parameter {
	const char *name, *value;
	double number; /* the value as a number (32768); NAN: it is a word */
};

/* Moments that other traces have too: each passing of a mark, or each visit to a line. */
struct ml_milestones {
	const char *name; /* "mark sweep", "phase sort", "bubble.c:12" */
	uint64_t *at;     /* ascending, from the start of the window */
	size_t count, cap;
};

struct ml_ensemble_trace {
	const char *path;  /* as given; the file may be gone later, the series stay */
	const char *label; /* "bubble" */
	uint8_t id[16];
	uint64_t from, to; /* the window that is simulated, as times */
	unsigned bits;     /* a bin has 1 << bits references */
	size_t bins;       /* the last bin may be short */
	struct ml_milestones *milestones;
	size_t milestone_count, milestone_cap;
};

struct ml_member {
	const char *label;   /* unique: "32K 8w lru" */
	uint32_t trace;      /* number of the trace in the ensemble */
	const char *machine; /* canonical text */
	struct ml_machine parsed;
	uint64_t key; /* hash of trace and machine */
	struct ml_parameter *params;
	size_t param_count, param_cap;
	bool done;
	uint32_t *served[ML_SERVED]; /* [level][bin]; levels from 1 to levels + 1 */
	uint64_t total[ML_SERVED];
	/* [bin]: cycles beyond those of the serving levels; NULL: none */
	int64_t *beyond;
	int64_t beyond_total;
};

/* Zero bytes and ml_ensemble_init make an empty one. */
struct ml_ensemble {
	struct ml_ensemble_trace *traces;
	size_t trace_count, trace_cap;
	struct ml_member *members; /* in the order of the description */
	size_t member_count, member_cap;
	/*
	 * States of members that are under way (ensemble_run.c); empty when all are done.
	 */
	struct ml_ensemble_state {
		uint32_t trace;
		uint64_t position; /* references of the window that are done */
		const void *data;  /* what the run needs to continue */
		size_t size;
	} * states;
	size_t state_count, state_cap;
	/* How it was shown when it was made ("time", "matched"): the page begins with it.
	 */
	struct ml_ensemble_choice {
		const char *name, *value;
	} * choices;
	size_t choice_count, choice_cap;
	struct ml_arena arena; /* owns everything above */
};

void ml_ensemble_init(struct ml_ensemble *e);
void ml_ensemble_release(struct ml_ensemble *e);

/* The average access time of a member that is done: as in memlamp sim. */
double ml_member_cycles(const struct ml_member *m);

/* The references of a trace's window, and of one of its bins. */
uint64_t ml_ensemble_refs(const struct ml_ensemble_trace *t);
uint64_t ml_ensemble_bin_refs(const struct ml_ensemble_trace *t, size_t bin);

/*
 * Adds a trace; bins: at most so many bins (0: ML_ENSEMBLE_BINS). The same trace with the
 * same window is added once. Returns its number.
 */
uint32_t ml_ensemble_add_trace(struct ml_ensemble *e, const struct ml_trace *t,
			       const char *label, uint64_t from, uint64_t to,
			       size_t bins);
/*
 * Adds a member that is still to be simulated; params may be NULL. Returns false and
 * changes nothing if the ensemble has a member of the same trace and machine.
 */
bool ml_ensemble_add_member(struct ml_ensemble *e, uint32_t trace,
			    const struct ml_machine *m, const struct ml_parameter *params,
			    size_t count);
/*
 * Gives the members their labels: the values of the parameters in which they differ, and
 * the label of the trace if there are several.
 */
void ml_ensemble_label(struct ml_ensemble *e);
/*
 * The member with this label or number, or the only one whose label has these words. The
 * error lists the labels.
 */
bool ml_ensemble_find(const struct ml_ensemble *e, const char *text, size_t *member,
		      struct ml_err *err);
/* Notes how the ensemble is shown; a later value replaces an earlier one. */
void ml_ensemble_choose(struct ml_ensemble *e, const char *name, const char *value);
/* Removes a trace and its members; members under way start again. */
void ml_ensemble_drop_trace(struct ml_ensemble *e, uint32_t trace);
/*
 * Adds the traces and members of another ensemble. Of a member that both have, the one
 * that is done is taken. Fails if the same trace is cut into other bins.
 */
bool ml_ensemble_merge(struct ml_ensemble *e, const struct ml_ensemble *other,
		       struct ml_err *err);

/* The file appears under its name only when it is complete. */
bool ml_ensemble_save(const struct ml_ensemble *e, const char *path, struct ml_err *err);
bool ml_ensemble_open(struct ml_ensemble *e, const char *path, struct ml_err *err);
/* Whether a file begins like an ensemble. */
bool ml_ensemble_is(const char *path);

/*
 * Engines: the simulators of machines. Each takes some machines and some jobs, and all
 * obey the rules of machine.h, so they agree on every outcome, count and event. The list
 * has the fastest first and the exact one, which takes everything, last: the first that
 * takes the job does it. No caller names an engine or asks which one it got.
 *
 *	struct ml_engine_job job = { .want = ML_SIM_CAUSES };
 *	struct ml_engine *e = ml_engine_open(&machine, &job, &err);
 *
 *	while (more)
 *		ml_engine_run(e, &accesses, outcomes, &err);
 *	ml_engine_counts(e, 1, &counts);
 *	ml_engine_close(e);
 *
 * An engine is a file with a struct ml_engine_kind and a row of the list in engine.c.
 * Held by tests/cache/test_engine.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/machine/access.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/observer.h"
#include "lib/cache/machine/policy.h"
#include "lib/cache/machine/vectors.h"

struct ml_buf;
struct ml_bytes;
struct ml_event_sums;

/* A caller asks an engine for this. Zero bytes: counts and serving levels. */
struct ml_engine_job {
	unsigned want;  /* ML_SIM_CAUSES and so on (observer.h) */
	size_t threads; /* that make accesses; 1: core 0 makes all; 0: unknown */
	bool observes;  /* single misses or leaving lines; always so with want */
	bool restores;  /* it may begin with a saved state, or a copy of another engine */
	bool looks;     /* sets are looked at */
	/* for tests */
	bool slow;               /* the exact engine, though another takes the job */
	bool hurried;            /* times that last for billions of accesses end soon */
	enum ml_vectors vectors; /* with these instructions */
};

/* The functions of an engine. NULL where the engine cannot, or has nothing to do. */
struct ml_engine_kind {
	const char *name;
	size_t piece; /* as ml_engine_piece */
	bool sums;    /* as ml_engine_sums */
	/* NULL: it takes the job; or the reason why not ("a level is not lru") */
	const char *(*refuses)(const struct ml_machine *m, const struct ml_engine_job *j);
	void *(*open)(const struct ml_machine *m, const struct ml_engine_job *j,
		      struct ml_err *err);
	void (*close)(void *e);
	void (*observe)(void *e, const struct ml_observer *o, struct ml_event_sums *sums);
	unsigned (*stages)(void *e); /* NULL: one */
	void *(*carry_open)(void);   /* what a run of accesses carries through stages */
	void (*carry_close)(void *carry);
	bool (*run)(void *e, unsigned stage, const struct ml_accesses *a, void *carry,
		    uint16_t *outcome, struct ml_err *err);
	void (*gap)(void *e);
	void (*flush)(void *e);
	void (*counts)(void *e, unsigned level, struct ml_level_counts *c);
	void (*tlb_counts)(void *e, unsigned tlb, struct ml_level_counts *c);
	void (*save)(void *e, struct ml_buf *out);
	bool (*restore)(void *e, struct ml_bytes *in, struct ml_err *err);
	void (*copy)(void *to, const void *from);
	void (*hints)(void *e, unsigned level, const struct ml_hints *h);
	const struct ml_move *(*moves)(const void *e, size_t *count);
	void (*set)(const void *e, unsigned level, unsigned core, uint32_t set,
		    struct ml_cached_way *slots);
};

extern const struct ml_engine_kind *const ml_engines[]; /* ends with NULL */

struct ml_engine {
	const struct ml_engine_kind *kind;
	void *state;
	void *carry; /* of ml_engine_run */
};

/* Fails on a machine that cannot be simulated. */
struct ml_engine *ml_engine_open(const struct ml_machine *m,
				 const struct ml_engine_job *j, struct ml_err *err);
/* The same with an engine that does not refuse the job. */
struct ml_engine *ml_engine_open_as(const struct ml_engine_kind *kind,
				    const struct ml_machine *m,
				    const struct ml_engine_job *j, struct ml_err *err);
void ml_engine_close(struct ml_engine *e); /* may be NULL */
/* At most so many accesses are best run at once; 0: any number. */
size_t ml_engine_piece(const struct ml_engine *e);
/* Whether the engine itself adds misses and leaving lines to sums (event_sums.h). */
bool ml_engine_sums(const struct ml_engine *e);
/* Called at most once, before the first run. sums may be NULL. */
void ml_engine_observe(struct ml_engine *e, const struct ml_observer *o,
		       struct ml_event_sums *sums);
/* outcome may be NULL. Fails only if hints do, in the last stage. */
bool ml_engine_run(struct ml_engine *e, const struct ml_accesses *a, uint16_t *outcome,
		   struct ml_err *err);
/*
 * The same in stages, from 0, which may run on different threads: each stage for each run
 * of accesses in order, after the stage before it, with what the run carries. Only the
 * last stage calls the observer. All other functions need all stages at the same run.
 */
unsigned ml_engine_stages(const struct ml_engine *e);
void *ml_engine_carry_open(const struct ml_engine *e);
void ml_engine_carry_close(const struct ml_engine *e, void *carry);
bool ml_engine_stage(struct ml_engine *e, unsigned stage, const struct ml_accesses *a,
		     void *carry, uint16_t *outcome, struct ml_err *err);
/* Accesses are missing here: after this a first request for a line is no cold miss. */
void ml_engine_gap(struct ml_engine *e);
/* Tells the observer of all lines that are held, as if they left. Nothing changes. */
void ml_engine_flush(struct ml_engine *e);
/* The counters of all instances of a level together; level 0 is L1i. */
void ml_engine_counts(const struct ml_engine *e, unsigned level,
		      struct ml_level_counts *c);
void ml_engine_tlb_counts(const struct ml_engine *e, unsigned tlb,
			  struct ml_level_counts *c);
/*
 * The saved form (lib/cache/exact/state.h) is the same for all engines: each can be
 * restored by any that takes the machine. What ML_SIM_CAUSES remembers of lines that are
 * in no cache is not saved: their next misses have the cause UNKNOWN. Restoring fails on
 * bytes that no engine wrote, and leaves the caches empty.
 */
void ml_engine_save(const struct ml_engine *e, struct ml_buf *out);
bool ml_engine_restore(struct ml_engine *e, struct ml_bytes *in, struct ml_err *err);
/* Takes the state of an engine of the same machine and job; not with ML_SIM_CAUSES. */
void ml_engine_copy(struct ml_engine *to, const struct ml_engine *from);
/* Hints for a level with opt or pes (policy.h). The caller keeps what h->arg points to. */
void ml_engine_hints(struct ml_engine *e, unsigned level, const struct ml_hints *h);
/* The movements of the last run, in order; with ML_SIM_MOVES. */
const struct ml_move *ml_engine_moves(const struct ml_engine *e, size_t *count);
/* The ways of a set (observer.h), for views; with job.looks. */
void ml_engine_set(const struct ml_engine *e, unsigned level, unsigned core, uint32_t set,
		   struct ml_cached_way *slots);

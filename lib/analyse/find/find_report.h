/*
 * How a finder looks closer, tries changes and reports a finding, in the order in which
 * its functions run (finder.h).
 */
#pragma once

#include "lib/analyse/find/finder.h"

struct ml_claim {
	uint32_t spot;
	double cycles;
};

struct ml_candidate {
	struct ml_finding finding;
	const struct ml_finder *finder;
	uint32_t region;         /* 0: none */
	struct ml_claim *claims; /* the misses that the finding is about */
	size_t claim_count, claim_cap;
	bool theirs; /* it is about code that the user cannot change */
	/* cycles that the change may save beyond those for which its references wait:
	 * references that are not made, remote memory, threads that wait for others */
	double more;
	bool spares; /* data that it does not concern may gain, too: all that waits may */
	double rank; /* the higher, the earlier it comes */
};

/* In look: requests calls of see. */
void ml_find_watch(struct ml_find *f);
/* In look: the same, and that the observer sees the references, too. */
void ml_find_follow(struct ml_find *f, const struct ml_find_observer *o);
/*
 * In try: requests that a change is simulated, for all references to its region, or for
 * those of a spot alone. Returns the number of the trial.
 */
size_t ml_find_try(struct ml_find *f, const struct ml_change *c,
		   const struct ml_spot *spot);
/*
 * In conclude: the cycles of the whole run that the change saves, extrapolated from the
 * references that it was tried on. Negative: the change makes things worse.
 */
double ml_find_saved(const struct ml_find *f, size_t trial);
/* All cycles of the references of a trial, or of a part of it. */
double ml_find_cycles(const struct ml_find *f, const struct ml_trial *t);
/* As ml_find_saved, and its standard error. */
double ml_find_saved_error(const struct ml_find *f, size_t trial, double *error);
/* In conclude: serving levels of the references of a trial without its change. */
const uint64_t *ml_find_untouched(const struct ml_find *f, size_t trial);
/*
 * In conclude: the gain of the finding follows from this trial. If it was tried on
 * slices, the bounds of the gain are two standard errors apart from it.
 */
void ml_find_tried(struct ml_find *f, struct ml_candidate *c, size_t trial);
/*
 * Of several trials, ordered by the size of the change: the first that is nearly as good
 * as the best.
 */
size_t ml_find_best(const struct ml_find *f, const size_t *trials, size_t count,
		    double *saved);

/*
 * In conclude: adds a finding about a region (0: none) and the line of a spot (NULL:
 * none), which the caller fills in. Then ml_find_claim adds the misses that it is about;
 * they make up its cost.
 */
struct ml_candidate *ml_find_add(struct ml_find *f, uint32_t region,
				 const struct ml_spot *spot, double saved,
				 bool simulated);
void ml_find_claim(struct ml_find *f, struct ml_candidate *c, const struct ml_spot *spot,
		   double cycles);
/*
 * Cuts the gain and its bounds to what the references wait for that the finding is about:
 * those to the regions of its claims.
 */
void ml_find_cap(const struct ml_find *f, struct ml_candidate *c);
/* In conclude: the bounds of an estimate, in cycles. */
void ml_find_bounds(struct ml_find *f, struct ml_candidate *c, double low, double high);
void ml_find_fact(struct ml_candidate *c, const char *key, double number);
void ml_find_fact_text(struct ml_candidate *c, const char *key, const char *text);
__attribute__((format(printf, 3, 4))) void
ml_find_say(struct ml_find *f, struct ml_candidate *c, const char *fmt, ...);

/* Texts for sentences; they live in the arena. */
const char *ml_find_count(struct ml_find *f, uint64_t n);
const char *ml_find_bytes(struct ml_find *f, uint64_t n); /* "64 bytes", "1.2 MiB" */
const char *ml_find_percent(struct ml_find *f, double share);
const char *ml_find_region(struct ml_find *f, uint32_t region);
/* What lies in consecutive memory: "row", or "column" of an array of Fortran. */
const char *ml_find_run(const struct ml_find *f, uint32_t region);
/* "interchange.c:44", or the function if the line is not known. */
const char *ml_find_place(struct ml_find *f, uint32_t line);
/* "998,001 of 1,000,000 references miss L1 (L2 serves 80 %, memory 20 %)". */
const char *ml_find_misses(struct ml_find *f, const uint64_t served[ML_SERVED]);

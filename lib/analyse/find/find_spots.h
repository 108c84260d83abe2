/*
 * What finders share: the profile summed by line of code and region (a spot), the cost of
 * misses, and the functions by which a finder looks closer and reports a finding. Only
 * findings.c and find_*.c include this.
 *
 * Costs: a reference served by level k takes the cycles of level k. The cycles beyond
 * those of L1 are its excess. A miss of level l costs cycles(l + 1) - cycles(l), so the
 * excess of a reference is the sum over the levels that it missed, and can be split by
 * cause. A transfer from another core, which costs more than the level that then serves
 * the line, counts for the causes sharing and false sharing; the translation of addresses
 * has no cause.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/find/finding.h"
#include "lib/analyse/trial/whatif.h"
#include "lib/analyse/passes/profile.h"
#include "lib/analyse/passes/user_lines.h"
#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/trace/tables.h"
#include "lib/trace/trace.h"

struct ml_find;
struct ml_prior;
struct ml_round;
struct ml_steps;
struct ml_written;

/* All references of one line of the user's code to one region. */
struct ml_spot {
	uint32_t line; /* number in user_lines */
	uint32_t region;
	uint64_t refs, bytes, kind[3];
	uint64_t served[ML_SERVED];
	uint64_t cause[ML_LEVELS][ML_CAUSES];
	double excess, by_cause[ML_CAUSES]; /* cycles */
	struct ml_surcharge surcharge;
	double translation; /* cycles of the excess that TLBs and walks take */
	const struct ml_profile_cell *worst; /* the cell with the most excess */
	double worst_excess;
};

/* Which findings of one kind and one function become one finding (find_family.h). */
enum ml_family {
	ML_FAMILY_NONE,
	ML_FAMILY_SIZE, /* about arrays of the same size */
	ML_FAMILY_ANY,  /* about any data: one change mends all */
};

/* What a finding of a kind is worth that was not simulated. */
enum ml_standing {
	ML_STANDING_ESTIMATE, /* it stands below those that were simulated */
	ML_STANDING_CERTAIN,  /* its cause is certain: it stands among them */
	ML_STANDING_LAST,     /* it seldom saves time: it stands below all others */
};

/*
 * A kind of finding. Each function may be NULL. They run in this order, and all finders
 * look before the first one tries. `mine` is the finder's own state, NULL at first.
 */
struct ml_finder {
	const char *kind;
	const char *rule; /* what a code host prints about findings of this kind */
	struct ml_finding_view view;
	/*
	 * Of several findings about the same misses the one with the largest gain *
	 * weight wins. A kind that names the exact cause has weight 1; one that only
	 * describes the misses has less.
	 */
	double weight;
	/* what must hold so that the change is legal; NULL: the advice says it */
	const char *legal;
	/* it has no remedy of its own: it is dropped if another finding wins; a finder
	 * may set it for some of its findings alone */
	bool vague;
	enum ml_standing standing;
	enum ml_family family; /* findings of this kind that become one (find_family.h) */
	void (*look)(struct ml_find *f,
		     void **mine); /* may request see (ml_find_watch) */
	void (*see)(struct ml_find *f, void *mine, const struct ml_seen *s);
	void (*try)(struct ml_find *f, void *mine); /* may request trials (ml_find_try) */
	void (*conclude)(struct ml_find *f, void *mine);
	void (*release)(void *mine); /* what does not lie in the arena */
};

/*
 * What several finders build on: it sees all references before the finders see them. A
 * finder asks for it in look (ml_find_follow); it is complete in try and conclude.
 */
struct ml_find_observer {
	void (*watch)(struct ml_find *f); /* makes its state */
	void (*see)(struct ml_find *f, const struct ml_seen *s);
	void (*end)(struct ml_find *f); /* no more references come; may be NULL */
	void (*release)(struct ml_find *f);
};

enum { ML_FIND_OBSERVERS = 4 };

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

/* A change that a finder wants to be simulated, and what came of it. */
struct ml_tried {
	struct ml_change change;
	const struct ml_finder *by;
	double concerned; /* references of the whole run that it moves */
	double waits;     /* their cycles beyond those of L1, in caches */
	double bound;     /* what its own references can save at all */
	double not_made;  /* of this, cycles of references that it leaves out */
	double at_most;   /* it cannot save more, whatever a part says; 0: not known */
	/* the round that tried it last (find_rounds.h), its place there, and its trial;
	 * NULL: it was not tried */
	const struct ml_round *round;
	size_t at;
	struct ml_trial trial;
	bool decided;     /* it needs no further round */
	bool needs_whole; /* no small part can decide it */
};

struct ml_find {
	struct ml_trace *trace;
	const struct ml_tables *tables;
	const struct ml_profile *p;
	double cycles;          /* of all references */
	double min_cycles;      /* cycles that a finding must save at least */
	double cost[ML_SERVED]; /* cycles of a reference, by serving level */
	unsigned memory;        /* memory as a serving level: levels + 1 */
	uint64_t line;          /* bytes of a line of L1 */
	unsigned line_bits;     /* log2 of them */
	struct ml_user_lines user_lines;
	struct ml_spot *spots; /* most excess first */
	size_t spot_count;
	struct ml_map spot_of; /* spot of a line and a region */
	bool *own; /* by region of the tables: the user's code causes most of its excess
		    */
	uint32_t *same; /* by region of the tables: the region that stands for it */
	bool *seen;     /* by finder: it requested see */
	bool distances; /* see gets stack distances */
	const struct ml_find_observer *observers[ML_FIND_OBSERVERS]; /* ends with NULL */
	/* their states; NULL: no finder wants them */
	struct ml_steps *steps;     /* by spot */
	struct ml_prior *prior;     /* previous users of lines */
	struct ml_written *written; /* the fate of written bytes */
	struct ml_tried *tried;     /* changes that finders want to be simulated */
	size_t tried_count, tried_cap;
	bool simulated;              /* they were */
	const struct ml_finder *now; /* the finder that runs */
	size_t now_index;
	struct ml_candidate *candidates;
	size_t candidate_count, candidate_cap;
	struct ml_arena *arena; /* owns the findings */
};

void ml_find_spots(struct ml_find *f);
void ml_find_release(struct ml_find *f);

/*
 * The spot of a reference; NULL: it was not simulated, or is a library's without a
 * caller.
 */
struct ml_spot *ml_find_spot(const struct ml_find *f, uint32_t site, uint32_t caller,
			     uint32_t region);
/* Cycles of a page found by a TLB, from 1, or by a walk: one more than there are TLBs. */
double ml_find_translation(const struct ml_find *f, unsigned tlb);
/* Cycles that one miss of a level (from 1) costs. */
double ml_find_miss(const struct ml_find *f, unsigned level);
uint64_t ml_find_missed(const uint64_t served[ML_SERVED], unsigned level);
/* Whether two spots are lines of one function. */
bool ml_find_together(const struct ml_find *f, const struct ml_spot *a,
		      const struct ml_spot *b);
/* Of misses by level, the level whose misses cost most, from 1. */
unsigned ml_find_worst_level(const struct ml_find *f, const uint64_t missed[ML_LEVELS]);
/* The spot of a region that costs most, or NULL. */
const struct ml_spot *ml_find_worst(const struct ml_find *f, uint32_t region);
/* All spots of a region together; line and worst are those of the worst one. */
struct ml_spot ml_find_sum(const struct ml_find *f, uint32_t region);
/*
 * Whether this spot, and all behind it, cost too little to make a finding, unless there
 * are hundreds.
 */
bool ml_find_negligible(const struct ml_find *f, const struct ml_spot *s);
/* The number of spots before the first negligible one: for loops over references. */
size_t ml_find_costly(const struct ml_find *f);
/*
 * Whether the spot's worst instruction has no steps that repeat, or only within short
 * runs: pointers, indices, hash tables, rows of a sparse matrix.
 */
bool ml_find_irregular(const struct ml_find *f, const struct ml_spot *s);
/* Whether some program lays out the region: a variable, heap blocks... */
bool ml_find_layable(const struct ml_find *f, uint32_t region);
/* Whether the user can lay out the region in another way: the same, of the user's code.
 */
bool ml_find_movable(const struct ml_find *f, uint32_t region);

/*
 * The region that stands for this one. Heap blocks that one source line allocates for one
 * variable are one region here, whatever calls led to that line: a recursive function has
 * a stack for every depth. Spots, and the references that see gets, have such regions;
 * the profile has not.
 */
uint32_t ml_find_same(const struct ml_find *f, uint32_t region);
/* The use of the lines of a region in a level; lines is 0 if it is not known. */
struct ml_profile_use ml_find_use(const struct ml_find *f, uint32_t region,
				  unsigned level);
/* The largest block of a region, or NULL; *count, if not NULL: the number of its blocks.
 */
const struct ml_block *ml_find_largest_block(const struct ml_find *f, uint32_t region,
					     size_t *count);
/* Its bytes. */
uint64_t ml_find_block_size(const struct ml_find *f, uint32_t region, size_t *count);

/* Cycles of a cell beyond those of L1: outer levels, translation, other cores. */
double ml_find_cell_waits(const struct ml_find *f, const struct ml_profile_cell *c);

/* The sites of a line, as struct ml_change wants them. */
const bool *ml_find_sites(struct ml_find *f, uint32_t line);
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

/*
 * What a finder is, and what all finders share while they look: the run and its profile,
 * the changes that they want to be simulated, and what they found. find_spots.h has what
 * they ask, find_report.h how they try changes and report. Only findings.c, find_*.c and
 * lib/analyse/finders include these.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/find/finding.h"
#include "lib/analyse/passes/profile.h"
#include "lib/analyse/passes/user_lines.h"
#include "lib/analyse/trial/whatif.h"
#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/trace/tables.h"
#include "lib/trace/trace.h"

struct ml_candidate;
struct ml_find;
struct ml_prior;
struct ml_round;
struct ml_spot;
struct ml_steps;
struct ml_written;

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

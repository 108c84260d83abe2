/*
 * Lines that cores take from each other, by region: what the finders of true and of false
 * sharing have in common.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/find/find_spots.h"

enum { ML_BOUNCE_REGIONS = 3, ML_BOUNCE_SIDES = 3 /* threads that a sentence names */ };

/* What one thread does to a shared line. */
struct ml_bounce_side {
	uint16_t thread;
	/* low, high: offsets within the region of its first and last write there, else of
	 * its references */
	uint64_t refs, low, high;
	uint64_t block;
	uint32_t line; /* in user_lines: of its last write, else of its last reference */
	bool wrote;
};

struct ml_bounce_region {
	uint32_t region;
	uint64_t line;  /* address of the line that bounces most */
	uint64_t lines; /* number of lines of the region that bounce */
	uint64_t bounces;
	double cost; /* cycles of all misses by sharing, true and false */
	struct ml_bounce_side sides[ML_BOUNCE_SIDES];
	unsigned side_count;
};

struct ml_bounces {
	struct ml_bounce_region regions[ML_BOUNCE_REGIONS];
	size_t count;
};

/*
 * In look: the regions that bounce, whose threads share data (is_true) or only lines.
 * Data that are shared beside others of their line, such as a lock and what it guards,
 * are shared.
 */
void ml_bounces_look(struct ml_find *f, struct ml_bounces *b, bool is_true);
void ml_bounces_see(struct ml_find *f, struct ml_bounces *b, const struct ml_seen *s);
/* Cycles of these references as hits. A sum of its own mostly lies in a register. */
double ml_bounces_references(const struct ml_find *f, const struct ml_bounce_region *r);
/* A finding about the region and its worst line, which claims these misses. */
struct ml_candidate *ml_bounces_add(struct ml_find *f, const struct ml_bounce_region *r,
				    double saved, uint64_t *misses);
/*
 * Names the worst line and the threads that use it ("thread 2 writes hits[0]
 * (threads.c:25)"), and adds the facts of all findings about bounces.
 */
void ml_bounces_tell(struct ml_find *f, struct ml_candidate *c,
		     struct ml_bounce_region *r, uint64_t misses);

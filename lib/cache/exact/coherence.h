/*
 * Keeps the caches of several cores coherent, as MESI does. A simulator stores no states,
 * because they follow from the caches that hold a line: a dirty line is M, a line that
 * other cores hold too is S, any other is E. A write to a line that is already dirty here
 * (M) needs no look at other caches. Every other write, and every miss in a first level,
 * looks at all caches that this core does not share.
 *
 * If the lines of private levels differ in size, the unit that has a state is the largest
 * of them.
 */
#pragma once

#include <stdbool.h>

#include "lib/cache/exact/sim_data.h"

/*
 * The core of q needs the line, for a write if `write`: the caches of other cores drop
 * the line, or clean it for a read. Returns for how many levels, from the first, a core
 * that lost the line has caches of its own; 0 if no core lost it. cause is that of the
 * miss that made q ask, for the observer. *held gets, for each other core that held the
 * line, the bit of the first depth that it shares with the core of q.
 */
unsigned ml_coherence_snoop(struct ml_sim *s, const struct ml_request *q, bool write,
			    enum ml_cause cause, unsigned *held);
/* The caches were filled from outside. */
void ml_coherence_restored(struct ml_sim *s);
/* The state of a line in a cache that not all cores share: M, E or S. */
char ml_coherence_state(const struct ml_sim *s, struct ml_sim_place p);

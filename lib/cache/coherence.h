/*
 * Caches of several cores, kept coherent as by MESI. No states are kept: they follow
 * from who holds a line. Dirty is M, held by others too is S, else E. A write to a
 * line that is dirty here already (M) concerns nobody else; every other write and
 * every miss of a first level looks at all caches that this core does not share.
 *
 * Where lines of private levels differ in size, the largest of them is the unit that
 * has a state.
 */
#pragma once

#include <stdbool.h>

#include "lib/cache/sim_data.h"

/*
 * The core of q needs the line, to write it if `write`: what others hold of it goes
 * or is cleaned. Returns the number of levels, from the first, that some of those
 * who lost it do not share with this core; 0 if none did. cause is that of the miss
 * which made q ask, for the observer.
 */
unsigned ml_coherence_snoop(struct ml_sim *s, const struct ml_request *q, bool write,
			    enum ml_cause cause);
/* The state of a line in a cache that is not everybody's: M, E or S. */
char ml_coherence_state(const struct ml_sim *s, struct ml_sim_place p);

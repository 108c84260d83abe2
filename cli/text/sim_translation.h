/* Address translation in the text of a simulation: the TLBs, and the lines they miss for.
 */
#pragma once

#include <stdint.h>

struct ml_profile_view;
struct ml_say;

/* At most `top` lines; nothing if the machine has no TLB. */
void sim_translation(struct ml_profile_view *v, uint64_t top, struct ml_say *s);

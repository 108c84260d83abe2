/*
 * Families: arrays that one function uses alike. Eight gradients that each wait for the
 * same reason are one finding, which names all of them and promises what all save.
 */
#pragma once

#include "lib/analyse/find/find_spots.h"

/*
 * A finder of families adds findings from this many cycles on: several small ones may be
 * one large one. Those that stay too small are dropped.
 */
double ml_family_min(const struct ml_find *f);
/* After the last conclude: joins the candidates of each family. */
void ml_families_join(struct ml_find *f);

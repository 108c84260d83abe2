/*
 * Steps by line of code: the distance from one reference of a spot to its next one,
 * whichever instruction makes it. A compiler unrolls and vectorises loops, so that one
 * instruction steps over several rows; the spot as a whole still goes row by row.
 *
 * A finder that needs this calls ml_steps_watch in look; it is complete in try.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/find/find_spots.h"

struct ml_steps;

void ml_steps_watch(struct ml_find *f);
void ml_steps_see(struct ml_find *f, const struct ml_seen *s);

/* The bytes from row to row if the spot goes from row to row; 0: it does not. */
uint64_t ml_steps_row(const struct ml_find *f, const struct ml_spot *s);
/*
 * Whether the spot walks in large steps and uses at most half of each line before the
 * line is gone (find_stride.c).
 */
bool ml_steps_walk(const struct ml_find *f, const struct ml_spot *s);

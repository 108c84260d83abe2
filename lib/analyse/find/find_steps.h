/*
 * Steps by line of code: the distance from one reference of a spot to its next one,
 * whichever instruction makes it. A compiler unrolls and vectorises loops, so that one
 * instruction steps over several rows; the spot as a whole still goes row by row.
 *
 * A finder that needs this follows ml_find_steps.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/find/find_spots.h"

extern const struct ml_find_observer ml_find_steps;

/* The bytes from row to row if the spot goes from row to row; 0: it does not. */
uint64_t ml_steps_row(const struct ml_find *f, const struct ml_spot *s);
/*
 * The share of the bytes of all lines that the spot ever touches which it uses at some
 * time. Near 1: it goes over everything, in whatever order. Near 0: it uses one column or
 * one field. 1 if too few lines were seen.
 */
double ml_steps_covered(const struct ml_find *f, const struct ml_spot *s);
/*
 * Whether the spot walks in large steps and uses at most half of each line before the
 * line is gone (find_stride.c).
 */
bool ml_steps_walk(const struct ml_find *f, const struct ml_spot *s);

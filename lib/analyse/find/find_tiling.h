/*
 * Square tiles as they would run. A line of code walks down one array while it goes along
 * another, as in a transpose. Tiles are tried with the references that the line really
 * makes, in another order: those of one tile follow each other. So lines that two tiles
 * share, because rows do not begin at a line, are fetched twice, as they would be.
 *
 * The finder of such walks keeps a struct ml_tilings and calls its functions in its own
 * look, see, try and release.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/find/find_spots.h"

enum { ML_TILINGS = 3, ML_TILE_SIZES = 2 };

/* The references of one line of code, in the order of their times. */
struct ml_tiling_line {
	uint32_t line; /* number in user_lines */
	struct ml_tiling_ref {
		uint64_t time, addr, base; /* base: address of the block */
		const struct ml_spot *spot;
		uint32_t size, slice; /* slice: or burst; changes where time jumps */
	} * refs;
	size_t count, cap;
	uint64_t met;   /* references that were shown */
	uint64_t every; /* of the bursts of references, one of so many is kept */
	uint16_t thread;
	bool unusable;                                /* references of several threads */
	uint64_t *lists[ML_TILE_SIZES][2], *times[2]; /* of the changes, by array */
};

struct ml_tilings {
	struct ml_tiling_line lines[ML_TILINGS];
	size_t count;
	uint64_t next;  /* in see: time behind the last batch */
	uint32_t slice; /* in see: number of the present slice */
};

/* A line that walks down the array of `walk` and goes along that of `other`. */
struct ml_tiling_walk {
	const struct ml_spot *walk, *other;
	uint64_t pitch, unit; /* bytes of a row of the walked array, and of an element */
	uint64_t tile[ML_TILE_SIZES]; /* the sizes to try, in elements */
};

/* In look: notes the lines that may walk so. True: it needs to see their references. */
bool ml_tilings_look(struct ml_find *f, struct ml_tilings *t);
void ml_tilings_see(struct ml_tilings *t, const struct ml_seen *s);
/*
 * In try: has each size of tiles tried. False: it is not known how tiles would run,
 * because the line was not noted or does not go over the array element by element.
 */
bool ml_tilings_try(struct ml_find *f, struct ml_tilings *t,
		    const struct ml_tiling_walk *w, size_t trials[ML_TILE_SIZES]);
void ml_tilings_release(struct ml_tilings *t);

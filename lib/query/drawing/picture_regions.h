/*
 * Regions as whole pictures: heat maps below each other with one legend, and the plane,
 * which lays time out in space: a region's elements from top to bottom, time from left
 * to right, coloured by the level that served.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/query/drawing/picture_heat.h"

struct ml_profile_rows;

/*
 * Regions that are worth a picture, what is waited for most first: those of the user
 * whose size is known. Returns how many of at most `most` there are.
 */
size_t ml_picture_costliest(const struct ml_open_sim *s,
			    const struct ml_profile_rows *rows, uint32_t *regions,
			    size_t most);

struct ml_picture_regions {
	const uint32_t *regions; /* their size is known */
	size_t count;
	struct ml_heat_question question;
	double width, height; /* pixels; height 0: as much as is needed */
};

bool ml_picture_heat(struct ml_picture *p, struct ml_open_sim *s,
		     const struct ml_picture_regions *r, struct ml_err *err);
/* The first region alone; the mode does not matter. */
bool ml_picture_plane(struct ml_picture *p, struct ml_open_sim *s,
		      const struct ml_picture_regions *r, struct ml_err *err);

/* Pixels of a cell of a map that may take so many in all. */
void ml_picture_cell_size(const struct ml_heat_map *m, double width, double height,
			  double *cell_width, double *cell_height);
/* Names of a structure's parts, right-aligned at x, beside a map at y. */
void ml_picture_fields(struct ml_picture *p, const struct ml_heat_map *m, double x,
		       double y, double cell_height);

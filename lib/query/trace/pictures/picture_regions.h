/*
 * Regions as whole pictures: heat maps below each other with one legend, and the plane,
 * which shows the elements of a region from top to bottom over time from left to right,
 * coloured by the level that served.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/query/trace/pictures/picture_heat.h"

struct ml_profile_rows;

/*
 * Lists the regions that are worth a picture, the costliest first: regions of the user
 * whose size is known. Returns their number, at most `max`.
 */
size_t ml_picture_costliest(const struct ml_open_sim *s,
			    const struct ml_profile_rows *rows, uint32_t *regions,
			    size_t max);

struct ml_picture_regions {
	const uint32_t *regions; /* regions of known size */
	size_t count;
	struct ml_heat_question question;
	double width, height; /* pixels; height 0: as much as needed */
};

bool ml_picture_heat(struct ml_picture *p, struct ml_open_sim *s,
		     const struct ml_picture_regions *r, struct ml_err *err);
/* Draws the first region only; the mode is ignored. */
bool ml_picture_plane(struct ml_picture *p, struct ml_open_sim *s,
		      const struct ml_picture_regions *r, struct ml_err *err);

/* The size of a cell if the whole map may take width and height. */
void ml_picture_cell_size(const struct ml_heat_map *m, double width, double height,
			  double *cell_width, double *cell_height);
/* Writes the names of a structure's parts beside a map at y, right-aligned at x. */
void ml_picture_fields(struct ml_picture *p, const struct ml_heat_map *m, double x,
		       double y, double cell_height);

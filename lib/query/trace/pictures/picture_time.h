/*
 * Pictures with time from left to right. The timeline shows the share of the references
 * that each level served, with phases, marks and gaps above. The other picture shows the
 * temperature of each level (temperature.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_open_sim;
struct ml_picture;

struct ml_picture_window {
	uint64_t from, to;    /* positions; to > from */
	double width, height; /* pixels of the whole picture */
};

/*
 * The axis of shares ends at 100 % and begins below the smallest share of the first
 * level. Only stand-alone pictures have a title and a legend.
 */
bool ml_picture_timeline(struct ml_picture *p, struct ml_open_sim *s,
			 const struct ml_picture_window *w, struct ml_err *err);
bool ml_picture_temperature(struct ml_picture *p, struct ml_open_sim *s,
			    const struct ml_picture_window *w, struct ml_err *err);

/* Draws the names of the first `count` serving levels with their colours, from x on. */
void ml_picture_levels(struct ml_picture *p, const struct ml_open_sim *s, unsigned count,
		       double x, double y);
/* A title with trace, machine and window: "timeline of heat.mlt on skylake". */
enum { ML_TITLE_ROOM = 500 };
const char *ml_picture_title(const struct ml_open_sim *s, uint64_t from, uint64_t to,
			     const char *what, char text[ML_TITLE_ROOM]);

/* Writes figures (figure.h) as SVG. */
#pragma once

#include <stdbool.h>

#include "lib/query/drawing/figure.h"
#include "lib/query/drawing/picture.h"

enum {
	ML_PAINT_LEFT = 64,
	ML_PAINT_HEAD = 66,   /* title, note, and the label of the y axis */
	ML_PAINT_FOOT = 44,   /* marks and label of the x axis */
	ML_PAINT_LEGEND = 160 /* at the right */
};

/* A height of 0 fits the rows of a heat map. The palette of p is light or dark. */
void ml_paint_figure(const struct ml_figure *f, struct ml_picture *p, double width,
		     double height, bool dark);
/* Draws the keys of a legend down from y; of many, an even choice. Returns the next y. */
double ml_paint_legend(const struct ml_figure_legend *l, struct ml_picture *p, double x,
		       double y, double bottom, bool dark);
/* Draws one line of a legend; returns the y of the next line. */
double ml_paint_key(struct ml_picture *p, double x, double y, uint32_t rgb, unsigned dash,
		    const char *text);

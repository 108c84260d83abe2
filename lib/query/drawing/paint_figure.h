/* Writes figures (figure.h) as SVG. */
#pragma once

#include <stdbool.h>

#include "lib/query/drawing/figure.h"
#include "lib/query/drawing/picture.h"

/* Pixels of the frame, into which the panels go, in a picture of this size. */
double ml_paint_frame_width(double width);
double ml_paint_frame_height(double height);

/* A height of 0 fits the rows of a heat map. The palette of p is light or dark. */
void ml_paint_figure(const struct ml_figure *f, struct ml_picture *p, double width,
		     double height, bool dark);

/* Private to paint_figure*.c. */
#pragma once

#include "lib/query/drawing/chart.h"
#include "lib/query/drawing/figure.h"

/* Draws the marks of a panel into its frame. */
void ml_paint_marks(const struct ml_figure *f, const struct ml_figure_panel *panel,
		    struct ml_chart *c, bool dark);

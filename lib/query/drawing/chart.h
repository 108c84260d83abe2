/*
 * A chart within a picture: a frame that maps values to pixels, and the lines and areas
 * in it. Also the round numbers and texts of axes. Colours are numbers (0xrrggbb) because
 * each member may have its own; role.h has them.
 *
 *	struct ml_chart c = { .p = &p, .x = 60, .y = 40, .width = 800, .height = 300,
 *			      .x_high = 1000, .y_high = 12 };
 *
 *	ml_chart_clip(&c);
 *	ml_chart_curve(&c, mean, cells, &(struct ml_chart_line){ .rgb = 0x0072b2,
 *			.thick = 1.5, .opacity = 1, .title = "32K" });
 *	ml_chart_close(&c);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/query/drawing/picture.h"

enum ml_chart_format {
	ML_CHART_NUMBER,
	ML_CHART_PERCENT, /* 1 is 100 % */
	ML_CHART_COUNT,   /* "30 M" */
	ML_CHART_BYTES,   /* "32K"; a logarithmic axis has marks at powers of two */
};

struct ml_chart {
	struct ml_picture *p;
	double x, y, width, height; /* pixels of the frame */
	double x_low, x_high, y_low, y_high;
	bool x_log, y_log;
	enum ml_chart_format y_format; /* ml_chart_round keeps shares below 1 */
	unsigned clip;                 /* number of the frame in its picture, from 0 */
};

struct ml_chart_line {
	uint32_t rgb;
	double thick, opacity;
	unsigned dash;     /* 0 to 3 */
	const char *title; /* NULL: none */
};

/* A mark of an axis. */
struct ml_chart_tick {
	double at;
	char text[ML_COORDINATE_ROOM];
};
enum { ML_CHART_TICKS_MAX = 64, ML_CHART_TICK_HEIGHT = 50 /* pixels a mark of y */ };

/*
 * The marks of an axis, about `wanted` of them: at powers of two if it is logarithmic,
 * else at 1, 2 or 5 times a power of ten. All texts have as many decimals as the step
 * needs. Returns how many there are.
 */
size_t ml_chart_ticks(struct ml_chart_tick t[ML_CHART_TICKS_MAX], double low, double high,
		      bool log_scale, enum ml_chart_format format, double wanted);

double ml_chart_x(const struct ml_chart *c, double v);
double ml_chart_y(const struct ml_chart *c, double v);

/* Widens y_low and y_high to round numbers, and to 0 if 0 is near. */
void ml_chart_round(struct ml_chart *c);
/* Later drawings are clipped at the frame until the close. */
void ml_chart_clip(struct ml_chart *c);
void ml_chart_close(struct ml_chart *c);

/* Draws values of cells that divide the width evenly; NAN leaves a gap. */
void ml_chart_curve(struct ml_chart *c, const double *v, size_t count,
		    const struct ml_chart_line *l);
/* The same as steps: each value spans its whole cell, and the area below is filled. */
void ml_chart_steps(struct ml_chart *c, const double *v, size_t count,
		    const struct ml_chart_line *l);
void ml_chart_band(struct ml_chart *c, const double *low, const double *high,
		   size_t count, uint32_t rgb, double opacity);
/* Draws a vertical line through the frame. */
void ml_chart_moment(struct ml_chart *c, double x, unsigned colour);
void ml_chart_dot(struct ml_chart *c, double x, double y, double radius, uint32_t rgb,
		  const char *title);

/* The SVG attribute of dash 0 (solid) to 3; larger numbers start over. */
const char *ml_chart_dash(unsigned dash);
/* The same in pixels: lengths of strokes and gaps by turns; ends with 0. */
enum { ML_CHART_DASH_ROOM = 5 };
const uint8_t *ml_chart_dash_lengths(unsigned dash);
/* A value in the format of an axis. */
const char *ml_chart_text(char text[ML_COORDINATE_ROOM], enum ml_chart_format format,
			  double v);

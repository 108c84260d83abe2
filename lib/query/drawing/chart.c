#include "lib/query/drawing/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double share(double v, double low, double high, bool log_scale)
{
	return log_scale ? log(v / low) / log(high / low) : (v - low) / (high - low);
}

double ml_chart_x(const struct ml_chart *c, double v)
{
	return c->x + c->width * share(v, c->x_low, c->x_high, c->x_log);
}

double ml_chart_y(const struct ml_chart *c, double v)
{
	return c->y + c->height * (1 - share(v, c->y_low, c->y_high, c->y_log));
}

/* 1, 2 or 5 times a power of ten, so that about `wanted` steps fit into span. */
static double round_step(double span, double wanted)
{
	double min = span / wanted, power = pow(10, floor(log10(min)));
	double r = min / power;

	return power * (r <= 1 ? 1 : r <= 2 ? 2 : r <= 5 ? 5 : 10);
}

void ml_chart_round(struct ml_chart *c)
{
	if (!(c->y_high > c->y_low)) {
		double around = fabs(c->y_high) > 0 ? fabs(c->y_high) * 0.1 : 1;

		c->y_low -= c->y_low > 0 && c->y_low < around ? c->y_low : around;
		c->y_high += around;
	}
	if (c->y_low > 0 && c->y_low < 0.6 * c->y_high)
		c->y_low = 0;
	if (c->y_high < 0 && c->y_high > 0.6 * c->y_low)
		c->y_high = 0;
	double step = round_step(c->y_high - c->y_low, 5) / 2;
	c->y_low = floor(c->y_low / step + 1e-9) * step;
	c->y_high = ceil(c->y_high / step - 1e-9) * step;
	if (c->y_format == ML_CHART_PERCENT && c->y_high > 1 && c->y_low >= 0)
		c->y_high = 1;
}

static const char *bytes_text(char text[ML_COORDINATE_ROOM], double v)
{
	static const char *const units[] = { "", "K", "M", "G", "T" };
	unsigned u = 0;

	while (u < 4 && v >= 1024) {
		v /= 1024;
		u++;
	}
	char number[ML_COORDINATE_ROOM];
	snprintf(text, ML_COORDINATE_ROOM, "%.20s%s", ml_picture_number(number, v),
		 units[u]);
	return text;
}

static const char *count_text(char text[ML_COORDINATE_ROOM], double v)
{
	static const char *const units[] = { "", " k", " M", " G", " T" };
	unsigned u = 0;
	char number[ML_COORDINATE_ROOM];

	while (u < 4 && v >= 1000) {
		v /= 1000;
		u++;
	}
	snprintf(text, ML_COORDINATE_ROOM, "%.20s%s",
		 ml_picture_number(number, u ? v : round(v)), units[u]);
	return text;
}

const char *ml_chart_text(char text[ML_COORDINATE_ROOM], enum ml_chart_format format,
			  double v)
{
	char number[ML_COORDINATE_ROOM];

	switch (format) {
	case ML_CHART_BYTES: return bytes_text(text, v);
	case ML_CHART_COUNT: return count_text(text, v);
	case ML_CHART_PERCENT:
		snprintf(text, ML_COORDINATE_ROOM, "%.20s %%",
			 ml_picture_number(number, 100 * v));
		return text;
	default:
		if (fabs(v) > 0 && fabs(v) < 0.1) {
			snprintf(text, ML_COORDINATE_ROOM, "%.2g", v);
			return text;
		}
		return ml_picture_number(text, v);
	}
}

/* Decimals that tell marks `step` apart. */
static int decimals(double step)
{
	double n = -floor(log10(step) + 1e-9);

	return n < 0 ? 0 : n > 6 ? 6 : (int)n;
}

static void tick_text(char text[ML_COORDINATE_ROOM], enum ml_chart_format format,
		      double v, double step)
{
	const char *sign = v < 0 ? "\u2212" : "";
	char number[ML_COORDINATE_ROOM];

	v = fabs(v);
	if (format == ML_CHART_PERCENT)
		snprintf(text, ML_COORDINATE_ROOM, "%s%.*f %%", sign,
			 decimals(100 * step), 100 * v);
	else if (format == ML_CHART_NUMBER && v < 10000)
		snprintf(text, ML_COORDINATE_ROOM, "%s%.*f", sign, decimals(step), v);
	else
		snprintf(text, ML_COORDINATE_ROOM, "%s%.24s", sign,
			 ml_chart_text(
				 number,
				 format == ML_CHART_NUMBER ? ML_CHART_COUNT : format, v));
}

size_t ml_chart_ticks(struct ml_chart_tick t[ML_CHART_TICKS_MAX], double low, double high,
		      bool log_scale, enum ml_chart_format format, double wanted)
{
	size_t n = 0;

	if (log_scale) {
		double octaves = log2(high / low);
		double step = octaves > wanted ? ceil(octaves / wanted) : 1;
		double v = ceil(log2(low) - 1e-9);

		for (; v <= log2(high) + 1e-9 && n < ML_CHART_TICKS_MAX; v += step, n++) {
			t[n].at = exp2(v);
			ml_chart_text(t[n].text, format, t[n].at);
		}
		return n;
	}
	double step = round_step(high - low, wanted < 1 ? 1 : wanted);
	if (format == ML_CHART_COUNT && step < 1)
		step = 1;
	double i = ceil(low / step - 1e-9);
	for (; i * step <= high + step * 1e-9 && n < ML_CHART_TICKS_MAX; i++, n++) {
		t[n].at = fabs(i) > 0 ? i * step : 0; /* not -0 */
		tick_text(t[n].text, format, t[n].at, step);
	}
	return n;
}

void ml_chart_clip(struct ml_chart *c)
{
	char n[4][ML_COORDINATE_ROOM];

	ml_picture_put(c->p,
		       "<clipPath id=\"frame%u\"><rect x=\"%s\" y=\"%s\" width=\"%s\" "
		       "height=\"%s\"/></clipPath>\n<g clip-path=\"url(#frame%u)\">\n",
		       c->clip, ml_picture_number(n[0], c->x),
		       ml_picture_number(n[1], c->y - 1),
		       ml_picture_number(n[2], c->width),
		       ml_picture_number(n[3], c->height + 2), c->clip);
}

void ml_chart_close(struct ml_chart *c)
{
	ml_picture_put(c->p, "</g>\n");
}

static void put_title(struct ml_chart *c, const char *title)
{
	if (!title) {
		ml_picture_put(c->p, "/>\n");
		return;
	}
	ml_picture_put(c->p, "><title>");
	ml_picture_escape(c->p->out, title, strlen(title));
	ml_picture_put(c->p, "</title></path>\n");
}

static void put_point(struct ml_chart *c, char letter, double x, double y)
{
	char n[2][ML_COORDINATE_ROOM];
	double low = c->y - 2 * c->height, high = c->y + 3 * c->height;

	/* points far outside the frame need no exact position */
	y = y < low ? low : y > high ? high : y;
	ml_picture_put(c->p, "%c%s %s", letter, ml_picture_number(n[0], x),
		       ml_picture_number(n[1], y));
}

static const struct {
	const char *attribute;
	uint8_t lengths[ML_CHART_DASH_ROOM];
} dashes[] = {
	{ "", { 0 } },
	{ " stroke-dasharray=\"6 3\"", { 6, 3 } },
	{ " stroke-dasharray=\"2 2\"", { 2, 2 } },
	{ " stroke-dasharray=\"8 3 2 3\"", { 8, 3, 2, 3 } },
};

const char *ml_chart_dash(unsigned dash)
{
	return dashes[dash % 4].attribute;
}

const uint8_t *ml_chart_dash_lengths(unsigned dash)
{
	return dashes[dash % 4].lengths;
}

static void begin_line(struct ml_chart *c, const struct ml_chart_line *l)
{
	char n[ML_COORDINATE_ROOM];

	ml_picture_put(c->p,
		       "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"%s\" "
		       "stroke-linejoin=\"round\"%s",
		       l->rgb, ml_picture_number(n, l->thick), ml_chart_dash(l->dash));
	if (l->opacity < 1)
		ml_picture_put(c->p, " stroke-opacity=\"%.4g\"", l->opacity);
	ml_picture_put(c->p, " d=\"");
}

static double cell_x(const struct ml_chart *c, double cell, size_t count)
{
	return c->x + c->width * cell / (double)count;
}

void ml_chart_curve(struct ml_chart *c, const double *v, size_t count,
		    const struct ml_chart_line *l)
{
	bool open = false;

	begin_line(c, l);
	for (size_t i = 0; i < count; i++) {
		if (isnan(v[i])) {
			open = false;
			continue;
		}
		double y = ml_chart_y(c, v[i]);
		/* a single value between gaps is drawn as wide as its cell */
		if (!open && (i + 1 == count || isnan(v[i + 1]))) {
			put_point(c, 'M', cell_x(c, (double)i, count), y);
			put_point(c, 'L', cell_x(c, (double)i + 1, count), y);
			continue;
		}
		put_point(c, open ? 'L' : 'M', cell_x(c, (double)i + 0.5, count), y);
		open = true;
	}
	ml_picture_put(c->p, "\"");
	put_title(c, l->title);
}

/* The end of the cells that agree with cell i. */
static size_t step_end(const double *v, size_t count, size_t i)
{
	size_t end = i + 1;

	while (end < count && v[end] >= v[i] && v[end] <= v[i])
		end++;
	return end;
}

void ml_chart_steps(struct ml_chart *c, const double *v, size_t count,
		    const struct ml_chart_line *l)
{
	struct ml_chart_line solid = *l;
	double bottom = c->y + c->height;
	bool open = false;

	ml_picture_put(c->p, "<path fill=\"#%06x\" fill-opacity=\"%.4g\" d=\"", l->rgb,
		       l->opacity);
	for (size_t i = 0; i < count; i = step_end(v, count, i)) {
		double from = cell_x(c, (double)i, count),
		       to = cell_x(c, (double)step_end(v, count, i), count);

		if (isnan(v[i]))
			continue;
		put_point(c, 'M', from, bottom);
		put_point(c, 'L', from, ml_chart_y(c, v[i]));
		put_point(c, 'L', to, ml_chart_y(c, v[i]));
		put_point(c, 'L', to, bottom);
	}
	ml_picture_put(c->p, "\"/>\n");
	solid.opacity = 1;
	begin_line(c, &solid);
	for (size_t i = 0, end; i < count; i = end) {
		end = step_end(v, count, i);
		if (isnan(v[i])) {
			open = false;
			continue;
		}
		double y = ml_chart_y(c, v[i]);
		put_point(c, open ? 'L' : 'M', cell_x(c, (double)i, count), y);
		put_point(c, 'L', cell_x(c, (double)end, count), y);
		open = true;
	}
	ml_picture_put(c->p, "\"/>\n");
}

void ml_chart_band(struct ml_chart *c, const double *low, const double *high,
		   size_t count, uint32_t rgb, double opacity)
{
	ml_picture_put(c->p, "<path fill=\"#%06x\" fill-opacity=\"%.4g\" d=\"", rgb,
		       opacity);
	for (size_t i = 0, end; i < count; i = end) {
		end = i + 1;
		if (isnan(low[i]) || isnan(high[i]))
			continue;
		while (end < count && !isnan(low[end]) && !isnan(high[end]))
			end++;
		for (size_t k = i; k < end; k++)
			put_point(c, k == i ? 'M' : 'L',
				  cell_x(c, (double)k + 0.5, count),
				  ml_chart_y(c, high[k]));
		for (size_t k = end; k-- > i;)
			put_point(c, 'L', cell_x(c, (double)k + 0.5, count),
				  ml_chart_y(c, low[k]));
		ml_picture_put(c->p, "z");
	}
	ml_picture_put(c->p, "\"/>\n");
}

void ml_chart_moment(struct ml_chart *c, double x, unsigned colour)
{
	char n[3][ML_COORDINATE_ROOM];

	ml_picture_put(c->p, "<path stroke-opacity=\"0.45\" d=\"M%s %sv%s\"",
		       ml_picture_number(n[0], ml_chart_x(c, x)),
		       ml_picture_number(n[1], c->y), ml_picture_number(n[2], c->height));
	ml_picture_stroke(c->p, colour);
	ml_picture_put(c->p, "/>\n");
}

void ml_chart_dot(struct ml_chart *c, double x, double y, double radius, uint32_t rgb,
		  const char *title)
{
	char n[3][ML_COORDINATE_ROOM];

	ml_picture_put(c->p, "<path fill=\"#%06x\" d=\"M%s %sa%s %s 0 1 0 0.01 0z\"", rgb,
		       ml_picture_number(n[0], ml_chart_x(c, x)),
		       ml_picture_number(n[1], ml_chart_y(c, y) - radius),
		       ml_picture_number(n[2], radius), n[2]);
	put_title(c, title);
}

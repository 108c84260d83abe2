#include "lib/query/drawing/picture.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"

const struct ml_palette ml_palette_light = {
	.colour = { 0xffffff, 0xf7f7f5, 0xe3e3df, 0x1c1e21, 0x5f646b, 0xe0a100, 0xefefec,
		    0x0a9bb8, 0xe8750c, 0x2166ac, 0x67a9cf, 0xa98cc0, 0xef8a62,
		    0xb2182b },
	.heat = { 0xeaf3ea, 0xb9dcc4, 0x72bba9, 0x3a8f9a, 0x2b6282, 0x2a3462 },
};

const struct ml_palette ml_palette_dark = {
	.colour = { 0x15171b, 0x1b1e23, 0x2c3038, 0xe6e8eb, 0x9ba1ab, 0xffcf3f, 0x22262c,
		    0x2fc6e0, 0xff9438, 0x3b82d0, 0x82c0ea, 0xc6add2, 0xf7a27c,
		    0xe23b4e },
	.heat = { 0x20303a, 0x27506a, 0x2f7c8c, 0x52ab96, 0x9bd39a, 0xf3f2b0 },
};

uint32_t ml_colour_mix(uint32_t a, uint32_t b, double t)
{
	uint32_t out = 0;

	for (int shift = 0; shift <= 16; shift += 8) {
		double x = a >> shift & 255, y = b >> shift & 255;

		out |= (uint32_t)lround(x + (y - x) * t) << shift;
	}
	return out;
}

uint32_t ml_palette_colour(const struct ml_palette *p, unsigned colour)
{
	if (colour < ML_COLOUR_HEAT)
		return p->colour[colour];
	/* the palest part is left out, so that little does not look like nothing */
	double step = (double)(colour - ML_COLOUR_HEAT) / (ML_COLOUR_HEATS - 1);
	double at = (0.15 + 0.85 * step) * 5;
	unsigned i = at < 4 ? (unsigned)at : 4;

	return ml_colour_mix(p->heat[i], p->heat[i + 1], at - i);
}

unsigned ml_colour_of_level(unsigned k, unsigned n)
{
	/* the middle one of three must not look like a write */
	static const uint8_t pick[5][5] = {
		{ 4 }, { 0, 4 }, { 0, 2, 4 }, { 0, 1, 3, 4 }, { 0, 1, 2, 3, 4 },
	};

	return ML_COLOUR_LEVEL + pick[(n < 5 ? n : 5) - 1][k < 4 ? k : 4];
}

const char *ml_picture_number(char text[ML_COORDINATE_ROOM], double v)
{
	snprintf(text, ML_COORDINATE_ROOM, "%.2f", v);
	char *end = text + strlen(text);
	while (end[-1] == '0')
		*--end = 0;
	if (end[-1] == '.')
		end[-1] = 0;
	return !strcmp(text, "-0") ? strcpy(text, "0") : text;
}

void ml_picture_put(struct ml_picture *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ml_buf_vprintf(p->out, fmt, ap);
	va_end(ap);
}

void ml_picture_fill(struct ml_picture *p, unsigned colour)
{
	if (p->palette)
		ml_picture_put(p, " fill=\"#%06x\"",
			       ml_palette_colour(p->palette, colour));
	else
		ml_picture_put(p, " class=\"c%u\"", colour);
}

void ml_picture_stroke(struct ml_picture *p, unsigned colour)
{
	if (p->palette)
		ml_picture_put(p, " fill=\"none\" stroke=\"#%06x\"",
			       ml_palette_colour(p->palette, colour));
	else
		ml_picture_put(p, " class=\"c%u stroke\"", colour);
}

void ml_picture_style(const struct ml_palette *p, struct ml_buf *out)
{
	struct ml_picture x = { .out = out };

	for (unsigned i = 0; i < ML_COLOURS; i++)
		ml_picture_put(&x, ".c%u{--c:#%06x}", i, ml_palette_colour(p, i));
}

/* Length of the UTF-8 character at text; 0: it is invalid, or XML forbids it. */
static size_t character(const uint8_t *text, size_t size)
{
	uint32_t c = text[0];
	size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

	if (n == 1)
		return (c >= 0x20 && c != 0x7f) || c == '\t' || c == '\n' || c == '\r';
	if (!n || n > size || c > 0xf4)
		return 0;
	c &= 0xffu >> (n + 1);
	for (size_t i = 1; i < n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (text[i] & 0x3f);
	}
	bool overlong = (n == 3 && c < 0x800) || (n == 4 && c < 0x10000);

	/* no surrogates, no non-characters at the end of a plane, no C1 controls */
	if (overlong || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ||
	    (c & 0xfffe) == 0xfffe || (c >= 0x80 && c < 0xa0))
		return 0;
	return n;
}

void ml_picture_escape(struct ml_buf *out, const char *text, size_t size)
{
	const uint8_t *at = (const uint8_t *)text;

	for (size_t i = 0, n; i < size; i += n) {
		const char *entity = at[i] == '<'    ? "&lt;"
				     : at[i] == '>'  ? "&gt;"
				     : at[i] == '&'  ? "&amp;"
				     : at[i] == '"'  ? "&quot;"
				     : at[i] == '\'' ? "&#39;"
						     : NULL;

		n = character(at + i, size - i);
		if (entity)
			ml_buf_put(out, entity, strlen(entity));
		else if (n)
			ml_buf_put(out, at + i, n);
		else {
			ml_buf_put(out, "\xef\xbf\xbd", 3);
			n = 1;
		}
	}
}

void ml_picture_begin(struct ml_picture *p, double width, double height,
		      const char *label)
{
	char w[ML_COORDINATE_ROOM], h[ML_COORDINATE_ROOM];

	ml_picture_number(w, width);
	ml_picture_number(h, height);
	ml_picture_put(
		p,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\" "
		"viewBox=\"0 0 %s %s\" role=\"img\" font-family=\"system-ui, "
		"-apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif\" "
		"font-size=\"11\" aria-label=\"",
		w, h, w, h);
	ml_picture_escape(p->out, label, strlen(label));
	ml_picture_put(p, "\">\n");
	if (p->palette)
		ml_picture_rect(p, 0, 0, width, height, ML_COLOUR_BACKGROUND);
}

void ml_picture_end(struct ml_picture *p)
{
	ml_picture_put(p, "</svg>\n");
}

void ml_picture_rect(struct ml_picture *p, double x, double y, double width,
		     double height, unsigned colour)
{
	char n[4][ML_COORDINATE_ROOM];

	ml_picture_put(p, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"",
		       ml_picture_number(n[0], x), ml_picture_number(n[1], y),
		       ml_picture_number(n[2], width), ml_picture_number(n[3], height));
	ml_picture_fill(p, colour);
	ml_picture_put(p, "/>\n");
}

static void put_text(struct ml_picture *p, double x, double y, enum ml_anchor anchor,
		     unsigned colour, double size, const char *text, size_t bytes,
		     const char *behind)
{
	static const char *const anchors[] = { "", " text-anchor=\"middle\"",
					       " text-anchor=\"end\"" };
	char n[2][ML_COORDINATE_ROOM], font[ML_COORDINATE_ROOM];

	ml_picture_put(p, "<text x=\"%s\" y=\"%s\"%s", ml_picture_number(n[0], x),
		       ml_picture_number(n[1], y), anchors[anchor]);
	if (fabs(size - 11) > 0.01)
		ml_picture_put(p, " font-size=\"%s\"", ml_picture_number(font, size));
	ml_picture_fill(p, colour);
	ml_picture_put(p, ">");
	ml_picture_escape(p->out, text, bytes);
	ml_picture_put(p, "%s</text>\n", behind);
}

void ml_picture_text(struct ml_picture *p, double x, double y, enum ml_anchor anchor,
		     unsigned colour, double size, const char *text)
{
	put_text(p, x, y, anchor, colour, size, text, strlen(text), "");
}

/* The fonts of the reader are unknown, so this is a wide guess. */
double ml_picture_width(const char *text, double size)
{
	double n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) == 0x80            ? 0
		     : strchr("ilj.,:;|'()[] ", *text) ? 0.34
						       : 0.6;
	return n * size;
}

void ml_picture_text_within(struct ml_picture *p, double x, double y, double room,
			    unsigned colour, double size, const char *text)
{
	size_t bytes = strlen(text), fits = (size_t)(room / (0.6 * size));

	if (ml_picture_width(text, size) <= room) {
		put_text(p, x, y, ML_ANCHOR_START, colour, size, text, bytes, "");
		return;
	}
	if (fits < 2)
		return;
	size_t end = 0;
	for (size_t n = 0; end < bytes && n + 1 < fits; n++)
		do
			end++;
		while (end < bytes && (text[end] & 0xc0) == 0x80);
	put_text(p, x, y, ML_ANCHOR_START, colour, size, text, end, "…");
}

/* Counts runs of equal cells in one direction. */
static size_t count_runs(const uint8_t *colour, size_t lines, size_t length, size_t line,
			 size_t step)
{
	size_t n = 0;

	for (size_t i = 0; i < lines; i++)
		for (size_t k = 0; k < length; k++)
			n += !k || colour[i * line + k * step] !=
					   colour[i * line + (k - 1) * step];
	return n;
}

static void put_runs(struct ml_picture *p, const uint8_t *colour, size_t across,
		     size_t down, bool upright, uint8_t which)
{
	size_t lines = upright ? across : down, length = upright ? down : across;
	size_t line = upright ? 1 : across, step = upright ? across : 1;
	bool any = false;

	for (size_t i = 0; i < lines; i++)
		for (size_t k = 0, end; k < length; k = end) {
			end = k + 1;
			if (colour[i * line + k * step] != which)
				continue;
			while (end < length && colour[i * line + end * step] == which)
				end++;
			if (!any) {
				ml_picture_put(p, "<path");
				ml_picture_fill(p, which);
				ml_picture_put(p, " d=\"");
				any = true;
			}
			if (upright)
				ml_picture_put(p, "M%zu %zuv%zuh1V%zuz", i, k, end - k,
					       k);
			else
				ml_picture_put(p, "M%zu %zuh%zuv1H%zuz", k, i, end - k,
					       k);
		}
	if (any)
		ml_picture_put(p, "\"/>\n");
}

void ml_picture_grid(struct ml_picture *p, const uint8_t *colour, size_t across,
		     size_t down)
{
	bool upright = count_runs(colour, across, down, 1, across) <
		       count_runs(colour, down, across, across, 1);

	for (uint8_t which = 0; which < ML_COLOURS; which++)
		put_runs(p, colour, across, down, upright, which);
}

uint64_t ml_picture_step(uint64_t span, unsigned wanted)
{
	uint64_t step = 1;

	for (unsigned i = 0; span / step > wanted; i++)
		step = i % 3 == 1 ? step / 2 * 5 : step * 2; /* 1, 2, 5, 10, 20... */
	return step;
}

const char *ml_picture_count(char text[ML_COORDINATE_ROOM], uint64_t v, uint64_t step)
{
	static const char *const units[] = { "", "k", "M", "G", "T" };
	unsigned unit = 0;
	uint64_t scale = 1;

	/* the largest unit in which one decimal still tells two marks apart */
	while (unit < 4 && scale * 100 <= step && scale * 1000 <= v) {
		scale *= 1000;
		unit++;
	}
	if (v % scale)
		snprintf(text, ML_COORDINATE_ROOM, "%.1f %s", (double)v / (double)scale,
			 units[unit]);
	else
		snprintf(text, ML_COORDINATE_ROOM, "%llu%s%s",
			 (unsigned long long)(v / scale), unit ? " " : "", units[unit]);
	return text;
}

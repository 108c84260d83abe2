/*
 * Pictures as SVG. A picture is drawn either by itself, with the colours of the light
 * or the dark palette, or into a page: then its shapes have classes, and the page's
 * style (ml_picture_style) gives them their colours, light and dark. The colours are
 * those of web/src/draw/colours.ts.
 *
 *	struct ml_picture p = { .out = &buf, .palette = &ml_palette_light };
 *
 *	ml_picture_begin(&p, 640, 200, "timeline");
 *	ml_picture_rect(&p, 0, 0, 10, 10, ML_COLOUR_LEVEL + 4);
 *	ml_picture_text(&p, 20, 12, ML_ANCHOR_START, ML_COLOUR_TEXT, 11, name);
 *	ml_picture_end(&p);
 *
 * Texts may be any foreign bytes; the picture is well-formed all the same.
 * Held by tests/query/test_picture.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_buf;

enum { ML_COLOUR_LEVELS = 5, ML_COLOUR_HEATS = 16 };

/* LEVEL + i is the i-th colour of levels, HEAT + i the i-th step from little to much. */
enum ml_colour {
	ML_COLOUR_BACKGROUND,
	ML_COLOUR_PANEL,
	ML_COLOUR_GRID,
	ML_COLOUR_TEXT,
	ML_COLOUR_MUTED,
	ML_COLOUR_LAMP,
	ML_COLOUR_EMPTY,
	ML_COLOUR_READ,
	ML_COLOUR_WRITE,
	ML_COLOUR_LEVEL,
	ML_COLOUR_HEAT = ML_COLOUR_LEVEL + ML_COLOUR_LEVELS,
	ML_COLOURS = ML_COLOUR_HEAT + ML_COLOUR_HEATS
};

struct ml_palette {
	uint32_t colour[ML_COLOUR_HEAT]; /* 0xrrggbb */
	uint32_t heat[6];                /* the heat steps are mixed from these */
};

extern const struct ml_palette ml_palette_light, ml_palette_dark;

uint32_t ml_palette_colour(const struct ml_palette *p, unsigned colour);
/* The colour that lies the share t of the way from a to b. */
uint32_t ml_colour_mix(uint32_t a, uint32_t b, double t);
/* The colour of serving level k (from 0) of n, memory being the last. */
unsigned ml_colour_of_level(unsigned k, unsigned n);

struct ml_picture {
	struct ml_buf *out;
	const struct ml_palette *palette; /* NULL: the picture is drawn into a page */
};

/* Sizes are pixels. Screen readers read the `label`. */
void ml_picture_begin(struct ml_picture *p, double width, double height,
		      const char *label);
void ml_picture_end(struct ml_picture *p);

/* Writes markup as it is; no argument may be foreign text. */
void ml_picture_put(struct ml_picture *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Writes the attribute ` fill="#2166ac"` or ` class="c9"`. */
void ml_picture_fill(struct ml_picture *p, unsigned colour);
void ml_picture_stroke(struct ml_picture *p, unsigned colour);

void ml_picture_rect(struct ml_picture *p, double x, double y, double width,
		     double height, unsigned colour);
enum ml_anchor { ML_ANCHOR_START, ML_ANCHOR_MIDDLE, ML_ANCHOR_END };
void ml_picture_text(struct ml_picture *p, double x, double y, enum ml_anchor anchor,
		     unsigned colour, double size, const char *text);
/*
 * Writes as much of the text as fits into `room` pixels, with an ellipsis if it is cut.
 */
void ml_picture_text_within(struct ml_picture *p, double x, double y, double room,
			    unsigned colour, double size, const char *text);
/* An estimate of the width of a text, in pixels. */
double ml_picture_width(const char *text, double size);

/*
 * A grid of cells of one pixel each, to be scaled by a transform around it. The colour
 * ML_COLOURS draws nothing. All cells of a colour are one path; neighbours are joined in
 * the direction that joins more cells.
 */
void ml_picture_grid(struct ml_picture *p, const uint8_t *colour, size_t across,
		     size_t down);

/* A number in as few characters as possible: "12.5", "3". */
enum { ML_COORDINATE_ROOM = 32 };
const char *ml_picture_number(char text[ML_COORDINATE_ROOM], double v);

/* Writes the CSS rules of the classes, in the colours of a palette. */
void ml_picture_style(const struct ml_palette *p, struct ml_buf *out);

/*
 * Writes foreign bytes as text of XML or HTML: markup is escaped, and bytes that neither
 * allows (control characters, invalid UTF-8) become U+FFFD.
 */
void ml_picture_escape(struct ml_buf *out, const char *text, size_t size);

/* A round distance between about `wanted` marks of an axis as long as span; at least 1.
 */
uint64_t ml_picture_step(uint64_t span, unsigned wanted);
/* "250", "1.2 k", "30 M": a count on an axis whose marks are `step` apart. */
const char *ml_picture_count(char text[ML_COORDINATE_ROOM], uint64_t v, uint64_t step);

#include "lib/query/trace/pictures/picture_regions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/table.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/drawing/picture.h"
#include "lib/query/trace/pictures/picture_time.h"
#include "lib/query/trace/tables/profile_rows.h"
#include "lib/query/trace/open/walk.h"

enum {
	LEFT = 16,
	FIELDS = 76, /* room for the names of a structure's parts */
	HEAD = 58,   /* title and legend */
	CAPTION = 24,
	SPACE = 14, /* space between maps */
	STRIP = 22, /* height of a strip */
	CELL = 16,  /* maximal pixels of a cell */
	ROWS_MAX = 2048,
	NEGLIGIBLE = 200, /* a region with less than one in so many of the cycles lost to
			the user's regions gets no picture */
};

static bool is_users(const struct ml_profile_region_row *r)
{
	return r->count.refs && !ml_code_is_theirs(r->own, r->count.refs);
}

size_t ml_picture_costliest(const struct ml_open_sim *s,
			    const struct ml_profile_rows *rows, uint32_t *regions,
			    size_t max)
{
	double lost = 0;
	size_t n = 0;

	for (size_t i = 0; i < rows->regions.count; i++)
		if (is_users(&rows->regions.at[i]))
			lost += rows->regions.at[i].count.lost;
	for (size_t i = 0; i < rows->regions.count && n < max; i++) {
		const struct ml_profile_region_row *r = &rows->regions.at[i];

		if (is_users(r) && (!n || r->count.lost * NEGLIGIBLE > lost) &&
		    ml_open_trace_extent(s->trace, r->region))
			regions[n++] = r->region;
	}
	return n;
}

void ml_picture_cell_size(const struct ml_heat_map *m, double width, double height,
			  double *cell_width, double *cell_height)
{
	double w = width / (double)ml_heat_across(m),
	       h = height / (double)ml_heat_down(m);

	w = w >= 3 ? floor(w) : w;
	h = h >= 3 ? floor(h) : h;
	if (!m->pitch) { /* a strip takes the whole width */
		*cell_width = w < 2 * CELL ? width / (double)ml_heat_across(m) : 2 * CELL;
		*cell_height = STRIP;
		return;
	}
	w = w < CELL ? w : CELL;
	h = h < CELL ? h : CELL;
	if (!m->turned)
		w = h = w < h ? w : h;
	*cell_width = w;
	*cell_height = m->turned && h < 12 && 12 * (double)ml_heat_down(m) <= height ? 12
										     : h;
}

void ml_picture_fields(struct ml_picture *p, const struct ml_heat_map *m, double x,
		       double y, double cell_height)
{
	for (size_t i = 0; i < m->field_count; i++) {
		double height = m->fields[i].cells * cell_height;

		if (height >= 9)
			ml_picture_text(
				p, x, y + m->fields[i].at * cell_height + height / 2 + 4,
				ML_ANCHOR_END, ML_COLOUR_MUTED, 10, m->fields[i].name);
	}
}

/* "double A, 64 x 64, 32.0 KiB · a cell is one element" */
static void put_caption(struct ml_picture *p, const struct ml_heat_map *m, double x,
			double y, double room)
{
	char bytes[ML_NUMBER_ROOM], text[400];

	snprintf(text, sizeof(text), "%s%s%s%s%s, %s%s%s", m->name, *m->type ? ": " : "",
		 m->type, m->shape ? ", " : "", m->shape ? m->shape : "",
		 ml_format_bytes(bytes, m->bytes), m->cell ? " · a cell is " : "",
		 m->cell ? m->cell : "");
	ml_picture_text_within(p, x, y, room, ML_COLOUR_TEXT, 12, text);
}

static bool lay_out(struct ml_heat_map *maps, struct ml_open_sim *s,
		    const struct ml_picture_regions *r, size_t across, size_t down,
		    struct ml_arena *a, struct ml_err *err)
{
	for (size_t i = 0; i < r->count; i++)
		if (!ml_heat_lay_out(&maps[i], s->trace, r->regions[i], across, down, a))
			return ml_fail(err, ML_USAGE, "the size of region %u is unknown",
				       r->regions[i]);
	return true;
}

/* Places a map: returns its height; *x is its left edge. */
static double place(const struct ml_heat_map *m, double width, double height, double *x,
		    double *cw, double *ch)
{
	*x = LEFT + (m->field_count ? FIELDS : 0);
	ml_picture_cell_size(m, width - *x - LEFT, height, cw, ch);
	return *ch * (double)ml_heat_down(m);
}

static void put_maps(struct ml_picture *p, struct ml_open_sim *s,
		     const struct ml_picture_regions *r, const struct ml_heat_map *maps,
		     double each)
{
	struct ml_heat_scale scale;
	char what[100], title[ML_TITLE_ROOM];
	double y = HEAD, x, cw, ch;

	ml_heat_scale(&scale, r->question.mode, maps, r->count);
	for (size_t i = 0; i < r->count; i++)
		y += CAPTION + SPACE + place(&maps[i], r->width, each, &x, &cw, &ch);
	snprintf(what, sizeof(what), "Memory regions (%s)",
		 ml_heat_names[r->question.mode]);
	ml_picture_title(s, r->question.from, r->question.to, what, title);
	ml_picture_begin(p, r->width, r->height > 0 ? r->height : y, title);
	ml_picture_text_within(p, LEFT, 22, r->width - 2 * LEFT, ML_COLOUR_TEXT, 14,
			       title);
	ml_heat_legend(p, &scale, s, LEFT, 30);
	y = HEAD;
	for (size_t i = 0; i < r->count; i++) {
		double height = place(&maps[i], r->width, each, &x, &cw, &ch);

		put_caption(p, &maps[i], LEFT, y + CAPTION - 8, r->width - 2 * LEFT);
		ml_picture_fields(p, &maps[i], x - 6, y + CAPTION, ch);
		ml_heat_draw(p, &maps[i], &scale, x, y + CAPTION, cw, ch);
		y += CAPTION + SPACE + height;
	}
	ml_picture_end(p);
}

bool ml_picture_heat(struct ml_picture *p, struct ml_open_sim *s,
		     const struct ml_picture_regions *r, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct ml_heat_map *maps = ml_arena_alloc(&a, (r->count + 1) * sizeof(*maps));
	double each = r->width * 0.6;

	if (r->height > 0 && r->count)
		each = (r->height - HEAD) / (double)r->count - CAPTION - SPACE;
	each = each > 8 ? each : 8;
	double pixel = r->count == 1 ? 2 : 4; /* minimal pixels of a cell */
	size_t across = (size_t)((r->width - 2 * LEFT - FIELDS) / pixel),
	       down = (size_t)(each / pixel);
	bool ok = lay_out(maps, s, r, across, down ? down : 1, &a, err) &&
		  ml_heat_gather(maps, r->count, s, &r->question, &a, err);

	if (ok)
		put_maps(p, s, r, maps, each);
	ml_arena_release(&a);
	return ok;
}

struct plane {
	const struct ml_picture_regions *r;
	uint32_t region;
	uint64_t bytes;
	size_t rows, columns;
	uint8_t *served; /* by cell: the farthest level that served; finally its colour */
};

static bool paint(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct plane *x = arg;
	const struct ml_heat_question *q = &x->r->question;
	double length = (double)(q->to - q->from);

	if (!ml_work_goes_on(q->work, err))
		return false;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		if (w->e.region[i] != x->region || w->offset[i] >= x->bytes)
			continue;
		size_t row = (size_t)((double)w->offset[i] / (double)x->bytes *
				      (double)x->rows);
		size_t column = (size_t)((double)(w->e.position + i - q->from) / length *
					 (double)x->columns);
		uint8_t served = (uint8_t)ml_outcome_served(w->e.outcome[i]);
		uint8_t *cell = &x->served[row * x->columns + column];

		*cell = served > *cell ? served : *cell;
	}
	ml_work_progress(q->work, "drawing", w->e.position + w->e.refs->count - q->from,
			 q->to - q->from);
	return true;
}

static void put_plane(struct ml_picture *p, struct ml_open_sim *s, const struct plane *x,
		      const struct ml_heat_map *m, double width, double height)
{
	unsigned levels = s->machine.levels + 1;
	const struct ml_heat_question *q = &x->r->question;
	char title[ML_TITLE_ROOM], n[2][ML_COORDINATE_ROOM], count[ML_NUMBER_ROOM];
	double top = HEAD + CAPTION, bottom = top + height;

	ml_picture_title(s, q->from, q->to, "A region against time", title);
	ml_picture_begin(p, width + 2 * LEFT, bottom + 24, title);
	ml_picture_text_within(p, LEFT, 22, width, ML_COLOUR_TEXT, 14, title);
	ml_picture_levels(p, s, levels, LEFT, 44);
	put_caption(p, m, LEFT, HEAD + CAPTION - 8, width);
	ml_picture_rect(p, LEFT, top, width, height, ML_COLOUR_EMPTY);
	ml_picture_put(
		p,
		"<g shape-rendering=\"crispEdges\" data-rows=\"%zu\" "
		"data-columns=\"%zu\" transform=\"translate(%d %d) scale(%s %s)\">\n",
		x->rows, x->columns, LEFT, HEAD + CAPTION,
		ml_picture_number(n[0], width / (double)x->columns),
		ml_picture_number(n[1], height / (double)x->rows));
	for (size_t i = 0; i < x->rows * x->columns; i++)
		x->served[i] = x->served[i] ? (uint8_t)ml_colour_of_level(
						      x->served[i] - 1u, levels)
					    : ML_COLOURS;
	ml_picture_grid(p, x->served, x->columns, x->rows);
	ml_picture_put(p, "</g>\n");
	ml_picture_text(p, LEFT, bottom + 16, ML_ANCHOR_START, ML_COLOUR_MUTED, 11,
			ml_format_count(count, q->from));
	ml_picture_text(p, LEFT + width / 2, bottom + 16, ML_ANCHOR_MIDDLE,
			ML_COLOUR_MUTED, 11,
			"position in the run, references; first byte on top");
	ml_picture_text(p, LEFT + width, bottom + 16, ML_ANCHOR_END, ML_COLOUR_MUTED, 11,
			ml_format_count(count, q->to));
	ml_picture_end(p);
}

bool ml_picture_plane(struct ml_picture *p, struct ml_open_sim *s,
		      const struct ml_picture_regions *r, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct ml_heat_map map;
	double width = r->width - 2 * LEFT,
	       height = (r->height > 0 ? r->height : r->width * 0.6) - HEAD - CAPTION -
			24;
	struct plane x = { .r = r, .region = r->regions[0] };
	const struct ml_heat_question *q = &r->question;
	uint64_t length = q->to - q->from;

	height = height > 20 ? height : 20;
	bool ok = ml_heat_lay_out(&map, s->trace, x.region, 1, 1, &a) ||
		  ml_fail(err, ML_USAGE, "the size of region %u is unknown", x.region);
	if (ok) {
		uint64_t n = (map.bytes + map.elem - 1) / map.elem;

		x.bytes = map.bytes;
		x.rows = n < (uint64_t)height ? (size_t)n : (size_t)height;
		x.rows = x.rows < ROWS_MAX ? x.rows : ROWS_MAX;
		x.columns = length < (uint64_t)width ? (size_t)length : (size_t)width;
		x.served = ml_arena_alloc(&a, x.rows * x.columns + 1);
		map.cell = NULL;
		ok = ml_walk(s, NULL, q->from, q->to, ML_WALK_PLACES | ML_WALK_OUTCOMES,
			     paint, &x, err);
	}
	if (ok)
		put_plane(p, s, &x, &map, width, height);
	ml_arena_release(&a);
	return ok;
}

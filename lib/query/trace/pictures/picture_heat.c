#include "lib/query/trace/pictures/picture_heat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/divisor.h"
#include "lib/base/table.h"
#include "lib/query/workspace/request.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/pictures/grids.h"
#include "lib/query/drawing/picture.h"
#include "lib/trace/regions/region_lookup.h"

enum {
	WORD = 8,       /* bytes of an element of unknown size */
	PARTS_MAX = 64, /* parts of a structure; structures with more parts are drawn as
			   strips */
	SQUARE_MIN = 8, /* a matrix keeps so many cells on its shorter side */
};

#define IN_VAIN \
	1e-9 /* percent: bytes came in and none was used; 0 means that none came in */

const char *const ml_heat_names[ML_HEAT_MODES] = { "count", "misses",   "last", "first",
						   "reuse", "distance", "used" };

bool ml_heat_mode_find(enum ml_heat_mode *mode, const char *name, struct ml_err *err)
{
	for (unsigned i = 0; i < ML_HEAT_MODES; i++)
		if (!strcmp(ml_heat_names[i], name)) {
			*mode = (enum ml_heat_mode)i;
			return true;
		}
	return ml_fail(err, ML_USAGE,
		       "'%s' is no mode; modes are count, misses, last, first, reuse, "
		       "distance and used",
		       name);
}

size_t ml_heat_across(const struct ml_heat_map *m)
{
	return m->turned ? m->over : m->along;
}

size_t ml_heat_down(const struct ml_heat_map *m)
{
	return m->turned ? m->along : m->over;
}

static uint64_t parts_of(uint64_t whole, uint64_t part)
{
	return whole / part + (whole % part != 0);
}

static const char *number(struct ml_arena *a, uint64_t v)
{
	return ml_format_count(ml_arena_alloc(a, ML_NUMBER_ROOM), v);
}

/* The largest step that divides the start and the end of every field. */
static uint64_t field_step(const struct ml_tables *t, const struct ml_region *r)
{
	uint64_t step = r->elem;

	for (uint32_t i = 0; i < r->fields; i++) {
		const struct ml_field *f = &t->fields.at[r->field + i];

		step = ml_common_divisor(ml_common_divisor(step, f->offset), f->size);
	}
	return step;
}

static void note_fields(struct ml_heat_map *m, const struct ml_tables *t,
			const struct ml_region *r, struct ml_arena *a)
{
	struct ml_heat_field *fields = ml_arena_alloc(a, r->fields * sizeof(*fields));

	for (uint32_t i = 0; i < r->fields; i++) {
		const struct ml_field *f = &t->fields.at[r->field + i];

		fields[i] = (struct ml_heat_field){ ml_tables_text(t, f->name),
						    (double)f->offset / (double)m->size,
						    (double)f->size / (double)m->size };
	}
	m->fields = fields;
	m->field_count = r->fields;
}

/* Lays out a line of cells for each structure, drawn downwards. */
static void lay_structures(struct ml_heat_map *m, const struct ml_tables *t,
			   const struct ml_region *r, uint64_t step, size_t across,
			   struct ml_arena *a)
{
	uint64_t n = parts_of(m->bytes, m->elem);

	m->turned = true;
	m->pitch = m->elem;
	m->size = step;
	m->lines = parts_of(n, across);
	m->along = (size_t)(m->elem / step);
	m->over = (size_t)parts_of(n, m->lines);
	m->cell = m->lines > 1 ? ml_arena_printf(a, "%s bytes of %s structures",
						 number(a, step), number(a, m->lines))
			       : ml_arena_printf(a, "%s bytes of a structure",
						 number(a, step));
	m->shape = ml_arena_printf(a, "%s %s", number(a, n),
				   n == 1 ? "structure" : "structures");
	note_fields(m, t, r, a);
}

static void lay_matrix(struct ml_heat_map *m, uint64_t columns, size_t across,
		       size_t down, struct ml_arena *a)
{
	uint64_t rows = parts_of(m->bytes, columns * m->elem);
	uint64_t wide = parts_of(columns, across), high = parts_of(rows, down);
	uint64_t side = wide > high ? wide : high;

	/* square cells keep the proportions, unless one side would vanish */
	if (columns / side >= SQUARE_MIN && rows / side >= SQUARE_MIN)
		wide = high = side;
	m->pitch = columns * m->elem;
	m->size = wide * m->elem;
	m->lines = high;
	m->along = (size_t)parts_of(columns, wide);
	m->over = (size_t)parts_of(rows, high);
	m->shape = ml_arena_printf(a, "%s × %s", number(a, rows), number(a, columns));
	m->cell = wide * high == 1 ? "one element"
				   : ml_arena_printf(a, "%s × %s elements",
						     number(a, high), number(a, wide));
}

static void lay_strip(struct ml_heat_map *m, size_t across, struct ml_arena *a)
{
	uint64_t n = parts_of(m->bytes, m->elem), each = parts_of(n, across);

	m->size = each * m->elem;
	m->lines = 1;
	m->along = (size_t)parts_of(n, each);
	m->over = 1;
	if (m->known)
		m->shape = ml_arena_printf(a, "%s %s", number(a, n),
					   n == 1 ? "element" : "elements");
	m->cell = m->known && each == 1 ? "one element"
		  : m->known ? ml_arena_printf(a, "%s elements", number(a, each))
			     : ml_arena_printf(a, "%s bytes", number(a, m->size));
}

bool ml_heat_lay_out(struct ml_heat_map *m, const struct ml_open_trace *t,
		     uint32_t region, size_t max_across, size_t max_down,
		     struct ml_arena *a)
{
	const struct ml_tables *tables = &t->trace.tables;

	*m = (struct ml_heat_map){ .region = region,
				   .bytes = ml_open_trace_extent(t, region) };
	if (!m->bytes)
		return false;
	const struct ml_region *r = ml_region_lookup_region(t->summary.space, region);
	m->name = ml_region_lookup_name(t->summary.space, region);
	m->type = ml_tables_text(tables, r->type);
	m->known = r->elem && r->elem <= m->bytes;
	m->elem = m->known ? r->elem : m->bytes < WORD ? 1 : WORD;
	uint64_t step = r->fields > 1 && m->known ? field_step(tables, r) : 0;
	uint64_t columns = r->dims > 1 ? r->dim[r->dims - 1] : 0;
	if (step && m->elem / step <= PARTS_MAX)
		lay_structures(m, tables, r, step, max_across, a);
	else if (columns > 1 && columns <= m->bytes / m->elem)
		lay_matrix(m, columns, max_across, max_down, a);
	else
		lay_strip(m, max_across, a);
	m->value = ml_arena_alloc(a, m->along * m->over * sizeof(*m->value));
	return true;
}

static const enum ml_grid_mode grid_modes[ML_HEAT_MODES] = {
	[ML_HEAT_COUNT] = ML_GRID_COUNT, [ML_HEAT_MISSES] = ML_GRID_COUNT,
	[ML_HEAT_LAST] = ML_GRID_LAST,   [ML_HEAT_FIRST] = ML_GRID_FIRST,
	[ML_HEAT_REUSE] = ML_GRID_REUSE, [ML_HEAT_DISTANCE] = ML_GRID_DISTANCE,
	[ML_HEAT_USED] = ML_GRID_USED,
};

/* The value of a cell; 0: none. */
static double value_of(enum ml_heat_mode mode, const struct ml_grid_values *v, size_t i)
{
	switch (mode) {
	case ML_HEAT_LAST: return v->read[i] > v->write[i] ? v->read[i] : v->write[i];
	case ML_HEAT_FIRST: return v->time[i];
	case ML_HEAT_REUSE: return v->times[i] > 0 ? v->sum[i] / v->times[i] : 0;
	case ML_HEAT_DISTANCE: /* including the line itself */
		return v->times[i] > 0 ? 1 + v->sum[i] / v->times[i] : 0;
	case ML_HEAT_USED:
		if (!(v->bytes[i] > 0))
			return 0;
		return v->used[i] > 0 ? 100 * v->used[i] / v->bytes[i] : IN_VAIN;
	default: return v->read[i] + v->write[i];
	}
}

static void take_values(struct ml_heat_map *m, const struct ml_grid *g,
			enum ml_heat_mode mode)
{
	for (size_t k = 0; k < g->count; k++)
		m->value[k] = value_of(mode, &g->v, k);
	m->sum = g->references;
}

bool ml_heat_gather(struct ml_heat_map *maps, size_t count, struct ml_open_sim *s,
		    const struct ml_heat_question *q, struct ml_arena *a,
		    struct ml_err *err)
{
	struct ml_grids g = { .count = count,
			      .mode = grid_modes[q->mode],
			      .from = q->from,
			      .to = q->to,
			      .of = 1,
			      .beyond = q->mode == ML_HEAT_MISSES ? 1 : 0,
			      .work = q->work };

	g.at = ml_arena_alloc(a, (count + 1) * sizeof(*g.at));
	for (size_t i = 0; i < count; i++)
		g.at[i] = (struct ml_grid){ .region = maps[i].region,
					    .size = maps[i].size,
					    .pitch = maps[i].pitch,
					    .rows = maps[i].lines,
					    .across = maps[i].pitch ? maps[i].along : 1,
					    .count = maps[i].along * maps[i].over };
	if (count && !ml_grids_fill(&g, s, a, err))
		return false;
	for (size_t i = 0; i < count; i++)
		take_values(&maps[i], &g.at[i], q->mode);
	return true;
}

void ml_heat_scale(struct ml_heat_scale *s, enum ml_heat_mode mode,
		   const struct ml_heat_map *maps, size_t count)
{
	*s = (struct ml_heat_scale){ .mode = mode };
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < maps[i].along * maps[i].over; k++) {
			double v = maps[i].value[k];

			if (v <= 0)
				continue;
			s->low = s->high > 0 && s->low < v ? s->low : v;
			s->high = v > s->high ? v : s->high;
		}
	if (mode == ML_HEAT_LAST || mode == ML_HEAT_FIRST)
		return;
	if (mode == ML_HEAT_USED) { /* a colour means the same in every picture */
		s->high = s->high > 0 ? 100 : 0;
		s->low = 0;
		return;
	}
	s->log = s->high > 50 * s->low;
	/* from 0 on; otherwise small differences would look large */
	if (!s->log)
		s->low = 0;
}

unsigned ml_heat_colour(const struct ml_heat_scale *s, double value)
{
	double t = 1;

	if (value <= 0)
		return ML_COLOUR_EMPTY;
	if (s->high > s->low)
		t = s->log ? log(value / s->low) / log(s->high / s->low)
			   : (value - s->low) / (s->high - s->low);
	return ML_COLOUR_HEAT + (unsigned)lround(t * (ML_COLOUR_HEATS - 1));
}

static double value_at(const struct ml_heat_map *m, size_t x, size_t y)
{
	return m->turned ? m->value[x * m->along + y] : m->value[y * m->along + x];
}

void ml_heat_draw(struct ml_picture *p, const struct ml_heat_map *m,
		  const struct ml_heat_scale *s, double x, double y, double width,
		  double height)
{
	char n[4][ML_COORDINATE_ROOM];
	size_t across = ml_heat_across(m), down = ml_heat_down(m);
	uint8_t *colour = ml_resize(NULL, across * down);

	ml_picture_put(p, "<g data-region=\"");
	ml_picture_escape(p->out, m->name, strlen(m->name));
	ml_picture_put(p,
		       "\" data-across=\"%zu\" data-down=\"%zu\" data-sum=\"%.0f\" "
		       "shape-rendering=\"crispEdges\" "
		       "transform=\"translate(%s %s) scale(%s %s)\">\n",
		       across, down, m->sum, ml_picture_number(n[0], x),
		       ml_picture_number(n[1], y), ml_picture_number(n[2], width),
		       ml_picture_number(n[3], height));
	for (size_t i = 0; i < across * down; i++)
		colour[i] = (uint8_t)ml_heat_colour(s,
						    value_at(m, i % across, i / across));
	ml_picture_grid(p, colour, across, down);
	ml_picture_put(p, "</g>\n");
	ml_free(colour);
}

void ml_heat_legend(struct ml_picture *p, const struct ml_heat_scale *s,
		    const struct ml_open_sim *sim, double x, double y)
{
	static const char *const units[ML_HEAT_MODES] = {
		[ML_HEAT_COUNT] = "accesses a cell",
		[ML_HEAT_MISSES] = "misses a cell",
		[ML_HEAT_LAST] = "position of the last access",
		[ML_HEAT_FIRST] = "position of the first write",
		[ML_HEAT_REUSE] = "references between two accesses",
		[ML_HEAT_DISTANCE] = "lines that a cache must hold to keep it",
		[ML_HEAT_USED] = "% of the bytes that came into",
	};
	char text[ML_NUMBER_ROOM];
	bool flat = !(s->high > s->low) || s->high <= 1;

	ml_picture_rect(p, x, y + 4, 12, 12, ML_COLOUR_EMPTY);
	ml_picture_text(p, x + 17, y + 14, ML_ANCHOR_START, ML_COLOUR_MUTED, 11, "none");
	x += 56;
	if (!(s->high > 0))
		return;
	ml_format_count(text, (uint64_t)llround(s->low));
	if (!flat && s->low > 0) {
		ml_picture_text(p, x, y + 14, ML_ANCHOR_START, ML_COLOUR_TEXT, 11, text);
		x += ml_picture_width(text, 11) + 6;
	}
	for (unsigned k = 0; k < ML_COLOUR_HEATS; k++)
		if (!flat || k + 1 == ML_COLOUR_HEATS) {
			ml_picture_rect(p, x, y + 4, flat ? 12 : 8, 12,
					ML_COLOUR_HEAT + k);
			x += flat ? 12 : 8;
		}
	ml_format_count(text, (uint64_t)llround(s->high));
	ml_picture_text(p, x + 6, y + 14, ML_ANCHOR_START, ML_COLOUR_TEXT, 11, text);
	x += 6 + ml_picture_width(text, 11) + 6;
	char unit[100];
	const char *level = sim->machine.level[0].name;
	if (s->mode == ML_HEAT_USED)
		snprintf(unit, sizeof(unit), "%s %s were used", units[s->mode], level);
	else
		snprintf(unit, sizeof(unit), "%s%s%s%s",
			 s->mode == ML_HEAT_MISSES ? level : "",
			 s->mode == ML_HEAT_MISSES ? " " : "", units[s->mode],
			 s->log ? ", logarithmic" : "");
	ml_picture_text(p, x, y + 14, ML_ANCHOR_START, ML_COLOUR_MUTED, 11, unit);
}

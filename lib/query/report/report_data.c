#include "lib/query/report/report_parts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/query/trace/open/open_sim.h"
#include "lib/query/drawing/picture.h"
#include "lib/query/trace/pictures/picture_regions.h"

enum { ACROSS = 160, DOWN = 128, MAP_WIDTH = 520, MAP_HEIGHT = 400, FIELDS = 78 };

/* Writes the used share of the bytes that came from memory. */
static void put_use(struct ml_report_page *p, const struct ml_profile_region_row *r)
{
	const struct ml_profile_use *u = r->use[p->machine->levels - 1];

	if (u && u->bytes)
		ml_html_put(
			&p->html, "<td class=\"n\">%s of %s</td>",
			ml_html_percent(&p->html, ml_profile_ratio(u->used, u->bytes)),
			ml_html_bytes(&p->html, u->bytes));
	else
		ml_html_put(&p->html, "<td class=\"n\">·</td>");
}

static void put_region(struct ml_report_page *p, const struct ml_profile_region_row *r,
		       double full)
{
	uint64_t extent = ml_open_trace_extent(p->sim->trace, r->region);

	ml_html_put(&p->html, "<tr>");
	ml_report_count_cells(p, &r->count, full);
	if (p->profile->want & ML_SIM_CAUSES)
		ml_html_put(&p->html, "<td class=\"t w\">%s</td>",
			    ml_report_why(p, &r->count));
	put_use(p, r);
	ml_html_put(&p->html, "<td class=\"n\">%s</td><td class=\"t\">%s</td>",
		    extent ? ml_html_bytes(&p->html, extent) : "·",
		    ml_region_kind_name(r->kind));
	ml_html_wrap(&p->html, "<td class=\"t\"><b>", r->name, "</b></td></tr>\n");
}

static void put_regions(struct ml_report_page *p)
{
	const struct ml_profile_rows *rows = &p->rows;
	size_t shown = 0, theirs = 0;
	double lost = 0, full = 0;

	ml_html_put(&p->html, "<div class=\"scroll\"><table class=\"full\">\n<tr>");
	ml_report_count_heads(p);
	ml_html_put(
		&p->html,
		"%s<th title=\"of the bytes that came from memory\">used</th>"
		"<th>size</th><th class=\"t\">kind</th><th class=\"t\">region</th></tr>\n",
		p->profile->want & ML_SIM_CAUSES ? "<th class=\"t\">mostly</th>" : "");
	for (size_t i = 0; i < rows->regions.count; i++) {
		const struct ml_profile_region_row *r = &rows->regions.at[i];

		if (ml_code_is_theirs(r->own, r->count.refs)) {
			theirs++;
			lost += r->count.lost;
		} else if (shown < p->o->top && (!shown || r->count.lost > p->min_lost)) {
			full = shown ? full : r->count.lost;
			put_region(p, r, full);
			shown++;
		}
	}
	ml_html_put(&p->html, "</table></div>\n");
	ml_html_more(&p->html, rows->regions.count - theirs, shown, "regions");
	if (lost > p->min_lost)
		ml_html_put(
			&p->html,
			"<p class=\"muted\">and %s of the waiting is for %s regions of the "
			"loader and libraries</p>\n",
			ml_html_percent(&p->html, lost / rows->total.lost),
			ml_html_count(&p->html, theirs));
}

static void put_map(struct ml_report_page *p, const struct ml_heat_map *m,
		    const struct ml_heat_scale *scale)
{
	struct ml_picture picture = { .out = p->html.out };
	double x = m->field_count ? FIELDS : 0, cw, ch;

	ml_picture_cell_size(m, m->pitch ? MAP_WIDTH : 2 * MAP_WIDTH + 80, MAP_HEIGHT,
			     &cw, &ch);
	ml_html_wrap(&p->html, "<div class=\"map\">\n<h3>", m->name,
		     "</h3>\n<p class=\"muted\">");
	ml_html_text(&p->html, m->type);
	ml_html_put(&p->html, "%s%s%s%s, a cell is %s</p>\n", *m->type ? ", " : "",
		    m->shape ? m->shape : "", m->shape ? ", " : "",
		    ml_html_bytes(&p->html, m->bytes), m->cell);
	ml_picture_begin(&picture, x + cw * (double)ml_heat_across(m),
			 ch * (double)ml_heat_down(m), m->name);
	ml_picture_fields(&picture, m, x - 6, 0, ch);
	ml_heat_draw(&picture, m, scale, x, 0, cw, ch);
	ml_picture_end(&picture);
	ml_html_put(&p->html, "</div>\n");
}

static bool put_maps(struct ml_report_page *p, struct ml_err *err)
{
	size_t max = p->o->top, n = 0;
	uint32_t *regions = ml_arena_alloc(&p->html.arena, max * sizeof(*regions));
	struct ml_heat_map *maps = ml_arena_alloc(&p->html.arena, max * sizeof(*maps));
	struct ml_heat_question q = { .mode = p->o->mode,
				      .from = p->window.from,
				      .to = p->window.to,
				      .work = p->o->work };
	struct ml_heat_scale scale;

	max = ml_picture_costliest(p->sim, &p->rows, regions, max);
	for (size_t i = 0; i < max; i++)
		n += ml_heat_lay_out(&maps[n], p->sim->trace, regions[i], ACROSS, DOWN,
				     &p->html.arena);
	if (!n)
		return true;
	if (!ml_heat_gather(maps, n, p->sim, &q, &p->html.arena, err))
		return false;
	ml_heat_scale(&scale, q.mode, maps, n);
	struct ml_picture picture = { .out = p->html.out };
	ml_html_put(&p->html, "<h3>Heat maps</h3>\n");
	ml_picture_begin(&picture, 620, 20, "legend");
	ml_heat_legend(&picture, &scale, p->sim, 0, 0);
	ml_picture_end(&picture);
	ml_html_put(&p->html, "<div class=\"maps\">\n");
	for (size_t i = 0; i < n; i++)
		put_map(p, &maps[i], &scale);
	ml_html_put(&p->html, "</div>\n");
	return true;
}

bool ml_report_data(struct ml_report_page *p, struct ml_err *err)
{
	ml_html_put(
		&p->html,
		"<section id=\"data\">\n<h2>Data</h2>\n<p class=\"muted\">The regions "
		"of memory that are waited for most.</p>\n");
	put_regions(p);
	bool ok = put_maps(p, err);
	ml_html_put(&p->html, "</section>\n");
	return ok;
}

#include "lib/query/report/report_parts.h"

#include <stdlib.h>

#include "lib/base/path.h"
#include "lib/query/trace/open/open_sim.h"

enum { BOUNCES_MIN = 10 }; /* lines with fewer bounces get no row */

static const char *region_name(const struct ml_report_page *p, uint32_t region)
{
	return ml_profile_region_name(p->profile, &p->sim->trace->trace.tables, region);
}

static int by_misses(const void *a, const void *b)
{
	const struct ml_profile_pair *x = *(const struct ml_profile_pair *const *)a,
				     *y = *(const struct ml_profile_pair *const *)b;
	uint64_t n = x->conflict + x->capacity, m = y->conflict + y->capacity;

	if (n != m)
		return n > m ? -1 : 1;
	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	if (x->loser != y->loser)
		return x->loser < y->loser ? -1 : 1;
	return x->winner < y->winner ? -1 : x->winner > y->winner;
}

static void put_pairs(struct ml_report_page *p)
{
	const struct ml_profile *x = p->profile;
	const struct ml_profile_pair **sorted =
		ml_arena_alloc(&p->html.arena, (x->pair_count + 1) * sizeof(*sorted));
	size_t shown = 0;

	for (size_t i = 0; i < x->pair_count; i++)
		sorted[i] = &x->pairs[i];
	qsort(sorted, x->pair_count, sizeof(*sorted), by_misses);
	for (size_t i = 0; i < x->pair_count && shown < p->o->top; i++) {
		const struct ml_profile_pair *r = sorted[i];
		uint64_t missed = ml_profile_missed(&x->level[r->level].counts),
			 misses = r->conflict + r->capacity;

		if (misses * 50 < missed)
			continue;
		if (!shown++)
			ml_html_put(
				&p->html,
				"<h3>Regions that evict each other</h3>\n<p "
				"class=\"muted\">Lines that were missed because others "
				"took their place. A fully associative cache would "
				"have kept the lines of conflicts.</p>\n<div "
				"class=\"scroll\"><table><tr><th "
				"class=\"t\">level</th><th>misses</th><th>of the "
				"level's</th><th>conflicts</th><th class=\"t\">lines "
				"of</th><th class=\"t\">evicted by</th></tr>\n");
		ml_html_wrap(&p->html, "<tr><td class=\"t\">",
			     ml_report_level(p, r->level), "</td>");
		ml_html_put(&p->html,
			    "<td class=\"n\">%s</td><td class=\"n\">%s</td>"
			    "<td class=\"n\">%s</td>",
			    ml_html_count(&p->html, misses),
			    ml_html_percent(&p->html, ml_profile_ratio(misses, missed)),
			    ml_html_count(&p->html, r->conflict));
		ml_html_wrap(&p->html, "<td class=\"t\">", region_name(p, r->loser),
			     "</td>");
		ml_html_wrap(&p->html, "<td class=\"t\">",
			     r->loser == r->winner ? "itself" : region_name(p, r->winner),
			     "</td></tr>\n");
	}
	if (shown)
		ml_html_put(&p->html, "</table></div>\n");
}

static void put_sets(struct ml_report_page *p)
{
	struct ml_profile_pressure s;

	for (unsigned k = p->machine->split ? 0 : 1; k <= p->machine->levels; k++) {
		if (!ml_profile_crowded(p->profile, k, &s))
			continue;
		ml_html_wrap(&p->html, "<p>The misses of ", ml_report_level(p, k), "");
		ml_html_put(
			&p->html,
			" crowd: half of them fall into %s of %s sets; the busiest has "
			"%.1f times its part.</p>\n",
			ml_html_count(&p->html, s.half), ml_html_count(&p->html, s.sets),
			s.busiest);
	}
}

static void put_site(struct ml_report_page *p, uint32_t site)
{
	const struct ml_tables *t = &p->sim->trace->trace.tables;
	struct ml_frame f = ml_tables_frame(t, site);

	ml_html_put(&p->html, "<td class=\"t\"><code>");
	if (f.line) {
		ml_html_text(&p->html, ml_path_name(ml_tables_text(t, f.file)));
		ml_html_put(&p->html, ":%u", f.line);
	} else
		ml_html_text(&p->html, ml_tables_text(t, f.func));
	ml_html_put(&p->html, "</code></td>");
}

static void put_bounces(struct ml_report_page *p)
{
	const struct ml_profile *x = p->profile;

	if (!x->bounce_count || x->bounces[0].count < BOUNCES_MIN)
		return;
	ml_html_put(
		&p->html,
		"<h3>Lines that cores take from each other</h3>\n"
		"<div class=\"scroll\"><table><tr><th>times</th><th>false sharing</th>"
		"<th>cores</th><th class=\"t\">line</th><th class=\"t\">region</th>"
		"<th class=\"t\">last there</th><th class=\"t\">and here</th></tr>\n");
	for (size_t i = 0; i < x->bounce_count && i < p->o->top; i++) {
		const struct ml_profile_bounce *b = &x->bounces[i];

		if (b->count < BOUNCES_MIN || b->count * 100 < x->bounces[0].count)
			break;
		ml_html_put(
			&p->html,
			"<tr><td class=\"n\">%s</td><td class=\"n\">%s</td>"
			"<td class=\"n\">%u → %u</td><td class=\"t\"><code>0x%llx</code>"
			"</td>",
			ml_html_count(&p->html, b->count),
			ml_html_percent(&p->html,
					ml_profile_ratio(b->false_sharing,
							 b->sharing + b->false_sharing)),
			b->from, b->to, (unsigned long long)b->line);
		ml_html_wrap(&p->html, "<td class=\"t\">", region_name(p, b->region),
			     "</td>");
		put_site(p, b->site_from);
		put_site(p, b->site_to);
		ml_html_put(&p->html, "</tr>\n");
	}
	ml_html_put(&p->html, "</table></div>\n");
}

static void put_functions(struct ml_report_page *p)
{
	const struct ml_profile_rows *rows = &p->rows;
	size_t shown = 0;

	ml_html_put(&p->html, "<h3>Functions</h3>\n<p class=\"muted\">By their own "
			      "instructions.</p>\n<div class=\"scroll\"><table><tr>");
	ml_report_count_heads(p);
	ml_html_put(&p->html,
		    "<th class=\"t\">function</th><th class=\"t\">file</th></tr>\n");
	for (size_t i = 0; i < rows->functions.count && shown < p->o->top; i++) {
		const struct ml_profile_function_row *r = &rows->functions.at[i];

		if (shown && r->made.lost <= p->min_lost)
			continue;
		ml_html_put(&p->html, "<tr>");
		ml_report_count_cells(p, &r->made, rows->total.lost);
		ml_html_wrap(&p->html, "<td class=\"t\"><code>",
			     *r->at.func ? r->at.func : "unknown", "</code></td>");
		ml_html_wrap(&p->html, "<td class=\"t muted\">",
			     ml_path_name(*r->at.file ? r->at.file : r->at.object),
			     "</td></tr>\n");
		shown++;
	}
	ml_html_put(&p->html, "</table></div>\n");
	ml_html_more(&p->html, rows->functions.count, shown, "functions");
}

static void put_threads(struct ml_report_page *p)
{
	const struct ml_profile_rows *rows = &p->rows;

	if (rows->threads.count < 2)
		return;
	ml_html_put(&p->html, "<h3>Threads</h3>\n<div class=\"scroll\"><table><tr>");
	ml_report_count_heads(p);
	ml_html_put(&p->html, "<th>core</th><th class=\"t\">thread</th></tr>\n");
	for (size_t i = 0; i < rows->threads.count && i < p->o->top; i++) {
		const struct ml_profile_thread_row *r = &rows->threads.at[i];

		ml_html_put(&p->html, "<tr>");
		ml_report_count_cells(p, &r->count, rows->total.lost);
		ml_html_put(&p->html, "<td class=\"n\">%u</td><td class=\"t\">%u ",
			    r->core, r->id);
		ml_html_text(&p->html, r->name ? r->name : "");
		ml_html_put(&p->html, "</td></tr>\n");
	}
	ml_html_put(&p->html, "</table></div>\n");
	ml_html_more(&p->html, rows->threads.count, p->o->top, "threads");
}

void ml_report_more_data(struct ml_report_page *p)
{
	ml_html_put(&p->html, "<section id=\"more\">\n<h2>More</h2>\n");
	put_pairs(p);
	put_sets(p);
	put_bounces(p);
	put_functions(p);
	put_threads(p);
	ml_html_put(&p->html, "</section>\n");
}

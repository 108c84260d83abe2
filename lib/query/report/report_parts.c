#include "lib/query/report/report_parts.h"

#include <stdarg.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/table.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/drawing/picture.h"

void ml_report_put(struct ml_report_page *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ml_buf_vprintf(p->out, fmt, ap);
	va_end(ap);
}

void ml_report_text(struct ml_report_page *p, const char *text)
{
	ml_picture_escape(p->out, text, strlen(text));
}

void ml_report_wrap(struct ml_report_page *p, const char *open, const char *text,
		    const char *close)
{
	ml_buf_put(p->out, open, strlen(open));
	ml_report_text(p, text);
	ml_buf_put(p->out, close, strlen(close));
}

const char *ml_report_count(struct ml_report_page *p, uint64_t v)
{
	return ml_format_count(ml_arena_alloc(&p->arena, ML_NUMBER_ROOM), v);
}

const char *ml_report_bytes(struct ml_report_page *p, uint64_t v)
{
	return ml_format_bytes(ml_arena_alloc(&p->arena, ML_NUMBER_ROOM), v);
}

const char *ml_report_percent(struct ml_report_page *p, double share)
{
	double percent = 100 * share;

	if (percent > 0 && percent < 0.01)
		return "&lt;0.01 %";
	return ml_arena_printf(&p->arena,
			       percent >= 0.1 || percent <= 0 ? "%.1f %%" : "%.2f %%",
			       percent);
}

const char *ml_report_short(struct ml_report_page *p, uint64_t v)
{
	static const char *const units[] = { "k", "M", "G", "T", "P", "E" };
	double x = (double)v;
	unsigned unit = 0;

	if (v < 10000)
		return ml_report_count(p, v);
	for (x /= 1000; x >= 999.5; x /= 1000)
		unit++;
	return ml_arena_printf(&p->arena,
			       x < 9.995   ? "%.2f %s"
			       : x < 99.95 ? "%.1f %s"
					   : "%.0f %s",
			       x, units[unit]);
}

const char *ml_report_level(const struct ml_report_page *p, unsigned level)
{
	return ml_profile_level_name(p->profile, level);
}

const char *ml_report_why(const struct ml_report_page *p,
			  const struct ml_profile_count *c)
{
	return ml_profile_cause_text(ml_profile_main_cause(c, p->machine->levels));
}

/* Cycles that references served by a level (from 2) waited beyond the first one. */
static double lost_at(const struct ml_report_page *p, const uint64_t served[ML_SERVED],
		      unsigned level)
{
	const struct ml_machine *m = p->machine;
	uint32_t cycles = level <= m->levels ? m->level[level - 1].cycles
					     : m->memory_cycles;

	return cycles > m->level[0].cycles
		       ? (double)served[level] * (cycles - m->level[0].cycles)
		       : 0;
}

static void put_piece(struct ml_report_page *p, unsigned level, double share)
{
	if (share >= 0.0005)
		ml_report_put(p, "<i class=\"c%u\" style=\"width:%.2f%%\"></i>",
			      ml_colour_of_level(level - 1, p->machine->levels + 1),
			      100 * share);
}

void ml_report_lost_bar(struct ml_report_page *p, const struct ml_profile_count *c,
			double full)
{
	ml_report_put(p, "<span class=\"bar\">");
	for (unsigned k = p->machine->levels + 1; full > 0 && k > 1; k--)
		put_piece(p, k, lost_at(p, c->served, k) / full);
	ml_report_put(p, "</span>");
}

void ml_report_served_bar(struct ml_report_page *p, const uint64_t served[ML_SERVED])
{
	uint64_t refs = 0;

	for (unsigned k = 1; k <= p->machine->levels + 1; k++)
		refs += served[k];
	ml_report_put(p, "<span class=\"bar served\">");
	for (unsigned k = 1; k <= p->machine->levels + 1; k++)
		put_piece(p, k, ml_profile_ratio(served[k], refs));
	ml_report_put(p, "</span>");
}

void ml_report_count_heads(struct ml_report_page *p)
{
	ml_report_put(
		p,
		"<th class=\"t\" colspan=\"2\" title=\"share of the time spent waiting "
		"beyond the first level\">lost</th><th>references</th>");
	for (unsigned k = 1; k <= p->machine->levels; k++)
		ml_report_wrap(p, "<th>", ml_report_level(p, k), " misses</th>");
}

void ml_report_count_cells(struct ml_report_page *p, const struct ml_profile_count *c,
			   double full)
{
	double lost = p->rows.total.lost;

	ml_report_put(p, "<td class=\"n\">%s</td><td class=\"b\">",
		      ml_report_percent(p, lost > 0 ? c->lost / lost : 0));
	ml_report_lost_bar(p, c, full);
	ml_report_put(p, "</td><td class=\"n\">%s</td>", ml_report_count(p, c->refs));
	for (unsigned k = 1; k <= p->machine->levels; k++)
		ml_report_put(p, "<td class=\"n\">%s</td>",
			      c->missed[k - 1] ? ml_report_count(p, c->missed[k - 1])
					       : "·");
}

void ml_report_more(struct ml_report_page *p, size_t all, size_t shown, const char *what)
{
	if (all > shown)
		ml_report_put(p, "<p class=\"muted\">and %s more %s</p>\n",
			      ml_report_count(p, all - shown), what);
}

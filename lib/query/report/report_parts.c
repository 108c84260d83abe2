#include "lib/query/report/report_parts.h"

#include "lib/analyse/passes/waiting.h"
#include "lib/base/buf.h"
#include "lib/base/table.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/drawing/picture.h"

const char *ml_report_level(const struct ml_report_page *p, unsigned level)
{
	return ml_profile_level_name(p->profile, level);
}

const char *ml_report_why(const struct ml_report_page *p,
			  const struct ml_profile_count *c)
{
	return ml_profile_cause_text(ml_profile_main_cause(c, p->machine->levels));
}

static void put_piece(struct ml_report_page *p, unsigned level, double share)
{
	if (share >= 0.0005)
		ml_html_put(&p->html, "<i class=\"c%u\" style=\"width:%.2f%%\"></i>",
			    ml_colour_of_level(level - 1, p->machine->levels + 1),
			    100 * share);
}

void ml_report_lost_bar(struct ml_report_page *p, const struct ml_profile_count *c,
			double full)
{
	const struct ml_machine *m = p->machine;
	double parts[ML_SERVED];

	ml_waiting(m, c->served, ml_surcharge_cycles(&c->surcharge, m, c->refs), parts);
	ml_html_put(&p->html, "<span class=\"bar\">");
	for (unsigned k = m->levels + 1; full > 0 && k > 1; k--)
		put_piece(p, k, parts[k] / full);
	if (full > 0 && parts[0] / full >= 0.0005)
		ml_html_put(&p->html, "<i class=\"on\" style=\"width:%.2f%%\"></i>",
			    100 * parts[0] / full);
	ml_html_put(&p->html, "</span>");
}

void ml_report_served_bar(struct ml_report_page *p, const uint64_t served[ML_SERVED])
{
	uint64_t refs = 0;

	for (unsigned k = 1; k <= p->machine->levels + 1; k++)
		refs += served[k];
	ml_html_put(&p->html, "<span class=\"bar served\">");
	for (unsigned k = 1; k <= p->machine->levels + 1; k++)
		put_piece(p, k, ml_profile_ratio(served[k], refs));
	ml_html_put(&p->html, "</span>");
}

void ml_report_count_heads(struct ml_report_page *p)
{
	ml_html_put(
		&p->html,
		"<th class=\"t\" colspan=\"2\" title=\"share of the time spent waiting "
		"beyond the first level\">waiting</th><th>references</th>");
	for (unsigned k = 1; k <= p->machine->levels; k++)
		ml_html_wrap(&p->html, "<th>", ml_report_level(p, k), " misses</th>");
}

void ml_report_count_cells(struct ml_report_page *p, const struct ml_profile_count *c,
			   double full)
{
	double lost = p->rows.total.lost;

	ml_html_put(&p->html, "<td class=\"n\">%s</td><td class=\"b\">",
		    ml_html_percent(&p->html, lost > 0 ? c->lost / lost : 0));
	ml_report_lost_bar(p, c, full);
	ml_html_put(&p->html, "</td><td class=\"n\">%s</td>",
		    ml_html_count(&p->html, c->refs));
	for (unsigned k = 1; k <= p->machine->levels; k++)
		ml_html_put(&p->html, "<td class=\"n\">%s</td>",
			    c->missed[k - 1] ? ml_html_count(&p->html, c->missed[k - 1])
					     : "·");
}

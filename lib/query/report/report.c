#include "lib/query/report/report.h"

#include <string.h>
#include <time.h>

#include "lib/base/buf.h"
#include "lib/base/path.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/workspace/workspace.h"
#include "lib/query/drawing/picture.h"
#include "lib/query/trace/pictures/picture_time.h"
#include "lib/query/report/report_parts.h"
#include "lib/query/trace/tables/source_lines.h"

enum { TIME_WIDTH = 1120, TIME_HEIGHT = 260, NEGLIGIBLE = 200 };

static const char *program_of(const struct ml_trace *t, struct ml_arena *a)
{
	const char *command = ml_tables_meta_find(&t->tables, "command");

	if (!command || !*command)
		return ml_path_name(t->path);
	return ml_path_name(ml_arena_copy(a, command, strcspn(command, " ")));
}

static const char *date_of(uint64_t seconds, struct ml_arena *a)
{
	time_t t = (time_t)seconds;
	struct tm tm;
	char text[64];

	if (!seconds || !gmtime_r(&t, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &tm))
		return "at an unknown time";
	return ml_arena_strdup(a, text);
}

/* The machine in words: "skylake: L1 32K 8w, L2 1M 16w" */
static void put_machine(struct ml_report_page *p)
{
	const struct ml_machine *m = p->machine;

	if (*m->name)
		ml_html_wrap(&p->html, "", m->name, ": ");
	for (unsigned k = 0; k < m->levels; k++) {
		ml_html_wrap(&p->html, k ? ", " : "", m->level[k].name, " ");
		ml_html_put(&p->html, "%s %u-way",
			    ml_html_bytes(&p->html, m->level[k].size), m->level[k].ways);
	}
	ml_html_put(&p->html, "; %u %s, lines of %u bytes", m->cores,
		    m->cores == 1 ? "core" : "cores", m->level[0].line);
}

static void put_origin(struct ml_report_page *p)
{
	const struct ml_trace *t = &p->sim->trace->trace;
	const char *command = ml_tables_meta_find(&t->tables, "command");

	ml_html_put(&p->html, "<dl class=\"of\">\n");
	if (command)
		ml_html_wrap(&p->html, "<dt>Command</dt><dd><code>", command,
			     "</code></dd>\n");
	ml_html_put(&p->html, "<dt>Machine</dt><dd>");
	put_machine(p);
	ml_html_put(&p->html, " (simulated)</dd>\n<dt>Trace</dt><dd><code>");
	ml_html_text(&p->html, t->path);
	ml_html_put(&p->html, "</code>, recorded %s</dd>\n",
		    date_of(t->created, &p->html.arena));
	if (!p->window.whole) {
		ml_html_put(&p->html, "<dt>Window</dt><dd>");
		if (p->o->phase)
			ml_html_wrap(&p->html, "phase <b>", p->o->phase, "</b>: ");
		ml_html_put(&p->html,
			    "references %s to %s of %s; the caches are as the run before "
			    "left them</dd>\n",
			    ml_html_count(&p->html, p->window.from),
			    ml_html_count(&p->html, p->window.to),
			    ml_html_count(&p->html, p->sim->simulation.result.refs));
	}
	if (p->profile->interleave)
		ml_html_put(&p->html,
			    "<dt>Threads</dt><dd>take turns, %s references each</dd>\n",
			    ml_html_count(&p->html, p->profile->interleave));
	ml_html_put(&p->html, "</dl>\n");
}

/* Reports damage and gaps before any figure. */
static void put_missing(struct ml_report_page *p)
{
	const struct ml_trace *t = &p->sim->trace->trace;
	const struct ml_summary *s = &p->sim->trace->summary;

	if (s->damage)
		ml_html_wrap(&p->html,
			     "<p class=\"warn\"><b>Damaged.</b> Only what stands "
			     "before the damage counts: ",
			     s->damage, "</p>\n");
	if (t->damage)
		ml_html_wrap(&p->html,
			     "<p class=\"warn\"><b>Damaged.</b> The end of the file "
			     "cannot be used: ",
			     t->damage, "</p>\n");
	else if (!t->whole)
		ml_html_put(&p->html,
			    "<p class=\"warn\"><b>Cut off.</b> The recording was not "
			    "ended; this is what was written before.</p>\n");
	for (size_t i = 0; i < s->gaps.count; i++) {
		static const char *const why[] = {
			[ML_GAP_SKIPPED] = "skipped as asked",
			[ML_GAP_SAMPLING] = "left out by sampling",
			[ML_GAP_FAULT] = "cut off by signals",
			[ML_GAP_LOST] = "lost by the recorder",
			[ML_GAP_LIMIT] = "after recording ended",
		};
		const struct ml_summary_gap *g = &s->gaps.at[i];

		ml_html_put(
			&p->html,
			"<p class=\"warn\"><b>Missing.</b> %s%s references, %s, in %s "
			"%s.</p>\n",
			g->unknown ? "At least " : "",
			ml_html_count(&p->html, g->missing), why[g->reason],
			ml_html_count(&p->html, g->gaps), g->gaps == 1 ? "gap" : "gaps");
	}
}

static void put_nav(struct ml_report_page *p)
{
	ml_html_put(&p->html,
		    "</header>\n<nav><div><a href=\"#summary\">Summary</a>"
		    "<a href=\"#findings\">Findings</a>"
		    "<a href=\"#time\">Timeline</a><a href=\"#source\">Source</a>"
		    "<a href=\"#data\">Data</a><a href=\"#more\">More</a></div></nav>\n"
		    "<main>\n");
}

static void put_card(struct ml_report_page *p, const char *figure, const char *what)
{
	ml_html_put(&p->html, "<div class=\"card\"><b>%s</b><span>%s</span></div>\n",
		    figure, what);
}

static void put_cards(struct ml_report_page *p)
{
	const struct ml_profile *x = p->profile;
	const struct ml_machine *m = p->machine;
	uint32_t first = m->level[0].cycles;
	struct ml_arena *a = &p->html.arena;

	ml_html_put(&p->html, "<div class=\"cards\">\n");
	put_card(p, ml_html_count(&p->html, x->refs),
		 ml_arena_printf(
			 a, "references: %s reads, %s writes%s%s",
			 ml_html_count(&p->html, x->kind[0]),
			 ml_html_count(&p->html, x->kind[1]), x->kind[2] ? ", " : "",
			 x->kind[2] ? ml_arena_printf(a, "%s fetches",
						      ml_html_count(&p->html, x->kind[2]))
				    : ""));
	put_card(p, ml_arena_printf(a, "%.2f", x->cycles),
		 ml_arena_printf(
			 a, "cycles a reference; %u if the first level had everything",
			 first));
	put_card(p,
		 ml_html_percent(&p->html, x->cycles > first ? 1 - first / x->cycles : 0),
		 "of the access time is waiting beyond the first level");
	put_card(p,
		 ml_html_percent(&p->html,
				 ml_profile_ratio(x->served[m->levels + 1], x->refs)),
		 "of the references went to memory");
	ml_html_put(&p->html, "</div>\n");
}

/* "62 % capacity, 38 % cold" of the references that a level could not serve. */
static void put_causes(struct ml_report_page *p, unsigned level)
{
	const uint64_t *cause = p->rows.total.cause[level - 1];
	uint64_t missed = p->rows.total.missed[level - 1];
	enum ml_cause order[ML_CAUSES];
	size_t count = missed ? ml_profile_causes(cause, missed, order) : 0;

	for (size_t i = 0; i < count; i++)
		ml_html_put(&p->html, "%s%s %s", i ? ", " : "",
			    ml_html_percent(&p->html,
					    ml_profile_ratio(cause[order[i]], missed)),
			    ml_profile_cause_text(order[i]));
}

static void put_level(struct ml_report_page *p, unsigned level)
{
	const struct ml_profile *x = p->profile;
	bool memory = level > p->machine->levels;
	uint64_t missed = memory ? 0 : p->rows.total.missed[level - 1];
	uint64_t reached = missed + x->served[level];

	ml_html_put(&p->html,
		    "<tr><td class=\"t\"><span class=\"key\"><span><i class=\"c%u\"></i>",
		    ml_colour_of_level(level - 1, p->machine->levels + 1));
	ml_html_text(&p->html, ml_report_level(p, level));
	ml_html_put(
		&p->html,
		"</span></span></td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
		ml_html_count(&p->html, x->served[level]),
		ml_html_percent(&p->html, ml_profile_ratio(x->served[level], x->refs)));
	if (memory)
		ml_html_put(&p->html, "<td></td><td></td><td></td>");
	else {
		ml_html_put(
			&p->html,
			"<td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"t\">",
			ml_html_count(&p->html, missed),
			ml_html_percent(&p->html, ml_profile_ratio(missed, reached)));
		put_causes(p, level);
		ml_html_put(&p->html, "</td>");
	}
	if (p->window.whole && memory)
		ml_html_put(&p->html, "<td></td><td></td>");
	else if (p->window.whole)
		ml_html_put(&p->html, "<td class=\"n\">%s</td><td class=\"n\">%s</td>",
			    ml_html_bytes(&p->html, x->level[level].bytes_in),
			    ml_html_bytes(&p->html, x->level[level].bytes_out));
	ml_html_put(&p->html, "</tr>\n");
}

static void put_summary(struct ml_report_page *p)
{
	const struct ml_profile *x = p->profile;
	uint32_t first = p->machine->level[0].cycles;

	ml_html_put(&p->html, "<section id=\"summary\">\n<h2>Summary</h2>\n<p>");
	ml_html_text(&p->html, ml_report_level(p, 1));
	ml_html_put(&p->html, " serves %s of the references",
		    ml_html_percent(&p->html, ml_profile_ratio(x->served[1], x->refs)));
	for (unsigned k = 2; k <= p->machine->levels + 1; k++) {
		ml_html_wrap(&p->html, k > p->machine->levels ? " and " : ", ",
			     ml_report_level(p, k), " ");
		ml_html_put(&p->html, "%s",
			    ml_html_percent(&p->html,
					    ml_profile_ratio(x->served[k], x->refs)));
	}
	ml_html_put(&p->html, ". %s</p>\n",
		    x->cycles < 1.02 * first
			    ? "The caches hold what is needed: there is little to gain."
			    : "");
	put_cards(p);
	ml_html_put(&p->html, "<div class=\"big\">");
	ml_report_served_bar(p, x->served);
	ml_html_put(
		&p->html,
		"</div>\n<div class=\"scroll\"><table class=\"full\">\n<tr><th class=\"t\">level</th>"
		"<th>served</th><th>share</th><th>missed</th><th>miss ratio</th>"
		"<th class=\"t\">because</th>%s</tr>\n",
		p->window.whole ? "<th>came in</th><th>went out</th>" : "");
	for (unsigned k = 1; k <= p->machine->levels + 1; k++)
		put_level(p, k);
	ml_html_put(&p->html, "</table></div>\n</section>\n");
}

static void put_where(struct ml_report_page *p, const struct ml_finding *f,
		      struct ml_source_lines *sources)
{
	const char *source = f->line && !p->o->no_source
				     ? ml_source_lines_find(sources, f->file, f->line)
				     : NULL;

	if (f->line) {
		ml_html_wrap(&p->html, "<p class=\"muted\"><code>", ml_path_name(f->file),
			     "");
		ml_html_put(&p->html, ":%u</code>", f->line);
		if (*f->func)
			ml_html_wrap(&p->html, " in <code>", f->func, "</code>");
		ml_html_put(&p->html, "</p>\n");
	} else if (*f->func)
		ml_html_wrap(&p->html, "<p class=\"muted\">in <code>", f->func,
			     "</code></p>\n");
	if (source && *source)
		ml_html_wrap(&p->html, "<pre>", source, "</pre>\n");
}

/* "simulated", or "estimated, 2.1 % to 14 %". */
static const char *predicted(struct ml_report_page *p, const struct ml_finding *f)
{
	const char *how = f->simulated ? "simulated" : "estimated";
	const char *low = ml_html_percent(&p->html, f->low);
	const char *high = ml_html_percent(&p->html, f->high);

	if (f->low >= f->high || !strcmp(low, high))
		return how;
	return ml_arena_printf(&p->html.arena, "%s, %s to %s", how, low, high);
}

static void put_finding(struct ml_report_page *p, const struct ml_finding *f,
			struct ml_source_lines *sources)
{
	ml_html_wrap(&p->html, "<div class=\"finding\">\n<h3>", f->title, "");
	ml_html_put(&p->html, "<span>saves %s%s</span></h3>\n",
		    f->simulated ? "" : "about ", ml_html_percent(&p->html, f->gain));
	put_where(p, f, sources);
	ml_html_put(&p->html, "<p>");
	for (size_t i = 0; i < ML_FINDING_SAYS && f->says[i]; i++)
		ml_html_wrap(&p->html, i ? " " : "", f->says[i], "");
	ml_html_wrap(&p->html, "</p>\n<dl><dt>Try</dt><dd>", f->advice, "");
	ml_html_put(&p->html, " <span class=\"muted\">(%s)</span></dd>\n",
		    predicted(p, f));
	for (const struct ml_finding *x = f->other; x; x = x->other) {
		ml_html_wrap(&p->html, "<dt>Or</dt><dd>", x->advice, "");
		ml_html_put(&p->html,
			    " <span class=\"muted\">(saves %s, %s)</span></dd>\n",
			    ml_html_percent(&p->html, x->gain), predicted(p, x));
	}
	ml_html_put(&p->html, "</dl>\n</div>\n");
}

static void put_notes(struct ml_report_page *p, const struct ml_findings *f, size_t shown)
{
	if (!shown && f->no_verdict) {
		ml_html_wrap(&p->html, "<p>No finding, and no verdict. ", f->no_verdict,
			     ". ");
		ml_html_put(&p->html, "%s of the access time is waiting.</p>\n",
			    ml_html_percent(&p->html, f->waiting));
	} else if (!shown && f->waiting < 0.1)
		ml_html_put(
			&p->html,
			"<p>Nothing to mend: waiting takes %s of the access time.</p>\n",
			ml_html_percent(&p->html, f->waiting));
	else if (!shown)
		ml_html_put(
			&p->html,
			"<p>No finding: %s of the access time is waiting (%s for lines "
			"touched for the first time), but no change that memlamp knows "
			"would save 2 %% of it.</p>\n",
			ml_html_percent(&p->html, f->waiting),
			ml_html_percent(&p->html, f->cold));
	if (f->untried && shown)
		ml_html_wrap(&p->html, "<p class=\"muted\">Changes were not simulated: ",
			     f->untried, "</p>\n");
	else if (f->tried && f->tried < f->of)
		ml_html_put(&p->html,
			    "<p class=\"muted\">Changes were simulated on %s of %s "
			    "references, taken from %u phase%s of the run. The bounds "
			    "are two standard errors apart from the figure.</p>\n",
			    ml_html_count(&p->html, f->tried),
			    ml_html_count(&p->html, f->of), f->phases,
			    f->phases == 1 ? "" : "s");
}

/* A thread of the workspace finds the findings; the user may cancel the wait. */
static const struct ml_findings *wait_for_findings(struct ml_report_page *p,
						   struct ml_err *err)
{
	struct ml_workspace *ws = p->sim->job.workspace;
	uint64_t changes = 0;
	bool found = false;

	while (!found) {
		if (!ml_work_goes_on(p->o->work, err))
			return NULL;
		changes = ml_workspace_wait(ws, changes, 100);
		pthread_mutex_lock(&ws->lock);
		found = p->sim->found;
		pthread_mutex_unlock(&ws->lock);
		if (!found)
			ml_work_progress(p->o->work, "trying changes", 0, 0);
	}
	return ml_open_sim_findings(p->sim, err);
}

/*
 * A thread of the workspace finds the findings of the whole run; those of a window are
 * found here.
 */
static const struct ml_findings *find(struct ml_report_page *p, struct ml_findings *own,
				      struct ml_err *err)
{
	struct ml_findings_options o = { .work = p->o->work };

	if (p->window.whole)
		return wait_for_findings(p, err);
	return ml_findings_make(own, &p->sim->trace->trace, p->profile, &o, err) ? own
										 : NULL;
}

static bool put_findings(struct ml_report_page *p, struct ml_err *err)
{
	struct ml_findings own;
	const struct ml_findings *f = find(p, &own, err);
	struct ml_source_lines sources = { .trace = &p->sim->trace->trace };

	if (!f)
		return false;
	ml_html_put(&p->html,
		    "<section id=\"findings\">\n<h2>Findings</h2>\n"
		    "<p class=\"muted\">What to change, by the access time that it "
		    "saves%s.</p>\n",
		    p->window.whole ? "" : " within the window");
	for (size_t i = 0; i < f->count; i++) {
		if (f->at[i].vague && (!i || !f->at[i - 1].vague))
			ml_html_put(
				&p->html,
				"<p class=\"muted\">Where the program waits%s, without a "
				"certain remedy.</p>\n",
				i ? " as well" : "");
		put_finding(p, &f->at[i], &sources);
	}
	put_notes(p, f, f->count);
	ml_html_put(&p->html, "</section>\n");
	ml_source_lines_release(&sources);
	if (f == &own)
		ml_findings_release(&own);
	return true;
}

static void put_key(struct ml_report_page *p)
{
	ml_html_put(&p->html, "<div class=\"key\">");
	for (unsigned k = 1; k <= p->machine->levels + 1; k++) {
		ml_html_put(&p->html, "<span><i class=\"c%u\"></i>",
			    ml_colour_of_level(k - 1, p->machine->levels + 1));
		ml_html_wrap(&p->html, "", ml_report_level(p, k), "</span>");
	}
	ml_html_put(&p->html, "</div>\n");
}

static bool put_timeline(struct ml_report_page *p, struct ml_err *err)
{
	struct ml_picture picture = { .out = p->html.out };
	struct ml_picture_window w = { p->window.from, p->window.to, TIME_WIDTH,
				       TIME_HEIGHT };

	ml_html_put(&p->html,
		    "<section id=\"time\">\n<h2>Timeline</h2>\n"
		    "<p class=\"muted\">The share of the references that each level "
		    "served, from the first reference to the last.</p>\n");
	put_key(p);
	ml_html_put(&p->html, "<figure>");
	bool ok = ml_picture_timeline(&picture, p->sim, &w, err);
	ml_html_put(&p->html, "</figure>\n");
	if (p->rows.phases.count && p->window.whole) {
		ml_html_put(&p->html,
			    "<div class=\"scroll\"><table><tr><th class=\"t\">phase</th>"
			    "<th>times</th>");
		ml_report_count_heads(p);
		ml_html_put(&p->html, "</tr>\n");
		for (size_t i = 0; i < p->rows.phases.count && i < p->o->top; i++) {
			const struct ml_profile_phase_row *r = &p->rows.phases.at[i];

			ml_html_put(&p->html,
				    "<tr><td class=\"t\" style=\"padding-left:%uem\">",
				    r->depth);
			ml_html_text(&p->html, r->name);
			ml_html_put(&p->html, "</td><td class=\"n\">%s</td>",
				    ml_html_count(&p->html, r->times));
			ml_report_count_cells(p, &r->count, p->rows.total.lost);
			ml_html_put(&p->html, "</tr>\n");
		}
		ml_html_put(&p->html, "</table></div>\n");
		ml_html_more(&p->html, p->rows.phases.count, p->o->top, "phases");
	}
	ml_html_put(&p->html, "</section>\n");
	return ok;
}

bool ml_report(struct ml_open_sim *s, const struct ml_report_options *o,
	       struct ml_buf *out, struct ml_err *err)
{
	struct ml_report_page page = { .html.out = out,
				       .sim = s,
				       .o = o,
				       .window = { .from = o->from, .to = o->to } },
			      *p = &page;
	struct ml_buf data = { 0 };

	if (!ml_report_window_simulate(&p->window, s, o->work, err))
		return false;
	p->profile = p->window.profile;
	p->machine = &p->profile->machine;
	ml_profile_rows_make(&p->rows, &s->trace->trace, p->profile);
	for (size_t i = 0; i < p->rows.lines.count; i++)
		if (p->rows.lines.at[i].at.own) {
			double lost = p->rows.lines.at[i].count.lost;

			p->min_lost += lost / NEGLIGIBLE;
			p->max_lost = lost > p->max_lost ? lost : p->max_lost;
		}
	ml_html_begin(&p->html, program_of(&s->trace->trace, &p->html.arena),
		      p->machine->levels + 2);
	put_origin(p);
	put_missing(p);
	put_nav(p);
	put_summary(p);
	/* the walk over the window runs while a thread finds the findings of the run */
	p->html.out = &data;
	bool ok = ml_report_data(p, err);
	p->html.out = out;
	ok = ok && put_findings(p, err) && put_timeline(p, err);
	if (ok) {
		ml_report_source(p);
		ml_buf_put(out, data.data, data.size);
		ml_report_more_data(p);
		ml_html_end(
			&p->html,
			"Made by memlamp from a recorded trace and a simulated "
			"machine. Cycles follow from the machine's latencies and nothing "
			"overlaps: they weigh misses against each other and are no "
			"prediction of time. What a library does counts for the line "
			"that called it.");
	}
	ml_buf_release(&data);
	ml_profile_rows_release(&p->rows);
	ml_report_window_close(&p->window);
	ml_arena_release(&p->html.arena);
	return ok;
}

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

static void put_head(struct ml_report_page *p)
{
	const char *program = program_of(&p->sim->trace->trace, &p->arena);

	ml_report_put(p, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
			 "<meta charset=\"utf-8\">\n"
			 "<meta name=\"viewport\" content=\"width=device-width, "
			 "initial-scale=1\">\n"
			 "<meta http-equiv=\"Content-Security-Policy\" "
			 "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
			 "<title>");
	ml_report_text(p, program);
	ml_report_put(p, " - memlamp report</title>\n");
	ml_report_style(p);
	ml_report_wrap(p, "</head>\n<body>\n<header>\n<h1>", program, "</h1>\n");
}

/* The machine in words: "skylake: L1 32K 8w, L2 1M 16w" */
static void put_machine(struct ml_report_page *p)
{
	const struct ml_machine *m = p->machine;

	if (*m->name)
		ml_report_wrap(p, "", m->name, ": ");
	for (unsigned k = 0; k < m->levels; k++) {
		ml_report_wrap(p, k ? ", " : "", m->level[k].name, " ");
		ml_report_put(p, "%s %u-way", ml_report_bytes(p, m->level[k].size),
			      m->level[k].ways);
	}
	ml_report_put(p, "; %u %s, lines of %u bytes", m->cores,
		      m->cores == 1 ? "core" : "cores", m->level[0].line);
}

static void put_origin(struct ml_report_page *p)
{
	const struct ml_trace *t = &p->sim->trace->trace;
	const char *command = ml_tables_meta_find(&t->tables, "command");

	ml_report_put(p, "<dl class=\"of\">\n");
	if (command)
		ml_report_wrap(p, "<dt>Command</dt><dd><code>", command,
			       "</code></dd>\n");
	ml_report_put(p, "<dt>Machine</dt><dd>");
	put_machine(p);
	ml_report_put(p, " (simulated)</dd>\n<dt>Trace</dt><dd><code>");
	ml_report_text(p, t->path);
	ml_report_put(p, "</code>, recorded %s</dd>\n", date_of(t->created, &p->arena));
	if (!p->window.whole) {
		ml_report_put(p, "<dt>Window</dt><dd>");
		if (p->o->phase)
			ml_report_wrap(p, "phase <b>", p->o->phase, "</b>: ");
		ml_report_put(
			p,
			"references %s to %s of %s; the caches are as the run before "
			"left them</dd>\n",
			ml_report_count(p, p->window.from),
			ml_report_count(p, p->window.to),
			ml_report_count(p, p->sim->simulation.result.refs));
	}
	if (p->profile->interleave)
		ml_report_put(p,
			      "<dt>Threads</dt><dd>take turns, %s references each</dd>\n",
			      ml_report_count(p, p->profile->interleave));
	ml_report_put(p, "</dl>\n");
}

/* Reports damage and gaps before any figure. */
static void put_missing(struct ml_report_page *p)
{
	const struct ml_trace *t = &p->sim->trace->trace;
	const struct ml_summary *s = &p->sim->trace->summary;

	if (s->damage)
		ml_report_wrap(p,
			       "<p class=\"warn\"><b>Damaged.</b> Only what stands "
			       "before the damage counts: ",
			       s->damage, "</p>\n");
	if (t->damage)
		ml_report_wrap(p,
			       "<p class=\"warn\"><b>Damaged.</b> The end of the file "
			       "cannot be used: ",
			       t->damage, "</p>\n");
	else if (!t->whole)
		ml_report_put(p,
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

		ml_report_put(
			p,
			"<p class=\"warn\"><b>Missing.</b> %s%s references, %s, in %s "
			"%s.</p>\n",
			g->unknown ? "At least " : "", ml_report_count(p, g->missing),
			why[g->reason], ml_report_count(p, g->gaps),
			g->gaps == 1 ? "gap" : "gaps");
	}
}

static void put_nav(struct ml_report_page *p)
{
	ml_report_put(p,
		      "</header>\n<nav><div><a href=\"#summary\">Summary</a>"
		      "<a href=\"#findings\">Findings</a>"
		      "<a href=\"#time\">Timeline</a><a href=\"#source\">Source</a>"
		      "<a href=\"#data\">Data</a><a href=\"#more\">More</a></div></nav>\n"
		      "<main>\n");
}

static void put_card(struct ml_report_page *p, const char *figure, const char *what)
{
	ml_report_put(p, "<div class=\"card\"><b>%s</b><span>%s</span></div>\n", figure,
		      what);
}

static void put_cards(struct ml_report_page *p)
{
	const struct ml_profile *x = p->profile;
	const struct ml_machine *m = p->machine;
	uint32_t first = m->level[0].cycles;
	struct ml_arena *a = &p->arena;

	ml_report_put(p, "<div class=\"cards\">\n");
	put_card(p, ml_report_count(p, x->refs),
		 ml_arena_printf(a, "references: %s reads, %s writes%s%s",
				 ml_report_count(p, x->kind[0]),
				 ml_report_count(p, x->kind[1]), x->kind[2] ? ", " : "",
				 x->kind[2]
					 ? ml_arena_printf(a, "%s fetches",
							   ml_report_count(p, x->kind[2]))
					 : ""));
	put_card(p, ml_arena_printf(a, "%.2f", x->cycles),
		 ml_arena_printf(
			 a, "cycles a reference; %u if the first level had everything",
			 first));
	put_card(p, ml_report_percent(p, x->cycles > first ? 1 - first / x->cycles : 0),
		 "of the access time is waiting beyond the first level");
	put_card(
		p,
		ml_report_percent(p, ml_profile_ratio(x->served[m->levels + 1], x->refs)),
		"of the references went to memory");
	ml_report_put(p, "</div>\n");
}

/* "62 % capacity, 38 % cold" of the references that a level could not serve. */
static void put_causes(struct ml_report_page *p, unsigned level)
{
	const uint64_t *cause = p->rows.total.cause[level - 1];
	uint64_t missed = p->rows.total.missed[level - 1];
	enum ml_cause order[ML_CAUSES];
	size_t count = missed ? ml_profile_causes(cause, missed, order) : 0;

	for (size_t i = 0; i < count; i++)
		ml_report_put(
			p, "%s%s %s", i ? ", " : "",
			ml_report_percent(p, ml_profile_ratio(cause[order[i]], missed)),
			ml_profile_cause_text(order[i]));
}

static void put_level(struct ml_report_page *p, unsigned level)
{
	const struct ml_profile *x = p->profile;
	bool memory = level > p->machine->levels;
	uint64_t missed = memory ? 0 : p->rows.total.missed[level - 1];
	uint64_t reached = missed + x->served[level];

	ml_report_put(
		p, "<tr><td class=\"t\"><span class=\"key\"><span><i class=\"c%u\"></i>",
		ml_colour_of_level(level - 1, p->machine->levels + 1));
	ml_report_text(p, ml_report_level(p, level));
	ml_report_put(p,
		      "</span></span></td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
		      ml_report_count(p, x->served[level]),
		      ml_report_percent(p, ml_profile_ratio(x->served[level], x->refs)));
	if (memory)
		ml_report_put(p, "<td></td><td></td><td></td>");
	else {
		ml_report_put(
			p,
			"<td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"t\">",
			ml_report_count(p, missed),
			ml_report_percent(p, ml_profile_ratio(missed, reached)));
		put_causes(p, level);
		ml_report_put(p, "</td>");
	}
	if (p->window.whole && memory)
		ml_report_put(p, "<td></td><td></td>");
	else if (p->window.whole)
		ml_report_put(p, "<td class=\"n\">%s</td><td class=\"n\">%s</td>",
			      ml_report_bytes(p, x->level[level].bytes_in),
			      ml_report_bytes(p, x->level[level].bytes_out));
	ml_report_put(p, "</tr>\n");
}

static void put_summary(struct ml_report_page *p)
{
	const struct ml_profile *x = p->profile;
	uint32_t first = p->machine->level[0].cycles;

	ml_report_put(p, "<section id=\"summary\">\n<h2>Summary</h2>\n<p>");
	ml_report_text(p, ml_report_level(p, 1));
	ml_report_put(p, " serves %s of the references",
		      ml_report_percent(p, ml_profile_ratio(x->served[1], x->refs)));
	for (unsigned k = 2; k <= p->machine->levels + 1; k++) {
		ml_report_wrap(p, k > p->machine->levels ? " and " : ", ",
			       ml_report_level(p, k), " ");
		ml_report_put(
			p, "%s",
			ml_report_percent(p, ml_profile_ratio(x->served[k], x->refs)));
	}
	ml_report_put(p, ". %s</p>\n",
		      x->cycles < 1.02 * first
			      ? "The caches hold what is needed: there is little to gain."
			      : "");
	put_cards(p);
	ml_report_put(p, "<div class=\"big\">");
	ml_report_served_bar(p, x->served);
	ml_report_put(
		p,
		"</div>\n<div class=\"scroll\"><table class=\"full\">\n<tr><th class=\"t\">level</th>"
		"<th>served</th><th>share</th><th>missed</th><th>miss ratio</th>"
		"<th class=\"t\">because</th>%s</tr>\n",
		p->window.whole ? "<th>came in</th><th>went out</th>" : "");
	for (unsigned k = 1; k <= p->machine->levels + 1; k++)
		put_level(p, k);
	ml_report_put(p, "</table></div>\n</section>\n");
}

static void put_where(struct ml_report_page *p, const struct ml_finding *f,
		      struct ml_source_lines *sources)
{
	const char *source = f->line && !p->o->no_source
				     ? ml_source_lines_find(sources, f->file, f->line)
				     : NULL;

	if (f->line) {
		ml_report_wrap(p, "<p class=\"muted\"><code>", ml_path_name(f->file), "");
		ml_report_put(p, ":%u</code>", f->line);
		if (*f->func)
			ml_report_wrap(p, " in <code>", f->func, "</code>");
		ml_report_put(p, "</p>\n");
	} else if (*f->func)
		ml_report_wrap(p, "<p class=\"muted\">in <code>", f->func,
			       "</code></p>\n");
	if (source && *source)
		ml_report_wrap(p, "<pre>", source, "</pre>\n");
}

/* "simulated", or "estimated, 2.1 % to 14 %". */
static const char *predicted(struct ml_report_page *p, const struct ml_finding *f)
{
	const char *how = f->simulated ? "simulated" : "estimated";
	const char *low = ml_report_percent(p, f->low);
	const char *high = ml_report_percent(p, f->high);

	if (f->low >= f->high || !strcmp(low, high))
		return how;
	return ml_arena_printf(&p->arena, "%s, %s to %s", how, low, high);
}

static void put_finding(struct ml_report_page *p, const struct ml_finding *f,
			struct ml_source_lines *sources)
{
	ml_report_wrap(p, "<div class=\"finding\">\n<h3>", f->title, "");
	ml_report_put(p, "<span>saves %s%s</span></h3>\n", f->simulated ? "" : "about ",
		      ml_report_percent(p, f->gain));
	put_where(p, f, sources);
	ml_report_put(p, "<p>");
	for (size_t i = 0; i < ML_FINDING_SAYS && f->says[i]; i++)
		ml_report_wrap(p, i ? " " : "", f->says[i], "");
	ml_report_wrap(p, "</p>\n<dl><dt>Try</dt><dd>", f->advice, "");
	ml_report_put(p, " <span class=\"muted\">(%s)</span></dd>\n", predicted(p, f));
	for (const struct ml_finding *x = f->other; x; x = x->other) {
		ml_report_wrap(p, "<dt>Or</dt><dd>", x->advice, "");
		ml_report_put(p, " <span class=\"muted\">(saves %s, %s)</span></dd>\n",
			      ml_report_percent(p, x->gain), predicted(p, x));
	}
	ml_report_put(p, "</dl>\n</div>\n");
}

static void put_notes(struct ml_report_page *p, const struct ml_findings *f, size_t shown)
{
	if (!shown && f->no_verdict) {
		ml_report_wrap(p, "<p>No finding, and no verdict. ", f->no_verdict, ". ");
		ml_report_put(p, "%s of the access time is waiting.</p>\n",
			      ml_report_percent(p, f->waiting));
	} else if (!shown && f->waiting < 0.1)
		ml_report_put(
			p,
			"<p>Nothing to mend: waiting takes %s of the access time.</p>\n",
			ml_report_percent(p, f->waiting));
	else if (!shown)
		ml_report_put(
			p,
			"<p>No finding: %s of the access time is waiting (%s for lines "
			"touched for the first time), but no change that memlamp knows "
			"would save 2 %% of it.</p>\n",
			ml_report_percent(p, f->waiting), ml_report_percent(p, f->cold));
	if (f->untried && shown)
		ml_report_wrap(p, "<p class=\"muted\">Changes were not simulated: ",
			       f->untried, "</p>\n");
	else if (f->tried && f->tried < f->of)
		ml_report_put(p,
			      "<p class=\"muted\">Changes were simulated on %s of %s "
			      "references, taken from %u phase%s of the run. The bounds "
			      "are two standard errors apart from the figure.</p>\n",
			      ml_report_count(p, f->tried), ml_report_count(p, f->of),
			      f->phases, f->phases == 1 ? "" : "s");
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
	ml_report_put(p,
		      "<section id=\"findings\">\n<h2>Findings</h2>\n"
		      "<p class=\"muted\">What to change, by the access time that it "
		      "saves%s.</p>\n",
		      p->window.whole ? "" : " within the window");
	for (size_t i = 0; i < f->count; i++) {
		if (f->at[i].vague && (!i || !f->at[i - 1].vague))
			ml_report_put(
				p,
				"<p class=\"muted\">Where the program waits%s, without a "
				"certain remedy.</p>\n",
				i ? " as well" : "");
		put_finding(p, &f->at[i], &sources);
	}
	put_notes(p, f, f->count);
	ml_report_put(p, "</section>\n");
	ml_source_lines_release(&sources);
	if (f == &own)
		ml_findings_release(&own);
	return true;
}

static void put_key(struct ml_report_page *p)
{
	ml_report_put(p, "<div class=\"key\">");
	for (unsigned k = 1; k <= p->machine->levels + 1; k++) {
		ml_report_put(p, "<span><i class=\"c%u\"></i>",
			      ml_colour_of_level(k - 1, p->machine->levels + 1));
		ml_report_wrap(p, "", ml_report_level(p, k), "</span>");
	}
	ml_report_put(p, "</div>\n");
}

static bool put_timeline(struct ml_report_page *p, struct ml_err *err)
{
	struct ml_picture picture = { .out = p->out };
	struct ml_picture_window w = { p->window.from, p->window.to, TIME_WIDTH,
				       TIME_HEIGHT };

	ml_report_put(p, "<section id=\"time\">\n<h2>Timeline</h2>\n"
			 "<p class=\"muted\">The share of the references that each level "
			 "served, from the first reference to the last.</p>\n");
	put_key(p);
	ml_report_put(p, "<figure>");
	bool ok = ml_picture_timeline(&picture, p->sim, &w, err);
	ml_report_put(p, "</figure>\n");
	if (p->rows.phases.count && p->window.whole) {
		ml_report_put(
			p, "<div class=\"scroll\"><table><tr><th class=\"t\">phase</th>"
			   "<th>times</th>");
		ml_report_count_heads(p);
		ml_report_put(p, "</tr>\n");
		for (size_t i = 0; i < p->rows.phases.count && i < p->o->top; i++) {
			const struct ml_profile_phase_row *r = &p->rows.phases.at[i];

			ml_report_put(p,
				      "<tr><td class=\"t\" style=\"padding-left:%uem\">",
				      r->depth);
			ml_report_text(p, r->name);
			ml_report_put(p, "</td><td class=\"n\">%s</td>",
				      ml_report_count(p, r->times));
			ml_report_count_cells(p, &r->count, p->rows.total.lost);
			ml_report_put(p, "</tr>\n");
		}
		ml_report_put(p, "</table></div>\n");
		ml_report_more(p, p->rows.phases.count, p->o->top, "phases");
	}
	ml_report_put(p, "</section>\n");
	return ok;
}

static void put_foot(struct ml_report_page *p)
{
	ml_report_put(
		p, "<footer><p>Made by memlamp from a recorded trace and a simulated "
		   "machine. Cycles follow from the machine's latencies and nothing "
		   "overlaps: they weigh misses against each other and are no prediction "
		   "of time. What a library does counts for the line that called "
		   "it.</p></footer>\n</main>\n</body>\n</html>\n");
}

bool ml_report(struct ml_open_sim *s, const struct ml_report_options *o,
	       struct ml_buf *out, struct ml_err *err)
{
	struct ml_report_page page = { .out = out,
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
	put_head(p);
	put_origin(p);
	put_missing(p);
	put_nav(p);
	put_summary(p);
	/* the walk over the window runs while a thread finds the findings of the run */
	p->out = &data;
	bool ok = ml_report_data(p, err);
	p->out = out;
	ok = ok && put_findings(p, err) && put_timeline(p, err);
	if (ok) {
		ml_report_source(p);
		ml_buf_put(out, data.data, data.size);
		ml_report_more_data(p);
		put_foot(p);
	}
	ml_buf_release(&data);
	ml_profile_rows_release(&p->rows);
	ml_report_window_close(&p->window);
	ml_arena_release(&p->arena);
	return ok;
}

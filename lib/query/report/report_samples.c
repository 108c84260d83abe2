#include "lib/query/report/report_samples.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/file.h"
#include "lib/base/path.h"
#include "lib/query/report/report_parts.h"
#include "lib/query/samples/sample_tables.h"
#include "lib/samples/bins.h"
#include "lib/samples/totals.h"

enum { BARS = 60, WIDTH = 1120, HEIGHT = 200, LEFT = 70, BOTTOM = 24 };

static const struct {
	const char *name, *title, *what;
} sections[] = {
	{ "levels", "Levels", "What served the samples." },
	{ "lines", "Lines", "Where the program waited." },
	{ "functions", "Functions", "" },
	{ "variables", "Variables", "Which data it waited for." },
	{ "threads", "Threads", "" },
	{ "cpus", "CPUs", "" },
	{ "metrics", "Metrics",
	  "Mean latency and imbalance of the samples on each tier of the hardware." },
};

static void put_head(struct ml_report_page *p, const struct ml_samples *s)
{
	ml_report_put(p, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
			 "<meta charset=\"utf-8\">\n"
			 "<meta name=\"viewport\" content=\"width=device-width, "
			 "initial-scale=1\">\n"
			 "<meta http-equiv=\"Content-Security-Policy\" "
			 "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
			 "<title>");
	ml_report_text(p, ml_path_name(s->path));
	ml_report_put(p, " - memlamp report</title>\n");
	ml_report_style(p);
	ml_report_wrap(p, "</head>\n<body>\n<header>\n<h1>", ml_path_name(s->path),
		       "</h1>\n");
}

static void put_card(struct ml_report_page *p, const char *value, const char *what)
{
	ml_report_put(p, "<div class=\"card\"><b>%s</b><span>%s</span></div>\n", value,
		      what);
}

static void put_cards(struct ml_report_page *p, const struct ml_sample_question *q,
		      const struct ml_total *all)
{
	ml_report_put(p, "<div class=\"cards\">\n");
	put_card(p, ml_report_count(p, all->samples), "samples");
	if (all->timed) {
		put_card(p, ml_report_count(p, all->cycles), "cycles of latency");
		put_card(p,
			 ml_arena_printf(&p->arena, "%.1f \u00b1 %.1f",
					 ml_total_mean(all), ml_total_error(all)),
			 "mean latency and its standard error");
	}
	if (q->s->topology.count)
		put_card(p, ml_report_count(p, q->s->topology.cpu_count), "CPUs");
	ml_report_put(p, "</div>\n");
}

static void put_origin(struct ml_report_page *p, const struct ml_sample_question *q,
		       const char *select)
{
	const struct ml_samples *s = q->s;

	ml_report_wrap(p, "<dl class=\"of\">\n<dt>Samples</dt><dd><code>", s->path,
		       "</code></dd>\n");
	ml_report_wrap(p, "<dt>Format</dt><dd>", s->format, "</dd>\n");
	if (*s->note)
		ml_report_wrap(p, "<dt>Note</dt><dd>", s->note, "</dd>\n");
	if (select)
		ml_report_wrap(p, "<dt>Selection</dt><dd><code>", select,
			       "</code></dd>\n");
	ml_report_put(p, "</dl>\n");
	if (s->bad)
		ml_report_put(p,
			      "<p class=\"warn\"><b>Missing.</b> %s lines of the file "
			      "could not be read.</p>\n",
			      ml_report_count(p, s->bad));
	uint64_t elsewhere = ml_samples_elsewhere(s);
	if (elsewhere)
		ml_report_put(p,
			      "<p class=\"warn\"><b>Missing.</b> %s samples are of CPUs "
			      "that the hardware does not have.</p>\n",
			      ml_report_count(p, elsewhere));
}

/* Bars with their largest value and the ends of the axis. */
static void put_bars(struct ml_report_page *p, const double *value, size_t n,
		     const char *unit, const char *low, const char *high)
{
	double max = 0, width = (double)(WIDTH - LEFT) / (double)(n ? n : 1);

	for (size_t i = 0; i < n; i++)
		max = value[i] > max ? value[i] : max;
	ml_report_put(p,
		      "<figure><svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" "
		      "font-size=\"13\" fill=\"var(--muted)\">\n",
		      WIDTH, HEIGHT + BOTTOM, WIDTH);
	ml_report_put(p, "<text x=\"%d\" y=\"12\" text-anchor=\"end\">%s</text>\n",
		      LEFT - 6,
		      max < 1000 ? ml_arena_printf(&p->arena, "%.4g", max)
				 : ml_report_short(p, (uint64_t)max));
	ml_report_put(p, "<text x=\"%d\" y=\"28\" text-anchor=\"end\">%s</text>\n",
		      LEFT - 6, unit);
	ml_report_put(p, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>\n",
		      LEFT - 6, HEIGHT);
	for (size_t i = 0; max > 0 && i < n; i++) {
		double height = value[i] / max * HEIGHT;

		if (height > 0)
			ml_report_put(p,
				      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
				      "height=\"%.1f\" fill=\"var(--lamp)\"/>\n",
				      LEFT + width * (double)i, HEIGHT - height,
				      width > 2 ? width - 1 : width, height);
	}
	ml_report_put(p, "<text x=\"%d\" y=\"%d\">", LEFT, HEIGHT + BOTTOM - 6);
	ml_report_text(p, low);
	ml_report_put(p, "</text>\n<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", WIDTH,
		      HEIGHT + BOTTOM - 6);
	ml_report_text(p, high);
	ml_report_put(p, "</text>\n</svg></figure>\n");
}

static const char *edge(struct ml_report_page *p, const struct ml_samples_column *c,
			uint64_t bits)
{
	char text[ML_SAMPLES_TEXT];

	return ml_arena_printf(&p->arena, "%s %s", c->name,
			       ml_samples_text(c, bits, text));
}

static void put_latencies(struct ml_report_page *p, const struct ml_sample_question *q)
{
	const struct ml_samples_column *c = ml_samples_latency(q->s);
	double value[BARS] = { 0 };
	uint64_t counts[BARS + 1] = { 0 };
	struct ml_bins b;

	if (!c)
		return;
	ml_bins_init(&b, q->s, (size_t)q->s->role[ML_SAMPLES_LATENCY], BARS);
	ml_bins_histogram(&b, &q->selected, counts);
	for (size_t i = 0; i < b.count; i++)
		value[i] = (double)counts[i];
	ml_report_put(
		p, "<h2 id=\"latencies\">Latencies</h2>\n<p>Samples by latency.</p>\n");
	put_bars(p, value, b.count, "samples", edge(p, c, c->min), edge(p, c, c->max));
	ml_bins_release(&b);
}

/* The mean latency in parts of the run. */
static void put_run(struct ml_report_page *p, const struct ml_sample_question *q)
{
	const struct ml_samples_column *c = ml_samples_role(q->s, ML_SAMPLES_TIME),
				       *latency = ml_samples_latency(q->s);
	double value[BARS] = { 0 }, sum[BARS + 1] = { 0 }, timed[BARS + 1] = { 0 };
	struct ml_bins b;

	if (!c || !latency || c->kind == ML_SAMPLES_NAMES)
		return;
	ml_bins_init(&b, q->s, (size_t)q->s->role[ML_SAMPLES_TIME], BARS);
	for (uint64_t i = 0; i < q->s->rows; i++)
		if (ml_selection_has(&q->selected, i) &&
		    !ml_samples_missing(latency, i)) {
			size_t bin = ml_bins_at(&b, i);

			timed[bin]++;
			sum[bin] += ml_samples_to_real(latency,
						       ml_samples_bits(latency, i));
		}
	for (size_t i = 0; i < b.count; i++)
		value[i] = timed[i] > 0 ? sum[i] / timed[i] : 0;
	ml_report_put(p,
		      "<h2 id=\"run\">Along the run</h2>\n<p>Mean latency in %zu equal "
		      "parts of the time.</p>\n",
		      b.count);
	/* the counter begins anywhere: its distance from the first sample says more */
	double length = ml_samples_to_real(c, c->max) - ml_samples_to_real(c, c->min);
	put_bars(p, value, b.count, "cycles",
		 ml_arena_printf(&p->arena, "%s +0", c->name),
		 length < 1000 ? ml_arena_printf(&p->arena, "%s +%.4g", c->name, length)
			       : ml_arena_printf(&p->arena, "%s +%s", c->name,
						 ml_report_short(p, (uint64_t)length)));
	ml_bins_release(&b);
}

/* The text of one line of a file; NULL: there is none. */
static const char *line_text(const char *path, uint64_t line, struct ml_arena *a)
{
	struct ml_file_map map;
	struct ml_err ignored;
	const char *text = NULL;

	if (!line || !ml_file_map_open(&map, path, &ignored))
		return NULL;
	const char *at = (const char *)map.data, *end = at + map.size;
	while (at && at < end && --line)
		at = (at = memchr(at, '\n', (size_t)(end - at))) ? at + 1 : NULL;
	if (at && at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		text = ml_arena_copy(a, at, (size_t)((stop ? stop : end) - at));
	}
	ml_file_map_close(&map);
	return text;
}

/* The source of the costliest lines, where the files are at hand. */
static void put_source(struct ml_report_page *p, const struct ml_sample_question *q)
{
	const struct ml_samples *s = q->s;
	int file = s->role[ML_SAMPLES_FILE], line = s->role[ML_SAMPLES_LINE];
	struct ml_totals totals;
	bool some = false;

	if (file < 0 || line < 0 || s->columns[file].kind != ML_SAMPLES_NAMES ||
	    s->columns[line].kind != ML_SAMPLES_UNSIGNED)
		return;
	ml_totals_by(&totals, s, &q->selected, file, line, q->order, &p->arena);
	for (size_t i = 0; i < totals.count && i < q->top; i++) {
		const struct ml_total *x = &totals.list[i];
		const char *path = s->columns[file].names[x->value[0]];
		const char *text = x->missing[0] || x->missing[1]
					   ? NULL
					   : line_text(path, x->value[1], &p->arena);

		if (!text)
			continue;
		if (!some)
			ml_report_put(
				p,
				"<h2 id=\"source\">Source</h2>\n<table>\n"
				"<tr><th class=\"n\">mean</th><th class=\"t\">line</th>"
				"<th class=\"t\">text</th></tr>\n");
		some = true;
		ml_report_put(p, "<tr><td class=\"n\">%.1f</td><td class=\"t\">",
			      ml_total_mean(x));
		ml_report_text(p, ml_arena_printf(&p->arena, "%s:%llu", path,
						  (unsigned long long)x->value[1]));
		ml_report_wrap(p, "</td><td class=\"t\"><code>", text,
			       "</code></td></tr>\n");
	}
	if (some)
		ml_report_put(p, "</table>\n");
}

static bool put_tables(struct ml_report_page *p, const struct ml_sample_question *q,
		       struct ml_err *err)
{
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		struct ml_table t;
		size_t all;

		if (!ml_sample_table_has(sections[i].name, q->s))
			continue;
		if (!ml_sample_table(&t, &all, sections[i].name, q, err))
			return false;
		ml_report_put(p, "<h2 id=\"%s\">%s</h2>\n", sections[i].name,
			      sections[i].title);
		if (*sections[i].what)
			ml_report_put(p, "<p>%s</p>\n", sections[i].what);
		ml_report_put(p, "<div class=\"scroll\">\n");
		ml_table_html(&t, p->out);
		ml_report_put(p, "</div>\n");
		ml_report_more(p, all, ml_table_rows(&t), sections[i].name);
		ml_table_release(&t);
	}
	return true;
}

bool ml_report_samples(struct ml_sample_question *q,
		       const struct ml_sample_report_options *o, struct ml_buf *out,
		       struct ml_err *err)
{
	static const struct ml_machine none;
	struct ml_report_page p = { .out = out, .machine = &none };
	struct ml_totals totals;

	ml_totals_by(&totals, q->s, &q->selected, 0, -1, q->order, &p.arena);
	put_head(&p, q->s);
	put_origin(&p, q, o->select);
	put_cards(&p, q, &totals.all);
	ml_report_put(&p, "</header>\n<main>\n");
	put_run(&p, q);
	put_latencies(&p, q);
	bool ok = put_tables(&p, q, err);
	if (ok && !o->no_source)
		put_source(&p, q);
	ml_report_put(&p, "<footer>memlamp " ML_VERSION "</footer>\n</main>\n</body>\n"
			  "</html>\n");
	ml_arena_release(&p.arena);
	return ok;
}

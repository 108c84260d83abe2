#include "lib/query/samples/tell_samples.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/query/drawing/picture.h"
#include "lib/query/drawing/sections.h"
#include "lib/query/samples/sample_tables.h"
#include "lib/query/sampling/compare_samples.h"
#include "lib/query/workspace/ask.h"
#include "lib/samples/bins.h"
#include "lib/samples/read/read_samples.h"
#include "lib/samples/totals.h"

#define WHAT "samples of the hardware"

enum { BARS = 60, USUAL = 12 };

/* The tables of info and report, in the order in which they are read. */
static const struct {
	const char *name, *title, *what;
} tables[] = {
	{ "levels", "Levels", "What served the samples." },
	{ "lines", "Lines", "Where the program waited." },
	{ "functions", "Functions", NULL },
	{ "variables", "Variables", "Which data it waited for." },
	{ "threads", "Threads", NULL },
	{ "cpus", "CPUs", NULL },
	{ "metrics", "Metrics",
	  "Mean latency and imbalance of the samples on each tier of the hardware." },
	{ "columns", "Columns", "What the table holds." },
};

static bool put_tables(struct ml_sections *x, const struct ml_sample_question *q,
		       struct ml_err *err)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		struct ml_table t;
		size_t all;

		if (!ml_sample_table_has(tables[i].name, q->s))
			continue;
		if (!ml_sample_table(&t, &all, tables[i].name, q, err))
			return false;
		ml_sections_table(x, tables[i].name, tables[i].title, tables[i].what, &t,
				  all);
	}
	return true;
}

static void put_facts(struct ml_sections *x, const struct ml_sample_question *q,
		      const char *select)
{
	const struct ml_samples *s = q->s;
	uint64_t elsewhere = ml_samples_elsewhere(s);
	struct ml_totals totals;

	ml_totals_by(&totals, s, &q->selected, 0, -1, q->order, &x->arena);
	ml_sections_text(x, "format", s->format);
	ml_sections_number(x, "samples", totals.all.samples);
	if (select)
		ml_sections_text(x, "selection", select);
	if (totals.all.timed) {
		ml_sections_number(x, "cycles_of_latency", totals.all.cycles);
		ml_sections_text(x, "mean_latency",
				 ml_arena_printf(&x->arena, "%.1f \u00b1 %.1f cycles",
						 ml_total_mean(&totals.all),
						 ml_total_error(&totals.all)));
	}
	ml_sections_number(x, "columns_read", s->count);
	if (s->topology.count)
		ml_sections_number(x, "CPUs", s->topology.cpu_count);
	if (*s->note)
		ml_sections_note(x, "%s", s->note);
	if (s->bad)
		ml_sections_note(x, "Missing: %llu lines of the file could not be read.",
				 (unsigned long long)s->bad);
	if (elsewhere)
		ml_sections_note(x,
				 "Missing: %llu samples are of CPUs that the hardware "
				 "does not have.",
				 (unsigned long long)elsewhere);
}

static const char *edge(struct ml_sections *x, const struct ml_samples_column *c,
			uint64_t bits)
{
	char text[ML_SAMPLES_TEXT];

	return ml_arena_printf(&x->arena, "%s %s", c->name,
			       ml_samples_text(c, bits, text));
}

static void put_latencies(struct ml_sections *x, const struct ml_sample_question *q)
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
	ml_sections_histogram(x, "latencies", "Latencies", "Samples by latency.", value,
			      b.count, "samples", edge(x, c, c->min), edge(x, c, c->max));
	ml_bins_release(&b);
}

/* The mean latency in parts of the run. */
static void put_run(struct ml_sections *x, const struct ml_sample_question *q)
{
	const struct ml_samples_column *c = ml_samples_role(q->s, ML_SAMPLES_TIME),
				       *latency = ml_samples_latency(q->s);
	double value[BARS] = { 0 }, sum[BARS + 1] = { 0 }, timed[BARS + 1] = { 0 };
	char text[ML_COORDINATE_ROOM];
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
	/* the counter begins anywhere: its distance from the first sample says more */
	double length = ml_samples_to_real(c, c->max) - ml_samples_to_real(c, c->min);
	ml_sections_histogram(
		x, "run", "Along the run",
		ml_arena_printf(&x->arena, "Mean latency in %zu equal parts of the time.",
				b.count),
		value, b.count, "cycles", ml_arena_printf(&x->arena, "%s +0", c->name),
		length < 1000
			? ml_arena_printf(&x->arena, "%s +%.4g", c->name, length)
			: ml_arena_printf(&x->arena, "%s +%s", c->name,
					  ml_picture_count(text, (uint64_t)length,
							   (uint64_t)(length / 10))));
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
static void put_source(struct ml_sections *x, const struct ml_sample_question *q)
{
	static const struct ml_column columns[] = {
		{ "mean", .kind = ML_COLUMN_REAL, .decimals = 1 },
		{ "line", .kind = ML_COLUMN_TEXT },
		{ "text", .kind = ML_COLUMN_TEXT },
	};
	const struct ml_samples *s = q->s;
	int file = s->role[ML_SAMPLES_FILE], line = s->role[ML_SAMPLES_LINE];
	struct ml_table t = { .columns = columns, .width = 3 };
	struct ml_totals totals;

	if (file < 0 || line < 0 || s->columns[file].kind != ML_SAMPLES_NAMES ||
	    s->columns[line].kind != ML_SAMPLES_UNSIGNED)
		return;
	ml_totals_by(&totals, s, &q->selected, file, line, q->order, &x->arena);
	for (size_t i = 0; i < totals.count && i < q->top; i++) {
		const struct ml_total *l = &totals.list[i];
		const char *path = s->columns[file].names[l->value[0]];
		const char *text = l->missing[0] || l->missing[1]
					   ? NULL
					   : line_text(path, l->value[1], &x->arena);

		if (!text)
			continue;
		ml_table_real(&t, ml_total_mean(l));
		ml_table_text(&t, ml_arena_printf(&x->arena, "%s:%llu", path,
						  (unsigned long long)l->value[1]));
		ml_table_text(&t, text);
	}
	ml_sections_table(x, "source", "Source", "The text of the costliest lines.", &t,
			  0);
}

/* Opens the samples and the question; fills facts and tables. */
static bool open_sections(struct ml_sections *x, struct ml_samples *s,
			  struct ml_sample_question *question, const char *path,
			  const struct ml_ask *q, struct ml_err *err)
{
	*x = (struct ml_sections){ .path = path, .what = WHAT };
	if (!ml_samples_open(s, path, NULL, q->work, err))
		return false;
	ml_sample_question_init(question, s, &x->arena);
	question->work = q->work;
	if (ml_sample_question_set(question, q->select, NULL, NULL, NULL, NULL, NULL,
				   err)) {
		put_facts(x, question, q->select);
		return true;
	}
	ml_samples_close(s);
	return false;
}

bool ml_samples_info(const char *path, const struct ml_ask *q, struct ml_told *t,
		     struct ml_err *err)
{
	struct ml_sample_question question;
	struct ml_sections x;
	struct ml_samples s;
	bool ok = open_sections(&x, &s, &question, path, q, err);

	if (ok) {
		x.rows = question.top = ml_ask_rows(q);
		ok = put_tables(&x, &question, err) && ml_sections_tell(&x, q, t, err);
		ml_samples_close(&s);
	}
	ml_sections_release(&x);
	return ok;
}

bool ml_samples_report(const char *path, const struct ml_ask *q, struct ml_told *t,
		       struct ml_err *err)
{
	struct ml_sample_question question;
	struct ml_sections x;
	struct ml_samples s;
	bool ok = open_sections(&x, &s, &question, path, q, err);

	if (ok) {
		x.rows = question.top = q->top ? q->top : USUAL;
		put_run(&x, &question);
		put_latencies(&x, &question);
		ok = put_tables(&x, &question, err);
		if (ok && !q->no_source)
			put_source(&x, &question);
		if (ok)
			ml_sections_html(&x, &t->out);
		ml_samples_close(&s);
	}
	ml_sections_release(&x);
	return ok;
}

static bool compare(struct ml_sections *x, const struct ml_samples *a,
		    const struct ml_samples *b, const struct ml_ask *q,
		    struct ml_told *told, struct ml_err *err)
{
	for (const char *const *n = ml_compare_samples_tables; *n; n++) {
		struct ml_table t;
		size_t all;

		if (!ml_compare_samples_has(*n, a, b))
			continue;
		if (!ml_compare_samples(&t, &all, *n, a, b, x->rows, err))
			return false;
		ml_sections_table(x, *n, *n, NULL, &t, all);
	}
	return ml_sections_tell(x, q, told, err);
}

bool ml_samples_diff(const char *const path[2], const struct ml_ask *q, struct ml_told *t,
		     struct ml_err *err)
{
	struct ml_sections x = {
		.path = path[0], .second = path[1], .what = WHAT, .rows = ml_ask_rows(q)
	};
	struct ml_samples a, b;

	if (!ml_samples_open(&a, path[0], NULL, q->work, err))
		return false;
	bool ok = ml_samples_open(&b, path[1], NULL, q->work, err);
	if (ok) {
		ok = compare(&x, &a, &b, q, t, err);
		ml_samples_close(&b);
	}
	ml_samples_close(&a);
	ml_sections_release(&x);
	return ok;
}

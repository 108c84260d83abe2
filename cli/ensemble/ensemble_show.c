#include "cli/ensemble/ensemble_show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "lib/query/workspace/say.h"
#include "cli/simulated.h"
#include "lib/analyse/ensemble/curve.h"
#include "lib/analyse/ensemble/time_match.h"
#include "lib/analyse/ensemble/shared_cache_model.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/query/ensemble/curve_words.h"
#include "lib/query/ensemble/ensemble_axes.h"
#include "lib/query/ensemble/ensemble_tables.h"
#include "lib/query/ensemble/picture_ensemble.h"

enum { CELLS_MAX = 1 << 16, KNOTS = 20, UNEQUAL = 5, SIDE_BY_SIDE = 2 };

const struct ensemble_show ensemble_show_default = {
	.measure = "time",
	.level = 1,
	.envelope = "range",
	.top = 40,
	.cells = 256,
};

struct show {
	const struct ml_ensemble *e;
	const struct ensemble_show *o;
	struct ml_curves *curves;
	struct ml_curve_options curve;
	struct ml_time_matching matching;
	struct ml_axes axes;
	struct ml_shared_cache shared;
	struct ml_ensemble_ask ask;
	struct ml_arena arena;
};

static bool among(const char *const *words, const char *word, unsigned *number)
{
	for (*number = 0; words[*number]; ++*number)
		if (!strcmp(words[*number], word))
			return true;
	return false;
}

bool ensemble_show_check(const struct ensemble_show *o, struct ml_err *err)
{
	enum ml_measure measure;
	enum ml_time_match_how how;
	enum ml_ensemble_plot plot;
	unsigned kind;

	if (!ml_curve_words_measure(o->measure, &measure, err) ||
	    (o->time && !ml_curve_words_time(o->time, &how, err)))
		return false;
	if (o->as && !ml_ensemble_plot_find(o->as, &plot))
		return ml_fail(err, ML_USAGE,
			       "--as must be curves, spread, multiples, parameter, map, "
			       "workingset or shared, not '%s'",
			       o->as);
	if (!among(ml_envelope_names, o->envelope, &kind))
		return ml_fail(err, ML_USAGE,
			       "--envelope must be range, deviation or none, not '%s'",
			       o->envelope);
	if (o->csv && strcmp(o->csv, "members") != 0 && strcmp(o->csv, "series") != 0)
		return ml_fail(err, ML_USAGE, "--csv must be members or series, not '%s'",
			       o->csv);
	if (!o->level || o->level > ML_LEVELS)
		return ml_fail(err, ML_USAGE, "--level must be 1 to %d", ML_LEVELS);
	if (!cmd_side_fits(o->width) || !cmd_side_fits(o->height))
		return ml_fail(err, ML_USAGE,
			       "--width and --height must be %d to %d pixels",
			       CMD_SIDE_MIN, CMD_SIDE_MAX);
	if (!o->cells || o->cells > CELLS_MAX)
		return ml_fail(err, ML_USAGE, "--cells must be 1 to %d", CELLS_MAX);
	if (o->shared && (o->shared < 2 || o->shared > ML_SHARED_CACHE_THREADS))
		return ml_fail(err, ML_USAGE, "--shared must be 2 to %d threads",
			       ML_SHARED_CACHE_THREADS);
	if (o->shared && !o->total)
		return ml_fail(err, ML_USAGE,
			       "--shared needs --total, the size that the threads share");
	return !o->as || o->plot || ml_fail(err, ML_USAGE, "--as needs --plot");
}

static void keep_text(struct ml_ensemble *e, const char *name, const char *value)
{
	if (value)
		ml_ensemble_choose(e, name, value);
}

static void keep_number(struct ml_ensemble *e, const char *name, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	keep_text(e, name, n ? text : NULL);
}

void ensemble_show_keep(struct ml_ensemble *e, const struct ensemble_show *o,
			const struct opt_list *match)
{
	const struct ensemble_show *usual = &ensemble_show_default;
	struct ml_buf rows = { 0 };

	for (size_t i = 0; i < match->count; i++)
		ml_buf_printf(&rows, "%s%s", i ? ";" : "", match->items[i]);
	if (match->count)
		keep_text(e, "match", (const char *)rows.data);
	ml_buf_release(&rows);
	keep_text(e, "time", o->time ? o->time : match->count ? "matched" : NULL);
	keep_text(e, "as", o->as ? o->as : o->shared ? "shared" : NULL);
	keep_text(e, "measure", strcmp(o->measure, usual->measure) ? o->measure : NULL);
	keep_text(e, "envelope",
		  strcmp(o->envelope, usual->envelope) ? o->envelope : NULL);
	keep_text(e, "base", o->base);
	keep_text(e, "weights", o->weights);
	keep_text(e, "against", o->against);
	keep_text(e, "real", o->real);
	keep_text(e, "size", o->size);
	keep_text(e, "colour", o->colour);
	keep_text(e, "facet", o->facet);
	keep_number(e, "level", o->level != usual->level ? o->level : 0);
	keep_number(e, "window", o->window);
	keep_number(e, "shared", o->shared);
	keep_number(e, "total", o->total);
	keep_number(e, "shift", o->shift);
	keep_text(e, "volume", o->volume ? "on" : NULL);
	keep_text(e, "peaks", o->peaks ? "on" : NULL);
}

/* Parses --match into pairs; rows that mean all marks or phases need none. */
static bool find_pairs(struct show *s, const struct opt_list *match,
		       const char *const *const **pairs, size_t *count,
		       struct ml_err *err)
{
	const char *text = "";

	for (size_t i = 0; i < match->count; i++) {
		const char *row = match->items[i];

		if (!strcmp(row, "marks") || !strcmp(row, "phases"))
			return true;
		text = ml_arena_printf(&s->arena, "%s%s%s", text, i ? ";" : "", row);
	}
	return !*text || ml_curve_words_pairs(text, s->e, pairs, count, &s->arena, err);
}

static bool find_base(const struct show *s, uint32_t *base, struct ml_err *err)
{
	for (uint32_t i = 0; i < s->e->trace_count; i++) {
		const struct ml_ensemble_trace *t = &s->e->traces[i];

		if (s->o->base ? !strcmp(t->label, s->o->base)
			       : ml_ensemble_refs(t) >
					 ml_ensemble_refs(&s->e->traces[*base]))
			*base = i;
	}
	return !s->o->base || !strcmp(s->e->traces[*base].label, s->o->base) ||
	       ml_fail(err, ML_USAGE, "--base: there is no trace '%s'", s->o->base);
}

static bool match_times(struct show *s, const struct opt_list *match, struct ml_err *err)
{
	enum ml_time_match_how how = match->count ? ML_TIME_MATCH_MILESTONES
						  : ML_TIME_MATCH_RAW;
	const char *const *const *pairs = NULL;
	size_t count = 0;
	uint32_t base = 0;

	if (s->o->time && !ml_curve_words_time(s->o->time, &how, err))
		return false;
	if (how == ML_TIME_MATCH_MILESTONES && !find_pairs(s, match, &pairs, &count, err))
		return false;
	if (!find_base(s, &base, err) ||
	    !ml_time_match(&s->matching, s->e, how, pairs, count, base, &s->arena, err))
		return false;
	s->curve.matching = &s->matching;
	return true;
}

static bool prepare(struct show *s, const struct opt_list *match, struct ml_err *err)
{
	const struct ensemble_show *o = s->o;
	size_t against = SIZE_MAX;

	if (!match_times(s, match, err) ||
	    !ml_curve_words_measure(o->measure, &s->curve.measure, err) ||
	    (o->weights && !ml_curve_words_weights(o->weights, s->e, &s->curve, err)) ||
	    (o->against && !ml_ensemble_find(s->e, o->against, &against, err)))
		return false;
	s->curve.level = (unsigned)o->level;
	s->curve.against = against;
	s->curve.volume = o->volume;
	s->curve.window = o->window ? (double)o->window : 0;
	s->ask.to = ml_time_match_end(&s->matching);
	if (!o->window)
		s->curve.window = ml_ensemble_usual_window(s->e, &s->matching, 0,
							   s->ask.to);
	if (!o->shared)
		return true;
	const struct ml_axis *size = NULL;
	for (size_t i = 0; i < s->axes.count && !size; i++)
		if (!o->size && ml_axis_is_size(&s->axes.at[i]))
			size = &s->axes.at[i];
	if (o->size && !ml_axes_find(&s->axes, o->size, &size, err))
		return false;
	if (!size)
		return ml_fail(err, ML_USAGE,
			       "no parameter is a size; name one with --size");
	return ml_shared_cache_make(&s->shared, s->e, size->name, (unsigned)o->shared,
				    (double)o->total, &s->arena, err);
}

/* Prints at most --top rows of a table. */
static void put_table(struct show *s, struct ml_say *y, struct ml_ensemble_table *t,
		      const char *what)
{
	size_t all = ml_table_rows(&t->table);

	if (all > s->o->top)
		t->table.count = s->o->top * t->table.width;
	ml_say_table(y, &t->table, all, what);
	t->table = (struct ml_table){ 0 };
	ml_ensemble_table_release(t);
}

static void say_time(struct show *s, struct ml_say *y)
{
	const struct ml_time_matching *m = &s->matching;
	struct ml_ensemble_table t;

	if (m->how != ML_TIME_MATCH_MILESTONES)
		return;
	ml_say(y, "\nTime is that of %s; the traces meet at %zu %s\n",
	       s->e->traces[m->base].label, m->knots - 2,
	       ml_say_plural(m->knots - 2, "milestone", "milestones"));
	for (size_t i = 0; i < m->unequal_count && i < UNEQUAL; i++)
		ml_say(y, "  %s\n", m->unequal[i]);
	if (s->e->trace_count > SIDE_BY_SIDE)
		return; /* too wide to read; --json has the table */
	ml_ensemble_matching(&t, s->e, m, KNOTS);
	put_table(s, y, &t, "milestones");
}

/* Describes the measure in words. */
static const char *measured(struct show *s)
{
	const struct ml_curve_options *o = &s->curve;
	const char *volume = o->volume ? ", scaled by the volume of accesses" : "";

	switch (o->measure) {
	case ML_MEASURE_TIME:
		return ml_arena_printf(&s->arena, "cycles a reference%s", volume);
	case ML_MEASURE_SERVED:
		return ml_arena_printf(&s->arena, "share served by level %u%s", o->level,
				       volume);
	case ML_MEASURE_MISS:
		return ml_arena_printf(&s->arena, "miss ratio of level %u%s", o->level,
				       volume);
	case ML_MEASURE_MEMORY:
		return ml_arena_printf(&s->arena, "bytes from memory a reference%s",
				       volume);
	default: return ml_arena_printf(&s->arena, "temperature of level %u", o->level);
	}
}

static bool say_real(struct show *s, struct ml_say *y, struct ml_err *err)
{
	size_t real;

	if (!s->o->real)
		return true;
	if (!ml_ensemble_find(s->e, s->o->real, &real, err))
		return false;
	double value = ml_curve_total(s->curves, real, &s->curve, 0, s->ask.to);
	double min = INFINITY, max = -INFINITY;
	for (size_t i = 0; i < s->shared.count; i++) {
		double v = ml_shared_cache_total(s->curves, &s->shared, i, &s->curve);

		min = fmin(min, v);
		max = fmax(max, v);
	}
	ml_say(y, "\nReal threads (%s): %.2f; the model says %.2f to %.2f\n",
	       s->e->members[real].label, value, min, max);
	return true;
}

static bool say_all(struct show *s, struct ml_say *y, struct ml_err *err)
{
	struct ml_ensemble_table t;

	ml_say(y, "%zu %s of %zu %s: %s\n\n", s->e->member_count,
	       ml_say_plural(s->e->member_count, "member", "members"), s->e->trace_count,
	       ml_say_plural(s->e->trace_count, "trace", "traces"), measured(s));
	if (s->o->shared) {
		ml_say(y, "%zu %s in which %u threads share %s\n", s->shared.count,
		       ml_say_plural(s->shared.count, "way", "ways"), s->shared.threads,
		       ml_say_bytes(y, s->o->total));
		ml_ensemble_clusters(&t, &s->ask, &s->shared);
		put_table(s, y, &t, "clusters");
		ml_say(y, "\n");
		ml_ensemble_ways(&t, &s->ask, &s->shared);
		put_table(s, y, &t, "ways");
		return say_real(s, y, err);
	}
	s->ask.brief = true;
	ml_ensemble_ranking(&t, &s->ask);
	put_table(s, y, &t, "members");
	say_time(s, y);
	return true;
}

static void put_json_table(struct ml_json *w, const char *key,
			   struct ml_ensemble_table *t)
{
	ml_json_key(w, key);
	ml_table_json(&t->table, w);
	ml_ensemble_table_release(t);
}

static void put_json(struct show *s, struct ml_buf *out)
{
	struct ml_json w = { .out = out, .indent = 2 };
	struct ml_ensemble_table t;

	ml_json_object(&w);
	ml_json_key_string(&w, "measure", ml_measure_names[s->curve.measure]);
	ml_json_key_string(&w, "unit", ml_measure_units[s->curve.measure]);
	ml_json_key_string(&w, "time", ml_time_match_names[s->matching.how]);
	ml_json_key_real(&w, "end", s->ask.to);
	ml_ensemble_ranking(&t, &s->ask);
	put_json_table(&w, "members", &t);
	if (s->o->shared) {
		ml_ensemble_ways(&t, &s->ask, &s->shared);
		put_json_table(&w, "shared", &t);
		ml_ensemble_clusters(&t, &s->ask, &s->shared);
		put_json_table(&w, "clusters", &t);
	}
	if (s->matching.how == ML_TIME_MATCH_MILESTONES) {
		ml_ensemble_matching(&t, s->e, &s->matching, s->matching.knots);
		put_json_table(&w, "milestones", &t);
		ml_json_key_array(&w, "unequal");
		for (size_t i = 0; i < s->matching.unequal_count; i++)
			ml_json_string(&w, s->matching.unequal[i]);
		ml_json_end(&w);
	}
	ml_ensemble_series(&t, &s->ask, s->o->cells);
	put_json_table(&w, "series", &t);
	ml_json_end(&w);
	ml_buf_u8(out, '\n');
}

static void put_csv(struct show *s, struct ml_buf *out)
{
	struct ml_ensemble_table t;

	if (s->o->shared)
		ml_ensemble_ways(&t, &s->ask, &s->shared);
	else if (!strcmp(s->o->csv, "series"))
		ml_ensemble_series(&t, &s->ask, s->o->cells);
	else
		ml_ensemble_ranking(&t, &s->ask);
	ml_table_csv(&t.table, out);
	ml_ensemble_table_release(&t);
}

static bool plot(struct show *s, struct ml_err *err)
{
	const struct ensemble_show *o = s->o;
	struct ml_picture_ensemble p = {
		.kind = o->shared ? ML_PLOT_SHARED : ML_PLOT_CURVES,
		.curve = s->curve,
		.to = s->ask.to,
		.colour = o->colour,
		.facet = o->facet,
		.peaks = o->peaks,
		.size = o->size,
		.threads = (unsigned)o->shared,
		.total = (double)o->total,
		.shift = (double)o->shift,
		.width = (double)o->width,
		.height = (double)o->height,
		.dark = o->dark,
	};
	struct ml_buf svg = { 0 };
	unsigned number;
	size_t member;

	if (o->as && !ml_ensemble_plot_find(o->as, &p.kind))
		return false; /* ensemble_show_check has refused it */
	if (among(ml_envelope_names, o->envelope, &number))
		p.envelope = number;
	if (o->real && !ml_ensemble_find(s->e, o->real, &member, err))
		return false;
	uint32_t real = o->real ? (uint32_t)member : 0;
	if (o->real)
		p.real = &real;
	bool ok = ml_picture_ensemble(s->e, &p, &svg, err) &&
		  simulated_write(NULL, o->plot, &svg, err);
	ml_buf_release(&svg);
	return ok;
}

static bool print(struct show *s, struct ml_err *err)
{
	struct ml_buf out = { 0 };
	struct ml_say y;
	bool ok = true;

	if (s->o->json) {
		put_json(s, &out);
	} else if (s->o->csv) {
		put_csv(s, &out);
	} else {
		ml_say_start(&y, &out, cmd_width());
		ok = say_all(s, &y, err);
		ml_say_end(&y);
	}
	if (ok && cmd_print(&cmd_ensemble, &out) != EXIT_DONE) {
		*err = (struct ml_err){
			.kind = ML_IO
		}; /* the error is printed already */
		ok = false;
	}
	ml_buf_release(&out);
	return ok;
}

bool ensemble_show(const struct ml_ensemble *e, const struct ensemble_show *o,
		   const struct opt_list *match, struct ml_err *err)
{
	struct show s = { .e = e, .o = o };

	if (!e->member_count)
		return ml_fail(err, ML_USAGE, "the ensemble has no members");
	ml_ensemble_axes(&s.axes, e, &s.arena);
	s.curves = ml_curves_open(e);
	s.ask = (struct ml_ensemble_ask){ .curves = s.curves,
					  .axes = &s.axes,
					  .o = &s.curve };
	bool to_stdout = o->plot && !strcmp(o->plot, "-");
	bool ok = prepare(&s, match, err) && (!o->plot || plot(&s, err)) &&
		  (to_stdout || print(&s, err));
	ml_curves_close(s.curves);
	ml_arena_release(&s.arena);
	return ok;
}

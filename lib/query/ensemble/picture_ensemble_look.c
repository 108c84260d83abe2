/* Colours, words, axes and legends of the figures of ensembles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/table.h"
#include "lib/query/ensemble/picture_ensemble_parts.h"

enum { KEYS = 16, SAMPLES = 20000, TIME_TICK = 90 /* pixels a mark of common time */ };

static const double RARE = 0.01; /* share of the values at each end that may be cut off */

struct ml_role ml_drawing_role(const struct ml_drawing *d, uint32_t member)
{
	if (!d->colour)
		return (struct ml_role){ ML_ROLE_WORD, member, 0 };
	return d->colour->of[member] ? ml_axis_role(d->colour, d->colour->of[member] - 1)
				     : (struct ml_role){ .name = ML_ROLE_MUTED };
}

unsigned ml_drawing_dash(const struct ml_drawing *d, uint32_t member)
{
	return d->dash && d->dash->of[member] ? (d->dash->of[member] - 1) % 4 : 0;
}

static const char *level_name(const struct ml_drawing *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct ml_machine *m = &d->e->members[d->members[i]].parsed;

		if (d->curve.level <= m->levels + 1)
			return ml_machine_level_name(m, d->curve.level);
	}
	return "?";
}

const char *ml_drawing_unit(struct ml_drawing *d)
{
	static const char level[] = "{level}";
	const char *text = ml_measure_axes[d->curve.measure], *at = strstr(text, level);

	if (at)
		text = ml_arena_printf(&d->arena, "%.*s%s%s", (int)(at - text), text,
				       level_name(d), at + strlen(level));
	return d->curve.against < d->e->member_count
		       ? ml_arena_printf(&d->arena, "%s, less %s", text,
					 d->e->members[d->curve.against].label)
		       : text;
}

static enum ml_chart_format format_of(const struct ml_drawing *d)
{
	return d->curve.measure == ML_MEASURE_SERVED ||
			       d->curve.measure == ML_MEASURE_MISS
		       ? ML_CHART_PERCENT
		       : ML_CHART_NUMBER;
}

const char *ml_drawing_value(struct ml_drawing *d, double v)
{
	char n[ML_COORDINATE_ROOM];

	return isnan(v) ? "\u2013"
			: ml_arena_strdup(&d->arena, ml_chart_text(n, format_of(d), v));
}

const char *ml_drawing_words(struct ml_drawing *d)
{
	char n[ML_NUMBER_ROOM];
	struct ml_buf b = { 0 };
	struct ml_picture at = { .out = &b };
	size_t all = 0;

	for (size_t i = 0; i < d->e->member_count; i++)
		all += d->e->members[i].done;
	if (d->count < all)
		ml_picture_put(&at, "%zu of %zu members", d->count, all);
	else
		ml_picture_put(&at, "%zu member%s", d->count, d->count == 1 ? "" : "s");
	if (d->curve.against < d->e->member_count) {
		const char *label = d->e->members[d->curve.against].label;

		ml_picture_put(&at, ", less ");
		ml_buf_put(&b, label, strlen(label));
	}
	if (d->curve.window > 1 && d->o->kind != ML_PLOT_PARAMETER &&
	    d->o->kind != ML_PLOT_MAP)
		ml_picture_put(&at, ", moving average of %s references",
			       ml_format_count(n, (uint64_t)d->curve.window));
	if (d->curve.matching->how == ML_TIME_MATCH_NORMALISED)
		ml_picture_put(&at, ", time normalised");
	if (d->curve.matching->how == ML_TIME_MATCH_MILESTONES)
		ml_picture_put(&at, ", matched at %zu milestone%s",
			       d->curve.matching->knots - 2,
			       d->curve.matching->knots == 3 ? "" : "s");
	if (d->curve.volume)
		ml_picture_put(&at, ", scaled by volume");
	const char *text = ml_arena_copy(&d->arena, b.data, b.size);
	ml_buf_release(&b);
	return text;
}

const char *ml_drawing_title(struct ml_drawing *d)
{
	static const char *const measures[ML_MEASURES] = {
		"Access time",         "Share served", "Miss ratio",
		"Traffic from memory", "Temperature",
	};
	const char *what = measures[d->curve.measure];

	if (d->e->trace_count == 1)
		return ml_arena_printf(&d->arena, "%s of %s", what,
				       d->e->traces[0].label);
	if (d->e->trace_count == 2)
		return ml_arena_printf(&d->arena, "%s of %s and %s", what,
				       d->e->traces[0].label, d->e->traces[1].label);
	return ml_arena_printf(&d->arena, "%s of %zu traces", what, d->e->trace_count);
}

const char *ml_drawing_time_title(struct ml_drawing *d)
{
	const char *title = ml_drawing_title(d);

	if (d->curve.against < d->e->member_count)
		return ml_arena_printf(&d->arena, "%s: difference against %s", title,
				       d->e->members[d->curve.against].label);
	return title;
}

struct ml_figure_legend ml_drawing_keys(struct ml_drawing *d, const char *title,
					size_t count)
{
	return (struct ml_figure_legend){
		.title = title,
		.keys = ml_arena_alloc(&d->arena,
				       (count + 1) * sizeof(struct ml_figure_key)),
	};
}

struct ml_figure_legend ml_drawing_values(struct ml_drawing *d, const struct ml_axis *x,
					  bool dashes)
{
	struct ml_figure_legend l = ml_drawing_keys(d, x->name, x->count);
	bool *has = ml_arena_alloc(&d->arena, x->count + 1);

	for (size_t i = 0; i < d->count; i++)
		if (x->of[d->members[i]])
			has[x->of[d->members[i]] - 1] = true;
	for (uint32_t v = 0; v < x->count; v++)
		if (has[v])
			l.keys[l.count++] = (struct ml_figure_key){
				x->values[v],
				dashes ? (struct ml_role){ .name = ML_ROLE_MUTED }
				       : ml_axis_role(x, v),
				dashes ? v % 4 : 0,
			};
	return l;
}

void ml_drawing_legend(struct ml_drawing *d, struct ml_figure *f)
{
	if (d->colour) {
		f->legend[f->legend_count++] = ml_drawing_values(d, d->colour, false);
		if (d->dash)
			f->legend[f->legend_count++] = ml_drawing_values(d, d->dash,
									 true);
		return;
	}
	struct ml_figure_legend l = ml_drawing_keys(d, NULL, KEYS);
	for (; l.count < d->count && l.count < KEYS; l.count++)
		l.keys[l.count] =
			(struct ml_figure_key){ d->e->members[d->members[l.count]].label,
						ml_drawing_role(d, d->members[l.count]),
						ml_drawing_dash(d, d->members[l.count]) };
	f->legend[f->legend_count++] = l;
}

/* About `wanted` round marks. */
static void add_ticks(struct ml_drawing *d, struct ml_figure_axis *x,
		      enum ml_chart_format format, double wanted)
{
	struct ml_chart_tick t[ML_CHART_TICKS_MAX];

	x->tick_count = ml_chart_ticks(t, x->low, x->high, x->scale == ML_FIGURE_LOG,
				       format, wanted);
	x->ticks = ml_arena_alloc(&d->arena, (x->tick_count + 1) * sizeof(*x->ticks));
	for (size_t i = 0; i < x->tick_count; i++)
		x->ticks[i] = (struct ml_figure_tick){
			t[i].at, ml_arena_strdup(&d->arena, t[i].text)
		};
}

void ml_drawing_time(struct ml_drawing *d, struct ml_figure_axis *x, bool label)
{
	const struct ml_time_matching *m = d->curve.matching;
	bool shares = m->how == ML_TIME_MATCH_NORMALISED;

	x->label = !label   ? ""
		   : shares ? "share of the run"
		   : m->how == ML_TIME_MATCH_RAW
			   ? "position in the run, references"
			   : ml_arena_printf(&d->arena,
					     "position in the run of %s, references",
					     d->e->traces[m->base].label);
	x->unit = shares ? "share" : "references";
	x->low = d->from;
	x->high = d->to;
	add_ticks(d, x, shares ? ML_CHART_PERCENT : ML_CHART_COUNT,
		  d->width / TIME_TICK + 1);
}

void ml_drawing_scale(struct ml_drawing *d, struct ml_figure_axis *y, double low,
		      double high, double height)
{
	struct ml_chart c = { .y_format = format_of(d) };
	bool zero = d->curve.against < d->e->member_count;

	c.y_low = low <= high ? low : 0;
	c.y_high = low <= high ? high : 1;
	if (zero) {
		c.y_low = fmin(c.y_low, 0);
		c.y_high = fmax(c.y_high, 0);
	}
	ml_chart_round(&c);
	y->label = ml_drawing_unit(d);
	y->unit = ml_measure_units[d->curve.measure];
	y->low = c.y_low;
	y->high = c.y_high;
	add_ticks(d, y, c.y_format, fmax(2, height / ML_CHART_TICK_HEIGHT));
}

void ml_drawing_fit(struct ml_drawing *d, struct ml_figure_panel *p,
		    const struct ml_drawing_range *r, double height)
{
	struct ml_figure_axis *y = &p->axis[ML_FIGURE_Y];

	ml_drawing_scale(d, y, r->low, r->high, height);
	if (r->whole_high > y->high)
		p->beyond[0] = ml_arena_printf(&d->arena, "▲ peaks up to %s",
					       ml_drawing_value(d, r->whole_high));
	if (r->whole_low < y->low)
		p->beyond[1] = ml_arena_printf(&d->arena, "▼ down to %s",
					       ml_drawing_value(d, r->whole_low));
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

const struct ml_drawing_range ml_drawing_empty = { INFINITY, -INFINITY, INFINITY,
						   -INFINITY };

void ml_drawing_include(struct ml_drawing *d, struct ml_drawing_range *r, const double *v,
			size_t n)
{
	size_t step = n / SAMPLES + 1, count = 0;
	double *sorted = ml_arena_alloc(&d->arena, (n / step + 2) * sizeof(*sorted));
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		if (isnan(v[i]))
			continue;
		low = v[i] < low ? v[i] : low;
		high = v[i] > high ? v[i] : high;
		if (i % step == 0)
			sorted[count++] = v[i];
	}
	r->whole_low = fmin(r->whole_low, low);
	r->whole_high = fmax(r->whole_high, high);
	if (count && !d->o->peaks) {
		qsort(sorted, count, sizeof(*sorted), ascending);
		double rare = (double)(count - 1) * RARE;
		double first = sorted[(size_t)rare],
		       last = sorted[count - 1 - (size_t)rare], span = last - first;

		/* cutting peaks off is worth it if the rest becomes twice as high */
		if (span > 0 && high - low > 2 * span) {
			low = fmax(low, first - 0.1 * span);
			high = fmin(high, last + 0.1 * span);
		}
	}
	r->low = fmin(r->low, low);
	r->high = fmax(r->high, high);
}

#include "lib/query/trace/pictures/picture_time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/analyse/passes/temperature.h"
#include "lib/base/path.h"
#include "lib/base/table.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/tables/phases.h"
#include "lib/query/drawing/picture.h"

enum {
	LEFT = 48,
	RIGHT = 12,
	HEAD = 46, /* title and legend of stand-alone pictures */
	AXIS = 34,
	PHASE = 15, /* height of a row of phases */
	DEPTHS = 3,
	MARKS = 9,
	MARKS_MAX = 500,
};

/* The picture, the simulation, the window, and the place of the chart. */
struct frame {
	struct ml_picture *p;
	struct ml_open_sim *s;
	uint64_t from, to;
	double x, y, width, height; /* pixels of the chart */
};

static double x_of(const struct frame *f, uint64_t position)
{
	return f->x + f->width * (double)(position - f->from) / (double)(f->to - f->from);
}

const char *ml_picture_title(const struct ml_open_sim *s, uint64_t from, uint64_t to,
			     const char *what, char text[ML_TITLE_ROOM])
{
	const struct ml_machine *m = &s->machine;
	char a[ML_NUMBER_ROOM], b[ML_NUMBER_ROOM], levels[200] = "";
	size_t n = 0;

	for (unsigned k = 0; !*m->name && k < m->levels && n < sizeof(levels); k++)
		n += (size_t)snprintf(levels + n, sizeof(levels) - n, "%s%s %s",
				      k ? ", " : "", m->level[k].name,
				      ml_format_bytes(a, m->level[k].size));
	n = (size_t)snprintf(text, ML_TITLE_ROOM, "%s of %.100s on %s", what,
			     ml_path_name(s->trace->trace.path),
			     *m->name ? m->name : levels);
	if ((from || to < s->simulation.result.refs) && n < ML_TITLE_ROOM)
		snprintf(text + n, ML_TITLE_ROOM - n, ", references %s to %s",
			 ml_format_count(a, from), ml_format_count(b, to));
	return text;
}

void ml_picture_levels(struct ml_picture *p, const struct ml_open_sim *s, unsigned count,
		       double x, double y)
{
	unsigned n = s->machine.levels + 1;

	for (unsigned k = 0; k < count; k++) {
		const char *name = k + 1 < n ? s->machine.level[k].name : "memory";

		ml_picture_rect(p, x, y - 9, 10, 10, ml_colour_of_level(k, n));
		ml_picture_text(p, x + 14, y, ML_ANCHOR_START, ML_COLOUR_TEXT, 11, name);
		x += 14 + ml_picture_width(name, 11) + 14;
	}
}

/* Draws the time axis below the chart. */
static void put_axis(const struct frame *f)
{
	uint64_t step = ml_picture_step(f->to - f->from, (unsigned)(f->width / 90) + 1);
	double bottom = f->y + f->height;
	char text[ML_COORDINATE_ROOM];

	ml_picture_rect(f->p, f->x, bottom, f->width, 1, ML_COLOUR_MUTED);
	for (uint64_t at = (f->from + step - 1) / step * step; at <= f->to; at += step) {
		double x = x_of(f, at);
		enum ml_anchor anchor = x > f->x + f->width - 20 ? ML_ANCHOR_END
								 : ML_ANCHOR_MIDDLE;

		ml_picture_rect(f->p, x - 0.5, bottom, 1, 4, ML_COLOUR_MUTED);
		ml_picture_text(f->p, x, bottom + 15, anchor, ML_COLOUR_MUTED, 11,
				ml_picture_count(text, at, step));
	}
	ml_picture_text(f->p, f->x + f->width, bottom + 29, ML_ANCHOR_END,
			ML_COLOUR_MUTED, 11, "position in the run, references");
}

struct span {
	uint32_t phase;
	uint64_t from, to;
};

struct phases {
	const struct frame *f;
	struct span *spans;
	size_t count, cap;
	double pixel; /* references in a pixel */
	unsigned depths;
	bool draw;
};

/* Joins stretches that are closer than a pixel, as there may be millions. */
static void note_span(void *arg, uint32_t phase, uint64_t from, uint64_t until)
{
	struct phases *x = arg;

	from = from > x->f->from ? from : x->f->from;
	until = until < x->f->to ? until : x->f->to;
	if (from >= until)
		return;
	for (size_t i = x->count; i && i + 8 > x->count; i--) {
		struct span *s = &x->spans[i - 1];

		if (s->phase == phase && from >= s->to &&
		    (double)(from - s->to) < x->pixel) {
			s->to = until;
			return;
		}
	}
	x->spans = ml_grow(x->spans, &x->cap, x->count + 1, sizeof(*x->spans));
	x->spans[x->count++] = (struct span){ phase, from, until };
}

static void put_phase(void *arg, uint32_t phase, const struct ml_phase *p)
{
	struct phases *x = arg;
	const struct frame *f = x->f;
	double y = f->y - 4 - PHASE * (x->depths - p->depth);

	if (p->depth >= DEPTHS)
		return;
	for (size_t i = 0; i < x->count; i++) {
		if (x->spans[i].phase != phase)
			continue;
		if (!x->draw) {
			if (p->depth + 1 > x->depths)
				x->depths = p->depth + 1;
			return;
		}
		double from = x_of(f, x->spans[i].from), to = x_of(f, x->spans[i].to);
		double width = to - from > 2 ? to - from - 1 : 1;

		ml_picture_rect(f->p, from, y, width, PHASE - 2, ML_COLOUR_GRID);
		ml_picture_text_within(f->p, from + 5, y + 10, width - 8, ML_COLOUR_TEXT,
				       10, p->name);
		if (p->depth == 0 && width > 2)
			ml_picture_rect(f->p, from, y, 1, f->y + f->height - y,
					ML_COLOUR_MUTED);
	}
}

/* Finds the phases of the window, and how many rows they need above the chart. */
static void find_phases(struct phases *x)
{
	struct ml_phases_fn fn = { x, note_span, put_phase };

	x->pixel = (double)(x->f->to - x->f->from) / x->f->width;
	ml_phases_each(&x->f->s->trace->trace, &fn);
}

static void put_phases(struct phases *x)
{
	struct ml_phases_fn fn = { x, NULL, put_phase };

	x->draw = true;
	ml_phases_each(&x->f->s->trace->trace, &fn);
}

static void put_mark(const struct frame *f, uint64_t time, const char *what,
		     const char *name, unsigned colour)
{
	char n[ML_COORDINATE_ROOM], y[ML_COORDINATE_ROOM];

	ml_picture_put(f->p, "<path d=\"M%s %sl-3.5 -6h7z\"",
		       ml_picture_number(n, x_of(f, time)),
		       ml_picture_number(y, f->y - 1));
	ml_picture_fill(f->p, colour);
	ml_picture_put(f->p, "><title>%s", what);
	ml_picture_escape(f->p->out, name, strlen(name));
	ml_picture_put(f->p, "</title></path>\n");
}

static void put_marks(const struct frame *f)
{
	const struct ml_tables *t = &f->s->trace->trace.tables;
	size_t shown = 0;

	for (size_t i = 0; i < t->marks.count && shown < MARKS_MAX; i++) {
		const struct ml_mark *m = &t->marks.at[i];

		if (m->kind != ML_MARK_POINT || m->time < f->from || m->time > f->to)
			continue;
		put_mark(f, m->time, "mark ", ml_tables_text(t, m->name), ML_COLOUR_TEXT);
		shown++;
	}
	for (size_t i = 0; i < t->gaps.count && shown < 2 * MARKS_MAX; i++, shown++)
		if (t->gaps.at[i].time >= f->from && t->gaps.at[i].time <= f->to)
			put_mark(f, t->gaps.at[i].time, "references are missing here", "",
				 ML_COLOUR_WRITE);
}

/* Draws the title and gives the remaining room to the chart. */
static void lay_out(struct frame *f, const struct ml_picture_window *w, const char *what,
		    unsigned levels, double above)
{
	char title[ML_TITLE_ROOM];
	double head = f->p->palette ? HEAD : 6;

	ml_picture_title(f->s, f->from, f->to, what, title);
	ml_picture_begin(f->p, w->width, w->height, title);
	if (f->p->palette) {
		ml_picture_text_within(f->p, LEFT, 20, w->width - LEFT - RIGHT,
				       ML_COLOUR_TEXT, 14, title);
		ml_picture_levels(f->p, f->s, levels, LEFT, 38);
	}
	f->x = LEFT;
	f->width = w->width - LEFT - RIGHT;
	f->y = head + above;
	f->height = w->height - AXIS - f->y;
}

/* The start of the axis of shares; the first level serves all below it. */
static double lowest(const struct ml_result_series *series, unsigned levels)
{
	static const double starts[] = { 0.99, 0.98, 0.95, 0.9, 0.8, 0.5, 0 };
	double min = 1;
	size_t i = 0;

	for (size_t c = 0; c < series->count; c++) {
		double sum = 0;

		for (unsigned k = 1; k <= levels; k++)
			sum += (double)series->cell[c].served[k];
		if (sum > 0 && (double)series->cell[c].served[1] / sum < min)
			min = (double)series->cell[c].served[1] / sum;
	}
	while (starts[i] > 0 && starts[i] > min)
		i++;
	return starts[i];
}

/* The share of the references of cell c that levels 1 to k served. */
static double share_upto(const struct ml_result_bin *c, unsigned k, unsigned levels)
{
	double sum = 0, upto = 0;

	for (unsigned i = 1; i <= levels; i++) {
		sum += (double)c->served[i];
		if (i <= k)
			upto += (double)c->served[i];
	}
	return sum > 0 ? upto / sum : 0;
}

/* Draws the band of a level: a rectangle for each cell; equal neighbours are joined. */
static void put_band(const struct frame *f, const struct ml_result_series *series,
		     unsigned level, unsigned levels, double low)
{
	struct ml_buf path = { 0 };
	struct ml_picture at = { .out = &path };
	uint64_t references = 0;

	for (size_t c = 0; c < series->count;) {
		double from = share_upto(&series->cell[c], level - 1, levels),
		       to = share_upto(&series->cell[c], level, levels);
		size_t end = c;

		do
			references += series->cell[end++].served[level];
		while (end < series->count &&
		       fabs(share_upto(&series->cell[end], level - 1, levels) - from) <
			       1e-9 &&
		       fabs(share_upto(&series->cell[end], level, levels) - to) < 1e-9);
		uint64_t first = series->first + c * series->width,
			 behind = series->first + end * series->width;
		double x0 = x_of(f, first > f->from ? first : f->from),
		       x1 = x_of(f, behind < f->to ? behind : f->to);
		double y = f->y + f->height * (1 - to) / (1 - low),
		       bottom = f->y +
				f->height * (1 - (from > low ? from : low)) / (1 - low);
		char n[4][ML_COORDINATE_ROOM];

		c = end;
		if (to <= low || bottom - y < 0.005)
			continue;
		ml_picture_put(&at, "M%s %sh%sv%sH%sz", ml_picture_number(n[0], x0),
			       ml_picture_number(n[1], y),
			       ml_picture_number(n[2], x1 - x0),
			       ml_picture_number(n[3], bottom - y), n[0]);
	}
	if (path.size) {
		ml_picture_put(f->p, "<path data-level=\"%u\" data-references=\"%llu\"",
			       level, (unsigned long long)references);
		ml_picture_fill(f->p, ml_colour_of_level(level - 1, levels));
		ml_picture_put(f->p, " d=\"");
		ml_buf_put(f->p->out, path.data, path.size);
		ml_picture_put(f->p, "\"/>\n");
	}
	ml_buf_release(&path);
}

static void put_shares(const struct frame *f, double low)
{
	double steps = low > 0.9 ? 2 : low > 0.4 && low < 0.6 ? 5 : low > 0 ? 2 : 4;
	char number[ML_COORDINATE_ROOM], text[ML_COORDINATE_ROOM + 2];

	for (int i = 0; i <= (int)steps; i++) {
		double share = low + (1 - low) * i / steps,
		       y = f->y + f->height * (1 - i / steps);

		ml_picture_rect(f->p, f->x - 4, y - 0.5, 4, 1, ML_COLOUR_MUTED);
		snprintf(text, sizeof(text), "%s %%",
			 ml_picture_number(number, 100 * share));
		ml_picture_text(f->p, f->x - 7, y + 4, ML_ANCHOR_END, ML_COLOUR_MUTED, 11,
				text);
	}
}

static bool check(const struct ml_picture_window *w, struct ml_err *err)
{
	return w->to > w->from ||
	       ml_fail(err, ML_USAGE, "there are no references to draw");
}

bool ml_picture_timeline(struct ml_picture *p, struct ml_open_sim *s,
			 const struct ml_picture_window *w, struct ml_err *err)
{
	struct frame f = { .p = p, .s = s, .from = w->from, .to = w->to };
	struct ml_arena arena = { 0 };
	struct ml_result_series series;
	struct phases phases = { .f = &f };
	unsigned levels = s->machine.levels + 1;

	if (!check(w, err))
		return false;
	f.width = w->width - LEFT - RIGHT;
	pthread_mutex_lock(&s->lock);
	bool ok = ml_result_series(&s->simulation.result, f.from, f.to, (size_t)f.width,
				   &series, &arena, err);
	pthread_mutex_unlock(&s->lock);
	if (ok) {
		double low = lowest(&series, levels);

		find_phases(&phases);
		lay_out(&f, w, "Levels that served the references", levels,
			phases.depths * PHASE + MARKS);
		ml_picture_put(
			p, "<g data-from=\"%llu\" data-to=\"%llu\" data-low=\"%g\">\n",
			(unsigned long long)f.from, (unsigned long long)f.to, low);
		for (unsigned k = 1; k <= levels; k++)
			put_band(&f, &series, k, levels, low);
		ml_picture_put(p, "</g>\n");
		put_shares(&f, low);
		put_phases(&phases);
		put_marks(&f);
		put_axis(&f);
		ml_picture_end(p);
	}
	ml_free(phases.spans);
	ml_arena_release(&arena);
	return ok;
}

/* Measures the temperature of the window; the moving average starts at its beginning. */
static bool measure(const struct frame *f, struct ml_temperature *t, struct ml_err *err)
{
	struct ml_temperature_options o = ml_temperature_default();
	struct ml_thermometer *x = ml_thermometer_open(&o);
	uint16_t *outcome = ml_resize(NULL, ML_RESULT_BLOCK * sizeof(*outcome));
	bool ok = true;

	for (uint64_t at = f->from, n; ok && at < f->to; at += n) {
		n = f->to - at < ML_RESULT_BLOCK ? f->to - at : ML_RESULT_BLOCK;
		ok = ml_open_sim_outcomes(f->s, at, at + n, outcome, err);
		if (ok)
			ml_thermometer_run(x, f->s->machine.levels, outcome, n);
	}
	ml_thermometer_close(x, t);
	ml_free(outcome);
	return ok;
}

static void put_curve(const struct frame *f, const struct ml_temperature *t, unsigned k,
		      double low, double high)
{
	char x[ML_COORDINATE_ROOM], y[ML_COORDINATE_ROOM];

	ml_picture_put(f->p, "<path stroke-width=\"1.5\" stroke-linejoin=\"round\"");
	ml_picture_stroke(f->p, ml_colour_of_level(k, t->levels + 1));
	ml_picture_put(f->p, " d=\"");
	for (size_t i = 0; i < t->count; i++) {
		double v = t->series[i * t->levels + k];
		uint64_t at = f->from + (i + 1) * t->step;

		ml_picture_put(f->p, "%c%s %s", i ? 'L' : 'M',
			       ml_picture_number(x, x_of(f, at < f->to ? at : f->to)),
			       ml_picture_number(y, f->y + f->height * (high - v) /
								    (high - low)));
	}
	ml_picture_put(f->p, "\"/>\n");
}

static void put_degrees(const struct frame *f, double low, double high)
{
	char text[ML_COORDINATE_ROOM];

	for (int i = (int)low; i <= (int)high; i++) {
		double y = f->y + f->height * (high - i) / (high - low);

		ml_picture_rect(f->p, f->x, y - 0.5, f->width, 1,
				i ? ML_COLOUR_GRID : ML_COLOUR_MUTED);
		ml_picture_text(f->p, f->x - 7, y + 4, ML_ANCHOR_END, ML_COLOUR_MUTED, 11,
				ml_picture_number(text, i));
	}
}

bool ml_picture_temperature(struct ml_picture *p, struct ml_open_sim *s,
			    const struct ml_picture_window *w, struct ml_err *err)
{
	struct frame f = { .p = p, .s = s, .from = w->from, .to = w->to };
	struct ml_temperature t = { 0 };
	struct phases phases = { .f = &f };
	double low = -1, high = 1;

	if (!check(w, err))
		return false;
	f.width = w->width - LEFT - RIGHT;
	bool ok = measure(&f, &t, err);
	if (ok) {
		for (size_t i = 0; i < t.count * t.levels; i++)
			low = t.series[i] < low ? floor(t.series[i]) : low;
		find_phases(&phases);
		lay_out(&f, w, "Cache temperature", t.levels,
			phases.depths * PHASE + MARKS);
		put_degrees(&f, low, high);
		for (unsigned k = t.levels; k--;)
			put_curve(&f, &t, k, low, high);
		put_phases(&phases);
		put_marks(&f);
		put_axis(&f);
		ml_picture_end(p);
	}
	ml_temperature_release(&t);
	ml_free(phases.spans);
	return ok;
}

#include "cli/text/cycles_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "lib/analyse/cycles/cycles.h"
#include "lib/analyse/cycles/trace_windows.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/table.h"
#include "lib/query/trace/tables/cycle_tables.h"

enum { MAX_BARS = 12, MAX_SHORT = 8 };

__attribute__((format(printf, 2, 3))) static void put(struct ml_buf *out, const char *fmt,
						      ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	int size = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	ml_buf_put(out, text,
		   (size_t)size < sizeof(text) ? (size_t)size : sizeof(text) - 1);
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static const char *place_text(struct ml_cycle_view *v, const struct ml_cycle_place *p)
{
	const char *func = p->func ? p->func : "?";

	if (!v->trace || !p->file)
		return func;
	return ml_arena_printf(&v->arena, "%s:%u %s", base_name(p->file), p->line, func);
}

static void put_head(struct ml_cycle_view *v, const struct cycles_wish *wish,
		     struct ml_buf *out)
{
	const struct ml_cycles *c = v->cycles;
	char count[ML_NUMBER_ROOM], distinct[ML_NUMBER_ROOM], edges[ML_NUMBER_ROOM];

	if (!c->windows) {
		put(out, "%s: %u points, %s edges\n", wish->name, c->edges.points,
		    ml_format_count(edges, c->edges.count));
		return;
	}
	put(out, "%s: %s windows of %u %s, %s distinct%s%s\n", wish->name,
	    ml_format_count(count, c->windows->count), c->windows->width,
	    v->trace ? "references" : "symbols",
	    ml_format_count(distinct, c->windows->distinct), wish->by ? ", by " : "",
	    wish->by ? wish->by : "");
	if (c->net.radius)
		put(out,
		    "Thinned to %u windows: every window is within %u edits of one of them, and "
		    "births and deaths may be off by %u.\n",
		    c->net.count, c->net.radius, 2 * c->net.radius);
}

static void put_bars(const struct ml_rips *r, struct ml_buf *out)
{
	put(out, "Bars:");
	for (size_t i = 0; i < r->bar_count && i < MAX_BARS; i++)
		put(out, "%s %llu x [%g, %g)", i ? "," : "",
		    (unsigned long long)r->bars[i].count, r->bars[i].birth,
		    r->bars[i].death);
	put(out, "%s\n",
	    !r->bar_count             ? " none"
	    : r->bar_count > MAX_BARS ? ", ..."
				      : "");
}

static void fill(struct ml_cycle_view *v, const struct ml_cycle_list *l, uint64_t top,
		 struct ml_table *t)
{
	const struct ml_windows *w = v->cycles->windows;

	for (size_t i = 0; i < l->count; i++) {
		const struct ml_cycle *y = &l->at[i];
		const char *where = NULL;
		size_t count = 0;

		ml_table_count(t, i + 1);
		ml_table_real(t, y->birth);
		ml_table_real(t, y->death);
		if (y->refused || !w) {
			for (int k = 0; k < 4; k++)
				ml_table_no_value(t);
			ml_table_text(t, y->refused ? y->refused : NULL);
			continue;
		}
		ml_table_real(t, y->turns);
		ml_table_real(t, (double)(y->end - y->first) / (double)w->count);
		ml_table_count(t, ml_cycle_time(v, y->first));
		ml_table_count(t, ml_cycle_time(v, y->end));
		const struct ml_cycle_line *lines = ml_cycle_lines(v, y, &count);

		for (size_t k = 0; k < count && k < top; k++)
			where = ml_arena_printf(&v->arena, "%s%s%s %.0f%%",
						where ? where : "", where ? ", " : "",
						place_text(v, lines[k].place),
						100 * lines[k].share);
		ml_table_text(t, where);
	}
}

static const struct ml_column columns[] = {
	{ "class", .kind = ML_COLUMN_COUNT },
	{ "birth", .kind = ML_COLUMN_REAL, .decimals = 0 },
	{ "death", .kind = ML_COLUMN_REAL, .decimals = 0 },
	{ "turns", .kind = ML_COLUMN_REAL, .decimals = 1 },
	{ "covered", .kind = ML_COLUMN_PERCENT, .heading = "time", .decimals = 0 },
	{ "from", .kind = ML_COLUMN_COUNT },
	{ "to", .kind = ML_COLUMN_COUNT },
	{ "where", .kind = ML_COLUMN_TEXT, .heading = "turned by" },
};

enum { WIDTH = sizeof(columns) / sizeof(*columns) };

static void put_short(struct ml_cycle_view *v, struct ml_buf *out)
{
	static const struct ml_column short_columns[] = {
		{ "period", .kind = ML_COLUMN_COUNT },
		{ "turns", .kind = ML_COLUMN_COUNT },
		{ "runs", .kind = ML_COLUMN_COUNT },
		{ "longest", .kind = ML_COLUMN_COUNT },
		{ "from", .kind = ML_COLUMN_COUNT },
		{ "where", .kind = ML_COLUMN_TEXT, .heading = "of" },
	};
	const struct ml_cycles *c = v->cycles;
	struct ml_table t = { .columns = short_columns, .width = 6 };

	if (!c->short_loop_count)
		return;
	for (size_t i = 0; i < c->short_loop_count && i < MAX_SHORT; i++) {
		const struct ml_short_loop *s = &c->short_loops[i];
		const uint32_t *symbols = ml_windows_at(c->windows, s->window);
		const char *where = NULL;

		ml_table_count(&t, s->period);
		ml_table_count(&t, s->turns);
		ml_table_count(&t, s->runs);
		ml_table_count(&t, s->longest);
		ml_table_count(&t, ml_cycle_time(v, s->first));
		for (uint32_t k = 0; k < s->period; k++)
			where = ml_arena_printf(&v->arena, "%s%s%s", where ? where : "",
						where ? ", " : "",
						place_text(v, &v->places[symbols[k]]));
		ml_table_text(&t, where);
	}
	put(out, "\nLoops too short for a class (%zu):\n", c->short_loop_count);
	ml_table_print(&t, cmd_width(), out);
	ml_table_release(&t);
}

/* The start of a process recurs, too, and in a short run more than the program itself. */
static void put_hint(struct ml_cycle_view *v, const struct ml_cycle_list *l,
		     struct ml_buf *out)
{
	for (size_t i = 0; i < l->count; i++)
		if (!l->at[i].refused && ml_cycle_own(v, &l->at[i]) > 0.5)
			return;
	put(out,
	    "All of them turn in the loader or in libraries. --function NAME shows what "
	    "recurs in a function of yours, --classes N lists more classes.\n");
}

void cycles_text(struct ml_cycle_view *v, const struct ml_cycle_list *l,
		 const struct cycles_wish *wish, struct ml_buf *out)
{
	struct ml_table t = { .columns = columns, .width = WIDTH };

	put_head(v, wish, out);
	put_bars(&v->cycles->rips, out);
	if (l->count) {
		fill(v, l, wish->top, &t);
		put(out, "\n%s:\n", wish->reduced ? "Classes, reduced" : "Classes");
		ml_table_print(&t, cmd_width(), out);
		ml_table_release(&t);
		if (v->trace)
			put_hint(v, l, out);
	}
	put_short(v, out);
}

void cycles_csv(struct ml_cycle_view *v, const struct ml_cycle_list *l,
		const struct cycles_wish *wish, struct ml_buf *out)
{
	struct ml_table t = { .columns = columns, .width = WIDTH };

	fill(v, l, wish->top, &t);
	ml_table_csv(&t, out);
	ml_table_release(&t);
}

void cycles_series(struct ml_cycle_view *v, const struct ml_cycle *y,
		   const struct cycles_wish *wish, bool json, struct ml_buf *out)
{
	static const struct ml_column series_columns[] = {
		{ "time", .kind = ML_COLUMN_COUNT },
		{ "turns", .kind = ML_COLUMN_REAL, .decimals = 3 },
		{ "function", .kind = ML_COLUMN_TEXT },
		{ "file", .kind = ML_COLUMN_TEXT },
		{ "line", .kind = ML_COLUMN_COUNT },
	};
	const struct ml_windows *w = v->cycles->windows;
	uint64_t stride = (w->count + wish->cells - 1) / wish->cells;
	size_t count = (size_t)((w->count + stride - 1) / stride);
	double *angle = ml_arena_alloc(&v->arena, count * sizeof(*angle));
	struct ml_table t = { .columns = series_columns, .width = 5 };

	ml_cycles_angles(v->cycles, y, 0, stride, angle, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t moment = i * stride;
		uint32_t symbol = ml_windows_at(w, w->series[moment])[0];
		const struct ml_cycle_place *p = &v->places[symbol];

		ml_table_count(&t, ml_cycle_time(v, moment));
		ml_table_real(&t, angle[i]);
		ml_table_text(&t, p->func);
		ml_table_text(&t, p->file);
		ml_table_count(&t, p->line);
	}
	if (json) {
		struct ml_json j = { .out = out, .indent = 0 };

		ml_table_json(&t, &j);
		ml_buf_u8(out, '\n');
	} else
		ml_table_csv(&t, out);
	ml_table_release(&t);
}

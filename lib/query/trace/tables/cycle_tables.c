#include "lib/query/trace/tables/cycle_tables.h"

#include <math.h>
#include <stdlib.h>

#include "lib/analyse/cycles/cycles.h"
#include "lib/analyse/cycles/sequence_file.h"
#include "lib/analyse/cycles/trace_windows.h"
#include "lib/analyse/passes/user_lines.h"
#include "lib/base/json.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/tables.h"
#include "lib/trace/text/text.h"

static const char *text_of(const struct ml_tables *t, uint32_t name)
{
	return name ? ml_tables_text(t, name) : NULL;
}

void ml_cycle_view_of_trace(struct ml_cycle_view *v, const struct ml_cycles *c,
			    const struct ml_trace_windows *t,
			    const struct ml_tables *tables)
{
	struct ml_user_lines lines;
	struct ml_map numbers = { 0 };

	*v = (struct ml_cycle_view){ .cycles = c, .trace = t };
	v->place_count = t->symbol_count;
	v->places = ml_arena_alloc(&v->arena, (t->symbol_count + 1) * sizeof(*v->places));
	ml_user_lines_init(&lines, tables);
	for (size_t i = 0; i < t->symbol_count; i++) {
		const struct ml_symbol *s = &t->symbols[i];
		struct ml_user_line line = ml_user_lines_find(&lines, s->site, s->caller);
		struct ml_frame frame = ml_tables_frame(tables, s->site);
		struct ml_cycle_place *p = &v->places[i];
		bool is_new;

		if (!line.own) {
			line.file = frame.file;
			line.line = frame.line;
		}
		p->file = text_of(tables, line.file);
		p->line = line.line;
		p->func = text_of(tables, frame.func ? frame.func : line.func);
		p->region = ml_arena_strdup(&v->arena,
					    ml_region_lookup_name(t->lookup, s->region));
		p->kind = ml_text_kind((enum ml_kind)s->kind);
		p->own = line.own;
		uint64_t key[2] = { (uint64_t)line.file << 32 | line.line,
				    frame.func ? frame.func : line.func };
		uint64_t *number = ml_map_add(&numbers, ml_hash(key, sizeof(key)),
					      &is_new);

		if (is_new)
			*number = v->line_count++;
		p->number = (uint32_t)*number;
	}
	ml_map_release(&numbers);
	ml_user_lines_release(&lines);
}

void ml_cycle_view_of_symbols(struct ml_cycle_view *v, const struct ml_cycles *c,
			      const struct ml_symbol_list *symbols)
{
	*v = (struct ml_cycle_view){ .cycles = c };
	v->place_count = v->line_count = symbols->names.count;
	v->places = ml_arena_alloc(&v->arena, (v->place_count + 1) * sizeof(*v->places));
	for (size_t i = 0; i < v->place_count; i++)
		v->places[i] = (struct ml_cycle_place){ .func = symbols->names.text[i],
							.number = (uint32_t)i };
}

void ml_cycle_view_release(struct ml_cycle_view *v)
{
	ml_arena_release(&v->arena);
	*v = (struct ml_cycle_view){ 0 };
}

/* Shares that differ by rounding alone are equal, so that the order is the same
 * everywhere. */
static int most_share(const void *x, const void *y)
{
	const struct ml_cycle_line *a = x, *b = y;
	long long p = llround(a->share * 1e4), q = llround(b->share * 1e4);

	if (p != q)
		return p > q ? -1 : 1;
	return a->place->number < b->place->number ? -1
						   : a->place->number > b->place->number;
}

const struct ml_cycle_line *ml_cycle_lines(struct ml_cycle_view *v,
					   const struct ml_cycle *y, size_t *count)
{
	const struct ml_windows *w = v->cycles->windows;
	struct ml_cycle_line *lines =
		ml_arena_alloc(&v->arena, (v->line_count + 1) * sizeof(*lines));
	size_t kept = 0;

	for (size_t i = 0; w && i < w->step_count; i++) {
		/* the reference that the step leaves behind */
		uint32_t symbol = ml_windows_at(w, w->steps[i].from)[0];
		const struct ml_cycle_place *p = &v->places[symbol];
		double turn = fabs(y->coordinate.turn[i]);

		if (turn < 1e-3)
			continue;
		lines[p->number].place = p;
		lines[p->number].share += turn * (double)w->steps[i].count / y->travel;
		lines[p->number].moves += w->steps[i].count;
	}
	for (size_t i = 0; i < v->line_count; i++)
		if (lines[i].place)
			lines[kept++] = lines[i];
	qsort(lines, kept, sizeof(*lines), most_share);
	*count = kept;
	return lines;
}

double ml_cycle_own(struct ml_cycle_view *v, const struct ml_cycle *y)
{
	size_t count;
	const struct ml_cycle_line *lines = ml_cycle_lines(v, y, &count);
	double own = 0;

	for (size_t i = 0; i < count; i++)
		own += lines[i].place->own ? lines[i].share : 0;
	return own;
}

uint64_t ml_cycle_time(const struct ml_cycle_view *v, uint64_t moment)
{
	if (!v->trace)
		return moment;
	return moment < v->trace->windows.count ? ml_trace_windows_time(v->trace, moment)
						: v->trace->window_end;
}

static void put_real(struct ml_json *w, const char *key, double value)
{
	ml_json_key(w, key);
	ml_json_real(w, value);
}

static void put_u64(struct ml_json *w, const char *key, uint64_t value)
{
	ml_json_key(w, key);
	ml_json_u64(w, value);
}

static void put_string(struct ml_json *w, const char *key, const char *text)
{
	ml_json_key(w, key);
	ml_json_string(w, text);
}

static void put_place(struct ml_json *w, const struct ml_cycle_place *p, bool trace)
{
	if (!trace) {
		put_string(w, "symbol", p->func);
		return;
	}
	put_string(w, "file", p->file);
	put_u64(w, "line", p->line);
	put_string(w, "function", p->func);
}

static void put_lines(struct ml_cycle_view *v, const struct ml_cycle *y, size_t max,
		      struct ml_json *w)
{
	size_t count;
	const struct ml_cycle_line *lines = ml_cycle_lines(v, y, &count);

	ml_json_key(w, v->trace ? "lines" : "symbols");
	ml_json_array(w);
	for (size_t i = 0; i < count && i < max; i++) {
		ml_json_object(w);
		put_place(w, lines[i].place, v->trace != NULL);
		put_real(w, "share", lines[i].share);
		put_u64(w, "moves", lines[i].moves);
		ml_json_end(w);
	}
	ml_json_end(w);
}

static void put_walk(struct ml_cycle_view *v, const struct ml_cycle *y, size_t max,
		     struct ml_json *w)
{
	put_real(w, "turns", y->turns);
	put_real(w, "travel", y->travel);
	put_u64(w, "scale", y->scale);
	put_u64(w, "moments", y->end - y->first);
	put_real(w, "covered",
		 (double)(y->end - y->first) / (double)v->cycles->windows->count);
	put_u64(w, "from", ml_cycle_time(v, y->first));
	put_u64(w, "to", ml_cycle_time(v, y->end));
	put_u64(w, "jumps", y->coordinate.jumps);
	if (v->trace)
		put_real(w, "own", ml_cycle_own(v, y));
	put_lines(v, y, max, w);
}

static void put_cycles(struct ml_cycle_view *v, const struct ml_cycle_list *l,
		       const char *key, size_t max, struct ml_json *w)
{
	ml_json_key(w, key);
	ml_json_array(w);
	for (size_t i = 0; i < l->count; i++) {
		const struct ml_cycle *y = &l->at[i];

		ml_json_object(w);
		put_real(w, "birth", y->birth);
		put_real(w, "death", y->death);
		put_string(w, "refused", y->refused);
		if (!y->refused && v->places)
			put_walk(v, y, max, w);
		if (!y->refused && !v->places) {
			ml_json_key(w, "angles");
			ml_json_array(w);
			for (uint32_t p = 0; p < v->cycles->edges.points; p++) {
				double a = y->coordinate.angle[p] -
					   y->coordinate.angle[0];

				ml_json_real(w, a - floor(a));
			}
			ml_json_end(w);
		}
		ml_json_key(w, "of");
		ml_json_array(w);
		for (size_t k = 0; y->factor && k < v->cycles->found.count; k++)
			if (y->factor[k]) {
				ml_json_object(w);
				put_u64(w, "class", k);
				ml_json_key(w, "times");
				ml_json_i64(w, y->factor[k]);
				ml_json_end(w);
			}
		ml_json_end(w);
		ml_json_end(w);
	}
	ml_json_end(w);
}

static void put_short(struct ml_cycle_view *v, struct ml_json *w)
{
	const struct ml_cycles *c = v->cycles;

	ml_json_key(w, "short");
	ml_json_array(w);
	for (size_t i = 0; i < c->short_loop_count && i < 1000; i++) {
		const struct ml_short_loop *s = &c->short_loops[i];

		ml_json_object(w);
		put_u64(w, "period", s->period);
		put_u64(w, "turns", s->turns);
		put_u64(w, "runs", s->runs);
		put_u64(w, "longest", s->longest);
		put_u64(w, "from", ml_cycle_time(v, s->first));
		put_u64(w, "to", ml_cycle_time(v, s->end));
		ml_json_key(w, v->trace ? "lines" : "symbols");
		ml_json_array(w);
		for (uint32_t k = 0; k < s->period; k++) {
			ml_json_object(w);
			put_place(w, &v->places[ml_windows_at(c->windows, s->window)[k]],
				  v->trace != NULL);
			ml_json_end(w);
		}
		ml_json_end(w);
		ml_json_end(w);
	}
	ml_json_end(w);
}

static void put_bars(const struct ml_rips *r, struct ml_json *w)
{
	ml_json_key(w, "bars");
	ml_json_array(w);
	for (size_t i = 0; i < r->bar_count; i++) {
		ml_json_object(w);
		put_real(w, "birth", r->bars[i].birth);
		put_real(w, "death", r->bars[i].death);
		put_u64(w, "count", r->bars[i].count);
		ml_json_end(w);
	}
	ml_json_end(w);
}

void ml_cycle_json(struct ml_cycle_view *v, size_t lines, struct ml_json *w)
{
	const struct ml_cycles *c = v->cycles;

	if (c->windows) {
		put_u64(w, "width", c->windows->width);
		put_u64(w, "windows", c->windows->count);
		put_u64(w, "distinct", c->windows->distinct);
		put_u64(w, "symbols", v->place_count);
		put_u64(w, "breaks", c->windows->break_count);
		/* of a net: the radius, and how far a bar may be off at each end */
		put_u64(w, "radius", c->net.radius);
		put_u64(w, "error", 2 * (uint64_t)c->net.radius);
	}
	put_u64(w, "points", c->edges.points);
	put_u64(w, "edges", c->edges.count);
	put_bars(&c->rips, w);
	put_cycles(v, &c->found, "classes", lines, w);
	if (!c->windows)
		return;
	put_cycles(v, &c->reduced, "reduced", lines, w);
	put_short(v, w);
}

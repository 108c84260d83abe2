#include "lib/analyse/cycles/trace_windows.h"

#include <string.h>

#include "lib/analyse/passes/user_lines.h"
#include "lib/base/arena.h"
#include "lib/base/work.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/trace.h"

const char *const ml_cycles_by_names[] = { "site", "region", "line", "address", NULL };

enum { KINDS = 4 };

struct pass {
	struct ml_trace_windows *out;
	struct ml_trace *trace;
	struct ml_trace_windows_options o;
	const struct ml_work *work;
	struct ml_user_lines lines;
	struct ml_map by_key;       /* symbol of a key */
	struct ml_map instructions; /* their first sites */
	uint32_t *of_cell; /* symbol + 1 of each cell and kind, where the cell decides */
	size_t of_cell_cap;
	uint8_t *cell_passes; /* of each cell: 0 not known, 1 yes, 2 no */
	size_t cell_passes_cap;
	bool *func_sites; /* sites in the function that is asked for; or NULL */
	bool filtered;
	size_t next_gap;
	uint64_t skip; /* references to leave out until the next is taken */
	uint32_t cells[ML_BATCH], symbols[ML_BATCH];
};

static uint32_t symbol_of(struct pass *p, uint64_t key, const struct ml_symbol *example)
{
	struct ml_trace_windows *t = p->out;
	bool is_new;
	uint64_t *number = ml_map_add(&p->by_key, key, &is_new);

	if (is_new) {
		*number = t->symbol_count;
		t->symbols = ml_grow(t->symbols, &t->symbol_cap, t->symbol_count + 1,
				     sizeof(*t->symbols));
		t->symbols[t->symbol_count++] = *example;
	}
	return (uint32_t)*number;
}

static struct ml_symbol example_of(const struct pass *p, const struct ml_batch *b,
				   size_t i)
{
	const struct ml_cell *cell = ml_region_lookup_cell(p->out->lookup, p->cells[i]);

	return (struct ml_symbol){ .site = cell->site,
				   .caller = cell->caller,
				   .region = cell->region,
				   .addr = b->addr[i],
				   .kind = (uint8_t)ml_what_kind(b->what[i]) };
}

/* The first site of the same instruction: one of the standard library has a site for each
 * of its callers. */
static uint32_t instruction(struct pass *p, uint32_t site)
{
	const struct ml_site *s = &p->trace->tables.sites.at[site];
	uint64_t key[] = { s->ip, s->object };
	bool is_new;

	if (!s->ip)
		return site;
	uint64_t *first = ml_map_add(&p->instructions, ml_hash(key, sizeof(key)),
				     &is_new);
	if (is_new)
		*first = site;
	return (uint32_t)*first;
}

static uint32_t new_symbol(struct pass *p, const struct ml_symbol *s)
{
	uint64_t kind = (uint64_t)s->kind << 62, key = 0;

	switch (p->o.by) {
	case ML_CYCLES_BY_SITE:
		key = (uint64_t)instruction(p, s->site) << 32 | s->region;
		break;
	case ML_CYCLES_BY_REGION: key = s->region; break;
	case ML_CYCLES_BY_LINE:
		key = ml_user_lines_line(&p->lines, s->site, s->caller, &(bool){ 0 });
		break;
	case ML_CYCLES_BY_ADDRESS: key = s->addr; break;
	}
	return symbol_of(p, key ^ kind, s);
}

static uint32_t symbol_at(struct pass *p, const struct ml_batch *b, size_t i)
{
	if (p->o.by == ML_CYCLES_BY_ADDRESS) {
		struct ml_symbol s = example_of(p, b, i);

		return new_symbol(p, &s);
	}
	size_t at = (size_t)p->cells[i] * KINDS + ml_what_kind(b->what[i]);

	if (!p->of_cell[at]) {
		struct ml_symbol s = example_of(p, b, i);

		p->of_cell[at] = new_symbol(p, &s) + 1;
	}
	return p->of_cell[at] - 1;
}

static bool cell_passes(struct pass *p, uint32_t number)
{
	uint8_t *known = &p->cell_passes[number];

	if (!*known) {
		const struct ml_cell *c = ml_region_lookup_cell(p->out->lookup, number);
		bool yes = true;

		if (p->o.region)
			yes = !strcmp(ml_region_lookup_name(p->out->lookup, c->region),
				      p->o.region);
		if (p->func_sites)
			yes = yes && (p->func_sites[c->site] || p->func_sites[c->caller]);
		*known = yes ? 1 : 2;
	}
	return *known == 1;
}

static void begin_piece(struct pass *p, uint64_t time)
{
	struct ml_trace_windows *t = p->out;

	ml_windows_break(&t->windows);
	t->pieces = ml_grow(t->pieces, &t->piece_cap, t->piece_count + 1,
			    sizeof(*t->pieces));
	/* a piece that was too short for a window is replaced */
	if (t->piece_count && t->pieces[t->piece_count - 1].moment == t->windows.count)
		t->piece_count--;
	t->pieces[t->piece_count++] = (struct ml_trace_windows_piece){ t->windows.count,
								       t->taken, time };
}

static void gaps_before(struct pass *p, uint64_t time)
{
	const struct ml_tables *t = &p->trace->tables;
	bool gap = false;

	while (p->next_gap < t->gaps.count && t->gaps.at[p->next_gap].time <= time) {
		gap = gap || t->gaps.at[p->next_gap].time == time;
		p->next_gap++;
	}
	if (gap && p->out->taken) {
		begin_piece(p, time);
		p->skip = 0;
	}
}

static bool take(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct pass *p = arg;
	struct ml_trace_windows *t = p->out;
	size_t n = 0;

	gaps_before(p, b->time);
	ml_region_lookup_cells(t->lookup, b, p->cells);
	size_t cells = ml_region_lookup_cell_count(t->lookup);

	p->of_cell = ml_grow(p->of_cell, &p->of_cell_cap, cells * KINDS,
			     sizeof(*p->of_cell));
	p->cell_passes = ml_grow(p->cell_passes, &p->cell_passes_cap, cells, 1);
	if (p->filtered)
		t->times = ml_grow(t->times, &t->times_cap, t->taken + b->count,
				   sizeof(*t->times));
	for (size_t i = 0; i < b->count; i++) {
		if (p->filtered && ((t->thread && b->thread[i] != t->thread) ||
				    !cell_passes(p, p->cells[i])))
			continue;
		if (p->skip) {
			p->skip--;
			continue;
		}
		p->skip = t->stride - 1;
		if (p->filtered)
			t->times[t->taken + n] = b->time + i;
		p->symbols[n++] = symbol_at(p, b, i);
	}
	ml_windows_add(&t->windows, p->symbols, n);
	t->taken += n;
	ml_work_progress(p->work, "reading", b->time - p->o.from, p->o.to - p->o.from);
	return ml_work_goes_on(p->work, err);
}

/* A C++ function is also named without its parameters. */
static bool names_function(const char *func, const char *text)
{
	size_t size = strlen(text);

	return !strncmp(func, text, size) && (!func[size] || func[size] == '(');
}

static bool find_func(struct pass *p, struct ml_err *err)
{
	const struct ml_tables *t = &p->trace->tables;
	bool any = false;

	p->func_sites = ml_resize(NULL, t->sites.count + 1);
	memset(p->func_sites, 0, t->sites.count + 1);
	for (size_t i = 1; i < t->sites.count; i++)
		for (uint32_t f = 0; f < t->sites.at[i].frames; f++) {
			const struct ml_frame *frame =
				&t->frames.at[t->sites.at[i].frame + f];

			if (names_function(ml_tables_text(t, frame->func), p->o.func))
				any = p->func_sites[i] = true;
		}
	return any || ml_fail(err, ML_USAGE, "%s: no function is called '%s'",
			      p->trace->path, p->o.func);
}

static bool check(const struct pass *p, struct ml_err *err)
{
	const struct ml_tables *t = &p->trace->tables;
	const struct ml_trace_windows_options *o = &p->o;

	if (o->width < ML_WINDOW_MIN || o->width > ML_WINDOW_MAX)
		return ml_fail(err, ML_USAGE, "a window has %d to %d references, not %u",
			       ML_WINDOW_MIN, ML_WINDOW_MAX, o->width);
	if (!p->trace->count)
		return ml_fail(err, ML_USAGE, "%s has no references", p->trace->path);
	if (o->from >= o->to)
		return ml_fail(err, ML_USAGE,
			       "%s: no reference stands between time %llu and %llu",
			       p->trace->path, (unsigned long long)o->from,
			       (unsigned long long)o->to);
	for (size_t i = 0; o->thread; i++) {
		if (i == t->threads.count)
			return ml_fail(err, ML_USAGE, "%s: there is no thread %u",
				       p->trace->path, o->thread);
		if (t->threads.at[i].id == o->thread)
			break;
	}
	return true;
}

/* The thread whose references are taken; 0: all are of one. */
static uint16_t choose_thread(const struct pass *p)
{
	const struct ml_tables *t = &p->trace->tables;

	if (p->o.thread)
		return p->o.thread;
	for (size_t i = 1; i < t->threads.count; i++)
		if (t->threads.at[i].id != t->threads.at[0].id)
			return t->threads.at[0].id;
	return 0;
}

static bool run(struct pass *p, struct ml_err *err)
{
	struct ml_trace_windows *t = p->out;

	if (!check(p, err) || (p->o.func && !find_func(p, err)))
		return false;
	t->lookup = ml_region_lookup_open(p->trace, err);
	if (!t->lookup)
		return false;
	t->thread = choose_thread(p);
	t->stride = p->o.every ? p->o.every : 1;
	p->filtered = t->thread || p->o.region || p->o.func;
	ml_user_lines_init(&p->lines, &p->trace->tables);
	begin_piece(p, p->o.from);
	bool ok = ml_trace_each(p->trace, p->o.from, p->o.to, 1, take, p, err);

	ml_user_lines_release(&p->lines);
	if (ok && !t->taken && p->o.region)
		return ml_fail(err, ML_USAGE,
			       "%s: no such reference goes to a region '%s'",
			       p->trace->path, p->o.region);
	if (ok && !t->windows.count)
		return ml_fail(err, ML_USAGE,
			       "%s: %llu references are too few for a window of %u",
			       p->trace->path, (unsigned long long)t->taken, p->o.width);
	return ok;
}

bool ml_trace_windows_init(struct ml_trace_windows *t, struct ml_trace *trace,
			   const struct ml_trace_windows_options *o,
			   const struct ml_work *work, struct ml_err *err)
{
	struct pass *p = ml_resize(NULL, sizeof(*p));

	memset(p, 0, sizeof(*p));
	*t = (struct ml_trace_windows){ 0 };
	p->out = t;
	p->trace = trace;
	p->o = *o;
	p->work = work;
	if (p->o.to > trace->count)
		p->o.to = trace->count;
	t->window_end = p->o.to;
	if (o->width >= ML_WINDOW_MIN && o->width <= ML_WINDOW_MAX)
		ml_windows_init(&t->windows, o->width);
	bool ok = run(p, err);

	ml_map_release(&p->by_key);
	ml_map_release(&p->instructions);
	ml_free(p->of_cell);
	ml_free(p->cell_passes);
	ml_free(p->func_sites);
	ml_free(p);
	if (!ok)
		ml_trace_windows_release(t);
	return ok;
}

void ml_trace_windows_release(struct ml_trace_windows *t)
{
	if (t->lookup)
		ml_region_lookup_close(t->lookup);
	ml_windows_release(&t->windows);
	ml_free(t->symbols);
	ml_free(t->pieces);
	ml_free(t->times);
	*t = (struct ml_trace_windows){ 0 };
}

uint64_t ml_trace_windows_time(const struct ml_trace_windows *t, uint64_t moment)
{
	size_t low = 0, high = t->piece_count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (t->pieces[middle].moment <= moment)
			low = middle;
		else
			high = middle;
	}
	const struct ml_trace_windows_piece *piece = &t->pieces[low];
	uint64_t steps = moment - piece->moment;

	return t->times ? t->times[piece->place + steps]
			: piece->time + steps * t->stride;
}

uint64_t ml_trace_windows_moment(const struct ml_trace_windows *t, uint64_t time)
{
	uint64_t low = 0, high = t->windows.count;

	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if (ml_trace_windows_time(t, middle) < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#include "lib/query/trace/routes/route_moment.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyse/passes/user_lines.h"
#include "lib/analyse/passes/waiting.h"
#include "lib/base/path.h"
#include "lib/query/trace/routes/route_served.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/counts.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/player.h"
#include "lib/query/trace/open/selection.h"
#include "lib/query/trace/open/walk.h"
#include "lib/trace/regions/region_lookup.h"

static const char *const kinds[] = { "read", "write", "fetch" };

/* One reference, taken out of a walk. */
struct one {
	struct ml_ref ref;
	struct ml_place place; /* its offset as ml_open_trace_offset */
	uint16_t outcome;
	unsigned core;
};

static bool take_one(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct one *x = arg;

	(void)err;
	x->ref = ml_batch_ref(w->e.refs, 0);
	if (w->e.time)
		x->ref.time = w->e.time[0];
	x->place = (struct ml_place){ w->e.region[0], w->block[0], w->offset[0] };
	x->outcome = w->e.outcome[0];
	x->core = w->e.core ? w->e.core[0] : 0;
	return true;
}

/* Lines that the reference drove out of the first level, as a person would name them. */
struct driven {
	struct ml_region_lookup *space;
	struct ml_ref ref;
	unsigned levels;
	struct ml_arena *a;
	const char *text;  /* "evicted B[0][4]" */
	const char *datum; /* the first of the line that left first; NULL: none left */
};

static void note_driven(void *arg, const struct ml_move *moves, size_t count)
{
	struct driven *x = arg;

	for (size_t i = 0; i < count; i++) {
		const struct ml_move *m = &moves[i];
		struct ml_ref ref = x->ref;

		if ((m->kind != ML_MOVE_EVICT && m->kind != ML_MOVE_WRITE_BACK) ||
		    m->from != 1)
			continue;
		ref.addr = m->line;
		struct ml_place p = ml_region_lookup_find(x->space, &ref);
		const char *datum = ml_region_lookup_describe(x->space, &p, x->a);
		x->text = ml_arena_printf(
			x->a, "%s%s%s%s", x->text ? x->text : "", x->text ? ", " : "",
			m->kind == ML_MOVE_WRITE_BACK ? "wrote back and evicted "
						      : "evicted ",
			datum);
		if (!x->datum)
			x->datum = datum;
	}
}

/* "missed L1 and L2, filled from memory" or "hit L1". */
static const char *say_served(const struct ml_machine *m, uint16_t outcome,
			      struct ml_arena *a)
{
	unsigned served = ml_outcome_served(outcome);
	const char *text = "";

	if (served == 1)
		return ml_arena_printf(a, "hit %s", m->level[0].name);
	for (unsigned k = 1; k < served; k++)
		text = ml_arena_printf(a, "%s%s%s", text,
				       k == 1            ? "missed "
				       : k + 1 == served ? " and "
							 : ", ",
				       m->level[k - 1].name);
	return ml_arena_printf(a, "%s, filled from %s", text,
			       served > m->levels ? "memory" : m->level[served - 1].name);
}

static bool find_one(struct ml_open_sim *s, uint64_t at, struct one *x,
		     struct ml_err *err)
{
	if (at >= s->simulation.result.refs)
		return ml_fail(err, ML_USAGE, "there is no reference %llu, only %llu",
			       (unsigned long long)at,
			       (unsigned long long)s->simulation.result.refs);
	return ml_walk(s, NULL, at, at + 1, ML_WALK_OUTCOMES | ML_WALK_PLACES, take_one,
		       x, err);
}

static void put_number_or_null(struct ml_answer *a, const char *key, uint64_t v,
			       bool there)
{
	ml_json_key(&a->json, key);
	if (there)
		ml_json_u64(&a->json, v);
	else
		ml_json_null(&a->json);
}

/* The place in the source: of the user's own code where there is one. */
static void put_source(struct ml_answer *a, const struct ml_open_trace *t,
		       const struct ml_ref *ref)
{
	const struct ml_tables *tables = &t->trace.tables;
	const struct ml_site *site = &tables->sites.at[ref->site];
	struct ml_user_lines places;

	ml_user_lines_init(&places, tables);
	struct ml_user_line line = ml_user_lines_find(&places, ref->site, ref->caller);
	ml_user_lines_release(&places);
	uint32_t file = ml_open_trace_file(t, line.file);
	put_number_or_null(a, "file", file, file != UINT32_MAX);
	ml_answer_u64(a, "line", line.line);
	ml_answer_string(a, "func", ml_tables_text(tables, line.func));
	ml_answer_string(a, "object", ml_tables_text(tables, site->object));
	ml_json_key(&a->json, "inlined");
	ml_json_array(&a->json);
	for (uint32_t i = 0; i < site->frames; i++) {
		const struct ml_frame *f = &tables->frames.at[site->frame + i];

		ml_json_object(&a->json);
		ml_answer_string(a, "func", ml_tables_text(tables, f->func));
		ml_answer_string(a, "path", ml_tables_text(tables, f->file));
		ml_answer_u64(a, "line", f->line);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
}

bool ml_route_at(struct ml_workspace *ws, const struct ml_request *q, struct ml_answer *a,
		 struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	struct one x;
	uint64_t at;

	if (!s || !ml_request_u64(q, "time", 0, &at, err) || !find_one(s, at, &x, err))
		return false;
	struct ml_region_lookup *space = ml_open_trace_lookup_take(s->trace, x.ref.time,
								   err);
	if (!space)
		return false;
	struct driven driven = { space, x.ref, s->machine.levels, &a->arena, NULL, NULL };
	bool ok = ml_player_moves(s, NULL, at, at + 1, note_driven, &driven, err);
	struct ml_place place = ml_region_lookup_find(space, &x.ref);
	const char *datum = ml_region_lookup_describe(space, &place, &a->arena);
	ml_open_trace_lookup_give(s->trace, space, x.ref.time);
	if (!ok)
		return false;

	const struct ml_tables *tables = &s->trace->trace.tables;
	struct ml_frame f = ml_tables_frame(tables,
					    x.ref.caller ? x.ref.caller : x.ref.site);
	const char *kind = kinds[ml_what_kind(x.ref.what)];
	const char *where =
		f.line ? ml_arena_printf(&a->arena, "%s:%u",
					 ml_path_name(ml_tables_text(tables, f.file)),
					 f.line)
		       : ml_tables_text(tables, f.func);
	struct ml_json *w = &a->json;
	ml_json_object(w);
	ml_answer_u64(a, "time", at);
	ml_answer_u64(a, "recorded", x.ref.time);
	ml_answer_string(a, "kind", kind);
	ml_answer_u64(a, "size", ml_what_size(x.ref.what));
	ml_json_key(w, "addr");
	ml_json_address(w, x.ref.addr);
	ml_answer_string(a, "datum", datum);
	ml_answer_u64(a, "region", x.place.region);
	ml_answer_u64(a, "offset", x.place.offset);
	put_source(a, s->trace, &x.ref);
	ml_answer_u64(a, "thread", x.ref.thread);
	ml_answer_u64(a, "core", x.core);
	ml_answer_u64(a, "served", ml_outcome_served(x.outcome));
	ml_json_key(w, "causes");
	ml_json_array(w);
	for (unsigned k = 1; k < ml_outcome_served(x.outcome); k++)
		ml_json_string(w, ml_cause_names[ml_outcome_cause(x.outcome, k)]);
	ml_json_end(w);
	ml_json_key(w, "evicted");
	ml_json_string(w, driven.datum);
	ml_answer_string(a, "caption",
			 ml_arena_printf(&a->arena, "%s %s%s%s: %s%s%s", kind, datum,
					 *where ? " at " : "", where,
					 say_served(&s->machine, x.outcome, &a->arena),
					 driven.text ? ", " : "",
					 driven.text ? driven.text : ""));
	ml_json_end(w);
	return true;
}

enum { ACCESSES = 50, ACCESSES_MAX = 1000, REACH = 8 << 20 };

/* Accesses to some bytes: those around a moment, and counts of all that were seen. */
struct history {
	const struct ml_selection *selection;
	uint64_t around, refs, kind[3], served[ML_SERVED];
	double beyond;
	size_t max;
	struct access {
		uint64_t position;
		uint32_t site, caller;
		uint16_t what, outcome;
	} * at; /* a ring of the last `max` before `around`, then as many behind */
	size_t before, behind;
};

static bool note_access(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct history *h = arg;
	const struct ml_batch *b = w->e.refs;

	(void)err;
	for (size_t i = 0; i < b->count; i++) {
		uint64_t position = w->e.position + i;

		if (!ml_selection_has(h->selection, w, i))
			continue;
		h->refs++;
		h->kind[ml_what_kind(b->what[i])]++;
		h->served[ml_outcome_served(w->e.outcome[i])]++;
		h->beyond += w->beyond[i];
		struct access x = { position, b->site[i], b->caller[i], b->what[i],
				    w->e.outcome[i] };
		if (position <= h->around)
			h->at[h->before++ % h->max] = x;
		else if (h->behind < h->max)
			h->at[h->max + h->behind++] = x;
	}
	return true;
}

static void put_access(struct ml_answer *a, const struct ml_open_trace *t,
		       struct ml_user_lines *places, const struct access *x)
{
	struct ml_user_line line = ml_user_lines_find(places, x->site, x->caller);
	uint32_t file = ml_open_trace_file(t, line.file);

	ml_json_object(&a->json);
	ml_answer_u64(a, "time", x->position);
	ml_answer_string(a, "kind", kinds[ml_what_kind(x->what)]);
	put_number_or_null(a, "file", file, file != UINT32_MAX);
	ml_answer_u64(a, "line", line.line);
	ml_answer_u64(a, "served", ml_outcome_served(x->outcome));
	ml_json_end(&a->json);
}

bool ml_route_datum(struct ml_workspace *ws, const struct ml_request *q,
		    struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	struct ml_selection selection = { .any = true, .regions = true, .offsets = true };
	uint64_t region, offset, size, around, count;

	if (!s || !ml_request_u64(q, "region", 0, &region, err) ||
	    !ml_request_u64(q, "offset", 0, &offset, err) ||
	    !ml_request_u64(q, "size", 1, &size, err) ||
	    !ml_request_u64(q, "around", 0, &around, err) ||
	    !ml_request_u64(q, "count", ACCESSES, &count, err))
		return false;
	if (!count || count > ACCESSES_MAX || !size || size > UINT32_MAX)
		return ml_fail(err, ML_USAGE, "count is 1 to %d, size at least 1",
			       ACCESSES_MAX);
	selection.region = (uint32_t)region;
	selection.low = offset;
	selection.high = offset + size;
	uint64_t from = around > REACH ? around - REACH : 0, to = around + REACH;
	struct history h = { .selection = &selection, .around = around, .max = count };
	h.at = ml_arena_alloc(&a->arena, 2 * count * sizeof(*h.at));
	if (!ml_walk_region(s, &q->work, selection.region, from, to,
			    ML_WALK_OUTCOMES | ML_WALK_PLACES | ML_WALK_BEYOND,
			    note_access, &h, err))
		return false;

	struct ml_user_lines places;
	ml_user_lines_init(&places, &s->trace->trace.tables);
	ml_json_object(&a->json);
	ml_answer_u64(a, "from", from);
	ml_answer_u64(a, "to",
		      to < s->simulation.result.refs ? to : s->simulation.result.refs);
	ml_answer_u64(a, "references", h.refs);
	ml_answer_u64(a, "reads", h.kind[ML_READ]);
	ml_answer_u64(a, "writes", h.kind[ML_WRITE]);
	ml_route_served(a, &s->machine, h.served, h.beyond);
	ml_json_key(&a->json, "accesses");
	ml_json_array(&a->json);
	size_t have = h.before < h.max ? h.before : h.max;
	for (size_t i = h.before - have; i < h.before; i++)
		put_access(a, s->trace, &places, &h.at[i % h.max]);
	for (size_t i = 0; i < h.behind; i++)
		put_access(a, s->trace, &places, &h.at[h.max + i]);
	ml_json_end(&a->json);
	ml_json_end(&a->json);
	ml_user_lines_release(&places);
	return true;
}

/* What is selected, by line of code and by region. */
struct sums {
	const struct ml_selection *selection;
	struct ml_user_lines places;
	struct sum {
		uint64_t refs, served[ML_SERVED];
		double beyond, waiting;
		uint64_t id; /* place or region */
	} all, *lines, *regions;
	size_t line_cap, region_cap;
};

enum { ROWS = 100 };

static struct sum *sum_at(struct sum **list, size_t *cap, uint64_t id)
{
	*list = ml_grow(*list, cap, id + 1, sizeof(**list));
	(*list)[id].id = id;
	return &(*list)[id];
}

static void add(struct sums *x, uint32_t site, uint32_t caller, uint32_t region,
		const uint64_t served[ML_SERVED], double beyond)
{
	bool is_new;
	struct sum *to[] = {
		&x->all,
		sum_at(&x->lines, &x->line_cap,
		       ml_user_lines_line(&x->places, site, caller, &is_new)),
		sum_at(&x->regions, &x->region_cap, region),
	};

	for (size_t i = 0; i < 3; i++) {
		for (unsigned k = 1; k < ML_SERVED; k++) {
			to[i]->served[k] += served[k];
			to[i]->refs += served[k];
		}
		to[i]->beyond += beyond;
	}
}

static bool add_selected(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct sums *x = arg;
	const struct ml_batch *b = w->e.refs;

	(void)err;
	for (size_t i = 0; i < b->count; i++)
		if (ml_selection_has(x->selection, w, i)) {
			uint64_t served[ML_SERVED] = { 0 };

			served[ml_outcome_served(w->e.outcome[i])] = 1;
			add(x, b->site[i], b->caller[i], w->e.region[i], served,
			    w->beyond[i]);
		}
	return true;
}

static void add_row(void *arg, uint64_t position, const struct ml_result_row *row)
{
	struct sums *x = arg;
	uint64_t served[ML_SERVED] = { 0 };

	(void)position;
	if (!ml_selection_has_row(x->selection, row))
		return;
	served[ml_outcome_served(row->outcome)] = row->count;
	add(x, row->site, 0, row->region, served, (double)row->beyond);
}

/* Lines and regions of the whole trace are in the cells of the profile. */
static void add_cells(struct sums *x, const struct ml_profile *p)
{
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct ml_profile_cell *c = &p->cells[i];

		if ((!x->selection->sites ||
		     x->selection->sites[c->caller ? c->caller : c->site]) &&
		    (!x->selection->regions || x->selection->region == c->region))
			add(x, c->site, c->caller, c->region, c->served,
			    ml_surcharge_cycles(&c->surcharge, &p->machine,
						c->kind[0] + c->kind[1] + c->kind[2]));
	}
}

static int by_waiting(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->waiting < y->waiting || x->waiting > y->waiting)
		return x->waiting < y->waiting ? 1 : -1;
	if (x->refs != y->refs)
		return x->refs < y->refs ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void sort(struct sum *sums, size_t count, const struct ml_machine *m)
{
	for (size_t i = 0; i < count; i++)
		sums[i].waiting = ml_waiting(m, sums[i].served, sums[i].beyond, NULL);
	if (count)
		qsort(sums, count, sizeof(*sums), by_waiting);
}

static void put_sums(struct ml_answer *a, const struct ml_open_sim *s, struct sums *x)
{
	const struct ml_tables *tables = &s->trace->trace.tables;

	sort(x->lines, x->line_cap, &s->machine);
	sort(x->regions, x->region_cap, &s->machine);
	ml_json_object(&a->json);
	ml_answer_u64(a, "references", x->all.refs);
	ml_route_served(a, &s->machine, x->all.served, x->all.beyond);
	ml_json_key(&a->json, "lines");
	ml_json_array(&a->json);
	for (size_t i = 0; i < ROWS && i < x->line_cap && x->lines[i].refs; i++) {
		const struct ml_user_line *p = &x->places.lines[x->lines[i].id];
		uint32_t file = ml_open_trace_file(s->trace, p->file);

		ml_json_object(&a->json);
		put_number_or_null(a, "file", file, file != UINT32_MAX);
		ml_answer_u64(a, "line", p->line);
		ml_answer_string(a, "func", ml_tables_text(tables, p->func));
		ml_answer_u64(a, "references", x->lines[i].refs);
		ml_route_served(a, &s->machine, x->lines[i].served, x->lines[i].beyond);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
	ml_json_key(&a->json, "regions");
	ml_json_array(&a->json);
	for (size_t i = 0; i < ROWS && i < x->region_cap && x->regions[i].refs; i++) {
		ml_json_object(&a->json);
		ml_answer_u64(a, "region", x->regions[i].id);
		ml_answer_u64(a, "references", x->regions[i].refs);
		ml_route_served(a, &s->machine, x->regions[i].served,
				x->regions[i].beyond);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
	ml_json_end(&a->json);
}

bool ml_route_select(struct ml_workspace *ws, const struct ml_request *q,
		     struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	struct ml_selection selection;
	struct sums x = { .selection = &selection };
	uint64_t from, to;
	bool ok = true;

	if (!s || !ml_request_window(q, s->simulation.result.refs, &from, &to, err) ||
	    !ml_selection_read(&selection, q, s->trace, &a->arena, err))
		return false;
	ml_user_lines_init(&x.places, &s->trace->trace.tables);
	if (from == 0 && to == s->simulation.result.refs && !selection.threads &&
	    !selection.kinds && !selection.levels && !selection.causes &&
	    !selection.offsets)
		add_cells(&x, s->simulation.profile);
	else if (!selection.offsets)
		ok = ml_counts(s, &q->work, from, to, add_row, &x, err);
	else
		ok = ml_walk_region(s, &q->work, selection.region, from, to,
				    ml_selection_want(&selection) | ML_WALK_OUTCOMES |
					    ML_WALK_BEYOND,
				    add_selected, &x, err);
	if (ok)
		put_sums(a, s, &x);
	ml_user_lines_release(&x.places);
	ml_free(x.lines);
	ml_free(x.regions);
	return ok;
}

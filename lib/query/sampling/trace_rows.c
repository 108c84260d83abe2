#include "lib/query/sampling/trace_rows.h"

#include <string.h>

#include "lib/samples/samples_make.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/trace.h"

static size_t add(struct ml_samples *s, const char *name, enum ml_samples_kind kind,
		  enum ml_samples_role role)
{
	size_t column = ml_samples_add_column(s, name, kind);

	ml_samples_set_role(s, column, role);
	return column;
}

/* One column a state variable; a name that a column has already gets a suffix. */
static void add_states(struct ml_trace_rows *r)
{
	const struct ml_tables *t = &r->t->tables;

	for (size_t i = 0; i < t->states.count; i++) {
		size_t k = 0;

		while (k < r->state_count && r->states[k].name != t->states.at[i].name)
			k++;
		if (k < r->state_count || r->s->count >= ML_SAMPLES_COLUMNS_MAX)
			continue;
		const char *name = ml_tables_text(t, t->states.at[i].name);
		if (ml_samples_find(r->s, name) >= 0)
			name = ml_arena_printf(&r->s->arena, "%s (state)", name);
		r->states = ml_grow(r->states, &r->state_cap, r->state_count + 1,
				    sizeof(*r->states));
		r->states[r->state_count++] = (struct ml_trace_state){
			t->states.at[i].name, add(r->s, name, ML_SAMPLES_SIGNED, 0)
		};
	}
}

bool ml_trace_rows_init(struct ml_trace_rows *r, struct ml_samples *s, struct ml_trace *t,
			struct ml_err *err)
{
	static const char *const axes[] = { "x", "y", "z" };

	*r = (struct ml_trace_rows){ .s = s, .t = t };
	r->lookup = ml_region_lookup_open(t, err);
	if (!r->lookup)
		return false;
	ml_user_lines_init(&r->lines, &t->tables);
	r->thread = add(s, "thread", ML_SAMPLES_UNSIGNED, ML_SAMPLES_THREAD);
	r->file = add(s, "file", ML_SAMPLES_NAMES, ML_SAMPLES_FILE);
	r->line = add(s, "line", ML_SAMPLES_UNSIGNED, ML_SAMPLES_LINE);
	r->function = add(s, "function", ML_SAMPLES_NAMES, ML_SAMPLES_FUNCTION);
	r->ip = add(s, "ip", ML_SAMPLES_UNSIGNED, ML_SAMPLES_IP);
	r->kind = add(s, "kind", ML_SAMPLES_NAMES, ML_SAMPLES_NO_ROLE);
	r->size = add(s, "size", ML_SAMPLES_UNSIGNED, ML_SAMPLES_NO_ROLE);
	r->address = add(s, "address", ML_SAMPLES_UNSIGNED, ML_SAMPLES_ADDRESS);
	r->variable = add(s, "variable", ML_SAMPLES_NAMES, ML_SAMPLES_VARIABLE);
	r->index = add(s, "index", ML_SAMPLES_UNSIGNED, ML_SAMPLES_INDEX);
	s->columns[r->ip].hex = s->columns[r->address].hex = true;
	for (size_t i = 0; i < t->tables.regions.count; i++)
		r->has_axes |= t->tables.regions.at[i].dims > 1;
	for (size_t i = 0; r->has_axes && i < 3; i++)
		r->axis[i] = add(s, axes[i], ML_SAMPLES_UNSIGNED, ML_SAMPLES_NO_ROLE);
	for (size_t i = 0; i < t->tables.marks.count; i++)
		r->has_phase |= t->tables.marks.at[i].kind == ML_MARK_BEGIN;
	if (r->has_phase)
		r->phase = add(s, "phase", ML_SAMPLES_NAMES, ML_SAMPLES_NO_ROLE);
	add_states(r);
	return true;
}

void ml_trace_rows_release(struct ml_trace_rows *r)
{
	if (!r->lookup)
		return;
	ml_region_lookup_close(r->lookup);
	ml_user_lines_release(&r->lines);
	ml_map_release(&r->values);
	ml_free(r->states);
	ml_free(r->open);
}

static uint64_t value_key(uint32_t name, uint32_t thread)
{
	return (uint64_t)name << 32 | thread;
}

enum { ANY_THREAD = 1 << 16 };

static void set_value(struct ml_trace_rows *r, uint64_t key, int64_t value)
{
	bool is_new;

	*ml_map_add(&r->values, key, &is_new) = (uint64_t)value;
}

/* Ends the phase that the thread began last. */
static void end_phase(struct ml_trace_rows *r, const struct ml_mark *m)
{
	for (size_t i = r->open_count; i-- > 0;)
		if (r->open[i].name == m->name && r->open[i].thread == m->thread) {
			memmove(&r->open[i], &r->open[i + 1],
				(--r->open_count - i) * sizeof(*r->open));
			return;
		}
}

/* Follows phases and states up to a time. */
static void move_to(struct ml_trace_rows *r, uint64_t time)
{
	const struct ml_tables *t = &r->t->tables;

	for (; r->next_mark < t->marks.count && t->marks.at[r->next_mark].time <= time;
	     r->next_mark++) {
		const struct ml_mark *m = &t->marks.at[r->next_mark];

		if (m->kind == ML_MARK_END)
			end_phase(r, m);
		if (m->kind != ML_MARK_BEGIN)
			continue;
		r->open = ml_grow(r->open, &r->open_cap, r->open_count + 1,
				  sizeof(*r->open));
		r->open[r->open_count++] = (struct ml_trace_phase){ m->name, m->thread };
	}
	for (;
	     r->next_state < t->states.count && t->states.at[r->next_state].time <= time;
	     r->next_state++) {
		const struct ml_state *x = &t->states.at[r->next_state];

		set_value(r, value_key(x->name, x->thread), x->value);
		set_value(r, value_key(x->name, ANY_THREAD), x->value);
	}
}

/* The innermost phase of the thread; of the whole program if the thread has none. */
static uint32_t phase_of(const struct ml_trace_rows *r, uint16_t thread)
{
	uint32_t any = 0;

	for (size_t i = r->open_count; i-- > 0;) {
		if (r->open[i].thread == thread)
			return r->open[i].name;
		if (!any)
			any = r->open[i].name;
	}
	return any;
}

static void put_name(struct ml_trace_rows *r, size_t column, uint64_t row,
		     const char *text)
{
	if (*text)
		ml_samples_put_name(r->s, column, row, text, strlen(text));
	else
		ml_samples_put_missing(r->s, column, row);
}

static void put_code(struct ml_trace_rows *r, uint64_t row, const struct ml_ref *ref)
{
	const struct ml_tables *t = &r->t->tables;
	struct ml_user_line l = ml_user_lines_find(&r->lines, ref->site, ref->caller);

	put_name(r, r->file, row, l.own ? ml_tables_text(t, l.file) : "");
	put_name(r, r->function, row, l.own ? ml_tables_text(t, l.func) : "");
	if (l.own && l.line)
		ml_samples_put(r->s, r->line, row, l.line);
	else
		ml_samples_put_missing(r->s, r->line, row);
	if (ref->site && t->sites.at[ref->site].ip)
		ml_samples_put(r->s, r->ip, row, t->sites.at[ref->site].ip);
	else
		ml_samples_put_missing(r->s, r->ip, row);
}

/* The element, and its place along each dimension. */
static void put_index(struct ml_trace_rows *r, uint64_t row, const struct ml_place *p)
{
	const struct ml_region *g = ml_region_lookup_region(r->lookup, p->region);
	uint64_t index = g->elem ? p->offset / g->elem : 0, rest = index;

	if (g->elem)
		ml_samples_put(r->s, r->index, row, index);
	else
		ml_samples_put_missing(r->s, r->index, row);
	for (uint32_t i = 0; r->has_axes && i < 3; i++) {
		bool known = g->elem && g->dims > 1 && i < g->dims;
		uint64_t size = known ? g->dim[g->dims - 1 - i] : 0;

		if (!known) {
			ml_samples_put_missing(r->s, r->axis[i], row);
			continue;
		}
		bool last = i + 1 == g->dims || !size;
		ml_samples_put(r->s, r->axis[i], row, last ? rest : rest % size);
		rest = last ? 0 : rest / size;
	}
}

static void put_states(struct ml_trace_rows *r, uint64_t row, uint16_t thread)
{
	for (size_t i = 0; i < r->state_count; i++) {
		const uint64_t *v = ml_map_find(&r->values,
						value_key(r->states[i].name, thread));

		if (!v)
			v = ml_map_find(&r->values,
					value_key(r->states[i].name, ANY_THREAD));
		if (v)
			ml_samples_put(r->s, r->states[i].column, row, *v);
		else
			ml_samples_put_missing(r->s, r->states[i].column, row);
	}
}

void ml_trace_rows_put(struct ml_trace_rows *r, uint64_t row, const struct ml_ref *ref)
{
	static const char *const kinds[] = { "read", "write", "fetch" };
	struct ml_place p = ml_region_lookup_find(r->lookup, ref);

	move_to(r, ref->time);
	ml_samples_put(r->s, r->thread, row, ref->thread);
	put_code(r, row, ref);
	put_name(r, r->kind, row, kinds[ml_what_kind(ref->what)]);
	ml_samples_put(r->s, r->size, row, ml_what_size(ref->what));
	ml_samples_put(r->s, r->address, row, ref->addr);
	put_name(r, r->variable, row, ml_region_lookup_name(r->lookup, p.region));
	put_index(r, row, &p);
	if (r->has_phase)
		put_name(r, r->phase, row,
			 ml_tables_text(&r->t->tables, phase_of(r, ref->thread)));
	put_states(r, row, ref->thread);
}

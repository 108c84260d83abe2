#include "lib/query/trace/tables/dump.h"

#include <stdlib.h>
#include <string.h>

#include "lib/trace/text/scan.h"
#include "lib/trace/trace.h"

enum {
	TEXTS = 512 /* descriptions of data that pile up before their arena is emptied */
};

/*
 * The order of events of one time. Blocks end before other blocks begin in their place; a
 * block that ends at the time of its beginning must begin before it ends.
 */
enum order { ENDS, NO_TIME, BEGINS, GAPS, MARKS, STATES };

struct ml_dump_event {
	uint64_t time;
	enum order order;
	size_t index; /* other events keep the order of the file */
	enum ml_dump_kind kind;
	const void *what;
};

static int by_time(const void *a, const void *b)
{
	const struct ml_dump_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void add(struct ml_dump *d, uint64_t time, enum order order,
		enum ml_dump_kind kind, const void *what)
{
	d->events = ml_grow(d->events, &d->event_cap, d->event_count + 1,
			    sizeof(*d->events));
	d->events[d->event_count] = (struct ml_dump_event){ time, order, d->event_count,
							    kind, what };
	d->event_count++;
}

/* A block that lives when the window begins is printed at the window's beginning. */
static void add_block(struct ml_dump *d, const struct ml_block *b)
{
	const struct ml_region *r = &d->trace->tables.regions.at[b->region];
	uint64_t from = b->from > d->filter.from ? b->from : d->filter.from;

	if (r->kind == ML_REGION_SECTION || r->kind == ML_REGION_CODE || b->until < from)
		return;
	if (b->until == from && b->from < from)
		return;
	bool no_time = b->until == b->from;
	add(d, from, no_time ? NO_TIME : BEGINS, ML_DUMP_BEGIN, b);
	if (b->until != ML_FOREVER)
		add(d, b->until, no_time ? NO_TIME : ENDS, ML_DUMP_END, b);
}

static void add_events(struct ml_dump *d)
{
	const struct ml_tables *t = &d->trace->tables;

	for (size_t i = 0; i < t->gaps.count; i++)
		add(d, t->gaps.at[i].time, GAPS, ML_DUMP_GAP, &t->gaps.at[i]);
	for (size_t i = 0; i < t->marks.count; i++)
		add(d, t->marks.at[i].time, MARKS, ML_DUMP_MARK, &t->marks.at[i]);
	for (size_t i = 0; i < t->states.count; i++)
		add(d, t->states.at[i].time, STATES, ML_DUMP_STATE, &t->states.at[i]);
	if (d->filter.blocks) {
		for (size_t i = 0; i < t->globals.count; i++)
			add_block(d, &t->globals.at[i]);
		for (size_t i = 0; i < d->trace->block_count; i++)
			add_block(d, &d->trace->blocks[i]);
	}
	if (d->event_count)
		qsort(d->events, d->event_count, sizeof(*d->events), by_time);
	while (d->event < d->event_count && d->events[d->event].time < d->filter.from)
		d->event++;
}

/*
 * The end of its path names a file; a C++ function may be named without its parameters.
 */
static bool names_file(const char *path, const char *text, size_t size)
{
	size_t have = strlen(path);

	return have >= size && !memcmp(path + have - size, text, size) &&
	       (have == size || path[have - size - 1] == '/');
}

static bool names_function(const char *func, const char *text)
{
	size_t size = strlen(text);

	return !strncmp(func, text, size) && (!func[size] || func[size] == '(');
}

static bool match_sites(struct ml_dump *d, const char *text, struct ml_err *err)
{
	const struct ml_tables *t = &d->trace->tables;
	const char *colon = strrchr(text, ':'), *end = text + strlen(text);
	bool any = false, numbered;
	uint64_t line = 0;

	numbered = colon && ml_scan_decimal(colon + 1, end, &line) == end;
	size_t file = (size_t)((numbered ? colon : end) - text);
	d->site_matches = ml_arena_alloc(&d->arena, t->sites.count * sizeof(bool));
	for (size_t i = 1; i < t->sites.count; i++)
		for (uint32_t f = 0; f < t->sites.at[i].frames && !d->site_matches[i];
		     f++) {
			const struct ml_frame *frame =
				&t->frames.at[t->sites.at[i].frame + f];

			d->site_matches[i] =
				(names_file(ml_tables_text(t, frame->file), text, file) &&
				 (!numbered || frame->line == line)) ||
				(!numbered &&
				 names_function(ml_tables_text(t, frame->func), text));
			any = any || d->site_matches[i];
		}
	return any || ml_fail(err, ML_USAGE, "%s: no code at '%s' makes a reference",
			      d->trace->path, text);
}

bool ml_dump_open(struct ml_dump *d, struct ml_trace *t,
		  const struct ml_dump_filter *filter, struct ml_err *err)
{
	*d = (struct ml_dump){ .trace = t, .filter = *filter };
	if (d->filter.to > t->count)
		d->filter.to = t->count;
	if (d->filter.from > t->count)
		return ml_fail(err, ML_USAGE,
			       "%s has %llu references; there is no reference %llu",
			       t->path, (unsigned long long)t->count,
			       (unsigned long long)d->filter.from);
	if (d->filter.to < d->filter.from)
		d->filter.to = d->filter.from;
	if (filter->site && !match_sites(d, filter->site, err)) {
		ml_arena_release(&d->arena);
		return false;
	}
	d->space = ml_region_lookup_open(t, err);
	if (!d->space) {
		ml_arena_release(&d->arena);
		return false;
	}
	add_events(d);
	d->cursor = ml_cursor_open(t, d->filter.from, d->filter.to);
	return true;
}

void ml_dump_close(struct ml_dump *d)
{
	ml_cursor_close(d->cursor);
	ml_region_lookup_close(d->space);
	ml_free(d->events);
	ml_arena_release(&d->arena);
	ml_arena_release(&d->texts);
	*d = (struct ml_dump){ 0 };
}

/* Takes the next event, if it is not after `time`. */
static bool next_event(struct ml_dump *d, uint64_t time, struct ml_dump_row *row)
{
	if (d->event == d->event_count || d->events[d->event].time > time)
		return false;
	const struct ml_dump_event *e = &d->events[d->event++];
	*row = (struct ml_dump_row){ .kind = e->kind, .time = e->time };
	switch (e->kind) {
	case ML_DUMP_MARK: row->mark = e->what; break;
	case ML_DUMP_STATE: row->state = e->what; break;
	case ML_DUMP_GAP: row->gap = e->what; break;
	default: row->block = e->what; break;
	}
	return true;
}

static bool passes(const struct ml_dump *d, const struct ml_ref *ref)
{
	const struct ml_dump_filter *f = &d->filter;

	return (!f->thread || ref->thread == f->thread) &&
	       (!f->kinds || f->kinds & 1u << ml_what_kind(ref->what)) &&
	       (!d->site_matches || d->site_matches[ref->site] ||
		d->site_matches[ref->caller]);
}

bool ml_dump_next(struct ml_dump *d, struct ml_dump_row *row, struct ml_err *err)
{
	err->kind = ML_OK;
	if (d->text_count == TEXTS) {
		ml_arena_release(&d->texts);
		d->text_count = 0;
	}
	while (d->found < d->filter.count) {
		if (d->at == d->batch.count) {
			d->at = d->batch.count = 0;
			if (!ml_cursor_next(d->cursor, &d->batch, err)) {
				/* Events at the end of the trace come last. */
				return err->kind == ML_OK &&
				       d->filter.to == d->trace->count &&
				       next_event(d, UINT64_MAX, row);
			}
		}
		if (next_event(d, d->batch.time + d->at, row))
			return true;
		struct ml_ref ref = ml_batch_ref(&d->batch, d->at++);
		if (!passes(d, &ref))
			continue;
		struct ml_place place = ml_region_lookup_find(d->space, &ref);
		const char *region = ml_region_lookup_name(d->space, place.region);
		if (d->filter.region && strcmp(region, d->filter.region) != 0)
			continue;
		d->found++;
		d->text_count++;
		*row = (struct ml_dump_row){
			.kind = ML_DUMP_REF,
			.time = ref.time,
			.ref = ref,
			.region = region,
			.datum = region,
		};
		/*
		 * The start of memory of unknown kind is unknown, so an offset would be
		 * wrong.
		 */
		if (ml_region_lookup_region(d->space, place.region)->kind !=
		    ML_REGION_OTHER)
			row->datum = ml_region_lookup_describe(d->space, &place,
							       &d->texts);
		return true;
	}
	return false;
}

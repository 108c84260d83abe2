#include "lib/query/trace/open/open_trace.h"

#include <errno.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/query/workspace/workspace.h"
#include "lib/trace/regions/region_lookup.h"

/* Source files that sites name, with their text where the trace has it. */
static void list_files(struct ml_open_trace *t)
{
	const struct ml_tables *tables = &t->trace.tables;

	t->file_of_name = ml_arena_alloc(&t->arena,
					 tables->names.count * sizeof(*t->file_of_name));
	for (size_t i = 0; i < tables->frames.count; i++) {
		uint32_t name = tables->frames.at[i].file;

		if (!name || t->file_of_name[name])
			continue;
		t->files = ml_grow(t->files, &t->file_cap, t->file_count + 1,
				   sizeof(*t->files));
		struct ml_open_trace_file *f = &t->files[t->file_count++];
		t->file_of_name[name] = (uint32_t)t->file_count;
		f->path = name;
		f->text = ml_trace_source(&t->trace, ml_tables_text(tables, name),
					  &f->size, &t->arena);
		for (size_t k = 0; f->text && k < f->size; k++)
			f->lines += f->text[k] == '\n';
	}
}

static void lay_out_blocks(struct ml_open_trace *t)
{
	const struct ml_trace *x = &t->trace;

	t->block_start = ml_arena_alloc(&t->arena,
					(x->block_count + 1) * sizeof(*t->block_start));
	t->extent = ml_arena_alloc(&t->arena,
				   x->tables.regions.count * sizeof(*t->extent));
	t->base = ml_arena_alloc(&t->arena, x->tables.regions.count * sizeof(*t->base));
	for (size_t i = 0; i < x->block_count; i++) {
		uint32_t region = x->blocks[i].region;

		t->base[region] = t->base[region] ? UINT64_MAX : x->blocks[i].addr;
		t->block_start[i] = t->extent[region];
		t->extent[region] += x->blocks[i].size;
	}
	for (size_t i = 0; i < x->tables.globals.count; i++) {
		const struct ml_block *b = &x->tables.globals.at[i];

		t->base[b->region] = t->base[b->region] ? UINT64_MAX : b->addr;
		t->extent[b->region] = b->size;
	}
}

/*
 * The extent of a stack is the part that the program touched; deep recursion makes it
 * large.
 */
static void lay_out_stacks(struct ml_open_trace *t)
{
	const struct ml_summary *s = &t->summary;
	uint32_t first = (uint32_t)t->trace.tables.regions.count;
	uint32_t end = ml_region_lookup_regions(s->space);

	t->stacks = ml_arena_alloc(&t->arena, (end - first + 1) * sizeof(*t->stacks));
	for (size_t i = 0; i < s->regions.count; i++) {
		const struct ml_summary_region *r = &s->regions.at[i];

		if (r->region >= first &&
		    ml_region_lookup_region(s->space, r->region)->kind == ML_REGION_STACK)
			t->stacks[r->region - first] =
				(struct ml_open_trace_stack){ r->low, r->high - r->low };
	}
	t->stack_end = end;
}

static const struct ml_open_trace_stack *stack_of(const struct ml_open_trace *t,
						  uint32_t region)
{
	uint32_t first = (uint32_t)t->trace.tables.regions.count;

	return region >= first && region < t->stack_end ? &t->stacks[region - first]
							: NULL;
}

uint32_t ml_open_trace_regions(const struct ml_open_trace *t)
{
	uint32_t known = (uint32_t)t->trace.tables.regions.count;

	return t->stack_end > known ? t->stack_end : known;
}

bool ml_open_trace_base(const struct ml_open_trace *t, uint32_t region, uint64_t *base)
{
	const struct ml_open_trace_stack *stack = stack_of(t, region);

	if (stack && stack->extent) {
		*base = stack->base;
		return true;
	}
	if (region >= t->trace.tables.regions.count || !t->base[region] ||
	    t->base[region] == UINT64_MAX)
		return false;
	*base = t->base[region];
	return true;
}

uint64_t ml_open_trace_extent(const struct ml_open_trace *t, uint32_t region)
{
	const struct ml_open_trace_stack *stack = stack_of(t, region);

	if (stack)
		return stack->extent;
	return region < t->trace.tables.regions.count ? t->extent[region] : 0;
}

static bool is_stopped(void *arg)
{
	const struct ml_open_trace *t = arg;

	return ml_stopped(&t->document.workspace->stop);
}

static void counted(void *arg, const char *what, uint64_t done, uint64_t total)
{
	struct ml_open_trace *t = arg;

	(void)what;
	(void)total;
	pthread_mutex_lock(&t->document.workspace->lock);
	t->done = done;
	ml_workspace_change(t->document.workspace);
	pthread_mutex_unlock(&t->document.workspace->lock);
}

static void *count(void *arg)
{
	struct ml_open_trace *t = arg;
	struct ml_err err = { 0 };
	struct ml_work work = { is_stopped, counted, t };
	bool ok = ml_summary_open(&t->summary, &t->trace, &work, &err);

	if (ok)
		lay_out_stacks(t);

	pthread_mutex_lock(&t->document.workspace->lock);
	t->counted = true;
	t->failed = ok ? (struct ml_err){ 0 } : err;
	ml_workspace_change(t->document.workspace);
	pthread_mutex_unlock(&t->document.workspace->lock);
	return NULL;
}

struct ml_document *ml_open_trace_open(struct ml_workspace *ws, const char *path,
				       struct ml_err *err)
{
	struct ml_open_trace *t = ml_resize(NULL, sizeof(*t));

	*t = (struct ml_open_trace){ .document.workspace = ws };
	if (!ml_trace_open(&t->trace, path, err)) {
		ml_free(t);
		return NULL;
	}
	if (!ml_trace_load_blocks(&t->trace, err)) {
		ml_trace_close(&t->trace);
		ml_free(t);
		return NULL;
	}
	t->document.path = t->trace.path;
	list_files(t);
	lay_out_blocks(t);
	ml_open_cycles_init(&t->cycles);
	if ((errno = pthread_create(&t->thread, NULL, count, t))) {
		t->counted = t->threadless = true;
		ml_fail_errno(&t->failed, "no thread to count %s", path);
	}
	return &t->document;
}

struct ml_open_trace *ml_open_trace(struct ml_workspace *ws, uint64_t number,
				    struct ml_err *err)
{
	struct ml_open_trace *t =
		(struct ml_open_trace *)ml_workspace_document(ws, "trace", number, err);

	return t && ml_open_trace_is_whole(t, err) ? t : NULL;
}

bool ml_open_trace_is_whole(const struct ml_open_trace *t, struct ml_err *err)
{
	return !ml_file_map_is_cut(t->trace.data) ||
	       ml_fail(err, ML_IO, "%s was cut off while it was open: open it again",
		       t->document.path);
}

struct ml_open_trace *ml_open_trace_find(struct ml_workspace *ws, const uint8_t id[16])
{
	struct ml_document *d;

	for (size_t i = 0; (d = ml_workspace_each(ws, i)); i++) {
		struct ml_open_trace *t = (struct ml_open_trace *)d;

		if (d->kind->open == ml_open_trace_open && !memcmp(t->trace.id, id, 16))
			return t;
	}
	return NULL;
}

struct ml_summary *ml_open_trace_summary(struct ml_open_trace *t, struct ml_err *err)
{
	pthread_mutex_lock(&t->document.workspace->lock);
	while (!t->counted && !t->document.workspace->stop)
		pthread_cond_wait(&t->document.workspace->changed,
				  &t->document.workspace->lock);
	bool there = t->counted;
	pthread_mutex_unlock(&t->document.workspace->lock);
	if (!there) {
		ml_fail(err, ML_STOPPED, "the server ends");
		return NULL;
	}
	if (t->failed.kind == ML_OK)
		return &t->summary;
	*err = t->failed;
	return NULL;
}

uint32_t ml_open_trace_file(const struct ml_open_trace *t, uint32_t name)
{
	return name < t->trace.tables.names.count ? t->file_of_name[name] - 1
						  : UINT32_MAX;
}

/*
 * Takes the idle lookup that stands nearest before `time`. If all of them stand behind
 * it, takes the last one, which starts anew.
 */
static struct ml_region_lookup *take_idle(struct ml_open_trace *t, uint64_t time)
{
	struct ml_open_trace_lookup *best = NULL;

	for (size_t i = 0; i < ML_OPEN_TRACE_SPARES; i++) {
		struct ml_open_trace_lookup *x = &t->lookups[i];

		if (x->lookup &&
		    (!best || (x->time <= time) > (best->time <= time) ||
		     ((x->time <= time) == (best->time <= time) && x->time > best->time)))
			best = x;
	}
	if (!best)
		return NULL;
	struct ml_region_lookup *lookup = best->lookup;
	best->lookup = NULL;
	if (best->time > time)
		ml_region_lookup_rewind(lookup);
	return lookup;
}

struct ml_region_lookup *ml_open_trace_lookup_take(struct ml_open_trace *t, uint64_t time,
						   struct ml_err *err)
{
	struct ml_summary *summary = ml_open_trace_summary(t, err);

	if (!summary)
		return NULL;
	pthread_mutex_lock(&t->document.workspace->lock);
	struct ml_region_lookup *lookup = take_idle(t, time);
	pthread_mutex_unlock(&t->document.workspace->lock);
	return lookup ? lookup : ml_region_lookup_open_like(summary->space, err);
}

void ml_open_trace_lookup_give(struct ml_open_trace *t, struct ml_region_lookup *lookup,
			       uint64_t time)
{
	size_t i = 0;

	pthread_mutex_lock(&t->document.workspace->lock);
	while (i < ML_OPEN_TRACE_SPARES && t->lookups[i].lookup)
		i++;
	if (i < ML_OPEN_TRACE_SPARES)
		t->lookups[i] = (struct ml_open_trace_lookup){ lookup, time };
	pthread_mutex_unlock(&t->document.workspace->lock);
	if (i == ML_OPEN_TRACE_SPARES)
		ml_region_lookup_close(lookup);
}

struct ml_cursor *ml_open_trace_cursor_take(struct ml_open_trace *t, uint64_t from,
					    uint64_t to)
{
	struct ml_open_trace_cursor *best = NULL;
	struct ml_cursor *c = NULL;

	pthread_mutex_lock(&t->document.workspace->lock);
	for (size_t i = 0; i < ML_OPEN_TRACE_SPARES; i++) {
		struct ml_open_trace_cursor *x = &t->cursors[i];

		if (x->cursor && x->time <= from && (!best || x->time > best->time))
			best = x;
	}
	if (best) {
		c = best->cursor;
		best->cursor = NULL;
	}
	pthread_mutex_unlock(&t->document.workspace->lock);
	if (!c)
		return ml_cursor_open(&t->trace, from, to);
	ml_cursor_seek(c, from, to);
	return c;
}

void ml_open_trace_cursor_give(struct ml_open_trace *t, struct ml_cursor *c,
			       uint64_t time)
{
	struct ml_open_trace_cursor *x = &t->cursors[0];

	pthread_mutex_lock(&t->document.workspace->lock);
	for (size_t i = 0; i < ML_OPEN_TRACE_SPARES && x->cursor; i++)
		if (!t->cursors[i].cursor)
			x = &t->cursors[i];
	/* the earliest cursor goes: views mostly move forwards in time */
	for (size_t i = 0; i < ML_OPEN_TRACE_SPARES && x->cursor; i++)
		if (t->cursors[i].time < x->time)
			x = &t->cursors[i];
	struct ml_cursor *old = x->cursor;
	*x = (struct ml_open_trace_cursor){ c, time };
	pthread_mutex_unlock(&t->document.workspace->lock);
	if (old)
		ml_cursor_close(old);
}

void ml_open_trace_close(struct ml_document *d)
{
	struct ml_open_trace *t = (struct ml_open_trace *)d;

	if (!t->threadless)
		pthread_join(t->thread, NULL);
	for (size_t i = 0; i < ML_OPEN_TRACE_SPARES; i++)
		if (t->lookups[i].lookup)
			ml_region_lookup_close(t->lookups[i].lookup);
	for (size_t i = 0; i < ML_OPEN_TRACE_SPARES; i++)
		if (t->cursors[i].cursor)
			ml_cursor_close(t->cursors[i].cursor);
	if (t->failed.kind == ML_OK)
		ml_summary_close(&t->summary);
	ml_open_cycles_release(&t->cycles);
	ml_trace_close(&t->trace);
	ml_free(t->files);
	ml_arena_release(&t->arena);
	ml_free(t);
}

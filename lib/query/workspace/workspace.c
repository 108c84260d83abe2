#include "lib/query/workspace/workspace.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "lib/query/workspace/open_ensemble.h"
#include "lib/query/workspace/open_sim.h"
#include "lib/query/workspace/sim_diff.h"
#include "lib/trace/region_lookup.h"

void ml_workspace_init(struct ml_workspace *d, const struct ml_machine *machine)
{
	pthread_condattr_t attr;

	*d = (struct ml_workspace){ .machine = *machine };
	pthread_mutex_init(&d->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&d->changed, &attr);
	pthread_condattr_destroy(&attr);
}

void ml_workspace_change(struct ml_workspace *d)
{
	d->changes++;
	pthread_cond_broadcast(&d->changed);
}

uint64_t ml_workspace_wait(struct ml_workspace *d, uint64_t since, unsigned milliseconds)
{
	struct timespec until;
	uint64_t changes;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += milliseconds / 1000;
	until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&d->lock);
	while (d->changes == since && !d->stop)
		if (pthread_cond_timedwait(&d->changed, &d->lock, &until) == ETIMEDOUT)
			break;
	changes = d->changes;
	pthread_mutex_unlock(&d->lock);
	return changes;
}

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

/* Stacks are known by what was touched of them; deep recursion may spread them widely. */
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

	return ml_stopped(&t->workspace->stop);
}

static void counted(void *arg, const char *what, uint64_t done, uint64_t total)
{
	struct ml_open_trace *t = arg;

	(void)what;
	(void)total;
	pthread_mutex_lock(&t->workspace->lock);
	t->done = done;
	ml_workspace_change(t->workspace);
	pthread_mutex_unlock(&t->workspace->lock);
}

static void *count(void *arg)
{
	struct ml_open_trace *t = arg;
	struct ml_err err = { 0 };
	struct ml_work work = { is_stopped, counted, t };
	bool ok = ml_summary_open(&t->summary, &t->trace, &work, &err);

	if (ok)
		lay_out_stacks(t);

	pthread_mutex_lock(&t->workspace->lock);
	t->counted = true;
	t->failed = ok ? (struct ml_err){ 0 } : err;
	ml_workspace_change(t->workspace);
	pthread_mutex_unlock(&t->workspace->lock);
	return NULL;
}

static bool open_trace(struct ml_workspace *d, const char *path, struct ml_err *err)
{
	struct ml_open_trace *t = ml_resize(NULL, sizeof(*t));

	*t = (struct ml_open_trace){ .workspace = d };
	if (!ml_trace_open(&t->trace, path, err)) {
		ml_free(t);
		return false;
	}
	if (!ml_trace_load_blocks(&t->trace, err)) {
		ml_trace_close(&t->trace);
		ml_free(t);
		return false;
	}
	list_files(t);
	lay_out_blocks(t);
	pthread_mutex_lock(&d->lock);
	t->number = (uint32_t)d->trace_count;
	d->traces = ml_grow(d->traces, &d->trace_cap, d->trace_count + 1,
			    sizeof(*d->traces));
	d->traces[d->trace_count++] = t;
	ml_workspace_change(d);
	pthread_mutex_unlock(&d->lock);
	if ((errno = pthread_create(&t->thread, NULL, count, t))) {
		t->counted = true;
		ml_fail_errno(&t->failed, "no thread to count %s", path);
	}
	return true;
}

bool ml_workspace_open(struct ml_workspace *d, const char *path, struct ml_err *err)
{
	return ml_ensemble_is(path) ? ml_open_ensemble_open(d, path, err)
				    : open_trace(d, path, err);
}

struct ml_open_trace *ml_open_trace(struct ml_workspace *d, uint64_t number,
				    struct ml_err *err)
{
	struct ml_open_trace *t = NULL;

	pthread_mutex_lock(&d->lock);
	if (number < d->trace_count)
		t = d->traces[number];
	pthread_mutex_unlock(&d->lock);
	if (!t)
		ml_fail(err, ML_USAGE, "there is no trace %llu",
			(unsigned long long)number);
	return t;
}

struct ml_summary *ml_open_trace_summary(struct ml_open_trace *t, struct ml_err *err)
{
	pthread_mutex_lock(&t->workspace->lock);
	while (!t->counted && !t->workspace->stop)
		pthread_cond_wait(&t->workspace->changed, &t->workspace->lock);
	bool there = t->counted;
	pthread_mutex_unlock(&t->workspace->lock);
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

/* The one that has least way to go; only if there is none that must not go back. */
static struct ml_region_lookup *take_idle(struct ml_open_trace *t, uint64_t time)
{
	struct ml_open_trace_lookup *best = NULL;

	for (size_t i = 0; i < ML_OPEN_TRACE_SPARES; i++) {
		struct ml_open_trace_lookup *x = &t->spaces[i];

		if (x->space &&
		    (!best || (x->time <= time) > (best->time <= time) ||
		     ((x->time <= time) == (best->time <= time) && x->time > best->time)))
			best = x;
	}
	if (!best)
		return NULL;
	struct ml_region_lookup *s = best->space;
	best->space = NULL;
	if (best->time > time)
		ml_region_lookup_rewind(s);
	return s;
}

struct ml_region_lookup *ml_open_trace_lookup_take(struct ml_open_trace *t, uint64_t time,
						   struct ml_err *err)
{
	struct ml_summary *summary = ml_open_trace_summary(t, err);

	if (!summary)
		return NULL;
	pthread_mutex_lock(&t->workspace->lock);
	struct ml_region_lookup *s = take_idle(t, time);
	pthread_mutex_unlock(&t->workspace->lock);
	return s ? s : ml_region_lookup_open_like(summary->space, err);
}

void ml_open_trace_lookup_give(struct ml_open_trace *t, struct ml_region_lookup *s,
			       uint64_t time)
{
	size_t i = 0;

	pthread_mutex_lock(&t->workspace->lock);
	while (i < ML_OPEN_TRACE_SPARES && t->spaces[i].space)
		i++;
	if (i < ML_OPEN_TRACE_SPARES)
		t->spaces[i] = (struct ml_open_trace_lookup){ s, time };
	pthread_mutex_unlock(&t->workspace->lock);
	if (i == ML_OPEN_TRACE_SPARES)
		ml_region_lookup_close(s);
}

struct ml_cursor *ml_open_trace_cursor_take(struct ml_open_trace *t, uint64_t from,
					    uint64_t to)
{
	struct ml_open_trace_cursor *best = NULL;
	struct ml_cursor *c = NULL;

	pthread_mutex_lock(&t->workspace->lock);
	for (size_t i = 0; i < ML_OPEN_TRACE_SPARES; i++) {
		struct ml_open_trace_cursor *x = &t->cursors[i];

		if (x->cursor && x->time <= from && (!best || x->time > best->time))
			best = x;
	}
	if (best) {
		c = best->cursor;
		best->cursor = NULL;
	}
	pthread_mutex_unlock(&t->workspace->lock);
	if (!c)
		return ml_cursor_open(&t->trace, from, to);
	ml_cursor_seek(c, from, to);
	return c;
}

void ml_open_trace_cursor_give(struct ml_open_trace *t, struct ml_cursor *c,
			       uint64_t time)
{
	struct ml_open_trace_cursor *x = &t->cursors[0];

	pthread_mutex_lock(&t->workspace->lock);
	for (size_t i = 0; i < ML_OPEN_TRACE_SPARES && x->cursor; i++)
		if (!t->cursors[i].cursor)
			x = &t->cursors[i];
	/* those far behind are of the least use: somebody looked there and went on */
	for (size_t i = 0; i < ML_OPEN_TRACE_SPARES && x->cursor; i++)
		if (t->cursors[i].time < x->time)
			x = &t->cursors[i];
	struct ml_cursor *old = x->cursor;
	*x = (struct ml_open_trace_cursor){ c, time };
	pthread_mutex_unlock(&t->workspace->lock);
	if (old)
		ml_cursor_close(old);
}

static void close_trace(struct ml_open_trace *t)
{
	pthread_join(t->thread, NULL);
	for (size_t i = 0; i < ML_OPEN_TRACE_SPARES; i++)
		if (t->spaces[i].space)
			ml_region_lookup_close(t->spaces[i].space);
	for (size_t i = 0; i < ML_OPEN_TRACE_SPARES; i++)
		if (t->cursors[i].cursor)
			ml_cursor_close(t->cursors[i].cursor);
	if (t->failed.kind == ML_OK)
		ml_summary_close(&t->summary);
	ml_trace_close(&t->trace);
	ml_free(t->files);
	ml_arena_release(&t->arena);
	ml_free(t);
}

void ml_workspace_stop(struct ml_workspace *d)
{
	pthread_mutex_lock(&d->lock);
	ml_stop(&d->stop);
	ml_workspace_change(d);
	pthread_mutex_unlock(&d->lock);
}

void ml_workspace_close(struct ml_workspace *d)
{
	ml_workspace_stop(d);
	ml_sim_diff_close(d);
	ml_open_sims_close(d);
	for (size_t i = 0; i < d->trace_count; i++)
		close_trace(d->traces[i]);
	ml_free(d->traces);
	ml_open_ensembles_close(d);
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
}

#include "lib/query/workspace/open_ensemble.h"

#include <string.h>

#include "lib/query/workspace/workspace.h"

/* The number + 1 of a trace on the workspace with this id. */
static uint32_t find_open(struct ml_workspace *d, const uint8_t id[16])
{
	uint32_t found = 0;

	pthread_mutex_lock(&d->lock);
	for (size_t i = 0; i < d->trace_count && !found; i++)
		if (!memcmp(d->traces[i]->trace.id, id, 16))
			found = (uint32_t)i + 1;
	pthread_mutex_unlock(&d->lock);
	return found;
}

static bool is_trace(const char *path, const uint8_t id[16])
{
	struct ml_trace t;
	struct ml_err err;

	if (!ml_trace_open(&t, path, &err))
		return false;
	bool same = !memcmp(t.id, id, 16);
	ml_trace_close(&t);
	return same;
}

/* Its path as given, that seen from the ensemble's folder, or the name alone there. */
static const char *find_file(struct ml_open_ensemble *x,
			     const struct ml_ensemble_trace *t)
{
	const char *slash = strrchr(x->path, '/'), *name = strrchr(t->path, '/');
	int folder = slash ? (int)(slash - x->path) + 1 : 0;
	const char *tries[] = {
		t->path,
		ml_arena_printf(&x->arena, "%.*s%s", folder, x->path, t->path),
		ml_arena_printf(&x->arena, "%.*s%s", folder, x->path,
				name ? name + 1 : t->path),
	};

	for (size_t i = 0; i < 3; i++)
		if (*t->path && is_trace(tries[i], t->id))
			return tries[i];
	return NULL;
}

/* A trace that is not there is no failure: the series stay. */
static void open_traces(struct ml_workspace *d, struct ml_open_ensemble *x)
{
	struct ml_err err;

	x->open = ml_arena_alloc(&x->arena, (x->e.trace_count + 1) * sizeof(*x->open));
	for (size_t i = 0; i < x->e.trace_count; i++) {
		const struct ml_ensemble_trace *t = &x->e.traces[i];

		x->open[i] = find_open(d, t->id);
		if (x->open[i])
			continue;
		const char *file = find_file(x, t);
		if (file && ml_workspace_open(d, file, &err))
			x->open[i] = find_open(d, t->id);
	}
}

bool ml_open_ensemble_open(struct ml_workspace *d, const char *path, struct ml_err *err)
{
	struct ml_open_ensemble *x = ml_resize(NULL, sizeof(*x));

	*x = (struct ml_open_ensemble){ 0 };
	ml_ensemble_init(&x->e);
	if (!ml_ensemble_open(&x->e, path, err)) {
		ml_ensemble_release(&x->e);
		ml_free(x);
		return false;
	}
	x->path = ml_arena_strdup(&x->arena, path);
	x->curves = ml_curves_open(&x->e);
	ml_ensemble_axes(&x->axes, &x->e, &x->arena);
	open_traces(d, x);
	pthread_mutex_lock(&d->lock);
	x->number = (uint32_t)d->ensemble_count;
	d->ensembles = ml_grow(d->ensembles, &d->ensemble_cap, d->ensemble_count + 1,
			       sizeof(*d->ensembles));
	d->ensembles[d->ensemble_count++] = x;
	ml_workspace_change(d);
	pthread_mutex_unlock(&d->lock);
	return true;
}

struct ml_open_ensemble *ml_open_ensemble(struct ml_workspace *d, uint64_t number,
					  struct ml_err *err)
{
	struct ml_open_ensemble *x = NULL;

	pthread_mutex_lock(&d->lock);
	if (number < d->ensemble_count)
		x = d->ensembles[number];
	pthread_mutex_unlock(&d->lock);
	if (!x)
		ml_fail(err, ML_USAGE, "there is no ensemble %llu",
			(unsigned long long)number);
	return x;
}

void ml_open_ensembles_close(struct ml_workspace *d)
{
	for (size_t i = 0; i < d->ensemble_count; i++) {
		struct ml_open_ensemble *x = d->ensembles[i];

		ml_curves_close(x->curves);
		ml_ensemble_release(&x->e);
		ml_arena_release(&x->arena);
		ml_free(x);
	}
	ml_free(d->ensembles);
}

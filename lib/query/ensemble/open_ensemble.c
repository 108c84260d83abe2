#include "lib/query/ensemble/open_ensemble.h"

#include <string.h>

#include "lib/query/trace/open/open_trace.h"
#include "lib/query/workspace/workspace.h"

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
	const char *slash = strrchr(x->document.path, '/'), *name = strrchr(t->path, '/');
	int folder = slash ? (int)(slash - x->document.path) + 1 : 0;
	const char *tries[] = {
		t->path,
		ml_arena_printf(&x->arena, "%.*s%s", folder, x->document.path, t->path),
		ml_arena_printf(&x->arena, "%.*s%s", folder, x->document.path,
				name ? name + 1 : t->path),
	};

	for (size_t i = 0; i < 3; i++)
		if (*t->path && is_trace(tries[i], t->id))
			return tries[i];
	return NULL;
}

/* A trace that is not there is no failure: the series stay. */
static void open_traces(struct ml_workspace *ws, struct ml_open_ensemble *x)
{
	struct ml_err err;

	x->open = ml_arena_alloc(&x->arena, (x->e.trace_count + 1) * sizeof(*x->open));
	for (size_t i = 0; i < x->e.trace_count; i++) {
		const struct ml_ensemble_trace *t = &x->e.traces[i];
		struct ml_open_trace *open = ml_open_trace_find(ws, t->id);
		const char *file = open ? NULL : find_file(x, t);

		if (file && ml_workspace_open(ws, file, &err))
			open = ml_open_trace_find(ws, t->id);
		x->open[i] = open ? open->document.number + 1 : 0;
	}
}

struct ml_document *ml_open_ensemble_open(struct ml_workspace *ws, const char *path,
					  struct ml_err *err)
{
	struct ml_open_ensemble *x = ml_resize(NULL, sizeof(*x));

	*x = (struct ml_open_ensemble){ .document.workspace = ws };
	ml_ensemble_init(&x->e);
	if (!ml_ensemble_open(&x->e, path, err)) {
		ml_ensemble_release(&x->e);
		ml_free(x);
		return NULL;
	}
	x->document.path = ml_arena_strdup(&x->arena, path);
	x->curves = ml_curves_open(&x->e);
	ml_ensemble_axes(&x->axes, &x->e, &x->arena);
	open_traces(ws, x);
	return &x->document;
}

void ml_open_ensemble_close(struct ml_document *d)
{
	struct ml_open_ensemble *x = (struct ml_open_ensemble *)d;

	ml_curves_close(x->curves);
	ml_ensemble_release(&x->e);
	ml_arena_release(&x->arena);
	ml_free(x);
}

struct ml_open_ensemble *ml_open_ensemble(struct ml_workspace *ws, uint64_t number,
					  struct ml_err *err)
{
	return (struct ml_open_ensemble *)ml_workspace_document(ws, "ensemble", number,
								err);
}

#include "lib/query/flow/open_flow.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/flow/flow.h"
#include "lib/flow/read/open.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/workspace/request.h"
#include "lib/query/workspace/workspace.h"

static struct ml_open_function *read_function(const struct ml_workspace *ws,
					      const char *path, const char *name,
					      struct ml_err *err)
{
	struct ml_flow_options o = { .function = name, .headers = ws->headers };
	struct ml_flow *f = ml_flow_open(path, &o, err);

	if (!f)
		return NULL;
	struct ml_open_function *x = ml_resize(NULL, sizeof(*x));
	memset(x, 0, sizeof(*x));
	x->flow = f;
	ml_flow_counts_make(&x->counts, f);
	ml_flow_span_make(&x->span, f, &x->counts);
	ml_simulations_init(&x->simulations);
	return x;
}

struct ml_document *ml_open_flow_open(struct ml_workspace *ws, const char *path,
				      struct ml_err *err)
{
	struct ml_open_function *first = read_function(ws, path, NULL, err);

	if (!first)
		return NULL;
	struct ml_open_flow *x = ml_resize(NULL, sizeof(*x));
	memset(x, 0, sizeof(*x));
	x->functions = first;
	pthread_mutex_init(&x->lock, NULL);
	x->document = (struct ml_document){ .kind = &ml_kind_flow,
					    .workspace = ws,
					    .path = first->flow->path };
	return &x->document;
}

void ml_open_flow_close(struct ml_document *d)
{
	struct ml_open_flow *x = (struct ml_open_flow *)d;

	for (struct ml_open_function *f = x->functions, *next; f; f = next) {
		next = f->next;
		ml_simulations_release(&f->simulations);
		ml_flow_span_release(&f->span);
		ml_flow_counts_release(&f->counts);
		ml_flow_close(f->flow);
		ml_free(f);
	}
	pthread_mutex_destroy(&x->lock);
	ml_free(x);
}

struct ml_open_function *ml_open_function(struct ml_workspace *ws,
					  const struct ml_request *q, struct ml_err *err)
{
	struct ml_open_flow *x = (struct ml_open_flow *)ml_workspace_document(
		ws, "flow", q->number[0], err);
	const char *name = ml_request_text(q, "function");

	if (!x || !name || !*name)
		return x ? x->functions : NULL;
	pthread_mutex_lock(&x->lock);
	struct ml_open_function **at = &x->functions;
	while (*at && strcmp((*at)->flow->function, name) != 0)
		at = &(*at)->next;
	if (!*at)
		*at = read_function(ws, x->document.path, name, err);
	struct ml_open_function *f = *at;
	pthread_mutex_unlock(&x->lock);
	return f;
}

#include "lib/query/samples/open_samples.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/query/workspace/workspace.h"
#include "lib/samples/read/read_samples.h"

struct ml_document *ml_open_samples_open(struct ml_workspace *ws, const char *path,
					 struct ml_err *err)
{
	struct ml_open_table *t = ml_open_table_open(path, NULL, err);

	if (!t)
		return NULL;
	struct ml_open_samples *x = ml_resize(NULL, sizeof(*x));
	*x = (struct ml_open_samples){ .document = { .workspace = ws, .path = t->s.path },
				       .table = t,
				       .l1_latency = ML_L1_LATENCY };
	pthread_mutex_init(&x->lock, NULL);
	return &x->document;
}

void ml_open_samples_close(struct ml_document *d)
{
	struct ml_open_samples *x = (struct ml_open_samples *)d;

	while (x->table) {
		struct ml_open_table *older = x->table->older;

		ml_open_table_close(x->table);
		x->table = older;
	}
	pthread_mutex_destroy(&x->lock);
	ml_free(x->columns);
	ml_free(x);
}

struct ml_open_samples *ml_open_samples(struct ml_workspace *ws, uint64_t number,
					struct ml_err *err)
{
	return (struct ml_open_samples *)ml_workspace_document(ws, "samples", number,
							       err);
}

struct ml_open_table *ml_open_samples_table(struct ml_open_samples *x)
{
	pthread_mutex_lock(&x->lock);
	struct ml_open_table *t = x->table;
	pthread_mutex_unlock(&x->lock);
	return t;
}

static char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(ml_resize(NULL, size), text, size);
}

bool ml_open_samples_read(struct ml_open_samples *x, const struct ml_read_options *o,
			  struct ml_err *err)
{
	struct ml_open_table *t = ml_open_table_open(x->document.path, o, err);

	if (!t)
		return false;
	pthread_mutex_lock(&x->lock);
	t->older = x->table;
	x->table = t;
	ml_free(x->columns);
	x->columns = o->columns ? copy_text(o->columns) : NULL;
	x->l1_latency = o->l1_latency;
	pthread_mutex_unlock(&x->lock);
	return true;
}

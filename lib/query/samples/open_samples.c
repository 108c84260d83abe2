#include "lib/query/samples/open_samples.h"

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/query/workspace/workspace.h"
#include "lib/samples/read_samples.h"

struct ml_document *ml_open_samples_open(struct ml_workspace *ws, const char *path,
					 struct ml_err *err)
{
	struct ml_open_samples *x = ml_resize(NULL, sizeof(*x));

	*x = (struct ml_open_samples){ .document.workspace = ws };
	if (!ml_samples_open(&x->s, path, NULL, NULL, err)) {
		ml_free(x);
		return NULL;
	}
	x->document.path = x->s.path;
	pthread_mutex_init(&x->lock, NULL);
	return &x->document;
}

void ml_open_samples_close(struct ml_document *d)
{
	struct ml_open_samples *x = (struct ml_open_samples *)d;

	for (size_t i = 0; i < x->bin_count; i++)
		ml_bins_release(&x->bins[i].bins);
	pthread_mutex_destroy(&x->lock);
	ml_samples_close(&x->s);
	ml_free(x);
}

struct ml_open_samples *ml_open_samples(struct ml_workspace *ws, uint64_t number,
					struct ml_err *err)
{
	return (struct ml_open_samples *)ml_workspace_document(ws, "samples", number,
							       err);
}

const struct ml_bins *ml_open_samples_bins(struct ml_open_samples *x, size_t column,
					   size_t bins, struct ml_err *err)
{
	const struct ml_bins *found = NULL;

	pthread_mutex_lock(&x->lock);
	for (size_t i = 0; i < x->bin_count && !found; i++)
		if (x->bins[i].column == column && x->bins[i].asked == bins)
			found = &x->bins[i].bins;
	if (!found && x->bin_count < ML_OPEN_BINS) {
		struct ml_open_bins *to = &x->bins[x->bin_count++];

		to->column = column;
		to->asked = bins;
		ml_bins_init(&to->bins, &x->s, column, bins);
		found = &to->bins;
	}
	pthread_mutex_unlock(&x->lock);
	if (!found)
		ml_fail(err, ML_USAGE, "more than %d columns were cut into bins",
			ML_OPEN_BINS);
	return found;
}

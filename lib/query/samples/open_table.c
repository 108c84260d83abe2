#include "lib/query/samples/open_table.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/query/samples/log_bins.h"
#include "lib/query/samples/resource_text.h"
#include "lib/query/samples/row_groups.h"
#include "lib/samples/loads.h"
#include "lib/samples/read/read_samples.h"

struct ml_open_table *
ml_open_table_open(const char *path, const struct ml_read_options *o, struct ml_err *err)
{
	struct ml_open_table *t = ml_resize(NULL, sizeof(*t));

	*t = (struct ml_open_table){ 0 };
	if (!ml_samples_open(&t->s, path, o, NULL, err)) {
		ml_free(t);
		return NULL;
	}
	t->loads = ml_arena_alloc(&t->arena, sizeof(*t->loads));
	if (!ml_loads_map_init(t->loads, &t->s, &t->arena, &t->no_loads))
		t->loads = NULL;
	pthread_mutex_init(&t->lock, NULL);
	return t;
}

void ml_open_table_close(struct ml_open_table *t)
{
	for (size_t i = 0; i < ML_OPEN_BINS; i++)
		ml_bins_release(&t->bins[i].bins);
	for (size_t i = 0; i < ML_OPEN_SELECTIONS; i++) {
		ml_free(t->kept[i].text);
		ml_free(t->kept[i].words);
	}
	for (size_t i = 0; i < ML_OPEN_GROUPS && t->groups[i]; i++) {
		ml_row_groups_release(t->groups[i]);
		ml_free(t->groups[i]);
	}
	pthread_mutex_destroy(&t->lock);
	ml_arena_release(&t->arena);
	ml_samples_close(&t->s);
	ml_free(t);
}

/* The bins that are there, or else a place for them: free, or not used for longest. */
static struct ml_open_bins *find_bins(struct ml_open_table *t, size_t column, size_t bins,
				      bool log)
{
	struct ml_open_bins *place = NULL;

	for (size_t i = 0; i < ML_OPEN_BINS; i++) {
		struct ml_open_bins *b = &t->bins[i];

		if (b->bins.cells && b->column == column && b->asked == bins &&
		    b->log == log)
			return b;
		if (!b->users && (!place || b->used < place->used))
			place = b;
	}
	return place;
}

const struct ml_bins *ml_open_table_bins(struct ml_open_table *t, size_t column,
					 size_t bins, bool log,
					 struct ml_taken_bins *taken, struct ml_err *err)
{
	taken->table = t;
	if (taken->count == ML_OPEN_TAKEN) {
		ml_fail(err, ML_USAGE, "a request may use %d columns", ML_OPEN_TAKEN);
		return NULL;
	}
	pthread_mutex_lock(&t->lock);
	struct ml_open_bins *b = find_bins(t, column, bins, log);
	if (b && (!b->bins.cells || b->column != column || b->asked != bins ||
		  b->log != log)) {
		ml_bins_release(&b->bins);
		(log ? ml_log_bins_init : ml_bins_init)(&b->bins, &t->s, column, bins);
		b->column = column;
		b->asked = bins;
		b->log = log;
	}
	if (b) {
		b->users++;
		b->used = ++t->clock;
		taken->list[taken->count++] = b;
	}
	pthread_mutex_unlock(&t->lock);
	if (!b)
		ml_fail(err, ML_USAGE, "%d columns are in use at once", ML_OPEN_BINS);
	return b ? &b->bins : NULL;
}

void ml_taken_bins_give(struct ml_taken_bins *taken)
{
	if (!taken->count)
		return;
	pthread_mutex_lock(&taken->table->lock);
	while (taken->count)
		taken->list[--taken->count]->users--;
	pthread_mutex_unlock(&taken->table->lock);
}

static void keep_selection(struct ml_open_table *t, const char *text,
			   const struct ml_selection *sel)
{
	size_t size = ml_selection_words(sel->rows) * sizeof(*sel->words);
	struct ml_open_selection *to = &t->kept[0];

	for (size_t i = 1; i < ML_OPEN_SELECTIONS; i++)
		if (t->kept[i].used < to->used)
			to = &t->kept[i];
	ml_free(to->text);
	to->text = memcpy(ml_resize(NULL, strlen(text) + 1), text, strlen(text) + 1);
	to->words = ml_resize(to->words, size + 1);
	memcpy(to->words, sel->words, size);
	to->used = ++t->clock;
}

bool ml_open_table_select(struct ml_open_table *t, const char *text,
			  struct ml_selection *sel, struct ml_arena *a,
			  struct ml_err *err)
{
	bool found = false;

	if (!text || !*text)
		return ml_selection_parse(sel, &t->s, NULL, a, err);
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < ML_OPEN_SELECTIONS && !found; i++)
		if (t->kept[i].text && !strcmp(t->kept[i].text, text)) {
			*sel = ml_selection_none(t->s.rows, a);
			memcpy(sel->words, t->kept[i].words,
			       ml_selection_words(t->s.rows) * sizeof(*sel->words));
			t->kept[i].used = ++t->clock;
			found = true;
		}
	pthread_mutex_unlock(&t->lock);
	if (found)
		return true;
	const char *expanded = ml_resource_expand(text, &t->s, a, err);
	if (!expanded || !ml_selection_parse(sel, &t->s, expanded, a, err))
		return false;
	pthread_mutex_lock(&t->lock);
	keep_selection(t, text, sel);
	pthread_mutex_unlock(&t->lock);
	return true;
}

const struct ml_row_groups *ml_open_table_groups(struct ml_open_table *t, int first,
						 int second)
{
	struct ml_row_groups *g = NULL;

	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < ML_OPEN_GROUPS && !g; i++) {
		if (!t->groups[i]) {
			t->groups[i] = ml_resize(NULL, sizeof(*g));
			ml_row_groups_init(t->groups[i], &t->s, first, second);
		}
		if (t->groups[i]->first == first && t->groups[i]->second == second)
			g = t->groups[i];
	}
	pthread_mutex_unlock(&t->lock);
	return g;
}

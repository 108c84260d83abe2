#include "lib/query/trace/open/open_cycles.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/query/workspace/request.h"
#include "lib/trace/trace.h"

void ml_open_cycles_init(struct ml_open_cycles_cache *c)
{
	*c = (struct ml_open_cycles_cache){ .lock = PTHREAD_MUTEX_INITIALIZER };
}

static void drop(struct ml_open_cycles *o)
{
	if (!o)
		return;
	ml_cycles_release(&o->cycles);
	ml_trace_windows_release(&o->windows);
	ml_free(o->key);
	ml_free(o);
}

void ml_open_cycles_release(struct ml_open_cycles_cache *c)
{
	for (size_t i = 0; i < ML_OPEN_CYCLES; i++)
		drop(c->kept[i]);
	pthread_mutex_destroy(&c->lock);
}

static bool read_by(const struct ml_request *q, enum ml_cycles_by *by, struct ml_err *err)
{
	const char *text = ml_request_text(q, "by");

	*by = ML_CYCLES_BY_SITE;
	if (!text)
		return true;
	for (; ml_cycles_by_names[*by]; (*by)++)
		if (!strcmp(ml_cycles_by_names[*by], text))
			return true;
	return ml_fail(err, ML_USAGE, "by=%s is none of site, region, line, address",
		       text);
}

/* The window in which cycles are looked for is called after and before: from and to are
 * the one that is shown. */
static bool read_options(const struct ml_request *q, uint64_t end,
			 struct ml_trace_windows_options *o, struct ml_err *err)
{
	uint64_t width, thread;

	*o = (struct ml_trace_windows_options){ .region = ml_request_text(q, "region"),
						.func = ml_request_text(q, "func") };
	if (!ml_request_u64(q, "window", 10, &width, err) || !read_by(q, &o->by, err) ||
	    !ml_request_u64(q, "after", 0, &o->from, err) ||
	    !ml_request_u64(q, "before", end, &o->to, err) ||
	    !ml_request_u64(q, "every", 1, &o->every, err) ||
	    !ml_request_u64(q, "thread", 0, &thread, err))
		return false;
	if (width < ML_WINDOW_MIN || width > ML_WINDOW_MAX)
		return ml_fail(err, ML_USAGE, "window=%llu is not in %d to %d",
			       (unsigned long long)width, ML_WINDOW_MIN, ML_WINDOW_MAX);
	if (thread > UINT16_MAX)
		return ml_fail(err, ML_USAGE, "thread=%llu is no thread",
			       (unsigned long long)thread);
	o->width = (uint32_t)width;
	o->thread = (uint16_t)thread;
	return true;
}

static char *key_of(const struct ml_trace_windows_options *o, struct ml_arena *a)
{
	return ml_arena_printf(a, "%u %d %llu %llu %llu %u %s\n%s", o->width, (int)o->by,
			       (unsigned long long)o->from, (unsigned long long)o->to,
			       (unsigned long long)o->every, o->thread,
			       o->region ? o->region : "", o->func ? o->func : "");
}

static struct ml_open_cycles *find(struct ml_open_cycles_cache *c, struct ml_trace *t,
				   const struct ml_request *q,
				   const struct ml_trace_windows_options *o,
				   const char *key, struct ml_err *err)
{
	size_t oldest = 0;

	for (size_t i = 0; i < ML_OPEN_CYCLES; i++) {
		if (c->kept[i] && !strcmp(c->kept[i]->key, key))
			return c->kept[i];
		if (!c->kept[i] ||
		    (c->kept[oldest] && c->kept[i]->used < c->kept[oldest]->used))
			oldest = i;
	}
	struct ml_open_cycles *n = ml_resize(NULL, sizeof(*n));

	memset(n, 0, sizeof(*n));
	if (!ml_trace_windows_init(&n->windows, t, o, &q->work, err)) {
		ml_free(n);
		return NULL;
	}
	if (!ml_cycles_init(&n->cycles, &n->windows.windows, n->windows.symbol_count,
			    NULL, &q->work, err)) {
		ml_trace_windows_release(&n->windows);
		ml_free(n);
		return NULL;
	}
	n->key = ml_resize(NULL, strlen(key) + 1);
	memcpy(n->key, key, strlen(key) + 1);
	drop(c->kept[oldest]);
	c->kept[oldest] = n;
	return n;
}

struct ml_open_cycles *ml_open_cycles_take(struct ml_open_cycles_cache *c,
					   struct ml_trace *t, const struct ml_request *q,
					   struct ml_err *err)
{
	struct ml_trace_windows_options o;
	struct ml_arena a = { 0 };

	if (!read_options(q, t->count, &o, err))
		return NULL;
	pthread_mutex_lock(&c->lock);
	struct ml_open_cycles *found = find(c, t, q, &o, key_of(&o, &a), err);

	if (found)
		found->used = ++c->requests;
	else
		pthread_mutex_unlock(&c->lock);
	ml_arena_release(&a);
	return found;
}

void ml_open_cycles_give(struct ml_open_cycles_cache *c)
{
	pthread_mutex_unlock(&c->lock);
}

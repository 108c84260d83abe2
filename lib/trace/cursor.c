#include <string.h>

#include "lib/base/pool.h"
#include "lib/base/search.h"
#include "lib/trace/chunk/chunk.h"
#include "lib/trace/format.h"
#include "lib/trace/trace.h"

/* Columns that a decoder fills, with room for the four extra that it may write. */
struct store {
	struct ml_columns columns;
	void *memory;
};

static void store_init(struct store *s, size_t room)
{
	room = (room + 4 + 63) & ~(size_t)63;
	char *at = s->memory = ml_resize(NULL, room * 20);
	s->columns.addr = (uint64_t *)(void *)at;
	s->columns.site = (uint32_t *)(void *)(at + 8 * room);
	s->columns.caller = (uint32_t *)(void *)(at + 12 * room);
	s->columns.thread = (uint16_t *)(void *)(at + 16 * room);
	s->columns.what = (uint16_t *)(void *)(at + 18 * room);
	s->columns.step = NULL;
}

static struct ml_batch slice(const struct ml_columns *c, uint64_t time, size_t first,
			     size_t count)
{
	return (struct ml_batch){ time + first,      count,
				  c->addr + first,   c->site + first,
				  c->caller + first, c->thread + first,
				  c->what + first };
}

/* The chunk that holds a time; chunk_count if the time is beyond the end. */
static size_t chunk_at(const struct ml_trace *t, uint64_t time)
{
	if (time >= t->count)
		return t->chunk_count;
	return ml_search_last(t->chunks, t->chunk_count, sizeof(*t->chunks),
			      offsetof(struct ml_chunk, time), time);
}

typedef bool start_fn(struct ml_decoder *d, const uint8_t *data, size_t size,
		      uint64_t count, struct ml_err *err);

static bool start_chunk(const struct ml_trace *t, struct ml_decoder *d, size_t chunk,
			start_fn *start, struct ml_err *err)
{
	const struct ml_chunk *c = &t->chunks[chunk];
	struct ml_block_header h;
	const uint8_t *payload;

	if (!ml_trace_payload(t, c->offset, &h, &payload, err))
		return false;
	if (h.type != ML_BLOCK_REFS || h.count != c->count)
		return ml_fail(err, ML_FORMAT,
			       "%s: byte %llu: the index and the chunk disagree", t->path,
			       (unsigned long long)c->offset);
	return start(d, payload, h.size, h.count, err);
}

static bool next_columns(const struct ml_trace *t, struct ml_decoder *d, size_t chunk,
			 struct ml_columns *out, size_t room, size_t *count,
			 struct ml_err *err)
{
	struct ml_err why;

	return ml_decoder_next(d, out, room, count, &why) ||
	       ml_fail(err, ML_FORMAT, "%s: byte %llu: %s", t->path,
		       (unsigned long long)t->chunks[chunk].offset, why.text);
}

/* The time of the first gap after `at`, or `end` if that is earlier. */
static uint64_t until_gap(const struct ml_trace *t, uint64_t at, uint64_t end)
{
	const struct ml_gap *gaps = t->tables.gaps.at;
	size_t count = t->tables.gaps.count;
	size_t next = ml_search_above(gaps, count, sizeof(*gaps),
				      offsetof(struct ml_gap, time), at);

	return next < count && gaps[next].time < end ? gaps[next].time : end;
}

struct ml_cursor {
	const struct ml_trace *trace;
	struct ml_decoder *decoder;
	struct store store;
	uint64_t at, to;     /* the next batch starts at `at`; the walk ends at `to` */
	uint64_t first, end; /* the store holds times [first, end) */
	size_t chunk;        /* the chunk being decoded, or the next one */
	bool inside;         /* of a chunk: decoding has begun */
};

struct ml_cursor *ml_cursor_open(const struct ml_trace *t, uint64_t from, uint64_t to)
{
	struct ml_cursor *c = ml_resize(NULL, sizeof(*c));

	*c = (struct ml_cursor){ .trace = t,
				 .at = from,
				 .to = to < t->count ? to : t->count };
	c->decoder = ml_decoder_open(&t->shapes, t->tables.sites.count);
	c->chunk = chunk_at(t, from);
	store_init(&c->store, ML_BATCH);
	return c;
}

void ml_cursor_seek(struct ml_cursor *c, uint64_t from, uint64_t to)
{
	size_t chunk = chunk_at(c->trace, from);

	c->at = from;
	c->to = to < c->trace->count ? to : c->trace->count;
	if (c->inside && chunk == c->chunk && from >= c->first)
		return;
	c->inside = false;
	c->chunk = chunk;
	c->first = c->end = 0;
}

void ml_cursor_close(struct ml_cursor *c)
{
	ml_decoder_close(c->decoder);
	ml_free(c->store.memory);
	ml_free(c);
}

/* Decodes until the store holds time `at`. */
static bool refill(struct ml_cursor *c, struct ml_err *err)
{
	while (c->end <= c->at) {
		size_t count;

		if (!c->inside) {
			if (!start_chunk(c->trace, c->decoder, c->chunk, ml_decoder_start,
					 err))
				return false;
			c->end = c->trace->chunks[c->chunk].time;
			c->inside = true;
		}
		if (!next_columns(c->trace, c->decoder, c->chunk, &c->store.columns,
				  ML_BATCH, &count, err))
			return false;
		c->first = c->end;
		c->end += count;
		if (!count) {
			c->inside = false;
			c->chunk++;
		}
	}
	return true;
}

bool ml_cursor_next(struct ml_cursor *c, struct ml_batch *batch, struct ml_err *err)
{
	err->kind = ML_OK;
	if (c->at >= c->to || !refill(c, err))
		return false;
	uint64_t end = until_gap(c->trace, c->at, c->end < c->to ? c->end : c->to);
	*batch = slice(&c->store.columns, c->first, (size_t)(c->at - c->first),
		       (size_t)(end - c->at));
	c->at = end;
	return true;
}

/*
 * Read-ahead: a ring of jobs. Each job decodes a whole chunk on a thread of the pool, and
 * the caller's thread passes the chunks to fn in order. The ring bounds the memory.
 */
enum { JOB_ROOM = ML_CHUNK_MAX + 2 * ML_SLOTS_MAX };

struct job {
	const struct ml_trace *trace;
	struct ml_decoder *decoder;
	struct store store;
	size_t chunk, count;
	bool done, ok;
	struct ml_err err;
	pthread_mutex_t *lock;
	pthread_cond_t *ready;
};

static bool decode_chunk(struct job *j)
{
	struct ml_columns at = j->store.columns;
	size_t count;

	j->count = 0;
	if (!start_chunk(j->trace, j->decoder, j->chunk, ml_decoder_start, &j->err))
		return false;
	do {
		if (!next_columns(j->trace, j->decoder, j->chunk, &at,
				  JOB_ROOM - j->count, &count, &j->err))
			return false;
		at.addr += count;
		at.site += count;
		at.caller += count;
		at.thread += count;
		at.what += count;
		j->count += count;
	} while (count);
	return true;
}

static void run_job(void *arg)
{
	struct job *j = arg;
	bool ok = decode_chunk(j);

	pthread_mutex_lock(j->lock);
	j->ok = ok;
	j->done = true;
	pthread_cond_broadcast(j->ready);
	pthread_mutex_unlock(j->lock);
}

struct read_ahead {
	const struct ml_trace *trace;
	uint64_t from, to;
	struct ml_pool pool;
	pthread_mutex_t lock;
	pthread_cond_t ready;
	struct job *jobs;
	unsigned count;
	void (*release)(void *arg); /* or NULL */
};

static void submit(struct read_ahead *a, size_t chunk)
{
	if (chunk >= a->trace->chunk_count || a->trace->chunks[chunk].time >= a->to)
		return;
	struct job *j = &a->jobs[chunk % a->count];
	j->chunk = chunk;
	j->done = false;
	ml_pool_submit(&a->pool, run_job, j);
}

static bool deliver(const struct read_ahead *a, const struct job *j, ml_batch_fn *fn,
		    void *arg, struct ml_err *err)
{
	uint64_t time = a->trace->chunks[j->chunk].time;
	uint64_t end = time + j->count < a->to ? time + j->count : a->to;
	uint64_t at = time > a->from ? time : a->from;

	while (at < end) {
		uint64_t stop = until_gap(a->trace, at,
					  end - at < ML_BATCH ? end : at + ML_BATCH);
		struct ml_batch batch = slice(&j->store.columns, time,
					      (size_t)(at - time), (size_t)(stop - at));

		if (!fn(arg, &batch, err))
			return false;
		at = stop;
	}
	return true;
}

static bool each_decoded(struct read_ahead *a, ml_batch_fn *fn, void *arg,
			 struct ml_err *err)
{
	size_t first = chunk_at(a->trace, a->from);
	bool ok = true;

	for (size_t i = 0; i < a->count; i++)
		submit(a, first + i);
	for (size_t c = first; ok && c < a->trace->chunk_count; c++) {
		struct job *j = &a->jobs[c % a->count];

		if (a->trace->chunks[c].time >= a->to)
			break;
		pthread_mutex_lock(&a->lock);
		while (!j->done)
			pthread_cond_wait(&a->ready, &a->lock);
		pthread_mutex_unlock(&a->lock);
		if (!j->ok)
			*err = j->err;
		ok = j->ok && deliver(a, j, fn, arg, err);
		if (a->release)
			a->release(arg);
		if (ok)
			submit(a, c + a->count);
	}
	ml_pool_wait(&a->pool);
	return ok;
}

static bool each_plain(const struct ml_trace *t, uint64_t from, uint64_t to,
		       ml_batch_fn *fn, void (*release)(void *arg), void *arg,
		       struct ml_err *err)
{
	struct ml_cursor *c = ml_cursor_open(t, from, to);
	struct ml_batch batch;
	bool ok = true;

	while (ok && ml_cursor_next(c, &batch, err)) {
		ok = fn(arg, &batch, err);
		if (release)
			release(arg);
	}
	ml_cursor_close(c);
	return ok && err->kind == ML_OK;
}

bool ml_trace_each(const struct ml_trace *t, uint64_t from, uint64_t to, unsigned threads,
		   ml_batch_fn *fn, void *arg, struct ml_err *err)
{
	return ml_trace_each_kept(t, from, to, threads, fn, NULL, arg, err);
}

bool ml_trace_each_kept(const struct ml_trace *t, uint64_t from, uint64_t to,
			unsigned threads, ml_batch_fn *fn, void (*release)(void *arg),
			void *arg, struct ml_err *err)
{
	struct read_ahead a = { .trace = t,
				.from = from,
				.to = to < t->count ? to : t->count,
				.release = release };

	if (!threads || t->chunk_count < 2)
		return each_plain(t, from, to, fn, release, arg, err);
	a.count = threads + 1; /* one being delivered, the others being decoded */
	a.jobs = ml_resize(NULL, a.count * sizeof(*a.jobs));
	pthread_mutex_init(&a.lock, NULL);
	pthread_cond_init(&a.ready, NULL);
	ml_pool_init(&a.pool, threads);
	for (unsigned i = 0; i < a.count; i++) {
		a.jobs[i] =
			(struct job){ .trace = t, .lock = &a.lock, .ready = &a.ready };
		a.jobs[i].decoder = ml_decoder_open(&t->shapes, t->tables.sites.count);
		store_init(&a.jobs[i].store, JOB_ROOM);
	}
	bool ok = each_decoded(&a, fn, arg, err);
	ml_pool_release(&a.pool);
	for (unsigned i = 0; i < a.count; i++) {
		ml_decoder_close(a.jobs[i].decoder);
		ml_free(a.jobs[i].store.memory);
	}
	pthread_cond_destroy(&a.ready);
	pthread_mutex_destroy(&a.lock);
	ml_free(a.jobs);
	return ok;
}

bool ml_trace_knows_control(const struct ml_trace *t, struct ml_err *err)
{
	return t->control.count ||
	       ml_fail(err, ML_FORMAT,
		       "%s: it is not known which code ran: loops are found in "
		       "recordings under Valgrind by this version of memlamp",
		       t->path);
}

struct ml_step_cursor {
	const struct ml_trace *trace;
	struct ml_decoder *decoder;
	struct store store;
	struct ml_step_at *step; /* room for the steps of a chunk */
	size_t chunk;
	bool inside; /* of a chunk whose references are decoded */
	bool refs;   /* they are to be decoded in any case */
	uint64_t time;
};

struct ml_step_cursor *ml_step_cursor_open(const struct ml_trace *t)
{
	struct ml_step_cursor *c = ml_resize(NULL, sizeof(*c));

	*c = (struct ml_step_cursor){ .trace = t };
	c->decoder = ml_decoder_open(&t->shapes, t->tables.sites.count);
	c->step = ml_resize(NULL, ML_CHUNK_MAX * sizeof(*c->step));
	return c;
}

struct ml_step_cursor *ml_step_cursor_open_refs(const struct ml_trace *t)
{
	struct ml_step_cursor *c = ml_step_cursor_open(t);

	c->refs = true;
	return c;
}

void ml_step_cursor_close(struct ml_step_cursor *c)
{
	ml_decoder_close(c->decoder);
	ml_free(c->store.memory);
	ml_free(c->step);
	ml_free(c);
}

/* Do all references of these steps happen? */
static bool certain(const struct ml_shapes *shapes, const struct ml_step_at *step,
		    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (shapes->path[step[i].path].maybe)
			return false;
	return true;
}

/* The next references of a chunk some of whose references may not have happened. */
static bool next_some(struct ml_step_cursor *c, struct ml_step_batch *b, size_t *count,
		      struct ml_err *err)
{
	if (!c->store.memory)
		store_init(&c->store, ML_BATCH);
	c->store.columns.step = c->step;
	if (!next_columns(c->trace, c->decoder, c->chunk, &c->store.columns, ML_BATCH,
			  count, err))
		return false;
	*b = (struct ml_step_batch){ .time = c->time,
				     .refs = *count,
				     .step = c->step,
				     .steps = c->store.columns.steps,
				     .site = c->store.columns.site,
				     .addr = c->store.columns.addr };
	c->time += *count;
	return true;
}

bool ml_step_cursor_next(struct ml_step_cursor *c, struct ml_step_batch *b,
			 struct ml_err *err)
{
	const struct ml_trace *t = c->trace;
	size_t count;

	err->kind = ML_OK;
	while (c->inside) {
		if (!next_some(c, b, &count, err))
			return false;
		if (count)
			return true;
		c->inside = false;
		c->chunk++;
	}
	if (c->chunk >= t->chunk_count)
		return false;
	if (!c->refs &&
	    (!start_chunk(t, c->decoder, c->chunk, ml_decoder_start_paths, err) ||
	     !ml_decoder_paths(c->decoder, c->step, &count, err)))
		return false;
	if (c->refs || !certain(&t->shapes, c->step, count)) {
		c->inside = true;
		return start_chunk(t, c->decoder, c->chunk, ml_decoder_start, err) &&
		       ml_step_cursor_next(c, b, err);
	}
	*b = (struct ml_step_batch){ .time = c->time,
				     .refs = t->chunks[c->chunk].count,
				     .step = c->step,
				     .steps = count };
	c->time += t->chunks[c->chunk++].count;
	return true;
}

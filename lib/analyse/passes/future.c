#include "lib/analyse/passes/future.h"

#include <assert.h>

#include "lib/analyse/passes/replay_options.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/pool.h"
#include "lib/cache/distance/next_use.h"
#include "lib/cache/machine/policy.h"
#include "lib/cache/engine.h"
#include "lib/cache/distance/spill_file.h"
#include "lib/trace/ref.h"
#include "lib/trace/trace.h"

enum { BLOCK = 1 << 18 }; /* missed lines that are compressed together */

struct level {
	/* NULL: the level needs no hints, or does not have them yet */
	struct ml_next_use *next_use;
	unsigned number; /* from 1 */
	struct ml_hints hints;
};

struct ml_future {
	struct ml_trace *trace;
	const struct ml_replay_options *o; /* only during ml_future_open */
	struct ml_machine machine;
	uint64_t from, to;
	struct level level[ML_LEVELS];
};

bool ml_future_needed(const struct ml_machine *m)
{
	for (unsigned i = 0; i < m->levels; i++)
		if (m->level[i].policy->future)
			return true;
	return false;
}

static bool goes_on(const struct ml_future *f, uint64_t done, struct ml_err *err)
{
	ml_work_progress(f->o->work, "simulating", done, f->to - f->from);
	return ml_work_goes_on(f->o->work, err);
}

static unsigned line_bits(const struct ml_level_spec *l)
{
	return (unsigned)__builtin_ctz(l->line);
}

/* The requests of the first level, from the trace. A block is a chunk of the trace. */
struct asked {
	struct ml_future *f;
	size_t first; /* the chunk that is block 0 */
	uint64_t *line;
	size_t cap, done;
};

static void add_lines(struct asked *a, const struct ml_batch *b, size_t *count)
{
	unsigned bits = line_bits(&a->f->machine.level[0]);
	bool split = a->f->machine.split;

	a->line = ml_grow(a->line, &a->cap, *count + b->count, sizeof(*a->line));
	for (size_t i = 0; i < b->count; i++) {
		unsigned size = ml_what_size(b->what[i]);
		uint64_t last = b->addr[i] + (size ? size - 1 : 0);

		if (split && ml_what_kind(b->what[i]) == ML_FETCH)
			continue;
		if (last < b->addr[i])
			last = UINT64_MAX; /* the address space ends there */
		uint64_t line = b->addr[i] >> bits, more = (last >> bits) - line;
		/* seldom; otherwise the batch fits */
		if (more)
			a->line = ml_grow(a->line, &a->cap,
					  *count + (size_t)more + (b->count - i),
					  sizeof(*a->line));
		for (uint64_t l = 0; l <= more; l++)
			a->line[(*count)++] = line + l;
	}
}

static bool read_asked(void *arg, size_t block, const uint64_t **lines, size_t *count,
		       struct ml_err *err)
{
	struct asked *a = arg;
	const struct ml_chunk *chunk = &a->f->trace->chunks[a->first + block];
	uint64_t from = chunk->time, to = chunk->time + chunk->count;
	struct ml_batch b;

	if (from < a->f->from)
		from = a->f->from;
	if (to > a->f->to)
		to = a->f->to;
	struct ml_cursor *c = ml_cursor_open(a->f->trace, from, to);
	*count = 0;
	while (ml_cursor_next(c, &b, err))
		add_lines(a, &b, count);
	ml_cursor_close(c);
	if (err->kind != ML_OK)
		return false;
	*lines = a->line;
	a->done += (size_t)(to - from);
	return goes_on(a->f, a->done, err);
}

static bool prepare_first(struct ml_future *f, struct ml_err *err)
{
	struct asked a = { .f = f };
	struct ml_next_use_source source = { .arg = &a, .read = read_asked };

	for (size_t i = 0; i < f->trace->chunk_count; i++) {
		const struct ml_chunk *c = &f->trace->chunks[i];

		if (c->time + c->count <= f->from)
			a.first++;
		else if (c->time < f->to)
			source.blocks++;
	}
	bool ok = ml_next_use_open(&f->level[0].next_use, &source, err);
	ml_free(a.line);
	return ok;
}

/*
 * The requests of an outer level: the lines that the levels before it miss. They come in
 * while those levels are simulated, and go to a temporary file, each as its difference
 * from the one before.
 */
struct missed {
	struct ml_future *f;
	struct ml_engine *engine;
	unsigned level; /* the level that gets these requests, from 1 */
	unsigned bits;
	struct ml_spill_file spill;
	struct ml_buf raw;
	uint64_t *line;
	size_t count;
	uint64_t done;
	bool failed;
	struct ml_err err;
};

static void put_missed(struct missed *m)
{
	uint64_t last = 0;

	m->raw.size = 0;
	for (size_t i = 0; i < m->count; i++) {
		ml_buf_zigzag(&m->raw, (int64_t)(m->line[i] - last));
		last = m->line[i];
	}
	if (m->count && !m->failed &&
	    !ml_spill_file_put(&m->spill, m->raw.data, m->raw.size, &m->err))
		m->failed = true;
	m->count = 0;
}

static void note_miss(void *arg, const struct ml_miss *miss)
{
	struct missed *m = arg;

	/* the second level gets the misses of L1i (level 0) too */
	if (miss->level + 1 != m->level && (miss->level || m->level != 2))
		return;
	m->line[m->count++] = miss->line >> m->bits;
	if (m->count == BLOCK)
		put_missed(m);
}

static bool read_missed(void *arg, size_t block, const uint64_t **lines, size_t *count,
			struct ml_err *err)
{
	struct missed *m = arg;
	uint64_t last = 0;

	if (!ml_spill_file_get(&m->spill, block, &m->raw, err))
		return false;
	struct ml_bytes in = { m->raw.data, m->raw.data + m->raw.size, false };
	for (*count = 0; in.at < in.end && *count < BLOCK; ++*count)
		m->line[*count] = last += (uint64_t)ml_bytes_zigzag(&in);
	*lines = m->line;
	return goes_on(m->f, m->done, err);
}

static bool simulate(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct missed *m = arg;
	struct ml_accesses a = {
		.count = b->count, .addr = b->addr, .what = b->what, .site = b->site
	};

	if (!ml_engine_run(m->engine, &a, NULL, err))
		return false;
	if (m->failed) {
		*err = m->err;
		return false;
	}
	m->done += b->count;
	return goes_on(m->f, m->done, err);
}

/* Fills the spill file with the requests of the level, which is 2 or more. */
static bool simulate_before(struct missed *m, struct ml_err *err)
{
	struct ml_observer observer = { .arg = m, .miss = note_miss };
	struct ml_engine_job job = { .threads = 1, .observes = true };
	struct ml_machine before = m->f->machine;
	unsigned cpus = ml_cpus();

	before.levels = m->level - 1;
	before.tlbs = 0;
	m->engine = ml_engine_open(&before, &job, err);
	if (!m->engine)
		return false;
	ml_engine_observe(m->engine, &observer, NULL);
	bool ok = ml_future_attach(m->f, m->engine, err) &&
		  ml_trace_each(m->f->trace, m->f->from, m->f->to, cpus > 1, simulate, m,
				err);
	ml_engine_close(m->engine);
	put_missed(m);
	if (ok && m->failed)
		*err = m->err;
	return ok && !m->failed;
}

static bool prepare_outer(struct ml_future *f, unsigned level, struct ml_err *err)
{
	struct missed m = { .f = f,
			    .level = level,
			    .bits = line_bits(&f->machine.level[level - 1]) };
	struct ml_next_use_source source = { .arg = &m, .read = read_missed };

	if (!ml_spill_file_open(&m.spill, err))
		return false;
	m.line = ml_resize(NULL, BLOCK * sizeof(*m.line));
	bool ok = simulate_before(&m, err);
	source.blocks = m.spill.count;
	ok = ok && ml_next_use_open(&f->level[level - 1].next_use, &source, err);
	ml_spill_file_close(&m.spill);
	ml_buf_release(&m.raw);
	ml_free(m.line);
	return ok;
}

bool ml_future_open(struct ml_future **out, struct ml_trace *t,
		    const struct ml_replay_options *o, struct ml_err *err)
{
	struct ml_future *f = ml_resize(NULL, sizeof(*f));
	bool ok = true;

	assert(o->machine.cores == 1);
	*f = (struct ml_future){ .trace = t, .o = o, .machine = o->machine };
	f->to = o->to && o->to < t->count ? o->to : t->count;
	f->from = o->from < f->to ? o->from : f->to;
	for (unsigned i = 0; ok && i < f->machine.levels; i++) {
		f->level[i].number = i + 1;
		if (f->machine.level[i].policy->future)
			ok = i ? prepare_outer(f, i + 1, err) : prepare_first(f, err);
	}
	f->o = NULL;
	if (!ok) {
		ml_future_close(f);
		return false;
	}
	*out = f;
	return true;
}

void ml_future_close(struct ml_future *f)
{
	for (unsigned i = 0; i < ML_LEVELS; i++)
		if (f->level[i].next_use)
			ml_next_use_close(f->level[i].next_use);
	ml_free(f);
}

static bool fill(void *arg, const uint64_t **hints, size_t *count, struct ml_err *err)
{
	struct level *l = arg;

	if (!ml_next_use_next(l->next_use, hints, count, err))
		return false;
	if (!*count)
		return ml_fail(err, ML_FORMAT,
			       "level %u gets more requests than the %llu that were "
			       "foreseen: the trace has changed",
			       l->number,
			       (unsigned long long)ml_next_use_count(l->next_use));
	return true;
}

bool ml_future_attach(struct ml_future *f, struct ml_engine *e, struct ml_err *err)
{
	for (unsigned i = 0; i < f->machine.levels; i++) {
		struct level *l = &f->level[i];
		struct ml_level_counts c;

		if (!l->next_use)
			continue;
		ml_engine_counts(e, l->number, &c);
		l->hints = (struct ml_hints){ l, fill };
		/* a simulator may come from a file, which may claim any number */
		if (!ml_future_seek(f, l->number, c.asked[0] + c.asked[1] + c.asked[2]))
			return ml_fail(err, ML_FORMAT,
				       "level %u had more requests than were foreseen",
				       l->number);
		ml_engine_hints(e, l->number, &l->hints);
	}
	return true;
}

bool ml_future_seek(struct ml_future *f, unsigned level, uint64_t request)
{
	struct ml_next_use *n = f->level[level - 1].next_use;

	if (request > ml_next_use_count(n))
		return false;
	ml_next_use_seek(n, request);
	return true;
}

bool ml_future_next(struct ml_future *f, unsigned level, const uint64_t **hints,
		    size_t *count, struct ml_err *err)
{
	return fill(&f->level[level - 1], hints, count, err);
}

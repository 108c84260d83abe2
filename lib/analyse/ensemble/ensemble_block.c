#include "lib/analyse/ensemble/ensemble_block.h"

#include <string.h>

#include "lib/analyse/passes/future.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/arena.h"
#include "lib/base/divisor.h"
#include "lib/base/err.h"
#include "lib/trace/trace.h"

void ml_ensemble_block_init(struct ml_ensemble_block *b)
{
	*b = (struct ml_ensemble_block){ 0 };
	b->addr = ml_resize(NULL, ML_ENSEMBLE_BLOCK * sizeof(*b->addr));
	b->site = ml_resize(NULL, ML_ENSEMBLE_BLOCK * sizeof(*b->site));
	b->what = ml_resize(NULL, ML_ENSEMBLE_BLOCK * sizeof(*b->what));
}

void ml_ensemble_block_release(struct ml_ensemble_block *b)
{
	ml_free(b->addr);
	ml_free(b->site);
	ml_free(b->what);
	for (size_t i = 0; i < ML_ENSEMBLE_STREAMS; i++) {
		ml_lines_release(&b->lines[i]);
		ml_lines_release(&b->fewer[i]);
		ml_free(b->hints[i].next);
	}
}

void ml_ensemble_decoder_open(struct ml_ensemble_decoder *d, const struct ml_trace *t,
			      uint64_t from, uint64_t to)
{
	*d = (struct ml_ensemble_decoder){ .trace = t };
	d->cursor = ml_cursor_open(t, from, to);
}

void ml_ensemble_decoder_close(struct ml_ensemble_decoder *d)
{
	for (size_t i = 0; i < d->streams; i++)
		ml_free(d->stream[i].held);
	for (size_t i = 0; i < d->futures; i++)
		ml_future_close(d->future[i].future);
	ml_cursor_close(d->cursor);
}

size_t ml_ensemble_stream(struct ml_ensemble_decoder *d, const struct ml_stack *s)
{
	size_t i = 0;

	while (i < d->streams && d->stream[i].bits != s->bits)
		i++;
	if (i == d->streams)
		d->stream[d->streams++] = (struct ml_ensemble_stream){
			.bits = s->bits, .last = UINT64_MAX, /* no line has this number */
		};
	if (s->sets > 1)
		d->stream[i].sets = (uint32_t)ml_common_divisor(d->stream[i].sets,
								s->sets);
	return i;
}

/*
 * Collects the lines of a block from reference `first` on, without immediate repetitions:
 * every LRU cache hits these, and they change nothing.
 */
static void find_lines(struct ml_ensemble_stream *s, const struct ml_ensemble_block *b,
		       size_t first, struct ml_lines *out)
{
	unsigned bits = s->bits;
	uint64_t last = s->last;
	size_t n = out->count;

	ml_lines_reserve(out, n + (b->count - first) + 1);
	for (size_t i = first; i < b->count; i++) {
		unsigned size = ml_what_size(b->what[i]);
		uint64_t addr = b->addr[i], end = addr + (size ? size - 1 : 0);
		uint64_t line = addr >> bits;

		if (end < addr)
			end = UINT64_MAX; /* the address space ends there */
		out->line[n] = line;
		out->ref[n] = (uint32_t)i;
		n += line != last;
		last = line;
		if (__builtin_expect(end >> bits == line, 1))
			continue;
		ml_lines_reserve(out,
				 n + (size_t)((end >> bits) - line) + (b->count - i) + 1);
		while (last < end >> bits) {
			out->line[n] = ++last;
			out->ref[n++] = (uint32_t)i;
		}
	}
	out->count = n;
	s->last = last;
}

/* Collects the lines of a block that are not the last of their sets. */
static void find_fewer(struct ml_ensemble_stream *s, const struct ml_lines *in,
		       struct ml_lines *out)
{
	bool masked = !(s->sets & (s->sets - 1));
	uint64_t mask = s->sets - 1;
	size_t n = 0;

	if (!s->held) {
		size_t size = s->sets * sizeof(*s->held);

		s->held = memset(ml_resize(NULL, size), 0, size);
	}
	ml_lines_reserve(out, in->count + 1);
	for (size_t i = 0; i < in->count; i++) {
		uint64_t line = in->line[i];
		uint64_t *held = s->held + (masked ? line & mask : line % s->sets);

		out->line[n] = line;
		out->ref[n] = in->ref[i];
		n += *held != line + 1;
		*held = line + 1;
	}
	out->count = n;
}

bool ml_ensemble_foresee(struct ml_ensemble_decoder *d, const struct ml_replay_options *o,
			 struct ml_trace *t, size_t *future, struct ml_err *err)
{
	unsigned bits = (unsigned)__builtin_ctz(o->machine.level[0].line);
	struct ml_replay_options first = *o;

	for (*future = 0; *future < d->futures; ++*future)
		if (d->future[*future].bits == bits)
			return true;
	first.machine.levels = 1;
	struct ml_ensemble_future *f = &d->future[d->futures];
	*f = (struct ml_ensemble_future){ .bits = bits };
	if (!ml_future_open(&f->future, t, &first, err))
		return false;
	d->futures++;
	return true;
}

bool ml_ensemble_future_seek(struct ml_ensemble_decoder *d, size_t future,
			     uint64_t requests)
{
	struct ml_ensemble_future *f = &d->future[future];

	f->requests = requests;
	f->left = 0;
	return ml_future_seek(f->future, 1, requests);
}

static size_t count_requests(const struct ml_ensemble_block *b, unsigned bits)
{
	size_t count = b->count;

	for (size_t i = 0; i < b->count; i++) {
		unsigned size = ml_what_size(b->what[i]);
		uint64_t end = b->addr[i] + (size ? size - 1 : 0);

		if (end < b->addr[i])
			end = UINT64_MAX; /* the address space ends there */
		count += (size_t)((end >> bits) - (b->addr[i] >> bits));
	}
	return count;
}

/* Collects the hints of all lines of a block. */
static bool find_hints(struct ml_ensemble_future *f, const struct ml_ensemble_block *b,
		       struct ml_ensemble_hints *out, struct ml_err *err)
{
	out->count = count_requests(b, f->bits);
	out->next = ml_grow(out->next, &out->cap, out->count, sizeof(*out->next));
	f->requests += out->count;
	for (size_t done = 0; done < out->count;) {
		if (!f->left && !ml_future_next(f->future, 1, &f->hint, &f->left, err))
			return false;
		size_t n = out->count - done < f->left ? out->count - done : f->left;
		memcpy(out->next + done, f->hint, n * sizeof(*out->next));
		f->hint += n;
		f->left -= n;
		done += n;
	}
	return true;
}

static void add_batch(struct ml_ensemble_decoder *d, struct ml_ensemble_block *b)
{
	size_t n = d->batch.count - d->used, first = b->count;

	if (n > ML_ENSEMBLE_BLOCK - first)
		n = ML_ENSEMBLE_BLOCK - first;
	memcpy(b->addr + first, d->batch.addr + d->used, n * sizeof(*b->addr));
	memcpy(b->site + first, d->batch.site + d->used, n * sizeof(*b->site));
	memcpy(b->what + first, d->batch.what + d->used, n * sizeof(*b->what));
	b->count += n;
	d->used += n;
	for (size_t i = 0; i < d->streams; i++)
		find_lines(&d->stream[i], b, first, &b->lines[i]);
}

bool ml_ensemble_decode(struct ml_ensemble_decoder *d, struct ml_ensemble_block *b,
			struct ml_err *err)
{
	b->count = 0;
	for (size_t i = 0; i < d->streams; i++)
		b->lines[i].count = 0;
	while (b->count < ML_ENSEMBLE_BLOCK) {
		if (d->used == d->batch.count) {
			d->used = d->batch.count = 0;
			err->kind = ML_OK;
			if (!ml_cursor_next(d->cursor, &d->batch, err)) {
				if (err->kind != ML_OK)
					return false;
				break;
			}
		}
		add_batch(d, b);
	}
	for (size_t i = 0; i < d->streams; i++)
		if (d->stream[i].sets > 1)
			find_fewer(&d->stream[i], &b->lines[i], &b->fewer[i]);
	for (size_t i = 0; i < d->futures; i++)
		if (!find_hints(&d->future[i], b, &b->hints[i], err))
			return false;
	return true;
}

#include "lib/cache/distance/next_use.h"

#include <assert.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/search.h"
#include "lib/cache/distance/spill_file.h"

/*
 * A block in the file: for each position the distance to the next use as 32 bits, 0 for
 * never, stored byte by byte in columns (the high bytes are mostly 0, and a loop repeats
 * the low bytes); then, as 64 bits, the distances of FAR or more.
 */
#define FAR UINT32_MAX

struct ml_next_use {
	/* block i of the stream is block count - 1 - i of the file */
	struct ml_spill_file spill;
	uint64_t *first; /* first position of each block; the last entry is the end */
	size_t blocks;
	uint64_t at; /* the position to be read next */
	struct ml_buf raw;
	uint64_t *next;
	size_t cap;
};

/*
 * The last position of each line: a hash table of groups of neighbouring lines.
 * Neighbours are met together, so most lookups end where the one before did, or in the
 * same cache line of the host.
 */
enum { GROUP_BITS = 2, GROUP = 1 << GROUP_BITS };

struct seen {
	struct group {
		uint64_t key;         /* line number >> GROUP_BITS, + 1; 0 is empty */
		uint64_t last[GROUP]; /* positions counted from the end, from 1 */
	} * at;
	size_t count;
	unsigned bits; /* there are 2^bits groups, unless at is NULL */
	struct group *recent;
};

static struct group *find_group(const struct seen *s, uint64_t key)
{
	size_t mask = ((size_t)1 << s->bits) - 1;
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> (64 - s->bits));

	while (s->at[i].key && s->at[i].key != key)
		i = (i + 1) & mask;
	return &s->at[i];
}

static void widen(struct seen *s)
{
	struct seen old = *s;

	s->bits = old.at ? old.bits + 1 : 8;
	size_t size = sizeof(*s->at) << s->bits;
	s->at = ml_resize(NULL, size);
	memset(s->at, 0, size);
	for (size_t i = 0; old.at && i < (size_t)1 << old.bits; i++)
		if (old.at[i].key)
			*find_group(s, old.at[i].key) = old.at[i];
	ml_free(old.at);
}

static struct group *add_group(struct seen *s, uint64_t key)
{
	if (!s->at || s->count >= (size_t)3 << s->bits >> 2)
		widen(s);
	struct group *g = find_group(s, key);
	if (!g->key) {
		g->key = key;
		s->count++;
	}
	s->recent = g;
	return g;
}

static inline uint64_t *last_of(struct seen *s, uint64_t line)
{
	uint64_t key = (line >> GROUP_BITS) + 1;
	struct group *g = s->recent && s->recent->key == key ? s->recent
							     : add_group(s, key);

	return &g->last[line & (GROUP - 1)];
}

/*
 * The walk backwards. Positions are counted from the end, because the number of lines is
 * not known before the first block has been read.
 */
struct walk {
	struct seen seen;
	uint64_t done;
	uint32_t *distance;
	size_t cap, far_cap;
	uint64_t *far;
};

static bool walk_block(struct ml_next_use *n, struct walk *w, const uint64_t *line,
		       size_t count, struct ml_err *err)
{
	size_t far = 0;

	w->distance = ml_grow(w->distance, &w->cap, count, sizeof(*w->distance));
	for (size_t i = count; i-- > 0;) {
		uint64_t *last = last_of(&w->seen, line[i]);
		uint64_t here = ++w->done, distance = *last ? here - *last : 0;

		*last = here;
		if (distance >= FAR) {
			w->far = ml_grow(w->far, &w->far_cap, far + 1, sizeof(*w->far));
			w->far[far++] = distance;
			distance = FAR;
		}
		w->distance[i] = (uint32_t)distance;
	}
	n->raw.size = 0;
	ml_buf_reserve(&n->raw, 4 * count + 8 * far);
	for (unsigned byte = 0; byte < 4; byte++) {
		uint8_t *plane = n->raw.data + byte * count;

		for (size_t i = 0; i < count; i++)
			plane[i] = (uint8_t)(w->distance[i] >> 8 * byte);
	}
	n->raw.size = 4 * count;
	while (far-- > 0) /* the walk met them backwards */
		ml_buf_u64(&n->raw, w->far[far]);
	return ml_spill_file_put(&n->spill, n->raw.data, n->raw.size, err);
}

static bool walk_back(struct ml_next_use *n, const struct ml_next_use_source *source,
		      struct ml_err *err)
{
	struct walk w = { 0 };
	bool ok = true;

	for (size_t b = source->blocks; ok && b-- > 0;) {
		const uint64_t *line = NULL;
		size_t count = 0;

		ok = source->read(source->arg, b, &line, &count, err) &&
		     walk_block(n, &w, line, count, err);
		n->first[b] = count;
	}
	ml_free(w.seen.at);
	ml_free(w.distance);
	ml_free(w.far);
	uint64_t position = 0;
	for (size_t b = 0; b <= source->blocks; b++) {
		uint64_t count = n->first[b];

		n->first[b] = position;
		position += count;
	}
	return ok;
}

bool ml_next_use_open(struct ml_next_use **out, const struct ml_next_use_source *source,
		      struct ml_err *err)
{
	struct ml_next_use *n = ml_resize(NULL, sizeof(*n));

	*n = (struct ml_next_use){ .blocks = source->blocks };
	n->first = ml_resize(NULL, (n->blocks + 1) * sizeof(*n->first));
	memset(n->first, 0, (n->blocks + 1) * sizeof(*n->first));
	if (!ml_spill_file_open(&n->spill, err) || !walk_back(n, source, err)) {
		ml_next_use_close(n);
		return false;
	}
	*out = n;
	return true;
}

void ml_next_use_close(struct ml_next_use *n)
{
	ml_spill_file_close(&n->spill);
	ml_buf_release(&n->raw);
	ml_free(n->first);
	ml_free(n->next);
	ml_free(n);
}

uint64_t ml_next_use_count(const struct ml_next_use *n)
{
	return n->first[n->blocks];
}

void ml_next_use_seek(struct ml_next_use *n, uint64_t position)
{
	assert(position <= ml_next_use_count(n));
	n->at = position;
}

/* The block that holds a position; the position is not the end. */
static size_t block_of(const struct ml_next_use *n, uint64_t position)
{
	return ml_search_last(n->first, n->blocks, sizeof(*n->first), 0, position);
}

static void unfold(struct ml_next_use *n, uint64_t first, size_t count)
{
	const uint8_t *p = n->raw.data;
	struct ml_bytes far = { p + 4 * count, p + n->raw.size, false };
	uint64_t *next = n->next;

	for (size_t i = 0; i < count; i++) {
		uint32_t d = (uint32_t)p[i] | (uint32_t)p[count + i] << 8 |
			     (uint32_t)p[2 * count + i] << 16 |
			     (uint32_t)p[3 * count + i] << 24;

		next[i] = d ? first + i + d : ML_NEVER_AGAIN;
	}
	if (far.at == far.end)
		return;
	for (size_t i = 0; i < count; i++)
		if (next[i] == first + i + FAR)
			next[i] = first + i + ml_bytes_u64(&far);
}

bool ml_next_use_next(struct ml_next_use *n, const uint64_t **next, size_t *count,
		      struct ml_err *err)
{
	*count = 0;
	if (n->at == ml_next_use_count(n))
		return true;
	size_t b = block_of(n, n->at), all = (size_t)(n->first[b + 1] - n->first[b]);
	if (!ml_spill_file_get(&n->spill, n->blocks - 1 - b, &n->raw, err))
		return false;
	n->next = ml_grow(n->next, &n->cap, all, sizeof(*n->next));
	unfold(n, n->first[b], all);
	*next = n->next + (n->at - n->first[b]);
	*count = (size_t)(n->first[b + 1] - n->at);
	n->at = n->first[b + 1];
	return true;
}

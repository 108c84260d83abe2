#include "lib/analyse/result/result.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"
#include "lib/analyse/result/checkpoint.h"
#include "lib/analyse/passes/replay.h"
#include "lib/analyse/result/result_parts.h"
#include "lib/trace/format.h"
#include "lib/trace/trace.h"

void ml_result_describe(struct ml_result_info *info, const struct ml_trace *t,
			const struct ml_replay_options *o, struct ml_arena *a)
{
	struct ml_buf text = { 0 };
	const char *cores = "";

	*info = (struct ml_result_info){
		.trace_refs = t->count,
		.version = ML_VERSION,
		.want = o->want,
		.interleave = o->interleave,
		.to = o->to && o->to < t->count ? o->to : t->count,
	};
	info->from = o->from < info->to ? o->from : info->to;
	memcpy(info->trace, t->id, sizeof(info->trace));
	ml_machine_print(&o->machine, &text);
	info->machine = ml_arena_copy(a, text.data, text.size);
	ml_buf_release(&text);
	for (size_t i = 0; i < o->core_count; i++)
		cores = ml_arena_printf(a, "%s%s%u:%u", cores, i ? " " : "",
					o->cores[i].thread, o->cores[i].core);
	info->cores = cores;
}

bool ml_result_same(const struct ml_result_info *a, const struct ml_result_info *b)
{
	return !memcmp(a->trace, b->trace, sizeof(a->trace)) &&
	       a->trace_refs == b->trace_refs && !strcmp(a->machine, b->machine) &&
	       !strcmp(a->version, b->version) && a->want == b->want &&
	       a->interleave == b->interleave && a->from == b->from && a->to == b->to &&
	       !strcmp(a->cores, b->cores);
}

bool ml_result_damaged(const struct ml_result *r, uint64_t offset, const char *why,
		       struct ml_err *err)
{
	return ml_fail(err, ML_FORMAT, "%s: byte %llu: %s", r->path,
		       (unsigned long long)offset, why);
}

/* The payload of the block at an offset, its checksum verified. */
static bool payload_at(const struct ml_result *r, uint64_t offset,
		       struct ml_block_header *h, struct ml_bytes *in, struct ml_err *err)
{
	uint64_t left = r->map.size - offset;

	if (left < ML_FORMAT_BLOCK_HEADER ||
	    !ml_format_get_block(r->map.data + offset, h))
		return ml_result_damaged(r, offset, "not a block", err);
	const uint8_t *payload = r->map.data + offset + ML_FORMAT_BLOCK_HEADER;
	if (h->size > left - ML_FORMAT_BLOCK_HEADER)
		return ml_result_damaged(r, offset, "the block is cut off", err);
	if (!ml_format_sum_fits(payload, h->size, h->sum))
		return ml_result_damaged(r, offset, "the block's checksum is wrong", err);
	*in = (struct ml_bytes){ payload, payload + h->size, false };
	return true;
}

/* Unpacks a block into r->raw. */
static bool unpack_at(struct ml_result *r, uint64_t offset, struct ml_block_header *h,
		      struct ml_bytes *in, struct ml_err *err)
{
	struct ml_bytes packed;
	struct ml_err why;

	if (!payload_at(r, offset, h, &packed, err))
		return false;
	uint64_t size = ml_bytes_varint(&packed);
	if (packed.bad || size > ML_RESULT_UNPACKED_MAX)
		return ml_result_damaged(r, offset, "the block is too large", err);
	r->raw.size = 0;
	ml_buf_reserve(&r->raw, size + 1); /* so that data is never NULL */
	if (!ml_unpack(&r->unpacker, packed.at, (size_t)(packed.end - packed.at),
		       r->raw.data, size, &why))
		return ml_result_damaged(r, offset, why.text, err);
	*in = (struct ml_bytes){ r->raw.data, r->raw.data + size, false };
	return true;
}

bool ml_result_unpack(struct ml_result *r, const struct ml_result_block *b, unsigned type,
		      struct ml_bytes *in, struct ml_err *err)
{
	struct ml_block_header h;

	if (!unpack_at(r, b->offset, &h, in, err))
		return false;
	if (h.type != type || h.time != b->position || h.count != b->count)
		return ml_result_damaged(
			r, b->offset, "this is another block than the index says", err);
	return true;
}

static void append(struct ml_result_list *list, const struct ml_result_block *b)
{
	list->at = ml_grow(list->at, &list->cap, list->count + 1, sizeof(*list->at));
	list->at[list->count++] = *b;
}

/* Blocks of a list follow each other without holes; all but the last are full. */
static bool add_block(struct ml_result *r, struct ml_result_list *list,
		      const struct ml_result_block *b, uint64_t full, uint64_t step,
		      struct ml_err *err)
{
	if (b->position != list->count * full * step || !b->count || b->count > full ||
	    (list->count && list->at[list->count - 1].count != full))
		return ml_result_damaged(r, b->offset, "a block does not follow the last",
					 err);
	append(list, b);
	return true;
}

/*
 * Blocks of sites and regions accompany those of outcomes, and have any number of rows.
 */
static bool add_counts(struct ml_result *r, struct ml_result_list *list,
		       const struct ml_result_block *b, struct ml_err *err)
{
	if (b->position != list->count * (uint64_t)ML_RESULT_BLOCK ||
	    b->count > ML_RESULT_BLOCK)
		return ml_result_damaged(r, b->offset, "a block does not follow the last",
					 err);
	append(list, b);
	return true;
}

static bool add_checkpoint(struct ml_result *r, const struct ml_result_block *b,
			   struct ml_err *err)
{
	struct ml_result_list *list = &r->checkpoints;

	if (r->version < ML_RESULT_VERSION)
		return true; /* only the version that wrote a state can use it */
	if ((list->count && b->position <= list->at[list->count - 1].position) ||
	    b->count > ML_CHECKPOINT_STATE)
		return ml_result_damaged(r, b->offset,
					 "a checkpoint does not follow the last", err);
	append(list, b);
	return true;
}

static bool take_info(struct ml_result *r, const struct ml_result_block *b,
		      struct ml_err *err)
{
	struct ml_bytes in;
	struct ml_err why;

	if (!ml_result_unpack(r, b, ML_RESULT_INFO, &in, err))
		return false;
	return ml_result_get_info(&in, &r->info, &r->arena, &why) ||
	       ml_result_damaged(r, b->offset, why.text, err);
}

static bool take_turns(struct ml_result *r, const struct ml_result_block *b,
		       struct ml_err *err)
{
	struct ml_bytes in;
	struct ml_err why;

	if (r->has_turns)
		return ml_result_damaged(r, b->offset, "the turns are there twice", err);
	r->has_turns = true;
	return ml_result_unpack(r, b, ML_RESULT_TURNS, &in, err) &&
	       (ml_result_get_turns(&in, b->count, &r->turns, &why) ||
		ml_result_damaged(r, b->offset, why.text, err));
}

static bool take_profile(struct ml_result *r, const struct ml_result_block *b,
			 struct ml_err *err)
{
	struct ml_bytes in;
	struct ml_err why;

	if (!ml_result_unpack(r, b, ML_RESULT_PROFILE, &in, err))
		return false;
	ml_profile_release(&r->profile);
	r->profile = (struct ml_profile){ 0 };
	if (!ml_result_get_profile(&in, r->version, &r->profile, &why))
		return ml_result_damaged(r, b->offset, why.text, err);
	r->levels = r->profile.machine.levels;
	return true;
}

static bool take_block(struct ml_result *r, uint64_t type,
		       const struct ml_result_block *b, struct ml_err *err)
{
	if (type >= ML_RESULT_SERIES && type < ML_RESULT_SERIES + ML_RESULT_RESOLUTIONS) {
		unsigned bits = ML_RESULT_BIN_BITS +
				ML_RESULT_STEP_BITS * (unsigned)(type - ML_RESULT_SERIES);

		return add_block(r, &r->series[type - ML_RESULT_SERIES], b,
				 ML_RESULT_BINS, (uint64_t)1 << bits, err);
	}
	switch (type) {
	case ML_RESULT_INFO: return take_info(r, b, err);
	case ML_RESULT_PROFILE: return take_profile(r, b, err);
	case ML_RESULT_OUTCOMES:
		r->refs += b->count;
		return add_block(r, &r->outcomes, b, ML_RESULT_BLOCK, 1, err);
	case ML_RESULT_BEYOND: return add_counts(r, &r->beyond, b, err);
	case ML_RESULT_SITES: return add_counts(r, &r->sites, b, err);
	case ML_RESULT_REGIONS: return add_counts(r, &r->regions, b, err);
	case ML_RESULT_ALIKE: return add_counts(r, &r->alike, b, err);
	case ML_RESULT_TURNS: return take_turns(r, b, err);
	case ML_RESULT_CHECKPOINT: return add_checkpoint(r, b, err);
	default: return true; /* a block type of a later memlamp */
	}
}

/*
 * Checks that each resolution covers all references, and that each block of outcomes has
 * its counts.
 */
static bool check_lists(const struct ml_result *r, struct ml_err *err)
{
	bool ok = r->levels && r->info.machine && r->profile.refs == r->refs &&
		  r->sites.count == r->outcomes.count &&
		  r->regions.count == r->outcomes.count &&
		  r->alike.count == r->outcomes.count &&
		  r->beyond.count == (r->version < 6 ? 0 : r->outcomes.count);

	for (unsigned i = 0; ok && i < ML_RESULT_RESOLUTIONS; i++) {
		unsigned bits = ML_RESULT_BIN_BITS + ML_RESULT_STEP_BITS * i;
		const struct ml_result_list *s = &r->series[i];
		uint64_t bins = 0;

		if (s->count)
			bins = (s->count - 1) * (uint64_t)ML_RESULT_BINS +
			       s->at[s->count - 1].count;
		ok = bins ==
		     (r->refs >> bits) + !!(r->refs & (((uint64_t)1 << bits) - 1));
	}
	if (ok && r->turns.count)
		ok = r->turns.at[r->turns.count - 1].to <= r->refs;
	if (ok && r->checkpoints.count)
		ok = r->checkpoints.at[r->checkpoints.count - 1].position <= r->refs;
	return ok || ml_fail(err, ML_FORMAT,
			     "%s: byte %zu: the parts of the result do not fit together",
			     r->path, r->map.size - ML_RESULT_TRAILER);
}

static bool read_index(struct ml_result *r, struct ml_err *err)
{
	const uint64_t trailer = r->map.size - ML_RESULT_TRAILER;
	struct ml_block_header h;
	struct ml_buf index = { 0 };
	struct ml_bytes in;
	uint64_t at;

	if (!ml_result_get_trailer(r->map.data + trailer, &at))
		return ml_result_damaged(r, trailer, "the result is cut off", err);
	if (at >= trailer || !unpack_at(r, at, &h, &in, err))
		return ml_result_damaged(r, trailer,
					 "the index is not where it should be", err);
	if (h.type != ML_RESULT_INDEX)
		return ml_result_damaged(r, at, "this is not the index", err);
	/* copied, as other blocks are unpacked meanwhile */
	ml_buf_put(&index, in.at, (size_t)(in.end - in.at));
	in = (struct ml_bytes){ index.data, index.data + index.size, false };
	bool ok = true;
	for (uint64_t i = 0; ok && i < h.count; i++) {
		uint64_t type = ml_bytes_varint(&in);
		struct ml_result_block b = { .offset = ml_bytes_varint(&in) };

		b.position = ml_bytes_varint(&in);
		b.count = ml_bytes_varint(&in);
		ok = !in.bad && b.offset < at
			     ? take_block(r, type, &b, err)
			     : ml_result_damaged(r, at, "the index is wrong", err);
	}
	ml_buf_release(&index);
	return ok && check_lists(r, err);
}

static bool read_file(struct ml_result *r, struct ml_err *err)
{
	struct ml_bytes in = { r->map.data + 8, r->map.data + ML_RESULT_HEADER, false };

	if (r->map.size < 8 || memcmp(r->map.data, ML_RESULT_MAGIC, 8))
		return ml_fail(err, ML_FORMAT, "%s: not a memlamp result", r->path);
	if (r->map.size < ML_RESULT_HEADER + ML_RESULT_TRAILER)
		return ml_fail(err, ML_FORMAT, "%s: %zu bytes are too few for a result",
			       r->path, r->map.size);
	uint32_t version = r->version = ml_bytes_u32(&in);
	if (version > ML_RESULT_VERSION || version < ML_RESULT_OLDEST)
		return ml_fail(
			err, ML_FORMAT,
			"%s: format version %u is %s than this memlamp, which reads "
			"versions %d to %d",
			r->path, version, version > ML_RESULT_VERSION ? "newer" : "older",
			ML_RESULT_OLDEST, ML_RESULT_VERSION);
	ml_bytes_u32(&in);
	memcpy(r->info.trace, ml_bytes_take(&in, 16), 16);
	ml_bytes_take(&in, 24);
	if (!ml_format_sum_fits(r->map.data, ML_RESULT_HEADER - 8, ml_bytes_u64(&in)))
		return ml_result_damaged(r, 0, "the header's checksum is wrong", err);
	return read_index(r, err);
}

bool ml_result_open(struct ml_result *r, const char *path, struct ml_err *err)
{
	*r = (struct ml_result){ .site_end = UINT64_MAX, .region_end = UINT64_MAX };
	if (!ml_file_map_open(&r->map, path, err))
		return false;
	r->path = ml_arena_strdup(&r->arena, path);
	if (!read_file(r, err)) {
		ml_result_close(r);
		return false;
	}
	return true;
}

void ml_result_close(struct ml_result *r)
{
	struct ml_result_list *lists[] = { &r->outcomes, &r->beyond, &r->sites,
					   &r->regions,  &r->alike,  &r->checkpoints };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		ml_free(lists[i]->at);
	for (unsigned i = 0; i < ML_RESULT_RESOLUTIONS; i++)
		ml_free(r->series[i].at);
	ml_free(r->turns.at);
	ml_free(r->turns.threads);
	ml_profile_release(&r->profile);
	ml_unpacker_release(&r->unpacker);
	ml_buf_release(&r->raw);
	for (size_t i = 0; i < ML_RESULT_DECODED; i++) {
		ml_free(r->decoded[i].outcome);
		ml_free(r->decoded[i].beyond);
	}
	for (size_t i = 0; i < ML_RESULT_PARTS; i++)
		ml_result_rows_release(&r->part[i]);
	ml_arena_release(&r->arena);
	ml_file_map_close(&r->map);
	*r = (struct ml_result){ 0 };
}

/* The entry of a decoded block, else the entry that was used the longest ago. */
static struct ml_result_decoded *decoded(struct ml_result *r, size_t block)
{
	struct ml_result_decoded *oldest = r->decoded;

	for (size_t i = 0; i < ML_RESULT_DECODED; i++) {
		struct ml_result_decoded *d = &r->decoded[i];

		if (d->block == block + 1)
			return d;
		if (d->used < oldest->used)
			oldest = d;
	}
	return oldest;
}

/*
 * The outcomes of a block; NULL: the file is damaged. Valid until the next few blocks
 * have been decoded.
 */
static const uint16_t *decode(struct ml_result *r, size_t block, struct ml_err *err)
{
	const struct ml_result_block *b = &r->outcomes.at[block];
	struct ml_result_decoded *d = decoded(r, block);
	struct ml_bytes in;
	struct ml_err why;

	d->used = ++r->uses;
	if (d->block == block + 1)
		return d->outcome;
	d->block = 0;
	if (!d->outcome)
		d->outcome = ml_resize(NULL, ML_RESULT_BLOCK * sizeof(*d->outcome));
	if (!ml_result_unpack(r, b, ML_RESULT_OUTCOMES, &in, err))
		return NULL;
	if (!ml_result_get_outcomes(&in, d->outcome, b->count, r->levels, &why)) {
		ml_result_damaged(r, b->offset, why.text, err);
		return NULL;
	}
	d->block = block + 1;
	return d->outcome;
}

/* The part of a decoded block that is in [from, to). */
static size_t piece_of(uint64_t from, uint64_t to)
{
	size_t count = ML_RESULT_BLOCK - from % ML_RESULT_BLOCK;

	return count > to - from ? (size_t)(to - from) : count;
}

const uint16_t *ml_result_piece(struct ml_result *r, uint64_t from, uint64_t to,
				size_t *count, struct ml_err *err)
{
	const uint16_t *block = decode(r, (size_t)(from / ML_RESULT_BLOCK), err);

	*count = piece_of(from, to);
	return block ? block + from % ML_RESULT_BLOCK : NULL;
}

/* Beside the outcomes of the block, which nearly all callers want too. */
static const int32_t *decode_beyond(struct ml_result *r, size_t block, struct ml_err *err)
{
	const struct ml_result_block *b = &r->beyond.at[block];
	struct ml_bytes in;
	struct ml_err why;

	if (!decode(r, block, err))
		return NULL;
	struct ml_result_decoded *d = decoded(r, block);
	if (d->beyond_block == block + 1)
		return d->beyond;
	d->beyond_block = 0;
	if (!d->beyond)
		d->beyond = ml_resize(NULL, ML_RESULT_BLOCK * sizeof(*d->beyond));
	if (!ml_result_unpack(r, b, ML_RESULT_BEYOND, &in, err))
		return NULL;
	if (!ml_result_get_beyond(&in, d->beyond, r->outcomes.at[block].count, &why)) {
		ml_result_damaged(r, b->offset, why.text, err);
		return NULL;
	}
	d->beyond_block = block + 1;
	return d->beyond;
}

const int32_t *ml_result_beyond_piece(struct ml_result *r, uint64_t from, uint64_t to,
				      size_t *count, struct ml_err *err)
{
	const int32_t *block = decode_beyond(r, (size_t)(from / ML_RESULT_BLOCK), err);

	*count = piece_of(from, to);
	return block ? block + from % ML_RESULT_BLOCK : NULL;
}

bool ml_result_beyond(struct ml_result *r, uint64_t from, uint64_t to, int32_t *cycles,
		      struct ml_err *err)
{
	assert(from <= to && to <= r->refs);
	if (!r->beyond.count)
		memset(cycles, 0, (to - from) * sizeof(*cycles));
	while (r->beyond.count && from < to) {
		size_t count;
		const int32_t *piece = ml_result_beyond_piece(r, from, to, &count, err);

		if (!piece)
			return false;
		memcpy(cycles, piece, count * sizeof(*cycles));
		cycles += count;
		from += count;
	}
	return true;
}

bool ml_result_outcomes(struct ml_result *r, uint64_t from, uint64_t to,
			uint16_t *outcome, struct ml_err *err)
{
	assert(from <= to && to <= r->refs);
	while (from < to) {
		size_t count;
		const uint16_t *piece = ml_result_piece(r, from, to, &count, err);

		if (!piece)
			return false;
		memcpy(outcome, piece, count * sizeof(*outcome));
		outcome += count;
		from += count;
	}
	return true;
}

/* Reads whether a saved state is whole, and applies it to state unless that is NULL. */
static bool step(struct ml_result *r, const struct ml_result_block *b, bool *whole,
		 struct ml_buf *state, struct ml_err *err)
{
	struct ml_block_header h;
	struct ml_bytes in;
	struct ml_err why;

	if (!payload_at(r, b->offset, &h, &in, err))
		return false;
	*whole = ml_bytes_u8(&in);
	if (h.type != ML_RESULT_CHECKPOINT || h.time != b->position ||
	    h.count != b->count || in.bad)
		return ml_result_damaged(r, b->offset,
					 "this is another checkpoint than the index says",
					 err);
	if (!state)
		return true;
	if (*whole)
		state->size = 0;
	return ml_checkpoint_get(&r->unpacker, in.at, (size_t)(in.end - in.at), b->count,
				 state, &why) ||
	       ml_result_damaged(r, b->offset, why.text, err);
}

bool ml_result_checkpoint(struct ml_result *r, uint64_t position, uint64_t *at,
			  struct ml_buf *state, struct ml_err *err)
{
	const struct ml_result_block *b = r->checkpoints.at;
	size_t above = ml_search_above(b, r->checkpoints.count, sizeof(*b),
				       offsetof(struct ml_result_block, position),
				       position);
	bool whole = false;

	*at = 0;
	state->size = 0;
	if (!above)
		return true;
	size_t first = above;
	do {
		if (!first--)
			return ml_result_damaged(
				r, b->offset, "the first checkpoint is not whole", err);
		if (!step(r, &b[first], &whole, NULL, err))
			return false;
	} while (!whole);
	for (size_t i = first; i < above; i++)
		if (!step(r, &b[i], &whole, state, err))
			return false;
	*at = b[above - 1].position;
	return true;
}

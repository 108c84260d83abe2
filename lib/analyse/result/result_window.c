/* Questions about a window of a result: series, counts by site and region, and rows. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/result/result_counts.h"
#include "lib/analyse/result/result_parts.h"
#include "lib/base/map.h"
#include "lib/trace/trace.h"

/*
 * Counts the serving levels of positions [from, to), which are in one cell, from the
 * outcomes.
 */
static bool add_outcomes(struct ml_result *r, uint64_t from, uint64_t to,
			 struct ml_result_bin *sum, struct ml_err *err)
{
	for (uint64_t at = from; r->beyond.count && at < to;) {
		size_t count;
		const int32_t *piece = ml_result_beyond_piece(r, at, to, &count, err);

		if (!piece)
			return false;
		for (size_t i = 0; i < count; i++)
			sum->beyond += piece[i];
		at += count;
	}
	while (from < to) {
		size_t count;
		const uint16_t *piece = ml_result_piece(r, from, to, &count, err);

		if (!piece)
			return false;
		for (size_t i = 0; i < count; i++)
			sum->served[ml_outcome_served(piece[i])]++;
		from += count;
	}
	return true;
}

/* Bins of one resolution; a block of them is decoded when it is needed. */
struct bins {
	struct ml_result *r;
	unsigned resolution;
	size_t block; /* + 1 */
	struct ml_result_bin bin[ML_RESULT_BINS];
};

static bool bin_at(struct bins *b, uint64_t number, const struct ml_result_bin **bin,
		   struct ml_err *err)
{
	size_t block = (size_t)(number / ML_RESULT_BINS);
	const struct ml_result_block *at = &b->r->series[b->resolution].at[block];
	struct ml_bytes in;
	struct ml_err why;

	if (b->block != block + 1) {
		if (!ml_result_unpack(b->r, at, ML_RESULT_SERIES + b->resolution, &in,
				      err))
			return false;
		if (!ml_result_get_series(&in, b->bin, at->count, b->r->version,
					  b->r->levels, &why))
			return ml_result_damaged(b->r, at->offset, why.text, err);
		b->block = block + 1;
	}
	*bin = &b->bin[number % ML_RESULT_BINS];
	return true;
}

/* Adds whole bins of a resolution; from and to are starts of bins. */
static bool add_bins(struct bins *b, uint64_t from, uint64_t to,
		     struct ml_result_bin *sum, struct ml_err *err)
{
	unsigned bits = ML_RESULT_BIN_BITS + ML_RESULT_STEP_BITS * b->resolution;
	const struct ml_result_bin *bin;

	for (uint64_t i = from >> bits; i < to >> bits; i++) {
		if (!bin_at(b, i, &bin, err))
			return false;
		for (unsigned s = 1; s <= b->r->levels + 1; s++)
			sum->served[s] += bin->served[s];
		sum->beyond += bin->beyond;
	}
	return true;
}

/*
 * Adds any range: whole bins of the widest resolution that fits `width` in the middle,
 * finer bins at both edges, and outcomes where less than the finest bin is left.
 */
static bool add_range(struct bins *bins, unsigned resolutions, uint64_t from, uint64_t to,
		      struct ml_result_bin *sum, struct ml_err *err)
{
	uint64_t low = from, high = to; /* [low, high), in the middle, is done */
	bool any = false;

	for (unsigned r = resolutions; r-- > 0;) {
		unsigned bits = ML_RESULT_BIN_BITS + ML_RESULT_STEP_BITS * r;
		uint64_t mask = ((uint64_t)1 << bits) - 1;
		uint64_t first = (from + mask) & ~mask, end = to & ~mask;

		if (first >= end)
			continue;
		if (!any) {
			if (!add_bins(&bins[r], first, end, sum, err))
				return false;
		} else if (!add_bins(&bins[r], first, low, sum, err) ||
			   !add_bins(&bins[r], high, end, sum, err)) {
			return false;
		}
		low = first;
		high = end;
		any = true;
	}
	if (!any)
		return add_outcomes(bins[0].r, from, to, sum, err);
	return add_outcomes(bins[0].r, from, low, sum, err) &&
	       add_outcomes(bins[0].r, high, to, sum, err);
}

bool ml_result_series(struct ml_result *r, uint64_t from, uint64_t to, size_t cells,
		      struct ml_result_series *s, struct ml_arena *a, struct ml_err *err)
{
	unsigned bits = 0, resolutions = 0;
	bool ok = true;

	assert(from <= to && to <= r->refs && cells);
	*s = (struct ml_result_series){ 0 };
	if (from == to)
		return true;
	while (((to - 1) >> bits) - (from >> bits) >= cells)
		bits++;
	s->width = (uint64_t)1 << bits;
	s->first = from >> bits << bits;
	s->count = (size_t)(((to - 1) >> bits) - (from >> bits) + 1);
	s->cell = ml_arena_alloc(a, s->count * sizeof(*s->cell));
	while (resolutions < ML_RESULT_RESOLUTIONS &&
	       bits >= ML_RESULT_BIN_BITS + ML_RESULT_STEP_BITS * resolutions)
		resolutions++;
	struct bins *bins = ml_resize(NULL, (resolutions + 1) * sizeof(*bins));
	for (unsigned i = 0; i <= resolutions; i++) {
		bins[i].r = r;
		bins[i].resolution = i;
		bins[i].block = 0;
	}
	for (size_t i = 0; ok && i < s->count; i++) {
		uint64_t start = s->first + i * s->width, end = start + s->width;

		ok = add_range(bins, resolutions, start > from ? start : from,
			       end < to ? end : to, &s->cell[i], err);
	}
	ml_free(bins);
	return ok;
}

static int by_id(const void *a, const void *b)
{
	uint32_t x = ((const struct ml_result_count *)a)->id;
	uint32_t y = ((const struct ml_result_count *)b)->id;

	return (x > y) - (x < y);
}

/* Sums by id. */
struct sums {
	struct ml_result_counts rows;
	struct ml_map index; /* row of an id */
	struct ml_result_counts block;
};

static uint64_t *sum_of(struct sums *s, uint32_t id)
{
	bool is_new;
	uint64_t *row = ml_map_add(&s->index, id, &is_new);

	if (is_new) {
		struct ml_result_counts *c = &s->rows;

		c->at = ml_grow(c->at, &c->cap, c->count + 1, sizeof(*c->at));
		*row = c->count;
		c->at[c->count++].id = id;
	}
	return s->rows.at[*row].served;
}

/* Sorts the rows and moves them into the arena. */
static void settle(struct sums *s, struct ml_result_counts *c, struct ml_arena *a)
{
	struct ml_result_counts *rows = &s->rows;

	if (rows->count) {
		qsort(rows->at, rows->count, sizeof(*rows->at), by_id);
		c->at = ml_arena_alloc(a, rows->count * sizeof(*c->at));
		memcpy(c->at, rows->at, rows->count * sizeof(*c->at));
		c->count = rows->count;
	}
	ml_free(rows->at);
	ml_free(s->block.at);
	ml_map_release(&s->index);
}

static bool add_blocks(struct ml_result *r, const struct ml_result_list *list,
		       unsigned type, uint64_t ids, size_t first, size_t end,
		       struct sums *sums, struct ml_err *err)
{
	struct ml_result_counts *block = &sums->block;

	for (size_t i = first; i < end; i++) {
		const struct ml_result_block *b = &list->at[i];
		struct ml_bytes in;
		struct ml_err why;

		block->count = 0;
		if (!ml_result_unpack(r, b, type, &in, err))
			return false;
		if (!ml_result_get_counts(&in, b->count, r->levels, ids, block, &why))
			return ml_result_damaged(r, b->offset, why.text, err);
		for (size_t k = 0; k < block->count; k++) {
			uint64_t *sum = sum_of(sums, block->at[k].id);

			for (unsigned s = 1; s <= r->levels + 1; s++)
				sum[s] += block->at[k].served[s];
		}
	}
	return true;
}

/* Counts the sites of [from, to), from the outcomes and the trace. */
static bool add_edge(struct ml_result *r, const struct ml_trace *t, uint64_t from,
		     uint64_t to, struct sums *sums, struct ml_err *err)
{
	struct ml_cursor *c = ml_cursor_open(t, r->info.from + from, r->info.from + to);
	struct ml_batch b;
	uint16_t outcome[ML_BATCH];
	bool ok = true;

	err->kind = ML_OK;
	while (ok && from < to && ml_cursor_next(c, &b, err)) {
		ok = ml_result_outcomes(r, from, from + b.count, outcome, err);
		for (size_t i = 0; ok && i < b.count; i++)
			sum_of(sums,
			       b.caller[i] ? b.caller[i]
					   : b.site[i])[ml_outcome_served(outcome[i])]++;
		from += b.count;
	}
	ml_cursor_close(c);
	return ok && err->kind == ML_OK;
}

/* Finds the blocks that lie within [from, to). */
static void whole_blocks(const struct ml_result *r, uint64_t from, uint64_t to,
			 size_t *first, size_t *end)
{
	*first = (size_t)((from + ML_RESULT_BLOCK - 1) / ML_RESULT_BLOCK);
	*end = to == r->refs ? r->outcomes.count : (size_t)(to / ML_RESULT_BLOCK);
	if (*end < *first)
		*end = *first;
}

static uint64_t block_start(const struct ml_result *r, size_t block)
{
	uint64_t position = block * (uint64_t)ML_RESULT_BLOCK;

	return position < r->refs ? position : r->refs;
}

bool ml_result_sites(struct ml_result *r, const struct ml_trace *t, uint64_t from,
		     uint64_t to, struct ml_result_counts *c, struct ml_arena *a,
		     struct ml_err *err)
{
	struct sums sums = { 0 };
	size_t first, end;
	bool ok = true;

	assert(from <= to && to <= r->refs);
	whole_blocks(r, from, to, &first, &end);
	*c = (struct ml_result_counts){ .from = block_start(r, first),
					.to = block_start(r, end) };
	if (t && !r->profile.interleaved) {
		if (first == end)
			ok = add_edge(r, t, from, to, &sums, err);
		else
			ok = add_edge(r, t, from, c->from, &sums, err) &&
			     add_edge(r, t, c->to, to, &sums, err);
		c->from = from;
		c->to = to;
	}
	ok = ok && add_blocks(r, &r->sites, ML_RESULT_SITES, r->site_end, first, end,
			      &sums, err);
	settle(&sums, c, a);
	return ok;
}

bool ml_result_regions(struct ml_result *r, uint64_t from, uint64_t to,
		       struct ml_result_counts *c, struct ml_arena *a, struct ml_err *err)
{
	struct sums sums = { 0 };
	size_t first, end;

	assert(from <= to && to <= r->refs);
	whole_blocks(r, from, to, &first, &end);
	*c = (struct ml_result_counts){ .from = block_start(r, first),
					.to = block_start(r, end) };
	bool ok = add_blocks(r, &r->regions, ML_RESULT_REGIONS, r->region_end, first, end,
			     &sums, err);
	settle(&sums, c, a);
	return ok;
}

/* Decodes all parts of a block together. */
static bool read_parts(struct ml_result *r, size_t block, struct ml_err *err)
{
	const struct ml_result_block *b = &r->alike.at[block];
	struct ml_bytes in;
	struct ml_err why;

	r->part_block = 0;
	if (!ml_result_unpack(r, b, ML_RESULT_ALIKE, &in, err))
		return false;
	for (unsigned i = 0; i < ML_RESULT_PARTS; i++) {
		r->part[i].count = 0;
		if (i < b->count &&
		    !ml_result_rows_get(&in, &r->part[i], r->version, r->levels,
					r->site_end, r->region_end, &why))
			return ml_result_damaged(r, b->offset, why.text, err);
	}
	if (in.at != in.end)
		return ml_result_damaged(r, b->offset, "the rows have the wrong size",
					 err);
	r->part_block = block + 1;
	return true;
}

bool ml_result_alike(struct ml_result *r, uint64_t position,
		     const struct ml_result_row **rows, size_t *count, struct ml_err *err)
{
	size_t block = (size_t)(position / ML_RESULT_BLOCK);
	size_t part = (size_t)(position % ML_RESULT_BLOCK / ML_RESULT_PART);

	if (r->part_block != block + 1 && !read_parts(r, block, err))
		return false;
	*rows = r->part[part].row;
	*count = r->part[part].count;
	return true;
}

/*
 * References that are alike: counted while a result is written, as bytes, and read
 * again. They answer who did what in a long window without going over its references.
 */
#include "lib/analyse/result/result_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyse/result/result_parts.h"
#include "lib/cache/access.h"

enum { SLOTS = 1 << 10 }; /* at first */

static uint64_t place_of(const struct ml_result_row *r)
{
	return (uint64_t)r->site << 32 | r->region;
}

static uint64_t nature_of(const struct ml_result_row *r)
{
	return (uint64_t)r->thread << 32 | (uint64_t)r->kind << 16 | r->outcome;
}

static size_t hash(const struct ml_result_row *r)
{
	uint64_t h = (place_of(r) ^ nature_of(r) * 0x9e3779b97f4a7c15u) *
		     0xff51afd7ed558ccdu;

	return (size_t)(h >> 32);
}

/* The slot that has it, or the empty one where it belongs. */
static uint32_t *slot_of(const struct ml_result_rows *x, const struct ml_result_row *r)
{
	size_t at = hash(r) & (x->slots - 1);

	while (x->slot[at]) {
		const struct ml_result_row *other = &x->row[x->slot[at] - 1];

		if (place_of(other) == place_of(r) && nature_of(other) == nature_of(r))
			break;
		at = (at + 1) & (x->slots - 1);
	}
	return &x->slot[at];
}

static void make_room(struct ml_result_rows *x)
{
	x->slots = x->slots ? 2 * x->slots : SLOTS;
	x->slot = ml_resize(x->slot, x->slots * sizeof(*x->slot));
	memset(x->slot, 0, x->slots * sizeof(*x->slot));
	for (size_t i = 0; i < x->count; i++)
		*slot_of(x, &x->row[i]) = (uint32_t)i + 1;
}

void ml_result_rows_add(struct ml_result_rows *x, const struct ml_result_row *r)
{
	if (2 * x->count >= x->slots)
		make_room(x);
	uint32_t *slot = slot_of(x, r);
	if (*slot) {
		x->row[*slot - 1].count++;
		return;
	}
	x->row = ml_grow(x->row, &x->cap, x->count + 1, sizeof(*x->row));
	x->row[x->count] = *r;
	x->row[x->count].count = 1;
	*slot = (uint32_t)++x->count;
}

static int in_order(const void *a, const void *b)
{
	const struct ml_result_row *x = a, *y = b;

	if (place_of(x) != place_of(y))
		return place_of(x) < place_of(y) ? -1 : 1;
	return (nature_of(x) > nature_of(y)) - (nature_of(x) < nature_of(y));
}

static uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

void ml_result_rows_put(struct ml_result_rows *x, struct ml_buf *out)
{
	uint32_t site = 0, region = 0;

	qsort(x->row, x->count, sizeof(*x->row), in_order);
	ml_buf_varint(out, x->count);
	for (size_t i = 0; i < x->count; site = x->row[i++].site)
		ml_buf_varint(out, x->row[i].site - site);
	for (size_t i = 0; i < x->count; region = x->row[i++].region)
		ml_buf_varint(out, zigzag((int64_t)x->row[i].region - region));
	for (size_t i = 0; i < x->count; i++)
		ml_buf_varint(out, x->row[i].thread);
	for (size_t i = 0; i < x->count; i++)
		ml_buf_varint(out, x->row[i].kind);
	for (size_t i = 0; i < x->count; i++)
		ml_buf_varint(out, x->row[i].outcome);
	for (size_t i = 0; i < x->count; i++)
		ml_buf_varint(out, x->row[i].count);
	x->count = 0;
	memset(x->slot, 0, x->slots * sizeof(*x->slot));
}

static bool is_row(const struct ml_result_row *r, unsigned levels)
{
	unsigned served = ml_outcome_served(r->outcome);

	for (unsigned k = 1; k <= ML_LEVELS; k++)
		if (ml_outcome_cause(r->outcome, k) >= ML_CAUSES)
			return false;
	return served >= 1 && served <= levels + 1 && r->kind < 3;
}

static bool get_rows(struct ml_bytes *in, struct ml_result_rows *x, unsigned levels,
		     struct ml_err *err)
{
	uint64_t count = ml_bytes_varint(in), site = 0, references = 0;
	int64_t region = 0;

	if (in->bad || count > ML_RESULT_PART || count > (size_t)(in->end - in->at))
		return ml_fail(err, ML_FORMAT, "the rows are cut off");
	x->row = ml_grow(x->row, &x->cap, count, sizeof(*x->row));
	x->count = (size_t)count;
	for (size_t i = 0; i < count; i++)
		x->row[i].site = (uint32_t)(site += ml_bytes_varint(in));
	for (size_t i = 0; i < count; i++)
		x->row[i].region = (uint32_t)(region += unzigzag(ml_bytes_varint(in)));
	for (size_t i = 0; i < count; i++)
		x->row[i].thread = (uint16_t)ml_bytes_varint(in);
	for (size_t i = 0; i < count; i++)
		x->row[i].kind = (uint32_t)ml_bytes_varint(in);
	for (size_t i = 0; i < count; i++)
		x->row[i].outcome = (uint16_t)ml_bytes_varint(in);
	for (size_t i = 0; i < count; i++)
		references += x->row[i].count = (uint32_t)ml_bytes_varint(in);
	if (in->bad || references > ML_RESULT_PART)
		return ml_fail(err, ML_FORMAT, "the rows have another size");
	for (size_t i = 0; i < count; i++)
		if (!is_row(&x->row[i], levels))
			return ml_fail(err, ML_FORMAT, "a row is of no reference");
	return true;
}

/* All parts of a block are decoded together. */
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
		if (i < b->count && !get_rows(&in, &r->part[i], r->levels, &why))
			return ml_result_damaged(r, b->offset, why.text, err);
	}
	if (in.at != in.end)
		return ml_result_damaged(r, b->offset, "the rows have another size", err);
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

void ml_result_rows_release(struct ml_result_rows *x)
{
	ml_free(x->row);
	ml_free(x->slot);
	*x = (struct ml_result_rows){ 0 };
}

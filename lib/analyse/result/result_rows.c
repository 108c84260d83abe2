/*
 * References that are alike: counted while a result is written, stored as bytes, and read
 * again.
 */
#include "lib/analyse/result/result_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/cache/machine/access.h"

enum { SLOTS = 1 << 10 }; /* initial number */

enum { CYCLES_BITS = 50 };

void ml_result_put_cycles(struct ml_buf *out, int64_t cycles)
{
	ml_buf_zigzag(out, cycles);
}

int64_t ml_result_get_cycles(struct ml_bytes *in)
{
	int64_t v = ml_bytes_zigzag(in), most = (int64_t)1 << CYCLES_BITS;

	in->bad |= v > most || v < -most;
	return in->bad ? 0 : v;
}

static uint64_t place_of(const struct ml_result_row *r)
{
	return (uint64_t)r->site << 32 | r->region;
}

static uint64_t nature_of(const struct ml_result_row *r)
{
	return (uint64_t)r->thread << 32 | (uint64_t)r->kind << 16 | r->outcome;
}

static bool is_like(const struct ml_result_row *a, const struct ml_result_row *b)
{
	return place_of(a) == place_of(b) && nature_of(a) == nature_of(b);
}

static size_t hash(const struct ml_result_row *r)
{
	uint64_t h = (place_of(r) ^ nature_of(r) * 0x9e3779b97f4a7c15u) *
		     0xff51afd7ed558ccdu;

	return (size_t)(h >> 32);
}

/* The slot of a row, or the empty one where it belongs. */
static uint32_t *slot_of(const struct ml_result_rows *x, const struct ml_result_row *r)
{
	size_t at = hash(r) & (x->slots - 1);

	while (x->slot[at]) {
		const struct ml_result_row *other = &x->row[x->slot[at] - 1];

		if (is_like(other, r))
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
	/* an instruction mostly does what it did the last time */
	uint32_t *recent = &x->recent[r->site % ML_RESULT_RECENT];
	if (*recent < x->count && is_like(&x->row[*recent], r)) {
		x->row[*recent].count++;
		x->row[*recent].beyond += r->beyond;
		return;
	}
	if (2 * x->count >= x->slots)
		make_room(x);
	uint32_t *slot = slot_of(x, r);
	if (*slot) {
		*recent = *slot - 1;
		x->row[*recent].count++;
		x->row[*recent].beyond += r->beyond;
		return;
	}
	*recent = (uint32_t)x->count;
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

void ml_result_rows_put(struct ml_result_rows *x, struct ml_buf *out)
{
	uint32_t site = 0, region = 0;

	qsort(x->row, x->count, sizeof(*x->row), in_order);
	ml_buf_varint(out, x->count);
	for (size_t i = 0; i < x->count; site = x->row[i++].site)
		ml_buf_varint(out, x->row[i].site - site);
	for (size_t i = 0; i < x->count; region = x->row[i++].region)
		ml_buf_zigzag(out, (int64_t)x->row[i].region - region);
	for (size_t i = 0; i < x->count; i++)
		ml_buf_varint(out, x->row[i].thread);
	for (size_t i = 0; i < x->count; i++)
		ml_buf_varint(out, x->row[i].kind);
	for (size_t i = 0; i < x->count; i++)
		ml_buf_varint(out, x->row[i].outcome);
	for (size_t i = 0; i < x->count; i++)
		ml_buf_varint(out, x->row[i].count);
	for (size_t i = 0; i < x->count; i++)
		ml_result_put_cycles(out, x->row[i].beyond);
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

bool ml_result_rows_get(struct ml_bytes *in, struct ml_result_rows *x, uint32_t version,
			unsigned levels, uint64_t site_end, uint64_t region_end,
			struct ml_err *err)
{
	uint64_t count = ml_bytes_varint(in), site = 0, region = 0, references = 0;

	if (in->bad || count > ML_RESULT_PART || count > (size_t)(in->end - in->at))
		return ml_fail(err, ML_FORMAT, "the rows are cut off");
	x->row = ml_grow(x->row, &x->cap, count, sizeof(*x->row));
	x->count = (size_t)count;
	for (size_t i = 0; i < count; i++)
		x->row[i].site = (uint32_t)(site += ml_bytes_varint(in));
	for (size_t i = 0; i < count; i++)
		x->row[i].region = (uint32_t)(region += (uint64_t)ml_bytes_zigzag(in));
	for (size_t i = 0; i < count; i++)
		x->row[i].thread = (uint16_t)ml_bytes_varint(in);
	for (size_t i = 0; i < count; i++)
		x->row[i].kind = (uint32_t)ml_bytes_varint(in);
	for (size_t i = 0; i < count; i++)
		x->row[i].outcome = (uint16_t)ml_bytes_varint(in);
	for (size_t i = 0; i < count; i++)
		references += x->row[i].count = (uint32_t)ml_bytes_varint(in);
	for (size_t i = 0; i < count; i++)
		x->row[i].beyond = version < 6 ? 0 : ml_result_get_cycles(in);
	if (in->bad || references > ML_RESULT_PART)
		return ml_fail(err, ML_FORMAT, "the rows have the wrong size");
	for (size_t i = 0; i < count; i++)
		if (!is_row(&x->row[i], levels) || x->row[i].site >= site_end ||
		    x->row[i].region >= region_end)
			return ml_fail(err, ML_FORMAT, "a row stands for no reference");
	return true;
}

void ml_result_rows_release(struct ml_result_rows *x)
{
	ml_free(x->row);
	ml_free(x->slot);
	*x = (struct ml_result_rows){ 0 };
}

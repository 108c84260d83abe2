/*
 * Outcomes, counts and series: the columns that a result has for every reference or
 * block.
 */
#include <string.h>

#include "lib/analyse/result/result_counts.h"
#include "lib/analyse/result/result_parts.h"

/*
 * The value that most outcomes have, if there is one (Boyer and Moore's majority vote,
 * over one in 16). The other outcomes are stored as exceptions.
 */
static uint16_t usual(const uint16_t *outcome, size_t count)
{
	uint16_t value = 0;
	size_t votes = 0;

	for (size_t i = 0; i < count; i += 16) {
		if (!votes)
			value = outcome[i];
		votes = outcome[i] == value ? votes + 1 : votes - 1;
	}
	return value;
}

/* The number of usual outcomes from i on. */
static size_t usual_run(const uint16_t *outcome, size_t i, size_t count, uint16_t value)
{
	uint64_t four = value * 0x0001000100010001u, w;
	size_t first = i;

	for (; i + 4 <= count; i += 4) {
		memcpy(&w, outcome + i, 8);
		if (w != four)
			break;
	}
	while (i < count && outcome[i] == value)
		i++;
	return i - first;
}

/* Writes a varint without a call; gap is at most 2^21, and three bytes fit. */
static uint8_t *put_gap(uint8_t *at, size_t gap)
{
	for (; gap >= 128; gap >>= 7)
		*at++ = (uint8_t)(gap | 128);
	*at++ = (uint8_t)gap;
	return at;
}

/*
 * Most references hit the first level. So a block is the usual outcome, followed by the
 * exceptions: for each the number of usual outcomes before it, and its number among the
 * outcomes that occur. Misses of loops come at regular distances, which zstd finds.
 */
void ml_result_put_outcomes(struct ml_buf *out, const uint16_t *outcome, size_t count,
			    uint16_t *number)
{
	struct ml_buf palette = { 0 }, room = { 0 };
	uint16_t value = usual(outcome, count);
	size_t kinds = 0, n = 0;

	ml_buf_reserve(&room, 5 * count);
	uint8_t *low = room.data, *high = low + count, *gaps = high + count, *gap = gaps;
	for (size_t i = 0;; n++) {
		size_t run = usual_run(outcome, i, count, value);

		i += run;
		if (i == count)
			break;
		uint16_t *kind = &number[outcome[i]];
		if (!*kind) {
			*kind = (uint16_t)++kinds; /* below 65536, as one is the usual one
						    */
			ml_buf_varint(&palette, outcome[i]);
		}
		gap = put_gap(gap, run);
		low[n] = (uint8_t)((*kind - 1) & 255);
		high[n] = (uint8_t)((*kind - 1) >> 8);
		i++;
	}
	ml_buf_varint(out, value);
	ml_buf_varint(out, kinds);
	ml_buf_put(out, palette.data, palette.size);
	ml_buf_varint(out, n);
	ml_buf_put(out, gaps, (size_t)(gap - gaps));
	ml_buf_put(out, low, n);
	if (kinds > 256)
		ml_buf_put(out, high, n);
	struct ml_bytes in = { palette.data, palette.data + palette.size, false };
	for (size_t i = 0; i < kinds; i++)
		number[ml_bytes_varint(&in)] = 0;
	ml_buf_release(&palette);
	ml_buf_release(&room);
}

static bool outcome_fits(uint64_t outcome, unsigned levels)
{
	if (outcome > UINT16_MAX)
		return false;
	unsigned served = ml_outcome_served((uint16_t)outcome);
	for (unsigned k = 1; k <= ML_LEVELS; k++)
		if (ml_outcome_cause((uint16_t)outcome, k) >= ML_CAUSES)
			return false;
	return served >= 1 && served <= levels + 1;
}

bool ml_result_get_outcomes(struct ml_bytes *in, uint16_t *outcome, size_t count,
			    unsigned levels, struct ml_err *err)
{
	uint16_t palette[1 << 16];
	uint64_t value = ml_bytes_varint(in), kinds = ml_bytes_varint(in);

	if (in->bad || !outcome_fits(value, levels) || kinds >= 1 << 16)
		return ml_fail(err, ML_FORMAT, "the list of outcomes is invalid");
	for (uint64_t i = 0; i < kinds; i++) {
		uint64_t v = ml_bytes_varint(in);

		if (in->bad || !outcome_fits(v, levels))
			return ml_fail(err, ML_FORMAT, "outcome %llu does not exist",
				       (unsigned long long)v);
		palette[i] = (uint16_t)v;
	}
	uint64_t exceptions = ml_bytes_varint(in);
	if (in->bad || exceptions > count)
		return ml_fail(err, ML_FORMAT, "%llu of %zu outcomes are not the usual",
			       (unsigned long long)exceptions, count);
	/* the columns behind the gaps have fixed sizes */
	size_t wide = kinds > 256 ? 2 : 1;
	if ((size_t)(in->end - in->at) < exceptions * wide)
		return ml_fail(err, ML_FORMAT, "the outcomes are cut off");
	const uint8_t *low = in->end - exceptions * wide;
	const uint8_t *high = kinds > 256 ? low + exceptions : NULL;
	struct ml_bytes gaps = { in->at, low, false };
	size_t at = 0;
	for (uint64_t i = 0; i < exceptions; i++) {
		uint64_t gap = ml_bytes_varint(&gaps);
		unsigned n = low[i] | (high ? high[i] * 256u : 0);

		if (gap >= count - at || n >= kinds)
			return ml_fail(err, ML_FORMAT, "an outcome is not one of the %zu",
				       count);
		for (; gap; gap--)
			outcome[at++] = (uint16_t)value;
		outcome[at++] = palette[n];
	}
	if (gaps.bad || gaps.at != gaps.end)
		return ml_fail(err, ML_FORMAT, "the outcomes have the wrong size");
	while (at < count)
		outcome[at++] = (uint16_t)value;
	return true;
}

void ml_result_put_counts(struct ml_buf *out, const uint32_t *row, size_t stride,
			  const uint32_t *ids, size_t count, unsigned levels)
{
	uint32_t last = 0;

	for (size_t i = 0; i < count; i++) {
		ml_buf_varint(out, ids[i] - last);
		last = ids[i];
	}
	for (unsigned s = 1; s <= levels + 1; s++)
		for (size_t i = 0; i < count; i++)
			ml_buf_varint(out, row[ids[i] * stride + s]);
}

bool ml_result_get_counts(struct ml_bytes *in, size_t count, unsigned levels,
			  uint64_t end, struct ml_result_counts *c, struct ml_err *err)
{
	uint64_t id = 0;

	if (count > (size_t)(in->end - in->at))
		return ml_fail(err, ML_FORMAT, "the counts are cut off");
	c->at = ml_grow(c->at, &c->cap, c->count + count, sizeof(*c->at));
	struct ml_result_count *row = c->at + c->count;
	for (size_t i = 0; i < count; i++) {
		uint64_t more = ml_bytes_varint(in);

		if (more > UINT32_MAX - id || id + more >= end)
			return ml_fail(err, ML_FORMAT, "a number is too large");
		row[i] = (struct ml_result_count){ .id = (uint32_t)(id += more) };
	}
	for (unsigned s = 1; s <= levels + 1; s++)
		for (size_t i = 0; i < count; i++)
			row[i].served[s] = ml_bytes_varint(in);
	if (in->bad || in->at != in->end)
		return ml_fail(err, ML_FORMAT, "the counts have the wrong size");
	c->count += count;
	return true;
}

/* Most references cost what their serving level does: the others are exceptions. */
void ml_result_put_beyond(struct ml_buf *out, const int32_t *cycles, size_t count,
			  int32_t usual)
{
	size_t n = 0, last = 0;

	for (size_t i = 0; i < count; i++)
		n += cycles[i] != usual;
	ml_buf_zigzag(out, usual);
	ml_buf_varint(out, n);
	for (size_t i = 0; n && i < count; i++)
		if (cycles[i] != usual) {
			ml_buf_varint(out, i - last);
			last = i + 1;
		}
	for (size_t i = 0; n && i < count; i++)
		if (cycles[i] != usual)
			ml_buf_zigzag(out, cycles[i]);
}

static bool get_cycles(struct ml_bytes *in, int32_t *cycles)
{
	int64_t v = ml_bytes_zigzag(in);

	*cycles = (int32_t)v;
	return !in->bad && v >= INT32_MIN && v <= INT32_MAX;
}

bool ml_result_get_beyond(struct ml_bytes *in, int32_t *cycles, size_t count,
			  struct ml_err *err)
{
	int32_t usual;
	bool ok = get_cycles(in, &usual);
	uint64_t exceptions = ml_bytes_varint(in), at = 0;

	if (!ok || in->bad || exceptions > count)
		return ml_fail(err, ML_FORMAT, "the list of cycles is invalid");
	for (size_t i = 0; i < count; i++)
		cycles[i] = usual;
	/* the positions, read twice: for the cycles behind them, and for where these go */
	struct ml_bytes gaps = *in;
	for (uint64_t i = 0; i < exceptions; i++)
		ml_bytes_varint(in);
	for (uint64_t i = 0; i < exceptions; i++, at++) {
		uint64_t gap = ml_bytes_varint(&gaps);

		if (in->bad || at >= count || gap >= count - at ||
		    !get_cycles(in, &cycles[at += gap]))
			return ml_fail(err, ML_FORMAT,
				       "the cycles are not of one of the %zu", count);
	}
	return in->at == in->end ||
	       ml_fail(err, ML_FORMAT, "the cycles have the wrong size");
}

void ml_result_put_series(struct ml_buf *out, const struct ml_result_bin *bin,
			  size_t count, unsigned levels)
{
	for (unsigned s = 1; s <= levels + 1; s++)
		for (size_t i = 0; i < count; i++)
			ml_buf_varint(out, bin[i].served[s]);
	for (size_t i = 0; i < count; i++)
		ml_result_put_cycles(out, bin[i].beyond);
}

bool ml_result_get_series(struct ml_bytes *in, struct ml_result_bin *bin, size_t count,
			  uint32_t version, unsigned levels, struct ml_err *err)
{
	memset(bin, 0, count * sizeof(*bin));
	for (unsigned s = 1; s <= levels + 1; s++)
		for (size_t i = 0; i < count; i++)
			bin[i].served[s] = ml_bytes_varint(in);
	for (size_t i = 0; version >= 6 && i < count; i++)
		bin[i].beyond = ml_result_get_cycles(in);
	if (in->bad || in->at != in->end)
		return ml_fail(err, ML_FORMAT, "the series has the wrong size");
	return true;
}

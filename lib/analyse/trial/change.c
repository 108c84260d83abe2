#include "lib/analyse/trial/change.h"

#include "lib/analyse/trial/elements.h"

/*
 * Moved data must not share lines with other data. So they go to addresses that no
 * program uses, different ones for each kind of move. The low bits stay, so that only the
 * move itself changes the sets.
 */
#define SHIFTED ((uint64_t)1 << 50)
#define FIRST   ((uint64_t)1 << 51)
#define SECOND  ((uint64_t)1 << 52)
#define PADDED  ((uint64_t)1 << 53)
#define PACKED  ((uint64_t)1 << 54)
#define SHRUNK  ((uint64_t)1 << 55)
enum { PADDED_BITS = 40, PADDED_BLOCKS = 4096 };

const uint64_t ml_change_packed = PACKED;

static uint64_t padded(const struct ml_change *c, uint64_t offset,
		       const struct ml_change_block *b)
{
	uint64_t room = b->number % PADDED_BLOCKS << PADDED_BITS;
	uint64_t low = b->base & (((uint64_t)1 << (PADDED_BITS - 2)) - 1);

	return PADDED + room + low + offset + offset / c->pitch * c->pad;
}

static uint64_t turned(const struct ml_change *c, uint64_t addr,
		       const struct ml_change_block *b)
{
	uint64_t base = c->size ? c->base : b->base, size = c->size ? c->size : b->size;
	uint64_t rows = size / c->pitch, columns = c->pitch / c->unit;
	uint64_t row = (addr - base) / c->pitch, within = (addr - base) % c->pitch;

	if (addr < base || row >= rows || within >= columns * c->unit)
		return addr;
	return base + (within / c->unit * rows + row) * c->unit + within % c->unit;
}

/* Blocks move closer together as their elements shrink, so they still do not overlap. */
static uint64_t split(const struct ml_change *c, uint64_t offset,
		      const struct ml_change_block *b)
{
	uint64_t element = b->base / c->pitch + offset / c->pitch;
	uint32_t to = c->to[offset % c->pitch];

	if (c->chunk) { /* in the order in which they lie now */
		uint64_t chunk = b->base / c->chunk;

		if (to < c->unit)
			return FIRST + chunk * c->first_chunk + ML_HEAP_HEADER + to;
		return SECOND + chunk * c->second_chunk + ML_HEAP_HEADER + (to - c->unit);
	}
	if (to < c->unit)
		return FIRST + element * c->unit + to;
	return SECOND + element * c->pad + (to - c->unit);
}

/*
 * A reference keeps its size, which is too large now. It is aligned, so that it does not
 * reach into a line that the smaller one would not touch.
 */
static uint64_t shrunk(const struct ml_change *c, uint64_t offset, uint64_t size,
		       const struct ml_change_block *b)
{
	uint64_t element = b->base / c->pitch + offset / c->pitch;
	uint64_t at = element * c->unit + offset % c->pitch * c->unit / c->pitch;

	return SHRUNK + (size && !(size & (size - 1)) ? at & ~(size - 1) : at);
}

uint64_t ml_change_element(uint64_t pitch, uint64_t block, uint64_t offset)
{
	return pitch ? block << 32 | offset / pitch : block;
}

static uint64_t packed(const struct ml_change *c, uint64_t addr, uint64_t offset,
		       const struct ml_change_block *b)
{
	uint32_t number = ml_elements_find(
		c->elements, ml_change_element(c->pitch, b->number, offset));
	uint64_t at = number ? c->places[number] : 0;

	return at ? at + (c->pitch ? offset % c->pitch : offset) : addr;
}

/* Skips the entries of the list before a time. */
static size_t skip(const struct ml_change *c, size_t *at, uint64_t time)
{
	while (*at < c->list_count && c->list[*at] < time)
		++*at;
	return *at;
}

static uint64_t listed(const struct ml_change *c, const struct ml_change_ref *r)
{
	size_t i = skip(c, r->at, r->time);

	return i < c->list_count && c->list[i] == r->time ? c->other[i] : r->addr;
}

static uint64_t mirrored(const struct ml_change *c, const struct ml_change_ref *r,
			 uint64_t offset)
{
	size_t i = skip(c, r->at, r->time + 1);

	if (i % 2 == 0 || offset < c->pitch || offset + r->size > c->unit)
		return r->addr;
	return r->addr - offset + c->pitch + c->unit - offset - r->size;
}

uint64_t ml_change_address(const struct ml_change *c, const struct ml_change_ref *r,
			   const struct ml_change_block *b)
{
	uint64_t offset = r->addr - b->base;

	switch (c->kind) {
	case ML_CHANGE_PAD: return padded(c, offset, b);
	case ML_CHANGE_SHIFT: return SHIFTED + r->addr + c->pad;
	case ML_CHANGE_TURN: return turned(c, r->addr, b);
	case ML_CHANGE_SPLIT: return split(c, offset, b);
	case ML_CHANGE_PACK: return packed(c, r->addr, offset, b);
	case ML_CHANGE_SHRINK: return shrunk(c, offset, r->size, b);
	case ML_CHANGE_LIST: return listed(c, r);
	case ML_CHANGE_MIRROR: return mirrored(c, r, offset);
	case ML_CHANGE_LARGE_PAGES: return PACKED + r->addr / c->pitch * c->unit;
	case ML_CHANGE_NONE:
	case ML_CHANGE_DROP: break;
	}
	return r->addr;
}

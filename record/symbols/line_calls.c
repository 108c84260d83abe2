#include "record/symbols/line_calls.h"

#include <elfutils/libdw.h>
#include <string.h>

#include "record/symbols/code.h"
#include "record/symbols/object.h"

enum { CALL = 0xe8, CALL_SIZE = 5 }; /* call to a place relative to its end */

/* Where the call instruction at p goes, given its address; 0: there is none. */
static uint64_t target(const uint8_t *p, uint64_t vaddr)
{
	int32_t distance;

	if (p[0] != CALL)
		return 0;
	memcpy(&distance, p + 1, sizeof(distance));
	return vaddr + CALL_SIZE + (uint64_t)(int64_t)distance;
}

struct calls {
	struct ml_tables *tables;
	struct ml_object *b;
	uint64_t call, to; /* the call asked for */
	bool allocates;    /* it calls malloc or calloc */
	size_t before, count;
};

/* Compilers turn malloc and a loop that clears into calloc. */
static bool is_allocator(const struct calls *c, uint64_t to)
{
	struct ml_frame frame[ML_FRAMES_MAX];

	if (!ml_object_bytes(c->b, to, 1))
		return false;
	ml_code_frames(c->tables, c->b, to, frame);
	const char *name = ml_tables_text(c->tables, frame[0].func);
	return !strcmp(name, "malloc@plt") || !strcmp(name, "calloc@plt");
}

static bool is_alike(const struct calls *c, uint64_t to)
{
	return to && (to == c->to || (c->allocates && is_allocator(c, to)));
}

static void count_calls(struct calls *c, uint64_t low, uint64_t high)
{
	const uint8_t *p = ml_object_bytes(c->b, low, high - low);

	for (uint64_t at = low; p && at + CALL_SIZE <= high; at++)
		if (is_alike(c, target(p + (at - low), at))) {
			c->before += at < c->call;
			c->count++;
		}
}

static bool find_call(struct calls *c, uint64_t vaddr)
{
	const uint8_t *p;

	for (uint64_t back = 0; back < CALL_SIZE && !c->to; back += CALL_SIZE - 1) {
		c->call = vaddr - back;
		p = ml_object_bytes(c->b, c->call, CALL_SIZE);
		if (p)
			c->to = target(p, c->call);
	}
	return c->to;
}

bool ml_line_calls_find(struct ml_tables *tables, struct ml_object *b, uint64_t vaddr,
			uint32_t line, size_t *number, size_t *count)
{
	struct calls c = { .tables = tables, .b = b };
	const struct ml_symbol *f = ml_object_func(b, vaddr);
	Dwarf_Lines *lines;
	Dwarf_Die unit;
	size_t rows;

	if (!f || !find_call(&c, vaddr) || !ml_code_unit(b, vaddr, &unit) ||
	    dwarf_getsrclines(&unit, &lines, &rows))
		return false;
	c.allocates = is_allocator(&c, c.to);
	for (size_t i = 0; i + 1 < rows; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		Dwarf_Addr low, high;
		int n;

		if (dwarf_lineno(row, &n) || n != (int)line ||
		    dwarf_lineaddr(row, &low) ||
		    dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &high))
			continue;
		low += b->dwarf_bias;
		high += b->dwarf_bias;
		if (low >= f->low && high <= f->high && low < high)
			count_calls(&c, low, high);
	}
	*number = c.before;
	*count = c.count;
	return c.count;
}

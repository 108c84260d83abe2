#include "lib/trace/address_ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"

/* The first range that ends at addr - 1 or later. */
static size_t find(const struct ml_address_ranges *r, uint64_t addr)
{
	size_t low = 0, high = r->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (r->at[middle].last + 1 < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void take_out(struct ml_address_ranges *r, size_t from, size_t to)
{
	memmove(&r->at[from], &r->at[to], (r->count - to) * sizeof(*r->at));
	r->count -= to - from;
}

static void join_closest(struct ml_address_ranges *r)
{
	size_t closest = 1;

	for (size_t i = 2; i < r->count; i++)
		if (r->at[i].first - r->at[i - 1].last <
		    r->at[closest].first - r->at[closest - 1].last)
			closest = i;
	r->at[closest - 1].last = r->at[closest].last;
	take_out(r, closest, closest + 1);
}

void ml_address_ranges_add(struct ml_address_ranges *r, uint64_t addr, uint64_t size)
{
	struct ml_address_range x = { addr, addr + size - 1 };
	size_t from = find(r, addr), to = from;

	if (!size || x.last < addr || x.last == UINT64_MAX)
		return;
	for (; to < r->count && r->at[to].first <= x.last + 1; to++) {
		x.first = r->at[to].first < x.first ? r->at[to].first : x.first;
		x.last = r->at[to].last > x.last ? r->at[to].last : x.last;
	}
	if (to > from) {
		r->at[from] = x;
		take_out(r, from + 1, to);
		return;
	}
	memmove(&r->at[from + 1], &r->at[from], (r->count - from) * sizeof(*r->at));
	r->at[from] = x;
	if (++r->count > ML_ADDRESS_RANGES)
		join_closest(r);
}

bool ml_address_ranges_meets(const struct ml_address_ranges *r, uint64_t addr,
			     uint64_t size)
{
	size_t i = find(r, addr);

	if (i < r->count && r->at[i].last < addr) /* it ends just before */
		i++;
	return size && i < r->count &&
	       (r->at[i].first <= addr || r->at[i].first - addr < size);
}

void ml_address_ranges_print(const struct ml_address_ranges *r, struct ml_buf *out)
{
	for (size_t i = 0; i < r->count; i++)
		ml_buf_printf(out, "%s%llx-%llx", i ? " " : "",
			      (unsigned long long)r->at[i].first,
			      (unsigned long long)r->at[i].last);
}

bool ml_address_ranges_parse(struct ml_address_ranges *r, const char *text)
{
	while (*text) {
		char *end;

		errno = 0;
		uint64_t first = strtoull(text, &end, 16);
		if (end == text || *end != '-' || errno)
			return false;
		text = end + 1;
		uint64_t last = strtoull(text, &end, 16);
		if (end == text || (*end && *end != ' ') || errno || last < first ||
		    last == UINT64_MAX)
			return false;
		ml_address_ranges_add(r, first, last - first + 1);
		text = end + (*end == ' ');
	}
	return true;
}

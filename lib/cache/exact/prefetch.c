#include "lib/cache/exact/prefetch.h"

#include <string.h>

void ml_prefetch_init(struct ml_prefetch *p, const struct ml_level_spec *spec)
{
	*p = (struct ml_prefetch){ .kind = spec->prefetch, .degree = spec->degree };
	while (spec->line >> p->bits > 1)
		p->bits++;
}

static unsigned next_lines(const struct ml_prefetch *p, uint64_t line, uint64_t *lines)
{
	unsigned count = 0;

	for (unsigned k = 1; k <= p->degree && line + k <= UINT64_MAX >> p->bits; k++)
		lines[count++] = line + k;
	return count;
}

static unsigned by_stride(struct ml_prefetch *p, uint64_t addr, uint32_t site,
			  uint64_t *lines)
{
	struct ml_prefetch_stride *s = &p->sites[site % ML_PREFETCH_SITES];
	unsigned count = 0;

	if (!s->seen || s->site != site) {
		*s = (struct ml_prefetch_stride){ .addr = addr, .site = site, .seen = 1 };
		return 0;
	}
	uint64_t stride = addr - s->addr, ahead = addr, last = addr >> p->bits;
	bool again = s->seen == 2 && stride == s->stride && stride;
	s->addr = addr;
	s->stride = stride;
	s->seen = 2;
	for (unsigned k = 0; again && k < p->degree; k++) {
		bool down = stride >> 63;

		if (down ? ahead + stride > ahead : ahead + stride < ahead)
			break; /* beyond the end of the address space */
		ahead += stride;
		if (ahead >> p->bits != last)
			lines[count++] = last = ahead >> p->bits;
	}
	return count;
}

static unsigned by_stream(struct ml_prefetch *p, uint64_t line, uint64_t *lines)
{
	unsigned page_bits = ML_PREFETCH_PAGE_BITS > p->bits
				     ? ML_PREFETCH_PAGE_BITS - p->bits
				     : 0;
	uint64_t page = line >> page_bits;
	unsigned at = 0, count = 0;

	while (at < ML_PREFETCH_PAGES - 1 && p->pages[at].page != page + 1)
		at++;
	struct ml_prefetch_stream s = p->pages[at];
	memmove(p->pages + 1, p->pages, at * sizeof(*p->pages));
	if (s.page != page + 1) {
		p->pages[0] = (struct ml_prefetch_stream){ page + 1, line, 0 };
		return 0;
	}
	uint64_t step = line > s.line ? 1 : line < s.line ? UINT64_MAX : s.step;
	if (line != s.line && step == s.step)
		for (unsigned k = 1; k <= p->degree; k++) {
			uint64_t ahead = line + k * step;

			if (ahead >> page_bits != page)
				break;
			lines[count++] = ahead;
		}
	p->pages[0] = (struct ml_prefetch_stream){ page + 1, line, step };
	return count;
}

unsigned ml_prefetch_ask(struct ml_prefetch *p, uint64_t addr, uint32_t site, bool fresh,
			 uint64_t lines[ML_PREFETCH_DEGREE])
{
	uint64_t line = addr >> p->bits;

	if (p->kind == ML_PREFETCH_STRIDE)
		return by_stride(p, addr, site, lines);
	if (!fresh)
		return 0;
	return p->kind == ML_PREFETCH_NEXT ? next_lines(p, line, lines)
					   : by_stream(p, line, lines);
}

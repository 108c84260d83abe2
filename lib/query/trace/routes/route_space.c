#include <stdlib.h>

#include "lib/base/map.h"
#include "lib/query/trace/routes/route_cells.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/work_shares.h"
#include "lib/query/trace/open/walk.h"
#include "lib/trace/regions/region_lookup.h"

enum {
	PAGE_BITS = 12,
	LINE_BITS = 6, /* stacks are small, and several functions share a page of them */
	APART = 4 << 20,
	ROWS = 256,
	ROWS_MAX = 4096,
	MIN_ROWS = 4,
	STACK_MIN = 32,
};

/* A page of memory, or a line of a stack. */
struct page {
	uint64_t low, size;
	uint64_t refs;
	uint32_t region; /* by vote of the majority: */
	uint64_t majority;
};

struct pages {
	struct ml_open_sim *s;
	const struct ml_work *work;
	bool *stacks; /* by region */
	uint32_t regions;
	struct ml_map index;
	struct page *at;
	size_t count, cap;
	uint64_t seen;
};

static struct page *page_of(struct pages *p, uint64_t key, unsigned bits)
{
	bool is_new;
	uint64_t *at = ml_map_add(&p->index, key << 1 | (bits == LINE_BITS), &is_new);

	if (is_new) {
		*at = p->count;
		p->at = ml_grow(p->at, &p->cap, p->count + 1, sizeof(*p->at));
		p->at[p->count++] = (struct page){ .low = key << bits,
						   .size = (uint64_t)1 << bits };
	}
	return &p->at[*at];
}

static void vote(struct page *page, uint32_t region, uint64_t votes)
{
	if (page->region == region)
		page->majority += votes;
	else if (page->majority >= votes)
		page->majority -= votes;
	else {
		page->region = region;
		page->majority = votes - page->majority;
	}
}

static bool touch(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct pages *p = arg;
	struct page *page = NULL;

	(void)err;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		uint32_t region = w->e.region[i];
		uint64_t addr = w->e.refs->addr[i];
		unsigned bits = region < p->regions && p->stacks[region] ? LINE_BITS
									 : PAGE_BITS;

		if (!page || page->size != (uint64_t)1 << bits ||
		    addr - page->low >= page->size)
			page = page_of(p, addr >> bits, bits);
		page->refs++;
		vote(page, region, 1);
	}
	p->seen += w->e.refs->count;
	return true;
}

static bool walk(void *worker, uint64_t from, uint64_t to, struct ml_err *err)
{
	struct pages *p = worker;

	return ml_walk(p->s, p->work, from, to, 0, touch, p, err);
}

static void merge(struct pages *to, const struct pages *from)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct page *x = &from->at[i];
		unsigned bits = x->size == 1 << LINE_BITS ? LINE_BITS : PAGE_BITS;
		struct page *page = page_of(to, x->low >> bits, bits);

		page->refs += x->refs;
		vote(page, x->region, x->majority);
	}
	to->seen += from->seen;
}

static void find_stacks(struct pages *p, struct ml_arena *a)
{
	const struct ml_region_lookup *space = p->s->trace->summary.space;

	p->regions = ml_region_lookup_regions(space);
	p->stacks = ml_arena_alloc(a, (p->regions + 1) * sizeof(*p->stacks));
	for (uint32_t i = 1; i < p->regions; i++)
		p->stacks[i] = ml_region_lookup_region(space, i)->kind == ML_REGION_STACK;
}

/* All threads' pages, in the first's. */
static bool gather(struct pages *p, const struct ml_work_shares *x, struct ml_err *err)
{
	struct pages each[ML_WORK_SHARES_MAX];
	void *workers[ML_WORK_SHARES_MAX];
	size_t count = ml_work_shares_count(x);

	for (size_t i = 0; i < count; i++) {
		each[i] = *p;
		workers[i] = &each[i];
	}
	bool ok = ml_work_shares_run(x, workers, count, walk, err);
	*p = each[0];
	for (size_t i = 1; i < count; i++) {
		merge(p, &each[i]);
		ml_map_release(&each[i].index);
		ml_free(each[i].at);
	}
	return ok;
}

static int by_address(const void *a, const void *b)
{
	const struct page *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

/* A stretch of the address space without large holes, of pages [first, end). */
struct segment {
	size_t first, end;
	uint64_t low, high;
	size_t rows;
	uint64_t bytes; /* of its pages */
	bool stack;     /* there are lines of one */
};

static size_t cut(const struct pages *p, struct segment *segments)
{
	size_t count = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct page *x = &p->at[i];

		/* a page may have lines of a stack beside it, and ends behind them */
		if (!count || (x->low > segments[count - 1].high &&
			       x->low - segments[count - 1].high > APART))
			segments[count++] = (struct segment){ .first = i, .low = x->low };
		struct segment *s = &segments[count - 1];
		s->end = i + 1;
		s->high = x->low + x->size > s->high ? x->low + x->size : s->high;
		s->bytes += x->size;
		s->stack |= x->size == 1 << LINE_BITS;
	}
	return count;
}

/* The kind of region that most references of a segment go to. */
static const char *name_of(const struct ml_open_trace *t, const struct pages *p,
			   const struct segment *s)
{
	uint64_t refs[ML_REGION_KINDS] = { 0 };
	unsigned best = 0;

	for (size_t i = s->first; i < s->end; i++) {
		enum ml_region_kind kind =
			ml_region_lookup_region(t->summary.space, p->at[i].region)->kind;

		refs[kind] += p->at[i].refs;
		if (refs[kind] > refs[best])
			best = kind;
	}
	return ml_region_kind_name(best);
}

struct rows {
	uint64_t *low, *high;
	double *refs;
	uint32_t *region;
	size_t count;
};

static void fill(struct rows *r, const struct pages *p, const struct segment *s)
{
	uint64_t length = s->high - s->low;
	size_t page = s->first;

	for (size_t i = 0; i < s->rows; i++, r->count++) {
		uint64_t max = 0;

		r->low[r->count] = s->low + length / s->rows * i;
		r->high[r->count] = i + 1 == s->rows
					    ? s->high
					    : s->low + length / s->rows * (i + 1);
		r->region[r->count] = UINT32_MAX;
		for (; page < s->end && p->at[page].low < r->high[r->count]; page++) {
			const struct page *x = &p->at[page];

			r->refs[r->count] += (double)x->refs;
			if (x->refs > max) {
				max = x->refs;
				r->region[r->count] = x->region;
			}
		}
	}
}

static void put(struct ml_answer *a, const struct ml_open_trace *t, const struct pages *p,
		struct segment *segments, size_t count, uint64_t rows)
{
	struct rows r = { 0 };
	double all = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		all += (double)segments[i].bytes;
	for (size_t i = 0; i < count; i++) {
		size_t share = (size_t)((double)rows * (double)segments[i].bytes / all);
		size_t min = segments[i].stack ? STACK_MIN : MIN_ROWS;

		segments[i].rows = share > min ? share : min;
		n += segments[i].rows;
	}
	r.low = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*r.low));
	r.high = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*r.high));
	r.refs = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*r.refs));
	r.region = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*r.region));
	ml_json_key(&a->json, "segments");
	ml_json_array(&a->json);
	for (size_t i = 0; i < count; i++) {
		ml_json_object(&a->json);
		ml_json_key(&a->json, "low");
		ml_json_address(&a->json, segments[i].low);
		ml_json_key(&a->json, "high");
		ml_json_address(&a->json, segments[i].high);
		ml_answer_string(a, "name", name_of(t, p, &segments[i]));
		ml_answer_u64(a, "first", r.count);
		ml_answer_u64(a, "rows", segments[i].rows);
		ml_json_end(&a->json);
		fill(&r, p, &segments[i]);
	}
	ml_json_end(&a->json);
	ml_answer_column(a, "low", ML_TYPE_U64, r.low, r.count);
	ml_answer_column(a, "high", ML_TYPE_U64, r.high, r.count);
	ml_answer_column(a, "references", ML_TYPE_F64, r.refs, r.count);
	ml_answer_column(a, "region", ML_TYPE_U32, r.region, r.count);
}

bool ml_route_space(struct ml_workspace *ws, const struct ml_request *q,
		    struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	struct pages p = { .s = s, .work = &q->work };
	struct ml_work_shares x = { 0 };
	uint64_t rows, hurry;

	if (!s || !ml_request_window(q, s->simulation.result.refs, &x.from, &x.to, err) ||
	    !ml_request_u64(q, "rows", ROWS, &rows, err) ||
	    !ml_request_u64(q, "hurry", 0, &hurry, err))
		return false;
	if (!rows || rows > ROWS_MAX)
		return ml_fail(err, ML_USAGE, "rows is 1 to %d", ROWS_MAX);
	x.hurry = hurry < 1000 ? (unsigned)hurry : 1000;
	if (s->simulation.profile->interleaved && !hurry)
		x.workers = 1;
	find_stacks(&p, &a->arena);
	bool ok = gather(&p, &x, err);
	if (ok) {
		struct segment *segments =
			ml_arena_alloc(&a->arena, (p.count + 1) * sizeof(*segments));

		if (p.count)
			qsort(p.at, p.count, sizeof(*p.at), by_address);
		ml_answer_columns(a);
		ml_answer_u64(a, "from", x.from);
		ml_answer_u64(a, "to", x.to);
		ml_answer_u64(a, "seen", p.seen);
		put(a, s->trace, &p, segments, cut(&p, segments), rows);
	}
	ml_map_release(&p.index);
	ml_free(p.at);
	return ok;
}

#include <stdlib.h>

#include "lib/base/map.h"
#include "lib/query/ask_cells.h"
#include "lib/query/desk_sims.h"
#include "lib/query/walk.h"
#include "lib/trace/space.h"

enum { PAGE_BITS = 12, APART = 4 << 20, ROWS = 256, ROWS_MAX = 4096, LEAST = 4 };

struct page {
	uint64_t number; /* address >> PAGE_BITS */
	uint64_t refs;
	uint32_t region; /* by vote of the majority: */
	uint64_t majority;
	uint8_t served; /* the farthest */
};

struct pages {
	struct ml_map index;
	struct page *at;
	size_t count, cap;
};

static bool touch(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct pages *p = arg;
	uint64_t last = UINT64_MAX;
	struct page *page = NULL;

	(void)err;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		uint64_t number = w->e.refs->addr[i] >> PAGE_BITS;
		uint8_t served = (uint8_t)ml_outcome_served(w->e.outcome[i]);

		if (number != last) {
			bool is_new;
			uint64_t *at = ml_map_add(&p->index, number, &is_new);

			if (is_new) {
				*at = p->count;
				p->at = ml_grow(p->at, &p->cap, p->count + 1,
						sizeof(*p->at));
				p->at[p->count++].number = number;
			}
			page = &p->at[*at];
			last = number;
		}
		page->refs++;
		if (served > page->served)
			page->served = served;
		if (page->region == w->e.region[i])
			page->majority++;
		else if (!page->majority) {
			page->region = w->e.region[i];
			page->majority = 1;
		} else
			page->majority--;
	}
	return true;
}

static int by_number(const void *a, const void *b)
{
	const struct page *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* A stretch of the address space without large holes, of pages [first, end). */
struct segment {
	size_t first, end;
	uint64_t low, high;
	size_t rows;
};

static size_t cut(const struct pages *p, struct segment *segments)
{
	size_t count = 0;

	for (size_t i = 0; i < p->count; i++) {
		uint64_t low = p->at[i].number << PAGE_BITS;

		if (!count || low - segments[count - 1].high > APART)
			segments[count++] = (struct segment){ .first = i, .low = low };
		segments[count - 1].end = i + 1;
		segments[count - 1].high = low + (1 << PAGE_BITS);
	}
	return count;
}

/* The kind of region that most references of a segment go to. */
static const char *name_of(const struct ml_desk_trace *t, const struct pages *p,
			   const struct segment *s)
{
	uint64_t refs[ML_REGION_KINDS] = { 0 };
	unsigned best = 0;

	for (size_t i = s->first; i < s->end; i++) {
		enum ml_region_kind kind =
			ml_space_region(t->summary.space, p->at[i].region)->kind;

		refs[kind] += p->at[i].refs;
		if (refs[kind] > refs[best])
			best = kind;
	}
	return ml_region_kind_name(best);
}

struct rows {
	uint64_t *low, *high;
	double *refs;
	uint8_t *served;
	uint32_t *region;
	size_t count;
};

static void fill(struct rows *r, const struct pages *p, const struct segment *s)
{
	uint64_t length = s->high - s->low;
	size_t page = s->first;

	for (size_t i = 0; i < s->rows; i++, r->count++) {
		uint64_t most = 0;

		r->low[r->count] = s->low + length / s->rows * i;
		r->high[r->count] = i + 1 == s->rows
					    ? s->high
					    : s->low + length / s->rows * (i + 1);
		r->region[r->count] = UINT32_MAX;
		for (;
		     page < s->end && p->at[page].number << PAGE_BITS < r->high[r->count];
		     page++) {
			const struct page *x = &p->at[page];

			r->refs[r->count] += (double)x->refs;
			if (x->served > r->served[r->count])
				r->served[r->count] = x->served;
			if (x->refs > most) {
				most = x->refs;
				r->region[r->count] = x->region;
			}
		}
	}
}

static void put(struct ml_answer *a, const struct ml_desk_trace *t, const struct pages *p,
		struct segment *segments, size_t count, uint64_t rows)
{
	struct rows r = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		size_t pages = segments[i].end - segments[i].first;
		size_t share = (size_t)((double)rows * (double)pages / (double)p->count);

		segments[i].rows = share > LEAST ? share : LEAST;
		n += segments[i].rows;
	}
	r.low = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*r.low));
	r.high = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*r.high));
	r.refs = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*r.refs));
	r.served = ml_arena_alloc(&a->arena, n + 1);
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
	ml_answer_column(a, "served", ML_TYPE_U8, r.served, r.count);
	ml_answer_column(a, "region", ML_TYPE_U32, r.region, r.count);
}

bool ml_ask_space(struct ml_desk *d, const struct ml_ask *q, struct ml_answer *a,
		  struct ml_err *err)
{
	struct ml_desk_sim *s = ml_desk_sim_ready(d, q->number[0], err);
	struct pages p = { 0 };
	uint64_t from, to, rows;

	if (!s || !ml_ask_window(q, s->result.refs, &from, &to, err) ||
	    !ml_ask_u64(q, "rows", ROWS, &rows, err))
		return false;
	if (!rows || rows > ROWS_MAX)
		return ml_fail(err, ML_USAGE, "rows is 1 to %d", ROWS_MAX);
	bool ok = ml_walk(s, from, to, ML_WALK_OUTCOMES, touch, &p, err);
	if (ok) {
		struct segment *segments =
			ml_arena_alloc(&a->arena, (p.count + 1) * sizeof(*segments));

		if (p.count)
			qsort(p.at, p.count, sizeof(*p.at), by_number);
		ml_answer_columns(a);
		ml_answer_u64(a, "from", from);
		ml_answer_u64(a, "to", to);
		put(a, s->trace, &p, segments, cut(&p, segments), rows);
	}
	ml_map_release(&p.index);
	ml_free(p.at);
	return ok;
}

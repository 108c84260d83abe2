/* Histograms of columns, and counts between them: what parallel coordinates draw. */
#include <stdlib.h>
#include <string.h>

#include "lib/query/samples/log_bins.h"
#include "lib/query/samples/route_samples.h"
#include "lib/query/samples/sample_request.h"

static void put_edges(struct ml_answer *a, const struct ml_sample_request *r,
		      size_t column, const struct ml_bins *b, uint64_t asked)
{
	const struct ml_samples_column *c = &r->s->columns[column];
	bool log = ml_sample_request_log(r, column);
	uint64_t low[ML_BINS_MAX];
	char text[ML_SAMPLES_TEXT];

	if (log)
		ml_log_bins_edges(c, (size_t)asked, low);
	ml_json_key_array(&a->json, "edges");
	for (size_t i = 0; i <= b->count; i++)
		ml_json_string(&a->json,
			       ml_samples_text(c,
					       log && i < b->count ? low[i]
								   : ml_bins_low(c, b, i),
					       text));
	ml_json_end(&a->json);
}

static bool answer_histogram(struct ml_sample_request *r, struct ml_answer *a,
			     struct ml_err *err)
{
	const struct ml_bins *b;
	size_t column = 0;

	if (!ml_sample_request_column(r, "column", &column, err) ||
	    !(b = ml_sample_request_bins(r, column, err)))
		return false;
	uint64_t *counts = ml_arena_alloc(&a->arena, (b->count + 1) * sizeof(*counts));
	ml_bins_histogram(b, &r->q.selected, counts);
	ml_answer_columns(a);
	ml_answer_u64(a, "bins", b->count);
	ml_answer_u64(a, "missing", counts[b->count]);
	put_edges(a, r, column, b, r->taken.list[r->taken.count - 1]->asked);
	ml_answer_column(a, "counts", ML_TYPE_U64, counts, b->count);
	return true;
}

bool ml_route_samples_histogram(struct ml_workspace *ws, const struct ml_request *q,
				struct ml_answer *a, struct ml_err *err)
{
	struct ml_sample_request r;
	bool ok = ml_sample_request_read(&r, ws, q, a, err) &&
		  answer_histogram(&r, a, err);

	ml_sample_request_end(&r);
	return ok;
}

/* The pairs of bins that have samples, the strongest last, as they are drawn. */
struct links {
	double *count;
	uint16_t *left, *right;
	size_t size;
};

struct link {
	uint64_t count;
	uint16_t left, right;
};

/*
 * Sorts by count; equal ones stay in their order. Eleven bits at a time, because axes of
 * large tables have tens of thousands of links, and are asked for while a brush moves.
 */
static struct link *sorted(struct link *list, struct link *other, size_t n)
{
	enum { BITS = 11, DIGITS = 1 << BITS };
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all |= list[i].count;
	for (unsigned shift = 0; shift < 64 && all >> shift; shift += BITS) {
		size_t at[DIGITS + 1] = { 0 };

		for (size_t i = 0; i < n; i++)
			at[(list[i].count >> shift) % DIGITS + 1]++;
		for (size_t d = 0; d < DIGITS; d++)
			at[d + 1] += at[d];
		for (size_t i = 0; i < n; i++)
			other[at[(list[i].count >> shift) % DIGITS]++] = list[i];
		struct link *done = other;
		other = list;
		list = done;
	}
	return list;
}

static struct links links_of(size_t cap, struct ml_arena *a)
{
	return (struct links){ .count = ml_arena_alloc(a, (cap + 1) * sizeof(double)),
			       .left = ml_arena_alloc(a, (cap + 1) * sizeof(uint16_t)),
			       .right = ml_arena_alloc(a, (cap + 1) * sizeof(uint16_t)) };
}

static size_t links_in(const uint64_t *all, size_t cells)
{
	size_t n = 0;

	for (size_t i = 0; i < cells; i++)
		n += all[i] != 0;
	return n;
}

/*
 * Adds the strongest pairs of bins of two axes, at most `most`; all[i * wide + j] counts
 * one pair. Both scratches have room for all pairs that have samples.
 */
static void add_links(struct links *to, const uint64_t *all, size_t cells, size_t wide,
		      size_t max, struct link *scratch[2])
{
	struct link *list = scratch[0];
	size_t n = 0;

	for (size_t left = 0; left * wide < cells; left++)
		for (size_t right = 0; right < wide; right++)
			if (all[left * wide + right])
				list[n++] = (struct link){ all[left * wide + right],
							   (uint16_t)left,
							   (uint16_t)right };
	list = sorted(list, scratch[1], n);
	for (size_t i = n > max ? n - max : 0; i < n; i++, to->size++) {
		to->count[to->size] = (double)list[i].count;
		to->left[to->size] = list[i].left;
		to->right[to->size] = list[i].right;
	}
}

static size_t cells_between(const struct ml_bins *x, const struct ml_bins *y)
{
	return (x->count + 1) * (y->count + 1);
}

static bool answer_pairs(struct ml_sample_request *r, struct ml_answer *a,
			 struct ml_err *err)
{
	const struct ml_bins *x, *y;
	size_t left = 0, right = 0;

	if (!ml_sample_request_column(r, "left", &left, err) ||
	    !ml_sample_request_column(r, "right", &right, err) ||
	    !(x = ml_sample_request_bins(r, left, err)) ||
	    !(y = ml_sample_request_bins(r, right, err)))
		return false;
	size_t cells = cells_between(x, y);
	uint64_t *all = ml_arena_alloc(&a->arena, cells * sizeof(*all));
	ml_bins_pairs(x, y, &r->q.selected, all);
	size_t n = links_in(all, cells);
	struct link *scratch[] = { ml_arena_alloc(&a->arena, (n + 1) * sizeof(**scratch)),
				   ml_arena_alloc(&a->arena,
						  (n + 1) * sizeof(**scratch)) };
	struct links l = links_of(n, &a->arena);
	add_links(&l, all, cells, y->count + 1, n, scratch);
	uint64_t *counts = ml_arena_alloc(&a->arena, (l.size + 1) * sizeof(*counts));
	for (size_t i = 0; i < l.size; i++)
		counts[i] = (uint64_t)l.count[i];
	ml_answer_columns(a);
	ml_answer_u64(a, "leftBins", x->count);
	ml_answer_u64(a, "rightBins", y->count);
	ml_answer_column(a, "counts", ML_TYPE_U64, counts, l.size);
	ml_answer_column(a, "left", ML_TYPE_U16, l.left, l.size);
	ml_answer_column(a, "right", ML_TYPE_U16, l.right, l.size);
	return true;
}

bool ml_route_samples_pairs(struct ml_workspace *ws, const struct ml_request *q,
			    struct ml_answer *a, struct ml_err *err)
{
	struct ml_sample_request r;
	bool ok = ml_sample_request_read(&r, ws, q, a, err) && answer_pairs(&r, a, err);

	ml_sample_request_end(&r);
	return ok;
}

/* The axes that a request lists, from left to right. */
struct axes {
	const struct ml_bins *bins[ML_OPEN_TAKEN];
	size_t count;
	size_t cells; /* of all histograms, with those of missing values */
};

static bool read_axes(struct axes *x, struct ml_sample_request *r, struct ml_err *err)
{
	const char *at = ml_request_text(r->request, "columns");

	if (!at || !*at)
		return ml_fail(err, ML_USAGE, "columns=COLUMN,... is missing");
	*x = (struct axes){ 0 };
	for (;;) {
		size_t size = strcspn(at, ","), column = 0;

		if (x->count == ML_OPEN_TAKEN)
			return ml_fail(err, ML_USAGE, "there are at most %d axes",
				       ML_OPEN_TAKEN);
		if (!ml_sample_request_word(r, at, size, &column, err) ||
		    !(x->bins[x->count] = ml_sample_request_bins(r, column, err)))
			return false;
		x->cells += x->bins[x->count++]->count + 1;
		at += size;
		if (!*at++)
			return true;
	}
}

static void put_histograms(struct ml_answer *a, const char *name, const struct axes *x,
			   const uint64_t *counts)
{
	double *reals = ml_arena_alloc(&a->arena, x->cells * sizeof(*reals));

	for (size_t i = 0; i < x->cells; i++)
		reals[i] = (double)counts[i];
	ml_answer_column(a, name, ML_TYPE_F64, reals, x->cells);
}

static int by_size(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/*
 * How many links of each pair are answered, if there are at most `lines` of all: pairs
 * with few links keep all of them, the others share what is left.
 */
static size_t links_a_pair(const size_t *sizes, size_t pairs, uint64_t lines)
{
	size_t sorted_sizes[ML_OPEN_TAKEN];
	uint64_t left = lines;

	memcpy(sorted_sizes, sizes, pairs * sizeof(*sizes));
	qsort(sorted_sizes, pairs, sizeof(*sorted_sizes), by_size);
	for (size_t i = 0; i < pairs; i++) {
		if (sorted_sizes[i] > left / (pairs - i))
			return (size_t)(left / (pairs - i));
		left -= sorted_sizes[i];
	}
	return SIZE_MAX;
}

static void put_links(struct ml_answer *a, const char *const names[4],
		      const struct axes *x, uint64_t *const *pairs, uint64_t lines)
{
	uint32_t *ends = ml_arena_alloc(&a->arena, x->count * sizeof(*ends));
	size_t sizes[ML_OPEN_TAKEN], n = x->count - 1, longest = 0, all = 0, max;

	for (size_t i = 0; i < n; i++) {
		sizes[i] = links_in(pairs[i], cells_between(x->bins[i], x->bins[i + 1]));
		longest = sizes[i] > longest ? sizes[i] : longest;
	}
	max = lines ? links_a_pair(sizes, n, lines) : SIZE_MAX;
	for (size_t i = 0; i < n; i++)
		all += sizes[i] < max ? sizes[i] : max;
	struct links l = links_of(all, &a->arena);
	struct link *scratch[2];
	for (size_t i = 0; i < 2; i++)
		scratch[i] = ml_arena_alloc(&a->arena, (longest + 1) * sizeof(**scratch));
	for (size_t i = 0; i < n; i++) {
		add_links(&l, pairs[i], cells_between(x->bins[i], x->bins[i + 1]),
			  x->bins[i + 1]->count + 1, max, scratch);
		ends[i] = (uint32_t)l.size;
	}
	ml_answer_column(a, names[0], ML_TYPE_U32, ends, n);
	ml_answer_column(a, names[1], ML_TYPE_F64, l.count, l.size);
	ml_answer_column(a, names[2], ML_TYPE_U16, l.left, l.size);
	ml_answer_column(a, names[3], ML_TYPE_U16, l.right, l.size);
}

/* What the answer calls the parts of a selection. */
struct names {
	const char *rows, *histograms, *links[4];
};

static void put_selection(struct ml_answer *a, const struct names *names,
			  const struct axes *x, const struct ml_selection *sel,
			  uint64_t lines)
{
	uint64_t *counts = ml_arena_alloc(&a->arena, x->cells * sizeof(*counts)),
		 *histograms[ML_OPEN_TAKEN], *pairs[ML_OPEN_TAKEN];
	size_t at = 0;

	for (size_t i = 0; i < x->count; at += x->bins[i++]->count + 1)
		histograms[i] = counts + at;
	for (size_t i = 0; i + 1 < x->count; i++)
		pairs[i] = ml_arena_alloc(&a->arena,
					  cells_between(x->bins[i], x->bins[i + 1]) *
						  sizeof(*pairs[i]));
	ml_bins_axes(x->bins, x->count, sel, histograms, pairs);
	ml_answer_u64(a, names->rows, ml_selection_count(sel));
	put_histograms(a, names->histograms, x, counts);
	put_links(a, names->links, x, pairs, lines);
}

static bool answer_axes(struct ml_sample_request *r, struct ml_answer *a,
			struct ml_err *err)
{
	static const struct names selected = { "selected",
					       "histograms",
					       { "ends", "count", "left", "right" } },
				  also = { "also",
					   "alsoHistograms",
					   { "alsoEnds", "alsoCount", "alsoLeft",
					     "alsoRight" } };
	struct axes x;
	uint64_t alone, lines;

	if (!read_axes(&x, r, err) ||
	    !ml_request_u64(r->request, "alone", 0, &alone, err) ||
	    !ml_request_u64(r->request, "lines", 0, &lines, err))
		return false;
	if (alone && !r->has_also)
		return ml_fail(err, ML_USAGE, "alone=1 needs also=SELECTION");
	ml_answer_columns(a);
	ml_answer_u64(a, "rows", r->s->rows);
	ml_json_key_array(&a->json, "bins");
	for (size_t i = 0; i < x.count; i++)
		ml_json_u64(&a->json, x.bins[i]->count);
	ml_json_end(&a->json);
	if (!alone)
		put_selection(a, &selected, &x, &r->q.selected, lines);
	if (r->has_also)
		put_selection(a, &also, &x, &r->also, lines);
	return true;
}

bool ml_route_samples_axes(struct ml_workspace *ws, const struct ml_request *q,
			   struct ml_answer *a, struct ml_err *err)
{
	struct ml_sample_request r;
	bool ok = ml_sample_request_read(&r, ws, q, a, err) && answer_axes(&r, a, err);

	ml_sample_request_end(&r);
	return ok;
}

/*
 * Counts of bins: of one axis, of two, or of a row of axes and their neighbours. Small
 * tables are counted anew each time. Of large ones the counts of some selections are
 * kept; another selection is counted from the kept one that it differs least from, by the
 * rows that joined or left it. All pairs of a row of axes follow the same changes, so
 * that the cells of a column are fetched once.
 */
#include <pthread.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/samples/bins.h"
#include "lib/samples/row_ranges.h"
#include "lib/samples/selection.h"

enum {
	KEEP_FROM = 1 << 16, /* rows; fewer are counted in half a millisecond */
	CELLS_MAX = 1 << 21, /* of counts that are kept */
	AXES_MAX = 64,       /* in a row that is kept */
	STATES = 3,          /* all, the selected, and what the mouse is over */
	ROWS_OF_AXES = 8,    /* that are kept and begin with the same axis */
	LOOKED_AT = 16,      /* of so many words one is compared, to choose a state */
	NEAR = 8,            /* a state that differs by less than a part of so many of all
				rows follows the selection; else another one begins */
	CHANGES = 512,       /* words that are counted at a time */
	AHEAD = 16,          /* of those, fetched ahead */
	ALONE = 1 << 20      /* increments that are not worth a thread */
};

/* What is counted: the bins of one axis, or the pairs of neighbours. */
struct task {
	const struct ml_bins *const *axes;
	size_t n;
	size_t cells; /* of all counts */
};

/* The counts of one selection. */
struct state {
	uint64_t *words;  /* the selection; NULL: free */
	uint64_t *counts; /* of all pairs, one behind the other */
	uint64_t used;    /* when it was used last */
};

struct kept {
	size_t n;
	uint64_t cut[AXES_MAX]; /* of each axis */
	struct state states[STATES];
	uint64_t used;
};

struct ml_bin_memory {
	pthread_mutex_t lock;
	struct kept kept[ROWS_OF_AXES];
	uint64_t clock;
};

struct ml_bin_memory *ml_bin_memory_new(uint64_t rows)
{
	if (rows < KEEP_FROM)
		return NULL;
	struct ml_bin_memory *m = ml_resize(NULL, sizeof(*m));
	*m = (struct ml_bin_memory){ .clock = 1 };
	pthread_mutex_init(&m->lock, NULL);
	return m;
}

static void release_kept(struct kept *k)
{
	for (size_t i = 0; i < STATES; i++) {
		ml_free(k->states[i].words);
		ml_free(k->states[i].counts);
	}
	*k = (struct kept){ 0 };
}

void ml_bin_memory_release(struct ml_bin_memory *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < ROWS_OF_AXES; i++)
		release_kept(&m->kept[i]);
	pthread_mutex_destroy(&m->lock);
	ml_free(m);
}

static size_t pair_cells(const struct ml_bins *a, const struct ml_bins *b)
{
	return (a->count + 1) * (b ? b->count + 1 : 1);
}

static struct task task_of(const struct ml_bins *const *axes, size_t n)
{
	struct task t = { axes, n, 0 };

	for (size_t i = 0; i == 0 || i + 1 < n; i++)
		t.cells += pair_cells(axes[i], n > 1 ? axes[i + 1] : NULL);
	return t;
}

/* Words of rows that joined or left a selection. */
struct change {
	uint64_t word, joined, left;
};

/* Adds `one` (1 or -1) for each row of a word; b is NULL for a single axis. */
static void add_bits(const struct ml_bins *a, const struct ml_bins *b, uint64_t word,
		     uint64_t bits, uint64_t one, uint64_t *counts)
{
	for (; bits; bits &= bits - 1) {
		uint64_t row = word * 64 + (uint64_t)__builtin_ctzll(bits);
		size_t cell = ml_bins_at(a, row);

		counts[b ? cell * (b->count + 1) + ml_bins_at(b, row) : cell] += one;
	}
}

/* The same for two axes with cells of one byte. */
static void add_bytes(const uint8_t *a, const uint8_t *b, size_t stride, uint64_t bits,
		      uint64_t one, uint64_t *counts)
{
	if (bits == UINT64_MAX) {
		for (unsigned i = 0; i < 64; i++)
			counts[a[i] * stride + b[i]] += one;
		return;
	}
	for (; bits; bits &= bits - 1) {
		int i = __builtin_ctzll(bits);

		counts[a[i] * stride + b[i]] += one;
	}
}

static void add_word(const struct ml_bins *a, const struct ml_bins *b, uint64_t word,
		     uint64_t bits, uint64_t one, uint64_t *counts)
{
	if (!bits)
		return;
	if (b && a->width == 1 && b->width == 1)
		add_bytes((const uint8_t *)a->cells + word * 64,
			  (const uint8_t *)b->cells + word * 64, b->count + 1, bits, one,
			  counts);
	else
		add_bits(a, b, word, bits, one, counts);
}

static void fetch(const struct ml_bins *b, uint64_t word)
{
	__builtin_prefetch((const char *)b->cells + word * 64 * b->width);
}

/* The cells of changed words lie apart: they are asked for before they are needed. */
static void add_changes(const struct task *t, const struct change *list, size_t n,
			uint64_t *counts)
{
	for (size_t p = 0; p == 0 || p + 1 < t->n; p++) {
		const struct ml_bins *a = t->axes[p],
				     *b = t->n > 1 ? t->axes[p + 1] : NULL;

		for (size_t i = 0; i < n; i++) {
			if (i + AHEAD < n && p == 0)
				fetch(a, list[i + AHEAD].word);
			if (i + AHEAD < n && b)
				fetch(b, list[i + AHEAD].word);
			add_word(a, b, list[i].word, list[i].joined, 1, counts);
			add_word(a, b, list[i].word, list[i].left, UINT64_MAX, counts);
		}
		counts += pair_cells(a, b);
	}
}

/* A state on its way to another selection, by several threads. */
struct journey {
	const struct task *t;
	const struct ml_selection *sel;
	uint64_t *words; /* of the state; NULL: no row was selected */
	uint64_t *counts;
	pthread_mutex_t lock; /* of counts */
	bool alone;           /* one thread does it all */
};

static void go(void *arg, uint64_t first, uint64_t end)
{
	struct journey *j = arg;
	uint64_t *counts = j->alone ? j->counts
				    : ml_resize(NULL, j->t->cells * sizeof(*counts));
	struct change list[CHANGES];
	size_t n = 0;

	if (!j->alone)
		memset(counts, 0, j->t->cells * sizeof(*counts));
	for (uint64_t w = first / 64; w < ml_selection_words(end); w++) {
		uint64_t was = j->words ? j->words[w] : 0, is = j->sel->words[w];

		if (was == is)
			continue;
		list[n++] = (struct change){ w, is & ~was, was & ~is };
		if (j->words)
			j->words[w] = is;
		if (n == CHANGES) {
			add_changes(j->t, list, n, counts);
			n = 0;
		}
	}
	add_changes(j->t, list, n, counts);
	if (j->alone)
		return;
	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->t->cells; i++)
		j->counts[i] += counts[i];
	pthread_mutex_unlock(&j->lock);
	ml_free(counts);
}

/* Brings counts of a selection (words; NULL: no rows) to another, which differs by about
 * `changed` rows. */
static void follow(const struct task *t, uint64_t *words, uint64_t *counts,
		   const struct ml_selection *sel, uint64_t changed)
{
	struct journey j = { .t = t, .sel = sel, .words = words, .counts = counts };

	j.alone = changed * t->n < ALONE;
	if (j.alone) {
		go(&j, 0, sel->rows);
		return;
	}
	pthread_mutex_init(&j.lock, NULL);
	ml_row_ranges(sel->rows, go, &j);
	pthread_mutex_destroy(&j.lock);
}

/* Rows that differ, estimated; words NULL: no rows. */
static uint64_t estimate(const uint64_t *words, const struct ml_selection *sel)
{
	uint64_t n = 0;

	for (uint64_t w = 0; w < ml_selection_words(sel->rows); w += LOOKED_AT)
		n += (uint64_t)__builtin_popcountll(sel->words[w] ^
						    (words ? words[w] : 0));
	return n * LOOKED_AT;
}

static void begin(const struct task *t, struct state *x, uint64_t rows)
{
	size_t bytes = ml_selection_words(rows) * sizeof(uint64_t);

	x->words = ml_resize(x->words, bytes + 1);
	x->counts = ml_resize(x->counts, t->cells * sizeof(uint64_t));
	memset(x->words, 0, bytes);
	memset(x->counts, 0, t->cells * sizeof(uint64_t));
}

/* The state that the selection is counted from; *changed gets about how many rows differ.
 */
static struct state *choose(const struct task *t, struct kept *k,
			    const struct ml_selection *sel, uint64_t *changed)
{
	struct state *near = NULL, *oldest = &k->states[0];
	uint64_t least = UINT64_MAX, anew = estimate(NULL, sel);

	for (size_t i = 0; i < STATES; i++) {
		struct state *x = &k->states[i];
		uint64_t d = x->words ? estimate(x->words, sel) : UINT64_MAX;

		if (d < least) {
			least = d;
			near = x;
		}
		if (x->used < oldest->used)
			oldest = x;
	}
	*changed = least < anew ? least : anew;
	if (near && least <= anew && least < sel->rows / NEAR)
		return near;
	begin(t, oldest, sel->rows);
	if (near && near != oldest && least < anew) {
		memcpy(oldest->words, near->words,
		       ml_selection_words(sel->rows) * sizeof(uint64_t));
		memcpy(oldest->counts, near->counts, t->cells * sizeof(uint64_t));
	}
	return oldest;
}

static bool is_of(const struct kept *k, const struct task *t)
{
	if (!k->used || k->n != t->n)
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (k->cut[i] != t->axes[i]->cut)
			return false;
	return true;
}

static struct kept *find_kept(struct ml_bin_memory *m, const struct task *t)
{
	struct kept *oldest = &m->kept[0];

	for (size_t i = 0; i < ROWS_OF_AXES; i++) {
		struct kept *k = &m->kept[i];

		if (is_of(k, t))
			return k;
		if (k->used < oldest->used)
			oldest = k;
	}
	release_kept(oldest);
	oldest->n = t->n;
	for (size_t i = 0; i < t->n; i++)
		oldest->cut[i] = t->axes[i]->cut;
	return oldest;
}

static bool can_keep(const struct task *t)
{
	bool known = t->axes[0]->memory && t->cells <= CELLS_MAX && t->n <= AXES_MAX;

	for (size_t i = 0; known && i < t->n; i++)
		known = t->axes[i]->cut != 0;
	return known;
}

/* The counts of all pairs, one behind the other, for a caller that has the lock. */
static const uint64_t *count_kept(const struct task *t, struct ml_bin_memory *m,
				  const struct ml_selection *sel)
{
	uint64_t changed;
	struct kept *k = find_kept(m, t);
	struct state *x = choose(t, k, sel, &changed);

	k->used = x->used = ++m->clock;
	follow(t, x->words, x->counts, sel, changed);
	return x->counts;
}

/* Adds the counts of a pair to the caller's, and their sums to those of its axes. */
static void add_pair(const uint64_t *at, size_t rows, size_t width, uint64_t *pair,
		     uint64_t *left, uint64_t *right)
{
	for (size_t i = 0; i < rows; i++, at += width, pair += width) {
		uint64_t sum = 0;

		for (size_t j = 0; j < width; j++) {
			pair[j] += at[j];
			sum += at[j];
		}
		left[i] += sum;
		for (size_t j = 0; right && j < width; j++)
			right[j] += at[j];
	}
}

/* Gives the counts to the caller's arrays. */
static void give(const struct task *t, const uint64_t *at, uint64_t *const *histograms,
		 uint64_t *const *pairs)
{
	for (size_t k = 0; t->n == 1 && k < t->cells; k++)
		histograms[0][k] += at[k];
	for (size_t i = 0; i + 1 < t->n; i++) {
		add_pair(at, t->axes[i]->count + 1, t->axes[i + 1]->count + 1, pairs[i],
			 histograms[i], i + 2 == t->n ? histograms[i + 1] : NULL);
		at += pair_cells(t->axes[i], t->axes[i + 1]);
	}
}

void ml_bins_axes(const struct ml_bins *const *bins, size_t n,
		  const struct ml_selection *sel, uint64_t *const *histograms,
		  uint64_t *const *pairs)
{
	struct task t = task_of(bins, n);
	struct ml_bin_memory *m = bins[0]->memory;

	if (can_keep(&t)) {
		pthread_mutex_lock(&m->lock);
		give(&t, count_kept(&t, m, sel), histograms, pairs);
		pthread_mutex_unlock(&m->lock);
		return;
	}
	uint64_t *all = ml_resize(NULL, t.cells * sizeof(*all));
	memset(all, 0, t.cells * sizeof(*all));
	follow(&t, NULL, all, sel, sel->rows < KEEP_FROM ? 0 : sel->rows);
	give(&t, all, histograms, pairs);
	ml_free(all);
}

void ml_bins_histogram(const struct ml_bins *b, const struct ml_selection *sel,
		       uint64_t *counts)
{
	ml_bins_axes(&b, 1, sel, &counts, NULL);
}

void ml_bins_pairs(const struct ml_bins *a, const struct ml_bins *b,
		   const struct ml_selection *sel, uint64_t *counts)
{
	const struct ml_bins *axes[] = { a, b };
	size_t cells = a->count + 1 + b->count + 1;
	uint64_t *sums = ml_resize(NULL, cells * sizeof(*sums)),
		 *histograms[] = { sums, sums + a->count + 1 };

	memset(sums, 0, cells * sizeof(*sums));
	ml_bins_axes(axes, 2, sel, histograms, &counts);
	ml_free(sums);
}

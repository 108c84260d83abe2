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
	BATCH = 1024,   /* rows that are counted at a time: their cells fit into L1 */
	WORDS = 512,    /* words that are counted at a time */
	AHEAD = 16,     /* of those, fetched ahead */
	FEW = 8,        /* rows of a word that are counted one by one */
	ALONE = 1 << 20 /* increments that are not worth a thread */
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

/*
 * Rows that joined a selection, or left it. A brush across the order of rows changes one
 * row here and one there: the cells of an axis are then fetched once, for both of its
 * pairs, and by loads that do not wait for each other.
 */
struct rows {
	uint64_t one; /* 1 or -1: what each row adds */
	size_t n;
	uint64_t row[BATCH + 64];
};

/* Words of a selection, many of whose rows joined or left it. */
struct words {
	uint64_t one;
	size_t n;
	struct {
		uint64_t word, bits;
	} list[WORDS];
};

static void gather(const struct ml_bins *b, const struct rows *r, uint16_t *to)
{
	if (b->width == 1)
		for (size_t k = 0; k < r->n; k++)
			to[k] = ((const uint8_t *)b->cells)[r->row[k]];
	else
		for (size_t k = 0; k < r->n; k++)
			to[k] = ((const uint16_t *)b->cells)[r->row[k]];
}

static void add_rows(const struct task *t, struct rows *r, uint64_t *counts)
{
	uint16_t cells[2][BATCH + 64], *left = cells[0], *right = cells[1];

	gather(t->axes[0], r, left);
	for (size_t k = 0; t->n == 1 && k < r->n; k++)
		counts[left[k]] += r->one;
	for (size_t p = 0; p + 1 < t->n; p++) {
		size_t width = t->axes[p + 1]->count + 1;

		gather(t->axes[p + 1], r, right);
		for (size_t k = 0; k < r->n; k++)
			counts[left[k] * width + right[k]] += r->one;
		counts += pair_cells(t->axes[p], t->axes[p + 1]);
		uint16_t *done = left;
		left = right;
		right = done;
	}
	r->n = 0;
}

/* Rows of a word, of two axes with cells of one byte. */
static void add_bytes(const uint8_t *a, const uint8_t *b, size_t width, uint64_t bits,
		      uint64_t one, uint64_t *counts)
{
	if (bits == UINT64_MAX) {
		for (unsigned i = 0; i < 64; i++)
			counts[a[i] * width + b[i]] += one;
		return;
	}
	for (; bits; bits &= bits - 1) {
		int i = __builtin_ctzll(bits);

		counts[a[i] * width + b[i]] += one;
	}
}

/* The same for any cells; b is NULL for a single axis. */
static void add_cells(const struct ml_bins *a, const struct ml_bins *b, uint64_t word,
		      uint64_t bits, uint64_t one, uint64_t *counts)
{
	for (; bits; bits &= bits - 1) {
		uint64_t row = word * 64 + (uint64_t)__builtin_ctzll(bits);
		size_t cell = ml_bins_at(a, row);

		counts[b ? cell * (b->count + 1) + ml_bins_at(b, row) : cell] += one;
	}
}

static void fetch(const struct ml_bins *b, uint64_t word)
{
	__builtin_prefetch((const char *)b->cells + word * 64 * b->width);
}

/* The cells of words may lie apart: they are asked for before they are needed. */
static void add_words(const struct task *t, struct words *w, uint64_t *counts)
{
	for (size_t p = 0; p == 0 || p + 1 < t->n; p++) {
		const struct ml_bins *a = t->axes[p],
				     *b = t->n > 1 ? t->axes[p + 1] : NULL;
		bool bytes = b && a->width == 1 && b->width == 1;

		for (size_t i = 0; i < w->n; i++) {
			uint64_t word = w->list[i].word, bits = w->list[i].bits;

			if (i + AHEAD < w->n && (p == 0 || b))
				fetch(p ? b : a, w->list[i + AHEAD].word);
			if (bytes)
				add_bytes((const uint8_t *)a->cells + word * 64,
					  (const uint8_t *)b->cells + word * 64,
					  b->count + 1, bits, w->one, counts);
			else
				add_cells(a, b, word, bits, w->one, counts);
		}
		counts += pair_cells(a, b);
	}
	w->n = 0;
}

/* What one thread has found to change; [0] joined, [1] left. */
struct changes {
	struct rows rows[2];
	struct words words[2];
};

static void add_bits(struct changes *c, unsigned which, uint64_t word, uint64_t bits,
		     const struct task *t, uint64_t *counts)
{
	struct rows *r = &c->rows[which];
	struct words *w = &c->words[which];

	if (__builtin_popcountll(bits) > FEW) {
		w->list[w->n].word = word;
		w->list[w->n++].bits = bits;
		if (w->n == WORDS)
			add_words(t, w, counts);
		return;
	}
	for (; bits; bits &= bits - 1)
		r->row[r->n++] = word * 64 + (uint64_t)__builtin_ctzll(bits);
	if (r->n >= BATCH)
		add_rows(t, r, counts);
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
	struct changes c;

	for (unsigned i = 0; i < 2; i++) {
		c.rows[i].n = c.words[i].n = 0;
		c.rows[i].one = c.words[i].one = i ? UINT64_MAX : 1;
	}
	if (!j->alone)
		memset(counts, 0, j->t->cells * sizeof(*counts));
	for (uint64_t w = first / 64; w < ml_selection_words(end); w++) {
		uint64_t was = j->words ? j->words[w] : 0, is = j->sel->words[w];

		if (was == is)
			continue;
		if (is & ~was)
			add_bits(&c, 0, w, is & ~was, j->t, counts);
		if (was & ~is)
			add_bits(&c, 1, w, was & ~is, j->t, counts);
		if (j->words)
			j->words[w] = is;
	}
	for (unsigned i = 0; i < 2; i++) {
		add_rows(j->t, &c.rows[i], counts);
		add_words(j->t, &c.words[i], counts);
	}
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
	uint64_t min = UINT64_MAX, anew = estimate(NULL, sel);

	for (size_t i = 0; i < STATES; i++) {
		struct state *x = &k->states[i];
		uint64_t d = x->words ? estimate(x->words, sel) : UINT64_MAX;

		if (d < min) {
			min = d;
			near = x;
		}
		if (x->used < oldest->used)
			oldest = x;
	}
	*changed = min < anew ? min : anew;
	if (near && min <= anew && min < sel->rows / NEAR)
		return near;
	begin(t, oldest, sel->rows);
	if (near && near != oldest && min < anew) {
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

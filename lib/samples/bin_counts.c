/*
 * Counts of bins. Small tables are counted anew each time. Of large ones the counts of
 * some selections are kept, for each column and for each pair of columns; another
 * selection is counted from the kept one that it differs least from.
 */
#include <pthread.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/pool.h"
#include "lib/samples/bins.h"
#include "lib/samples/selection.h"

enum {
	KEEP_FROM = 1 << 20, /* rows; fewer are counted in a millisecond */
	CELLS_MAX = 1 << 16, /* of counts that are kept */
	STATES = 3,          /* all, the selected, and what the mouse is over */
	PARTNERS = 8,        /* columns that a column is paired with */
	LOOKED_AT = 16,      /* of so many words one is compared, to choose a state */
	NEAR = 8,            /* a state that differs by less than a part of so many of all
				rows follows the selection; else another one begins */
	CHANGES = 512,       /* words that are counted at a time */
	AHEAD = 16           /* of those, fetched ahead */
};

#define ALONE SIZE_MAX /* a partner: none */

/* The counts of one selection. */
struct state {
	uint64_t *words; /* the selection; NULL: free */
	uint64_t *counts;
	uint64_t used; /* when it was used last */
};

struct partner {
	size_t column, bins; /* of the right axis; column ALONE: a histogram */
	struct state states[STATES];
	uint64_t used;
};

struct ml_bin_memory {
	pthread_mutex_t lock;
	struct partner partners[PARTNERS];
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

static void release_partner(struct partner *p)
{
	for (size_t i = 0; i < STATES; i++) {
		ml_free(p->states[i].words);
		ml_free(p->states[i].counts);
	}
	*p = (struct partner){ 0 };
}

void ml_bin_memory_release(struct ml_bin_memory *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < PARTNERS; i++)
		release_partner(&m->partners[i]);
	pthread_mutex_destroy(&m->lock);
	ml_free(m);
}

/* What is counted: the bins of a, or the pairs of a and b. */
struct task {
	const struct ml_bins *a, *b; /* b may be NULL */
	size_t cells;
};

static struct task task_of(const struct ml_bins *a, const struct ml_bins *b)
{
	return (struct task){ a, b, (a->count + 1) * (b ? b->count + 1 : 1) };
}

static size_t cell_of(const struct task *t, uint64_t row)
{
	return t->b ? ml_bins_at(t->a, row) * (t->b->count + 1) + ml_bins_at(t->b, row)
		    : ml_bins_at(t->a, row);
}

/* Adds `one` (1 or -1) for each row of a word. */
static void add_bits(const struct task *t, uint64_t word, uint64_t bits, uint64_t one,
		     uint64_t *counts)
{
	for (; bits; bits &= bits - 1)
		counts[cell_of(t, word * 64 + (uint64_t)__builtin_ctzll(bits))] += one;
}

/* The same for cells of one byte. */
static void add_pairs(const uint8_t *a, const uint8_t *b, size_t stride, uint64_t bits,
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

static void add_singles(const uint8_t *a, uint64_t bits, uint64_t one, uint64_t *counts)
{
	for (; bits; bits &= bits - 1)
		counts[a[__builtin_ctzll(bits)]] += one;
}

static void add_word(const struct task *t, uint64_t word, uint64_t bits, uint64_t one,
		     uint64_t *counts)
{
	const uint8_t *a = t->a->width == 1 ? (const uint8_t *)t->a->cells + word * 64
					    : NULL;

	if (!bits)
		return;
	if (a && t->b && t->b->width == 1)
		add_pairs(a, (const uint8_t *)t->b->cells + word * 64, t->b->count + 1,
			  bits, one, counts);
	else if (a && !t->b)
		add_singles(a, bits, one, counts);
	else
		add_bits(t, word, bits, one, counts);
}

static void count_anew(const struct task *t, const struct ml_selection *sel,
		       uint64_t *counts)
{
	for (uint64_t w = 0; w < ml_selection_words(sel->rows); w++)
		add_word(t, w, sel->words[w], 1, counts);
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

/* A word of rows that joined or left the selection. */
struct change {
	uint64_t word, joined, left;
};

static void fetch(const struct ml_bins *b, uint64_t word)
{
	__builtin_prefetch((const char *)b->cells + word * 64 * b->width);
}

/* The cells of changed words lie apart: they are asked for before they are needed. */
static void add_changes(const struct task *t, const struct change *list, size_t n,
			uint64_t *counts)
{
	for (size_t i = 0; i < n; i++) {
		if (i + AHEAD < n) {
			fetch(t->a, list[i + AHEAD].word);
			if (t->b)
				fetch(t->b, list[i + AHEAD].word);
		}
		add_word(t, list[i].word, list[i].joined, 1, counts);
		add_word(t, list[i].word, list[i].left, UINT64_MAX, counts);
	}
}

/* Makes a state that of another selection. */
static void follow(const struct task *t, struct state *x, const struct ml_selection *sel)
{
	struct change list[CHANGES];
	size_t n = 0;

	for (uint64_t w = 0; w < ml_selection_words(sel->rows); w++) {
		uint64_t was = x->words[w], is = sel->words[w];

		if (was == is)
			continue;
		list[n++] = (struct change){ w, is & ~was, was & ~is };
		x->words[w] = is;
		if (n == CHANGES) {
			add_changes(t, list, n, x->counts);
			n = 0;
		}
	}
	add_changes(t, list, n, x->counts);
}

static void begin(const struct task *t, struct state *x, uint64_t rows)
{
	size_t bytes = ml_selection_words(rows) * sizeof(uint64_t);

	x->words = ml_resize(x->words, bytes + 1);
	x->counts = ml_resize(x->counts, t->cells * sizeof(uint64_t));
	memset(x->words, 0, bytes);
	memset(x->counts, 0, t->cells * sizeof(uint64_t));
}

/* The state that the selection is counted from. */
static struct state *choose(const struct task *t, struct partner *p,
			    const struct ml_selection *sel)
{
	struct state *near = NULL, *oldest = &p->states[0];
	uint64_t least = UINT64_MAX, anew = estimate(NULL, sel);

	for (size_t i = 0; i < STATES; i++) {
		struct state *x = &p->states[i];
		uint64_t d = x->words ? estimate(x->words, sel) : UINT64_MAX;

		if (d < least) {
			least = d;
			near = x;
		}
		if (x->used < oldest->used)
			oldest = x;
	}
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

static struct partner *partner_of(struct ml_bin_memory *m, const struct ml_bins *b)
{
	size_t column = b ? b->column : ALONE, bins = b ? b->count : 0;
	struct partner *oldest = &m->partners[0];

	for (size_t i = 0; i < PARTNERS; i++) {
		struct partner *p = &m->partners[i];

		if (p->used && p->column == column && p->bins == bins)
			return p;
		if (p->used < oldest->used)
			oldest = p;
	}
	release_partner(oldest);
	oldest->column = column;
	oldest->bins = bins;
	return oldest;
}

static void count(const struct task *t, const struct ml_selection *sel, uint64_t *counts)
{
	struct ml_bin_memory *m = t->a->memory;

	if (!m || t->cells > CELLS_MAX) {
		count_anew(t, sel, counts);
		return;
	}
	pthread_mutex_lock(&m->lock);
	struct partner *p = partner_of(m, t->b);
	struct state *x = choose(t, p, sel);
	p->used = x->used = ++m->clock;
	follow(t, x, sel);
	for (size_t i = 0; i < t->cells; i++)
		counts[i] += x->counts[i];
	pthread_mutex_unlock(&m->lock);
}

void ml_bins_histogram(const struct ml_bins *b, const struct ml_selection *sel,
		       uint64_t *counts)
{
	struct task t = task_of(b, NULL);

	count(&t, sel, counts);
}

void ml_bins_pairs(const struct ml_bins *a, const struct ml_bins *b,
		   const struct ml_selection *sel, uint64_t *counts)
{
	struct task t = task_of(a, b);

	count(&t, sel, counts);
}

struct job {
	struct task task;
	const struct ml_selection *sel;
	uint64_t *counts;
};

static void run(void *arg)
{
	const struct job *j = arg;

	count(&j->task, j->sel, j->counts);
}

void ml_bins_axes(const struct ml_bins *const *bins, size_t n,
		  const struct ml_selection *sel, uint64_t *const *histograms,
		  uint64_t *const *pairs)
{
	struct job *jobs = ml_resize(NULL, (n + 1) * sizeof(*jobs));
	bool many = n > 2 && sel->rows >= KEEP_FROM;
	struct ml_pool pool;

	if (n == 1)
		ml_bins_histogram(bins[0], sel, histograms[0]);
	if (many)
		ml_pool_init(&pool, 0);
	for (size_t i = 0; i + 1 < n; i++) {
		jobs[i] = (struct job){ task_of(bins[i], bins[i + 1]), sel, pairs[i] };
		if (many)
			ml_pool_submit(&pool, run, &jobs[i]);
		else
			run(&jobs[i]);
	}
	if (many)
		ml_pool_release(&pool);
	for (size_t i = 0; i + 1 < n; i++) {
		size_t width = bins[i + 1]->count + 1;

		for (size_t k = 0; k < jobs[i].task.cells; k++) {
			histograms[i][k / width] += pairs[i][k];
			if (i + 2 == n)
				histograms[i + 1][k % width] += pairs[i][k];
		}
	}
	ml_free(jobs);
}

#include "lib/samples/sample_parts.h"

#include <string.h>

#include "lib/base/pool.h"
#include "lib/samples/samples.h"
#include "lib/samples/samples_make.h"

/* One column of all parts. */
struct join {
	struct ml_samples *s;
	struct ml_samples *const *parts;
	size_t n, column;
};

/* Gives the names of a part the numbers that the whole table has for them. */
static void rename_cells(struct ml_samples_column *to,
			 const struct ml_samples_column *from, uint64_t *cells,
			 uint64_t rows)
{
	size_t n = from->dictionary.count;
	uint32_t *number = ml_resize(NULL, (n + 1) * sizeof(*number));

	for (size_t i = 0; i < n; i++)
		number[i] = ml_names_add(&to->dictionary, from->dictionary.text[i]);
	for (uint64_t i = 0; n && i < rows; i++)
		cells[i] = number[cells[i]];
	ml_free(number);
}

static void join_holes(struct ml_samples_column *to, const struct ml_samples_column *from,
		       uint64_t at, uint64_t rows)
{
	for (uint64_t i = 0; i < rows && i / 64 < from->hole_words; i++)
		if (from->holes[i / 64] >> i % 64 & 1)
			to->holes[(at + i) / 64] |= 1ull << (at + i) % 64;
	to->missing_count += from->missing_count;
}

static void join_column(void *arg)
{
	struct join *j = arg;
	struct ml_samples_column *to = &j->s->columns[j->column];
	uint64_t at = 0;

	to->wide = ml_grow(to->wide, &to->wide_cap, j->s->rows + 1, sizeof(*to->wide));
	for (size_t i = 0; i < j->n; i++) {
		struct ml_samples_column *from = &j->parts[i]->columns[j->column];
		uint64_t rows = j->parts[i]->rows;

		if (rows)
			memcpy(to->wide + at, from->wide, rows * sizeof(*to->wide));
		if (to->kind == ML_SAMPLES_NAMES)
			rename_cells(to, from, to->wide + at, rows);
		if (from->holes) {
			to->holes = ml_grow(to->holes, &to->hole_words,
					    j->s->rows / 64 + 1, sizeof(*to->holes));
			join_holes(to, from, at, rows);
		}
		ml_free(from->wide);
		from->wide = NULL;
		at += rows;
	}
}

void ml_samples_join(struct ml_samples *s, struct ml_samples *const *parts, size_t n)
{
	size_t count = n ? parts[0]->count : 0;
	struct join *jobs = ml_arena_alloc(&s->arena, (count + 1) * sizeof(*jobs));
	struct ml_pool pool;

	for (size_t i = 0; i < n; i++) {
		const struct ml_samples *p = parts[i];

		s->rows += p->rows;
		for (uint64_t k = 0; k < p->bad && k < ML_SAMPLES_BAD_SHOWN; k++)
			ml_samples_add_bad(s, p->bad_shown[k].line,
					   p->bad_shown[k].reason);
		if (p->bad > ML_SAMPLES_BAD_SHOWN)
			s->bad += p->bad - ML_SAMPLES_BAD_SHOWN;
		s->skipped += p->skipped;
	}
	if (n > 1)
		ml_pool_init(&pool, 0);
	for (size_t i = 0; i < count; i++) {
		jobs[i] = (struct join){ s, parts, n, i };
		if (n > 1)
			ml_pool_submit(&pool, join_column, &jobs[i]);
		else
			join_column(&jobs[i]);
	}
	if (n > 1)
		ml_pool_release(&pool);
	for (size_t i = 0; i < n; i++)
		parts[i]->rows = 0;
}

#include "lib/samples/samples_make.h"

#include <assert.h>
#include <string.h>

#include "lib/base/pool.h"

size_t ml_samples_add_column(struct ml_samples *s, const char *name,
			     enum ml_samples_kind kind)
{
	assert(s->count < ML_SAMPLES_COLUMNS_MAX);
	s->columns = ml_grow(s->columns, &s->cap, s->count + 1, sizeof(*s->columns));
	s->columns[s->count] = (struct ml_samples_column){
		.name = ml_arena_strdup(&s->arena, name), .kind = kind
	};
	return s->count++;
}

void ml_samples_put(struct ml_samples *s, size_t column, uint64_t row, uint64_t bits)
{
	struct ml_samples_column *c = &s->columns[column];

	if (row >= c->wide_cap)
		c->wide = ml_grow(c->wide, &c->wide_cap, row + 1, sizeof(*c->wide));
	c->wide[row] = bits;
}

void ml_samples_put_name(struct ml_samples *s, size_t column, uint64_t row,
			 const char *text, size_t size)
{
	struct ml_samples_column *c = &s->columns[column];

	ml_samples_put(s, column, row, ml_names_add_bytes(&c->dictionary, text, size));
}

void ml_samples_put_missing(struct ml_samples *s, size_t column, uint64_t row)
{
	struct ml_samples_column *c = &s->columns[column];

	ml_samples_put(s, column, row, 0);
	c->holes = ml_grow(c->holes, &c->hole_words, row / 64 + 1, sizeof(*c->holes));
	c->holes[row / 64] |= 1ull << row % 64;
	c->missing_count++;
}

void ml_samples_set_role(struct ml_samples *s, size_t column, enum ml_samples_role role)
{
	if (s->columns[column].role)
		s->role[s->columns[column].role] = -1;
	s->columns[column].role = role;
	if (!role)
		return;
	if (s->role[role] >= 0 && s->role[role] != (int)column)
		s->columns[s->role[role]].role = ML_SAMPLES_NO_ROLE;
	s->role[role] = (int)column;
}

void ml_samples_add_bad(struct ml_samples *s, uint64_t line, const char *reason)
{
	if (s->bad < ML_SAMPLES_BAD_SHOWN)
		s->bad_shown[s->bad] = (struct ml_samples_bad){
			line, ml_arena_strdup(&s->arena, reason)
		};
	s->bad++;
}

enum { PACK_ALONE = 1 << 18 }; /* fewer rows are not worth a thread */

static void find_range(struct ml_samples_column *c, uint64_t rows)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (uint64_t i = 0; i < rows; i++) {
		if (c->holes && i / 64 < c->hole_words && c->holes[i / 64] >> i % 64 & 1)
			continue;
		uint64_t key = ml_samples_key(c, c->wide[i]);

		if (key <= low) {
			low = key;
			c->min = c->wide[i];
		}
		if (key >= high) {
			high = key;
			c->max = c->wide[i];
		}
	}
}

static void narrow(struct ml_samples_column *c, uint64_t rows)
{
	uint64_t span = c->max - c->min;

	c->width = c->kind == ML_SAMPLES_REAL ? 8
		   : span <= UINT8_MAX        ? 1
		   : span <= UINT16_MAX       ? 2
		   : span <= UINT32_MAX       ? 4
					      : 8;
	c->base = c->kind == ML_SAMPLES_REAL ? 0 : c->min;
	if (c->width == 8) {
		for (uint64_t i = 0; i < rows; i++)
			c->wide[i] -= c->base;
		c->owned = c->wide;
		c->wide = NULL;
	} else {
		c->owned = ml_resize(NULL, rows * c->width + 8);
		for (uint64_t i = 0; i < rows; i++) {
			uint64_t v = c->wide[i] - c->base;

			if (c->width == 1)
				((uint8_t *)c->owned)[i] = (uint8_t)v;
			else if (c->width == 2)
				((uint16_t *)c->owned)[i] = (uint16_t)v;
			else
				((uint32_t *)c->owned)[i] = (uint32_t)v;
		}
	}
	if (c->holes) /* cells without a value hold the base */
		for (uint64_t i = 0; i < rows; i++)
			if (c->holes[i / 64] >> i % 64 & 1)
				memset((char *)c->owned + i * c->width, 0, c->width);
	c->cells = c->owned;
}

struct packing {
	struct ml_samples_column *c;
	uint64_t rows;
};

static void pack_column(void *arg)
{
	struct packing *p = arg;
	struct ml_samples_column *c = p->c;

	c->wide = ml_grow(c->wide, &c->wide_cap, p->rows + 1, sizeof(*c->wide));
	if (c->holes)
		c->holes = ml_grow(c->holes, &c->hole_words, p->rows / 64 + 1,
				   sizeof(*c->holes));
	if (c->kind == ML_SAMPLES_NAMES && !c->dictionary.count)
		ml_names_add(&c->dictionary, "??"); /* cells are numbers of names */
	find_range(c, p->rows);
	narrow(c, p->rows);
	ml_free(c->wide);
	c->wide = NULL;
	c->missing = c->holes;
	c->names = c->dictionary.text;
	c->name_count = c->dictionary.count;
}

void ml_samples_pack(struct ml_samples *s)
{
	struct packing *jobs = ml_resize(NULL, (s->count + 1) * sizeof(*jobs));
	bool many = s->rows >= PACK_ALONE;
	struct ml_pool pool;

	if (many)
		ml_pool_init(&pool, 0);
	for (size_t i = 0; i < s->count; i++) {
		jobs[i] = (struct packing){ &s->columns[i], s->rows };
		if (s->columns[i].cells)
			continue;
		if (many)
			ml_pool_submit(&pool, pack_column, &jobs[i]);
		else
			pack_column(&jobs[i]);
	}
	if (many)
		ml_pool_release(&pool);
	ml_free(jobs);
}

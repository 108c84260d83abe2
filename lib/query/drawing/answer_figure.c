/* Sends a figure: its header as JSON, its numbers as columns. */
#include <string.h>

#include "lib/query/drawing/figure.h"
#include "lib/query/workspace/answer.h"

/* A column of one field of the rows. */
static void put_field(struct ml_answer *a, const char *name, const struct ml_figure *f,
		      size_t offset)
{
	double *v = ml_arena_alloc(&a->arena, f->row_count * sizeof(*v));

	for (size_t i = 0; i < f->row_count; i++)
		memcpy(&v[i], (const char *)&f->rows[i] + offset, sizeof(*v));
	ml_answer_column(a, name, ML_TYPE_F64, v, f->row_count);
}

static void put_rows(struct ml_answer *a, const struct ml_figure *f)
{
	uint32_t *member = ml_arena_alloc(&a->arena, f->row_count * sizeof(*member));

	for (size_t i = 0; i < f->row_count; i++)
		member[i] = f->rows[i].member;
	put_field(a, "x", f, offsetof(struct ml_figure_row, x));
	put_field(a, "x_end", f, offsetof(struct ml_figure_row, x_end));
	put_field(a, "y", f, offsetof(struct ml_figure_row, y));
	put_field(a, "value", f, offsetof(struct ml_figure_row, value));
	ml_answer_column(a, "member", ML_TYPE_U32, member, f->row_count);
}

static void put_matrix(struct ml_answer *a, const struct ml_figure_matrix *m)
{
	size_t n = m->rows * m->cells;
	float *v = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = (float)m->v[i];
	ml_answer_column(a, m->name, ML_TYPE_F32, v, n);
}

static void put_list(struct ml_answer *a, const struct ml_figure_list *l)
{
	uint32_t *v = ml_arena_alloc(&a->arena, (l->count + 1) * sizeof(*v));

	memcpy(v, l->v, l->count * sizeof(*v));
	ml_answer_column(a, l->name, ML_TYPE_U32, v, l->count);
}

void ml_figure_answer(const struct ml_figure *f, struct ml_answer *a)
{
	ml_answer_columns(a);
	ml_figure_write(f, &a->json);
	if (f->row_count)
		put_rows(a, f);
	for (size_t i = 0; i < f->matrix_count; i++)
		put_matrix(a, &f->matrices[i]);
	for (size_t i = 0; i < f->list_count; i++)
		put_list(a, &f->lists[i]);
}

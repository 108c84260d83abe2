#include "lib/query/trace/tables/level_table.h"

#include <assert.h>

#include "lib/query/trace/tables/profile_rows.h"

void ml_level_table_start(struct ml_level_table *s, const struct ml_profile *p,
			  uint64_t top)
{
	*s = (struct ml_level_table){ .p = p, .m = &p->machine, .top = top };
}

void ml_level_table_end(struct ml_level_table *s)
{
	ml_table_release(&s->table);
	ml_arena_release(&s->arena);
}

void ml_level_table_column(struct ml_level_table *s, const char *key,
			   enum ml_column_kind kind)
{
	assert(s->table.width < ML_LEVEL_TABLE_COLUMNS_MAX);
	s->columns[s->table.width++] = (struct ml_column){ key, kind, NULL, 0 };
	s->table.columns = s->columns;
}

void ml_level_table_columns(struct ml_level_table *s, enum ml_column_kind kind,
			    const char *const *keys)
{
	for (; *keys; keys++)
		ml_level_table_column(s, *keys, kind);
}

void ml_level_table_text(struct ml_level_table *s, const char *v)
{
	ml_table_text(&s->table, v && *v ? v : NULL);
}

void ml_level_table_count(struct ml_level_table *s, uint64_t v)
{
	ml_table_count(&s->table, v);
}

void ml_level_table_some(struct ml_level_table *s, uint64_t v)
{
	if (v)
		ml_table_count(&s->table, v);
	else
		ml_table_no_value(&s->table);
}

void ml_level_table_sign(struct ml_level_table *s, int64_t v)
{
	ml_level_table_text(s, ml_arena_printf(&s->arena, "%lld", (long long)v));
}

const char *ml_level_table_key(struct ml_level_table *s, const char *level,
			       const char *what)
{
	return ml_arena_printf(&s->arena, "%s_%s", level, what);
}

void ml_level_table_count_columns(struct ml_level_table *s, bool all)
{
	ML_LEVEL_TABLE_COUNTS(s, "references");
	if (all)
		ML_LEVEL_TABLE_COUNTS(s, "reads", "writes", "fetches", "bytes");
	for (unsigned k = 1; k <= s->m->levels + 1; k++)
		ml_level_table_column(s,
				      ml_level_table_key(s, "served_by",
							 ml_machine_level_name(s->m, k)),
				      ML_COLUMN_COUNT);
	for (unsigned k = 1; k <= s->m->levels; k++) {
		ml_level_table_column(
			s,
			ml_level_table_key(s, ml_machine_level_name(s->m, k), "misses"),
			ML_COLUMN_COUNT);
		ml_level_table_column(s,
				      ml_level_table_key(s,
							 ml_machine_level_name(s->m, k),
							 "miss_ratio"),
				      ML_COLUMN_REAL);
	}
	for (unsigned k = 1; k <= s->m->levels && all && s->p->want & ML_SIM_CAUSES; k++)
		for (unsigned c = ML_CAUSE_COLD; c < ML_CAUSES; c++)
			ml_level_table_column(
				s,
				ml_level_table_key(s, ml_machine_level_name(s->m, k),
						   ml_cause_names[c]),
				ML_COLUMN_COUNT);
	for (unsigned k = 0; k < s->m->tlbs; k++)
		ml_level_table_column(s,
				      ml_level_table_key(s, s->m->tlb[k].name, "misses"),
				      ML_COLUMN_COUNT);
	if (s->m->cores > 1)
		ML_LEVEL_TABLE_COUNTS(s, "transfers");
	ML_LEVEL_TABLE_REALS(s, "cycles", "lost_cycles");
}

void ml_level_table_count_cells(struct ml_level_table *s,
				const struct ml_profile_count *c, bool all)
{
	ml_level_table_count(s, c->refs);
	if (all) {
		for (size_t k = 0; k < 3; k++)
			ml_level_table_count(s, c->kind[k]);
		ml_level_table_count(s, c->bytes);
	}
	for (unsigned k = 1; k <= s->m->levels + 1; k++)
		ml_level_table_count(s, c->served[k]);
	for (unsigned k = 0; k < s->m->levels; k++) {
		ml_level_table_count(s, c->missed[k]);
		ml_table_real(&s->table, ml_profile_ratio(c->missed[k], c->refs));
	}
	for (unsigned k = 0; k < s->m->levels && all && s->p->want & ML_SIM_CAUSES; k++)
		for (unsigned n = ML_CAUSE_COLD; n < ML_CAUSES; n++)
			ml_level_table_count(s, c->cause[k][n]);
	for (unsigned k = 0; k < s->m->tlbs; k++)
		ml_level_table_count(s, ml_surcharge_missed(&c->surcharge, s->m, k));
	if (s->m->cores > 1)
		ml_level_table_count(s, c->surcharge.transfers);
	ml_table_real(&s->table, c->cycles);
	ml_table_real(&s->table, c->lost);
}

#include "cli/text/sim_translation.h"

#include <stdlib.h>

#include "lib/query/trace/text/code_text.h"
#include "lib/query/workspace/say.h"
#include "lib/base/arena.h"
#include "lib/base/table.h"
#include "lib/query/trace/tables/profile_tables.h"

enum { NEGLIGIBLE = 1000 }; /* lines with less than a thousandth of what is lost */

struct waiting {
	const struct ml_profile_line_row *row;
	double cycles; /* of translation */
};

static void say_tlb(struct ml_say *s, const struct ml_level_spec *l,
		    const struct ml_level_counts *c)
{
	uint64_t asked = ml_profile_asked(c), missed = ml_profile_missed(c);

	if (asked)
		ml_say(s, "  %-4s %s entries of %s: missed %s of %s times (%s)\n",
		       l->name, ml_say_count(s, l->size / l->line),
		       ml_say_bytes(s, l->line), ml_say_count(s, missed),
		       ml_say_count(s, asked),
		       ml_say_percent(s, ml_say_share(missed, asked)));
}

static int by_cycles(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->cycles > y->cycles || x->cycles < y->cycles)
		return x->cycles > y->cycles ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static struct waiting *sort_lines(const struct ml_profile_rows *rows,
				  const struct ml_machine *m)
{
	struct waiting *sorted = ml_resize(NULL,
					   (rows->lines.count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < rows->lines.count; i++) {
		const struct ml_profile_line_row *r = &rows->lines.at[i];

		sorted[i] = (struct waiting){
			r, ml_surcharge_translation(&r->count.surcharge, m, r->count.refs)
		};
	}
	qsort(sorted, rows->lines.count, sizeof(*sorted), by_cycles);
	return sorted;
}

static void say_lines(struct ml_profile_view *v, uint64_t top, struct ml_say *s)
{
	const struct ml_machine *m = &v->profile->machine;
	const struct ml_profile_rows *rows = &v->rows;
	struct ml_column columns[ML_TLBS + 3] = {
		{ "lost", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
	};
	struct ml_table x = { .columns = columns, .width = m->tlbs + 3 };
	struct waiting *sorted = sort_lines(rows, m);

	for (unsigned k = 0; k < m->tlbs; k++)
		columns[1 + k] = (struct ml_column){
			"missed", ML_COLUMN_COUNT,
			ml_arena_printf(&s->arena, "%s misses", m->tlb[k].name), 0
		};
	columns[1 + m->tlbs] = (struct ml_column){ "line", .kind = ML_COLUMN_TEXT };
	columns[2 + m->tlbs] = (struct ml_column){ "to", .kind = ML_COLUMN_TEXT };
	for (size_t i = 0; i < rows->lines.count && i < top; i++) {
		const struct ml_profile_line_row *r = sorted[i].row;
		const struct ml_surcharge *c = &r->count.surcharge;

		if (sorted[i].cycles * NEGLIGIBLE < rows->total.lost ||
		    !ml_surcharge_missed(c, m, 0))
			break;
		ml_table_real(&x, sorted[i].cycles / rows->total.lost);
		for (unsigned k = 0; k < m->tlbs; k++)
			ml_table_count(&x, ml_surcharge_missed(c, m, k));
		ml_table_text(&x, ml_code_place(s, &r->at, 16, 24));
		ml_table_text(
			&x,
			ml_say_cut(s, r->at.part[0].name ? r->at.part[0].name : "", 30));
	}
	ml_free(sorted);
	if (ml_table_rows(&x))
		ml_say_table(s, &x, 0, "");
	else
		ml_table_release(&x);
}

void sim_translation(struct ml_profile_view *v, uint64_t top, struct ml_say *s)
{
	const struct ml_profile *p = v->profile;

	if (!p->machine.tlbs || !ml_profile_asked(&p->tlb[0]))
		return;
	ml_say(s, "\nAddress translation\n");
	for (unsigned k = 0; k < p->machine.tlbs; k++)
		say_tlb(s, &p->machine.tlb[k], &p->tlb[k]);
	say_lines(v, top, s);
}

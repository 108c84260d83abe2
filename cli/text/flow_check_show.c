#include "cli/text/flow_check_show.h"

#include <inttypes.h>

#include "cli/cmd.h"
#include "lib/base/buf.h"
#include "lib/base/table.h"
#include "lib/flow/flow.h"
#include "lib/query/flow_check/flow_check.h"

enum { LEFT = 2, LEVELS_AT = 6 }; /* columns in front of the figures, of the misses */

static size_t columns(struct ml_column *c, const struct ml_machine *m, struct ml_arena *a)
{
	static const char *const pairs[] = { "accesses", "bytes" };
	size_t n = 0;

	c[n++] = (struct ml_column){ "loop", .kind = ML_COLUMN_TEXT };
	c[n++] = (struct ml_column){ "array", .kind = ML_COLUMN_TEXT };
	for (unsigned i = 0; i < 2 + m->levels; i++) {
		const char *what =
			i < 2 ? pairs[i]
			      : ml_arena_printf(a, "%s misses",
						ml_machine_level_name(m, i - 1));

		c[n++] = (struct ml_column){ what, .kind = ML_COLUMN_COUNT,
					     .heading = what };
		c[n++] = (struct ml_column){ ml_arena_printf(a, "%s recorded", what),
					     .kind = ML_COLUMN_COUNT,
					     .heading = "recorded" };
	}
	c[n++] = (struct ml_column){ "why", .kind = ML_COLUMN_TEXT, .heading = "" };
	return n;
}

static void figures(struct ml_table *t, unsigned levels,
		    const struct ml_flow_check_side *p,
		    const struct ml_flow_check_side *r)
{
	ml_table_count(t, p->reads + p->writes);
	ml_table_count(t, r->reads + r->writes);
	ml_table_count(t, p->bytes);
	ml_table_count(t, r->bytes);
	for (unsigned i = 0; i < levels; i++) {
		ml_table_count(t, p->missed[i]);
		ml_table_count(t, r->missed[i]);
	}
}

void flow_check_show(const struct ml_flow_check *k, const struct ml_flow *f,
		     struct ml_buf *out)
{
	struct ml_column column[LEVELS_AT + 2 * ML_LEVELS + 1];
	struct ml_table t = { .columns = column };
	struct ml_arena a = { 0 };

	t.width = columns(column, &k->machine, &a);
	ml_buf_text(out, "\npredicted beside recorded, on ");
	ml_machine_print(&k->machine, out);
	ml_buf_text(out, ", caches empty at first\n");
	for (size_t i = 0; i < k->count; i++) {
		const struct ml_flow_check_row *r = &k->row[i];
		const struct ml_flow_node *loop = r->loop == ML_FLOW_NONE
							  ? NULL
							  : &f->node[r->loop];

		ml_table_text(&t,
			      loop ? ml_arena_printf(&a, "%s, line %" PRIu32,
						     f->names[loop->symbol], loop->line)
				   : "no loop");
		ml_table_text(&t, r->container == ML_FLOW_NONE
					  ? ml_arena_printf(&a, "(%s)", r->array)
					  : r->array);
		figures(&t, k->machine.levels, &r->predicted, &r->recorded);
		ml_table_text(&t, r->why);
	}
	ml_table_text(&t, "all");
	ml_table_text(&t, "arrays");
	figures(&t, k->machine.levels, &k->predicted, &k->recorded);
	ml_table_text(&t, "");
	ml_table_print(&t, cmd_width(), out);
	if (k->predicted.missed[0] != k->recorded.missed[0])
		ml_buf_text(out, "misses also differ where arrays of the program do not "
				 "begin at a line, or lie elsewhere\n");
	for (size_t i = 0; i < f->container_count; i++)
		if (k->region[i])
			ml_buf_printf(out, "%s is '%s' in the trace, by its accesses\n",
				      f->container[i].name, k->region[i]);
	ml_table_release(&t);
	ml_arena_release(&a);
}

#include "cli/text/flow_show.h"

#include <inttypes.h>

#include "cli/cmd.h"
#include "lib/base/buf.h"
#include "lib/base/table.h"
#include "lib/flow/run/experiment.h"
#include "lib/flow/flow.h"

static uint64_t missed(const struct ml_experiment_side *s, size_t container)
{
	const struct ml_locality_container *c = &s->locality.container[container];

	return c->cold + c->misses;
}

/* Accesses, and lines that come in with the threshold. */
static void locality(const struct ml_experiment *x, struct ml_buf *out)
{
	static const struct ml_column columns[] = {
		{ "container", .kind = ML_COLUMN_TEXT },
		{ "reads", .kind = ML_COLUMN_COUNT },
		{ "writes", .kind = ML_COLUMN_COUNT },
		{ "unplaced", .kind = ML_COLUMN_COUNT },
		{ "cold", .kind = ML_COLUMN_COUNT },
		{ "misses", .kind = ML_COLUMN_COUNT },
		{ "bytes", .kind = ML_COLUMN_COUNT, .heading = "bytes moved" },
		{ "bytes_before", .kind = ML_COLUMN_COUNT, .heading = "bytes before" },
	};
	struct ml_table t = { .columns = columns, .width = x->changes ? 8 : 7 };
	const struct ml_locality *l = &x->now.locality;
	const struct ml_flow *f = x->flow;

	ml_buf_printf(out,
		      "\nlines of %" PRIu64 " bytes, a miss is a distance of %" PRIu64
		      " lines or more\n",
		      x->line, x->threshold);
	for (size_t i = 0; i < f->container_count; i++) {
		const struct ml_locality_container *c = &l->container[i];

		if (f->container[i].scalar)
			continue;
		ml_table_text(&t, f->container[i].name);
		ml_table_count(&t, c->reads);
		ml_table_count(&t, c->writes);
		ml_table_count(&t, l->walk.placed[i].unplaced);
		ml_table_count(&t, c->cold);
		ml_table_count(&t, c->misses);
		ml_table_count(&t, missed(&x->now, i) * x->line);
		if (x->changes)
			ml_table_count(&t, missed(&x->before, i) * x->line);
	}
	ml_table_print(&t, cmd_width(), out);
	ml_table_release(&t);
}

enum { CAUSES = 3 }; /* cold, capacity, conflict */

static void served_row(struct ml_table *t, const struct ml_experiment *x,
		       const struct ml_served_counts *now,
		       const struct ml_served_counts *before)
{
	const struct ml_served *s = &x->now.served;

	for (unsigned i = 1; i <= s->machine.levels; i++) {
		ml_table_count(t, ml_served_missed(s, now, i));
		if (before)
			ml_table_count(t, ml_served_missed(s, before, i));
	}
	for (int i = ML_CAUSE_COLD; s->causes && i <= ML_CAUSE_CONFLICT; i++)
		ml_table_count(t, now->cause[i]);
}

static size_t served_columns(struct ml_column *column, size_t n,
			     const struct ml_experiment *x, struct ml_arena *a)
{
	const struct ml_machine *m = &x->simulated;

	for (unsigned i = 0; i < m->levels; i++) {
		const char *name = ml_machine_level_name(m, i + 1);

		column[n++] = (struct ml_column){
			ml_arena_printf(a, "%s_misses", name), .kind = ML_COLUMN_COUNT,
			.heading = ml_arena_printf(a, "%s misses", name)
		};
		if (x->changes)
			column[n++] =
				(struct ml_column){ ml_arena_printf(a, "%s_before", name),
						    .kind = ML_COLUMN_COUNT,
						    .heading = "before" };
	}
	for (int i = ML_CAUSE_COLD; !x->no_causes && i <= ML_CAUSE_CONFLICT; i++)
		column[n++] = (struct ml_column){ ml_cause_names[i],
						  .kind = ML_COLUMN_COUNT };
	return n;
}

static void by_container(const struct ml_experiment *x, struct ml_arena *a,
			 struct ml_buf *out)
{
	struct ml_column column[1 + 2 * ML_LEVELS + CAUSES] = {
		{ "container", .kind = ML_COLUMN_TEXT }
	};
	struct ml_table t = { .columns = column };

	t.width = served_columns(column, 1, x, a);
	for (size_t i = 0; i < x->flow->container_count; i++) {
		if (x->flow->container[i].scalar)
			continue;
		ml_table_text(&t, x->flow->container[i].name);
		served_row(&t, x, &x->now.served.by_container[i],
			   x->changes ? &x->before.served.by_container[i] : NULL);
	}
	ml_table_text(&t, "all");
	served_row(&t, x, &x->now.served.all, x->changes ? &x->before.served.all : NULL);
	ml_table_print(&t, cmd_width(), out);
	ml_table_release(&t);
}

static void by_access(const struct ml_experiment *x, struct ml_arena *a,
		      struct ml_buf *out)
{
	struct ml_column column[4 + 2 * ML_LEVELS + CAUSES] = {
		{ "access", .kind = ML_COLUMN_TEXT },
		{ "kind", .kind = ML_COLUMN_TEXT, .heading = "" },
		{ "line", .kind = ML_COLUMN_COUNT, .heading = "in line" },
		{ "accesses", .kind = ML_COLUMN_COUNT },
	};
	struct ml_table t = { .columns = column };
	const struct ml_flow *f = x->flow;
	size_t at = 0;

	t.width = served_columns(column, 4, x, a);
	for (size_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++, at++) {
			const struct ml_flow_access *y = &f->node[i].access[j];
			const struct ml_served_counts *c = &x->now.served.by_access[at];

			if (f->container[y->container].scalar)
				continue;
			ml_table_text(&t, f->container[y->container].name);
			ml_table_text(&t, y->write ? "written" : "read");
			ml_table_count(&t, y->line ? y->line : f->node[i].line);
			ml_table_count(&t, c->served[0] + ml_served_missed(&x->now.served,
									   c, 1));
			served_row(&t, x, c,
				   x->changes ? &x->before.served.by_access[at] : NULL);
		}
	ml_table_print(&t, cmd_width(), out);
	ml_table_release(&t);
}

static void machine(const struct ml_experiment *x, struct ml_buf *out)
{
	struct ml_arena a = { 0 };
	uint64_t now = ml_served_cycles(&x->now.served, &x->now.served.all);

	ml_buf_text(out, "\n");
	ml_machine_print(&x->simulated, out);
	ml_buf_text(out, "\naccesses that missed each level");
	if (!x->no_causes)
		ml_buf_printf(out, "; causes are those of %s",
			      ml_machine_level_name(&x->simulated, 1));
	ml_buf_text(out, "\n");
	by_container(x, &a, out);
	ml_buf_text(out, "\n");
	by_access(x, &a, out);
	if (now) {
		ml_buf_printf(out,
			      "\ncycles of all accesses, one after another: %" PRIu64,
			      now);
		if (x->changes)
			ml_buf_printf(out, "; before: %" PRIu64,
				      ml_served_cycles(&x->before.served,
						       &x->before.served.all));
		ml_buf_text(out, "\n");
	}
	ml_arena_release(&a);
}

void flow_show(const struct ml_experiment *x, struct ml_buf *out)
{
	if (x->legality.said)
		ml_buf_printf(out, "\n%s\n", x->legality.said);
	locality(x, out);
	if (x->has_machine)
		machine(x, out);
}

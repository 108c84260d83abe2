#include <string.h>

#include "lib/analyse/passes/replay.h"
#include "lib/query/trace/tables/analysed_trace.h"
#include "lib/query/trace/tables/compare.h"
#include "lib/query/trace/tables/compare_tables.h"
#include "lib/query/trace/tables/promises.h"
#include "lib/query/trace/text/diff_text.h"
#include "lib/query/trace/text/diff_values.h"
#include "lib/query/trace/text/tell_trace.h"
#include "lib/query/trace/text/trace_notes.h"
#include "lib/query/workspace/ask.h"

static bool open_side(struct ml_analysed_trace *s, const char *path, const char *machine,
		      const struct ml_ask *q, struct ml_buf *notes, struct ml_err *err)
{
	struct ml_analysed_trace_options o = { .interleave = q->interleave,
					       .window = q->window,
					       .work = q->work };

	if (!ml_machine_parse(&o.machine, machine, err) ||
	    !ml_analysed_trace_open(s, path, &o, err))
		return false;
	ml_trace_note_unkept(notes, q->command, &s->simulation);
	return true;
}

static void put_promises(const struct ml_compare *c, struct ml_buf *out)
{
	struct ml_arena a = { 0 };
	struct ml_promises p = ml_promises_make(c, &a);

	ml_promises_json(&p, out);
	ml_arena_release(&a);
}

static void print(struct ml_compare *c, const char *const path[2], const struct ml_ask *q,
		  struct ml_buf *out)
{
	if (q->promised && q->form == ML_FORM_JSON)
		put_promises(c, out);
	else if (q->promised)
		ml_diff_promises(c, q->columns, out);
	else if (q->form == ML_FORM_JSON)
		ml_compare_json(c, ml_ask_rows(q), out);
	else if (q->form == ML_FORM_CSV)
		ml_compare_csv(c, q->table, ml_ask_rows(q), out);
	else
		ml_diff_text(c, path, ml_ask_rows(q), q->columns, out);
}

/* What can be refused before long work. */
static bool check(const char *const path[2], const struct ml_ask *q, struct ml_err *err)
{
	if (q->machines > 2)
		return ml_fail(err, ML_USAGE,
			       "--machine may be given twice, not %u times", q->machines);
	if (path[0] == path[1] && q->machines < 2)
		return ml_fail(err, ML_USAGE,
			       "one trace needs two machines to compare: give --machine "
			       "twice, or a second trace");
	if (q->form == ML_FORM_CSV && !ml_compare_has_table(q->table))
		return ml_fail(
			err, ML_USAGE,
			"there is no table '%s'; tables are totals, lines, regions and "
			"findings",
			q->table);
	return ml_diff_values_check(q->fail_if, q->fail_if_count, err);
}

static bool compare(struct ml_analysed_trace *a, struct ml_analysed_trace *b,
		    const char *const path[2], const struct ml_ask *q, struct ml_told *t,
		    struct ml_err *err)
{
	struct ml_compare c;

	ml_trace_note_killed(&t->notes, q->command, &a->trace);
	if (path[0] != path[1])
		ml_trace_note_killed(&t->notes, q->command, &b->trace);
	ml_compare_make(&c, a, b);
	print(&c, path, q, &t->out);
	bool ok = ml_diff_values_test(&c, q->fail_if, q->fail_if_count, &t->crossed, err);
	t->part = ml_trace_is_part(&a->simulation, &a->trace) ||
		  ml_trace_is_part(&b->simulation, &b->trace);
	ml_compare_release(&c);
	return ok;
}

bool ml_trace_diff(const char *const path[2], const struct ml_ask *q, struct ml_told *t,
		   struct ml_err *err)
{
	const char *first = q->machine[0] ? q->machine[0] : "host";
	struct ml_analysed_trace a, b;

	if (!check(path, q, err) || !open_side(&a, path[0], first, q, &t->notes, err))
		return false;
	bool ok = open_side(&b, path[1], q->machines > 1 ? q->machine[1] : first, q,
			    &t->notes, err);
	if (ok) {
		ok = compare(&a, &b, path, q, t, err);
		ml_analysed_trace_close(&b);
	}
	ml_analysed_trace_close(&a);
	return ok;
}

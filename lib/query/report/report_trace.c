#include "lib/query/kinds/kinds.h"
#include "lib/query/report/report.h"
#include "lib/query/report/simulated_window.h"
#include "lib/query/workspace/ask.h"

enum { USUAL = 12, TOP_MAX = 1000 };

bool ml_trace_report(const char *path, const struct ml_ask *q, struct ml_told *t,
		     struct ml_err *err)
{
	struct ml_window_wish w = { path, q->phase, q->from, q->to };
	struct ml_report_options o = { .phase = q->phase,
				       .top = !q->top            ? USUAL
					      : q->top < TOP_MAX ? q->top
								 : TOP_MAX,
				       .no_source = q->no_source,
				       .work = q->work };
	struct ml_workspace ws;
	struct ml_machine machine;

	if (!ml_heat_mode_find(&o.mode, q->mode ? q->mode : "misses", err))
		return false;
	if (!ml_machine_parse(&machine, q->machine[0] ? q->machine[0] : "host", err))
		return false;
	ml_workspace_init(&ws, ml_kinds, ml_common_routes, &machine);
	struct ml_simulated_window s = { .workspace = &ws,
					 .command = q->command,
					 .work = q->work };
	bool ok = ml_simulated_window_open(&s, &w, err);
	ml_buf_put(&t->notes, s.notes.data, s.notes.size);
	if (ok) {
		o.from = s.from;
		o.to = s.to;
		ok = ml_report(s.sim, &o, &t->out, err);
		t->part = ml_simulated_window_is_part(&s);
	}
	ml_buf_release(&s.notes);
	ml_workspace_close(&ws);
	return ok;
}

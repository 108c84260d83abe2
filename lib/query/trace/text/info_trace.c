#include "lib/query/trace/tables/summary.h"
#include "lib/query/trace/text/info_tables.h"
#include "lib/query/trace/text/info_text.h"
#include "lib/query/trace/text/tell_trace.h"
#include "lib/query/workspace/ask.h"
#include "lib/trace/trace.h"

static bool print(struct ml_summary *s, const struct ml_ask *q, struct ml_buf *out,
		  struct ml_err *err)
{
	if (q->form == ML_FORM_CSV)
		return ml_info_csv(s, q->table, ml_ask_rows(q), out, err);
	if (q->form == ML_FORM_JSON)
		ml_info_json(s, ml_ask_rows(q), out);
	else
		ml_info_text(s, q->top, q->columns, out);
	return true;
}

bool ml_trace_info(const char *path, const struct ml_ask *q, struct ml_told *t,
		   struct ml_err *err)
{
	struct ml_trace trace;
	struct ml_summary summary;

	if (!ml_trace_open(&trace, path, err))
		return false;
	bool ok = ml_summary_open(&summary, &trace, q->work, err);
	if (ok) {
		ok = print(&summary, q, &t->out, err);
		t->part = summary.damage || trace.damage;
		ml_summary_close(&summary);
	}
	ml_trace_close(&trace);
	return ok;
}

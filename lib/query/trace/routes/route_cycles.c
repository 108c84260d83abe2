#include "lib/query/trace/routes/route_cycles.h"

#include <string.h>

#include "lib/query/trace/routes/route_cycles_parts.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_cycles.h"
#include "lib/query/trace/open/open_trace.h"
#include "lib/query/workspace/workspace.h"

enum { LINES = 20 };

static bool find_cycle(struct cycles_request *x, const struct ml_request *q,
		       struct ml_err *err)
{
	const char *basis = ml_request_text(q, "basis");
	const struct ml_cycle_list *l = &x->cycles->cycles.found;
	uint64_t number;

	if (basis && !strcmp(basis, "reduced"))
		l = &x->cycles->cycles.reduced;
	else if (basis && strcmp(basis, "found") != 0)
		return ml_fail(err, ML_USAGE, "basis=%s is neither found nor reduced",
			       basis);
	if (!ml_request_u64(q, "class", 0, &number, err))
		return false;
	if (number >= l->count)
		return ml_fail(err, ML_USAGE, "class=%llu: there are %zu",
			       (unsigned long long)number, l->count);
	x->cycle = &l->at[number];
	return !x->cycle->refused ||
	       ml_fail(err, ML_USAGE, "class=%llu has no coordinate: %s",
		       (unsigned long long)number, x->cycle->refused);
}

void cycles_request_end(struct cycles_request *x)
{
	ml_cycle_view_release(&x->view);
	ml_open_cycles_give(&x->trace->cycles);
}

bool cycles_request_begin(struct cycles_request *x, struct ml_workspace *ws,
			  const struct ml_request *q, bool with_class, struct ml_err *err)
{
	uint64_t from, to;

	*x = (struct cycles_request){ .trace = ml_open_trace(ws, q->number[0], err) };
	if (!x->trace)
		return false;
	x->cycles = ml_open_cycles_take(&x->trace->cycles, &x->trace->trace, q, err);
	if (!x->cycles)
		return false;
	ml_cycle_view_of_trace(&x->view, &x->cycles->cycles, &x->cycles->windows,
			       &x->trace->trace.tables);
	if (!with_class)
		return true;
	if (!find_cycle(x, q, err) ||
	    !ml_request_window(q, x->trace->trace.count, &from, &to, err)) {
		cycles_request_end(x);
		return false;
	}
	x->first = ml_trace_windows_moment(&x->cycles->windows, from);
	x->end = ml_trace_windows_moment(&x->cycles->windows, to);
	return true;
}

int cycles_most_used(const void *x, const void *y)
{
	const struct cycles_use *a = x, *b = y;

	if (a->uses != b->uses)
		return a->uses > b->uses ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

bool ml_route_cycles(struct ml_workspace *ws, const struct ml_request *q,
		     struct ml_answer *a, struct ml_err *err)
{
	struct cycles_request x;

	if (!cycles_request_begin(&x, ws, q, false, err))
		return false;
	ml_json_object(&a->json);
	ml_answer_u64(a, "thread", x.cycles->windows.thread);
	ml_json_key(&a->json, "by_names");
	ml_json_array(&a->json);
	for (const char *const *name = ml_cycles_by_names; *name; name++)
		ml_json_string(&a->json, *name);
	ml_json_end(&a->json);
	ml_cycle_json(&x.view, LINES, &a->json);
	ml_json_end(&a->json);
	cycles_request_end(&x);
	return true;
}

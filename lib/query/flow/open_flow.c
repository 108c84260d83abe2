#include "lib/query/flow/open_flow.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/flow/flow.h"
#include "lib/flow/open.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/workspace/workspace.h"

struct ml_document *ml_open_flow_open(struct ml_workspace *ws, const char *path,
				      struct ml_err *err)
{
	struct ml_flow *f = ml_flow_open(path, NULL, err);

	if (!f)
		return NULL;
	struct ml_open_flow *x = ml_resize(NULL, sizeof(*x));
	memset(x, 0, sizeof(*x));
	x->flow = f;
	ml_flow_counts_make(&x->counts, f);
	x->document = (struct ml_document){ .kind = &ml_kind_flow,
					    .workspace = ws,
					    .path = f->path };
	return &x->document;
}

void ml_open_flow_close(struct ml_document *d)
{
	struct ml_open_flow *x = (struct ml_open_flow *)d;

	ml_flow_counts_release(&x->counts);
	ml_flow_close(x->flow);
	ml_free(x);
}

struct ml_open_flow *ml_open_flow(struct ml_workspace *ws, uint64_t number,
				  struct ml_err *err)
{
	return (struct ml_open_flow *)ml_workspace_document(ws, "flow", number, err);
}

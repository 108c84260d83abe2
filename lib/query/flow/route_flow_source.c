/* The text of a flow: its source files, or the listing where there is none. */
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/file.h"
#include "lib/base/path.h"
#include "lib/flow/flow.h"
#include "lib/flow/flow_text.h"
#include "lib/query/flow/open_flow.h"
#include "lib/query/flow/route_flow.h"
#include "lib/query/workspace/answer.h"

enum { SOURCE = 16 << 20 }; /* bytes of a source file */
enum { LINES = 50000 };     /* of a listing */

static bool names_file(const struct ml_flow *f, const char *file)
{
	for (size_t i = 0; i < f->node_count; i++)
		if (f->node[i].file && !strcmp(f->node[i].file, file))
			return true;
	return false;
}

/*
 * An .sdfg has the paths of the machine that wrote it, or paths relative to the folder
 * that DaCe ran in. So a file of that name beside the .sdfg is taken as well.
 */
static bool read_source(const struct ml_flow *f, const char *file, struct ml_answer *a,
			char **text, size_t *size, struct ml_err *err)
{
	size_t folder = (size_t)(ml_path_name(f->path) - f->path);
	struct ml_err beside;

	if ((*file == '/' || file == f->path) &&
	    ml_file_read(file, SOURCE, &a->arena, text, size, err))
		return true;
	if (file == f->path)
		return false;
	const char *near = ml_arena_printf(&a->arena, "%.*s%s", (int)folder, f->path,
					   ml_path_name(file));
	return ml_file_read(near, SOURCE, &a->arena, text, size, &beside) ||
	       ml_fail(err, ML_IO, "%s is not on this machine, and not beside %s", file,
		       ml_path_name(f->path));
}

bool ml_route_flow_source(struct ml_workspace *ws, const struct ml_request *q,
			  struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_function *x = ml_open_function(ws, q, err);
	const char *file = ml_request_text(q, "file");
	char *text;
	size_t size;

	if (!x)
		return false;
	if (!file || !*file || !strcmp(file, x->flow->path))
		file = x->flow->path;
	else if (!names_file(x->flow, file))
		return ml_fail(err, ML_USAGE, "no node of the flow is in '%s'", file);
	if (!read_source(x->flow, file, a, &text, &size, err))
		return false;
	a->kind = ML_ANSWER_TEXT;
	ml_buf_put(&a->head, text, size);
	return true;
}

bool ml_route_flow_listing(struct ml_workspace *ws, const struct ml_request *q,
			   struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_function *x = ml_open_function(ws, q, err);
	struct ml_flow_text l;

	if (!x)
		return false;
	ml_flow_text_make(&l, x->flow, &a->arena);
	ml_json_object(&a->json);
	ml_json_key_u64(&a->json, "lines", l.count);
	ml_json_key_array(&a->json, "listing");
	for (size_t i = 0; i < l.count && i < LINES; i++) {
		ml_json_object(&a->json);
		ml_json_key_u64(&a->json, "node", l.line[i].node);
		ml_json_key_u64(&a->json, "depth", l.line[i].depth);
		ml_json_key_string(&a->json, "text", l.line[i].text);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
	ml_json_end(&a->json);
	return true;
}

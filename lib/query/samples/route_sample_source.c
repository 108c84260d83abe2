/*
 * Source files that samples name, where they are at hand: in the folder of the samples
 * (Mitos keeps copies in src/), at the path that the samples give, or inside an open
 * trace of the same program. No other file can be read.
 */
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/path.h"
#include "lib/query/samples/route_samples.h"
#include "lib/query/samples/sample_request.h"
#include "lib/query/trace/open/open_trace.h"
#include "lib/query/workspace/workspace.h"

enum { SOURCE_MAX = 8 << 20 }; /* bytes */

static bool is_named(const struct ml_samples *s, const char *file)
{
	const struct ml_samples_column *c = ml_samples_role(s, ML_SAMPLES_FILE);

	if (c && c->kind == ML_SAMPLES_NAMES)
		for (size_t i = 0; i < c->name_count; i++)
			if (!strcmp(c->names[i], file))
				return true;
	return false;
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* The folder that a path lies in, or the path if it is a folder. */
static const char *folder_of(const char *path, struct ml_arena *a)
{
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return path;
	const char *slash = strrchr(path, '/');
	return slash ? ml_arena_copy(a, path, (size_t)(slash - path)) : ".";
}

static const char *find_file(const char *samples, const char *file, struct ml_arena *a)
{
	const char *folder = folder_of(samples, a);
	const char *const tries[] = {
		ml_arena_printf(a, "%s/src/%s", folder, file),
		ml_arena_printf(a, "%s/src/%s", folder, ml_path_name(file)),
		ml_arena_printf(a, "%s/%s", folder, file),
		ml_arena_printf(a, "%s/%s", folder, ml_path_name(file)),
		file,
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++)
		if (is_file(tries[i]))
			return tries[i];
	return NULL;
}

/* Whether one path ends in the other, by whole names. */
static bool same_end(const char *a, const char *b)
{
	size_t x = strlen(a), y = strlen(b);
	const char *longer = x >= y ? a : b, *shorter = x >= y ? b : a;
	size_t more = strlen(longer) - strlen(shorter);

	return !strcmp(longer + more, shorter) && (!more || longer[more - 1] == '/');
}

/* The text that an open trace keeps. */
static const struct ml_open_trace_file *in_trace(struct ml_workspace *ws,
						 const char *file)
{
	struct ml_document *d;

	for (size_t i = 0; (d = ml_workspace_each(ws, i)); i++) {
		struct ml_open_trace *t = (struct ml_open_trace *)d;

		if (strcmp(d->kind->name, "trace") != 0)
			continue;
		for (size_t k = 0; k < t->file_count; k++)
			if (t->files[k].text &&
			    same_end(ml_tables_text(&t->trace.tables, t->files[k].path),
				     file))
				return &t->files[k];
	}
	return NULL;
}

bool ml_route_samples_source(struct ml_workspace *ws, const struct ml_request *q,
			     struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_samples *x = ml_open_samples(ws, q->number[0], err);
	const char *file = ml_request_text(q, "file"), *path;
	const struct ml_open_trace_file *kept;
	char *text = NULL;
	size_t size = 0;

	if (!x)
		return false;
	if (!file || !is_named(&ml_open_samples_table(x)->s, file))
		return ml_fail(err, ML_USAGE, "the samples name no file '%s'",
			       file ? file : "");
	kept = in_trace(ws, file);
	path = kept ? NULL : find_file(x->document.path, file, &a->arena);
	if (path && !ml_file_read(path, SOURCE_MAX, &a->arena, &text, &size, err))
		return false;
	ml_json_object(&a->json);
	ml_json_key_string(&a->json, "file", file);
	ml_json_key_string(&a->json, "path", path);
	ml_json_key(&a->json, "text");
	if (kept)
		ml_json_bytes(&a->json, kept->text, kept->size);
	else if (path)
		ml_json_bytes(&a->json, text, size);
	else
		ml_json_null(&a->json);
	ml_json_end(&a->json);
	return true;
}

#include "lib/query/trace/open/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/analyse/passes/user_lines.h"
#include "lib/query/trace/open/open_trace.h"
#include "lib/query/workspace/request.h"

/* Marks the sites whose place is the line, or stands in the function. */
static void mark_sites(struct ml_selection *s, const struct ml_tables *t, uint32_t file,
		       uint32_t line, uint32_t func, struct ml_arena *a)
{
	struct ml_user_lines places;

	s->sites = ml_arena_alloc(a, t->sites.count * sizeof(*s->sites));
	ml_user_lines_init(&places, t);
	for (uint32_t i = 0; i < t->sites.count; i++) {
		struct ml_user_line p = ml_user_lines_find(&places, i, 0);

		s->sites[i] = func ? p.own ? p.func == func
					   : ml_tables_frame(t, i).func == func
				   : p.own && p.line == line && p.file == file;
	}
	ml_user_lines_release(&places);
}

static bool word(const char *text, const char *const *words, size_t count, unsigned *v)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] && !strcmp(text, words[i])) {
			*v = (unsigned)i;
			return true;
		}
	return false;
}

static bool read_place(struct ml_selection *s, const struct ml_request *q,
		       const struct ml_open_trace *t, struct ml_arena *a,
		       struct ml_err *err)
{
	const char *line = ml_request_text(q, "line"), *func = ml_request_text(q, "func");
	const struct ml_tables *tables = &t->trace.tables;

	if (line) {
		uint32_t file, number;
		char rest;

		if (sscanf(line, "%" SCNu32 ":%" SCNu32 "%c", &file, &number, &rest) !=
			    2 ||
		    file >= t->file_count)
			return ml_fail(
				err, ML_USAGE,
				"line=%s is not FILE:LINE with a file of the trace",
				line);
		mark_sites(s, tables, t->files[file].path, number, 0, a);
	}
	if (func) {
		uint32_t name = ml_names_find(&tables->names, func);

		if (line)
			return ml_fail(err, ML_USAGE,
				       "line and func cannot be given together");
		if (name == UINT32_MAX)
			return ml_fail(err, ML_USAGE, "the trace has no function %s",
				       func);
		mark_sites(s, tables, 0, 0, name, a);
	}
	return true;
}

static bool read_words(struct ml_selection *s, const struct ml_request *q,
		       struct ml_err *err)
{
	static const char *const kinds[] = { "read", "write", "fetch" };
	const char *kind = ml_request_text(q, "kind"),
		   *cause = ml_request_text(q, "cause");
	const char *offset = ml_request_text(q, "offset");
	char rest;

	s->kinds = kind != NULL;
	s->causes = cause != NULL;
	s->offsets = offset != NULL;
	if (kind && !word(kind, kinds, sizeof(kinds) / sizeof(*kinds), &s->kind))
		return ml_fail(err, ML_USAGE, "kind=%s is not read, write or fetch",
			       kind);
	if (cause && !word(cause, ml_cause_names, ML_CAUSES, &s->cause))
		return ml_fail(err, ML_USAGE, "cause=%s is no cause of a miss", cause);
	if (offset &&
	    (sscanf(offset, "%" SCNu64 "-%" SCNu64 "%c", &s->low, &s->high, &rest) != 2 ||
	     s->low >= s->high || !ml_request_text(q, "region")))
		return ml_fail(err, ML_USAGE,
			       "offset=%s is not LOW-HIGH in bytes of a region", offset);
	return true;
}

bool ml_selection_read(struct ml_selection *s, const struct ml_request *q,
		       const struct ml_open_trace *t, struct ml_arena *a,
		       struct ml_err *err)
{
	uint64_t region, thread, level;

	*s = (struct ml_selection){ 0 };
	if (!ml_request_u64(q, "region", 0, &region, err) ||
	    !ml_request_u64(q, "thread", 0, &thread, err) ||
	    !ml_request_u64(q, "level", 0, &level, err) || !read_place(s, q, t, a, err) ||
	    !read_words(s, q, err))
		return false;
	s->regions = ml_request_text(q, "region") != NULL;
	s->threads = ml_request_text(q, "thread") != NULL;
	s->levels = ml_request_text(q, "level") != NULL;
	s->region = (uint32_t)region;
	s->thread = (uint16_t)thread;
	s->level = (unsigned)level;
	s->any = s->sites || s->regions || s->threads || s->kinds || s->levels ||
		 s->causes || s->offsets;
	return true;
}

unsigned ml_selection_want(const struct ml_selection *s)
{
	return (s->levels || s->causes ? ML_WALK_OUTCOMES : 0u) |
	       (s->offsets ? ML_WALK_PLACES : 0u);
}

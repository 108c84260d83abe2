#include "lib/query/trace/text/code_text.h"

#include "lib/query/workspace/say.h"
#include "lib/base/path.h"
#include "lib/query/trace/tables/code_rows.h"
#include "lib/query/trace/tables/source_lines.h"

const char *ml_code_place(struct ml_say *s, const struct ml_code_line *l,
			  size_t file_room, size_t name_room)
{
	if (!l->own)
		return "none of yours";
	if (l->line)
		return ml_arena_printf(&s->arena, "%s:%u",
				       ml_say_cut(s, ml_path_name(l->file), file_room),
				       l->line);
	if (*l->func)
		return ml_say_cut(s, l->func, name_room);
	return *l->object ? ml_path_name(l->object) : "unknown";
}

const char *ml_code_source(struct ml_say *s, const struct ml_code_line *l, uint64_t refs,
			   struct ml_source_lines *sources, size_t name_room)
{
	const char *text = l->line ? ml_source_lines_find(sources, l->file, l->line)
				   : NULL;
	const char *func = l->line ? l->func : *l->object ? ml_path_name(l->object) : "";

	if (!l->own)
		return "loader, start-up, libraries on their own";
	if (!text)
		text = ml_arena_printf(&s->arena, l->line && *func ? "in %s" : "%s",
				       func);
	if (l->through && *l->through && l->library * 2 > refs)
		text = ml_arena_printf(
			&s->arena, "(%s) %s",
			ml_say_cut(s, ml_say_plain_name(s, l->through), name_room), text);
	return text;
}

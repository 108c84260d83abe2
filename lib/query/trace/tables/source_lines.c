#include "lib/query/trace/tables/source_lines.h"

#include <string.h>

#include "lib/trace/trace.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Copies the text; several blanks or tabs in a row become one blank. */
static const char *copy_line(struct ml_arena *a, const char *at, const char *stop)
{
	char *copy = ml_arena_alloc(a, (size_t)(stop - at) + 1), *to = copy;

	for (; at < stop; at++)
		if (!is_blank(*at))
			*to++ = *at;
		else if (!is_blank(at[-1])) /* the first character is no blank */
			*to++ = ' ';
	*to = 0;
	return copy;
}

const char *ml_source_lines_find(struct ml_source_lines *s, const char *path,
				 uint32_t line)
{
	uint32_t number = ml_names_find(&s->paths, path);

	if (number == UINT32_MAX) {
		number = ml_names_add(&s->paths, path);
		s->files = ml_grow(s->files, &s->cap, number + 1, sizeof(*s->files));
		s->files[number].text = ml_trace_source(
			s->trace, path, &s->files[number].size, &s->arena);
	}
	const struct ml_source_text *file = &s->files[number];
	if (!file->text || !line)
		return NULL;
	const char *at = file->text, *end = at + file->size;
	for (; line > 1; line--) {
		at = memchr(at, '\n', (size_t)(end - at));
		if (!at)
			return NULL; /* the file changed after the program was built */
		at++;
	}
	const char *stop = memchr(at, '\n', (size_t)(end - at));
	if (!stop)
		stop = end;
	while (at < stop && is_blank(*at))
		at++;
	while (stop > at && is_blank(stop[-1]))
		stop--;
	return copy_line(&s->arena, at, stop);
}

void ml_source_lines_release(struct ml_source_lines *s)
{
	ml_names_release(&s->paths);
	ml_free(s->files);
	ml_arena_release(&s->arena);
	*s = (struct ml_source_lines){ 0 };
}

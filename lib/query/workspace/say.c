#include "lib/query/workspace/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/plain.h"
#include "lib/base/table.h"

enum { COLUMNS_MAX = 100 };

void ml_say_start(struct ml_say *s, struct ml_buf *out, int columns)
{
	*s = (struct ml_say){
		.out = out,
		.columns = columns > 0 && columns < COLUMNS_MAX ? columns : COLUMNS_MAX,
	};
}

void ml_say_end(struct ml_say *s)
{
	ml_arena_release(&s->arena);
}

void ml_say(struct ml_say *s, const char *fmt, ...)
{
	size_t from = s->out->size;
	va_list ap;

	va_start(ap, fmt);
	ml_buf_vprintf(s->out, fmt, ap);
	va_end(ap);
	if (s->out->size > from) /* names and command lines are foreign */
		ml_plain((char *)s->out->data + from, s->out->size - from, true);
}

void ml_say_rows(struct ml_say *s, const struct ml_table *table, size_t all,
		 const char *what)
{
	struct ml_buf lines = { 0 };

	ml_table_print(table, s->columns - 2, &lines);
	for (size_t at = 0; at < lines.size;) {
		const uint8_t *end = memchr(lines.data + at, '\n', lines.size - at);
		size_t size = (size_t)(end - (lines.data + at)) + 1;

		ml_buf_put(s->out, "  ", 2);
		ml_buf_put(s->out, lines.data + at, size);
		at += size;
	}
	if (all > ml_table_rows(table))
		ml_say(s, "  and %s more %s\n",
		       ml_say_count(s, all - ml_table_rows(table)), what);
	ml_buf_release(&lines);
}

void ml_say_table(struct ml_say *s, struct ml_table *table, size_t all, const char *what)
{
	ml_say_rows(s, table, all, what);
	ml_table_release(table);
}

const char *ml_say_count(struct ml_say *s, uint64_t v)
{
	return ml_format_count(ml_arena_alloc(&s->arena, ML_NUMBER_ROOM), v);
}

const char *ml_say_bytes(struct ml_say *s, uint64_t v)
{
	return ml_format_bytes(ml_arena_alloc(&s->arena, ML_NUMBER_ROOM), v);
}

const char *ml_say_plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

double ml_say_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

const char *ml_say_percent(struct ml_say *s, double share)
{
	double percent = 100 * share;

	if (percent > 0 && percent < 0.01)
		return "<0.01 %";
	return ml_arena_printf(&s->arena,
			       percent >= 0.1 || percent <= 0 ? "%.1f %%" : "%.2g %%",
			       percent);
}

const char *ml_say_cut(struct ml_say *s, const char *name, size_t room)
{
	size_t size = 0, n = 0;

	for (; name[size] && n < room; size++)
		n += (name[size + 1] & 0xc0) != 0x80;
	if (!name[size])
		return name;
	for (size = 0, n = 0; n < room - 1; size++)
		n += (name[size + 1] & 0xc0) != 0x80;
	return ml_arena_printf(&s->arena, "%.*s…", (int)size, name);
}

const char *ml_say_plain_name(struct ml_say *s, const char *name)
{
	static const char *const variants[] = { "_avx", "_sse", "_ssse", "_evex",
						"_erms" };

	for (size_t i = 0;
	     !strncmp(name, "__", 2) && i < sizeof(variants) / sizeof(*variants); i++) {
		const char *end = strstr(name, variants[i]);

		if (end)
			return ml_arena_printf(&s->arena, "%.*s", (int)(end - name - 2),
					       name + 2);
	}
	return name;
}

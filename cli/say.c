#include "cli/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "lib/analyse/passes/profile.h"
#include "lib/base/buf.h"
#include "lib/base/plain.h"
#include "lib/base/table.h"
#include "lib/cache/machine/machine.h"
#include "lib/trace/tables.h"
#include "lib/trace/trace.h"

enum { COLUMNS_MAX = 100 };

void say_start(struct say *s, struct ml_buf *out)
{
	int columns = cmd_width();

	*s = (struct say){
		.out = out,
		.columns = columns > 0 && columns < COLUMNS_MAX ? columns : COLUMNS_MAX,
	};
}

void say_end(struct say *s)
{
	ml_arena_release(&s->arena);
}

void say(struct say *s, const char *fmt, ...)
{
	size_t from = s->out->size;
	va_list ap;

	va_start(ap, fmt);
	ml_buf_vprintf(s->out, fmt, ap);
	va_end(ap);
	if (s->out->size > from) /* names and command lines are foreign */
		ml_plain((char *)s->out->data + from, s->out->size - from, true);
}

void say_table(struct say *s, struct ml_table *table, size_t all, const char *what)
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
		say(s, "  and %s more %s\n", say_count(s, all - ml_table_rows(table)),
		    what);
	ml_buf_release(&lines);
	ml_table_release(table);
}

const char *say_count(struct say *s, uint64_t v)
{
	return ml_format_count(ml_arena_alloc(&s->arena, ML_NUMBER_ROOM), v);
}

const char *say_bytes(struct say *s, uint64_t v)
{
	return ml_format_bytes(ml_arena_alloc(&s->arena, ML_NUMBER_ROOM), v);
}

const char *say_plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

double say_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

const char *say_percent(struct say *s, double share)
{
	double percent = 100 * share;

	if (percent > 0 && percent < 0.01)
		return "<0.01 %";
	return ml_arena_printf(&s->arena,
			       percent >= 0.1 || percent <= 0 ? "%.1f %%" : "%.2g %%",
			       percent);
}

const char *say_cut(struct say *s, const char *name, size_t room)
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

const char *say_plain_name(struct say *s, const char *name)
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

void say_machine(struct say *s, const struct ml_machine *m)
{
	say(s, "on %s", *m->name ? m->name : "a machine with");
	for (unsigned i = 0; i < m->levels; i++)
		say(s, "%s %s %s",
		    i          ? ","
		    : *m->name ? ":"
			       : "",
		    m->level[i].name, say_bytes(s, m->level[i].size));
}

static void say_gaps(struct say *s, const struct ml_tables *t, enum ml_gap_reason reason,
		     const char *why)
{
	uint64_t gaps = 0, missing = 0;
	bool unknown = false;

	for (size_t i = 0; i < t->gaps.count; i++)
		if (t->gaps.at[i].reason == reason) {
			gaps++;
			missing += t->gaps.at[i].count;
			unknown |= !t->gaps.at[i].count;
		}
	if (!gaps)
		return;
	say(s, "MISSING: ");
	if (missing || !unknown)
		say(s, "%s%s %s ", unknown ? "at least " : "", say_count(s, missing),
		    say_plural(missing, "reference", "references"));
	else
		say(s, "an unknown number of references ");
	say(s, "%s, in %s %s\n", why, say_count(s, gaps),
	    say_plural(gaps, "gap", "gaps"));
}

void say_stopped(struct say *s, const struct ml_profile *p)
{
	say(s,
	    "PARTIAL: stopped after %s of %s references; the counts below are of these\n",
	    say_count(s, p->refs), say_count(s, p->to - p->from));
}

void say_missing(struct say *s, const struct ml_trace *t, const char *damage,
		 uint64_t done)
{
	static const char *const reasons[] = {
		[ML_GAP_SKIPPED] =
			"skipped as asked (--skip, --from-mark, --only-in, MEMLAMP_STOP)",
		[ML_GAP_SAMPLING] = "left out by sampling (--every)",
		[ML_GAP_FAULT] = "cut off by signals in the middle of a piece of code",
		[ML_GAP_LOST] = "lost by the recorder",
		[ML_GAP_LIMIT] = "after recording ended (--limit, --to-mark)",
	};
	const char *stack = ml_tables_meta_find(&t->tables, "stack references left out");
	const char *spin = ml_tables_meta_find(&t->tables, "waiting references left out");

	if (damage)
		say(s, "DAMAGED: the counts below are of %s of %s references: %s\n",
		    say_count(s, done), say_count(s, t->count), damage);
	if (t->damage)
		say(s,
		    "DAMAGED: the last %s of %s bytes of the file cannot be used: %s\n",
		    say_count(s, t->size - t->usable), say_count(s, t->size), t->damage);
	else if (!t->whole)
		say(s,
		    "CUT OFF: the recording did not end properly; the trace holds what "
		    "was written before\n");
	if (!t->damage && t->usable < t->size)
		say(s, "         (the last %s are not used)\n",
		    say_bytes(s, t->size - t->usable));
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		say_gaps(s, &t->tables, (enum ml_gap_reason)i, reasons[i]);
	if (stack)
		say(s, "MISSING: %s references to the stack (--no-stack)\n", stack);
	if (spin)
		say(s, "MISSING: %s references of waiting threads (--no-spin)\n", spin);
}

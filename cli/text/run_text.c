#include "cli/text/run_text.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "lib/query/trace/text/findings_text.h"
#include "lib/query/trace/text/say_trace.h"
#include "lib/query/workspace/say.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/map.h"
#include "lib/base/path.h"
#include "lib/base/table.h"
#include "lib/query/trace/tables/source_lines.h"
#include "lib/query/trace/tables/analysed_trace.h"

enum { USUAL = 80 /* columns, if stdout is no terminal */, NAME = 40, INDENT = 4 };

/* Rows whose misses cost less than this share of the access time are left out. */
static const double negligible = 0.005;

/* Breaks the lines that were written from `start` on at blanks, so that they fit. */
static void wrap(struct ml_say *s, size_t start)
{
	const char *text = ml_arena_copy(&s->arena, (const char *)s->out->data + start,
					 s->out->size - start);
	int at = 0;

	s->out->size = start;
	while (*text) {
		/* a word and what is before it */
		size_t size = 1 + strcspn(text + 1, " \n");

		if (*text == '\n') {
			size = 1;
			at = -1;
		} else if (at && at + (int)size > s->columns) {
			ml_say(s, "\n%*s", INDENT, "");
			at = INDENT;
			text++;
			size--;
		}
		ml_say(s, "%.*s", (int)size, text);
		at += (int)size;
		text += size;
	}
}

static void put_totals(const struct ml_analysed_trace *analysed, const char *program,
		       struct ml_say *s)
{
	const struct ml_profile *p = analysed->simulation.profile;
	const struct ml_machine *m = &p->machine;

	ml_say(s, "%s ", ml_path_name(program));
	ml_say_machine(s, m);
	if (m->cores > 1)
		ml_say(s, ", %u cores", m->cores);
	ml_say(s, "\n%s references, served by", ml_say_count(s, p->refs));
	for (unsigned i = 1; i <= m->levels + 1; i++)
		ml_say(s, "%s %s %s", i > 1 ? "," : "", ml_machine_level_name(m, i),
		       ml_say_percent(s, ml_say_share(p->served[i], p->refs)));
	ml_say(s,
	       "\n%.1f cycles each on average; %.0f %% of the access time is waiting beyond %s\n",
	       p->cycles, 100 * analysed->findings.waiting, m->level[0].name);
	ml_say_missing(s, &analysed->trace, analysed->simulation.damage, p->refs);
	const char *symbols = ml_tables_meta_find(&analysed->trace.tables,
						  "debug symbols");
	if (symbols)
		ml_say(s, "%s\n", symbols);
	if (analysed->simulation.stopped)
		ml_say_stopped(s, p);
	ml_say(s, "\n");
}

static double waiting(const struct ml_analysed_trace *analysed,
		      const struct ml_profile_count *c)
{
	return analysed->findings.cycles > 0 ? c->lost / analysed->findings.cycles : 0;
}

static void put_row(struct ml_table *t, const struct ml_analysed_trace *analysed,
		    const struct ml_profile_count *c)
{
	ml_table_real(t, waiting(analysed, c));
	ml_table_count(t, c->refs);
	ml_table_real(t, ml_say_share(c->missed[0], c->refs));
	ml_table_count(t, c->served[analysed->simulation.profile->machine.levels + 1]);
}

static void put_table(struct ml_table *t, const char *title, struct ml_say *s)
{
	if (!ml_table_rows(t)) {
		ml_table_release(t);
		return;
	}
	ml_say(s, "\n%s\n", title);
	ml_say_table(s, t, 0, "");
}

static void put_lines(struct ml_analysed_trace *analysed, uint64_t top, struct ml_say *s)
{
	static const struct ml_column columns[] = {
		{ "waiting", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "references", .kind = ML_COLUMN_COUNT },
		{ "miss L1", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "memory", .kind = ML_COLUMN_COUNT },
		{ "line", .kind = ML_COLUMN_TEXT },
		{ "source", .kind = ML_COLUMN_TEXT },
	};
	struct ml_table t = { .columns = columns, .width = 6 };
	struct ml_source_lines sources = { .trace = &analysed->trace };

	for (size_t i = 0; i < analysed->rows.lines.count && ml_table_rows(&t) < top;
	     i++) {
		const struct ml_profile_line_row *r = &analysed->rows.lines.at[i];
		const char *text = r->at.line ? ml_source_lines_find(&sources, r->at.file,
								     r->at.line)
					      : NULL;

		if (waiting(analysed, &r->count) < negligible)
			continue;
		put_row(&t, analysed, &r->count);
		ml_table_text(&t, !r->at.own    ? "none of yours"
				  : r->at.line  ? ml_arena_printf(&s->arena, "%s:%u",
								  ml_path_name(r->at.file),
								  r->at.line)
				  : *r->at.func ? ml_say_cut(s, r->at.func, NAME)
						: "unknown");
		if (text && r->at.library * 2 > r->count.refs && r->at.through)
			text = ml_arena_printf(&s->arena, "(%s) %s",
					       ml_say_plain_name(s, r->at.through), text);
		ml_table_text(&t, text ? text : "");
	}
	put_table(&t, "Lines that wait most (share of all access time)", s);
	ml_source_lines_release(&sources);
}

static void add_count(struct ml_profile_count *to, const struct ml_profile_count *c)
{
	to->refs += c->refs;
	to->lost += c->lost;
	for (size_t i = 0; i < ML_SERVED; i++)
		to->served[i] += c->served[i];
	for (size_t i = 0; i < ML_LEVELS; i++)
		to->missed[i] += c->missed[i];
}

static int by_lost(const void *a, const void *b)
{
	const struct ml_profile_region_row *x = a, *y = b;

	return x->count.lost > y->count.lost ? -1 : x->count.lost < y->count.lost;
}

/* Regions of one name as one row: a recursive function has a region for each depth. */
static size_t by_name(const struct ml_profile_rows *rows,
		      struct ml_profile_region_row *out)
{
	struct ml_map of = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < rows->regions.count; i++) {
		const struct ml_profile_region_row *r = &rows->regions.at[i];
		bool is_new;
		uint64_t *at = ml_map_add(&of, ml_hash(r->name, strlen(r->name)),
					  &is_new);

		if (is_new) {
			*at = count;
			out[count++] = *r;
		} else {
			add_count(&out[*at].count, &r->count);
		}
	}
	ml_map_release(&of);
	if (count)
		qsort(out, count, sizeof(*out), by_lost);
	return count;
}

static void put_regions(struct ml_analysed_trace *analysed, uint64_t top,
			struct ml_say *s)
{
	static const struct ml_column columns[] = {
		{ "waiting", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "references", .kind = ML_COLUMN_COUNT },
		{ "miss L1", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "memory", .kind = ML_COLUMN_COUNT },
		{ "region", .kind = ML_COLUMN_TEXT },
	};
	struct ml_table t = { .columns = columns, .width = 5 };
	struct ml_profile_region_row *rows = ml_arena_alloc(
		&s->arena, (analysed->rows.regions.count + 1) * sizeof(*rows));
	size_t count = by_name(&analysed->rows, rows);

	for (size_t i = 0; i < count && ml_table_rows(&t) < top; i++) {
		const struct ml_profile_region_row *r = &rows[i];

		if (waiting(analysed, &r->count) < negligible)
			continue;
		put_row(&t, analysed, &r->count);
		ml_table_text(&t, ml_say_cut(s, r->name, NAME));
	}
	put_table(&t, "Regions that are waited for most", s);
}

static void put_next(const char *path, const char *program, const char *machine,
		     struct ml_say *s)
{
	ml_say(s, "\nThe trace is %s. What to type next:\n", path);
	ml_say(s, "  memlamp sim%s %s\n      all counts, by line, region and function\n",
	       machine, path);
	ml_say(s, "  memlamp view%s %s\n      look at it in the browser\n", machine,
	       path);
	ml_say(s,
	       "  memlamp run%s -o new.mlt %s ...\n  memlamp diff%s %s new.mlt\n"
	       "      after a change: what is better, what is worse\n",
	       machine, program, machine, path);
}

void run_text(struct ml_analysed_trace *analysed, const char *path, const char *program,
	      const char *machine, uint64_t top, struct ml_buf *out)
{
	struct ml_say s;

	ml_say_start(&s, out, cmd_width());
	if (!cmd_width())
		s.columns = USUAL;
	size_t start = out->size;
	put_totals(analysed, program, &s);
	wrap(&s, start);
	ml_findings_print(&analysed->findings, &analysed->trace,
			  analysed->simulation.profile, &s);
	put_lines(analysed, top, &s);
	put_regions(analysed, top, &s);
	put_next(path, program, machine, &s);
	ml_say_end(&s);
}

void run_json(const struct ml_analysed_trace *analysed, const char *path,
	      struct ml_buf *out)
{
	struct ml_json w = { .out = out, .indent = 1 };
	const struct ml_simulation *x = &analysed->simulation;
	const struct ml_profile *p = x->profile;
	struct ml_buf machine = { 0 };

	ml_machine_print(&p->machine, &machine);
	ml_json_object(&w);
	ml_json_key_string(&w, "trace", path);
	ml_json_key(&w, "machine");
	ml_json_bytes(&w, (const char *)machine.data, machine.size);
	ml_json_key_u64(&w, "references", p->refs);
	ml_json_key_u64(&w, "missing", p->missing);
	ml_json_key_string(&w, "damage", x->damage ? x->damage : analysed->trace.damage);
	ml_json_key(&w, "stopped");
	ml_json_bool(&w, x->stopped);
	ml_json_key_real(&w, "average_cycles", p->cycles);
	ml_json_key_real(&w, "waiting", analysed->findings.waiting);
	ml_json_key_object(&w, "served");
	for (unsigned i = 1; i <= p->machine.levels + 1; i++) {
		ml_json_key_u64(&w, ml_machine_level_name(&p->machine, i), p->served[i]);
	}
	ml_json_end(&w);
	ml_json_key_array(&w, "threads");
	for (size_t i = 0; i < p->thread_count; i++) {
		const struct ml_profile_thread *t = &p->threads[i];

		ml_json_object(&w);
		ml_json_key_u64(&w, "thread", t->thread);
		ml_json_key_u64(&w, "references", t->refs);
		ml_json_key_real(&w, "average_cycles",
				 ml_profile_cycles(&p->machine, t->served));
		ml_json_end(&w);
	}
	ml_json_end(&w);
	ml_json_key_u64(&w, "tried", analysed->findings.tried);
	ml_json_key(&w, "findings");
	ml_findings_json(&analysed->findings, &w, false);
	ml_json_end(&w);
	ml_buf_put(out, "\n", 1);
	ml_buf_release(&machine);
}

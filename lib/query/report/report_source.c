#include "lib/query/report/report_parts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/map.h"
#include "lib/base/path.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/drawing/picture.h"

enum {
	CONTEXT = 3,  /* lines shown around a costly line */
	SHORT = 60,   /* files with at most so many lines are shown whole */
	FOLDED = 400, /* gaps of at most so many lines can be unfolded; longer gaps are
			 left out */
};

/* A source file of the user, and its lines that made references. */
struct file {
	const char *path;
	const char *text; /* NULL: unknown */
	size_t size;
	uint32_t lines; /* size of the text */
	double lost;
	uint64_t refs;
	uint32_t *row_of; /* by line: its row of rows.lines + 1 */
	uint32_t last;    /* the last line with references */
};

struct files {
	struct file *at;
	size_t count, cap;
	struct ml_names names;
	struct ml_arena arena;
};

static void find_text(struct ml_report_page *p, struct file *f)
{
	const struct ml_open_trace *t = p->sim->trace;

	for (size_t i = 0; i < t->file_count && !p->o->no_source; i++) {
		const struct ml_open_trace_file *x = &t->files[i];

		if (!x->text ||
		    strcmp(ml_tables_text(&t->trace.tables, x->path), f->path))
			continue;
		f->text = x->text;
		f->size = x->size;
		f->lines = x->lines + (x->size && x->text[x->size - 1] != '\n');
		return;
	}
}

static void collect(struct ml_report_page *p, struct files *x)
{
	for (size_t i = 0; i < p->rows.lines.count; i++) {
		const struct ml_profile_line_row *l = &p->rows.lines.at[i];

		if (!l->at.own || !*l->at.file || !l->at.line)
			continue;
		uint32_t number = ml_names_add(&x->names, l->at.file);
		if (number == x->count) {
			x->at = ml_grow(x->at, &x->cap, x->count + 1, sizeof(*x->at));
			x->at[x->count++].path = l->at.file;
			find_text(p, &x->at[number]);
		}
		struct file *f = &x->at[number];
		f->lost += l->count.lost;
		f->refs += l->count.refs;
		f->last = l->at.line > f->last ? l->at.line : f->last;
	}
	for (size_t i = 0; i < x->count; i++)
		if (x->at[i].text)
			x->at[i].row_of = ml_arena_alloc(
				&x->arena, (x->at[i].lines + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < p->rows.lines.count; i++) {
		const struct ml_profile_line_row *l = &p->rows.lines.at[i];
		uint32_t number = l->at.own && *l->at.file && l->at.line
					  ? ml_names_find(&x->names, l->at.file)
					  : UINT32_MAX;

		/* the file may have changed after the program was built */
		if (number != UINT32_MAX && x->at[number].text &&
		    l->at.line <= x->at[number].lines)
			x->at[number].row_of[l->at.line] = (uint32_t)i + 1;
	}
}

static int by_lost(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	if (x->lost < y->lost || x->lost > y->lost)
		return x->lost > y->lost ? -1 : 1;
	return x->refs != y->refs ? (x->refs > y->refs ? -1 : 1)
				  : strcmp(x->path, y->path);
}

static const struct ml_profile_count *count_of(struct ml_report_page *p,
					       const struct file *f, uint32_t line)
{
	return f->row_of && f->row_of[line] ? &p->rows.lines.at[f->row_of[line] - 1].count
					    : NULL;
}

/* Writes the figures of a line, before its text. */
static void put_figures(struct ml_report_page *p, const struct ml_profile_count *c)
{
	double lost = p->rows.total.lost;

	ml_html_put(&p->html, "<span class=\"n\">%s</span>",
		    c && c->refs ? ml_html_short(&p->html, c->refs) : "");
	for (unsigned k = 1; k <= p->machine->levels; k++)
		ml_html_put(&p->html, "<span class=\"n\">%s</span>",
			    c && c->missed[k - 1]
				    ? ml_html_short(&p->html, c->missed[k - 1])
				    : "");
	if (c && c->lost > 0.0001 * lost) {
		ml_html_put(&p->html, "<span class=\"n h\">%s</span>",
			    ml_html_percent(&p->html, c->lost / lost));
		ml_report_lost_bar(p, c, p->max_lost);
	} else
		ml_html_put(&p->html, "<span></span><span></span>");
}

static const char *next_line(const struct file *f, const char *at)
{
	const char *end = f->text + f->size;
	const char *stop = memchr(at, '\n', (size_t)(end - at));

	return stop ? stop + 1 : end;
}

static void put_line(struct ml_report_page *p, const struct file *f, size_t number,
		     uint32_t line, const char *at)
{
	const struct ml_profile_count *c = count_of(p, f, line);
	size_t size = (size_t)(next_line(f, at) - at);

	while (size && (at[size - 1] == '\n' || at[size - 1] == '\r'))
		size--;
	ml_html_put(&p->html, "<div class=\"l%s\"",
		    c && c->lost > p->min_lost ? " hot" : "");
	if (c)
		ml_html_put(&p->html, " id=\"f%zu-%u\"", number, line);
	ml_html_put(&p->html, "><span class=\"n\">%u</span>", line);
	put_figures(p, c);
	ml_html_put(&p->html, "<span>");
	ml_picture_escape(p->html.out, at, size);
	ml_html_put(&p->html, "</span></div>\n");
}

static void put_top(struct ml_report_page *p)
{
	ml_html_put(&p->html, "<div class=\"l top\"><span class=\"n\">line</span>"
			      "<span class=\"n\">refs</span>");
	for (unsigned k = 1; k <= p->machine->levels; k++)
		ml_html_wrap(&p->html, "<span class=\"n\">", ml_report_level(p, k),
			     " miss</span>");
	ml_html_put(&p->html,
		    "<span class=\"n\">waiting</span><span></span><span></span></div>\n");
}

/* Marks the lines to show: costly lines and a few around each. */
static bool *choose(struct ml_report_page *p, const struct file *f, struct ml_arena *a)
{
	bool *show = ml_arena_alloc(a, f->lines + 2);
	uint32_t costliest = 0;

	for (uint32_t i = 1; i <= f->lines; i++) {
		const struct ml_profile_count *c = count_of(p, f, i);
		const struct ml_profile_count *best = costliest
							      ? count_of(p, f, costliest)
							      : NULL;

		if (c && (!best || c->lost > best->lost))
			costliest = i;
	}
	for (uint32_t i = 1; i <= f->lines; i++) {
		const struct ml_profile_count *c = count_of(p, f, i);

		if (f->lines <= SHORT)
			show[i] = true;
		if (!c || (c->lost <= p->min_lost && i != costliest))
			continue;
		uint32_t first = i > CONTEXT ? i - CONTEXT : 1;
		uint32_t last = i + CONTEXT < f->lines ? i + CONTEXT : f->lines;
		for (uint32_t k = first; k <= last; k++)
			show[k] = true;
	}
	return show;
}

static void put_text(struct ml_report_page *p, const struct file *f, size_t number)
{
	struct ml_arena a = { 0 };
	bool *show = choose(p, f, &a);
	const char *at = f->text;

	ml_html_put(&p->html, "<div class=\"src\">");
	put_top(p);
	for (uint32_t i = 1; i <= f->lines;) {
		uint32_t end = i;

		for (; i <= f->lines && show[i]; i++, at = next_line(f, at))
			put_line(p, f, number, i, at);
		for (end = i; end <= f->lines && !show[end]; end++)
			;
		if (end == i)
			continue;
		bool folded = end - i <= FOLDED;
		const char *lines = end - i == 1 ? "line" : "lines";
		ml_html_put(&p->html,
			    folded ? "<details class=\"gap\"><summary>%u %s</summary>\n"
				   : "<div class=\"gap cut\">%u %s left out</div>\n",
			    end - i, lines);
		for (; i < end; i++, at = next_line(f, at))
			if (folded)
				put_line(p, f, number, i, at);
		if (folded)
			ml_html_put(&p->html, "</details>\n");
	}
	ml_html_put(&p->html, "</div>\n");
	ml_arena_release(&a);
}

static void put_file(struct ml_report_page *p, const struct file *f, size_t number)
{
	ml_html_wrap(&p->html, "<div class=\"file\">\n<h3>", f->path, "");
	ml_html_put(&p->html, "<span>%s of the waiting, %s references</span></h3>\n",
		    ml_html_percent(&p->html, p->rows.total.lost > 0
						      ? f->lost / p->rows.total.lost
						      : 0),
		    ml_html_count(&p->html, f->refs));
	put_text(p, f, number);
	ml_html_put(&p->html, "</div>\n");
}

/* Writes "a.c:12", linked to the line if the line is shown. */
static void put_place(struct ml_report_page *p, const struct files *x, size_t shown,
		      const struct ml_profile_line_row *l)
{
	size_t file = 0;

	while (file < shown && strcmp(x->at[file].path, l->at.file) != 0)
		file++;
	bool linked = l->at.line && file < shown && x->at[file].text &&
		      l->at.line <= x->at[file].lines;

	if (!l->at.own) {
		ml_html_put(&p->html, "<td class=\"t muted\">the loader and libraries by "
				      "themselves</td>");
		return;
	}
	ml_html_put(&p->html, "<td class=\"t\"><code>");
	if (linked)
		ml_html_put(&p->html, "<a href=\"#f%zu-%u\">", file, l->at.line);
	if (l->at.line) {
		ml_html_text(&p->html, ml_path_name(l->at.file));
		ml_html_put(&p->html, ":%u", l->at.line);
	} else
		ml_html_text(&p->html, *l->at.func ? l->at.func : "unknown");
	ml_html_put(&p->html, "%s</code>", linked ? "</a>" : "");
	if (l->at.line && *l->at.func)
		ml_html_wrap(&p->html, " <span class=\"muted\">", l->at.func, "</span>");
	if (l->at.through)
		ml_html_wrap(&p->html, " <span class=\"muted\">(", l->at.through,
			     ")</span>");
	ml_html_put(&p->html, "</td>");
}

static void put_lines(struct ml_report_page *p, const struct files *x, size_t files)
{
	const struct ml_profile_rows *rows = &p->rows;
	bool causes = p->profile->want & ML_SIM_CAUSES;
	size_t shown = 0;

	ml_html_put(&p->html, "<div class=\"scroll\"><table class=\"full\">\n<tr>");
	ml_report_count_heads(p);
	ml_html_put(&p->html,
		    "%s<th class=\"t\">data</th><th class=\"t\">line</th></tr>\n",
		    causes ? "<th class=\"t\">mostly</th>" : "");
	for (size_t i = 0; i < rows->lines.count && shown < p->o->top; i++) {
		const struct ml_profile_line_row *l = &rows->lines.at[i];

		if (shown && l->count.lost <= p->min_lost)
			break;
		ml_html_put(&p->html, "<tr>");
		ml_report_count_cells(p, &l->count, p->max_lost);
		if (causes)
			ml_html_put(&p->html, "<td class=\"t w\">%s</td>",
				    ml_report_why(p, &l->count));
		ml_html_put(&p->html, "<td class=\"t\">");
		for (size_t k = 0; l->at.own && k < l->at.parts && k < ML_CODE_PARTS; k++)
			ml_html_wrap(&p->html, k ? ", " : "", l->at.part[k].name, "");
		ml_html_put(&p->html, "</td>");
		put_place(p, x, files, l);
		ml_html_put(&p->html, "</tr>\n");
		shown++;
	}
	ml_html_put(&p->html, "</table></div>\n");
	ml_html_more(&p->html, rows->lines.count, shown, "lines");
}

void ml_report_source(struct ml_report_page *p)
{
	struct files x = { 0 };
	size_t shown = 0;

	collect(p, &x);
	if (x.count)
		qsort(x.at, x.count, sizeof(*x.at), by_lost);
	while (shown < x.count && shown < p->o->top &&
	       (!shown || x.at[shown].lost > p->min_lost))
		shown++;
	ml_html_put(
		&p->html,
		"<section id=\"source\">\n<h2>Source</h2>\n"
		"<p class=\"muted\">The lines of your code that wait most. Bars show the "
		"waiting, by the level that served; what pages and other cores cost comes last.</p>\n");
	put_lines(p, &x, shown);
	for (size_t i = 0; i < shown; i++)
		if (x.at[i].text)
			put_file(p, &x.at[i], i);
	if (p->o->no_source)
		ml_html_put(&p->html,
			    "<p class=\"muted\">The source text was left out as asked."
			    "</p>\n");
	ml_html_put(&p->html, "</section>\n");
	ml_names_release(&x.names);
	ml_free(x.at);
	ml_arena_release(&x.arena);
}

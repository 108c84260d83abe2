#include "lib/query/drawing/sections.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/path.h"
#include "lib/query/drawing/html.h"
#include "lib/query/drawing/picture.h"
#include "lib/query/workspace/ask.h"
#include "lib/query/workspace/say.h"

static struct ml_fact *add_fact(struct ml_sections *s, const char *key)
{
	s->facts = ml_grow(s->facts, &s->fact_cap, s->fact_count + 1, sizeof(*s->facts));
	struct ml_fact *f = &s->facts[s->fact_count++];
	*f = (struct ml_fact){ .key = key };
	return f;
}

void ml_sections_number(struct ml_sections *s, const char *key, uint64_t v)
{
	add_fact(s, key)->number = v;
}

void ml_sections_text(struct ml_sections *s, const char *key, const char *text)
{
	add_fact(s, key)->text = ml_arena_strdup(&s->arena, text);
}

void ml_sections_note(struct ml_sections *s, const char *fmt, ...)
{
	va_list ap;

	s->notes = ml_grow(s->notes, &s->note_cap, s->note_count + 1, sizeof(*s->notes));
	va_start(ap, fmt);
	s->notes[s->note_count++] = ml_arena_vprintf(&s->arena, fmt, ap);
	va_end(ap);
}

static struct ml_section *add_section(struct ml_sections *s, const char *name,
				      const char *title, const char *what)
{
	s->sections = ml_grow(s->sections, &s->cap, s->count + 1, sizeof(*s->sections));
	struct ml_section *x = &s->sections[s->count++];
	*x = (struct ml_section){ .name = name, .title = title, .what = what };
	return x;
}

void ml_sections_table(struct ml_sections *s, const char *name, const char *title,
		       const char *what, struct ml_table *table, size_t all)
{
	struct ml_section *x = add_section(s, name, title, what);
	struct ml_column *columns = ml_arena_alloc(&s->arena,
						   table->width * sizeof(*columns));

	for (size_t i = 0; i < table->width; i++) {
		columns[i] = table->columns[i];
		columns[i].key = ml_arena_strdup(&s->arena, columns[i].key);
		if (columns[i].heading)
			columns[i].heading = ml_arena_strdup(&s->arena,
							     columns[i].heading);
	}
	x->table = *table;
	x->table.columns = columns;
	x->all = all ? all : ml_table_rows(table);
	if (ml_table_rows(table) > s->rows)
		x->table.count = s->rows * table->width;
	*table = (struct ml_table){ 0 };
}

static size_t rows_of(const struct ml_section *x)
{
	return x->table.width ? ml_table_rows(&x->table) : 0;
}

struct ml_table ml_sections_totals(void)
{
	static const struct ml_column columns[] = {
		{ "name", .kind = ML_COLUMN_TEXT },
		{ "a", .kind = ML_COLUMN_COUNT, .heading = "A" },
		{ "b", .kind = ML_COLUMN_COUNT, .heading = "B" },
		{ "change", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
	};

	return (struct ml_table){ .columns = columns, .width = 4 };
}

void ml_sections_total(struct ml_table *t, const char *name, uint64_t a, uint64_t b)
{
	ml_table_text(t, name);
	ml_table_count(t, a);
	ml_table_count(t, b);
	if (a)
		ml_table_real(t, (double)b / (double)a - 1);
	else
		ml_table_no_value(t);
}

struct ml_buf *ml_sections_markup(struct ml_sections *s, const char *name,
				  const char *title, const char *what)
{
	return &add_section(s, name, title, what)->markup;
}

void ml_sections_listing(struct ml_sections *s, const char *name, const char *title,
			 const char *text, size_t size)
{
	struct ml_buf *out = ml_sections_markup(s, name, title, NULL);

	ml_buf_text(out, "<div class=\"file\"><pre class=\"src\">");
	ml_picture_escape(out, text, size);
	ml_buf_text(out, "</pre></div>\n");
}

enum { WIDTH = 1120, HEIGHT = 200, LEFT = 70, BOTTOM = 24, FONT = 13 };

static void open_figure(struct ml_picture *p, double height)
{
	ml_picture_put(p,
		       "<figure><svg viewBox=\"0 0 %d %g\" width=\"%d\" role=\"img\" "
		       "font-size=\"%d\" fill=\"var(--muted)\">\n",
		       WIDTH, height, WIDTH, FONT);
}

static void put_text(struct ml_picture *p, double x, double y, const char *anchor,
		     const char *text)
{
	ml_picture_put(p, "<text x=\"%g\" y=\"%g\" text-anchor=\"%s\">", x, y, anchor);
	ml_picture_escape(p->out, text, strlen(text));
	ml_picture_put(p, "</text>\n");
}

static void put_bar(struct ml_picture *p, double x, double y, double width, double height)
{
	ml_picture_put(p,
		       "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		       "fill=\"var(--lamp)\"/>\n",
		       x, y, width, height);
}

void ml_sections_histogram(struct ml_sections *s, const char *name, const char *title,
			   const char *what, const double *value, size_t n,
			   const char *unit, const char *low, const char *high)
{
	struct ml_picture p = { .out = ml_sections_markup(s, name, title, what) };
	double max = 0, width = (double)(WIDTH - LEFT) / (double)(n ? n : 1);
	char text[ML_COORDINATE_ROOM];

	for (size_t i = 0; i < n; i++)
		max = value[i] > max ? value[i] : max;
	open_figure(&p, HEIGHT + BOTTOM);
	if (max < 1000)
		snprintf(text, sizeof(text), "%.4g", max);
	else
		ml_picture_count(text, (uint64_t)max, (uint64_t)(max / 1000));
	put_text(&p, LEFT - 6, 12, "end", text);
	put_text(&p, LEFT - 6, 28, "end", unit);
	put_text(&p, LEFT - 6, HEIGHT, "end", "0");
	for (size_t i = 0; max > 0 && i < n; i++) {
		double height = value[i] / max * HEIGHT;

		if (height > 0)
			put_bar(&p, LEFT + width * (double)i, HEIGHT - height,
				width > 2 ? width - 1 : width, height);
	}
	put_text(&p, LEFT, HEIGHT + BOTTOM - 6, "start", low);
	put_text(&p, WIDTH, HEIGHT + BOTTOM - 6, "end", high);
	ml_picture_put(&p, "</svg></figure>\n");
}

enum { BAR_HEIGHT = 20, BAR_NAME = 240, BAR_TEXT = 150 };

void ml_sections_bars(struct ml_sections *s, const char *name, const char *title,
		      const char *what, const struct ml_bar *bars, size_t n)
{
	struct ml_picture p = { .out = ml_sections_markup(s, name, title, what) };
	double max = 0, y = 0;

	n = n < s->rows ? n : s->rows;
	for (size_t i = 0; i < n; i++)
		max = bars[i].value > max ? bars[i].value : max;
	open_figure(&p, BAR_HEIGHT * (double)n);
	for (size_t i = 0; i < n; i++, y += BAR_HEIGHT) {
		double room = WIDTH - BAR_NAME - BAR_TEXT;
		double length = max > 0 && bars[i].value > 0 ? bars[i].value / max * room
							     : 0;

		ml_picture_text_within(&p, 0, y + FONT + 1, BAR_NAME - 10, ML_COLOUR_TEXT,
				       FONT, bars[i].name);
		if (length > 0)
			put_bar(&p, BAR_NAME, y + 3, length, BAR_HEIGHT - 6);
		put_text(&p, BAR_NAME + length + 8, y + FONT + 1, "start", bars[i].text);
	}
	ml_picture_put(&p, "</svg></figure>\n");
}

/* ---- text, JSON and CSV ---- */

/* "lines left out" of lines_left_out. */
static const char *words(const char *key, struct ml_arena *a)
{
	char *text = ml_arena_strdup(a, key);

	for (char *at = text; *at; at++)
		if (*at == '_')
			*at = ' ';
	return text;
}

static const char *fact_text(const struct ml_fact *f, struct ml_say *y)
{
	return f->text ? f->text : ml_say_count(y, f->number);
}

static void tell_text(const struct ml_sections *s, int columns, struct ml_buf *out)
{
	struct ml_say y;
	int width = 0;

	ml_say_start(&y, out, columns);
	if (s->second)
		ml_say(&y, "A %s\nB %s\n", s->path, s->second);
	else
		ml_say(&y, "%s: %s\n", s->path, s->what);
	for (size_t i = 0; i < s->fact_count; i++) {
		int n = (int)strlen(s->facts[i].key);

		width = n > width ? n : width;
	}
	for (size_t i = 0; i < s->fact_count; i++)
		ml_say(&y, "  %-*s  %s\n", width, words(s->facts[i].key, &y.arena),
		       fact_text(&s->facts[i], &y));
	for (size_t i = 0; i < s->note_count; i++)
		ml_say(&y, "%s\n", s->notes[i]);
	for (size_t i = 0; i < s->count; i++)
		if (rows_of(&s->sections[i])) {
			const struct ml_section *x = &s->sections[i];

			ml_say(&y, "\n%s%s%s\n", x->title, x->what ? ": " : "",
			       x->what ? x->what : "");
			ml_say_rows(&y, &x->table, x->all, x->name);
		}
	ml_say_end(&y);
}

static void tell_json(const struct ml_sections *s, struct ml_buf *out)
{
	struct ml_json w = { .out = out, .indent = 2 };

	ml_json_object(&w);
	ml_json_key_string(&w, s->second ? "a" : "path", s->path);
	if (s->second)
		ml_json_key_string(&w, "b", s->second);
	ml_json_key_string(&w, "what", s->what);
	for (size_t i = 0; i < s->fact_count; i++)
		if (s->facts[i].text)
			ml_json_key_string(&w, s->facts[i].key, s->facts[i].text);
		else
			ml_json_key_u64(&w, s->facts[i].key, s->facts[i].number);
	ml_json_key_array(&w, "notes");
	for (size_t i = 0; i < s->note_count; i++)
		ml_json_string(&w, s->notes[i]);
	ml_json_end(&w);
	for (size_t i = 0; i < s->count; i++) {
		if (!s->sections[i].table.width)
			continue;
		ml_json_key(&w, s->sections[i].name);
		ml_table_json(&s->sections[i].table, &w);
	}
	ml_json_end(&w);
}

static bool tell_csv(const struct ml_sections *s, const char *name, struct ml_buf *out,
		     struct ml_err *err)
{
	struct ml_arena a = { 0 };
	const char *names = "";

	for (size_t i = 0; i < s->count; i++) {
		const struct ml_section *x = &s->sections[i];

		if (x->table.width && !strcmp(x->name, name)) {
			ml_table_csv(&x->table, out);
			ml_arena_release(&a);
			return true;
		}
		if (x->table.width)
			names = ml_arena_printf(&a, "%s%s%s", names, *names ? ", " : "",
						x->name);
	}
	ml_fail(err, ML_USAGE, "there is no table '%s'; tables are %s", name, names);
	ml_arena_release(&a);
	return false;
}

bool ml_sections_tell(const struct ml_sections *s, const struct ml_ask *q,
		      struct ml_told *t, struct ml_err *err)
{
	if (q->form == ML_FORM_CSV)
		return tell_csv(s, q->table, &t->out, err);
	if (q->form == ML_FORM_JSON)
		tell_json(s, &t->out);
	else
		tell_text(s, q->columns, &t->out);
	return true;
}

void ml_sections_html(const struct ml_sections *s, struct ml_buf *out)
{
	struct ml_html h = { .out = out };

	ml_html_begin(&h, ml_path_name(s->path), 0);
	ml_html_wrap(&h, "<dl class=\"of\">\n<dt>Of</dt><dd>", s->what, "</dd>\n");
	ml_html_wrap(&h, "<dt>File</dt><dd><code>", s->path, "</code></dd>\n");
	for (size_t i = 0; i < s->fact_count; i++) {
		const struct ml_fact *f = &s->facts[i];

		if (!f->text)
			continue;
		ml_html_wrap(&h, "<dt>", words(f->key, &h.arena), "</dt>");
		ml_html_wrap(&h, "<dd>", f->text, "</dd>\n");
	}
	ml_html_put(&h, "</dl>\n");
	for (size_t i = 0; i < s->note_count; i++)
		ml_html_wrap(&h, "<p class=\"warn\">", s->notes[i], "</p>\n");
	ml_html_put(&h, "<div class=\"cards\">");
	for (size_t i = 0; i < s->fact_count; i++) {
		const struct ml_fact *f = &s->facts[i];

		if (f->text)
			continue;
		ml_html_put(&h, "<div class=\"card\"><b>%s</b>",
			    ml_html_count(&h, f->number));
		ml_html_wrap(&h, "<span>", words(f->key, &h.arena), "</span></div>\n");
	}
	ml_html_put(&h, "</div>\n</header>\n<main>\n");
	for (size_t i = 0; i < s->count; i++) {
		const struct ml_section *x = &s->sections[i];

		if (!x->markup.size && !rows_of(x))
			continue;
		ml_html_wrap(&h, "<section id=\"", x->name, "\">\n");
		ml_html_wrap(&h, "<h2>", x->title, "</h2>\n");
		if (x->what)
			ml_html_wrap(&h, "<p class=\"muted\">", x->what, "</p>\n");
		ml_buf_put(out, x->markup.data, x->markup.size);
		if (rows_of(x)) {
			ml_html_put(&h, "<div class=\"scroll\">\n");
			ml_table_html(&x->table, out);
			ml_html_put(&h, "</div>\n");
		}
		ml_html_more(&h, x->all, rows_of(x), x->name);
		ml_html_put(&h, "</section>\n");
	}
	ml_html_end(&h, "memlamp " ML_VERSION);
	ml_arena_release(&h.arena);
}

void ml_sections_release(struct ml_sections *s)
{
	for (size_t i = 0; i < s->count; i++) {
		ml_table_release(&s->sections[i].table);
		ml_buf_release(&s->sections[i].markup);
	}
	ml_free(s->facts);
	ml_free(s->notes);
	ml_free(s->sections);
	ml_arena_release(&s->arena);
}

/* Every kind of document that can be opened answers info, report and diff. */
#include "lib/query/kinds/kinds.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/query/workspace/ask.h"
#include "lib/trace/writer.h"
#include "tests/by_hand.h"
#include "tests/read_text.h"
#include "tests/scratch.h"
#include "tests/test.h"

static struct ml_err err;

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	CHECK(f != NULL);
	fputs(text, f);
	fclose(f);
}

static void write_trace(const char *path)
{
	static const char text[] = "global X 0x1000 512 8\nL a.c:1\nr0x1000+16*10\n";
	struct ml_writer *w;

	CHECK_OK(ml_writer_open(&w, path, &err), &err);
	CHECK_OK(read_text(w, text, strlen(text), "text", &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
}

static void write_ensemble(const char *path)
{
	static const uint32_t missed[2][2] = { { 8, 8 }, { 8, 0 } };
	struct ml_ensemble e;

	ml_ensemble_init(&e);
	hand_trace(&e, "run", 16, 3);
	hand_param(&e,
		   hand_member(&e, 0, "L1 1K 2w 64B lru wb wa 1c | memory 9c", missed[0]),
		   "L1 size", "1K", 1024);
	hand_param(&e,
		   hand_member(&e, 0, "L1 2K 2w 64B lru wb wa 1c | memory 9c", missed[1]),
		   "L1 size", "2K", 2048);
	ml_ensemble_label(&e);
	CHECK_OK(ml_ensemble_save(&e, path, &err), &err);
	ml_ensemble_release(&e);
}

static void write_samples(const char *path)
{
	write_text(path, "time,latency,file,line,level,cpu\n1,10,a.c,3,L1,0\n"
			 "2,300,a.c,4,RAM,1\n");
}

static void write_flow(const char *path)
{
	write_text(path, "void f(int n, double a[n]) {\n"
			 "for (int i = 0; i < n; i++) a[i] = a[i] * 2; }\n");
}

static void write_space(const char *path)
{
	write_text(path, "space small\na in 1..4\nb in 1..4\nhard big: a * b > 4\n");
}

/* One file of each kind; says: what info, the page and the difference with itself have. */
static const struct example {
	const char *kind, *suffix;
	void (*write)(const char *path);
	const char *info, *page, *diff, *table, *diff_table;
} examples[] = {
	{ "trace", ".mlt", write_trace, "10 references", "id=\"findings\"",
	  "take the same time", "regions", "lines" },
	{ "ensemble", ".mle", write_ensemble, "L1 size", "id=\"curves\"", "2K", "members",
	  "members" },
	{ "samples", ".csv", write_samples, "a.c:4", "id=\"latencies\"", "a.c:4", "lines",
	  "lines" },
	{ "flow", ".c", write_flow, "8*n", "id=\"program\"", "same", "containers",
	  "containers" },
	{ "prune", ".txt", write_space, "survivors", "id=\"eliminated\"", "a * b > 4",
	  "constraints", "constraints" },
};

/* Any of the words, apart by |. */
static bool has(const struct ml_buf *text, const char *words)
{
	for (const char *at = words; *at;) {
		size_t size = strcspn(at, "|");

		if (memmem(text->data, text->size, at, size))
			return true;
		at += size + (at[size] == '|');
	}
	return false;
}

static const struct example *example_of(const struct ml_document_kind *kind)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++)
		if (!strcmp(examples[i].kind, kind->name))
			return &examples[i];
	TEST_SAY("a file of the kind '%s' is missing here", kind->name);
	return NULL;
}

static char file[100];

static const char *make(const struct example *x)
{
	snprintf(file, sizeof(file), "%s%s", scratch(), x->suffix);
	unlink(file);
	x->write(file);
	CHECK_STR(ml_document_opener(ml_kinds, file)->name, x->kind);
	return file;
}

static const struct ml_ask text = { .command = "test",
				    .machine = { "L1 1K | memory 9c",
						 "L1 1K | memory 9c" },
				    .machines = 2 },
			   json = { .command = "test",
				    .form = ML_FORM_JSON,
				    .machine = { "L1 1K | memory 9c",
						 "L1 1K | memory 9c" },
				    .machines = 2 };

static void shows(bool ok, struct ml_told *t, const char *words)
{
	CHECK_OK(ok, &err);
	if (!has(&t->out, words))
		TEST_SAY("'%s' is missing: %.*s", words, (int)t->out.size,
			 (const char *)t->out.data);
	ml_told_release(t);
}

TEST(every_kind_tells_what_is_in_a_file)
{
	for (size_t i = 0; ml_kinds[i]; i++) {
		const struct example *x = example_of(ml_kinds[i]);
		const char *path = make(x);
		struct ml_told t = { 0 }, j = { 0 }, c = { 0 };
		struct ml_ask csv = text;

		csv.form = ML_FORM_CSV;
		csv.table = x->table;
		shows(ml_kinds[i]->info(path, &text, &t, &err), &t, x->info);
		shows(ml_kinds[i]->info(path, &json, &j, &err), &j, "{\n");
		shows(ml_kinds[i]->info(path, &csv, &c, &err), &c, ",");
		csv.table = "colours";
		CHECK_FAILS(ml_kinds[i]->info(path, &csv, &c, &err), &err,
			    "there is no table 'colours'; tables are");
		ml_told_release(&c);
		unlink(path);
	}
}

TEST(every_kind_has_a_page_that_is_whole_and_loads_nothing)
{
	for (size_t i = 0; ml_kinds[i]; i++) {
		const struct example *x = example_of(ml_kinds[i]);
		const char *path = make(x);
		struct ml_told t = { 0 };

		CHECK_OK(ml_kinds[i]->report(path, &text, &t, &err), &err);
		CHECK(has(&t.out, "default-src 'none'"));
		CHECK(!has(&t.out, "<script|href=\"http|src="));
		CHECK(!memcmp(t.out.data + t.out.size - 8, "</html>\n", 8));
		shows(true, &t, x->page);
		unlink(path);
	}
}

TEST(every_kind_compares_two_of_it)
{
	for (size_t i = 0; ml_kinds[i]; i++) {
		const struct example *x = example_of(ml_kinds[i]);
		const char *path = make(x);
		const char *const two[] = { path, path };
		struct ml_told t = { 0 }, j = { 0 }, c = { 0 };
		struct ml_ask csv = text;

		csv.form = ML_FORM_CSV;
		csv.table = x->diff_table;
		shows(ml_kinds[i]->diff(two, &text, &t, &err), &t, x->diff);
		shows(ml_kinds[i]->diff(two, &json, &j, &err), &j, "\"totals\": [");
		shows(ml_kinds[i]->diff(two, &csv, &c, &err), &c, ",");
		unlink(path);
	}
}

TEST(a_file_that_is_not_there_is_named_by_every_kind)
{
	static const char *const two[] = { "/nowhere/x", "/nowhere/y" };

	for (size_t i = 0; ml_kinds[i]; i++) {
		struct ml_told t = { 0 };

		CHECK_FAILS(ml_kinds[i]->info(two[0], &text, &t, &err), &err,
			    "/nowhere/x");
		CHECK_FAILS(ml_kinds[i]->report(two[0], &text, &t, &err), &err,
			    "/nowhere/x");
		CHECK_FAILS(ml_kinds[i]->diff(two, &text, &t, &err), &err, "/nowhere/x");
		ml_told_release(&t);
	}
}

/* Two traces side by side: totals, lines that moved, regions, findings. */
#include <stdio.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/query/trace/text/diff_values.h"
#include "lib/query/trace/tables/compare.h"
#include "lib/query/trace/tables/analysed_trace.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"
#include "tests/scratch.h"
#include "tests/test.h"

#define MACHINE "L1 256 full 16B lru 1c | memory 100c"

/* Writes a trace to the scratch file and studies it; an open trace outlives its name. */
static void study(struct ml_analysed_trace *s, const char *text, const char *source,
		  const char *machine)
{
	struct ml_analysed_trace_options o = { .no_cache = true };
	struct ml_writer *w;
	struct ml_err err;

	unlink(scratch());
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	if (source)
		ml_writer_source(w, "a.c", source, strlen(source));
	CHECK_OK(read_text(w, text, strlen(text), "text", &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	CHECK_OK(ml_machine_parse(&o.machine, machine, &err), &err);
	CHECK_OK(ml_analysed_trace_open(s, scratch(), &o, &err), &err);
}

struct pair {
	struct ml_analysed_trace a, b;
	struct ml_compare c;
};

static void compare(struct pair *p, const char *a, const char *source_a, const char *b,
		    const char *source_b)
{
	study(&p->a, a, source_a, MACHINE);
	study(&p->b, b, source_b, MACHINE);
	ml_compare_make(&p->c, &p->a, &p->b);
}

static void release(struct pair *p)
{
	ml_compare_release(&p->c);
	ml_analysed_trace_close(&p->a);
	ml_analysed_trace_close(&p->b);
}

static const struct ml_compare_total *total(const struct pair *p, const char *key)
{
	for (size_t i = 0; i < p->c.totals.count; i++)
		if (!strcmp(p->c.totals.at[i].key, key))
			return &p->c.totals.at[i];
	TEST_SAY("no total %s", key);
	return NULL;
}

static const struct ml_compare_row *line(const struct pair *p, const char *name)
{
	for (size_t i = 0; i < p->c.lines.count; i++)
		if (!strcmp(p->c.lines.at[i].name, name))
			return &p->c.lines.at[i];
	TEST_SAY("no line %s", name);
	return NULL;
}

static bool crossed(const struct pair *p, const char *expression)
{
	struct ml_buf crossed = { 0 };
	struct ml_err err;

	CHECK_OK(ml_diff_values_test(&p->c, &expression, 1, &crossed, &err), &err);
	bool is = crossed.size > 0;
	ml_buf_release(&crossed);
	return is;
}

/* 10 lines of X are read at a.c:1, then 20 of Y at a.c:2. */
static const char before[] = "global X 0x1000 512 8\nglobal Y 0x2000 512 8\n"
			     "L a.c:1\nr0x1000+16*10\nL a.c:2\nr0x2000+16*20\n";
/* The same, two lines further down, and Y is read half as often. */
static const char after[] = "global X 0x1000 512 8\nglobal Y 0x2000 512 8\n"
			    "L a.c:3\nr0x1000+16*10\nL a.c:4\nr0x2000+16*10\n";

TEST(totals_are_those_of_either_side)
{
	struct pair p;

	compare(&p, before, NULL, after, NULL);
	CHECK_EQ(total(&p, "references")->a, 30);
	CHECK_EQ(total(&p, "references")->b, 20);
	CHECK_EQ(total(&p, "L1.misses")->a, 30);
	CHECK_EQ(total(&p, "L1.misses")->b, 20);
	CHECK_EQ(total(&p, "total_cycles")->a, 3000);
	CHECK_NEAR(total(&p, "cycles")->b, 100, 1e-9);
	release(&p);
}

TEST(lines_that_only_moved_are_matched_by_their_text)
{
	struct pair p;

	compare(&p, before, "x();\ny();\n", after, "/* two\nmore */\nx();\ny();\n");
	CHECK_EQ(p.c.lines.count, 2);
	CHECK_STR(p.c.lines.at[0].name, "a.c:4"); /* what changed most is first */
	CHECK_EQ(p.c.lines.at[0].line_a, 2);
	CHECK_EQ(p.c.lines.at[0].line_b, 4);
	CHECK_EQ(p.c.lines.at[0].a.refs, 20);
	CHECK_EQ(p.c.lines.at[0].b.refs, 10);
	CHECK_EQ(line(&p, "a.c:3")->line_a, 1);
	release(&p);
}

TEST(lines_without_text_are_matched_by_number)
{
	struct pair p;

	compare(&p, before, NULL, after, NULL);
	CHECK_EQ(p.c.lines.count, 4);
	CHECK(!line(&p, "a.c:4")->in_a);
	CHECK(!line(&p, "a.c:1")->in_b);
	release(&p);
}

TEST(a_line_whose_text_changed_is_the_same_where_its_number_is)
{
	struct pair p;

	compare(&p, before, "x();\ny();\n", before, "x();\nfaster_y();\n");
	CHECK_EQ(p.c.lines.count, 2);
	CHECK(line(&p, "a.c:2")->in_a && line(&p, "a.c:2")->in_b);
	release(&p);
}

TEST(equal_lines_of_a_function_are_matched_in_order)
{
	struct pair p;

	compare(&p, before, "f();\nf();\n", after, "\n\nf();\nf();\n");
	CHECK_EQ(line(&p, "a.c:3")->line_a, 1);
	CHECK_EQ(line(&p, "a.c:4")->line_a, 2);
	release(&p);
}

TEST(regions_are_matched_by_name)
{
	struct pair p;

	compare(&p, before, NULL, after, NULL);
	CHECK_EQ(p.c.regions.count, 2);
	CHECK_STR(p.c.regions.at[0].name, "Y");
	CHECK_EQ(p.c.regions.at[0].a.missed[0], 20);
	CHECK_EQ(p.c.regions.at[0].b.missed[0], 10);
	release(&p);
}

/* 24 lines again and again, of which 16 fit; and 12. */
static const char large[] =
	"global W 0x1000 512 8\nL a.c:1\n"
	"r0x1000+16*24\nr0x1000+16*24\nr0x1000+16*24\nr0x1000+16*24\n";
static const char small[] =
	"global W 0x1000 512 8\nL a.c:1\n"
	"r0x1000+16*12\nr0x1000+16*12\nr0x1000+16*12\nr0x1000+16*12\n"
	"r0x1000+16*12\nr0x1000+16*12\nr0x1000+16*12\nr0x1000+16*12\n";

TEST(findings_appear_go_and_stay)
{
	struct pair p;

	compare(&p, large, NULL, small, NULL);
	CHECK_EQ(p.c.findings.count, 1);
	CHECK_EQ(p.c.findings.at[0].state, ML_COMPARE_GONE);
	CHECK(crossed(&p, "gone_findings == 1 and new_findings == 0"));
	release(&p);
	compare(&p, small, NULL, large, NULL);
	CHECK_EQ(p.c.findings.at[0].state, ML_COMPARE_NEW);
	CHECK(crossed(&p, "new_findings > 0"));
	release(&p);
	compare(&p, large, NULL, large, NULL);
	CHECK_EQ(p.c.findings.at[0].state, ML_COMPARE_STAYED);
	release(&p);
}

TEST(names_in_expressions_are_changes_and_sides_are_figures)
{
	struct pair p;

	compare(&p, after, NULL, before, NULL); /* 20 misses become 30 */
	CHECK(crossed(&p, "L1.misses > +49%"));
	CHECK(!crossed(&p, "L1.misses > +51%"));
	CHECK(crossed(&p, "a.L1.misses == 20 and b.L1.misses == 30"));
	CHECK(crossed(&p, "region(\"Y\").L1.misses == 100%"));
	CHECK(crossed(&p, "b.region(\"Y\").references == 20"));
	CHECK(crossed(&p, "cycles == 0"));
	CHECK(crossed(&p, "b.L1.miss_ratio == 1"));
	release(&p);
}

static void answers(const struct pair *p, const char *expression, const char *sentence)
{
	struct ml_buf crossed = { 0 };
	struct ml_err err;

	CHECK_FAILS(ml_diff_values_test(&p->c, &expression, 1, &crossed, &err), &err,
		    sentence);
	ml_buf_release(&crossed);
}

TEST(unknown_names_are_answered_with_those_that_there_are)
{
	struct pair p;

	compare(&p, before, NULL, after, NULL);
	answers(&p, "L9.misses > 1", "neither a level of the machine nor one of region");
	answers(&p, "region(\"Z\").cycles > 1", "neither side has a region 'Z'");
	answers(&p, "cycles >", "not the end");
	release(&p);
}

TEST(one_trace_on_two_machines_differs_in_its_misses)
{
	struct pair p;

	study(&p.a, large, NULL, MACHINE);
	study(&p.b, large, NULL, "L1 512 full 16B lru 1c | memory 100c");
	ml_compare_make(&p.c, &p.a, &p.b);
	CHECK_EQ(total(&p, "L1.misses")->a, 96);
	CHECK_EQ(total(&p, "L1.misses")->b, 24);
	CHECK_EQ(p.c.lines.count, 1);
	CHECK_NEAR(ml_compare_change(96, 24), -0.75, 1e-9);
	release(&p);
}

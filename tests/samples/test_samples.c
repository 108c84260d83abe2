/*
 * Sample tables: reading, the file, selections, and the analyses, against plain
 * computations on extracts of LULESH and heat (tests/samples; where they come from is in
 * tests/samples/README.md).
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/buf.h"
#include "lib/base/arena.h"
#include "lib/samples/bins.h"
#include "lib/samples/data_source.h"
#include "lib/samples/information.h"
#include "lib/samples/loads.h"
#include "lib/samples/metrics.h"
#include "lib/samples/read/read_samples.h"
#include "lib/samples/samples_file.h"
#include "lib/samples/selection.h"
#include "lib/samples/totals.h"
#include "tests/scratch.h"

static const char *data(const char *name)
{
	static char path[1000];

	snprintf(path, sizeof(path), TESTS "/samples/%s", name);
	return path;
}

static struct ml_samples opened(const char *name)
{
	struct ml_samples s;
	struct ml_err err;

	CHECK_OK(ml_samples_open(&s, data(name), NULL, NULL, &err), &err);
	return s;
}

static struct ml_samples parsed(const char *text, const struct ml_read_options *o)
{
	struct ml_samples s;
	struct ml_err err;

	CHECK_OK(
		ml_samples_read_text(&s, "text", NULL, text, strlen(text), o, NULL, &err),
		&err);
	return s;
}

static uint64_t cell(const struct ml_samples *s, const char *column, uint64_t row)
{
	int c = ml_samples_find(s, column);

	CHECK(c >= 0);
	return ml_samples_bits(&s->columns[c], row);
}

static const char *word(const struct ml_samples *s, const char *column, uint64_t row)
{
	static char text[8][ML_SAMPLES_TEXT];
	static unsigned turn;
	int c = ml_samples_find(s, column);

	CHECK(c >= 0);
	return ml_samples_text(&s->columns[c], ml_samples_bits(&s->columns[c], row),
			       text[turn++ % 8]);
}

/* LULESH, read in the plainest way. */
struct plain {
	char variable[40], file[40];
	unsigned line, iter, latency, source, cpu;
	unsigned long long time;
};

static struct plain plain[2000];
static size_t plain_count;

static void read_plain(void)
{
	FILE *f = fopen(data("lulesh/data/samples.out"), "r");
	char line[300];

	CHECK(f != NULL && fgets(line, sizeof(line), f));
	for (plain_count = 0; fgets(line, sizeof(line), f); plain_count++) {
		struct plain *p = &plain[plain_count];

		CHECK_EQ(sscanf(line, "%39[^,],%39[^,],%u,%llx,%u,%u,%u,%u", p->variable,
				p->file, &p->line, &p->time, &p->iter, &p->latency,
				&p->source, &p->cpu),
			 8);
	}
	fclose(f);
}

TEST(a_mitos_folder_of_the_llnl_layout_is_read_exactly)
{
	struct ml_samples s = opened("lulesh");

	read_plain();
	CHECK_EQ(s.rows, plain_count);
	CHECK_STR(s.format, "mitos");
	CHECK_EQ(s.bad, 0);
	for (size_t i = 0; i < plain_count; i++) {
		CHECK_EQ(cell(&s, "time", i), plain[i].time);
		CHECK_EQ(cell(&s, "latency", i), plain[i].latency);
		CHECK_EQ(cell(&s, "dataSource", i), plain[i].source);
		CHECK_EQ(cell(&s, "cpu", i), plain[i].cpu);
		CHECK_STR(word(&s, "variable", i), plain[i].variable);
	}
	CHECK_STR(ml_samples_kind_name(ml_samples_role(&s, ML_SAMPLES_TIME)),
		  "hexadecimal");
	CHECK_STR(ml_samples_kind_name(&s.columns[ml_samples_find(&s, "dataSource")]),
		  "unsigned");
	CHECK_EQ(s.topology.tier_count, 6); /* machine NUMA L3 L2 L1 CPU */
	CHECK_EQ(s.topology.cpu_count, 32);
	CHECK_EQ(s.topology.nodes[1].size, 33475052ull << 10);
	ml_samples_close(&s);
}

TEST(a_mitos_folder_of_the_tum_layout_keeps_addresses_above_2_63_and_missing_lines)
{
	struct ml_samples s = opened("heat");
	const struct ml_samples_column *line = ml_samples_role(&s, ML_SAMPLES_LINE);

	CHECK_EQ(s.rows, 257);
	CHECK(cell(&s, "ip", 0) == 18446744072172540882ull);
	CHECK(cell(&s, "addr", 0) == 18446741874686935032ull);
	CHECK_EQ(line->missing_count, 37);
	CHECK(ml_samples_missing(line, 0));
	CHECK_EQ(line->min, 19);
	/* data_src is 2 everywhere: a load, level unknown */
	CHECK_STR(word(&s, "level", 5), "unknown");
	CHECK_STR(word(&s, "op", 5), "load");
	/* hwloc 1.11: the L3 stands above the NUMA nodes */
	CHECK_EQ(s.topology.cpu_count, 24);
	CHECK_EQ(s.topology.tiers[ml_topology_tier(&s.topology, "NUMA")].count, 4);
	CHECK_EQ(s.topology.tiers[ml_topology_tier(&s.topology, "L3")].count, 2);
	uint32_t numa = ml_topology_above(&s.topology, s.topology.cpu[17],
					  ML_TOPOLOGY_NUMA, 0);
	CHECK_EQ(s.topology.nodes[s.topology.nodes[numa].parent].level, 3);
	ml_samples_close(&s);
}

TEST(types_are_found_by_column_and_bad_lines_are_counted)
{
	const char *text = "name,latency,time,x,addr,r\n"
			   "a,1,10,-5,0x10,1.5\n"
			   "\"b,\"\"c\"\"\", 2 ,1f,7,0xffffffffffffffff,2e3\n"
			   "c,3\n"
			   "d,four,2a,0,0x0,0\n"
			   "\n"
			   "e,5,??,1,0x1,1\n";
	struct ml_samples s = parsed(text, NULL);

	CHECK_EQ(s.rows, 3);
	CHECK_EQ(s.bad, 2);
	CHECK_EQ(s.bad_shown[0].line, 4);
	CHECK_STR(s.bad_shown[1].reason, "latency is no number: 'four'");
	CHECK_STR(word(&s, "name", 1), "b,\"c\"");
	CHECK_EQ(cell(&s, "time", 0), 0x10);
	CHECK_EQ(cell(&s, "time", 1), 0x1f);
	CHECK(ml_samples_missing(ml_samples_role(&s, ML_SAMPLES_TIME), 2));
	CHECK_EQ((int64_t)cell(&s, "x", 0), -5);
	CHECK(cell(&s, "addr", 1) == UINT64_MAX);
	CHECK_STR(word(&s, "r", 1), "2000");
	ml_samples_close(&s);
}

TEST(functions_and_variables_that_look_like_hexadecimal_numbers_are_names)
{
	static const char text[] =
		"latency,function,variable,other\n1,f1,face,f1\n2,f2,b0,f2\n";
	struct ml_samples s;
	struct ml_err err;

	CHECK_OK(ml_samples_read_text(&s, "t", ml_sample_format_named("samples-csv"),
				      text, sizeof(text) - 1, NULL, NULL, &err),
		 &err);
	CHECK_EQ(s.columns[1].kind, ML_SAMPLES_NAMES);
	CHECK_EQ(s.columns[2].kind, ML_SAMPLES_NAMES);
	CHECK(s.columns[3].hex);
	ml_samples_close(&s);
}

TEST(types_and_roles_can_be_set)
{
	struct ml_read_options o = { .columns = "latency=w,cpu=3",
				     .types = "t=hex,id=names" };
	struct ml_samples s = parsed("t;w;core;id;weight\n10;7;1;5;9\n20;8;0;6;9\n", &o);

	CHECK_EQ(cell(&s, "t", 0), 16);
	CHECK_STR(ml_samples_role(&s, ML_SAMPLES_LATENCY)->name, "w");
	CHECK_STR(ml_samples_role(&s, ML_SAMPLES_CPU)->name, "core");
	CHECK_STR(word(&s, "id", 1), "6");
	ml_samples_close(&s);
	struct ml_err err;
	o.types = "nothing=hex";
	CHECK_FAILS(ml_samples_read_text(&s, "f.csv", NULL, "a,latency\n1,2\n", 14, &o,
					 NULL, &err),
		    &err, "there is no column 'w'");
}

TEST(the_words_of_hardware_and_kernel_are_decoded)
{
	struct ml_samples s = opened("intel.perf-6.1.script.txt");
	static const char *const levels[] = { "L1", "LFB", "L2",         "L3",
					      "L3", "RAM", "remote RAM", "L1" };

	CHECK_EQ(s.rows, 8);
	for (size_t i = 0; i < 8; i++)
		CHECK_STR(word(&s, "level", i), levels[i]);
	CHECK_STR(word(&s, "op", 7), "store");
	CHECK_EQ(cell(&s, "tlb_miss", 5), 1);
	CHECK_EQ(cell(&s, "tlb_miss", 4), 0);
	CHECK_EQ(cell(&s, "latency", 6), 655);
	CHECK_EQ(cell(&s, "time", 0), 12345679901237);
	CHECK_EQ(cell(&s, "cpu", 0), 3);
	CHECK_EQ(cell(&s, "thread", 0), 4243);
	CHECK_EQ(cell(&s, "ip", 0), 0x55555555512d);
	CHECK_EQ(cell(&s, "phys_addr", 0), 0x1234560040);
	CHECK_STR(word(&s, "function", 0), "main");
	CHECK_STR(word(&s, "command", 0), "stream");
	CHECK_STR(word(&s, "event", 0), "cpu/mem-loads,ldlat=30/P");
	ml_samples_close(&s);
	s = opened("amd.perf-6.1.script.txt");
	static const char *const amd[] = { "L1",  "L2",         "L3", "remote cache",
					   "RAM", "remote RAM", "L1" };
	CHECK_EQ(s.rows, 7);
	for (size_t i = 0; i < 7; i++)
		CHECK_STR(word(&s, "level", i), amd[i]);
	CHECK_EQ(cell(&s, "latency", 3), 210); /* its text is cut off */
	ml_samples_close(&s);
	s = opened("arm.perf-6.1.script.txt");
	CHECK_EQ(s.rows, 4);
	CHECK_STR(word(&s, "level", 3), "remote cache");
	CHECK_EQ(cell(&s, "latency", 3), 420);
	ml_samples_close(&s);
}

TEST(records_that_repeat_or_use_no_memory_are_skipped_and_counted)
{
	struct ml_samples s = parsed(
		"a b  1 [000] 1.000000001: ibs_op//: 0 1e05080021 |OP N/A| 0 4000 f\n"
		"a b  1/2 [000] 1.5: l1d-access: 10 288100142 |OP LOAD| 9 4000 f+0x4\n"
		"a b  1/2 [000] 1.5: memory: 10 288100142 |OP LOAD| 9 4000 f+0x4\n"
		"nonsense\n",
		NULL);

	CHECK_EQ(s.rows, 1);
	CHECK_EQ(s.skipped, 2);
	CHECK_EQ(s.bad, 1);
	CHECK_STR(word(&s, "command", 0), "a b");
	CHECK_EQ(cell(&s, "thread", 0), 2);
	CHECK_EQ(cell(&s, "time", 0), 1500000000);
	CHECK_STR(word(&s, "function", 0), "f");
	ml_samples_close(&s);
	s = opened("pagefaults-real.perf-6.1.script.txt");
	CHECK_EQ(s.rows, 48); /* no memory level, but addresses */
	CHECK_EQ(cell(&s, "address", 0), 0x557449f57010);
	CHECK_STR(word(&s, "variable", 0), "__TMC_END__");
	CHECK_STR(word(&s, "function", 0), "elf_load");
	CHECK_STR(word(&s, "binary", 0), "[kernel.kallsyms]");
	ml_samples_close(&s);
}

TEST(perf_mem_report_is_read_with_its_misprinted_address)
{
	struct ml_samples s = opened("intel.perf-6.1.mem-D.txt");

	CHECK_EQ(s.rows, 8);
	CHECK_EQ(cell(&s, "address", 0), 0x7f3a10000040);
	CHECK_EQ(cell(&s, "address", 1), 0x7f3a10000080);
	CHECK_STR(word(&s, "level", 6), "remote RAM");
	CHECK_STR(word(&s, "binary", 0), "/home/user/stream");
	ml_samples_close(&s);
}

TEST(perf_text_of_amd_gets_the_latency_of_l1)
{
	/* IBS measures misses: the loads that L1 served have 0 cycles */
	struct ml_read_options o = { .l1_latency = 5 };
	struct ml_samples s;
	struct ml_err err;

	CHECK_OK(ml_samples_open(&s, TESTS "/samples/amd.perf-6.1.script.txt", &o, NULL,
				 &err),
		 &err);
	CHECK_STR(ml_samples_role(&s, ML_SAMPLES_LATENCY)->name, "ibs_latency");
	CHECK_EQ(cell(&s, "latency", 0), 0);
	CHECK_EQ(cell(&s, "ibs_latency", 0), 5);
	CHECK_EQ(cell(&s, "ibs_latency", 1), 19);
	ml_samples_close(&s);
	/* Intel measures all */
	CHECK_OK(ml_samples_open(&s, TESTS "/samples/intel.perf-6.1.script.txt", &o, NULL,
				 &err),
		 &err);
	CHECK_STR(ml_samples_role(&s, ML_SAMPLES_LATENCY)->name, "latency");
	ml_samples_close(&s);
}

TEST(amd_ibs_op_columns_give_level_and_latency)
{
	const char *text =
		"cpu,ibs_ld_op,ibs_st_op,ibs_dc_miss,ibs_l2_miss,ibs_dc_miss_lat\n"
		"0,1,0,0,0,0\n"   /* L1 */
		"0,1,0,0,1,0\n"   /* skid: L1 */
		"0,0,1,1,0,9\n"   /* L2 */
		"0,1,0,1,1,200\n" /* beyond */
		"0,0,0,0,0,0\n";  /* no access */
	struct ml_read_options o = { .l1_latency = 5 };
	struct ml_samples s = parsed(text, &o);
	static const char *const levels[] = { "L1", "L1", "L2", "L3 or RAM", "unknown" };

	for (size_t i = 0; i < 5; i++)
		CHECK_STR(word(&s, "level", i), levels[i]);
	CHECK_STR(ml_samples_role(&s, ML_SAMPLES_LATENCY)->name, "ibs_latency");
	CHECK_EQ(cell(&s, "ibs_latency", 0), 5);
	CHECK_EQ(cell(&s, "ibs_latency", 3), 205);
	CHECK(ml_samples_missing(ml_samples_role(&s, ML_SAMPLES_LATENCY), 4));
	ml_samples_close(&s);
}

TEST(a_file_holds_all_that_was_read_and_damage_is_told)
{
	struct ml_samples s = opened("heat"), t;
	struct ml_err err;
	uint64_t size;

	CHECK_OK(ml_samples_file_write(&s, scratch(), &size, NULL, &err), &err);
	CHECK(ml_samples_is(scratch()));
	CHECK_OK(ml_samples_open(&t, scratch(), NULL, NULL, &err), &err);
	CHECK_EQ(t.rows, s.rows);
	CHECK_EQ(t.count, s.count);
	CHECK_EQ(t.topology.count, s.topology.count);
	CHECK_EQ(t.topology.cpu[17], s.topology.cpu[17]);
	for (size_t c = 0; c < s.count; c++) {
		CHECK_STR(t.columns[c].name, s.columns[c].name);
		CHECK_EQ(t.columns[c].role, s.columns[c].role);
		for (size_t i = 0; i < s.rows; i++) {
			char a[ML_SAMPLES_TEXT], b[ML_SAMPLES_TEXT];

			CHECK_EQ(ml_samples_missing(&s.columns[c], i),
				 ml_samples_missing(&t.columns[c], i));
			CHECK_STR(ml_samples_text(&s.columns[c],
						  ml_samples_bits(&s.columns[c], i), a),
				  ml_samples_text(&t.columns[c],
						  ml_samples_bits(&t.columns[c], i), b));
		}
	}
	/* A byte of each column, of the header and of the directory is flipped. */
	long places[200];
	size_t count = 0;
	for (size_t c = 0; c < t.count; c++)
		places[count++] = (const uint8_t *)t.columns[c].cells - t.map.data +
				  (long)(t.rows * t.columns[c].width / 2);
	for (long at = 8; at < 48; at += 4)
		places[count++] = at == 12 ? 16 : at; /* 12 is reserved */
	for (long at = (long)size - 60; at < (long)size; at += 7)
		places[count++] = at;
	ml_samples_close(&t);
	ml_samples_close(&s);
	FILE *f = fopen(scratch(), "r+b");
	for (size_t i = 0; i < count; i++) {
		fseek(f, places[i], SEEK_SET);
		int c = fgetc(f);
		fseek(f, places[i], SEEK_SET);
		fputc(c ^ 0x11, f);
		fflush(f);
		CHECK(!ml_samples_open(&t, scratch(), NULL, NULL, &err));
		fseek(f, places[i], SEEK_SET);
		fputc(c, f);
		fflush(f);
	}
	CHECK_OK(ml_samples_open(&t, scratch(), NULL, NULL, &err), &err);
	ml_samples_close(&t);
	CHECK_EQ(ftruncate(fileno(f), (off_t)size - 1), 0);
	CHECK_FAILS(ml_samples_open(&t, scratch(), NULL, NULL, &err), &err, "cut off");
	fclose(f);
}

TEST(hwloc_2_memory_children_become_parents)
{
	const char *xml =
		"<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
		"<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\">"
		"<info name=\"a\" value=\"b > c\"/>"
		"<object type=\"Package\" os_index=\"0\">"
		"<object type=\"NUMANode\" os_index=\"0\" local_memory=\"100\"/>"
		"<object type=\"L3Cache\" cache_size=\"9\" depth=\"3\">"
		"<object type=\"L1Cache\" depth=\"1\"><object type=\"L1iCache\" depth=\"1\">"
		"<object type=\"Core\" os_index=\"0\"><object type=\"PU\" os_index=\"5\"/>"
		"</object></object></object></object></object></object></topology>\n";
	struct ml_arena a = { 0 };
	struct ml_topology t;
	struct ml_err err;

	CHECK_OK(ml_topology_parse(&t, "x.xml", xml, strlen(xml), &a, &err), &err);
	CHECK_EQ(t.count, 7); /* machine package NUMA L3 L1 core PU */
	CHECK_EQ(t.cpu_count, 6);
	uint32_t numa = ml_topology_above(&t, t.cpu[5], ML_TOPOLOGY_NUMA, 0);
	CHECK(numa != UINT32_MAX);
	CHECK_EQ(t.nodes[numa].size, 100);
	CHECK_EQ(t.nodes[t.nodes[numa].parent].type, ML_TOPOLOGY_PACKAGE);
	CHECK_FAILS(ml_topology_parse(&t, "x.xml", xml, strlen(xml) - 20, &a, &err), &err,
		    "x.xml:3: the file ends");
	ml_arena_release(&a);
}

TEST(a_table_of_4096_columns_is_read_and_one_with_more_is_refused)
{
	for (int columns = 4096; columns <= 4097; columns++) {
		struct ml_buf b = { 0 };
		struct ml_samples s;
		struct ml_err err;

		for (int row = 0; row < 2; row++)
			for (int i = 0; i < columns; i++)
				ml_buf_printf(&b, row ? "%d%c" : "c%d%c", i,
					      i + 1 < columns ? ',' : '\n');
		bool ok = ml_samples_read_text(&s, "wide", NULL, (const char *)b.data,
					       b.size, NULL, NULL, &err);
		CHECK_EQ(ok, columns == 4096);
		if (ok)
			ml_samples_close(&s);
		else
			CHECK(strstr(err.text, "4097 columns; 4096 can be read"));
		ml_buf_release(&b);
	}
}

static struct ml_selection chosen(const struct ml_samples *s, const char *text,
				  struct ml_arena *a)
{
	struct ml_selection sel;
	struct ml_err err;

	CHECK_OK(ml_selection_parse(&sel, s, text, a, &err), &err);
	return sel;
}

TEST(selections_by_text_are_exact)
{
	struct ml_samples s = opened("lulesh");
	struct ml_arena a = { 0 };
	struct ml_err err;
	struct ml_selection x = chosen(
				    &s,
				    "latency >= 100 and (cpu 0..7 or variable = m_x) xor "
				    "not level = L1 and iter < 600",
				    &a),
			    y = chosen(&s, "cpu != 3", &a), all = chosen(&s, "", &a);

	read_plain();
	for (size_t i = 0; i < plain_count; i++) {
		const struct plain *p = &plain[i];
		bool first = p->latency >= 100 &&
			     (p->cpu <= 7 || !strcmp(p->variable, "m_x"));
		bool second = (p->source & 15) != 1 && p->iter < 600;

		CHECK_EQ(ml_selection_has(&x, i), first != second);
		CHECK_EQ(ml_selection_has(&y, i), p->cpu != 3);
	}
	CHECK_EQ(ml_selection_count(&all), plain_count);
	ml_selection_invert(&all);
	CHECK_EQ(ml_selection_count(&all), 0);
	CHECK_FAILS(ml_selection_parse(&x, &s, "latency > much", &a, &err), &err,
		    "'much'");
	CHECK_FAILS(ml_selection_parse(&x, &s, "nobody = 1", &a, &err), &err, "'nobody'");
	CHECK_FAILS(ml_selection_parse(&x, &s, "(cpu = 1", &a, &err), &err, "')'");
	CHECK_FAILS(ml_selection_parse(&x, &s, "variable < 1", &a, &err), &err,
		    "holds names");
	ml_arena_release(&a);
	ml_samples_close(&s);
}

TEST(totals_by_line_and_variable_are_those_of_a_plain_sum)
{
	struct ml_samples s = opened("lulesh");
	struct ml_arena a = { 0 };
	struct ml_selection all = chosen(&s, NULL, &a);
	struct ml_totals t;

	read_plain();
	ml_totals_by(&t, &s, &all, s.role[ML_SAMPLES_VARIABLE], -1, ML_TOTAL_BY_CYCLES,
		     &a);
	uint64_t before = UINT64_MAX, sum = 0;
	for (size_t i = 0; i < t.count; i++) {
		uint64_t cycles = 0, samples = 0;

		for (size_t k = 0; k < plain_count; k++)
			if (!strcmp(plain[k].variable,
				    ml_samples_role(&s, ML_SAMPLES_VARIABLE)
					    ->names[t.list[i].value[0]])) {
				cycles += plain[k].latency;
				samples++;
			}
		CHECK_EQ(t.list[i].cycles, cycles);
		CHECK_EQ(t.list[i].samples, samples);
		CHECK(cycles <= before);
		before = cycles;
		sum += cycles;
	}
	CHECK_EQ(t.all.cycles, sum);
	ml_totals_by(&t, &s, &all, s.role[ML_SAMPLES_FILE], s.role[ML_SAMPLES_LINE],
		     ML_TOTAL_BY_SAMPLES, &a);
	for (size_t i = 0; i < t.count; i++) {
		uint64_t cycles = 0;

		for (size_t k = 0; k < plain_count; k++)
			if (plain[k].line == t.list[i].value[1] &&
			    !strcmp(plain[k].file, ml_samples_role(&s, ML_SAMPLES_FILE)
							   ->names[t.list[i].value[0]]))
				cycles += plain[k].latency;
		CHECK_EQ(t.list[i].cycles, cycles);
	}
	ml_arena_release(&a);
	ml_samples_close(&s);
}

/* The resource of a LULESH sample by arithmetic: CPUs k and k + 16 share L1 and L2, even
 * ones are on node 0. -1: none. */
static int plain_resource(const char *tier, const struct plain *p)
{
	unsigned source = p->source & 15, core = p->cpu % 16;
	int node = (int)(p->cpu % 2), place = (int)(core / 2) + node * 8;

	if (!strcmp(tier, "CPU"))
		return (int)p->cpu;
	if (!strcmp(tier, "L1"))
		return source == 1 || source == 2 ? place : -1;
	if (!strcmp(tier, "L2"))
		return source == 3 ? place : -1;
	if (!strcmp(tier, "L3"))
		return source >= 4 && source <= 7   ? node
		       : source == 8 || source == 9 ? !node
						    : -1;
	return source == 10 || source == 12   ? node
	       : source == 11 || source == 13 ? !node
					      : -1;
}

static void plain_metrics(const char *tier, int count, size_t from, size_t to, double *l,
			  double *imbalance)
{
	double c[32] = { 0 }, n[32] = { 0 }, sum = 0, mean = 0, var = 0, far = 0;
	int used = 0;

	for (size_t i = from; i < to; i++) {
		int r = plain_resource(tier, &plain[i]);

		if (r < 0)
			continue;
		c[r] += plain[i].latency;
		n[r]++;
	}
	for (int r = 0; r < count; r++) {
		used += n[r] > 0;
		sum += n[r] > 0 ? c[r] / n[r] : 0;
		mean += n[r] / count;
	}
	for (int r = 0; r < count; r++) {
		var += (n[r] - mean) * (n[r] - mean) / count;
		far = fmax(far, fabs(n[r] - mean));
	}
	*l = used ? sum / used : 0;
	*imbalance = var > 1e-12 ? far / sqrt(var) : 0;
}

TEST(metrics_of_every_tier_follow_the_equations)
{
	static const struct {
		const char *tier;
		int count;
	} tiers[] = {
		{ "CPU", 32 }, { "L1", 16 }, { "L2", 16 }, { "L3", 2 }, { "NUMA", 2 }
	};
	struct ml_samples s = opened("lulesh");
	struct ml_arena a = { 0 };
	struct ml_selection all = chosen(&s, NULL, &a);
	struct ml_loads_map m;
	struct ml_loads l;
	struct ml_err err;

	read_plain();
	CHECK_OK(ml_loads_map_init(&m, &s, &a, &err), &err);
	ml_loads_count(&l, &m, &all, &a);
	for (size_t i = 0; i < 5; i++) {
		int tier = ml_topology_tier(&s.topology, tiers[i].tier);
		struct ml_metrics x = ml_metrics_tier(&l, &m, (size_t)tier,
						      ML_EMPTY_NATURAL, &a);
		double latency, imbalance;

		plain_metrics(tiers[i].tier, tiers[i].count, 0, plain_count, &latency,
			      &imbalance);
		CHECK_EQ(x.resources, tiers[i].count);
		CHECK_NEAR(x.latency, latency, 1e-9);
		CHECK_NEAR(x.imbalance, imbalance, 1e-9);
	}
	ml_arena_release(&a);
	ml_samples_close(&s);
}

TEST(empty_resources_count_as_they_are_told_to)
{
	struct ml_load r[3] = { { 4, 4, 40 }, { 2, 2, 40 }, { 0, 0, 0 } };

	/* c/s is 10 and 20; 4, 2 and 0 samples have mean 2 and deviation sqrt(8/3) */
	CHECK_NEAR(ml_metrics_of(r, 3, ML_EMPTY_NATURAL).latency, 15, 1e-12);
	CHECK_NEAR(ml_metrics_of(r, 3, ML_EMPTY_NATURAL).imbalance, 2 / sqrt(8. / 3),
		   1e-12);
	CHECK_NEAR(ml_metrics_of(r, 3, ML_EMPTY_SKIP).latency, 15, 1e-12);
	CHECK_NEAR(ml_metrics_of(r, 3, ML_EMPTY_SKIP).imbalance, 1, 1e-12);
	CHECK_NEAR(ml_metrics_of(r, 3, ML_EMPTY_ZERO).latency, 10, 1e-12);
	CHECK_NEAR(ml_metrics_of(r, 3, ML_EMPTY_ZERO).imbalance, 2 / sqrt(8. / 3), 1e-12);
}

TEST(transactions_are_counted_on_the_way_from_the_cpu_to_what_served)
{
	const char *xml = "<Hardware id=\"0\"><NUMA id=\"0\" size=\"1\"><Cache id=\"3\">"
			  "<Cache id=\"1\"><CPU id=\"0\"></CPU></Cache></Cache></NUMA>"
			  "<NUMA id=\"1\" size=\"1\"><Cache id=\"3\"><Cache id=\"1\">"
			  "<CPU id=\"1\"></CPU></Cache></Cache></NUMA></Hardware>";
	/* L1, L3, local RAM, remote RAM, unknown, and a CPU that is not there */
	struct ml_samples s = parsed("cpu,latency,dataSource\n0,1,1\n0,10,4\n0,100,10\n"
				     "0,1000,11\n0,5,0\n7,3,1\n",
				     NULL);
	struct ml_arena a = { 0 };
	struct ml_selection all = chosen(&s, NULL, &a);
	struct ml_loads_map m;
	struct ml_loads l;
	struct ml_err err;

	CHECK_FAILS(ml_loads_map_init(&m, &s, &a, &err), &err, "hardware is unknown");
	CHECK_OK(ml_topology_parse(&s.topology, "x", xml, strlen(xml), &s.arena, &err),
		 &err);
	CHECK_OK(ml_loads_map_init(&m, &s, &a, &err), &err);
	ml_loads_count(&l, &m, &all, &a);
	struct ml_node_load *n = ml_loads_nodes(&l, &m, &a);
	/* nodes: 0 machine, 1 NUMA 0, 2 L3, 3 L1, 4 CPU 0, 5 NUMA 1, 6 L3, 7 L1, 8 CPU 1
	 */
	CHECK_EQ(n[4].load.samples, 5);
	CHECK_EQ(n[4].load.cycles, 1116);
	CHECK_EQ(n[4].transactions, 4); /* all but the unknown */
	CHECK_EQ(n[3].load.cycles, 1);
	CHECK_EQ(n[3].transactions, 3);
	CHECK_EQ(n[2].load.cycles, 10);
	CHECK_EQ(n[2].transactions, 2);
	CHECK_EQ(n[1].load.cycles, 100);
	CHECK_EQ(n[1].transactions, 1); /* to the other node */
	CHECK_EQ(n[5].load.cycles, 1000);
	CHECK_EQ(n[5].transactions, 1);
	CHECK_EQ(n[6].transactions, 0);
	CHECK_EQ(n[0].load.samples, 5);
	ml_arena_release(&a);
	ml_samples_close(&s);
}

TEST(hardware_may_lack_cpus_between_others)
{
	/* hwloc in a cpuset, or a CPU that is off: there is no CPU 1 */
	const char *xml = "<Hardware id=\"0\"><Cache id=\"3\"><CPU id=\"0\"></CPU>"
			  "<CPU id=\"2\"></CPU></Cache></Hardware>";
	struct ml_samples s = parsed("cpu,latency,dataSource\n0,1,1\n1,10,4\n2,100,4\n"
				     "9,1000,4\n,5,4\n-1,6,4\n",
				     NULL);
	struct ml_arena a = { 0 };
	struct ml_selection all = chosen(&s, NULL, &a);
	struct ml_loads_map m;
	struct ml_loads l;
	struct ml_err err;

	CHECK_EQ(ml_samples_elsewhere(&s), 0); /* the hardware is unknown */
	CHECK_OK(ml_topology_parse(&s.topology, "x", xml, strlen(xml), &s.arena, &err),
		 &err);
	CHECK_EQ(ml_samples_elsewhere(&s), 2); /* of CPU 1 and 9 */
	CHECK_OK(ml_loads_map_init(&m, &s, &a, &err), &err);
	ml_loads_count(&l, &m, &all, &a);
	for (size_t tier = 0; tier < s.topology.tier_count; tier++) {
		struct ml_metrics x = ml_metrics_tier(&l, &m, tier, ML_EMPTY_NATURAL, &a);

		CHECK_EQ(x.samples,
			 s.topology.tiers[tier].type == ML_TOPOLOGY_CACHE ? 1 : 2);
	}
	CHECK_EQ(ml_loads_nodes(&l, &m, &a)[0].load.samples, 2);
	ml_arena_release(&a);
	ml_samples_close(&s);
}

static int plain_by_time(const void *a, const void *b)
{
	const struct plain *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

TEST(clusters_join_the_nearest_neighbours_as_the_slow_way_does)
{
	struct ml_samples s = opened("lulesh");
	struct ml_arena a = { 0 };
	struct ml_selection all = chosen(&s, NULL, &a);
	struct ml_loads_map m;
	struct ml_clusters c;
	struct ml_err err;
	enum { WIDTH = 60, STEP = 25, LEFT = 7 };
	struct range {
		size_t from, to;
	} list[100];
	size_t n = 0;

	read_plain();
	qsort(plain, plain_count, sizeof(*plain), plain_by_time); /* times are unique */
	for (size_t at = 0;; at += STEP) {
		bool last = at + WIDTH >= plain_count;

		list[n++] = (struct range){ at, last ? plain_count : at + WIDTH };
		if (last)
			break;
	}
	size_t leaves = n;
	while (n > LEFT) {
		double best = HUGE_VAL;
		size_t which = 0;

		for (size_t i = 0; i + 1 < n; i++) {
			double l, x, y;

			plain_metrics("CPU", 32, list[i].from, list[i].to, &l, &x);
			plain_metrics("CPU", 32, list[i + 1].from, list[i + 1].to, &l,
				      &y);
			if (fabs(x - y) < best) {
				best = fabs(x - y);
				which = i;
			}
		}
		list[which].to = list[which + 1].to;
		memmove(&list[which + 1], &list[which + 2],
			(n - which - 2) * sizeof(*list));
		n--;
	}
	CHECK_OK(ml_loads_map_init(&m, &s, &a, &err), &err);
	CHECK_OK(ml_clusters_make(&c, &m, &all, (size_t)s.role[ML_SAMPLES_TIME],
				  (size_t)ml_topology_tier(&s.topology, "CPU"),
				  ML_METRIC_IMBALANCE, WIDTH, STEP, ML_EMPTY_NATURAL,
				  NULL, &a, &err),
		 &err);
	CHECK_EQ(c.leaves, leaves);
	CHECK_EQ(c.count, 2 * leaves - 1);
	uint32_t cut[100];
	CHECK_EQ(ml_clusters_cut(&c, LEFT, cut), LEFT);
	for (size_t i = 0; i < LEFT; i++) {
		CHECK_EQ(c.list[cut[i]].window.first, list[i].from);
		CHECK_EQ(c.list[cut[i]].window.end, list[i].to);
		CHECK_EQ(c.list[cut[i]].window.low, plain[list[i].from].time);
	}
	CHECK_EQ(ml_clusters_at_depth(&c, 0, cut), 1);
	CHECK_EQ(ml_clusters_at_depth(&c, 1, cut), 2);
	CHECK_EQ(cut[0], c.list[c.count - 1].left);
	CHECK_EQ(ml_clusters_cut(&c, leaves, cut), leaves);
	CHECK_EQ(cut[leaves - 1], leaves - 1);
	ml_arena_release(&a);
	ml_samples_close(&s);
}

TEST(bins_and_windows_agree_with_the_rows)
{
	struct ml_samples s = opened("lulesh");
	struct ml_arena a = { 0 };
	struct ml_selection some = chosen(&s, "latency > 40", &a);
	int iter = ml_samples_find(&s, "iter"), cpu = ml_samples_find(&s, "cpu");
	struct ml_bins x, y;
	uint64_t counts[33] = { 0 }, pairs[33 * 33] = { 0 };
	struct ml_loads_map m;
	struct ml_window *w;
	struct ml_err err;

	read_plain();
	ml_bins_init(&x, &s, (size_t)iter, 32);
	ml_bins_init(&y, &s, (size_t)cpu, 32);
	CHECK_EQ(x.count, 32);
	CHECK_EQ(y.count, 32);
	ml_bins_histogram(&x, &some, counts);
	ml_bins_pairs(&x, &y, &some, pairs);
	for (size_t i = 0; i < 32; i++) {
		uint64_t low = ml_bins_low(&s.columns[iter], &x, i),
			 high = i < 31 ? ml_bins_low(&s.columns[iter], &x, i + 1)
				       : UINT64_MAX;
		uint64_t n = 0, with3 = 0;

		for (size_t k = 0; k < plain_count; k++)
			if (plain[k].iter >= low && plain[k].iter < high &&
			    plain[k].latency > 40) {
				n++;
				with3 += plain[k].cpu == 3;
			}
		CHECK_EQ(counts[i], n);
		CHECK_EQ(pairs[i * 33 + 3], with3);
	}
	ml_bins_release(&x);
	ml_bins_release(&y);
	CHECK_OK(ml_loads_map_init(&m, &s, &a, &err), &err);
	struct ml_selection all = chosen(&s, NULL, &a);
	size_t n = ml_metrics_windows(&w, &m, &all, (size_t)iter,
				      (size_t)ml_topology_tier(&s.topology, "L1"), 10,
				      ML_EMPTY_NATURAL, &a);
	CHECK_EQ(n, 10);
	for (size_t i = 0; i < n; i++) { /* iter is sorted in the file */
		double l, imbalance;

		plain_metrics("L1", 16, w[i].first, w[i].end, &l, &imbalance);
		CHECK_NEAR(w[i].m.latency, l, 1e-9);
		CHECK_NEAR(w[i].m.imbalance, imbalance, 1e-9);
	}
	ml_arena_release(&a);
	ml_samples_close(&s);
}

TEST(mutual_information_finds_what_determines_what)
{
	struct ml_samples s = opened("lulesh");
	struct ml_arena a = { 0 };
	struct ml_selection all = chosen(&s, NULL, &a), l2 = chosen(&s, "level = L2", &a);
	struct ml_dependence *list;
	struct ml_special *special;
	size_t n = ml_information_pairs(&list, &s, &all, &a);
	int level = ml_samples_find(&s, "level");
	bool found = false;

	CHECK(n > 20);
	for (size_t i = 0; i < n; i++) {
		CHECK(list[i].share >= 0 && list[i].share <= 1);
		/* x is 0 where map3D is 0: its groups tell map3D nearly, level none of it
		 */
		found |= (int)list[i].b == level &&
			 list[i].a == (uint32_t)ml_samples_find(&s, "dataSource");
	}
	CHECK(found);
	n = ml_information_special(&special, &s, &l2, &a);
	CHECK((int)special[0].column == level ||
	      !strcmp(s.columns[special[0].column].name, "dataSource"));
	/* rows of the level L2 have nothing in common with the others in that column */
	for (size_t i = 0; i < n; i++)
		if ((int)special[i].column == level) {
			CHECK_NEAR(special[i].divergence, 1, 1e-9);
			CHECK_NEAR(special[i].inside, 1, 1e-9);
			CHECK_STR(s.columns[level].names[special[i].low], "L2");
		}
	ml_arena_release(&a);
	ml_samples_close(&s);
}

/* Two independent columns and a copy, 64 rows: entropies are 2, 2 and 2 bits. */
TEST(mutual_information_of_a_copy_is_all_and_of_independent_columns_nothing)
{
	char text[4000] = "latency,b,c\n";
	struct ml_samples s;
	struct ml_arena a = { 0 };
	struct ml_dependence *list;

	for (unsigned i = 0; i < 64; i++)
		snprintf(text + strlen(text), 40, "%u,%u,n%u\n", i % 4, i / 4 % 4, i % 4);
	s = parsed(text, NULL);
	struct ml_selection all = chosen(&s, NULL, &a);
	CHECK_EQ(ml_information_pairs(&list, &s, &all, &a), 3);
	CHECK_EQ(list[0].a, 0);
	CHECK_EQ(list[0].b, 2);
	/* H(a) + H(b) - H(a,b) = 2, and the bias is (4 - 4 - 4 + 1) / 128 nats */
	CHECK_NEAR(list[0].bits, 2 + 3 / 128. / log(2), 1e-9);
	CHECK_NEAR(list[0].share, 1, 1e-9);
	CHECK_NEAR(list[1].bits, 0, 1e-9);
	ml_arena_release(&a);
	ml_samples_close(&s);
}

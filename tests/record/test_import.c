/* Importers: the examples of each format's own manual, and what is wrong in a file. */
#include "record/import/import.h"

#include <dirent.h>
#include <sys/stat.h>

#include "lib/base/work.h"
#include "lib/base/arena.h"
#include "record/import/import_probe.h"
#include "tests/dumped.h"
#include "tests/scratch.h"
#include "tests/test.h"

/* Beside the scratch trace, an input and a list of regions. */
static const char *input(void)
{
	static char path[80];

	snprintf(path, sizeof(path), "%s.in", scratch());
	return path;
}

static void put_file(const char *path, const char *text, size_t size)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fwrite(text, 1, size, f) == size && !fclose(f));
}

static bool import(struct ml_import_options o, const char *text, struct ml_err *err)
{
	struct ml_import_result result;
	struct ml_arena a = { 0 };

	put_file(input(), text, strlen(text));
	o.input = input();
	o.output = scratch();
	unlink(scratch());
	bool ok = ml_import_run(&o, ml_importers, &result, &a, err);
	unlink(input());
	ml_arena_release(&a);
	return ok;
}

static void becomes(struct ml_import_options o, const char *text, const char *lines)
{
	struct ml_err err;

	CHECK_OK(import(o, text, &err), &err);
	dumped_is(scratch(), lines);
}

static void fails(struct ml_import_options o, const char *text, const char *says)
{
	struct ml_err err;

	CHECK_FAILS(import(o, text, &err), &err, says);
	CHECK(access(scratch(), F_OK) != 0); /* nothing half-written is left */
}

static const struct ml_import_options plain, fetches = { .fetch = true };

static const char lackey[] = "==1== Lackey, an example Valgrind tool\n"
			     "==1== \n"
			     "I  0023c790,2\n"
			     "I  0023c792,5\n"
			     " S be80199c,4\n"
			     "I  0025242b,3\n"
			     " L be801950,4\n"
			     "I  0023d476,7\n"
			     " M 0025747c,1\n"
			     "\n"
			     "==1== done\n";

TEST(lackey_instructions_are_the_sites_of_what_follows)
{
	becomes(plain, lackey,
		"0 w 0xbe80199c 4 1 0x23c792\n"
		"1 r 0xbe801950 4 1 0x25242b\n"
		"2 r 0x25747c 1 1 0x23d476\n"
		"3 w 0x25747c 1 1 0x23d476\n");
}

TEST(lackey_instructions_are_fetches_on_request)
{
	becomes(fetches, lackey,
		"0 f 0x23c790 2 1 0x23c790\n"
		"1 f 0x23c792 5 1 0x23c792\n"
		"2 w 0xbe80199c 4 1 0x23c792\n"
		"3 f 0x25242b 3 1 0x25242b\n"
		"4 r 0xbe801950 4 1 0x25242b\n"
		"5 f 0x23d476 7 1 0x23d476\n"
		"6 r 0x25747c 1 1 0x23d476\n"
		"7 w 0x25747c 1 1 0x23d476\n");
}

TEST(lackey_lines_that_are_none_are_refused_by_number)
{
	struct ml_import_options o = { .format = "lackey" };

	fails(plain, " L 10,4\n L 10\n", ".in:2: no line of lackey: ' L 10'");
	fails(plain, " L 10,4\n L 10,4x\n", ".in:2: no line of lackey: ' L 10,4x'");
	fails(plain, " L 10,4\nhello\n", ".in:2: no line of lackey: 'hello'");
	fails(plain, " L 10,4\n L 11112222333344445,4\n", ".in:2: no line of lackey");
	fails(plain, " L 10,4\n L 10,0\n",
	      ".in:2: a reference has 1 byte to 16 MiB, not 0");
	fails(o, " X 10,4", ".in:1: no line of lackey: ' X 10,4'");
}

TEST(din_has_labels_and_hexadecimal_addresses)
{
	struct ml_import_options eight = { .size = 8 };

	/* the examples of Dinero's own page, one with a comment, one with a size */
	becomes(fetches,
		"2 0 \n0 1000 \n0 70f60888 a comment\n1 70f60890 10\r\n1 70f6088c",
		"0 f 0x0 4 1\n"
		"1 r 0x1000 4 1\n"
		"2 r 0x70f60888 10 1\n" /* "a" is a hexadecimal number */
		"3 w 0x70f60890 16 1\n"
		"4 w 0x70f6088c 4 1\n");
	becomes(eight, "2 0\n0 10\n", "0 r 0x10 8 1\n");
	becomes((struct ml_import_options){ .format = "din" }, "r 10 4\nw 0x20 8\n",
		"0 r 0x10 4 1\n1 w 0x20 8 1\n");
}

TEST(din_lines_that_are_none_are_refused_by_number)
{
	fails(plain, "0 10\n5 20\n",
	      ".in:2: a label is 0 read, 1 write or 2 fetch, not '5'");
	fails(plain, "0 10\n00 20\n",
	      ".in:2: a label is 0 read, 1 write or 2 fetch, not '00'");
	fails(plain, "0 10\n1 xyz\n", ".in:2: expected a hexadecimal address, not 'xyz'");
	fails(plain, "0 10\n1\n", ".in:2: expected a hexadecimal address, not ''");
	fails(plain, "0 10\n1 10 fffffffff\n", ".in:2: a reference has 1 byte to 16 MiB");
}

TEST(csv_columns_are_found_by_their_headings)
{
	becomes(plain,
		"when,\"Address\",op,bytes,tid,file,line,function\r\n"
		"1,0x10,R,4,1,a.c,7,main\r\n"
		"2,32,store,8,70000,\"my, \"\"own\"\" a.c\",8,\"f(int, int)\"\r\n"
		"\r\n"
		"3,48,M,,,,,\r\n",
		"0 r 0x10 4 1 a.c:7 main\n"
		"1 w 0x20 8 2 \"my, \\\"own\\\" a.c\":8 f(int, int)\n"
		"2 r 0x30 8 1\n"
		"3 w 0x30 8 1\n");
}

TEST(csv_columns_are_found_by_a_map)
{
	struct ml_import_options numbers = { .columns = "addr=2,kind=1,size=3" };
	struct ml_import_options names = { .columns = "addr=where,ip=from" };

	becomes(numbers, "r,\"16\",4\nw,0x20,8\n", "0 r 0x10 4 1\n1 w 0x20 8 1\n");
	becomes(numbers, "what;where;how\nr;16;4\n", "0 r 0x10 4 1\n");
	becomes(names, "from\twhere\n0x400000\t16\n", "0 r 0x10 8 1 0x400000\n");
}

TEST(csv_threads_keep_their_numbers_where_they_can)
{
	becomes(plain, "addr,tid\n0,2\n0,0\n0,1\n0,2\n",
		"0 r 0x0 8 2\n" /* 2 */
		"1 r 0x0 8 1\n" /* 0 is no number for a thread */
		"2 r 0x0 8 3\n" /* and so 1 is taken */
		"3 r 0x0 8 2\n");
}

TEST(csv_fields_may_hold_lines)
{
	becomes(plain, "addr,note,size\n1,\"two\nlines\",4\n2,,8\n",
		"0 r 0x1 4 1\n1 r 0x2 8 1\n");
	fails(plain, "addr,note\n1,\"two\nlines\"\nx,\n", ".in:4: an address is decimal");
}

TEST(csv_mistakes_are_named)
{
	struct ml_import_options o = { .columns = "addr=9" };

	fails(plain, "a,b\n1,2\n",
	      ".in:1: no heading is addr or address; --columns addr=N");
	fails(plain, "addr,b\n7ffe,2\n",
	      ".in:2: an address is decimal or 0x hexadecimal, not '7ffe'");
	fails(plain, "addr,op\n1,q\n", ".in:2: a kind is r, w, m or f");
	fails(plain, "addr,size\n1,0\n", ".in:2: a size is 1 byte to 16 MiB, not '0'");
	fails(plain, "addr,line\n1,-1\n", ".in:2: expected a line, not '-1'");
	fails(plain, "addr,tid\n1,main\n", ".in:2: expected a thread, not 'main'");
	fails(plain, "addr,tid\n1,\"2\n", ".in:2: a quoted field has no end:");
	fails(o, "1,2\n", "--columns: ");
	o.columns = "addr=1,color=2";
	fails(o, "1,2\n", "--columns: 'color=2' is not COLUMN=NUMBER");
	o.columns = "kind=1";
	fails(o, "1,2\n", "--columns: it names no column addr");
}

TEST(a_large_reference_is_cut_at_multiples_of_8_KiB)
{
	becomes(plain, "addr,size\n4096,16384\n",
		"0 r 0x1000 4096 1\n1 r 0x2000 12288 1\n");
}

TEST(text_and_models_are_imported_too)
{
	becomes(plain, "# a text\nr0 w8\n", "0 r 0x0 8 1\n1 w 0x8 8 1\n");
	becomes(plain, "0 r 0x10 8 1 a.c:1\n", "0 r 0x10 8 1 a.c:1\n");
	becomes(fetches, "2 f 0x10 8 1\n", "0 f 0x10 8 1\n");
	becomes(plain, "region A 0 8\nr0\n", "region A 0x0 8\n0 r 0x0 8 1 # A+0\n");
	fails(plain, "r0\nr8\nq\n",
	      ".in:3: expected a reference or a directive, not 'q'");
	fails(plain, "# model\nsweep 0 2 8\nsweep 1\n", ".in:3: expected another number");
}

TEST(a_model_needs_no_input)
{
	struct ml_import_options o = { .model = "sweep 0 2 4 w", .output = scratch() };
	struct ml_import_result result;
	struct ml_err err;

	CHECK_OK(ml_import_run(&o, ml_importers, &result, NULL, &err), &err);
	CHECK_EQ(result.count, 2);
	CHECK_STR(result.importer->name, "model");
	CHECK_STR(result.importer->kind, "trace");
	dumped_is(scratch(), "region sweep 0x0 8 4 2\n"
			     "0 w 0x0 4 1 model:1 sweep # sweep[0]\n"
			     "1 w 0x4 4 1 model:1 sweep # sweep[1]\n");
}

TEST(foreign_files_are_refused)
{
	fails(plain, "", "it is empty");
	fails(plain, "hello world\n",
	      "this file is in no known format; --format NAME reads it as one of lackey, ");
	fails((struct ml_import_options){ .format = "pin" }, "r0",
	      "no format 'pin': there are lackey, din, model, mitos, perf-script, perf-mem, samples-csv, text and csv");
}

TEST(a_registration_file_names_regions_from_the_start)
{
	char regions[100];
	struct ml_import_options o = { .regions = regions };
	static const char good[] = "# arrays\nA 0x1000 32 8 2 2\n\n\"my b\" 64 8\n";
	static const char wrong[] = "A 0x1000 32 8 2 2\nB 0x1000\n";

	snprintf(regions, sizeof(regions), "%s.regions", scratch());
	put_file(regions, good, strlen(good));
	becomes(o, "r0x1018 w66:1\n",
		"region A 0x1000 32 8 2 2\n"
		"region \"my b\" 0x40 8\n"
		"0 r 0x1018 8 1 # A[1][1]\n"
		"1 w 0x42 1 1 # my b+2\n");
	put_file(regions, wrong, strlen(wrong));
	fails(o, "r0\n", ".regions:2: expected a size, not ''");
	unlink(regions);
	fails(o, "r0\n", ".regions: ");
}

/* Lines lie across the ends of the window that moves over the file. */
TEST(a_file_longer_than_the_window_is_read_whole)
{
	enum { LINES = 300 * 1000 };
	struct ml_buf text = { 0 };
	struct ml_trace t;
	struct ml_cursor *c;
	struct ml_batch b;
	struct ml_err err;
	uint64_t wrong = 0;

	for (unsigned i = 0; i < LINES; i++) {
		char line[40];
		int n = snprintf(line, sizeof(line), " %c %x,8\n", i % 3 ? 'L' : 'S',
				 i * 8);

		ml_buf_put(&text, line, (size_t)n);
	}
	text.data[text.size - 1] = 0; /* the last line lacks its newline */
	CHECK_OK(import(plain, (const char *)text.data, &err), &err);
	ml_buf_release(&text);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_EQ(t.count, LINES);
	c = ml_cursor_open(&t, 0, t.count);
	while (ml_cursor_next(c, &b, &err))
		for (size_t i = 0; i < b.count; i++)
			wrong += b.addr[i] != (b.time + i) * 8 ||
				 b.what[i] !=
					 ml_what((b.time + i) % 3 ? ML_READ : ML_WRITE,
						 8);
	CHECK_EQ(wrong, 0);
	ml_cursor_close(c);
	ml_trace_close(&t);
}

TEST(a_file_of_one_long_line_is_detected)
{
	enum { REFS = 1000 * 1000 };
	struct ml_buf text = { 0 };
	struct ml_trace t;
	struct ml_err err;

	for (unsigned i = 0; i < REFS; i++)
		ml_buf_put(&text, "r64 ", 4);
	text.data[text.size - 1] = 0; /* without a newline, too */
	CHECK_OK(import(plain, (const char *)text.data, &err), &err);
	ml_buf_release(&text);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_EQ(t.count, REFS);
	ml_trace_close(&t);
}

TEST(a_failed_import_leaves_an_older_trace_alone)
{
	struct ml_import_options o = { .output = scratch(), .input = input() };
	struct ml_import_result result;
	struct ml_err err;
	struct stat st;

	put_file(scratch(), "old", 3);
	put_file(input(), "r0\nq\n", 5);
	CHECK_FAILS(ml_import_run(&o, ml_importers, &result, NULL, &err), &err, ":2: ");
	CHECK(!stat(scratch(), &st) && st.st_size == 3);
	put_file(input(), "r0\n", 3);
	o.output = "/dev/null"; /* never renamed over */
	CHECK_OK(ml_import_run(&o, ml_importers, &result, NULL, &err), &err);
	CHECK(!stat("/dev/null", &st) && S_ISCHR(st.st_mode));
	unlink(input());
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

TEST(an_import_that_is_cancelled_leaves_nothing)
{
	struct ml_work work = { .cancelled = always };
	struct ml_import_options o = { .work = &work };

	fails(o, "r0\n", "stopped");
	o.model = "sweep 0 1M 8";
	fails(o, "", "stopped");
}

/*
 * A toy: a folder with a file `order`; the document has the names that it lists, and is
 * neither a trace nor made of lines of one file.
 */
static bool toy_detect(const struct ml_import_probe *p)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/order", p->path);
	return p->is_folder && access(path, F_OK) == 0;
}

static bool toy_run(struct ml_import *im, struct ml_err *err)
{
	DIR *folder = opendir(im->probe->path);
	FILE *out = fopen(im->result->path, "w");

	(void)err;
	CHECK(folder && out);
	for (struct dirent *e; (e = readdir(folder));)
		if (e->d_name[0] != '.') {
			fprintf(out, "%s\n", e->d_name);
			im->result->count++;
		}
	closedir(folder);
	return !fclose(out);
}

static const struct ml_importer toy = {
	.name = "toy",
	.what = "a folder for this test",
	.kind = "list",
	.suffix = ".toy",
	.unit = "name",
	.detect = toy_detect,
	.run = toy_run,
};

TEST(a_folder_becomes_a_document_of_another_kind)
{
	static const struct ml_importer *const with_toy[] = { &ml_importer_csv, &toy,
							      NULL };
	char folder[100], file[120], document[120];
	struct ml_import_options o = { .input = folder };
	struct ml_import_result result;
	struct ml_arena a = { 0 };
	struct ml_err err;

	snprintf(folder, sizeof(folder), "%s.samples/", scratch());
	snprintf(file, sizeof(file), "%sorder", folder);
	snprintf(document, sizeof(document), "%s.toy", scratch());
	CHECK(!mkdir(folder, 0777));
	CHECK_FAILS(ml_import_run(&o, with_toy, &result, &a, &err), &err,
		    "this folder is in no known format; --format NAME reads it as one of "
		    "csv and toy");
	put_file(file, "", 0);
	CHECK_OK(ml_import_run(&o, with_toy, &result, &a, &err), &err);
	CHECK_STR(result.importer->kind, "list");
	CHECK_STR(result.path, document); /* "name.samples/" loses suffix and slash */
	CHECK_EQ(result.count, 1);
	o.format = "csv";
	CHECK_FAILS(ml_import_run(&o, with_toy, &result, &a, &err), &err,
		    "is a folder; csv is a format of files");
	o.format = NULL;
	CHECK_FAILS(ml_import_run(&o, ml_importers, &result, &a, &err), &err,
		    "this folder is in no known format");
	ml_arena_release(&a);
	unlink(document);
	unlink(file);
	rmdir(folder);
}

/* The first bytes are read once; the import goes on behind them. */
TEST(a_pipe_is_detected_and_read_whole)
{
	struct ml_import_options o = { .input = "/dev/fd/0", .output = scratch() };
	struct ml_import_result result;
	struct ml_err err;
	int ends[2];

	for (int named = 0; named < 2; named++) {
		CHECK(!pipe(ends) && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
		close(ends[0]);
		CHECK_EQ(write(ends[1], "0 10\n1 20\n0", 11), 11);
		CHECK_EQ(write(ends[1], " 30", 3), 3);
		close(ends[1]);
		o.input = named ? "/dev/fd/0" : "-";
		CHECK_OK(ml_import_run(&o, ml_importers, &result, NULL, &err), &err);
		CHECK_STR(result.importer->name, "din");
		dumped_is(scratch(), "0 r 0x10 4 1\n1 w 0x20 4 1\n2 r 0x30 4 1\n");
	}
}

#include "record/symbols/sites.h"
#include "tests/debuginfo.h"

static const uint64_t bias = 0x555555550000;

struct run {
	struct scratch scratch;
	struct ml_tables tables;
	struct ml_objects objects;
};

static void run_open(struct run *r, const char *command)
{
	r->scratch = scratch_open();
	scratch_run(&r->scratch, command);
	ml_tables_init(&r->tables);
	ml_objects_init(&r->objects, &r->tables);
}

static void run_close(struct run *r)
{
	ml_objects_release(&r->objects);
	ml_tables_release(&r->tables);
	scratch_close(&r->scratch);
}

static const char *func_of(struct run *r, uint32_t site, uint32_t frame)
{
	const struct ml_site *s = &r->tables.sites.at[site];

	CHECK(frame < s->frames);
	return ml_tables_text(&r->tables, r->tables.frames.at[s->frame + frame].func);
}

/* The text of the source line of a frame. */
static const char *line_of(struct run *r, uint32_t site, uint32_t frame)
{
	static char line[256];
	const struct ml_site *s = &r->tables.sites.at[site];
	struct ml_frame f = r->tables.frames.at[s->frame + frame];
	size_t size;
	const char *text = ml_sources_line(
		&r->objects.sources, ml_tables_text(&r->tables, f.file), f.line, &size);

	snprintf(line, sizeof(line), "%.*s", (int)size, text ? text : "");
	return line;
}

static uint64_t symbol(struct run *r, const char *file, const char *name)
{
	char command[256];

	snprintf(command, sizeof(command), "nm %s | grep ' %s$'", file, name);
	return scratch_hex(&r->scratch, command);
}

/* Any address of outer in which the innermost function was inlined. */
static uint32_t inlined_site(struct run *r, uint64_t outer)
{
	for (uint64_t i = 0; i < 64; i++) {
		uint32_t site = ml_sites_resolve(&r->objects, outer + i);

		if (strcmp(func_of(r, site, 0), "innermost") == 0)
			return site;
	}
	TEST_SAY("innermost is nowhere in outer");
	return 0;
}

static void check_chain(struct run *r, const char *file, uint64_t base)
{
	uint64_t outer = symbol(r, "full", "outer") + base;

	map_file(&r->objects, scratch_path(&r->scratch, file), base);
	uint32_t site = inlined_site(r, outer);
	CHECK_EQ(r->tables.sites.at[site].frames, 3);
	CHECK(r->tables.sites.at[site].user);
	CHECK_STR(func_of(r, site, 1), "middle");
	CHECK_STR(func_of(r, site, 2), "outer");
	CHECK(strstr(line_of(r, site, 0), "innermost body") != NULL);
	CHECK(strstr(line_of(r, site, 1), "middle body") != NULL);
	CHECK(strstr(line_of(r, site, 2), "outer body") != NULL);
}

TEST(inlined_calls_are_a_chain_of_frames_in_a_pie)
{
	struct run r;

	run_open(&r, "cc -g -O2 -pie -fPIE \"$S/shapes.c\" -o full");
	check_chain(&r, "full", bias);
	run_close(&r);
}

TEST(inlined_calls_are_a_chain_of_frames_in_a_program_at_a_fixed_address)
{
	struct run r;

	run_open(&r, "cc -g -O2 -no-pie -fno-pie \"$S/shapes.c\" -o full");
	check_chain(&r, "full", 0);
	run_close(&r);
}

TEST(debug_information_is_found_in_a_separate_file)
{
	struct run r;

	run_open(&r, "cc -g -O2 -pie -fPIE \"$S/shapes.c\" -o full && mkdir .debug &&"
		     "objcopy --only-keep-debug full .debug/s.debug &&"
		     "strip -o stripped full && cd .debug &&"
		     "objcopy --add-gnu-debuglink=s.debug ../stripped");
	check_chain(&r, "stripped", bias);
	run_close(&r);
}

TEST(a_separate_file_of_another_build_is_not_believed)
{
	struct run r;

	run_open(&r,
		 "cc -g -O2 -Wl,--build-id=none \"$S/shapes.c\" -o full &&"
		 "objcopy --only-keep-debug full s.debug && strip -o stripped full &&"
		 "objcopy --add-gnu-debuglink=s.debug stripped && echo more >> s.debug");
	uint64_t outer = symbol(&r, "full", "outer");
	map_file(&r.objects, scratch_path(&r.scratch, "stripped"), bias);
	uint32_t site = ml_sites_resolve(&r.objects, outer + bias + 1);
	CHECK_EQ(ml_tables_frame(&r.tables, site).line, 0);
	run_close(&r);
}

TEST(paths_are_absolute_and_clean)
{
	struct run r;

	run_open(&r, "mkdir a b && cp \"$S/shapes.c\" a && cd b &&"
		     "cc -g -O0 ./../a/.//shapes.c -o ../full");
	map_file(&r.objects, scratch_path(&r.scratch, "full"), bias);
	uint32_t site = ml_sites_resolve(&r.objects,
					 symbol(&r, "full", "main") + bias + 8);
	CHECK_STR(ml_tables_text(&r.tables, ml_tables_frame(&r.tables, site).file),
		  scratch_path(&r.scratch, "a/shapes.c"));
	CHECK_STR(func_of(&r, site, 0), "main");
	run_close(&r);
}

TEST(without_debug_information_symbols_name_functions)
{
	struct run r;

	run_open(&r, "cc -O2 \"$S/shapes.c\" -o full");
	map_file(&r.objects, scratch_path(&r.scratch, "full"), bias);
	uint32_t site = ml_sites_resolve(&r.objects,
					 symbol(&r, "full", "outer") + bias + 9);
	CHECK_STR(func_of(&r, site, 0), "outer");
	CHECK_EQ(ml_tables_frame(&r.tables, site).line, 0);
	run_close(&r);
}

TEST(in_a_stripped_program_addresses_still_gather_by_function)
{
	struct run r;
	char name[64];

	run_open(&r, "cc -O2 \"$S/shapes.c\" -o full && strip -o stripped full");
	uint64_t outer = symbol(&r, "full", "outer"),
		 main_at = symbol(&r, "full", "main");
	map_file(&r.objects, scratch_path(&r.scratch, "stripped"), bias);
	snprintf(name, sizeof(name), "stripped+0x%llx", (unsigned long long)outer);
	CHECK_STR(func_of(&r, ml_sites_resolve(&r.objects, outer + bias + 5), 0), name);
	CHECK_STR(func_of(&r, ml_sites_resolve(&r.objects, outer + bias + 21), 0), name);
	snprintf(name, sizeof(name), "stripped+0x%llx", (unsigned long long)main_at);
	CHECK_STR(func_of(&r, ml_sites_resolve(&r.objects, main_at + bias + 5), 0), name);
	run_close(&r);
}

TEST(stubs_of_the_linkage_table_are_called_after_what_they_call)
{
	struct run r;

	run_open(&r,
		 "cc -O0 -w -Wl,-z,lazy \"$S/heap.c\" -o full && strip -o stripped full");
	uint64_t stub = scratch_hex(&r.scratch, "objdump -d full | grep '<calloc@plt>:'");
	map_file(&r.objects, scratch_path(&r.scratch, "stripped"), bias);
	bool found = false;
	for (uint64_t i = 0; i < 8; i++) /* endbr64 may stand before the jump */
		found |= strcmp(func_of(&r, ml_sites_resolve(&r.objects, stub + bias + i),
					0),
				"calloc@plt") == 0;
	CHECK(found);
	run_close(&r);
}

TEST(an_address_has_one_site_until_another_library_takes_its_place)
{
	struct run r;

	run_open(&r,
		 "cc -g -O2 -shared -fPIC \"$S/shapes.c\" -o one.so && cp one.so two.so");
	uint64_t ip = symbol(&r, "one.so", "outer") + bias;
	map_file(&r.objects, scratch_path(&r.scratch, "one.so"), bias);
	uint32_t first = ml_sites_resolve(&r.objects, ip);
	CHECK_EQ(ml_sites_resolve(&r.objects, ip), first);
	ml_objects_unmap(&r.objects, bias, bias + (1 << 20));
	uint32_t none = ml_sites_resolve(&r.objects, ip);
	CHECK(none != first);
	CHECK_STR(func_of(&r, none, 0), "[anonymous code]");
	map_file(&r.objects, scratch_path(&r.scratch, "two.so"), bias);
	uint32_t second = ml_sites_resolve(&r.objects, ip);
	CHECK(second != first && second != none);
	CHECK_STR(ml_tables_text(&r.tables, r.tables.sites.at[second].object),
		  scratch_path(&r.scratch, "two.so"));
	map_file(&r.objects, scratch_path(&r.scratch, "one.so"), bias);
	CHECK_EQ(ml_sites_resolve(&r.objects, ip), first);
	run_close(&r);
}

TEST(a_library_that_was_written_anew_is_read_anew)
{
	struct run r;

	run_open(&r, "cc -g -O0 -shared -fPIC \"$S/shapes.c\" -o x.so");
	uint64_t ip = symbol(&r, "x.so", "outer") + bias;
	map_file(&r.objects, scratch_path(&r.scratch, "x.so"), bias);
	uint32_t before = ml_sites_resolve(&r.objects, ip);
	ml_objects_unmap(&r.objects, bias, bias + (1 << 20));
	scratch_run(&r.scratch,
		    "cc -g -O0 -Douter=renamed -shared -fPIC \"$S/shapes.c\" -o y.so"
		    " && mv y.so x.so");
	ip = symbol(&r, "x.so", "renamed") + bias;
	map_file(&r.objects, scratch_path(&r.scratch, "x.so"), bias);
	CHECK_STR(func_of(&r, before, 0), "outer");
	CHECK_STR(func_of(&r, ml_sites_resolve(&r.objects, ip), 0), "renamed");
	run_close(&r);
}

static bool user_of(struct run *r, uint64_t ip)
{
	return r->tables.sites.at[ml_sites_resolve(&r->objects, ip)].user;
}

TEST(the_program_and_its_own_libraries_are_user_code_and_the_system_is_not)
{
	struct run r;
	static const char *const paths[] = {
		"/lib64/ld-linux-x86-64.so.2",
		"/usr/bin/gzip",
		"/usr/lib/x/libz.so.1",
		"/opt/lib/libown.so",
		"/lib/libc.so.6",
		"/usr/local/lib/libmine.so",
		"[vdso]",
		"/a/vgpreload_x.so",
	};
	static const bool user[] = {
		false, true, false, true, false, true, false, false
	};

	run_open(&r, "true");
	for (unsigned i = 0; i < 8; i++)
		ml_objects_map(&r.objects, 0x10000 * (i + 1), 0x10000 * (i + 1) + 0x1000,
			       0, 5,
			       paths[i][0] == '[' ? ML_MAPPING_OTHER : ML_MAPPING_FILE,
			       paths[i]);
	for (unsigned i = 0; i < 8; i++)
		CHECK_EQ(user_of(&r, 0x10000 * (i + 1) + 16), user[i]);
	CHECK_STR(func_of(&r, ml_sites_resolve(&r.objects, 0x70010), 0), "[vdso]");
	CHECK(r.objects.program != NULL);
	CHECK_STR(r.objects.program->base, "gzip");
	run_close(&r);
}

TEST(missing_and_damaged_files_leave_object_and_offset)
{
	struct run r;
	static const char *const files[] = { "cut",  "text",     "empty",
					     "gone", "headless", "." };

	run_open(&r, "cc -g -O2 \"$S/shapes.c\" -o full && head -c 3000 full > cut &&"
		     "echo no ELF file > text && : > empty &&"
		     "head -c 64 full > headless");
	for (unsigned i = 0; i < 6; i++) {
		uint64_t low = 0x100000 * (i + 1);
		char name[64];

		ml_objects_map(&r.objects, low, low + 0x8000, 0x1000, 5, ML_MAPPING_FILE,
			       scratch_path(&r.scratch, files[i]));
		uint32_t site = ml_sites_resolve(&r.objects, low + 0x150);
		snprintf(name, sizeof(name), "%s+0x1150", files[i]);
		CHECK_STR(func_of(&r, site, 0), name);
	}
	run_close(&r);
}

TEST(a_file_cut_anywhere_is_survived)
{
	struct run r;
	uint64_t size;

	run_open(&r, "cc -g -O2 \"$S/shapes.c\" -o full");
	size = scratch_hex(&r.scratch, "printf %x $(stat -c %s full)");
	for (uint64_t n = 0; n < size; n += 1 + n / 16) {
		char command[128];
		struct ml_objects o;

		snprintf(command, sizeof(command), "head -c %llu full > cut",
			 (unsigned long long)n);
		scratch_run(&r.scratch, command);
		ml_objects_init(&o, &r.tables);
		ml_objects_map(&o, bias, bias + 0x8000, 0, 5, ML_MAPPING_FILE,
			       scratch_path(&r.scratch, "cut"));
		for (uint64_t at = 0; at < 0x2000; at += 100)
			CHECK(ml_sites_resolve(&o, bias + at) != 0);
		ml_objects_release(&o);
	}
	run_close(&r);
}

TEST(a_new_mapping_hides_the_middle_of_an_old_one)
{
	struct run r;

	run_open(&r, "true");
	ml_objects_map(&r.objects, 0x1000, 0x9000, 0, 1, ML_MAPPING_FILE, "/a/one");
	ml_objects_map(&r.objects, 0x3000, 0x5000, 0x7000, 1, ML_MAPPING_FILE, "/a/two");
	ml_objects_unmap(&r.objects, 0x4000, 0x6000);
	CHECK_STR(ml_objects_find(&r.objects, 0x2fff)->image->object->path, "/a/one");
	CHECK_STR(ml_objects_find(&r.objects, 0x3fff)->image->object->path, "/a/two");
	CHECK(!ml_objects_find(&r.objects, 0x4000) &&
	      !ml_objects_find(&r.objects, 0x5fff));
	CHECK_EQ(ml_objects_find(&r.objects, 0x6000)->offset, 0x5000);
	CHECK(!ml_objects_find(&r.objects, 0x9000) &&
	      !ml_objects_find(&r.objects, 0xfff));
	run_close(&r);
}

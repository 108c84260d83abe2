#include "record/symbols/globals.h"
#include "tests/debuginfo.h"

static const uint64_t bias = 0x555555550000;

struct run {
	struct scratch scratch;
	struct ml_tables tables;
	struct ml_objects objects;
};

/* Compiles, maps the file "program" and reads its globals. */
static void run_open(struct run *r, const char *command, uint64_t base)
{
	r->scratch = scratch_open();
	scratch_run(&r->scratch, command);
	ml_tables_init(&r->tables);
	ml_objects_init(&r->objects, &r->tables);
	map_file(&r->objects, scratch_path(&r->scratch, "program"), base);
	ml_globals_update(&r->objects);
}

static void run_close(struct run *r)
{
	ml_objects_release(&r->objects);
	ml_tables_release(&r->tables);
	scratch_close(&r->scratch);
}

static const char *text(struct run *r, uint32_t name)
{
	return ml_tables_text(&r->tables, name);
}

static const struct ml_block *find_block(struct run *r, const char *name)
{
	for (size_t i = 0; i < r->tables.globals.count; i++) {
		const struct ml_block *b = &r->tables.globals.at[i];

		if (strcmp(text(r, r->tables.regions.at[b->region].name), name) == 0)
			return b;
	}
	return NULL;
}

static const struct ml_block *block(struct run *r, const char *name)
{
	const struct ml_block *b = find_block(r, name);

	if (!b)
		TEST_SAY("there is no %s", name);
	return b;
}

static const struct ml_region *region(struct run *r, const char *name)
{
	return &r->tables.regions.at[block(r, name)->region];
}

/* "double [3][5]" */
static const char *shape(struct run *r, const char *name)
{
	static char out[128];
	const struct ml_region *g = region(r, name);
	int n = snprintf(out, sizeof(out), "%s:%llu", text(r, g->type),
			 (unsigned long long)g->elem);

	for (uint32_t i = 0; i < g->dims; i++)
		n += snprintf(out + n, sizeof(out) - (size_t)n, "[%llu]",
			      (unsigned long long)g->dim[i]);
	return out;
}

static void check_shapes(struct run *r, uint64_t base)
{
	CHECK_STR(shape(r, "A"), "int:4[3][5]");
	CHECK_EQ(block(r, "A")->addr,
		 scratch_hex(&r->scratch, "nm full | grep ' A$'") + base);
	CHECK_EQ(block(r, "A")->size, 60);
	CHECK_EQ(block(r, "A")->until, ML_FOREVER);
	CHECK_STR(shape(r, "P"), "struct particle:32[10]");
	CHECK_STR(shape(r, "typed"), "double:8[7][5]");
	CHECK_STR(shape(r, "pairs"), "pair:4[2][2]");
	CHECK_STR(shape(r, "deep"), "int:4[6][4][5][6]"); /* 2 x 3 folded: four at most */
	CHECK_STR(shape(r, "scalar"), "double:8");
	CHECK_STR(shape(r, "names"), "const char *:8[4]");
	CHECK_STR(shape(r, "hidden"), "int:4[6]");
	CHECK_STR(shape(r, "counter (in outer)"), "int:4[4]");
	CHECK_STR(shape(r, "counter (in local_static)"), "int:4[2]");
	CHECK_STR(text(r, region(r, "counter (in outer)")->func), "outer");
	CHECK(!find_block(r, "elsewhere") && !find_block(r, "own"));
	CHECK_STR(strrchr(text(r, region(r, "A")->file), '/'), "/shapes.c");
	CHECK(region(r, "A")->line > 20);
}

TEST(variables_have_the_shape_of_their_declaration)
{
	struct run r;

	run_open(&r, "cc -g -O0 \"$S/shapes.c\" -o full && ln full program", bias);
	check_shapes(&r, bias);
	run_close(&r);
}

TEST(a_program_at_a_fixed_address_has_its_variables_there)
{
	struct run r;

	run_open(&r,
		 "cc -g -O0 -no-pie -fno-pie \"$S/shapes.c\" -o full && ln full program",
		 0);
	check_shapes(&r, 0);
	run_close(&r);
}

TEST(variables_are_found_in_separate_and_in_split_debug_information)
{
	struct run r;

	run_open(&r,
		 "cc -g -O0 \"$S/shapes.c\" -o full &&"
		 "objcopy --only-keep-debug full s.debug && strip -o program full &&"
		 "objcopy --add-gnu-debuglink=s.debug program",
		 bias);
	check_shapes(&r, bias);
	run_close(&r);
	run_open(&r,
		 "cc -g -gsplit-dwarf -O0 -c \"$S/shapes.c\" -o s.o &&"
		 "cc s.o -o full && ln full program",
		 bias);
	check_shapes(&r, bias);
	run_close(&r);
}

TEST(fields_are_ordered_and_those_of_inner_structs_are_reached)
{
	static const struct {
		const char *name, *type;
		uint64_t offset, size;
	} want[] = {
		{ "pos.x", "double", 0, 8 },      { "pos.y", "double", 8, 8 },
		{ "id", "int", 16, 4 },           { "i|f", "union", 20, 4 },
		{ "low", "unsigned int", 24, 1 }, { "high", "unsigned int", 24, 1 },
		{ "tag", "char[]", 25, 4 },
	};
	struct run r;

	run_open(&r, "cc -g -O0 \"$S/shapes.c\" -o program", bias);
	const struct ml_region *p = region(&r, "P");
	CHECK_EQ(p->fields, 7);
	for (uint32_t i = 0; i < 7; i++) {
		const struct ml_field *f = &r.tables.fields.at[p->field + i];

		CHECK_EQ(f->offset, want[i].offset);
		CHECK_EQ(f->size, want[i].size);
		if (f->offset == 24) /* two in one byte, in either order */
			continue;
		CHECK_STR(text(&r, f->name), want[i].name);
		CHECK_STR(text(&r, f->type), want[i].type);
	}
	run_close(&r);
}

TEST(without_debug_information_symbols_give_name_and_size)
{
	struct run r;

	run_open(&r, "cc -O0 \"$S/shapes.c\" -o program", bias);
	CHECK_EQ(block(&r, "A")->size, 60);
	CHECK_EQ(region(&r, "A")->kind, ML_REGION_GLOBAL);
	CHECK_EQ(region(&r, "A")->elem, 0);
	CHECK_EQ(region(&r, "A")->dims, 0);
	run_close(&r);
}

TEST(sections_and_code_lie_below_the_variables)
{
	struct run r;

	run_open(&r, "cc -g -O0 \"$S/shapes.c\" -o full && strip -o program full", bias);
	CHECK(!find_block(&r, "A"));
	uint64_t a = scratch_hex(&r.scratch, "nm full | grep ' A$'") + bias;
	uint64_t main_at = scratch_hex(&r.scratch, "nm full | grep ' main$'") + bias;
	const struct ml_block *bss = block(&r, ".bss of program");
	const struct ml_region *code = region(&r, "code of program");
	CHECK(bss->addr <= a && a + 60 <= bss->addr + bss->size);
	CHECK_EQ(region(&r, ".bss of program")->kind, ML_REGION_SECTION);
	CHECK(find_block(&r, ".data of program") && find_block(&r, ".rodata of program"));
	CHECK_EQ(code->kind, ML_REGION_CODE);
	bool covered = false;
	for (size_t i = 0; i < r.tables.globals.count; i++) {
		const struct ml_block *b = &r.tables.globals.at[i];

		covered |= &r.tables.regions.at[b->region] == code &&
			   main_at >= b->addr && main_at < b->addr + b->size;
	}
	CHECK(covered);
	run_close(&r);
}

TEST(an_image_is_added_once_and_a_second_load_again)
{
	struct run r;

	run_open(&r, "cc -g -O0 -shared -fPIC \"$S/shapes.c\" -o program", bias);
	size_t once = r.tables.globals.count;
	ml_globals_update(&r.objects);
	CHECK_EQ(r.tables.globals.count, once);
	map_file(&r.objects, scratch_path(&r.scratch, "program"), bias + (1 << 24));
	ml_globals_update(&r.objects);
	CHECK_EQ(r.tables.globals.count, 2 * once);
	run_close(&r);
}

TEST(what_is_no_elf_file_is_code_and_data_of_its_name)
{
	struct run r;

	r.scratch = scratch_open();
	ml_tables_init(&r.tables);
	ml_objects_init(&r.objects, &r.tables);
	ml_objects_map(&r.objects, 0x1000, 0x2000, 0, 5, ML_MAPPING_FILE, "/nowhere/x");
	ml_objects_map(&r.objects, 0x2000, 0x3000, 0x1000, 3, ML_MAPPING_FILE,
		       "/nowhere/x");
	ml_globals_update(&r.objects);
	CHECK_EQ(block(&r, "code of x")->addr, 0x1000);
	CHECK_EQ(block(&r, "data of x")->size, 0x1000);
	run_close(&r);
}

TEST(variables_of_namespaces_classes_and_coats_of_arrays_are_named_in_full)
{
	struct run r;

	if (system("c++ --version >/dev/null 2>&1") != 0)
		skip();
	run_open(&r, "c++ -g -O0 \"$S/shapes.cpp\" -o program", bias);
	CHECK_STR(shape(&r, "sim::grid"), "double:8[3][4]");
	CHECK_STR(shape(&r, "sim::Particle::count"), "int:4");
	CHECK_STR(shape(&r, "sim::all"), "Particle:40[5]");
	CHECK_STR(shape(&r, "calls (in sim::Particle::move)"), "int:4");
	const struct ml_region *all = region(&r, "sim::all");
	CHECK_STR(text(&r, r.tables.fields.at[all->field].name), "x");
	CHECK_STR(text(&r, r.tables.fields.at[all->field + 2].name), "list");
	CHECK_STR(text(&r, r.tables.fields.at[all->field + 2].type), "vector<int>");
	run_close(&r);
}

TEST(fortran_arrays_run_fastest_in_their_first_index)
{
	struct run r;

	if (system("gfortran --version >/dev/null 2>&1") != 0)
		skip();
	run_open(&r, "gfortran -g -O0 \"$S/shapes.f90\" -o program", bias);
	CHECK_STR(shape(&r, "grid"), "real(kind=8):8[20][10]");
	CHECK_STR(shape(&r, "local (in work)"), "integer(kind=4):4[3000]");
	CHECK_STR(shape(&r, "shared"), "real(kind=4):4[7][5]");
	run_close(&r);
}

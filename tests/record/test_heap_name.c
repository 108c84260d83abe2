#include <ctype.h>

#include "record/symbols/heap_name.h"
#include "record/source/range_for.h"
#include "record/symbols/sites.h"
#include "record/source/sources.h"
#include "record/source/statement.h"
#include "tests/debuginfo.h"

static const uint64_t bias = 0x555555550000;

/* The name that a single line of source gives; the call stands where callee does. */
static const char *named(const char *line, const char *callee)
{
	static struct ml_statement s;
	const char *at = strstr(line, callee);

	ml_statement_parse(&s, line, strlen(line),
			   at ? (size_t)(at - line) : strlen(line), callee);
	return s.returned ? "(returned)" : s.name;
}

/* The same in a constructor of the standard library, with the column at `at`. */
static const char *named_at(const char *line, const char *at)
{
	static struct ml_statement s;

	ml_statement_parse(&s, line, strlen(line), (size_t)(strstr(line, at) - line),
			   "std::vector<int>::vector");
	return s.name;
}

TEST(a_statement_names_the_variable_it_assigns)
{
	CHECK_STR(named("double *A = malloc(8);", "malloc"), "A");
	CHECK_STR(named("A = (double *)calloc(n, 8);", "calloc"), "A");
	CHECK_STR(named("x = 1; p -> data = xmalloc(n);", "xmalloc"), "p->data");
	CHECK_STR(named("if ((p = malloc(n)) == NULL)", "malloc"), "p");
	CHECK_STR(named("if (n == 3 && (rows[i + 1] = malloc(n)))", "malloc"),
		  "rows[i+1]");
	CHECK_STR(named("int *a = malloc(1), *b = valloc(2);", "valloc"), "b");
	CHECK_STR(named("for (i = 0; i < n; i++) a[i] = malloc(4);", "malloc"), "a[i]");
	CHECK_STR(named("(*out) = malloc(4);", "malloc"), "out");
	CHECK_STR(named("double (*rows)[100] = malloc(4);", "malloc"), "rows");
	CHECK_STR(named("auto *p = new T[n];", "new"), "p");
	CHECK_STR(named("std::vector<double> v(n);", "n)"), "v");
	CHECK_STR(named("struct m A = { n, malloc(8) };", "malloc"), "A");
	CHECK_STR(named("struct m A = { .n = 1, .data = malloc(8) };", "malloc"),
		  "A.data");
	CHECK_STR(named("int *a[] = { f(1), malloc(8) };", "malloc"), "a[]");
	CHECK_STR(named("rc = posix_memalign((void **)&x, 64, n);", "posix_memalign"),
		  "x");
}

TEST(a_statement_that_assigns_nothing_names_nothing)
{
	CHECK_STR(named("use(malloc(8), a == b);", "malloc"), "");
	CHECK_STR(named("return malloc(8);", "malloc"), "(returned)");
	CHECK_STR(named("free(p); foo(n);", "foo"), "");
	CHECK_STR(named("", "malloc"), "");
	CHECK_STR(named("= malloc(8);", "malloc"), "");
	CHECK_STR(named("]] = malloc(8);", "malloc"), "");
}

static const char *walked(const char *text, const char *variable)
{
	static char name[ML_LVALUE_MAX];

	return ml_range_for_parse(name, text, strlen(text), variable) ? name : "";
}

TEST(the_variable_of_a_loop_is_an_element_of_what_it_walks)
{
	CHECK_STR(walked("for (auto &v : comp) v.resize(3);", "v"), "comp[]");
	CHECK_STR(walked("for (const std::vector<int> &row : this->m.rows)", "row"),
		  "m.rows[]");
	CHECK_STR(walked("for(auto *p:s->list[2]) {", "p"), "s->list[2][]");
	CHECK_STR(walked("for (int v = 0; v < n; v++)", "v"), "");
	CHECK_STR(walked("for (auto &v : make(3))", "v"), "");
	CHECK_STR(walked("x = a ? v : comp;", "v"), "");
	CHECK_STR(walked("for (auto &w : comp) f(v);", "v"), "");
	CHECK_STR(walked("for (auto &v : ", "v"), "");
}

/* "v", "own" or "unknown": the object whose method a line calls. */
static const char *object(const char *line, const char *callee, const char *at)
{
	static struct ml_statement s;

	ml_statement_parse(&s, line, strlen(line), (size_t)(strstr(line, at) - line),
			   callee);
	return s.object[0] ? s.object : s.own ? "own" : "unknown";
}

TEST(a_call_of_a_method_names_its_object)
{
	CHECK_STR(object("trail.push(p);", "vec<Lit>::push", "push"), "trail");
	CHECK_STR(object("a = s->trail.push(p);", "M::vec<M::Lit>::push", "(p"),
		  "s->trail");
	CHECK_STR(object("w[~c[0]].push(x)", "vec<W>::push", "w"), "w[~c[0]]");
	CHECK_STR(object("a.grow(1); b.grow(2);", "vec<int>::grow", "b.grow"), "b");
	CHECK_STR(object("m[3] = 4;", "Map<int, int>::operator[]", "["), "m");
	CHECK_STR(object("capacity(n + 1);", "vec<int>::capacity", "cap"), "own");
	CHECK_STR(object("this->capacity(n);", "vec<int>::capacity", "cap"), "own");
	CHECK_STR(object("id = Base<int>::alloc(n);", "Base<int>::alloc", "alloc"),
		  "own");
	CHECK_STR(object("Lock l(m);", "vec<int>::push", "Lock"), "unknown");
}

TEST(the_declarator_at_the_column_counts)
{
	CHECK_STR(named_at("Matrix<double> A(60, 60), B(60, 60)", "A("), "A");
	CHECK_STR(named_at("Matrix<double> A(60, 60), B(60, 60)", "), B"), "A");
	CHECK_STR(named_at("Matrix<double> A(60, 60), B(60, 60)", "B("), "B");
	CHECK_STR(named_at("Matrix<double> A(60, 60), *B(nullptr), C(f(1), 2)", "2)"),
		  "C");
	CHECK_STR(named_at("std::vector<int> Sim::counts(70)", "70"), "Sim::counts");
	CHECK_STR(named_at("std::deque<int> queue", "queue"), "queue");
	CHECK_STR(named_at("return queue", "queue"), "");
}

TEST(an_assignment_without_a_call_names_nothing)
{
	CHECK_STR(named("w[3] = 5", "kmpc_omp_task_alloc"), "");
	CHECK_STR(named("w[3] = make(5);", "make"), "w[3]");
	CHECK_STR(named("Matrix a = b", "Matrix::Matrix"), "a");
}

TEST(text_of_any_kind_is_survived)
{
	static const char pieces[] = "=()[]{};*&.->::<>\"'/* \n#a1new sizeof";
	uint32_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		char text[40];
		size_t n = (seed >> 8) % sizeof(text);
		struct ml_statement s;

		for (size_t k = 0; k < n; k++) {
			seed = seed * 1664525 + 1013904223;
			text[k] = pieces[(seed >> 16) % (sizeof(pieces) - 1)];
		}
		seed = seed * 1664525 + 1013904223;
		ml_statement_parse(&s, text, n, (seed >> 16) % sizeof(text), "std::x");
		CHECK(strlen(s.name) < sizeof(s.name));
	}
}

struct call {
	uint64_t ip;
	char in[128], to[128];
};

static size_t read_calls(const struct scratch *s, const char *program, struct call *calls,
			 size_t room)
{
	char command[256], line[1024], in[128] = "";
	size_t count = 0;

	snprintf(command, sizeof(command), "objdump -d --no-show-raw-insn '%s/%s'",
		 s->folder, program);
	FILE *f = popen(command, "r");
	CHECK(f != NULL);
	while (fgets(line, sizeof(line), f)) {
		unsigned long long at;
		char to[128];

		if (sscanf(line, "%llx <%127[^>]>:", &at, to) == 2 && isxdigit(line[0]))
			memcpy(in, to, sizeof(in));
		else if (sscanf(line, " %llx: call %*x <%127[^>@+]", &at, to) == 2 &&
			 count < room) {
			calls[count].ip = at + bias;
			memcpy(calls[count].in, in, sizeof(in));
			memcpy(calls[count++].to, to, sizeof(to));
		}
	}
	pclose(f);
	return count;
}

static bool is_allocator(const char *name)
{
	static const char *const names[] = { "malloc", "calloc",         "realloc",
					     "strdup", "posix_memalign", "_Znam",
					     "_Znwm" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* What allocates inside a function: its own call of an allocator, or any address of it.
 */
static uint64_t ip_inside(const struct call *calls, size_t count, const char *func)
{
	uint64_t any = 0;

	for (size_t i = 0; i < count; i++)
		if (strcmp(calls[i].in, func) == 0) {
			if (is_allocator(calls[i].to))
				return calls[i].ip;
			any = calls[i].ip;
		}
	return any;
}

static bool is_interesting(const char *name)
{
	return !strstr(name, "allocatorI") && !strstr(name, "D1Ev") &&
	       !strstr(name, "D2Ev") && !strstr(name, "Unwind") &&
	       !strstr(name, "C1Ev") && !strstr(name, "C2Ev") && !strstr(name, "throw") &&
	       !strstr(name, "IcvEERKS");
}

/* "-> A|B double 8" in the line of the site's outermost frame, or false. */
static bool expected(struct ml_objects *o, uint32_t site, char names[64], char type[64],
		     unsigned *bytes)
{
	const struct ml_site *s = &o->tables->sites.at[site];
	struct ml_frame f = o->tables->frames.at[s->frame + s->frames - 1];
	size_t size;
	const char *text = ml_sources_line(&o->sources, ml_tables_text(o->tables, f.file),
					   f.line, &size);
	char line[256];

	if (!text || size >= sizeof(line))
		return false;
	memcpy(line, text, size);
	line[size] = 0;
	const char *arrow = strstr(line, "-> ");
	if (!arrow || !(strstr(line, "/*") || strstr(line, "//")))
		return false;
	arrow = strstr(strstr(line, "//") ? strstr(line, "//") : strstr(line, "/*"),
		       "-> ");
	*bytes = 0;
	return arrow && sscanf(arrow, "-> %63s %63s %u", names, type, bytes) >= 2;
}

static bool is_one_of(const char *name, const char *names)
{
	size_t n = strlen(name);

	for (const char *p = names; (p = strstr(p, name)); p += n)
		if ((p == names || p[-1] == '|') && (!p[n] || p[n] == '|'))
			return true;
	return false;
}

static void check_program(const struct scratch *s, const char *program, int at_least)
{
	static struct call calls[4000];
	size_t count = read_calls(s, program, calls, 4000);
	struct ml_tables t;
	struct ml_objects o;
	int checked = 0;

	ml_tables_init(&t);
	ml_objects_init(&o, &t);
	map_file(&o, scratch_path(s, program), bias);
	for (size_t i = 0; i < count; i++) {
		uint32_t stack[2], depth = 0;
		char names[64], type[64];
		unsigned bytes;

		uint32_t here = ml_sites_resolve(&o, calls[i].ip);
		if (!is_interesting(calls[i].to) ||
		    !expected(&o, here, names, type, &bytes))
			continue;
		uint64_t inside = ip_inside(calls, count, calls[i].to);
		if (inside)
			stack[depth++] = ml_sites_resolve(&o, inside);
		else if (!is_allocator(calls[i].to))
			continue;
		stack[depth++] = here;
		uint32_t n = ml_heap_name_region(&o, ML_REGION_HEAP, stack, depth, 8000,
						 NULL);
		const struct ml_region *r = &t.regions.at[n];
		const char *name = ml_tables_text(&t, r->name);

		if (!is_one_of(name, names))
			TEST_SAY("%s in %s is called %s, not %s", calls[i].to,
				 calls[i].in, name, names);
		checked++;
		CHECK_EQ(r->depth, depth);
		CHECK_EQ(t.stacks.at[r->stack], stack[0]);
		if (strcmp(type, "*") == 0)
			continue;
		for (char *c = type; *c; c++)
			*c = *c == '_' ? ' ' : *c;
		CHECK_STR(ml_tables_text(&t, r->type), strcmp(type, "-") ? type : "");
		CHECK_EQ(r->elem, bytes);
		if (strcmp(name, "rows") == 0) {
			CHECK_EQ(r->dims, 2);
			CHECK_EQ(r->dim[0], 10);
			CHECK_EQ(r->dim[1], 100);
		}
	}
	CHECK(checked >= at_least);
	ml_objects_release(&o);
	ml_tables_release(&t);
}

TEST(heap_blocks_of_c_are_called_as_their_variables)
{
	struct scratch s = scratch_open();

	scratch_run(&s, "cc -g -O0 -w \"$S/heap.c\" -o heap");
	check_program(&s, "heap", 20);
	scratch_close(&s);
}

TEST(heap_blocks_of_cpp_are_called_as_their_variables)
{
	struct scratch s = scratch_open();

	if (system("c++ --version >/dev/null 2>&1") == 0) {
		scratch_run(&s, "c++ -g -O0 -w \"$S/heap.cpp\" -o heap");
		check_program(&s, "heap", 10);
	}
	scratch_close(&s);
}

TEST(without_source_the_function_is_the_name)
{
	static struct call calls[4000];
	struct scratch s = scratch_open();
	struct ml_tables t;
	struct ml_objects o;

	scratch_run(&s, "cc -O0 -w \"$S/heap.c\" -o heap");
	size_t count = read_calls(&s, "heap", calls, 4000);
	ml_tables_init(&t);
	ml_objects_init(&o, &t);
	map_file(&o, scratch_path(&s, "heap"), bias);
	uint32_t stack[2] = { ml_sites_resolve(&o, ip_inside(calls, count, "xmalloc")) };
	stack[1] = ml_sites_resolve(&o, ip_inside(calls, count, "main"));
	uint32_t n = ml_heap_name_region(&o, ML_REGION_HEAP, stack, 2, 0, NULL);
	CHECK_STR(ml_tables_text(&t, t.regions.at[n].name), "main");
	n = ml_heap_name_region(&o, ML_REGION_HEAP, stack, 2, 800000, NULL);
	CHECK_STR(ml_tables_text(&t, t.regions.at[n].name), "800000 bytes of main");
	n = ml_heap_name_region(&o, ML_REGION_HEAP, NULL, 0, 0, NULL);
	CHECK_STR(ml_tables_text(&t, t.regions.at[n].name), "heap of heap");
	ml_objects_release(&o);
	ml_tables_release(&t);
	scratch_close(&s);
}

static bool count_source(void *arg, const char *path, const char *text, size_t size,
			 struct ml_err *err)
{
	(void)err;
	CHECK(strstr(path, "heap.c") != NULL && text[size] == 0);
	++*(int *)arg;
	return true;
}

TEST(the_sources_to_keep_are_those_of_the_user)
{
	struct scratch s = scratch_open();
	struct ml_tables t;
	struct ml_sources sources = { 0 };
	struct ml_err err = { 0 };
	char path[256];
	int count = 0;
	size_t size;

	scratch_run(&s, "cp \"$S/heap.c\" .");
	snprintf(path, sizeof(path), "%s/heap.c", s.folder);
	ml_tables_init(&t);
	ml_tables_place(&t, "f", path, 1);
	ml_tables_place(&t, "g", path, 2);
	ml_tables_place(&t, "g", "/usr/include/stdio.h", 2);
	ml_tables_place(&t, "g", "heap.c", 2);
	ml_tables_place(&t, "g", "/nowhere/x.c", 2);
	CHECK(ml_sources_each(&sources, &t, count_source, &count, &err));
	CHECK_EQ(count, 1);
	const char *line = ml_sources_line(&sources, path, 2, &size);
	CHECK(line && size == strlen("#include <stdlib.h>"));
	CHECK(!ml_sources_line(&sources, path, 0, &size));
	CHECK(!ml_sources_line(&sources, path, 100000, &size));
	CHECK(!ml_sources_line(&sources, "/dev/zero", 1, &size));
	ml_sources_release(&sources);
	ml_tables_release(&t);
	scratch_close(&s);
}

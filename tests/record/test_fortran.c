#include <stdio.h>
#include <string.h>

#include "lib/trace/tables.h"
#include "record/source/fortran_shape.h"
#include "record/source/fortran_statement.h"
#include "record/source/sources.h"
#include "tests/scratch.h"
#include "tests/test.h"

/* "a(n) b(0:m)": what the statement of a line allocates; at: where the column is. */
static const char *allocated(const char *text, const char *at)
{
	static char list[400];
	struct ml_fortran_statement f;
	const char *place = strstr(text, at);

	list[0] = 0;
	if (!ml_fortran_statement_parse(&f, text, strlen(text),
					place ? (size_t)(place - text) : 0))
		return "nothing";
	for (size_t i = 0; i < f.count; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s(%s)",
			 i ? " " : "", f.object[i].name, f.object[i].bounds);
	return list;
}

TEST(an_allocate_statement_lists_its_arrays)
{
	CHECK_STR(allocated("allocate(a(n))", "allocate"), "a(n)");
	CHECK_STR(allocated("  ALLOCATE(Grid(n, 0:M), stat=ierr)", "ALL"), "grid(n,0:m)");
	CHECK_STR(allocated("allocate(real(8) :: a(n), b%c(i)%d(m, k+1))", "all"),
		  "a(n) b%c(i)%d(m,k+1)");
	CHECK_STR(allocated("if (.not. allocated(a)) allocate(a(3))", "if"), "a(3)");
	CHECK_STR(allocated("allocate(p, source=q)", "allocate"), "p()");
	CHECK_STR(allocated("100 allocate(x(2))", "100"), "x(2)");
}

TEST(a_source_may_need_a_block_of_its_own)
{
	struct ml_fortran_statement f;
	const char *plain = "allocate(a(n), source_terms(n), stat=source)";
	const char *source = "allocate(a(n), b(n), source = c + d)";

	CHECK(ml_fortran_statement_parse(&f, plain, strlen(plain), 0) && !f.copies);
	CHECK(ml_fortran_statement_parse(&f, source, strlen(source), 0) && f.copies);
	CHECK_EQ(f.count, 2);
}

TEST(the_statement_at_the_column_counts)
{
	const char *two = "allocate(a(n)); allocate(b(m)); c = 1";

	CHECK_STR(allocated(two, "allocate(a"), "a(n)");
	CHECK_STR(allocated(two, "allocate(b"), "b(m)");
	CHECK_STR(allocated(two, "c = 1"), "c()");
	CHECK_STR(allocated("n = 4; call f(); allocate(a(n))", "call"), "a(n)");
}

TEST(an_array_with_bounds_of_run_time_is_allocated_where_it_is_declared)
{
	const char *two = "real(8) :: first(n), second(0:n, m)";

	CHECK_STR(allocated(two, "), s"), "first(n)");
	CHECK_STR(allocated(two, " m)"), "second(0:n,m)");
	CHECK_STR(allocated("integer, dimension(m, 2) :: both, b(7)", "h, b"),
		  "both(m,2)");
	CHECK_STR(allocated("integer, dimension(m, 2) :: both, b(k)", "(k"), "b(k)");
	CHECK_STR(allocated("integer :: i, j", "j"), "nothing");
	CHECK_STR(allocated("real(8) :: first(n)", "real"), "nothing");
}

TEST(what_allocates_nothing_names_nothing)
{
	CHECK_STR(allocated("call f(a, b)", "call"), "nothing");
	CHECK_STR(allocated("if (a == b) stop", "if"), "nothing");
	CHECK_STR(allocated("p => q", "p"), "nothing");
	CHECK_STR(allocated("", ""), "nothing");
	CHECK_STR(allocated("allocate(", "allocate"), "nothing");
	CHECK_STR(allocated("allocate)(((", "allocate"), "nothing");
}

TEST(fortran_of_any_kind_is_survived)
{
	static const char pieces[] = "=(),:;%!&'\"*+- \nallocate0x1";
	uint32_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		struct ml_fortran_statement f;
		char text[48];
		size_t n = 0;

		if (i % 2)
			n = (size_t)snprintf(text, sizeof(text), "allocate(");
		while (n < 20 + (seed >> 9) % 27) {
			seed = seed * 1664525 + 1013904223;
			text[n++] = pieces[(seed >> 16) % (sizeof(pieces) - 1)];
		}
		ml_fortran_statement_parse(&f, text, n, (seed >> 16) % n);
		CHECK(f.count <= ML_FORTRAN_OBJECTS);
	}
}

/* The shape that bounds have in a file of that text, or "". */
static const char *solved(const char *bounds, uint64_t elements, const char *text)
{
	static char shape[200];
	struct ml_sources sources = { 0 };
	struct ml_region r = { 0 };
	FILE *file = fopen(scratch(), "w");

	CHECK(file && fputs(text, file) >= 0 && !fclose(file));
	shape[0] = 0;
	if (ml_fortran_shape(&r, bounds, elements, &sources, scratch()))
		for (uint32_t i = r.dims; i-- > 0;)
			snprintf(shape + strlen(shape), sizeof(shape) - strlen(shape),
				 "%lld:%lld%s", (long long)r.low[i],
				 (long long)r.low[i] + (long long)r.dim[i] - 1,
				 i ? "," : "");
	CHECK(!*shape || r.column_major);
	ml_sources_release(&sources);
	return shape;
}

TEST(one_unknown_follows_from_the_elements_of_the_block)
{
	CHECK_STR(solved("n", 30, ""), "1:30");
	CHECK_STR(solved("0:n+1,-1:n", 1024, ""), "0:31,-1:30"); /* (n + 2)^2 */
	CHECK_STR(solved("n,2*n", 1800, ""), "1:30,1:60");
	CHECK_STR(solved("size(a),10", 50, ""), "1:5,1:10");
	CHECK_STR(solved("3,4", 12, ""), "1:3,1:4");
}

TEST(numbers_that_the_file_assigns_help_and_are_checked)
{
	const char *text = "integer, parameter :: nx = 20\n  ny=5 ! ny = 7\n";

	CHECK_STR(solved("nx,ny", 100, text), "1:20,1:5");
	CHECK_STR(solved("nx,ny", 140, text), ""); /* 20 by 7, or 28 by 5 */
	CHECK_STR(solved("nx,m", 140, text), "1:20,1:7");
	CHECK_STR(solved("nx,ny", 101, text), "");
}

TEST(a_shape_that_cannot_be_told_is_not_guessed)
{
	CHECK_STR(solved("n,m", 100, ""), "");
	CHECK_STR(solved("3,4", 13, ""), "");
	CHECK_STR(solved("n*m", 12, "n = 3\nm = 4\n"), "1:12"); /* one opaque extent */
	CHECK_STR(solved("f(n),g(m)", 12, ""), "");
	CHECK_STR(solved("n", 0, ""), "");
	CHECK_STR(solved("((((", 12, ""), "1:12"); /* no sum either */
	CHECK_STR(solved("1,2,3,4,5", 120, ""), "");
}

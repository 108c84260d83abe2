/* What the page is answered about a flow, on an outer product that can be done by hand.
 */
#include "lib/query/workspace/request.h"

#include <stdlib.h>

#include "tests/answered.h"

static const char text[] =
	"void f(int n, const double *A, const double *B, double *C) {\n"
	"  for (int i = 0; i < n; i++)\n"
	"    for (int j = 0; j < 4; j++)\n"
	"      C[4 * i + j] = A[i] * B[j];\n}\n";

static void open_flow(void)
{
	static char path[80];

	snprintf(path, sizeof(path), "%s.c", scratch());
	FILE *f = fopen(path, "w");
	CHECK(f != NULL);
	fputs(text, f);
	fclose(f);
	open_workspace("L1 1K 2w");
	CHECK_OK(ml_workspace_open(&workspace, path, &err), &err);
	unlink(path);
}

static bool says(const char *part)
{
	return strstr((const char *)bytes.data, part) != NULL;
}

TEST(a_c_file_is_a_document_with_formulas)
{
	open_flow();
	CHECK(ask("/api/open"));
	CHECK(says("\"kind\":\"flow\""));
	CHECK(ask("/api/flows/0"));
	CHECK(says("\"parameters\":[\"n\"]"));
	CHECK(says("\"operations\":\"4*n\""));
	CHECK(says("\"bytes\":\"96*n\""));
	CHECK(!ask("/api/flows/1"));
	close_workspace();
}

TEST(a_folded_scope_moves_what_is_below_it)
{
	open_flow();
	CHECK(ask("/api/flows/0/graph?depth=0&set=n=3"));
	/* the function alone, with an edge for each of three containers */
	CHECK(says("\"folded\":true"));
	CHECK(says(
		"{\"node\":0,\"container\":0,\"read\":{\"formula\":\"32*n\",\"value\":96}}"));
	CHECK(says(
		"{\"node\":0,\"container\":2,\"written\":{\"formula\":\"32*n\",\"value\":96}}"));
	CHECK(ask("/api/flows/0/graph"));
	CHECK(says("\"range\":\"i = 0 to n - 1\""));
	CHECK(!says("\"value\""));
	CHECK(!ask("/api/flows/0/graph?root=99"));
	close_workspace();
}

TEST(elements_and_accesses_are_those_of_the_loops)
{
	size_t n;

	open_flow();
	CHECK(!ask("/api/flows/0/local"));
	CHECK(ask("/api/flows/0/local?set=n=3&line=32&threshold=1"));
	CHECK_EQ(number("accesses"), 36);
	/* A, B and C of 24, 32 and 96 bytes: 1 + 1 + 3 lines */
	CHECK(says("\"cold\":5"));
	CHECK(ask("/api/flows/0/elements?set=n=3&container=1&line=32"));
	const uint32_t *count = column("count", &n);
	CHECK_EQ(n, 4);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(count[i], 3);
	CHECK(ask("/api/flows/0/accesses?set=n=3&from=3&count=3"));
	const int64_t *place = column("place", &n);
	CHECK_EQ(n, 3);
	/* i 0, j 1: A[0], B[1], C[1] */
	CHECK_EQ(place[0], 0);
	CHECK_EQ(place[1], 1);
	CHECK_EQ(place[2], 1);
	CHECK(ask("/api/flows/0/accesses?set=n=3&from=99"));
	CHECK_EQ(number("accesses"), 36);
	CHECK(!ask("/api/flows/0/local?set=n=100000000"));
	close_workspace();
}

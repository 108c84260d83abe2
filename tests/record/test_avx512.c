/* Programs with and without instructions of AVX-512, compiled here. */
#include "record/session/avx512.h"

#include "tests/debuginfo.h"

static const char program[] = "printf 'double a[4096], b[4096];"
			      "int main(void) {"
			      "for (int i = 0; i < 4096; i++) a[i] = 2 * a[i] + b[i];"
			      "return b[5] > 1; }' >sum.c";

static bool has(struct scratch *s, const char *command)
{
	scratch_run(s, command);
	return ml_avx512_is_in(scratch_path(s, "sum"));
}

TEST(code_of_512_bits_is_found)
{
	struct scratch s = scratch_open();

	scratch_run(&s, program);
	CHECK(has(&s, "gcc -O3 -mavx512f -mprefer-vector-width=512 sum.c -o sum"));
	scratch_close(&s);
}

TEST(code_of_256_bits_is_none)
{
	struct scratch s = scratch_open();

	scratch_run(&s, program);
	CHECK(!has(&s, "gcc -O3 -march=x86-64-v3 sum.c -o sum"));
	CHECK(!has(&s, "gcc -O2 sum.c -o sum"));
	scratch_close(&s);
}

TEST(what_is_no_program_has_none)
{
	struct scratch s = scratch_open();

	CHECK(!has(&s, "echo '#!/bin/sh' >sum"));
	CHECK(!has(&s, "printf '\\177ELF\\2' >sum"));
	CHECK(!has(&s, "head -c 200 /bin/true >sum"));
	CHECK(!ml_avx512_is_in("no-such-program"));
	scratch_close(&s);
}
